"""The labelled texts of a data set that truerate published: one config for each task, rows joined with what they are about.

A data set read whole has `data/<config>/<split>-*.parquet`, and the config's name begins with its task; of a config chosen by `hub.config`
the folder holds `<split>-*.parquet` alone, so that a column `task`, which publishing leaves out, or `part` must say which task it is.
"""

import re
from functools import partial
from pathlib import Path

from truerate.errors import TruerateError, listed
from truerate.schemas import LABEL_SOURCES
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.hub_files import CARD as README
from truerate.sources.hub_files import front_of
from truerate.sources.parquet import SUFFIX, columns_of, parquet_rows
from truerate.sources.rows import BadRow, Reason, Row

TASKS = ("qa", "dialogue", "summarization", "general")  # those whose samples a board can take from a source
NEEDED = ("sample_id", "item_id", "group_id", "lang", "question", "text", "is_hallucinated", "label_source")
CARD = {
    "name": "truerate data set",
    "citation": "A data set of labelled texts that truerate published; its own card says whom to cite.",
    "licence": "not stated",
    "redistribution": "no",
    "url": None,
    "lang": "en",
}
# Attributes that would pass for columns or for those that are set here; and evidence, which names passages of documents by their old ids.
NOT_CARRIED = (
    *("self", "item", "text", "is_hallucinated", "label_source", "task", "pair_id", "generator", "pattern", "rationale", "spans"),
    *("evidence", "published_split", "published_id"),
)
_SHARD = re.compile(r"(.+?)-\d+-of-\d+")


def read(folder: Path, *, name: str, on_bad_row: str, part: str | None = None) -> SourceTables:
    """Each row as a sample of its item; its knowledge is the item's document. Attributes: the row's, `published_id`, `published_split`.

    `part` names the one task to read. Raises TruerateError for other tasks, and for configs whose rows have no texts.
    """
    if part is not None and part not in TASKS:
        raise TruerateError(f"source {name!r}: part {part!r} is not known; allowed: {listed(TASKS)}")
    base = folder / "data" if (folder / "data").is_dir() else folder
    files = [(path, _task(path.parent.name) if path.parent != base else part) for path in sorted(base.glob(f"**/*{SUFFIX}"))]
    chosen = [(path, task) for path, task in files if part in (None, task) and (path.parent == base or task)]
    if not chosen:
        found = {path.parent.name for path, _ in files if path.parent != base}
        asked = f"of part {part!r}" if part else "of its tasks"
        there = f"configs in it: {listed(found)}; tasks that can be read: {listed(TASKS)}"
        raise TruerateError(f"source {name!r}: no config {asked} in {str(folder)!r}; {there}")
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD | _licence(folder))
    collection.counts["n_files_of_other_configs"] = len(files) - len(chosen)
    for path, task in chosen:
        file = path.relative_to(folder).as_posix()
        _check_columns(path, task, where=f"source {name!r}: {file}")
        split = _SHARD.fullmatch(path.stem)
        cut = partial(parquet_rows, needed=NEEDED)
        collection.read(file, cut, partial(_keep, collection, task, split[1] if split else path.stem))
    return collection.tables()


def _task(config: str) -> str | None:
    """The task of a config: its name, or what stands before the licence in it."""
    return next((task for task in TASKS if config == task or config.startswith(f"{task}-")), None)


def _licence(folder: Path) -> dict[str, str]:
    """What the YAML of the data set's README says of its licence, where it says one thing."""
    try:
        front = front_of((folder / README).read_text("utf-8", errors="replace"))
    except (OSError, TruerateError):
        return {}
    said = front.get("license_name") if front.get("license") == "other" else front.get("license")
    return {"licence": " ".join(said.split())[:80]} if isinstance(said, str) and said.strip() else {}


def _check_columns(path: Path, task: str | None, *, where: str) -> None:
    """Raise TruerateError where the rows have no texts, or nothing says which task they are of."""
    try:
        columns = columns_of(path)
    except BadRow as bad:
        raise TruerateError(f"{where}: {bad.detail}; put a sound file there") from None
    if "text_sha256" in columns and "text" not in columns:
        again = "rebuild the texts as the data set's rebuild/REBUILD.md says, and read the source that they come from"
        raise TruerateError(f"{where}: its rows are ids and labels without texts; {again}")
    if task is None and "task" not in columns:
        raise TruerateError(f"{where}: nothing says of which task its rows are; name it as `part`: {listed(TASKS)}")


def _keep(collection: Collection, task: str | None, split: str, row: Row) -> None:
    attributes = {Row(pair, row.number).text("key"): pair.get("value") for pair in _list(row, "attributes")}
    text, is_hallucinated, knowledge = row.text("text"), row.get("is_hallucinated"), row.optional_text("knowledge")
    if not isinstance(is_hallucinated, bool):
        raise BadRow(Reason.WRONG_TYPE, f"field 'is_hallucinated' must be true or false, not {is_hallucinated!r}")
    spans = [_span(Row(span, row.number), text) for span in _list(row, "spans")]
    columns = {column: row.optional_text(column) for column in ("pair_id", "generator", "pattern", "rationale")}
    carried = {key: value for key, value in attributes.items() if key not in NOT_CARRIED}
    label_source, sample_id = row.choice("label_source", tuple(LABEL_SOURCES)), row.text("sample_id")
    task = task or row.choice("task", TASKS)
    collection.once("the sample", task, sample_id, row=row)
    item = collection.item(
        task,
        group=("group", row.text("group_id")),
        lang=row.language(),
        question=row.optional_text("question") or "",
        history=row.optional_text("history") or "",
        right_answer=row.optional_text("right_answer"),
        document_ids=[collection.document(knowledge, lang=row.language())] if knowledge else [],
        published_id=row.text("item_id"),
        is_shared=True,
    )
    about = {"published_id": sample_id, "published_split": split, **carried}
    collection.sample(item, text, is_hallucinated=is_hallucinated, label_source=label_source, spans=spans, **columns, **about)


def _list(row: Row, field: str) -> list:
    return row.items(field) if row.values.get(field) is not None else []


def _span(span: Row, text: str) -> dict:
    start, end, p = span.integer("start"), span.integer("end"), span.values.get("p")
    if not isinstance(p, float | None):
        raise BadRow(Reason.WRONG_TYPE, f"a span's field 'p' must be a number, not {p!r}")
    if not 0 <= start < end <= len(text):
        raise BadRow(Reason.OUT_OF_RANGE, f"span {start}–{end} does not lie within the text of {len(text)} characters")
    return {"start": start, "end": end, "type": span.optional_text("type"), "p": p}
