/* What every page shares: names for the theme's own controls, the build line, and the dialog behind each number. */
(() => {
  const make = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  /* The choices of a page, kept in its address. */
  const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  const keep = (key, value) => {
    if (value) state.set(key, value); else state.delete(key);
    try { history.replaceState(null, "", `#${state}`); } catch { /* some browsers refuse this for files */ }
  };
  window.truerate = { make, state, keep, cards: {} };   // cards: how the sample browser shows records of another form

  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  // The theme's link past the head is left out where a page's headings are no Markdown. The address, which may hold choices, stays.
  const skip = document.querySelector("[data-md-component=skip]"), title = document.querySelector("main h1[id]");
  if (skip && title && !skip.querySelector("a")) {
    const past = make("a", { class: "md-skip", href: `#${title.id}` }, "Skip to content");
    past.addEventListener("click", (event) => { event.preventDefault(); title.tabIndex = -1; title.focus(); });
    skip.append(past);
  }
  // The theme names the list of a section's pages by a label without text, and gives the buttons of a code block, which it
  // makes late, the role of a navigation without a name.
  for (const list of document.querySelectorAll("nav.md-nav[aria-labelledby]")) {
    list.setAttribute("aria-label", `Pages: ${list.querySelector(".md-nav__title")?.textContent.trim() ?? ""}`);
    list.removeAttribute("aria-labelledby");
  }
  const unname = () => { for (const nav of document.querySelectorAll(".md-code__nav:not([role])")) nav.setAttribute("role", "none"); };
  if (document.querySelector("pre > code")) new MutationObserver(unname).observe(document.body, { childList: true, subtree: true });
  document.documentElement.classList.add("tr-js");

  // build_info.js calls this with null or {date, commit}; it is no part of the tables.
  window.truerateBuild = (info) => {
    if (!info) return;
    const words = [info.commit && `Build ${info.commit}`, info.date].filter(Boolean).join(" · ");
    for (const place of document.querySelectorAll("[data-build]")) place.textContent = words;
  };

  // The tables hold no day of today, so how old a board is can be said here alone.
  const year = 365.25 * 24 * 3600 * 1000;
  for (const place of document.querySelectorAll("[data-dated]")) {
    const [y, month = "12", day = "28"] = place.dataset.dated.split("-");   // a year, or a month, by its end
    if (Date.now() - Date.UTC(y, month - 1, day) > year) place.append(make("span", { class: "tr-old" }, "older than a year"));
  }

  const root = document.currentScript.src.replace(/assets\/[^/]*$/, "");
  let dialog;
  /* One dialog for every number: what it says stands on the cell, its line or its table, whichever names it first. */
  const show = (cell) => {
    const table = cell.closest("table"), link = cell.querySelector(".tr-num");
    const head = table.tHead.rows[table.tHead.rows.length - 1].cells[cell.cellIndex];
    const from = (key) => cell.closest(`[data-${key}]`)?.dataset[key];
    const value = link.firstChild.textContent.trim(), board = from("board");
    const facts = [
      ["Value", value + ((head.dataset.unit || from("unit")) && /\d/.test(value) ? " %" : "")],
      ["Interval", cell.dataset.interval],
      ["Planted", cell.dataset.planted],
      ["Units behind it", cell.dataset.n],
      ["Where", cell.dataset.slice],
      ...(from("facts") ? JSON.parse(from("facts")) : [["Inputs", from("rows")], ["Made by", "dvc repro"], ["Shown by", board && `truerate board ${board}`]]),
    ];
    if (!dialog) {
      dialog = make("dialog", { class: "tr-dialog", "aria-labelledby": "tr-dialog-title" });
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
      document.body.append(dialog);
    }
    const list = make("dl", { class: "tr-facts" });
    for (const [name, text] of facts) if (text) list.append(make("div", {}, make("dt", {}, name), make("dd", {}, text)));
    const close = make("button", { type: "button", class: "tr-button", autofocus: "" }, "Close");
    close.addEventListener("click", () => dialog.close());
    const subject = cell.parentElement.querySelector(".tr-name").textContent;
    const behind = make("a", { href: link.getAttribute("href"), class: "tr-button" }, link.dataset.behind || "Definition");
    behind.addEventListener("click", () => dialog.close());   // it may lie on this page
    const texts = "read" in cell.dataset && new URLSearchParams({ board, ...Object.fromEntries(new URLSearchParams(cell.dataset.read)) });
    const read = texts && make("a", { class: "tr-button", href: `${root}samples.html#${texts}` }, "Read the replies");
    const column = head.dataset.head || (head.querySelector(".tr-sort") || head).firstChild.textContent.trim();
    dialog.replaceChildren(
      make("h2", { id: "tr-dialog-title" }, `${subject}: ${cell.dataset.measure || column}`),
      make("p", { class: "tr-sub" }, head.dataset.definition || from("definition") || ""), list, make("p", { class: "tr-more" }, ...(read ? [read, " "] : []), behind, " ", close),
    );
    dialog.showModal();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a.tr-num");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    show(link.closest("td"));
  });
})();
