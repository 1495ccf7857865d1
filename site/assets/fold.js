/* On a long page the sections from the third to the last but one show their beginning; all of one is shown on request, by a link to it, or by the keyboard. */
(() => {
  const { make } = window.truerate;
  if (!document.querySelector(".tr-jump")) return;
  const FIRST = 2, LONG = 560;   // sections that are never folded, and the height in pixels above which one is
  const isLater = (section) => Boolean(section.querySelector("[data-views] > noscript"));   // tables that are not made yet
  const sections = [...document.querySelectorAll(".md-typeset > .tr-section")].slice(FIRST, -1).filter((one) => isLater(one) || one.offsetHeight > LONG);
  const open = (section) => { section.classList.remove("is-folded"); section.nextElementSibling?.matches(".tr-unfold") && section.nextElementSibling.remove(); };
  for (const section of sections) {
    section.classList.add("is-folded");
    const heading = section.previousElementSibling;
    const button = make("button", { type: "button", class: "tr-button tr-unfold" }, `Show all of “${heading.textContent.trim()}”`);
    button.addEventListener("click", () => open(section));
    section.after(button);
    section.addEventListener("focusin", () => open(section));
    heading.addEventListener("click", () => open(section));
    section.addEventListener("made", () => { if (!isLater(section) && section.scrollHeight <= LONG) open(section); });
  }
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    const section = target?.closest(".tr-section") || target?.nextElementSibling;
    if (section?.matches(".is-folded")) { open(section); target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", () => sections.forEach(open));
  follow();
})();
