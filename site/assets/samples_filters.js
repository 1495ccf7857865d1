/* What the sample browser shows: its choices, kept in the address, and the records that fit them. */
(() => {
  const { make } = window.truerate;
  const { plain, words } = window.truerate.records;
  const GOOD = "rap", BAD = "wmxb";   // letters of verdicts that agree with the label, and that do not
  const SPLIT = [["split", "Judges differ"], ["wrong", "All judge wrongly"], ["agree", "All judge rightly"]];
  const KEYS = { model: "generator" };   // what links call a filter, and its name here
  const OWN = ["board", "judge", "outcome", "agreement", "q", "id", "layers"];

  /* The choices that an address holds. */
  const read = (boards) => {
    const state = {};
    for (const [key, value] of new URLSearchParams(location.hash.slice(1) || location.search.slice(1))) if (value) state[KEYS[key] || key] = value;
    if (!boards.includes(state.board)) state.board = boards[0];
    return state;
  };
  const write = (state) => {
    try { history.replaceState(null, "", `#${new URLSearchParams(state)}`); } catch { /* some browsers refuse this for files */ }
  };
  /* The letters of the judge that is looked at, or of all the ways in which it was asked; none where it is not here. */
  const lettersOf = (index, judge) => Object.keys(index.judges).filter((name) => name === judge || name.startsWith(`${judge} · `)).map((name) => index.judges[name]);
  /* Choices of the address that this board does not know; they are dropped, and said. */
  const unknown = (state, index) => Object.keys(state).filter((key) => (key === "judge" ? !lettersOf(index, state.judge).length
    : !OWN.includes(key) && !(index.columns[key] && index.columns[key].values.some(([value]) => value === state[key]))));

  /* Per record what the judges together make of it, worked out once. */
  const agreement = (index) => {
    if (index.agreement) return index.agreement;
    const seen = new Uint8Array(index.n);
    for (const letters of Object.values(index.judges)) {
      for (let i = 0; i < index.n; i += 1) if (GOOD.includes(letters[i])) seen[i] |= 1; else if (BAD.includes(letters[i])) seen[i] |= 2;
    }
    index.agreement = seen;
    return seen;
  };
  const keep = (mask, test) => { for (let i = 0; i < mask.length; i += 1) if (mask[i] && !test(i)) mask[i] = 0; };
  /* The numbers of the records that fit; `has` is the mask of the free text, `place` the one record of an address. */
  const fits = (state, index, has, place) => {
    const mask = has ? has.slice() : new Uint8Array(index.n).fill(1);
    for (const [key] of index.filters) {
      if (!state[key]) continue;
      const { values, codes } = index.columns[key], code = values.findIndex(([value]) => value === state[key]);
      keep(mask, (i) => (typeof codes[i] === "number" ? codes[i] === code : codes[i].includes(code)));
    }
    const chosen = lettersOf(index, state.judge || index.leader), letters = index.outcomes.find(([value]) => value === state.outcome)?.[2];
    if (letters) { const judges = chosen.length ? chosen : Object.values(index.judges); keep(mask, (i) => judges.some((one) => letters.includes(one[i]))); }
    else if (state.judge) keep(mask, (i) => chosen.some((one) => one[i] !== "-"));
    const wanted = { split: 3, wrong: 2, agree: 1 }[state.agreement];
    if (wanted) { const seen = agreement(index); keep(mask, (i) => seen[i] === wanted); }
    if (state.id) keep(mask, (i) => i === place);
    const found = [];
    for (let i = 0; i < mask.length; i += 1) if (mask[i]) found.push(i);
    return found;
  };

  const select = (state, [key, title, options], changed) => {
    const box = make("select", { class: "tr-input" });
    for (const [value, text] of options) box.append(make("option", { value }, ...plain(text)));
    box.value = options.some(([value]) => value === state[key]) ? state[key] : "";
    box.addEventListener("change", () => changed(key, box.value));
    return make("label", {}, make("span", {}, title), box);
  };
  /* The controls of a board; `changed(key, value)` hears of every choice. */
  const controls = (state, index, boards, changed) => {
    const text = make("input", { type: "search", class: "tr-input tr-query", value: state.q || "", autocomplete: "off", spellcheck: "false" });
    let timer;
    text.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => changed("q", text.value.trim()), 150); });
    const choices = boards.length > 1 ? [["board", "Board", boards]] : [];
    for (const [key, title, all] of index.filters) {
      const values = index.columns[key].values.filter(([value]) => value);
      if (values.length > 1) choices.push([key, title, [["", all], ...values]]);
    }
    const judges = Object.keys(index.judges);
    if (judges.length) choices.push(["judge", index.judged[0], [["", index.judged[1]], ...judges.map((name) => [name, name])]], ["outcome", "Outcome", [["", "Any outcome"], ...index.outcomes]]);
    if (judges.length > 1) choices.push(["agreement", "Disagreement", [["", "Any"], ...SPLIT]]);
    return [make("label", { class: "tr-search" }, make("span", {}, "Words in the record"), text), ...choices.map((one) => select(state, one, changed))];
  };

  /* Whose marks are shown: those that the address names, else the labels and the judge that is looked at. */
  const layersOf = (state, index) => {
    const all = index.layers || [];
    if (state.layers !== undefined) return state.layers.split("|").filter((name) => all.includes(name));
    if (state.id) return all;   // whoever came for one record sees all of it
    const labels = all.filter((name) => ["gold", "silver", "published"].includes(name));
    const judge = [state.judge, index.leader, all.find((name) => !labels.includes(name))].find((name) => all.includes(name));
    return all.filter((name) => labels.includes(name) || name === judge);
  };
  const NAMES = { gold: "Gold, by people", silver: "Silver, by the writer", published: "As published" };
  /* The legend is what turns layers on and off. */
  const legend = (state, index, changed) => {
    const shown = layersOf(state, index);
    return (index.layers || []).map((name) => {
      const on = shown.includes(name), sample = make("span", { class: `tr-layer ${window.truerate.records.look(name, index)}` }, ...plain(NAMES[name] || words(name)));
      const button = make("button", { type: "button", class: "tr-button tr-toggle", "aria-pressed": String(on) }, sample);
      button.addEventListener("click", () => changed("layers", index.layers.filter((one) => (one === name ? !on : shown.includes(one))).join("|") || "none"));
      return button;
    });
  };
  window.truerate.choices = { read, write, unknown, fits, controls, layersOf, legend };
})();
