// The labelling page: one text at a time, its questions and marked spans. Offsets are code points, half-open.
// All text of tasks becomes text nodes and attributes' values alone, never markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const taskOf = new Map(data.tasks.map((task, index) => [task.task_id, index]));
  let annotator = null, state = null, current = 0, active = 0, rated = 0, undone = [];
  let isUnsaved = false; // labels that no export holds

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }
  const say = (text) => { at("status").textContent = text; };

  // ---- code points -----------------------------------------------------------------------------------------
  const points = (text) => Array.from(text);
  const part = (text, start, end) => points(text).slice(start, end).join("");
  const pointsBefore = (text, units) => points(text.slice(0, units)).length;
  const unitsBefore = (text, offset) => part(text, 0, offset).length;

  // ---- what is stored ---------------------------------------------------------------------------------------
  const place = () => `truerate-labels:${data.key}:${annotator}`;
  const empty = () => ({ values: {}, spans: [], isDone: false });
  const labelOf = (task) => state.labels[task.task_id] || empty();
  const kindOf = (task) => data.kinds[task.kind];
  const textOf = (task) => task.fields[kindOf(task).text.field];
  const questionsOf = (task) => kindOf(task).questions.filter((one) => !one.when || task.holds.includes(one.when));

  function choicesOf(task, question) {
    if (!question.up_to) return question.choices.filter((one) => !one.when || task.holds.includes(one.when));
    const n = (task.fields[question.up_to] || []).length;
    return Array.from({ length: n + 1 }, (_, value) => ({ value, says: String(value) }));
  }
  const ratingOf = (task) => {
    const { spans } = kindOf(task);
    return spans && spans.rating && task.holds.includes(spans.rating.when) ? spans.rating : null;
  };
  const unrated = (task, label) => (ratingOf(task) ? label.spans.filter((span) => !("rating" in span)) : []);
  const missing = (task, label) => [...questionsOf(task).filter((one) => !(one.field in label.values)),
    ...unrated(task, label).map((span) => ({ asks: `${part(textOf(task), span.start, span.end)}: ${ratingOf(task).asks}` }))];
  const isLabelled = (task) => {
    const label = labelOf(task);
    return !missing(task, label).length && (label.isDone || questionsOf(task).length > 0);
  };
  const isBegun = (task) => labelOf(task).spans.length > 0 || Object.keys(labelOf(task).values).length > 0;

  function store() {
    try {
      localStorage.setItem(place(), JSON.stringify({ labels: state.labels, current, isUnsaved }));
    } catch {
      say("This browser keeps nothing for this page: export your labels before you close it.");
    }
  }

  function change(task, edit) {
    undone.push({ index: current, before: JSON.stringify(labelOf(task)) });
    const label = JSON.parse(JSON.stringify(labelOf(task)));
    edit(label);
    state.labels[task.task_id] = label;
    isUnsaved = true;
    store();
    refresh();
  }

  function undo() {
    const last = undone.pop();
    if (!last) return say("Nothing to undo.");
    state.labels[data.tasks[last.index].task_id] = JSON.parse(last.before);
    isUnsaved = true;
    show(last.index);
    say("Undone.");
  }

  // ---- answers and spans ------------------------------------------------------------------------------------
  function answer(question, value) {
    const task = data.tasks[current], { spans } = kindOf(task);
    let n = 0;
    change(task, (label) => {
      label.values[question.field] = value;
      if (spans && question.field in spans.when && spans.when[question.field] !== value) {
        n = label.spans.length;
        label.spans = [];
      }
    });
    const asked = questionsOf(task), open = missing(task, labelOf(task))[0];
    active = open ? asked.indexOf(open) : asked.indexOf(question);
    refresh();
    say(n ? `The marked spans (${n}) are removed: they do not go with this answer. Press u to undo.` : "");
  }

  function selected() {
    const root = at("marked"), selection = getSelection();
    if (!root || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0), whole = document.createRange();
    whole.selectNodeContents(root);
    if (!range.intersectsNode(root)) return null;
    // what is selected beyond the text does not count
    const inside = range.cloneRange();
    if (range.compareBoundaryPoints(Range.START_TO_START, whole) < 0) inside.setStart(root, 0);
    if (range.compareBoundaryPoints(Range.END_TO_END, whole) > 0) inside.setEnd(root, root.childNodes.length);
    const before = document.createRange();
    before.setStart(root, 0);
    before.setEnd(inside.startContainer, inside.startOffset);
    const text = textOf(data.tasks[current]), first = before.toString().length;
    let start = pointsBefore(text, first), end = pointsBefore(text, first + inside.toString().length);
    // blank space at the ends is none of the words that are meant
    const letters = points(text);
    while (start < end && !letters[start].trim()) start += 1;
    while (start < end && !letters[end - 1].trim()) end -= 1;
    return start < end ? { start, end } : null;
  }

  function mark(number) {
    const task = data.tasks[current], { spans } = kindOf(task), bounds = selected();
    if (!bounds) return say("Select a part of the text first: with the mouse, or press t and then . and Shift+→.");
    const isApart = (span) => span.end <= bounds.start || bounds.end <= span.start;
    const n = labelOf(task).spans.filter((span) => !isApart(span)).length;
    change(task, (label) => {
      label.spans = [...label.spans.filter(isApart), { ...bounds, type: number }].sort((a, b) => a.start - b.start);
      Object.assign(label.values, spans.when);
    });
    rated = labelOf(task).spans.findIndex((span) => span.start === bounds.start);
    refresh();
    getSelection().removeAllRanges();
    say(n ? `Marked; ${n === 1 ? "the span" : `${n} spans`} below it gave way.` : "Marked.");
  }

  // A rating of the span that is marked with ▸; the next span without one follows.
  function rate(value) {
    const task = data.tasks[current], { spans } = labelOf(task);
    if (!spans[rated]) return say("Mark a part of the text first.");
    change(task, (label) => { label.spans[rated].rating = value; });
    turnToUnrated();
    refresh();
    const n = unrated(task, labelOf(task)).length;
    say(n ? `Rated; not rated yet: ${n}.` : "Rated.");
  }

  function turnToUnrated() {
    const task = data.tasks[current], label = labelOf(task), [open] = unrated(task, label);
    if (open) rated = label.spans.indexOf(open);
  }

  // The parts of the text for the keyboard: `.` and `,` go to the next and the last word or symbol (an emoji, a currency),
  // Shift+arrows lengthen by a part of any kind, so that a full stop or a bracket can be marked, too.
  function step(by, isLonger) {
    const task = data.tasks[current], text = textOf(task), marked = at("marked");
    const words = [...new Intl.Segmenter(task.lang || undefined, { granularity: "word" }).segment(text)]
      .filter((word) => word.segment.trim())
      .map((word) => [pointsBefore(text, word.index), pointsBefore(text, word.index + word.segment.length),
        word.isWordLike || /\p{S}/u.test(word.segment)]);
    const stops = words.flatMap(([, , isStop], index) => (isStop ? [index] : []));
    if (!stops.length) return;
    const bounds = selected();
    let first = bounds ? words.findIndex(([, end]) => end > bounds.start) : words.length;
    let last = bounds ? words.findLastIndex(([start]) => start < bounds.end) : -1;
    if (bounds && isLonger) last = Math.min(Math.max(last + by, first), words.length - 1);
    else first = last = by > 0 ? stops.find((index) => index > last) ?? stops.at(-1)
      : stops.findLast((index) => index < first) ?? stops[0];
    const range = document.createRange();
    range.setStart(...nodeAt(marked, unitsBefore(text, words[first][0])));
    range.setEnd(...nodeAt(marked, unitsBefore(text, words[last][1])));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    say(`Selected: ${range.toString()}`);
  }

  function nodeAt(root, units) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode(), rest = units;
    for (; node && rest > node.length; node = walker.nextNode()) rest -= node.length;
    return [node, rest];
  }

  // ---- one task on the page ---------------------------------------------------------------------------------
  function paragraph(value, lang) {
    if (!Array.isArray(value)) return make("div", { class: "text", dir: "auto", lang, tabindex: 0 }, String(value));
    return make("div", { class: "text", tabindex: 0 }, make("ol", {}, ...value.map((one) => make("li", { dir: "auto", lang }, String(one)))));
  }

  function show(index) {
    current = Math.min(Math.max(index, 0), data.tasks.length - 1);
    const task = data.tasks[current], kind = kindOf(task), open = missing(task, labelOf(task))[0];
    active = open ? questionsOf(task).indexOf(open) : 0;
    rated = 0;
    turnToUnrated();
    at("title").textContent = `${kind.name}: ${current + 1} of ${data.tasks.length}`;
    const fields = kind.shows.filter((one) => one.field in task.fields);
    at("beside").replaceChildren(
      ...fields.flatMap((one) => [make("h3", {}, one.name), paragraph(task.fields[one.field], task.lang)]));
    at("beside").hidden = !fields.length;
    const questions = questionsOf(task).map((one, number) => asked(task, one, number));
    at("judged").replaceChildren(
      make("h3", {}, kind.text.name),
      make("p", { id: "marked", dir: "auto", lang: task.lang, tabindex: 0, "aria-label": kind.text.name }),
      ...(kind.spans && Object.keys(kind.spans.when).length ? [...questions, marker(kind.spans)]
        : [...(kind.spans ? [marker(kind.spans)] : []), ...questions]));
    at("instructions").replaceChildren(...kind.instructions.map((one) => make("p", {}, one)), keys(kind));
    at("back").disabled = current === 0;
    store();
    refresh();
    at("title").focus();
    scrollTo(0, 0);
  }

  function asked(task, question, number) {
    const choices = choicesOf(task, question).map((choice, index) => {
      const digit = question.up_to ? index : index + 1;
      const key = digit <= 9 ? [make("kbd", {}, String(digit))] : [];
      return make("button", { type: "button", "data-choice": JSON.stringify(choice.value), "aria-pressed": "false",
        onclick: () => answer(question, choice.value) }, ...key, choice.says);
    });
    return make("fieldset", { "data-question": number, onfocusin: () => { active = number; refresh(); } },
      make("legend", {}, question.asks), make("div", { class: "choices" }, ...choices));
  }

  function marker(spans) {
    const types = spans.types.map((type, number) =>
      make("button", { type: "button", class: `type t${number % 6}`, title: type.says, "data-type": number,
        onmousedown: (event) => event.preventDefault(), onclick: () => mark(number) },
        make("kbd", {}, type.key), type.name || type.says));
    return make("fieldset", { class: "marker" }, make("legend", {}, spans.asks),
      make("div", { class: "choices" }, ...types), make("ul", { class: "spans", "aria-label": "marked spans" }), ...ratings());
  }

  // The answers to what is asked of the span that is marked with ▸.
  function ratings() {
    const rating = ratingOf(data.tasks[current]);
    return rating ? [make("p", { id: "rated" }), make("div", { class: "choices", role: "group", "aria-label": rating.asks },
      ...rating.choices.map((choice, index) => make("button", { type: "button", "data-rating": JSON.stringify(choice.value), "aria-pressed": "false",
        onclick: () => rate(choice.value) }, make("kbd", {}, String(index + 1)), choice.says)))] : [];
  }

  function keys(kind) {
    const rows = [...(kind.questions.length ? [["1, 2, …", "answers the question that is marked with ▸"]] : []),
      ["Enter", "saves the label and goes to the next text"], ["→ and ←", "the next and the last text, without a label"],
      ["n", "the next text without a label"], ["u", "undoes the last change"]];
    if (kind.spans && kind.spans.rating) rows.push(["1, 2, …", "rates the marked span with ▸, where it is asked for; a click on its type turns to a span"]);
    for (const type of kind.spans ? kind.spans.types : [])
      rows.push([type.key, `marks the selected part: ${type.name ? `${type.name}, ${type.says}` : type.says}`]);
    if (kind.spans) rows.push(["t, then . and ,", "to the text; selects the next and the last word or symbol"],
      ["Shift+→, Shift+←", "makes what is selected longer and shorter by a word or a mark (the other way round from right to left)"]);
    return make("dl", {}, ...rows.flatMap(([key, does]) => [make("dt", {}, key), make("dd", {}, does)]));
  }

  function refresh() {
    const task = data.tasks[current], label = labelOf(task), { spans } = kindOf(task);
    const text = textOf(task), letters = points(text), pieces = [];
    const rating = ratingOf(task);
    let end = 0;
    rated = Math.min(rated, Math.max(label.spans.length - 1, 0));
    for (const [index, span] of label.spans.entries()) {
      const type = spans.types[span.type];
      pieces.push(letters.slice(end, span.start).join(""), make("mark", { class: `t${span.type % 6}${rating && index === rated ? " rated" : ""}`,
        "data-type": type.name || "" }, letters.slice(span.start, span.end).join("")));
      end = span.end;
    }
    at("marked").replaceChildren(...pieces, letters.slice(end).join(""));
    const list = document.querySelector(".spans");
    if (list) list.replaceChildren(...label.spans.map((span, index) => {
      const name = spans.types[span.type].name || "marked", quoted = part(text, span.start, span.end);
      return make("li", {}, make("button", { type: "button", "aria-label": `remove ${name}: ${quoted}`,
        onclick: () => { change(task, (edited) => edited.spans.splice(index, 1)); say("Removed."); at("marked").focus(); } }, "×"),
      rating ? make("button", { type: "button", class: "name", "data-turn": index, "aria-current": index === rated ? "true" : null,
        onclick: () => { rated = index; refresh(); } }, `${index === rated ? "▸ " : ""}${name}`) : make("span", { class: "name" }, name),
      make("bdi", { lang: task.lang }, quoted),
      ...(rating && "rating" in span ? [make("span", {}, rating.choices.find((one) => one.value === span.rating).says)] : []));
    }));
    if (rating) {
      const span = label.spans[rated];
      at("rated").textContent = span ? `▸ ${rating.asks}` : "Each part that you mark is rated.";
      for (const button of document.querySelectorAll("[data-rating]")) {
        button.disabled = !span;
        button.setAttribute("aria-pressed", String(Boolean(span) && button.dataset.rating === JSON.stringify(span.rating)));
      }
    }
    questionsOf(task).forEach((question, number) => {
      const box = document.querySelector(`[data-question="${number}"]`);
      box.classList.toggle("active", number === active);
      for (const button of box.querySelectorAll("button"))
        button.setAttribute("aria-pressed", String(button.dataset.choice === JSON.stringify(label.values[question.field])));
    });
    const n = data.tasks.filter(isLabelled).length;
    at("count").textContent = `${n} of ${data.tasks.length} labelled${n && !isUnsaved ? ", all exported" : ""}`;
    at("progress").max = data.tasks.length;
    at("progress").value = n;
  }

  // ---- going on ---------------------------------------------------------------------------------------------
  function save() {
    const task = data.tasks[current], open = missing(task, labelOf(task));
    if (open.length) return say(`Not answered yet: ${open.map((one) => one.asks).join(" · ")}`);
    at("how").open = false;
    if (!labelOf(task).isDone) change(task, (label) => { label.isDone = true; });
    if (current + 1 === data.tasks.length || data.tasks.every(isLabelled)) next();
    else show(current + 1);
  }

  function next() {
    const n = data.tasks.length;
    for (let by = 1; by <= n; by += 1)
      if (!isLabelled(data.tasks[(current + by) % n])) return show((current + by) % n);
    show(current + 1);
    say("All texts are labelled. Export the labels and send the file back.");
  }

  // ---- files ------------------------------------------------------------------------------------------------
  function put(row, field, value) {
    const [first, inner] = field.split(".");
    if (inner) row[first] = { ...row[first], [inner]: value };
    else row[first] = value;
  }
  const take = (row, field) => field.split(".").reduce((value, name) => (value === null || value === undefined ? value : value[name]), row);

  function rowOf(task) {
    const label = labelOf(task), { spans } = kindOf(task), text = textOf(task);
    const row = { task_id: task.task_id, annotator, ...task.carried };
    for (const question of questionsOf(task)) {
      put(row, question.field, label.values[question.field]);
      if (question.total) put(row, question.total, (task.fields[question.up_to] || []).length);
    }
    if (spans) row.spans = label.spans.map(({ start, end, type, rating }) => {
      const { name } = spans.types[type];
      return { start, end, ...(name ? { type: name } : {}), text: part(text, start, end),
        ...(rating === undefined ? {} : { [spans.rating.field]: rating }) };
    });
    return row;
  }

  function exportFile() {
    const rows = data.tasks.filter(isLabelled), n = data.tasks.filter((task) => isBegun(task) && !isLabelled(task)).length;
    const lines = rows.map((task) => `${JSON.stringify(rowOf(task))}\n`);
    const url = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    const name = `labels-${data.name}-${annotator}.jsonl`.replace(/[^\p{L}\p{N}._-]+/gu, "_");
    make("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    isUnsaved = false;
    store();
    refresh();
    say(`${rows.length} labels exported to ${name}.${n ? ` ${n} begun and not finished are not in it.` : ""}`);
  }

  function labelFrom(task, row) {
    const label = empty(), { spans } = kindOf(task), n = points(textOf(task)).length;
    for (const question of questionsOf(task)) {
      const value = take(row, question.field);
      if (!choicesOf(task, question).some((choice) => choice.value === value)) return null;
      label.values[question.field] = value;
    }
    for (const span of spans && Array.isArray(row.spans) ? row.spans : []) {
      const type = spans.types.findIndex((one) => (one.name || undefined) === span.type);
      if (type < 0 || !(0 <= span.start && span.start < span.end && span.end <= n)) return null;
      const rating = ratingOf(task), value = rating ? span[rating.field] : undefined; // none in files of whole texts' ratings
      if (value !== undefined && !rating.choices.some((choice) => choice.value === value)) return null;
      label.spans.push({ start: span.start, end: span.end, type, ...(value === undefined ? {} : { rating: value }) });
    }
    label.spans.sort((a, b) => a.start - b.start);
    const isApart = label.spans.every((span, index) => !index || label.spans[index - 1].end <= span.start);
    label.isDone = true;
    return isApart ? label : null;
  }

  function importFile(text) {
    let n = 0, others = 0, unread = 0;
    for (const line of text.split("\n").filter((one) => one.trim())) {
      let row = null;
      try { row = JSON.parse(line); } catch { /* counted below */ }
      const index = row && typeof row === "object" ? taskOf.get(row.task_id) : undefined;
      const isOthers = index !== undefined && row.annotator !== annotator;
      const label = index === undefined || isOthers ? null : labelFrom(data.tasks[index], row);
      if (label) state.labels[row.task_id] = label;
      [n, others, unread] = [n + Boolean(label), others + isOthers, unread + !(label || isOthers)];
    }
    undone = [];
    if (n) isUnsaved = true;
    show(current);
    say(`${n} labels taken over` + (others ? `; ${others} of other annotators left out` : "")
      + (unread ? `; ${unread} lines are no labels of these texts` : "") + ".");
  }

  // ---- keys -------------------------------------------------------------------------------------------------
  // A letter by its place on the keyboard where the layout gives another script.
  function keyOf(event) {
    if (event.key.length > 1 || /^[\x20-\x7e]$/.test(event.key)) return event.key.length > 1 ? event.key : event.key.toLowerCase();
    const code = /^(?:Key|Digit|Numpad)(.)$/.exec(event.code);
    return code ? code[1].toLowerCase() : { Period: ".", Comma: "," }[event.code] || event.key;
  }

  function pressed(event) {
    if (!state || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
    const key = keyOf(event), task = data.tasks[current], { spans } = kindOf(task);
    const isChoice = event.target.closest("[data-choice], [data-type], [data-rating]"), isButton = event.target.closest("button, summary");
    const forward = () => (getComputedStyle(at("marked")).direction === "rtl" ? "ArrowLeft" : "ArrowRight");
    let does = null;
    if (key === "Enter") does = isButton && !isChoice ? null : save;
    else if (event.shiftKey && key.startsWith("Arrow") && spans) {
      if (key === "ArrowLeft" || key === "ArrowRight") does = () => step(key === forward() ? 1 : -1, true);
    } else if (key === "ArrowRight") does = () => show(current + 1);
    else if (key === "ArrowLeft") does = () => show(current - 1);
    else if (key === "u") does = undo;
    else if (key === "n") does = next;
    else if (key === "t") does = () => at("marked").focus();
    else if ((key === "." || key === ",") && spans) does = () => step(key === "." ? 1 : -1, false);
    else if (/^\d$/.test(key) && ratingOf(task) && !questionsOf(task)[active]) {
      const choice = ratingOf(task).choices[+key - 1];
      if (choice) does = () => rate(choice.value);
    } else if (/^\d$/.test(key) && questionsOf(task)[active]) {
      const question = questionsOf(task)[active], choice = choicesOf(task, question)[question.up_to ? +key : +key - 1];
      if (choice) does = () => answer(question, choice.value);
    } else if (spans) {
      const number = spans.types.findIndex((type) => type.key === key);
      if (number >= 0) does = () => mark(number);
    }
    if (!does) return;
    event.preventDefault();
    does();
  }

  // ---- begin ------------------------------------------------------------------------------------------------
  function begin(name) {
    let kept = {};
    annotator = name;
    try { kept = JSON.parse(localStorage.getItem(place())) || {}; } catch { /* nothing is kept here */ }
    state = { labels: kept.labels || {} };
    isUnsaved = Boolean(kept.isUnsaved);
    at("who").textContent = annotator;
    at("start").hidden = true;
    at("task").hidden = false;
    at("how").open = !Object.keys(state.labels).length;
    show(kept.current || 0);
  }

  at("start").addEventListener("submit", (event) => {
    event.preventDefault();
    if (at("name").value.trim()) begin(at("name").value.trim());
  });
  for (const [id, does] of Object.entries({ back: () => show(current - 1), skip: () => show(current + 1), open: next, undo, save,
    export: () => state && exportFile(), import: () => state && at("file").click() })) at(id).addEventListener("click", does);
  at("file").addEventListener("change", async () => {
    const [file] = at("file").files;
    if (file) importFile(await file.text());
    at("file").value = "";
  });
  document.addEventListener("keydown", pressed);
  addEventListener("beforeunload", (event) => {
    if (isUnsaved && data.tasks.some(isLabelled)) event.preventDefault();
  });
  if (data.annotator) begin(data.annotator);
  else at("start").hidden = false;
})();
