/* A reply cut into facts: its sentences, its facts with their verdicts, and under each fact the evidence quoted. Text enters by textContent alone. */
(() => {
  const { make } = window.truerate;
  const VERDICTS = { s: ["✓", "supported"], n: ["✗", "not supported"], u: ["?", "no verdict read"], "-": ["·", "not asked"] };
  const MARKS = { duplicate: "repeats an earlier fact", title: "restates the name" };
  const WORST = ["n", "u", "s", "-"];
  const { visible, named, permalink } = window.truerate.records;
  const said = (letter) => VERDICTS[letter][1];

  /* An address of the web becomes a link; whatever else was written there stays out. */
  const source = ([title, url, host, isWikipedia], k) => {
    const words = [...visible(title || host || "a page")];
    const isWeb = /^https?:\/\/[^\s<>"']+$/.test(url);
    const name = isWeb ? make("a", { href: url, rel: "nofollow noopener noreferrer", dir: "auto" }, ...words) : make("span", { dir: "auto" }, ...words);
    const kind = make("span", { class: "tr-host" }, ...visible(isWeb ? host : "· no address of the web"), isWikipedia ? " · Wikipedia" : "");
    return make("cite", {}, make("span", { class: "tr-page", "aria-hidden": "true" }, String(k + 1)), name, " ", kind);
  };
  const quote = ([page, text, isCut], record) => make("figure", { class: "tr-quote" },
    make("blockquote", { dir: "auto" }, ...visible(text), isCut ? " […]" : ""), make("figcaption", {}, source(record.pages[page], page)));

  const fact = ([sentence, text, verdict, marks, evidence, others, label, review], record) => {
    const isSplit = label && verdict !== "-" && label !== verdict;
    const chips = [...marks.map((mark) => make("span", { class: "tr-fact-mark" }, MARKS[mark])),
      ...(label ? [make("span", { class: `tr-fact-mark${isSplit ? " is-split" : ""}` }, `people: ${said(label)}`)] : []),
      ...(review ? [make("span", { class: "tr-fact-mark" }, ...visible(`review: ${review}`))] : [])];
    const icon = make("span", { class: "tr-fact-icon", "aria-hidden": "true" }, VERDICTS[verdict][0]);
    const head = make("summary", {}, icon, make("span", { class: "tr-hide" }, `${said(verdict)}: `), make("span", { class: "tr-fact-text", dir: "auto" }, ...visible(text)), ...chips);
    const body = make("div", { class: "tr-fact-body" });
    if (others.length) {
      body.append(make("p", { class: "tr-fact-said" }, ...others.map(([judge, letter]) => make("span", {}, ...visible(judge), ": ", make("b", {}, said(letter))))));
    }
    body.append(...evidence.map((k) => quote(record.passages[k], record)));
    if (!evidence.length) body.append(make("p", { class: "tr-fact-said" }, "No passage was found for this fact."));
    return make("li", { class: `tr-fact is-${{ "-": "none" }[verdict] || verdict}`, "data-s": String(sentence) }, make("details", {}, head, body));
  };

  const reply = (record) => {
    const worst = new Map();
    for (const [sentence, , verdict] of record.facts) {
      const before = worst.get(sentence) || "-";
      if (WORST.indexOf(verdict) < WORST.indexOf(before)) worst.set(sentence, verdict); else worst.set(sentence, before);
    }
    const box = make("div", { class: "tr-text", dir: "auto", lang: record.lang });
    for (const part of record.text) {
      if (typeof part === "string") { box.append(...visible(part)); continue; }
      const letter = worst.get(part[1]) || "-";
      box.append(make("span", { class: `tr-sentence is-${{ "-": "none" }[letter] || letter}`, "data-s": String(part[1]) }, ...visible(part[0])));
    }
    return box;
  };

  const tally = (record) => {
    if (record.status === "abstained") return ["Abstains", "quiet"];
    if (record.status === "not-written") return ["Facts not written", "quiet"];
    if (record.status !== "ok") return [record.status, "quiet"];
    if (!record.facts.length) return ["No fact", "quiet"];
    const n = record.facts.filter((one) => one[2] === "s").length, read = record.facts.filter((one) => one[2] === "s" || one[2] === "n").length;
    return [`${n} of ${read} supported`, n === read ? "right" : "wrong"];
  };

  /* A fact and its sentence light up together. */
  const light = (article) => {
    const set = (event, isLit) => {
      const at = event.target.closest("[data-s]");
      if (at) for (const one of article.querySelectorAll(`[data-s="${at.dataset.s}"]`)) one.classList.toggle("is-lit", isLit);
    };
    for (const [name, isLit] of [["pointerover", true], ["focusin", true], ["pointerout", false], ["focusout", false]]) article.addEventListener(name, (event) => set(event, isLit));
  };

  window.truerate.cards.facts = (record, index, board, { isAlone }) => {
    const [words, kind] = tally(record);
    const known = [`by ${record.by}`, record.domain && named(index, "domain", record.domain), record.wikipedia && named(index, "wikipedia", record.wikipedia), record.rarity && named(index, "rarity", record.rarity).toLowerCase()];
    const head = make("header", {}, make("span", { class: `tr-label label-${kind}` }, words), ...known.filter(Boolean).map((one) => make("span", {}, ...visible(one))),
      permalink(record, board));
    const left = make("div", { class: "tr-left-side" }, make("h2", { dir: "auto", lang: record.lang }, ...visible(record.name)), reply(record));
    const right = make("div", { class: "tr-right-side" });
    if (record.facts.length) {
      const facts = record.facts.map((one) => fact(one, record));
      right.append(make("p", { class: "tr-block-title" }, `${facts.length} ${facts.length === 1 ? "fact" : "facts"}, ${record.passages.length} passages of ${record.pages.length} ${record.pages.length === 1 ? "page" : "pages"}; open a fact for its evidence`));
      right.append(make("ol", { class: "tr-factlist" }, ...facts));
      const first = isAlone && (right.querySelector(".is-n > details") || right.querySelector("details"));
      if (first) first.open = true;   // whoever came for one reply came for its evidence
    }
    const article = make("article", { class: "tr-record tr-reply" }, head, make("div", { class: "tr-sides" }, left, right));
    light(article);
    return article;
  };
})();
