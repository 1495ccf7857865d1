/* A record whose response answers a turn of a dialogue: conversation, response with the segments of labels and judges, what they say and give as reason. */
(() => {
  const { make, cards } = window.truerate;
  const { visible, prose, block, overlay, spanList, named, label, head, article, sides, verdict, verdicts } = window.truerate.records;

  const why = (text, title) => make("div", { class: "tr-reason" }, make("span", { class: "tr-reason-title" }, title), " ", ...visible(text));
  /* Who says what, one turn below the other; the last is what is answered. */
  const talk = (record) => make("ol", { class: "tr-turns", role: "list", dir: "auto", lang: record.lang }, ...record.turns.map(([isPerson, text]) => (
    make("li", { class: isPerson ? "is-person" : "is-assistant" }, make("b", {}, isPerson ? "Person" : "Assistant"), " ", ...visible(text))
  )));
  const labelled = ([source, wrong, reason], index) => {
    const by = source === "gold" ? "people" : source === "silver" ? "a model" : named(index, "source", source).toLowerCase();
    const line = make("p", { class: "tr-block-title" }, `Response, labelled ${wrong ? "hallucinated" : "right"} by ${by}`);
    return reason ? [line, why(reason, "Reason")] : [line];
  };
  const judgement = (record) => (one) => verdict(record.wrong, one, ...(one[3] ? [why(one[3], one[4] ? "Composed reason" : "Reason")] : []));

  cards.located = (record, index, board, how) => {
    const [left, right] = sides();
    const facts = [record.scenario && named(index, "scenario", record.scenario), record.kind && named(index, "kind", record.kind),
      record.turn && `turn ${Number(record.turn) + 1}`, record.by && `by ${record.by}`];
    if (record.turns.length) left.append(block("Conversation", talk(record)));
    left.append(make("div", { class: "tr-block" }, ...record.labels.flatMap((one) => labelled(one, index)), overlay(record, index, how.layers)));
    if (record.text.some((part) => typeof part !== "string")) left.append(spanList(record, index));
    if (record.knowledge) right.append(block("Knowledge", prose([record.knowledge], record.lang)));
    if (record.said.length) left.append(verdicts(record, judgement(record), how));
    return article(head([label(record.wrong)], facts, record, board), left, right);
  };
})();
