/* Behind a rank: whom the subject beats, ties with and loses to, with p. Loaded when a rank is pointed at or focused. */
(() => {
  const { make } = window.truerate;
  const table = document.querySelector("table.tr-real-table");
  if (!table) return;
  let pairs = null, isAsked = false, wanted = null, leaving = 0;
  const tip = make("div", { class: "tr-tip", id: "tr-tip", role: "tooltip", hidden: "" });
  (table.closest("main") || document.body).append(tip);

  const inWords = (p) => (p < 0.001 ? "p < .001" : `p ${p.toFixed(3).replace(/^0/, "")}`);
  /* The p of a pair, above 0 where the first is the better one; null where they were not compared. */
  const of = (i, j) => {
    const [a, b] = i < j ? [i, j] : [j, i];
    const p = pairs.p[a * pairs.names.length - (a * (a + 1)) / 2 + b - a - 1];
    return p === null ? null : i < j ? p : -p;
  };
  const draw = (name, rank) => {
    const groups = { "Beats": [], "Ties with": [], "Loses to": [] }, i = pairs.names.indexOf(name);
    pairs.names.forEach((other, j) => {
      const p = i === j || i < 0 ? null : of(i, j);
      if (p !== null) groups[Math.abs(p) > pairs.alpha ? "Ties with" : p > 0 ? "Beats" : "Loses to"].push(`${other} (${inWords(Math.abs(p))})`);
    });
    const lines = Object.entries(groups).map(([what, names]) => make("p", {}, make("b", {}, `${what} ${names.length}`), names.length ? `: ${names.join(", ")}` : ""));
    tip.replaceChildren(make("p", {}, make("b", {}, name), `, rank ${rank}`), ...lines, make("p", { class: "tr-sub" }, pairs.how));
  };
  const hide = () => {
    clearTimeout(leaving);
    tip.hidden = true;
    wanted?.removeAttribute("aria-describedby");
    wanted = null;
  };
  const show = () => {
    if (!pairs || !wanted) return;
    draw(wanted.closest("tr").querySelector(".tr-subject").dataset.v, wanted.textContent);
    tip.hidden = false;
    wanted.setAttribute("aria-describedby", tip.id);
    tip.scrollTop = 0;
    const at = wanted.getBoundingClientRect(), size = tip.getBoundingClientRect(), page = document.documentElement;
    const frame = tip.offsetParent.getBoundingClientRect();
    const isBelow = at.bottom + size.height + 8 < page.clientHeight || at.top < size.height + 8;
    tip.style.left = `${Math.max(8, Math.min(at.left, page.clientWidth - size.width - 8)) - frame.left}px`;
    tip.style.top = `${(isBelow ? at.bottom + 4 : at.top - size.height - 4) - frame.top}px`;
  };
  const ask = (button) => {
    clearTimeout(leaving);
    if (button === wanted) return;
    hide();
    wanted = button;
    show();
    if (isAsked) return;
    isAsked = true;
    window.truerateRanks = (found) => { pairs = found; show(); };
    document.body.append(make("script", { src: `${table.dataset.board}-pairs.js` }));
  };
  const leave = () => {
    clearTimeout(leaving);
    leaving = setTimeout(() => { if (document.activeElement !== wanted) hide(); }, 150);
  };

  for (const cell of table.querySelectorAll("td.tr-rank")) {
    const rank = cell.textContent.trim();
    if (!/\d/.test(rank)) continue;
    const button = make("button", { type: "button", class: "tr-versus", "aria-label": `${rank}: whom it beats and loses to` }, rank);
    cell.replaceChildren(button);
    cell.addEventListener("mouseenter", () => ask(button));
    cell.addEventListener("mouseleave", leave);
    button.addEventListener("focus", () => ask(button));
    button.addEventListener("blur", leave);
    button.addEventListener("click", () => ask(button));
  }
  tip.addEventListener("mouseenter", () => clearTimeout(leaving));
  tip.addEventListener("mouseleave", leave);
  document.addEventListener("keydown", (event) => {
    if (tip.hidden) return;
    const step = { ArrowDown: 40, ArrowUp: -40 }[event.key];
    if (event.key === "Escape") hide();
    else if (step && document.activeElement === wanted) { tip.scrollBy(0, step); event.preventDefault(); }
  });
})();
