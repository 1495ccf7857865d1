/* What a table shows, for other programs: its visible rows and columns, read once, as CSV, JSON or Markdown. */
(() => {
  const { make } = window.truerate;
  const headsOf = (table) => [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const isShown = (node) => getComputedStyle(node).display !== "none";

  /* ---- one cell ---- */
  const ASIDE = ".tr-hide, .tr-moved, .tr-spread, .tr-planted, .tr-sub, .tr-range, .tr-cell-range, [aria-hidden]";
  const text = (node, but) => {
    const copy = node.cloneNode(true);
    for (const one of copy.querySelectorAll(but)) one.remove();
    return copy.textContent.replace(/[\u2191\u2193]/g, "").replace(/\s+/g, " ").trim();
  };
  const shownOf = (cell) => cell.dataset.csv ?? text(cell.querySelector(".tr-name") || cell, ASIDE);
  /* A number as programs read it: its minus a hyphen, no plus, no blanks between thousands; the mark behind it stands apart. */
  const NUMBERED = /^(?:\+ ?|([-\u2212]))?(\d{1,3}(?:[\s,]\d{3})+|\d+(?:\.\d+)?)(?: ?([*\u2731]))?$/;
  const plain = (shown) => (shown === "\u2013" ? "" : shown.replace(NUMBERED, (_, minus, digits) => (minus ? "-" : "") + digits.replace(/[\s,]/g, "")));
  const markOf = (shown) => NUMBERED.exec(shown)?.[3] || "";
  const NUMBER = /^-?\d+(\.\d+)?$/;
  const number = (shown) => (NUMBER.test(shown) ? Number(shown) : shown || null);
  const endsOf = (cell) => {
    const range = cell.querySelector(".tr-range, .tr-cell-range");
    const ends = (cell.dataset.interval || (range ? text(range, ".tr-hide") : "")).split(/ to |\u2013/);
    return ends.length === 2 && ends.every((end) => /^\s*[\u2212-]?[\d.]+\D*$/.test(end)) ? ends.map((end) => plain(end.trim())) : ["", ""];
  };
  const ranksOf = (shown) => (/^\d+(\u2013\d+)?$/.test(shown) ? [shown.split("\u2013")[0], shown.split("\u2013").at(-1)] : ["", ""]);
  const spreadOf = (cell) => {
    const spread = cell.querySelector(".tr-spread");
    return spread ? text(spread, "svg").replace(/^\u00b1 ?/, "") : "";
  };

  /* ---- the columns: words, or a value with its rank, interval and n, where these stand in columns of their own, too ---- */
  const nameOf = (head) => head.dataset.head || text(head, ".tr-hide, .tr-unit, [aria-hidden]");
  const unitOf = (head) => head.dataset.unit || text(head.querySelector(".tr-unit") || make("i"), ".tr-hide, [aria-hidden]");
  const columnsOf = (table) => {
    const heads = headsOf(table), columns = [];
    let rank = null;
    heads.forEach((head, place) => {
      const how = head.dataset.csv || (head.classList.contains("tr-rank") ? "rank" : "");
      if (how === "none" || !isShown(head)) return;
      if (how === "rank") { rank = place; return; }
      if (how === "ends" || how === "n") { columns.at(-1)[how] = place; return; }
      const [of, inName] = nameOf(head).split(/, (?=%$|points$)/), [, measure, inUnit] = /^(.*?) ?(%|points)?$/.exec(unitOf(head));
      const unit = inUnit || inName || "";
      columns.push({ place, rank, isText: how === "word" || head.dataset.kind === "text", name: measure ? `${of}: ${measure}` : of, unit: unit === "%" ? "percent" : unit });
      rank = null;
    });
    return columns;
  };

  /* A line per value, behind the words of its row; a column that no line fills is left out. */
  const PARTS = ["value", "low", "high", "n", "rank_low", "rank_high", "unit", "planted", "spread", "mark"];
  const ALWAYS = 7;
  const valueOf = (row, column) => {
    const cell = row.cells[column.place], at = (place) => (place === undefined || place === null ? "" : shownOf(row.cells[place]));
    const ends = endsOf(column.ends === undefined ? cell : row.cells[column.ends]);
    const ranks = ranksOf(at(column.rank) || cell.dataset.rank || "");
    const n = column.n === undefined ? cell.dataset.n || "" : plain(at(column.n));
    return [plain(shownOf(cell)), ...ends, n, ...ranks, column.unit, cell.dataset.planted || "", spreadOf(cell), markOf(shownOf(cell))];
  };
  const rowsOf = (table) => [...table.tBodies[0].rows].filter((row) => !row.hidden);
  const linesOf = (table) => {
    const columns = columnsOf(table), words = columns.filter((column) => column.isText), values = columns.filter((column) => !column.isText);
    const rows = rowsOf(table), hasKinds = rows.some((row) => row.dataset.kind);
    const lines = rows.flatMap((row) => {
      const start = [...words.map((column) => plain(shownOf(row.cells[column.place]))), ...(hasKinds ? [row.dataset.kind] : [])];
      return values.length ? values.map((column) => [...start, column.name, ...valueOf(row, column)]) : [start];
    });
    const names = [...words.map((column) => column.name), ...(hasKinds ? ["kind"] : []), ...(values.length ? ["column", ...PARTS] : [])];
    const from = names.length - PARTS.length + ALWAYS;
    const kept = names.map((_, i) => !values.length || i < from || lines.some((line) => line[i]));
    return { names: names.filter((_, i) => kept[i]), lines: lines.map((line) => line.filter((_, i) => kept[i])), nWords: words.length + hasKinds };
  };

  const csvCell = (shown) => {
    const safe = /^[=+\-@\t\r]/.test(shown) && !NUMBER.test(shown) ? `'${shown}` : shown;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (table) => {
    const { names, lines } = linesOf(table);
    return [names, ...lines].map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
  };
  const json = (table) => {
    const { names, lines, nWords } = linesOf(table);
    const rows = lines.map((line) => Object.fromEntries(names.map((name, i) => [name, i > nWords ? number(line[i]) : line[i]])));
    return `${JSON.stringify({ table: table.dataset.name, board: table.dataset.board || null, rows }, null, 1)}\n`;
  };
  const inert = (shown) => shown.replace(/[\\`*_[\]<>|~&]/g, "\\$&");
  const markdown = (table) => {
    const columns = columnsOf(table);
    const shown = headsOf(table).map((head, place) => ({ head, place })).filter(({ head }) => head.dataset.csv !== "none" && isShown(head));
    const isLeft = ({ head }) => head.dataset.kind === "text";
    const cellOf = (row, place) => {
      const cell = row.cells[place], column = columns.find((one) => one.place === place);
      const [low, high] = column && !column.isText && column.ends === undefined ? endsOf(cell) : ["", ""];
      const rank = column && column.rank === null && cell.dataset.rank ? `, rank ${cell.dataset.rank}` : "";
      return inert(`${shownOf(cell)}${low ? ` (${low} to ${high})` : ""}${rank}`);
    };
    const headOf = ({ head }) => inert([nameOf(head), unitOf(head)].filter(Boolean).join(" "));
    const lines = [shown.map(headOf), shown.map((one) => (isLeft(one) ? "---" : "---:")), ...rowsOf(table).map((row) => shown.map(({ place }) => cellOf(row, place)))];
    return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
  };

  /* ---- away with it ---- */
  const save = (name, type, content) => {
    const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
    document.body.append(link);
    link.click();
    link.remove();
  };
  const copy = async (content) => {
    try { await navigator.clipboard.writeText(content); return true; } catch { /* no clipboard without leave: the older way */ }
    const area = make("textarea", { "aria-hidden": "true", class: "tr-hide" });
    area.value = content;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  };
  const fileOf = (table) => table.dataset.name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  /* The buttons that take away the table which `pick` returns, as a group of this name. */
  const group = (name, pick) => {
    const said = make("span", { class: "tr-done", role: "status" });
    const button = (name, does) => {
      const node = make("button", { type: "button", class: "tr-button" }, name);
      node.addEventListener("click", () => does(pick()));
      return node;
    };
    return make("div", { class: "tr-take", role: "group", "aria-label": `Take along: ${name}` },
      button("CSV", (table) => save(`${fileOf(table)}.csv`, "text/csv", `\ufeff${csv(table)}`)),
      button("JSON", (table) => save(`${fileOf(table)}.json`, "application/json", json(table))),
      button("Copy as Markdown", async (table) => { said.textContent = (await copy(markdown(table))) ? "Copied" : "Not copied: the browser refuses"; }),
      said,
    );
  };
  window.truerate.take = { csv, json, markdown, copy, group };

  /* Addresses of what is embedded begin at the site's own, where the site knows it. */
  const canonical = document.querySelector("link[rel=canonical]")?.href;
  for (const block of document.querySelectorAll("[id^=embed-][data-copy]")) {
    if (canonical) block.textContent = block.textContent.replace(/(href|src)="(?=real\/)/g, `$1="${new URL("..", canonical)}`);
  }
  for (const block of document.querySelectorAll("[data-copy]")) {
    const said = make("span", { class: "tr-done", role: "status" });
    const button = make("button", { type: "button", class: "tr-button" }, block.dataset.copy);
    button.addEventListener("click", async () => { said.textContent = (await copy(block.textContent)) ? "Copied" : "Not copied: the browser refuses"; });
    block.after(make("p", { class: "tr-take" }, button, said));
  }
})();
