"""HotpotQA (Yang et al. 2018): questions over two Wikipedia paragraphs, among distractor paragraphs."""

from functools import partial

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_list
from truerate.sources.downloads import Download, read_download
from truerate.sources.rows import BadRow, Reason, Row, texts, titled

FILES = {"hotpotqa.json": "", "hotpot_train_v1.1.json": "train"} | dict.fromkeys(
    ("hotpot_dev_distractor_v1.json", "hotpot_dev_fullwiki_v1.json"), "validation"
)
COLUMNS = ("question", "answer", "type", "level", "supporting_facts", "context")
DOWNLOAD = Download("HotpotQA", FILES, columns=COLUMNS, has_splits=True)
TYPES = ("bridge", "comparison")


@reads("hotpotqa")
def read(collection: Collection, split: str | None = None) -> None:
    """Read questions as items; every paragraph is a document, the supporting ones are the item's knowledge.

    The publishers' JSON and the Hub's Parquet, which has lists by field in the place of pairs, give the same.
    """
    read_download(collection, DOWNLOAD, json_list, partial(_keep, collection), split=split)


def _keep(collection: Collection, row: Row) -> None:
    question, answer = row.text("question").strip(), row.text("answer").strip()
    kind = row.choice("type", TYPES)
    context = enumerate(_pairs(row, "context", "sentences"), 1)
    paragraphs = dict(_paragraph(entry, f"field 'context', entry {number}") for number, entry in context)
    facts = enumerate(_pairs(row, "supporting_facts", "sent_id"), 1)
    titles = [titled(fact, f"field 'supporting_facts', entry {number}")[0] for number, fact in facts]
    supporting = list(dict.fromkeys(titles))
    if not supporting:
        raise BadRow(Reason.EMPTY_FIELD, "field 'supporting_facts' is empty")
    if foreign := [title for title in supporting if title not in paragraphs]:
        problem = f"supporting fact {foreign[0][:60]!r} is no paragraph of field 'context'"
        raise BadRow(Reason.UNRESOLVED, problem)
    level, published_id = row.optional_text("level"), row.optional_text("_id") or row.optional_text("id")
    ids = {title: collection.document(text, title=title) for title, text in paragraphs.items()}
    collection.item(
        "qa",
        question=question,
        right_answer=answer,
        document_ids=[ids[title] for title in supporting],
        group=("entity", supporting[0]),
        type=kind,
        level=level,
        published_id=published_id,
    )


def _pairs(row: Row, field: str, second: str) -> list:
    """The pairs of a field: a list of them, or an object of two lists, `title` and another, as on the Hub."""
    if not isinstance(row.get(field), dict):
        return row.items(field)
    columns = row.row(field)
    titles, more = columns.items("title"), columns.items(second)
    if len(titles) != len(more):
        raise BadRow(Reason.WRONG_TYPE, f"field {field!r}: 'title' and {second!r} must be of one length")
    return [list(pair) for pair in zip(titles, more, strict=True)]


def _paragraph(entry: object, what: str) -> tuple[str, str]:
    """Title and text of a context paragraph; the published sentences carry their own leading blanks."""
    title, sentences = titled(entry, what)
    text = " ".join(part.strip() for part in texts(sentences, f"{what}, its sentences") if part.strip())
    if not text:
        raise BadRow(Reason.EMPTY_FIELD, f"{what} has no sentence")
    return title, text
