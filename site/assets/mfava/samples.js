/* A record whose text several hands marked: its marks in layers, and the same marks as a list. Text enters by textContent alone. */
(() => {
  const { make } = window.truerate;
  const later = (name) => (...given) => window.truerate.records[name](...given);   // samples.js, which gives them, comes after
  const visible = later("visible"), words = later("words"), prose = later("prose"), block = later("block");

  /* A text that several hands marked: gold is underlined, silver outlined, the chosen detector tints. */
  const GOLD = 0, SILVER = 1;
  const layered = (record, index, detector) => {
    const chosen = index.layers.indexOf(detector);
    const box = make("div", { class: "tr-text tr-layers", dir: "auto", lang: record.lang });
    const marksOf = (part) => (typeof part === "string" ? [] : part[1].filter(([layer]) => layer <= SILVER || layer === chosen));
    const said = ([layer, type, share]) => `${index.layers[layer]}${layer <= SILVER ? `: ${words(type)}` : type === "hallucination" ? "" : `: ${words(type)}`}${share ? ` ${share} %` : ""}`;
    record.text.forEach((part, i) => {
      const marks = marksOf(part), text = typeof part === "string" ? part : part[0];
      if (!marks.length) { box.append(...visible(text)); return; }
      const near = (k) => (record.text[k] === undefined ? [] : marksOf(record.text[k]).map(([layer]) => layer));
      const classes = ["tr-layer"];
      for (const [layer, type] of marks) {
        if (layer > SILVER) { classes.push("by-detector"); continue; }
        classes.push(layer === GOLD ? "by-gold" : "by-silver", `${layer === GOLD ? "gold" : "silver"}-${Math.max(0, index.types.indexOf(type)) % 6}`);
        if (layer === SILVER && !near(i - 1).includes(SILVER)) classes.push("is-start");
        if (layer === SILVER && !near(i + 1).includes(SILVER)) classes.push("is-end");
      }
      box.append(make("mark", { class: classes.join(" "), title: marks.map(said).join(" · ") }, ...visible(text)));
    });
    return box;
  };
  /* The same marks as a list, for whoever cannot see them. */
  const spansOf = (record, index) => {
    const open = new Map(), done = [];
    for (const part of record.text) {
      const now = new Map(typeof part === "string" ? [] : part[1].map((mark) => [mark.join(" "), mark]));
      for (const [key, span] of open) if (!now.has(key)) { done.push(span); open.delete(key); }
      for (const [key, mark] of now) {
        if (open.has(key)) open.get(key).text += part[0]; else open.set(key, { mark, text: part[0] });
      }
    }
    done.push(...open.values());
    const rows = done.sort((a, b) => a.mark[0] - b.mark[0]).map(({ mark: [layer, type, share], text }) => make("li", {},
      make("b", {}, index.layers[layer]), ` ${words(type)}${share ? `, ${share} %` : ""}: `, make("span", { dir: "auto", lang: record.lang }, ...visible(text))));
    return make("details", {}, make("summary", {}, `${rows.length} spans by ${record.hands.length} ${record.hands.length === 1 ? "hand" : "hands"}`), make("ul", { class: "tr-spans" }, ...rows));
  };
  window.truerate.cards.marked = (record, index, board, { judge }) => {
    const detector = judge || index.leader || index.layers[2] || "";
    const named = (key, value) => index.columns[key].values.find(([one]) => one === value)?.[1] || value;
    const hands = record.hands.filter((hand) => hand <= SILVER).map((hand) => make("span", { class: `tr-label label-${index.layers[hand]}` }, index.layers[hand] === "gold" ? "Gold" : "Silver"));
    const facts = [record.language, named("task", record.task), record.by && `by ${record.by}`, ...record.oddities.map((one) => named("oddity", one).toLowerCase())];
    const head = make("header", {}, ...hands, ...facts.filter(Boolean).map((fact) => make("span", {}, ...visible(fact))),
      make("a", { href: `#board=${encodeURIComponent(board)}&id=${record.id}` }, record.id));
    const left = make("div", { class: "tr-left-side" }), right = make("div", { class: "tr-right-side" });
    if (record.question) left.append(make("h2", { dir: "auto", lang: record.lang }, ...visible(record.question)));
    const has = record.hands.includes(index.layers.indexOf(detector));
    left.append(block(has ? `Text, with the marks of ${detector}` : detector && record.task !== "train" ? `Text, not marked by ${detector}` : "Text", layered(record, index, detector)));
    if (record.hands.length) left.append(spansOf(record, index));
    if (record.knowledge) right.append(block("Reference", prose([record.knowledge], [], record.lang)));
    return make("article", { class: "tr-record" }, head, make("div", { class: "tr-sides" }, left, right));
  };
})();
