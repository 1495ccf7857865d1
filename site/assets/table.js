/* Tables are complete as they come; this adds sorting, a filter, kinds, more measures and variants, and keeps the choice in the address. */
(() => {
  const { make, state, keep, take } = window.truerate;
  const tablesIn = (host) => [...host.querySelectorAll("table[data-table]")];
  const headsOf = (table) => [...table.tHead.rows[table.tHead.rows.length - 1].cells];

  const compare = (first, second, way, isText) => {
    const a = first.dataset.v ?? first.textContent, b = second.dataset.v ?? second.textContent;
    if (a === "" || b === "") return (a === "") - (b === "");          // nothing measured: last, whichever way
    return way * (isText ? a.localeCompare(b) : a - b);
  };
  const sort = (table, index, way) => {
    const head = headsOf(table)[index], body = table.tBodies[0];
    for (const other of headsOf(table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    const rows = [...body.rows].sort((a, b) => compare(a.cells[index], b.cells[index], way, head.dataset.kind === "text"));
    body.append(...rows);
  };
  const sortable = (table) => headsOf(table).forEach((head) => {
    const button = make("button", { type: "button", class: "tr-sort" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.kind === "text" || head.dataset.up === "down" ? 1 : -1;   // best first
      const now = head.getAttribute("aria-sort");
      const way = now ? (now === "ascending" ? -1 : 1) : first, index = head.cellIndex;   // columns may have moved
      sort(table, index, way);
      keep("sort", `${index}${way > 0 ? "a" : "d"}`);
    });
  });

  const has = (text, words) => words.toLowerCase().trim().split(/\s+/).every((word) => text.toLowerCase().includes(word));
  const widen = (table, isWide) => {
    table.classList.toggle("is-wide", isWide);
    for (const head of table.querySelectorAll("th[data-all]")) head.colSpan = isWide ? head.dataset.all : Math.max(1, head.dataset.shown);
  };
  const KINDS = { model: "Models", baseline: "Baselines", published: "Published", planted: "Planted" };

  /* What cells have in common stands on their column or table once, and what is printed once is read from there. */
  const complete = (table) => {
    const heads = headsOf(table), joined = (between, ...parts) => parts.filter(Boolean).join(between);
    for (const link of table.querySelectorAll("td > .tr-num, td > .tr-pair > .tr-num")) {
      const cell = link.closest("td"), shown = cell.querySelector(":scope > .tr-sub")?.textContent;
      const told = shown ?? /interval (.+?)(?:, planted|$)/.exec(link.querySelector(".tr-hide")?.textContent)?.[1];
      if (!link.hasAttribute("href")) link.href = heads[cell.cellIndex].dataset.href;
      if (told) cell.dataset.interval ??= told;
      if (table.dataset.slice) cell.dataset.slice = joined(", ", table.dataset.slice, cell.dataset.slice);
      if (table.dataset.read && "read" in cell.dataset) cell.dataset.read = joined("&", table.dataset.read, cell.dataset.read);
    }
  };
  const begin = (tables, isWide = false) => { for (const table of tables) { complete(table); sortable(table); widen(table, isWide); } };
  /* What is not in sight lies in a `noscript`, as text: thousands of cells are slow to make. Writes that of a view or panel; returns its tables. */
  const written = (host) => {
    const text = host.querySelector(":scope > noscript");
    if (!text) return [];
    host.innerHTML = text.textContent;
    return tablesIn(host);
  };

  /* One bar of controls for the panels of a view (or a single table). */
  const equip = (host) => {
    const tables = () => tablesIn(host);   // more of them as panels are made
    const isBare = tables().every((table) => "bare" in table.dataset);   // nothing but the choice between panels
    const bar = make("div", { class: "tr-tools" });
    const panels = [...host.querySelectorAll("[data-panel]")];
    const count = make("span", { class: "tr-count", role: "status" });
    const what = `Find a ${headsOf(tables()[0])[0].textContent.trim().toLowerCase()}`;
    const query = make("input", { type: "search", placeholder: what, "aria-label": what, class: "tr-input" });
    const kinds = [...new Set(tables().flatMap((table) => [...table.tBodies[0].rows].map((row) => row.dataset.kind)))].filter(Boolean);
    const kind = make("select", { class: "tr-input", "aria-label": "Kind of row" }, make("option", { value: "" }, "All rows"));
    for (const name of kinds) kind.append(make("option", { value: name }, KINDS[name] || name));
    const filter = () => {
      for (const table of tables()) {
        for (const row of table.tBodies[0].rows) {
          row.hidden = !has(row.cells[0].textContent, query.value) || (kind.value && row.dataset.kind !== kind.value);
        }
      }
      const table = tables().find((one) => !one.closest("[hidden]")) || tables()[0];
      const n = [...table.tBodies[0].rows].filter((row) => !row.hidden).length;
      count.textContent = `${n} ${n === 1 ? "row" : "rows"}`;
    };
    const more = make("button", { type: "button", class: "tr-button", "aria-pressed": "false" }, "More measures");
    const isWide = () => more.getAttribute("aria-pressed") === "true";
    if (panels.length > 1) {
      const choice = make("div", { class: "tr-choice", role: "group", "aria-label": "Variant" });
      const choose = (name) => {
        for (const panel of panels) panel.hidden = panel.dataset.panel !== name;
        begin(written(panels.find((panel) => !panel.hidden)), isWide());
        for (const button of choice.children) button.setAttribute("aria-pressed", String(button.dataset.value === name));
        filter();
      };
      for (const panel of panels) {
        const button = make("button", { type: "button", "data-value": panel.dataset.panel }, panel.dataset.title);
        button.addEventListener("click", () => { choose(panel.dataset.panel); keep("variant", panel.dataset.panel); });
        choice.append(button);
      }
      bar.append(choice);
      const wanted = state.get("variant");
      choose(panels.some((panel) => panel.dataset.panel === wanted) ? wanted : panels[0].dataset.panel);
    }
    const name = panels.length > 1 ? tables()[0].dataset.name.replace(`: ${panels[0].dataset.title}`, "") : tables()[0].dataset.name;
    const taken = take.group(name, () => tables().find((table) => !table.closest("[hidden]")));
    if (isBare) { bar.append(taken); return bar; }
    if (tables()[0].tBodies[0].rows.length > 3) bar.append(query);
    if (kinds.length > 1) bar.append(kind);
    if (tables().some((table) => table.classList.contains("has-extra"))) {
      more.addEventListener("click", () => {
        more.setAttribute("aria-pressed", String(!isWide()));
        for (const table of tables()) widen(table, isWide());
      });
      bar.append(more);
    }
    bar.append(taken, count);
    query.addEventListener("input", () => { filter(); keep("q", query.value.trim()); });
    kind.addEventListener("change", () => { filter(); keep("kind", kind.value); });
    query.value = state.get("q") || "";
    if (kinds.includes(state.get("kind"))) kind.value = state.get("kind");
    filter();
    return bar;
  };

  /* One box for all lists of a page: a line stays if it, or what its title says, holds every word; a list without lines goes. */
  const searchable = (bar) => {
    const lists = [...document.querySelectorAll("[data-find]")], what = bar.dataset.findBar;
    const query = make("input", { type: "search", placeholder: what, "aria-label": what, class: "tr-input" });
    const count = make("span", { class: "tr-count", role: "status" });
    const filter = () => {
      let n = 0;
      for (const list of lists) {
        for (const line of list.children) line.hidden = !has(`${line.textContent} ${line.title}`, query.value);
        const shown = [...list.children].filter((line) => !line.hidden).length;
        list.hidden = list.previousElementSibling.hidden = !shown;
        n += shown;
      }
      count.textContent = `${n} ${n === 1 ? "line" : "lines"}`;
    };
    query.addEventListener("input", () => { filter(); keep("q", query.value.trim()); });
    query.value = state.get("q") || "";
    filter();
    bar.append(query, count);
  };
  for (const bar of document.querySelectorAll("[data-find-bar]")) searchable(bar);

  /* A few lines need no controls, and can be taken along. */
  const takeBelow = (table) => table.closest(".tr-scroll").after(take.group(table.dataset.name, () => table));
  const view = (host) => {
    const tables = tablesIn(host);
    begin(tables);
    if (host.querySelectorAll("[data-panel]").length > 1 || !("small" in tables[0].dataset)) host.prepend(equip(host));
    else takeBelow(tables[0]);
  };
  /* A view is made when somebody comes near, or prints. */
  const later = [...document.querySelectorAll("[data-views]:has(> noscript)")];
  const near = new IntersectionObserver((all) => { for (const one of all) if (one.isIntersecting) makeNow(one.target); }, { rootMargin: "400px" });
  const makeNow = (host) => {
    near.unobserve(host);
    if (!written(host).length) return;
    view(host);
    host.dispatchEvent(new CustomEvent("made", { bubbles: true }));
  };
  for (const host of document.querySelectorAll("[data-views]:not(:has(> noscript))")) view(host);
  for (const host of later) near.observe(host);
  window.addEventListener("beforeprint", () => {
    later.forEach(makeNow);
    for (const panel of document.querySelectorAll("[data-panel]:has(> noscript)")) begin(written(panel));
  });
  const lone = [...document.querySelectorAll("table[data-table]")].filter((table) => !table.closest("[data-views]"));
  begin(lone);
  for (const table of lone) {
    const frame = table.closest(".tr-scroll");
    if ("small" in table.dataset) takeBelow(table); else frame.before(equip(frame));
  }
  const wanted = /^(\d+)([ad])$/.exec(state.get("sort") || "");
  const first = document.querySelector("[data-panel]:not([hidden]) table[data-table]") || document.querySelector("table[data-table]");
  if (wanted && first && headsOf(first)[wanted[1]]) sort(first, Number(wanted[1]), wanted[2] === "a" ? 1 : -1);
})();
