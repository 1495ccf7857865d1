/* The rows behind a number: loaded when somebody asks, from a script beside the page, so that it works from disk too. */
(() => {
  const { make, state, keep } = window.truerate;
  const host = document.querySelector("[data-real-rows]");
  if (!host) return;
  const SHOWN = 100;
  let told = null, isAsked = false, page = 0;
  const wanted = { metric: state.get("metric") || "", subject: state.get("subject") || "", slice: state.get("slice") || "", value: state.get("value") || "", q: state.get("q") || "" };

  const pick = (name, label, options, words = (option) => option) => {
    const select = make("select", { class: "tr-input" });
    for (const option of options) select.append(make("option", { value: option }, words(option)));
    select.value = options.includes(wanted[name]) ? wanted[name] : options[0];
    wanted[name] = select.value;
    select.addEventListener("change", () => { wanted[name] = select.value; page = 0; draw(); });
    return make("label", {}, label, select);
  };
  const chosen = () => told.sets.find((one) => one.metric === wanted.metric && one.slice === wanted.slice && one.subject === wanted.subject);

  const lines = (set) => {
    if (!set) return [];
    const places = set.u || told.units.map((_, place) => place);
    return places.map((place, k) => [told.units[place], told.clusters[place], set.v[k]])
      .filter(([unit, cluster, value]) => (wanted.value === "" || String(value) === wanted.value) && `${unit} ${cluster}`.toLowerCase().includes(wanted.q.toLowerCase()));
  };
  const table = (found) => {
    const head = make("tr", {}, ...["Unit", "Cluster", "Value"].map((name) => make("th", { scope: "col", class: name === "Value" ? "" : "tr-left" }, name)));
    const body = make("tbody");
    for (const [unit, cluster, value] of found.slice(page * SHOWN, (page + 1) * SHOWN)) {
      body.append(make("tr", {}, make("td", { class: "tr-left" }, unit), make("td", { class: "tr-left" }, cluster), make("td", {}, value === null ? "does not count" : String(value))));
    }
    return make("div", { class: "tr-scroll", role: "region", "aria-label": "Rows", tabindex: "0" }, make("table", { class: "tr-table" }, make("thead", {}, head), body));
  };
  const turn = (text, to, isOff) => {
    const button = make("button", { type: "button", class: "tr-button", ...(isOff ? { disabled: "" } : {}) }, text);
    button.addEventListener("click", () => { page = to; draw(); });
    return button;
  };
  const draw = () => {
    for (const [name, value] of Object.entries(wanted)) keep(name, name === "metric" && value === told.headline ? "" : value);
    const of = (name, fits) => [...new Set(told.sets.filter(fits).map((one) => one[name]))];
    const bar = make("div", { class: "tr-tools tr-filters" });
    bar.append(pick("metric", "Measure", of("metric", () => true), (name) => told.labels[name] || name));
    bar.append(pick("subject", "Subject", of("subject", (one) => one.metric === wanted.metric)));
    bar.append(pick("slice", "Slice", of("slice", (one) => one.metric === wanted.metric && one.subject === wanted.subject), (name) => name || "everything"));
    const set = chosen(), values = [...new Set(set ? set.v : [])];
    bar.append(pick("value", "Value", ["", ...(values.length <= 12 ? values.map(String) : [])], (name) => name || "any"));
    const query = make("input", { type: "search", class: "tr-input", value: wanted.q });
    query.addEventListener("change", () => { wanted.q = query.value; page = 0; draw(); });
    bar.append(make("label", {}, "Unit or cluster", query));
    const found = lines(set), counted = found.filter(([, , value]) => value !== null);
    const mean = counted.length ? counted.reduce((sum, [, , value]) => sum + value, 0) / counted.length : null;
    const said = `${found.length} rows${mean === null ? "" : `, their mean is ${mean.toFixed(4)}`}`;
    const last = Math.max(0, Math.ceil(found.length / SHOWN) - 1);
    const turns = last ? [make("p", { class: "tr-more" }, turn("Before", page - 1, page === 0), turn("Next", page + 1, page === last), ` ${page + 1} of ${last + 1}`)] : [];
    host.replaceChildren(bar, make("p", { class: "tr-count", role: "status" }, said), table(found), ...turns);
  };
  const ask = () => {
    if (told) { draw(); return; }
    if (isAsked) return;
    isAsked = true;
    window.truerateRows = (found) => {
      told = found;
      const metrics = told.sets.map((one) => one.metric);
      if (!metrics.includes(wanted.metric)) wanted.metric = metrics.includes(told.headline) ? told.headline : metrics[0];
      if (metrics.length) draw(); else host.replaceChildren(make("p", { class: "tr-note" }, "This board has no rows."));
    };
    document.body.append(make("script", { src: `${host.dataset.realRows}-rows.js` }));
  };
  const show = make("button", { type: "button", class: "tr-button" }, "Show the rows here");
  show.addEventListener("click", ask);
  host.replaceChildren(show);

  /* A link to rows may lie on this page: its address says which. */
  window.addEventListener("hashchange", () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("subject")) return;
    for (const name of Object.keys(wanted)) wanted[name] = asked.get(name) || "";
    wanted.metric ||= told ? told.headline : "";
    page = 0;
    ask();
    document.getElementById("rows").scrollIntoView();
  });
  const isWanted = wanted.subject || location.hash === "#rows";
  if (isWanted) { ask(); document.getElementById("rows").scrollIntoView(); }
})();
