"""HotpotQA (Yang et al. 2018): questions over two Wikipedia paragraphs, among distractor paragraphs."""

from pathlib import Path

from truerate.sources.collection import Collection, SourceTables
from truerate.sources.rows import BadRow, Reason, Row, json_list, texts, titled

FILE = "hotpotqa.json"
TYPES = ("bridge", "comparison")
CARD = {
    "name": "HotpotQA",
    "citation": "Z. Yang, P. Qi, S. Zhang, Y. Bengio, W. Cohen, R. Salakhutdinov, C. Manning. HotpotQA: A Dataset for Diverse, Explainable "
    "Multi-hop Question Answering. EMNLP 2018.",
    "licence": "CC BY-SA 4.0",
    "redistribution": "yes",
    "url": "https://hotpotqa.github.io",
    "lang": "en",
    "is_wikipedia": True,
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Questions as items; every paragraph is a document, the supporting ones are the item's knowledge."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    collection.read(FILE, json_list, lambda row: _keep(collection, row))
    return collection.tables()


def _keep(collection: Collection, row: Row) -> None:
    question, answer, kind = (
        row.text("question").strip(),
        row.text("answer").strip(),
        row.choice("type", TYPES),
    )
    paragraphs = dict(_paragraph(entry, place) for place, entry in enumerate(row.items("context"), 1))
    supporting = dict.fromkeys(
        titled(fact, f"field 'supporting_facts', entry {place}")[0]
        for place, fact in enumerate(row.items("supporting_facts"), 1)
    )
    if not supporting:
        raise BadRow(Reason.EMPTY_FIELD, "field 'supporting_facts' is empty")
    for title in supporting:
        if title not in paragraphs:
            raise BadRow(
                Reason.UNRESOLVED, f"supporting fact {title[:60]!r} is no paragraph of field 'context'"
            )
    attributes = {"type": kind, "level": row.optional_text("level"), "published_id": row.optional_text("_id")}
    ids = {title: collection.document(text, title=title) for title, text in paragraphs.items()}
    collection.item(
        "qa",
        question=question,
        right_answer=answer,
        document_ids=[ids[title] for title in supporting],
        group=("entity", next(iter(supporting))),
        **attributes,
    )


def _paragraph(entry: object, place: int) -> tuple[str, str]:
    """Title and text of a context paragraph; the published sentences carry their own leading blanks."""
    what = f"field 'context', entry {place}"
    title, sentences = titled(entry, what)
    text = " ".join(part.strip() for part in texts(sentences, f"{what}, its sentences") if part.strip())
    if not text:
        raise BadRow(Reason.EMPTY_FIELD, f"{what} has no sentence")
    return title, text
