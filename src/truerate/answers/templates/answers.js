"use strict";
// The answers of a report: filtered, searched, and laid out as one scrolls.
(() => {
  const answers = JSON.parse(document.getElementById("answers-data").textContent);
  const list = document.getElementById("answers"), count = document.getElementById("count");
  const more = document.getElementById("more"), search = document.getElementById("search");
  const selects = [...document.querySelectorAll("select[data-key]")];
  const STEP = 50;
  let chosen = answers, shown = 0;

  const node = (tag, text, look) => {
    const made = document.createElement(tag);
    if (look) made.className = look;
    if (text) made.textContent = text;
    return made;
  };
  const textOf = (answer) => (answer.text ??= `${answer.id}\n${answer.question}\n${answer.pieces.map((piece) => piece[0]).join("")}`.toLowerCase());

  function card(answer) {
    const made = node("article"), about = node("p", "", "about"), said = node("p");
    about.append(node("b", answer.id), ...answer.fields.map((field) => ` · ${field}`), ` · ${answer.said}`);
    if (answer.people) about.append(` · people: ${answer.people}`);
    made.append(about);
    if (answer.question) {
      const question = node("p", answer.question, "about");
      question.dir = "auto";
      made.append(question);
    }
    said.dir = "auto";
    for (const [text, look] of answer.pieces) said.append(look ? node("mark", text, look) : text);
    if (answer.is_cut) said.append(" …");
    made.append(said);
    return made;
  }
  function lengthen() {
    list.append(...chosen.slice(shown, shown + STEP).map(card));
    shown = Math.min(shown + STEP, chosen.length);
    more.hidden = shown === chosen.length;
  }
  function choose() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = selects.filter((select) => select.value);
    chosen = answers.filter((answer) => wanted.every((select) => answer[select.dataset.key] === select.value)
      && words.every((word) => textOf(answer).includes(word)));
    count.textContent = `${chosen.length.toLocaleString("en")} of ${answers.length.toLocaleString("en")} answers`;
    list.replaceChildren();
    shown = 0;
    lengthen();
  }
  for (const select of selects) {
    const values = [...new Set(answers.map((answer) => answer[select.dataset.key]))].filter(Boolean).sort();
    for (const value of values) select.append(new Option(value, value));
    select.closest("label").hidden = values.length < 2;
    select.addEventListener("change", choose);
  }
  search.addEventListener("input", choose);
  more.addEventListener("click", lengthen);
  new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && !more.hidden && lengthen()).observe(more);
  document.getElementById("controls").hidden = false;
  choose();
})();
