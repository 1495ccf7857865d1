/* The first screen: which dots of each line are shown, and which of these is the least. */
(() => {
  const { make } = window.truerate, chart = document.querySelector("[data-strips]"), form = chart?.querySelector("[data-filters]");
  if (!form) return;
  const words = (text) => text.toLowerCase().split(/[\s/_:,()-]+/).filter(Boolean);
  const fits = (dot, wanted) => Object.entries(wanted).every(([key, value]) => {
    if (!value) return true;
    if (key === "name") return words(value).every((word) => `${dot.dataset.name} ${dot.dataset.subject}`.toLowerCase().includes(word));
    if (key !== "billions") return dot.dataset[key] === value;
    const [low, high] = value.split("-").map(Number), size = Number(dot.dataset.billions);
    return size >= low && size < high;   // of a size that nobody has published neither holds
  });
  const lines = [...chart.querySelectorAll(".tr-strip-line")].map((line) => {
    const best = line.parentElement.querySelector("[data-best]");
    return { dots: [...line.querySelectorAll("b")], best, whole: [...best.childNodes], bar: line.querySelector(".tr-strip-bar") };
  });
  const named = (dot) => dot.dataset.page ? make("a", { href: dot.dataset.page }, dot.dataset.name) : dot.dataset.name;
  const said = (shown) => shown.length
    ? [`${shown.length} shown: `, ...shown.slice(0, 3).flatMap((dot, n) => [n ? "; " : "", named(dot), ` ${dot.dataset.words}`]), shown.length > 3 ? " …" : "."]
    : ["No such model on this board."];
  const show = () => {
    const wanted = Object.fromEntries(new FormData(form)), isAny = Object.values(wanted).every((value) => !value);
    for (const { dots, best, whole, bar } of lines) {
      const shown = dots.filter((dot) => fits(dot, wanted));
      for (const dot of dots) dot.classList.toggle("is-out", !isAny && !shown.includes(dot));
      for (const dot of dots) dot.classList.toggle("is-in", !isAny && shown.includes(dot));
      bar.hidden = !isAny;
      best.replaceChildren(...(isAny ? whole : said(shown)));
    }
  };
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  chart.addEventListener("click", (event) => {
    const dot = event.target.closest?.(".tr-strip-line b[data-page]");
    if (dot) location.href = dot.dataset.page;
  });
})();
