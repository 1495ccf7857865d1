/* A record whose response answers a turn of a dialogue: conversation, response with the label's segments, what judges say, find and give as reason. Text enters by textContent alone. */
(() => {
  const { make } = window.truerate;
  const later = (name) => (...given) => window.truerate.records[name](...given);   // samples.js, which gives them, comes after
  const visible = later("visible"), words = later("words"), prose = later("prose"), block = later("block");

  const told = (wrong) => (wrong ? "hallucinated" : "right");
  const why = (text, title) => make("div", { class: "tr-reason" }, make("span", { class: "tr-reason-title" }, title), " ", ...visible(text));

  /* Who says what, one turn below the other; the last is what is answered. */
  const talk = (record) => make("ol", { class: "tr-turns", role: "list", dir: "auto", lang: record.lang }, ...record.turns.map(([isPerson, text]) => (
    make("li", { class: isPerson ? "is-person" : "is-assistant" }, make("b", {}, isPerson ? "Person" : "Assistant"), " ", ...visible(text))
  )));

  const labelled = (record, [source, wrong, text, reason], names) => {
    const title = `Response, labelled ${told(wrong)} by ${source === "gold" ? "people" : source === "silver" ? "a model" : names("source", source).toLowerCase()}`;
    const box = block(title, prose(text, [], record.lang));
    if (reason) box.append(why(reason, "Reason"));
    return box;
  };

  const OUTCOMES = { r: ["✓", "judged rightly"], w: ["✗", "judged wrongly"], u: ["?", "no verdict read"] };
  const judgement = (record, [who, says, reason, marked, rationale, isComposed]) => {
    const outcome = says === null ? "u" : says === record.wrong ? "r" : "w", [sign, meaning] = OUTCOMES[outcome];
    const line = make("li", { class: `tr-said said-${outcome}` }, make("b", {}, ...visible(who)), " ",
      says === null ? `no verdict${reason ? ` (${words(reason)})` : ""}` : told(says), make("span", { class: "tr-outcome", title: meaning }, sign));
    if (marked) line.append(prose(marked, [], record.lang));
    if (rationale) line.append(why(rationale, isComposed ? "Composed reason" : "Reason"));
    return line;
  };

  window.truerate.cards.located = (record, index, board, { judge, isAlone }) => {
    const names = (key, value) => index.columns[key].values.find(([one]) => one === value)?.[1] || value;
    const label = make("span", { class: `tr-label label-${record.wrong ? "wrong" : "right"}` }, record.wrong ? "Hallucinated" : "Right");
    const facts = [record.scenario && names("scenario", record.scenario), record.kind && names("kind", record.kind),
      record.turn && `turn ${Number(record.turn) + 1}`, record.by && `by ${record.by}`];
    const head = make("header", {}, label, ...facts.filter(Boolean).map((fact) => make("span", {}, ...visible(fact))),
      make("a", { href: `#board=${encodeURIComponent(board)}&id=${record.id}` }, record.id));
    const left = make("div", { class: "tr-left-side" }), right = make("div", { class: "tr-right-side" });
    if (record.turns.length) left.append(block("Conversation", talk(record)));
    for (const one of record.labels) left.append(labelled(record, one, names));
    if (record.knowledge) right.append(block("Knowledge", prose([record.knowledge], [], record.lang)));
    if (record.said.length) {
      const first = record.said.filter(([who]) => who === judge), others = record.said.filter(([who]) => who !== judge);
      const missed = record.said.filter((one) => one[1] !== record.wrong).length;
      const list = make("ul", { class: "tr-judges" }, ...[...first, ...others].map((one) => judgement(record, one)));
      const folded = make("details", {}, make("summary", {}, `${record.said.length} ${record.said.length === 1 ? "judgement" : "judgements"}, ${missed} wrong or unread`), list);
      folded.open = Boolean(judge && first.length) || isAlone;
      left.append(folded);
    }
    return make("article", { class: "tr-record" }, head, make("div", { class: "tr-sides" }, left, right));
  };
})();
