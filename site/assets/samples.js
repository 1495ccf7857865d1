/* The sample browser: what was chosen, the records that fit, twenty at a time. */
(() => {
  const { make, store, search, choices, cards, records, keys } = window.truerate;
  const host = document.getElementById("tr-samples");
  if (!host || !host.dataset.boards) return;
  const names = host.dataset.boards.split(" "), titles = host.dataset.titles.split("|");
  const boards = names.map((name, i) => [name, titles[i]]);
  const PAGE = 20;
  let state = choices.read(names), page = 0, turn = 0, found = [], seen = null;

  const controls = make("div", { class: "tr-tools tr-filters" }), list = make("div", { class: "tr-records" });
  const count = make("p", { class: "tr-count", role: "status" }), legend = make("div", { class: "tr-legend", role: "group", "aria-label": "Whose marks are shown" });
  const more = make("button", { type: "button", class: "tr-button", hidden: "" }, "Show more");
  const clear = make("button", { type: "button", class: "tr-button" }, "Clear filters"), save = make("button", { type: "button", class: "tr-button" }, "Download ids (CSV)");
  host.append(controls, make("div", { class: "tr-tools" }, count, clear, save), legend, list, make("p", { class: "tr-more" }, more), keys(list, () => controls.querySelector(".tr-query")));

  const changed = (key, value) => {
    if (value) state[key] = value; else delete state[key];
    if (key === "board") state = { board: value };
    if (key !== "layers") { delete state.id; page = 0; }
    choices.write(state);
    draw(key === "board");
  };
  const fill = (index) => controls.replaceChildren(...choices.controls(state, index, boards, changed));

  const told = (index, dropped) => {
    const of = `${found.length} of ${index.n} records${index.n_all > index.n ? `, drawn from ${index.n_all} ${index.unit || "texts"}` : ""}`;
    return dropped.length ? `${of}. This board has no ${dropped.join(", ")}; it was left out.` : of;
  };
  /* Draw anew; what was asked for later wins. */
  const draw = async (isFresh) => {
    const mine = (turn += 1), { board, q } = state;
    host.setAttribute("aria-busy", "true");
    try {
      const index = await store.index(board);
      const has = q ? await search.find(board, index, q) : null;
      const place = state.id ? (await store.ids(board)).indexOf(state.id) : -1;
      if (mine !== turn) return;
      const dropped = choices.unknown(state, index).map((key) => `${key} “${state[key]}”`);
      for (const key of choices.unknown(state, index)) delete state[key];
      if (isFresh) fill(index);
      found = choices.fits(state, index, has, place);
      const shown = found.slice(0, (page + 1) * PAGE), loaded = await Promise.all(shown.map((i) => store.record(board, index, i)));
      if (mine !== turn) return;
      seen = index;
      records.now.pattern = q ? search.pattern(q, index) : null;
      const how = { judge: state.judge, isAlone: shown.length === 1, layers: choices.layersOf(state, index) };
      const card = cards[index.form || ""] || cards[""];
      list.replaceChildren(...loaded.map((record) => card(record, index, board, how)));
      for (const one of list.children) one.setAttribute("tabindex", "-1");
      legend.replaceChildren(...choices.legend(state, index, changed));
      legend.hidden = !legend.childElementCount;
      count.textContent = told(index, dropped);
      more.hidden = shown.length === found.length;
      save.disabled = !found.length;
      clear.hidden = Object.keys(state).every((key) => key === "board" || key === "layers");
    } catch (error) {
      if (mine === turn) count.textContent = `The data of this board could not be loaded: ${error.message}`;
    } finally {
      if (mine === turn) host.removeAttribute("aria-busy");
    }
  };

  /* What fits as a table of ids and the values that it was filtered by; a cell that looks like a formula is quoted. */
  const cell = (value) => `"${(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
  const table = (index, ids) => {
    const columns = index.filters.map(([key]) => index.columns[key]);
    const values = (i) => columns.map(({ values: all, codes }) => [codes[i]].flat().map((code) => all[code][0]).join(";"));
    return [["board", "id", ...index.filters.map(([key]) => key)], ...found.map((i) => [state.board, ids[i], ...values(i)])].map((row) => row.map(cell).join(",")).join("\r\n");
  };
  save.addEventListener("click", async () => {
    const url = URL.createObjectURL(new Blob(["\ufeff", table(seen, await store.ids(state.board)), "\r\n"], { type: "text/csv" }));
    const link = make("a", { href: url, download: `${state.board}-ids.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
  clear.addEventListener("click", () => { state = { board: state.board }; page = 0; choices.write(state); draw(true); });
  more.addEventListener("click", () => { page += 1; draw(false); });
  window.addEventListener("hashchange", () => { state = choices.read(names); page = 0; draw(true); });
  draw(true);
})();
