/* Every figure can be taken along: an SVG file with its colours written into it. */
(() => {
  const { make } = window.truerate;
  const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];
  const fileOf = (svg) => {
    const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
    from.forEach((node, place) => {
      const style = getComputedStyle(node);
      to[place].setAttribute("style", LOOKS.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    });
    const box = svg.viewBox.baseVal;
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    copy.style.background = getComputedStyle(document.body).backgroundColor;
    return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  };
  for (const figure of document.querySelectorAll("figure[data-figure]")) {
    const save = make("button", { type: "button", class: "tr-save", title: "Download this figure as SVG" }, "SVG");
    save.addEventListener("click", () => {
      const link = make("a", { href: URL.createObjectURL(fileOf(figure.querySelector("svg"))), download: `${figure.dataset.figure}.svg` });
      document.body.append(link);
      link.click();
      link.remove();
    });
    figure.append(save);
  }
})();
