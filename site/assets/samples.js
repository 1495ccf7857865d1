/* The sample browser: an index and shards of 100 records, loaded as scripts so that it works from disk. Text enters by textContent alone. */
(() => {
  const { make } = window.truerate;
  const host = document.getElementById("tr-samples");
  if (!host || !host.dataset.boards) return;
  const boards = host.dataset.boards.split(" "), titles = host.dataset.titles.split("|");
  const indexes = {}, shards = new Map(), waiting = {};
  const PAGE = 20;
  const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]/;

  const load = (path, key) => new Promise((done, failed) => {
    waiting[key] = done;
    const script = make("script", { src: path });
    script.onerror = () => failed(new Error(path));
    document.head.append(script);
  });
  window.truerateIndex = (board, index) => { indexes[board] = index; waiting[board]?.(index); };
  window.truerateShard = (board, k, records) => {
    shards.set(`${board}/${k}`, records);
    if (shards.size > 40) shards.delete(shards.keys().next().value);
    waiting[`${board}/${k}`]?.(records);
  };
  const indexOf = (board) => indexes[board] || load(`samples/${board}/index.js`, board);
  const shardOf = (board, k) => shards.get(`${board}/${k}`) || load(`samples/${board}/${k}.js`, `${board}/${k}`);

  /* Text as nodes: control and direction characters are shown, not obeyed. */
  const visible = (text) => text.split(new RegExp(`(${HIDDEN.source})`)).map((part) => (
    HIDDEN.test(part) && part.length === 1
      ? make("span", { class: "tr-chip", title: "invisible character" }, `U+${part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`)
      : document.createTextNode(part)
  ));
  const words = (value) => (value || "").replaceAll("_", " ");
  const prose = (segments, types, lang) => {
    const box = make("div", { class: "tr-text", dir: "auto", lang: lang || "" });
    for (const part of segments) {
      if (typeof part === "string") { box.append(...visible(part)); continue; }
      const style = Math.max(0, types.indexOf(part[1][0])) % 6;
      const mark = make("mark", { class: `tr-span span-${style}`, title: part[1].map(words).join(", ") }, ...visible(part[0]));
      box.append(mark);
    }
    return box;
  };
  const block = (title, node) => make("div", { class: "tr-block" }, make("p", { class: "tr-block-title" }, title), node);
  /* For the scripts whose cards show records of another form; each stands in `cards` under the form's name. */
  const { cards } = Object.assign(window.truerate, { records: { visible, words, prose, block } });

  const OUTCOMES = { r: "judged rightly", w: "judged wrongly", u: "no verdict read" };
  const verdict = (record, [who, says, reason, marked], types) => {
    const outcome = says === null ? "u" : says === record.wrong ? "r" : "w";
    const line = make("li", { class: `tr-said said-${outcome}` }, make("b", {}, who), " ",
      says === null ? `no verdict${reason ? ` (${words(reason)})` : ""}` : says ? "hallucinated" : "right", make("span", { class: "tr-outcome" }, { r: "✓", w: "✗", u: "?" }[outcome]));
    line.querySelector(".tr-outcome").setAttribute("title", OUTCOMES[outcome]);
    if (marked) line.append(prose(marked, types, record.lang));
    return line;
  };
  const card = (record, index, board) => {
    const label = make("span", { class: `tr-label label-${record.wrong ? "wrong" : "right"}` }, record.wrong ? "Hallucinated" : "Right");
    const named = (key, value) => index.columns[key].values.find(([one]) => one === value)?.[1] || value;
    const facts = [named("task", record.task), record.wrong && record.pattern && named("pattern", record.pattern), record.by && `by ${record.by}`, `label: ${record.source}`];
    const head = make("header", {}, label, ...facts.filter(Boolean).map((fact) => make("span", {}, ...visible(fact))),
      make("a", { href: `#board=${encodeURIComponent(board)}&id=${record.id}` }, record.id));
    const left = make("div", { class: "tr-left-side" }), right = make("div", { class: "tr-right-side" });
    if (record.history) left.append(block("History", prose([record.history], [], record.lang)));
    if (record.question) left.append(make("h2", { dir: "auto", lang: record.lang }, ...visible(record.question)));
    left.append(block("Text", prose(record.text, index.types, record.lang)));
    if (record.why) left.append(block("Why", prose([record.why], [], "en")));
    if (record.knowledge) right.append(block("Checked against", prose([record.knowledge], [], record.lang)));
    if (record.said.length) {
      const wrong = record.said.filter((one) => one[1] !== record.wrong).length;
      const list = make("ul", { class: "tr-judges" }, ...record.said.map((one) => verdict(record, one, index.types)));
      left.append(make("details", {}, make("summary", {}, `${record.said.length} judgements, ${wrong} wrong or unread`), list));
    }
    return make("article", { class: "tr-record" }, head, make("div", { class: "tr-sides" }, left, right));
  };

  const state = { board: boards[0], page: 0 };
  const read = () => {
    const found = new URLSearchParams(location.hash.slice(1) || location.search.slice(1));
    for (const key of Object.keys(state)) if (key !== "page") delete state[key];
    state.page = 0;
    for (const [key, value] of found) if (key !== "page") state[key] = value;
    if (!boards.includes(state.board)) state.board = boards[0];
  };
  const write = () => {
    const { page, ...kept } = state;
    try { history.replaceState(null, "", `#${new URLSearchParams(kept)}`); } catch { /* some browsers refuse this for files */ }
  };

  const controls = make("div", { class: "tr-tools tr-filters" }), list = make("div", { class: "tr-records" });
  const count = make("p", { class: "tr-count", role: "status" }), legend = make("div", { class: "tr-legend", role: "group", "aria-label": "Kinds of span" });
  const more = make("button", { type: "button", class: "tr-button" }, "Show more");
  host.append(controls, count, legend, list, make("p", { class: "tr-more" }, more));
  more.addEventListener("click", () => { state.page += 1; draw(false); });

  const select = (key, title, options) => {
    const box = make("select", { class: "tr-input" });
    for (const [value, text] of options) box.append(make("option", { value }, ...visible(text)));
    box.value = options.some(([value]) => value === state[key]) ? state[key] : "";
    box.addEventListener("change", () => {
      if (box.value) state[key] = box.value; else delete state[key];
      delete state.id;
      if (key === "board") for (const name of Object.keys(state)) if (name !== "board" && name !== "page") delete state[name];
      state.page = 0;
      write();
      draw(key === "board" || key === "judge");
    });
    return make("label", {}, make("span", {}, title), box);
  };
  const fill = (index) => {
    controls.replaceChildren();
    if (boards.length > 1) controls.append(select("board", "Board", boards.map((name, i) => [name, titles[i]])));
    for (const [key, title, all] of index.filters) {
      const values = index.columns[key].values.filter(([value]) => value);
      if (values.length > 1) controls.append(select(key, title, [["", all], ...values]));
    }
    const judges = Object.keys(index.judges);
    if (judges.length) {
      controls.append(select("judge", index.judged[0], [["", index.judged[1]], ...judges.map((name) => [name, name])]));
      controls.append(select("outcome", "Outcome", [["", "Any outcome"], ...index.outcomes]));
    }
    const hands = (index.layers || []).length ? [make("mark", { class: "tr-layer by-gold gold-0" }, "Gold, by people"),
      make("mark", { class: "tr-layer by-silver silver-0 is-start is-end" }, "Silver, by the writer"), make("mark", { class: "tr-layer by-detector" }, "Marked by the detector")] : [];
    const kind = (type, i) => make("mark", { class: hands.length ? `tr-layer by-gold gold-${i % 6}` : `tr-span span-${i % 6}` }, ...visible(words(type)));
    legend.replaceChildren(...hands, ...index.types.map(kind));
    legend.hidden = !index.types.length;
  };
  const fits = (index) => {
    const tests = index.filters.map(([key]) => key).filter((key) => state[key]).map((key) => {
      const code = index.columns[key].values.findIndex(([value]) => value === state[key]);
      return (i) => [index.columns[key].codes[i]].flat().includes(code);
    });
    const chosen = state.judge || index.leader;
    const judges = chosen && index.judges[chosen] ? [index.judges[chosen]] : Object.values(index.judges);
    const letters = index.outcomes.find(([value]) => value === state.outcome)?.[2] || "";
    if (state.outcome) tests.push((i) => judges.some((codes) => letters.includes(codes[i])));
    else if (state.judge) tests.push((i) => judges.some((codes) => codes[i] !== "-"));
    if (state.id) tests.push((i) => index.ids[i] === state.id);
    return [...Array(index.n).keys()].filter((i) => tests.every((test) => test(i)));
  };
  let turn = 0;
  const draw = async (isFresh) => {
    const mine = ++turn, board = state.board;
    host.setAttribute("aria-busy", "true");
    const index = await indexOf(board);
    if (mine !== turn) return;
    if (isFresh) fill(index);
    const found = fits(index), shown = found.slice(0, (state.page + 1) * PAGE);
    const needed = [...new Set(shown.map((i) => Math.floor(i / index.shard)))];
    const loaded = new Map(await Promise.all(needed.map(async (k) => [k, await shardOf(board, k)])));
    if (mine !== turn) return;
    const show = cards[index.form] || card, how = { judge: state.judge, isAlone: shown.length === 1 };
    list.replaceChildren(...shown.map((i) => show(loaded.get(Math.floor(i / index.shard))[i % index.shard], index, board, how)));
    count.textContent = `${found.length} of ${index.n} records${index.n_all > index.n ? `, drawn from ${index.n_all} ${index.unit || "texts"}` : ""}`;
    more.hidden = shown.length === found.length;
    host.removeAttribute("aria-busy");
  };
  window.addEventListener("hashchange", () => { read(); draw(true); });
  read();
  draw(true).catch((error) => { count.textContent = `The data of this board could not be loaded: ${error.message}`; });
})();
