"""HotpotQA (Yang et al. 2018): questions over two Wikipedia paragraphs, among distractor paragraphs."""

from pathlib import Path

from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_list
from truerate.sources.downloads import Download, Found, downloaded_forms, one_of
from truerate.sources.parquet import SUFFIX, parquet_rows
from truerate.sources.rows import BadRow, Reason, Row, texts, titled

DOWNLOAD = Download(
    "HotpotQA",
    {
        "hotpotqa.json": "",
        "hotpot_train_v1.1.json": "train",
        "hotpot_dev_distractor_v1.json": "validation",
        "hotpot_dev_fullwiki_v1.json": "validation",
    },
    columns=("question", "answer", "type", "level", "supporting_facts", "context"),
    has_splits=True,
)
TYPES = ("bridge", "comparison")
CARD = published_card("hotpotqa")


def forms(folder: Path) -> list[Found]:
    """What a folder holds of it."""
    return downloaded_forms(folder, DOWNLOAD)


def read(folder: Path, *, name: str, on_bad_row: str, split: str | None = None) -> SourceTables:
    """Questions as items; every paragraph is a document, the supporting ones are the item's knowledge.

    The publishers' JSON and the Hub's Parquet, which has lists by field in the place of pairs, give the same.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    for file in one_of(forms(folder), DOWNLOAD, folder, name=name, split=split):
        cut = parquet_rows if file.endswith(SUFFIX) else json_list
        collection.read(file, cut, lambda row: _keep(collection, row))
    return collection.tables()


def _keep(collection: Collection, row: Row) -> None:
    question = row.text("question").strip()
    answer = row.text("answer").strip()
    kind = row.choice("type", TYPES)
    paragraphs = dict(
        _paragraph(entry, number) for number, entry in enumerate(_pairs(row, "context", "sentences"), 1)
    )
    supporting = dict.fromkeys(
        titled(fact, f"field 'supporting_facts', entry {number}")[0]
        for number, fact in enumerate(_pairs(row, "supporting_facts", "sent_id"), 1)
    )
    if not supporting:
        raise BadRow(Reason.EMPTY_FIELD, "field 'supporting_facts' is empty")
    for title in supporting:
        if title not in paragraphs:
            raise BadRow(
                Reason.UNRESOLVED, f"supporting fact {title[:60]!r} is no paragraph of field 'context'"
            )
    attributes = {
        "type": kind,
        "level": row.optional_text("level"),
        "published_id": row.optional_text("_id") or row.optional_text("id"),
    }
    ids = {title: collection.document(text, title=title) for title, text in paragraphs.items()}
    collection.item(
        "qa",
        question=question,
        right_answer=answer,
        document_ids=[ids[title] for title in supporting],
        group=("entity", next(iter(supporting))),
        **attributes,
    )


def _pairs(row: Row, field: str, second: str) -> list:
    """The pairs of a field: a list of them, or an object of two lists, `title` and another, as on the Hub."""
    value = row.get(field)
    if not isinstance(value, dict):
        return row.items(field)
    columns = Row(value, row.number)
    titles, more = columns.items("title"), columns.items(second)
    if len(titles) != len(more):
        raise BadRow(Reason.WRONG_TYPE, f"field {field!r}: 'title' and {second!r} must be of one length")
    return [list(pair) for pair in zip(titles, more, strict=True)]


def _paragraph(entry: object, number: int) -> tuple[str, str]:
    """Title and text of a context paragraph; the published sentences carry their own leading blanks."""
    what = f"field 'context', entry {number}"
    title, sentences = titled(entry, what)
    text = " ".join(part.strip() for part in texts(sentences, f"{what}, its sentences") if part.strip())
    if not text:
        raise BadRow(Reason.EMPTY_FIELD, f"{what} has no sentence")
    return title, text
