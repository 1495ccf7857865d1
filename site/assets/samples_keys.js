/* The keyboard in the sample browser: j and k from record to record, / to the search, Enter unfolds, Esc leaves. */
(() => {
  const { make } = window.truerate;
  const TYPED = "input, select, textarea, [contenteditable]";

  /* `list` holds the records, `query` finds the search field. Returns the line that says the keys, with their switch. */
  window.truerate.keys = (list, query) => {
    let isOn = true;
    const records = () => [...list.querySelectorAll(":scope > .tr-record")];
    const go = (step) => {
      const all = records(), here = all.findIndex((one) => one.contains(document.activeElement));
      const next = all[here < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + step))];
      next?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: "start" });
    };
    const unfold = (record) => {
      const folds = [...record.querySelectorAll("details")], isOpen = folds.some((one) => one.open);
      for (const one of folds) one.open = !isOpen;
    };
    const press = (event) => {
      if (!isOn || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const at = event.target;
      if (event.key === "Escape" && (at === query() || at.closest?.(".tr-record"))) { at.blur(); return; }
      if (at.matches?.(TYPED)) return;
      const act = { j: () => go(1), k: () => go(-1), "/": () => query()?.focus(), Enter: at.matches?.(".tr-record") && (() => unfold(at)) }[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();   // the theme would open its own search
      act();
    };
    document.addEventListener("keydown", press, true);
    const line = make("p", { class: "tr-note tr-keyline" }, "Keys: ", ...[["j", "next"], ["k", "previous"], ["/", "search"], ["Enter", "unfold"], ["Esc", "leave"]].flatMap(([key, what]) => [make("kbd", {}, key), ` ${what}  `]));
    const button = make("button", { type: "button", class: "tr-button", "aria-pressed": "true" }, "Keys on");
    button.addEventListener("click", () => { isOn = !isOn; button.setAttribute("aria-pressed", String(isOn)); button.textContent = isOn ? "Keys on" : "Keys off"; });
    line.append(button);
    return line;
  };
})();
