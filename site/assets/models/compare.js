/* Two models on every board that has both. models/compare.js beside the pages has what boards print of them; the differences of a
   board's models, made when the site was built, are loaded from real/<board>-differences.js when somebody asks. */
(() => {
  const { make } = window.truerate;
  const host = document.querySelector("[data-compare]");
  if (!host) return;
  const asked = new URLSearchParams(location.search);
  const differences = {}, waiting = {};   // by board: what was loaded; what is called when it is

  window.truerateDifferences = (board, found) => {
    found.places = new Map(found.at.map((place, index) => [place, index]));
    found.of = new Map(found.subjects.map((subject, index) => [subject, index]));
    differences[board] = found;
    for (const call of waiting[board] || []) call();
  };
  const load = (board, call) => {
    if (differences[board]) { call(); return; }
    if (waiting[board]) { waiting[board].push(call); return; }
    waiting[board] = [call];
    document.body.append(make("script", { src: `real/${board}-differences.js` }));
  };

  const signed = (tenths) => `${tenths < 0 ? "−" : tenths > 0 ? "+" : ""}${(Math.abs(tenths) / 10).toFixed(1)}`;
  /* Of a pair, first less second, however its places lie in the script. */
  const pair = (board, first, second) => {
    const all = differences[board], i = all.of.get(first), j = all.of.get(second), size = all.subjects.length;
    const at = all.places.get(Math.min(i, j) * size + Math.max(i, j));
    if (at === undefined) return null;
    const ends = [all.low[at], all.high[at]], isTold = ends[0] !== null, turn = i < j ? 1 : -1;
    const [low, high] = turn > 0 ? ends : [-ends[1], -ends[0]];
    return {
      gap: signed(turn * all.gap[at]),
      ends: isTold ? `${signed(low)} to ${signed(high)}` : "–",
      isApart: isTold && (low > 0 || high < 0),
      p: all.p[at] ? (all.p[at] / 1000).toFixed(3) : "< .001",
      how: all.paired[at] ? `paired, ${all.n[at]} units` : all.n.length ? "unpaired, own units" : "unpaired, published",
    };
  };

  const cell = (text, of = {}) => make("td", of, text);
  const value = ([, , setting, text, ends, n, rank], board) => {
    const below = [setting, `${ends} · n ${n}`, rank && `rank ${rank} of ${board.n}`].filter(Boolean);
    return make("td", {}, make("b", {}, text), ...below.map((words) => make("span", { class: "tr-sub" }, words)));
  };
  const line = (name, board, a, b) => {
    const head = make("th", { scope: "row", class: "tr-subject" }, make("a", { class: "tr-name", href: `real/${name}.html` }, board.title),
      make("span", { class: "tr-sub" }, `${board.label} ${board.up ? "↑" : "↓"}, %${board.dated ? ` · ${board.dated}` : ""} · ${board.judged}`));
    const row = make("tr", {}, head, value(a, board), value(b, board));
    load(name, () => {
      const found = pair(name, a[1], b[1]);
      row.append(...(found ? [make("td", {}, make(found.isApart ? "b" : "span", {}, found.gap)), cell(found.ends), cell(found.p), cell(found.how, { class: "tr-left" })]
        : [cell("–"), cell("–"), cell("–"), cell("not told", { class: "tr-left" })]));
      row.dataset.ready = "";
    });
    return row;
  };

  window.truerateModels = ({ boards, models }) => {
    const byAddress = new Map(models.map((model) => [model.address, model]));
    const byName = new Map(models.map((model) => [model.name.toLowerCase(), model]));
    /* By its name as it is written here, or with other separators: `Claude Opus 4.6` is claude-opus-4.6. */
    const meant = (text) => {
      const name = (text || "").trim().toLowerCase();
      return byName.get(name) ?? byAddress.get(name.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, ""));
    };
    const chosen = { a: meant(asked.get("a")), b: meant(asked.get("b")) };
    const common = (a, b) => new Set(a.lines.map((one) => one[0]).filter((name) => b.lines.some((other) => other[0] === name)));

    const pick = (side, label) => {
      const list = make("datalist", { id: `tr-models-${side}` });
      const other = chosen[side === "a" ? "b" : "a"];
      for (const model of models) if (!other || side === "a" || common(model, other).size) list.append(make("option", { value: model.name }, model.maker));
      const input = make("input", { class: "tr-input", list: list.id, value: chosen[side]?.name || "", placeholder: "name of a model" });
      input.addEventListener("change", () => {
        chosen[side] = meant(input.value);
        draw();
      });
      return make("label", {}, label, input, list);
    };
    const tableOf = (a, b) => {
      const heads = [["Board", "tr-subject"], [a.name], [b.name], ["Difference, points"], ["Interval"], ["p"], ["How", "tr-left"]];
      const head = make("tr", {}, ...heads.map(([name, of]) => make("th", { scope: "col", ...(of ? { class: of } : {}) }, name)));
      const body = make("tbody");
      for (const name of common(a, b)) {
        const [ours, theirs] = [a, b].map((model) => model.lines.filter((one) => one[0] === name));
        for (const one of ours) for (const other of theirs) if (a !== b || one[1] < other[1]) body.append(line(name, boards[name], one, other));
      }
      const table = make("table", { class: "tr-table" }, make("thead", {}, head), body);
      return make("div", { class: "tr-scroll is-wide", role: "region", "aria-label": "Two models side by side", tabindex: "0" }, table);
    };
    const draw = () => {
      const { a, b } = chosen, search = new URLSearchParams();
      for (const side of ["a", "b"]) if (chosen[side]) search.set(side, chosen[side].address);
      try { history.replaceState(null, "", `?${search}`); } catch { /* some browsers refuse this for files */ }
      const bar = make("div", { class: "tr-tools tr-filters" }, pick("a", "First"), pick("b", "Second"));
      const links = make("p", { class: "tr-meta" });
      for (const model of new Set([a, b])) if (model) links.append(make("a", { href: `models/real/${model.address}.html` }, model.name));
      const said = !a || !b ? "Choose two models." : common(a, b).size ? "Difference: the first less the second." : "No board has both.";
      host.replaceChildren(bar, links, make("p", { class: "tr-count", role: "status" }, said), ...(a && b && common(a, b).size ? [tableOf(a, b)] : []));
    };
    draw();
  };
})();
