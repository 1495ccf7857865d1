/* How a record is shown: a text with a label and verdicts, or its ids where its words may not be shown. */
(() => {
  const { make, cards } = window.truerate;
  const { visible, words, prose, block, overlay, spanList, named, permalink } = window.truerate.records;
  const OUTCOMES = { r: ["✓", "judged rightly"], w: ["✗", "judged wrongly"], u: ["?", "no verdict read"] };

  const label = (wrong) => make("span", { class: `tr-label label-${wrong ? "wrong" : "right"}` }, wrong ? "Hallucinated" : "Right");
  const head = (first, facts, record, board) => make("header", {}, ...first, ...facts.filter(Boolean).map((fact) => make("span", {}, ...visible(fact))), permalink(record, board));
  const article = (header, left, right) => make("article", { class: "tr-record" }, header, make("div", { class: "tr-sides" }, left, right));
  const sides = () => [make("div", { class: "tr-left-side" }), make("div", { class: "tr-right-side" })];

  /* What a judge says of a text; `more` is what its form adds. */
  const verdict = (wrong, [who, says, reason], ...more) => {
    const outcome = says === null ? "u" : says === wrong ? "r" : "w", [sign, meaning] = OUTCOMES[outcome];
    const said = says === null ? `no verdict${reason ? ` (${words(reason)})` : ""}` : says ? "hallucinated" : "right";
    return make("li", { class: `tr-said said-${outcome}` }, make("b", {}, ...visible(who)), " ", said,
      make("span", { class: "tr-outcome", title: meaning }, sign, make("span", { class: "tr-hide" }, ` ${meaning}`)), ...more);
  };
  /* All verdicts, folded unless one was asked for; who was asked for stands first. */
  const verdicts = (record, line, { judge, isAlone }) => {
    const first = record.said.filter(([who]) => who === judge), others = record.said.filter(([who]) => who !== judge);
    const missed = record.said.filter((one) => one[1] !== record.wrong).length;
    const list = make("ul", { class: "tr-judges" }, ...[...first, ...others].map(line));
    const box = make("details", {}, make("summary", {}, `${record.said.length} ${record.said.length === 1 ? "judgement" : "judgements"}, ${missed} wrong or unread`), list);
    box.open = first.length > 0 || isAlone;
    return box;
  };

  const linked = (url, name) => (/^https?:\/\/[^\s<>"']+$/.test(url) ? make("a", { href: url, rel: "nofollow noopener noreferrer" }, ...visible(name || url)) : make("span", {}, ...visible(name)));
  /* Whose texts these are, and under which licence they stand here. */
  const origin = ({ title, url, licence, citation }, [page, address, ofPage]) => make("p", { class: "tr-sub tr-origin" },
    ...(page || address ? ["Reference: ", linked(address, page), ...visible(ofPage ? ` · ${ofPage}` : ""), make("br")] : []), "Text: ", linked(url, title), ...visible(` · ${licence} · ${citation}`));
  /* The facts of a text, each with what its label says of it. */
  const part = ([text, of, isWrong]) => make("li", { class: isWrong ? "is-wrong" : "is-right" }, make("b", { "aria-hidden": "true" }, isWrong ? "✗ " : "✓ "),
    make("span", { dir: "auto" }, ...visible(text)), " ", make("span", { class: "tr-sub" }, ...visible(of)));
  const partList = (parts) => block(`${parts.filter((one) => !one[2]).length} of ${parts.length} hold`, make("ol", { class: "tr-parts" }, ...parts.map(part)));

  const labelled = (record, index, board, how) => {
    const [left, right] = sides();
    const facts = [named(index, "task", record.task), record.lang && named(index, "lang", record.lang), record.wrong && record.pattern && named(index, "pattern", record.pattern),
      record.by && `by ${record.by}`, `label: ${record.source}`];
    if (record.history) left.append(block("History", prose([record.history], record.lang)));
    if (record.question) left.append(make("h2", { dir: "auto", lang: record.lang || "" }, ...visible(record.question)));
    left.append(block("Text", overlay(record, index, how.layers)));
    if (record.text.some((part) => typeof part !== "string")) left.append(spanList(record, index));
    if (record.why) left.append(block("Why", prose([record.why], "")));
    if (record.right) right.append(block("Right answer", prose([record.right], record.lang)));
    if (record.knowledge) right.append(block("Checked against", prose([record.knowledge], record.lang)));
    if (record.parts?.length) right.append(partList(record.parts));
    if (record.said.length) left.append(verdicts(record, (one) => verdict(record.wrong, one), how));
    if (record.labels?.length) facts.push(...record.labels.map(([key, value]) => `${words(key)}: ${words(value)}`));
    if (record.drawn) facts.push(named(index, "drawn", record.drawn).toLowerCase());
    if (index.place) right.append(origin(index.place, record.page));
    return article(head([label(record.wrong)], facts, record, board), left, right);
  };

  const closed = (record, index, board) => {
    const [left, right] = sides(), { title, url, licence, citation } = index.place;
    const rows = [["Record", record.id], ["Item", record.item], ...record.where.map(([key, value]) => [words(key), value])];
    left.append(make("dl", { class: "tr-facts" }, ...rows.map(([key, value]) => make("div", {}, make("dt", {}, ...visible(key)), make("dd", {}, ...visible(value))))));
    right.append(make("p", { class: "tr-block-title" }, "Where its text is"), make("p", {}, linked(url, title)), make("p", { class: "tr-sub" }, ...visible([citation, licence].filter(Boolean).join(" · "))));
    const facts = [named(index, "task", record.task), record.lang && named(index, "lang", record.lang), record.by && `by ${record.by}`, record.source && `label: ${record.source}`, "its licence does not let the text be shown"];
    return article(head(record.wrong === null ? [] : [label(record.wrong)], facts, record, board), left, right);
  };
  cards[""] = labelled;
  cards.ids = closed;
  Object.assign(window.truerate.records, { label, head, article, sides, verdict, verdicts });
})();
