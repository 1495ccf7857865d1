/* Texts of the sample browser as nodes. Text enters by textContent alone: nothing in it is obeyed. */
(() => {
  const { make } = window.truerate;
  const HIDDEN = /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff])/u;
  const LONG = 20000;   // characters shown at first
  const STYLES = 6;
  const now = { pattern: null };   // what is searched for

  const chip = (letter) => make("span", { class: "tr-chip", title: "invisible character" }, `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  /* Control and direction characters are shown, not obeyed. */
  const plain = (text) => text.split(HIDDEN).filter(Boolean).map((part) => (HIDDEN.test(part) ? chip(part) : document.createTextNode(part)));
  const visible = (text) => (now.pattern ? text.split(now.pattern).flatMap((part, i) => (i % 2 ? [make("b", { class: "tr-hit" }, ...plain(part))] : plain(part))) : plain(text));
  const words = (value) => (value || "").replaceAll("_", " ");
  const block = (title, node) => make("div", { class: "tr-block" }, make("p", { class: "tr-block-title" }, title), node);
  const textOf = (part) => (typeof part === "string" ? part : part[0]);

  /* The first characters of a text, and the rest on demand: a text of a megabyte must not hold up the page. */
  const cut = (parts) => {
    const kept = [];
    let left = LONG;
    for (const part of parts) {
      if (left <= 0) break;
      const text = textOf(part).slice(0, left);
      kept.push(typeof part === "string" ? text : [text, part[1]]);
      left -= text.length;
    }
    return kept;
  };
  const shown = (box, parts, node) => {
    const length = parts.reduce((sum, part) => sum + textOf(part).length, 0);
    box.append(...(length > LONG ? cut(parts) : parts).flatMap(node));
    if (length <= LONG) return box;
    const whole = make("button", { type: "button", class: "tr-button" }, `Show all ${length.toLocaleString("en")} characters`);
    whole.addEventListener("click", () => box.replaceChildren(...parts.flatMap(node)));
    box.append(" … ", whole);
    return box;
  };
  const prose = (parts, lang) => shown(make("div", { class: "tr-text", dir: "auto", lang: lang || "" }), parts, visible);

  /* One text, every shown layer a line of its own below it: marks lie in one another, each with its line lower. */
  const overlay = (record, index, layers) => {
    const names = record.layers || index.layers;
    const slots = layers.filter((name) => names.includes(name));
    const box = make("div", { class: "tr-text tr-layers", dir: "auto", lang: record.lang || "" });
    box.style.setProperty("--n", String(slots.length));
    const said = ([layer, type, share]) => `${names[layer]}: ${words(type)}${share ? `, ${share} %` : ""}`;
    return shown(box, record.text, (part) => {
      if (typeof part === "string") return visible(part);
      const marks = part[1].filter(([layer]) => slots.includes(names[layer]));
      const over = [...new Set(marks.map(([layer]) => names[layer]))].sort((a, b) => slots.indexOf(a) - slots.indexOf(b));
      if (!over.length) return visible(part[0]);
      const title = marks.map(said).join(" · ");
      return [over.reduceRight((inner, name, depth) => {
        const mark = make("mark", { class: `tr-layer ${look(name, index)}`, ...(depth ? {} : { title }) }, ...inner);
        mark.style.setProperty("--slot", String(slots.indexOf(name)));
        return [mark];
      }, visible(part[0]))[0]];
    });
  };
  const look = (name, index) => { const i = Math.max(0, index.layers.indexOf(name)); return `layer-${i % STYLES} line-${i % 5}`; };

  /* The same marks as a list, for whoever cannot see them. */
  const spanList = (record, index) => {
    const names = record.layers || index.layers, open = new Map(), rows = [];
    for (const part of [...record.text, ""]) {
      const marks = new Map(typeof part === "string" ? [] : part[1].map((mark) => [mark.join(" "), mark]));
      for (const [key, span] of open) if (!marks.has(key)) { rows.push(span); open.delete(key); }
      for (const [key, mark] of marks) if (open.has(key)) open.get(key).text += part[0]; else open.set(key, { mark, text: part[0] });
    }
    const hands = new Set(rows.map(({ mark }) => mark[0])).size;
    const line = ({ mark: [layer, type, share], text }) => make("li", {}, make("b", {}, ...visible(names[layer])), ` ${words(type)}${share ? `, ${share} %` : ""}: `,
      make("span", { dir: "auto", lang: record.lang || "" }, ...visible(text.slice(0, LONG))));
    const list = make("ul", { class: "tr-spans" }, ...rows.sort((a, b) => a.mark[0] - b.mark[0]).map(line));
    return make("details", {}, make("summary", {}, `${rows.length} ${rows.length === 1 ? "span" : "spans"} by ${hands} ${hands === 1 ? "hand" : "hands"}`), list);
  };
  const named = (index, key, value) => index.columns[key]?.values.find(([one]) => one === value)?.[1] || value;
  const permalink = (record, board) => make("a", { href: `#${new URLSearchParams({ board, id: record.id })}`, title: "The address of this record alone" }, ...plain(record.id));
  window.truerate.records = { now, plain, visible, words, prose, block, overlay, look, spanList, named, permalink };
})();
