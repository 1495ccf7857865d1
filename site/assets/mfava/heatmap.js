/* The heat map: every estimate of a cell lies in it as numbers; this shows one at a time, sorts the models by a language and walks by keys. */
(() => {
  const { make, state, keep } = window.truerate;
  const NAMES = ["value", "low", "high", "std", "planted", "bandLow", "bandHigh", "n", "missing"];
  const PARTS = ["estimator", "calibration", "replies"];
  const TITLES = { estimator: "Estimate", calibration: "Calibrated on", replies: "Replies" };
  const one = (share) => share.toFixed(1);
  const unpack = (text) => {
    if (!text) return null;
    const found = {};
    text.split(" ").forEach((number, i) => { found[NAMES[i]] = number === "-" ? null : Number(number); });
    return found;
  };

  for (const host of document.querySelectorAll("[data-heatmap]")) {
    const modes = JSON.parse(host.dataset.modes), high = 100 * host.dataset.high;
    const table = host.querySelector("table"), line = host.querySelector("[data-line]"), said = host.querySelector("[data-mode]");
    const cells = [...table.querySelectorAll("td[data-m]")];
    const numbers = new Map(cells.map((cell) => [cell, cell.dataset.m.split(",").map(unpack)]));
    const heads = () => [...table.tHead.rows[0].cells];
    const wanted = modes.findIndex((mode) => PARTS.every((part) => (state.get(part) || "") === mode[part]));
    let now = wanted < 0 ? Number(host.dataset.now) : wanted;

    /* ---- one cell ---- */
    const isUnanswered = (cell, spot) => !isMean(cell) && spot.value === null && !spot.n && modes[now].replies === "all";
    const isRanged = (spot) => spot.low !== null && spot.high !== null;
    const isWide = (spot) => isRanged(spot) && Math.min(spot.high, high) - Math.min(spot.low, high) > Number(host.dataset.wide) * high;
    const isMean = (cell) => cell.cellIndex === 1 || Boolean(cell.closest("tfoot"));
    const fill = (cell) => {
      const spot = numbers.get(cell)[now];
      const isTold = Boolean(spot) && spot.value !== null, mean = isMean(cell);
      const step = isTold ? Math.min(9, Math.floor((10 * spot.value) / high)) : 0, wide = isTold && !mean && isWide(spot);
      cell.className = !spot || (!isTold && mean) ? "tr-none" : !isTold ? "tr-none tr-untold" : mean ? "tr-mean" : wide ? "tr-wide" : `tr-tint tint-${step}`;
      cell.dataset.v = isTold ? Number((spot.value / 100).toFixed(6)) : "";
      for (const key of ["n", "slice", "interval", "planted"]) delete cell.dataset[key];
      if (!spot) { cell.replaceChildren("–"); return; }
      const mode = modes[now], lang = cell.parentElement.cells[0].dataset.lang;
      cell.dataset.n = spot.n;
      cell.dataset.slice = ["lang: " + lang, ...PARTS.filter((part) => mode[part]).map((part) => `${part}: ${mode[part]}`)].join(", ");
      if (isRanged(spot)) cell.dataset.interval = `${one(spot.low)} to ${one(spot.high)}`;
      if (spot.planted !== null) cell.dataset.planted = one(spot.planted);
      const link = make("a", { class: "tr-num", href: link0, title: describe(cell, spot) }, isTold ? one(spot.value) + (spot.missing ? "*" : "") : isUnanswered(cell, spot) ? "no answers" : mean || ["raw", "hr_est", "planted"].includes(mode.estimator) ? "–" : "not identified");
      cell.replaceChildren(link);
      if (isTold && isRanged(spot)) {
        const said = make("span", { class: "tr-range" }, make("span", { class: "tr-hide" }, "interval "), `${one(spot.low)}–${one(spot.high)}`);
        if (wide) said.append(make("span", { class: "tr-hide" }, ", most of the scale"));
        cell.append(said);
      }
      if (spot.planted !== null && !(mean && cell.cellIndex === 1)) {
        cell.append(make("span", { class: "tr-planted" }, make("span", { "aria-hidden": "true" }, "▴ "), make("span", { class: "tr-hide" }, "planted "), one(spot.planted)));
      }
    };
    const link0 = table.querySelector("a.tr-num").getAttribute("href");
    const describe = (cell, spot) => {
      const name = cell.parentElement.cells[0].querySelector(".tr-name").textContent, mode = modes[now];
      const what = cell.cellIndex === 1 ? "mean over models" : heads()[cell.cellIndex].dataset.head;
      const parts = [`${name}, ${what}: ${isUnanswered(cell, spot) ? "no answers" : spot.value === null ? "not identified" : `${one(spot.value)} %`}`];
      if (isRanged(spot)) parts.push(`interval ${one(spot.low)} to ${one(spot.high)}${isWide(spot) ? ", most of the scale" : ""}`);
      if (spot.std) parts.push(`± ${one(spot.std)} over runs`);
      if (spot.bandLow !== null && spot.bandHigh !== null) parts.push(`sensitivity band ${one(spot.bandLow)} to ${one(spot.bandHigh)}`);
      if (spot.planted !== null && mode.estimator !== "planted") parts.push(`planted ${one(spot.planted)}`);
      if (spot.missing) parts.push(`${spot.missing} of ${spot.missing + spot.n} not identified`);
      parts.push(cell.cellIndex === 1 ? `${spot.n} models` : spot.n ? `${spot.n} replies` : "");
      return parts.filter(Boolean).join(" · ");
    };
    const tell = (cell) => {
      const spot = cell && numbers.get(cell)?.[now];
      if (spot) line.textContent = describe(cell, spot);
    };

    /* ---- the switches ---- */
    const choices = {};
    const near = (part, value) => {
      const mode = modes[now];
      const fits = modes.filter((other) => other[part] === value);
      const rest = PARTS.filter((other) => other !== part);
      fits.sort((a, b) => rest.filter((other) => b[other] === mode[other]).length - rest.filter((other) => a[other] === mode[other]).length);
      return modes.indexOf(fits.find((other) => other.replies === mode.replies && (part !== "estimator" || other.calibration === (last.calibration || mode.calibration))) || fits[0]);
    };
    const last = {};
    const show = () => {
      const mode = modes[now];
      if (mode.calibration) last.calibration = mode.calibration;
      for (const cell of cells) fill(cell);
      for (const part of PARTS) {
        for (const button of choices[part]?.children || []) {
          const value = button.dataset.value;
          button.setAttribute("aria-pressed", String(mode[part] === value));
          button.disabled = !modes.some((other) => other[part] === value && (part === "estimator" || other.estimator === mode.estimator));
        }
      }
      said.replaceChildren(make("b", {}, `${mode.title}.`), " ", make("span", {}, mode.note));
      table.dataset.name = ["Heat map", mode.estimator, mode.calibration, mode.replies].filter(Boolean).join(" ");
      const sorted = table.tHead.querySelector("[aria-sort]");
      if (sorted) sortBy(sorted.cellIndex, sorted.getAttribute("aria-sort") === "ascending" ? 1 : -1);
      walk(table.querySelector("tbody a.tr-num"), false);
    };
    const bar = make("div", { class: "tr-tools tr-switches" });
    PARTS.forEach((part, k) => {
      const values = [...new Map(modes.filter((mode) => mode[part]).map((mode) => [mode[part], mode.titles[k]]))];
      if (values.length < 2) return;
      const choice = make("div", { class: "tr-choice", role: "group", "aria-label": TITLES[part] });
      for (const [value, title] of values) {
        const button = make("button", { type: "button", "data-value": value }, title);
        button.addEventListener("click", () => {
          now = near(part, value);
          for (const other of PARTS) keep(other, modes[now][other]);
          show();
        });
        choice.append(button);
      }
      choices[part] = choice;
      bar.append(make("div", { class: "tr-switch" }, make("span", { class: "tr-switch-title", "aria-hidden": "true" }, TITLES[part]), choice));
    });

    /* ---- sorting: languages by a model (table.js does it on a click; again after a switch), models by a language ---- */
    const sortBy = (index, way) => {
      const body = table.tBodies[0], isText = index === 0;
      const key = (row) => row.cells[index].dataset.v;
      const rows = [...body.rows].sort((a, b) => {
        if (key(a) === "" || key(b) === "") return (key(a) === "") - (key(b) === "");
        return way * (isText ? key(a).localeCompare(key(b)) : key(a) - key(b));
      });
      body.append(...rows);
    };
    const sortModels = (row, button) => {
      const way = button.getAttribute("aria-pressed") === "true" && button.dataset.way === "1" ? -1 : 1;
      const order = heads().map((head, i) => i).slice(2).sort((a, b) => {
        const first = row.cells[a].dataset.v, second = row.cells[b].dataset.v;
        return first === "" || second === "" ? (first === "") - (second === "") : way * (first - second);
      });
      for (const each of [table.tHead.rows[0], ...table.tBodies[0].rows, ...table.tFoot.rows]) {
        const moved = [...each.cells];
        each.append(...order.map((i) => moved[i]));
      }
      for (const other of table.querySelectorAll(".tr-rowsort")) { other.setAttribute("aria-pressed", String(other === button)); delete other.dataset.way; }
      button.dataset.way = String(way);
      button.textContent = way > 0 ? "▸" : "◂";
      for (const other of table.querySelectorAll(".tr-rowsort")) if (other !== button) other.textContent = "↔";
    };
    for (const row of [...table.tBodies[0].rows, ...table.tFoot.rows]) {
      const name = row.cells[0].querySelector(".tr-name").textContent;
      const button = make("button", { type: "button", class: "tr-rowsort", "aria-pressed": "false", "aria-label": `Sort the models by ${name}`, title: `Sort the models by ${name}` }, "↔");
      button.addEventListener("click", () => sortModels(row, button));
      row.cells[0].querySelector(".tr-name").after(button);
    }

    /* ---- walking: one stop of the tab key, arrows between the cells ---- */
    const walk = (link, isFocused = true) => {
      if (!link) return;
      for (const other of table.querySelectorAll("a.tr-num")) other.tabIndex = -1;
      link.tabIndex = 0;
      if (isFocused) link.focus();
    };
    const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    table.addEventListener("keydown", (event) => {
      const move = MOVES[event.key], cell = event.target.closest("td");
      if (!move || !cell) return;
      event.preventDefault();
      const rows = [...table.tBodies[0].rows, ...table.tFoot.rows].filter((row) => !row.hidden);
      let r = rows.indexOf(cell.parentElement), c = cell.cellIndex;
      do { r += move[0]; c += move[1]; } while (rows[r]?.cells[c] && !rows[r].cells[c].querySelector("a.tr-num"));
      walk(rows[r]?.cells[c]?.querySelector("a.tr-num"));
    });
    table.addEventListener("focusin", (event) => { const cell = event.target.closest("td"); if (cell) { tell(cell); walk(event.target, false); } });
    table.addEventListener("pointerover", (event) => { const cell = event.target.closest("td[data-m]"); if (cell) tell(cell); });

    host.prepend(bar);
    line.hidden = false;
    line.textContent = "Point at a cell, or walk with the arrow keys; a number opens what stands behind it.";
    show();
  }
})();
