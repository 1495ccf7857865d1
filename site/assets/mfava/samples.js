/* A record whose text several hands marked: its marks in layers, and the same marks as a list. */
(() => {
  const { make, cards } = window.truerate;
  const { visible, prose, block, overlay, spanList, named, head, article, sides } = window.truerate.records;

  cards.marked = (record, index, board, { judge, layers }) => {
    const detector = judge || index.leader || index.layers[2] || "", [left, right] = sides();
    const hands = record.hands.map((hand) => index.layers[hand]).filter((name) => name === "gold" || name === "silver");
    const labels = hands.map((name) => make("span", { class: `tr-label label-${name}` }, name === "gold" ? "Gold" : "Silver"));
    const facts = [record.language, named(index, "task", record.task), record.by && `by ${record.by}`, ...record.oddities.map((one) => named(index, "oddity", one).toLowerCase())];
    if (record.question) left.append(make("h2", { dir: "auto", lang: record.lang }, ...visible(record.question)));
    const isMarked = record.hands.includes(index.layers.indexOf(detector));
    left.append(block(isMarked || !detector || record.task === "train" ? "Text" : `Text, not marked by ${detector}`, overlay(record, index, layers)));
    if (record.hands.length) left.append(spanList(record, index));
    if (record.knowledge) right.append(block("Reference", prose([record.knowledge], record.lang)));
    return article(head(labels, facts, record, board), left, right);
  };
})();
