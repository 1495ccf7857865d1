"""The tables of an imported source, those of several formats or folders as one, and its reference texts, which may outgrow
memory while they are read.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from truerate.core import keys
from truerate.core.errors import SourceError, listed
from truerate.core.schemas import Document, frame, scan, validate, write
from truerate.sources.cards import REDISTRIBUTION


@dataclass(frozen=True)
class SourceTables:
    """An imported source: validated tables, and a card that names its rights, its files and its counts.

    Documents that outgrow memory are a query of files: of scratch files that last as long as `kept_open`, or
    of the imported table. `own_rights` hold where the files are not the set of the card; None where the card
    is their own.
    """

    documents: pl.DataFrame | pl.LazyFrame
    items: pl.DataFrame
    samples: pl.DataFrame
    judgements: pl.DataFrame
    rejects: pl.DataFrame
    card: dict
    kept_open: object = None
    own_rights: dict | None = None

    @property
    def tables(self) -> dict[str, pl.DataFrame | pl.LazyFrame]:
        """The five tables by name."""
        names = ("documents", "items", "samples", "judgements", "rejects")
        return {name: getattr(self, name) for name in names}


class Documents:
    """Document rows in the order in which a reader gives them, of each id the first.

    When those in memory exceed `most_chars` characters (None: never), they go to a file of a scratch folder
    (`TMPDIR`), which lasts as long as this object.
    """

    def __init__(self, most_chars: int | None = None) -> None:
        self.most_chars = most_chars
        self._ids: set[str] = set()
        self._rows: list[dict[str, Any]] = []
        self._n_chars = 0
        self._folder: TemporaryDirectory[str] | None = None
        self._files: list[Path] = []

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, row: dict[str, Any]) -> None:
        """Take a row; one whose id was taken before counts no more."""
        if row["document_id"] in self._ids:
            return
        self._ids.add(row["document_id"])
        self._rows.append(row)
        self._n_chars += len(row["text"])
        if self.most_chars is not None and self._n_chars > self.most_chars:
            self._write()

    def table(self, *, where: str) -> pl.DataFrame | pl.LazyFrame:
        """All rows, validated (raises TruerateError, which begins with `where`); where some went to disk, a
        query of files, which `schemas.save_query` validates.
        """
        if not self._files:
            return validate(Document, frame(Document, self._rows), where=where)
        self._write()
        return scan(Document, self._files)

    def _write(self) -> None:
        self._folder = self._folder or TemporaryDirectory(prefix="truerate-source-")
        path = Path(self._folder.name) / f"{len(self._files):05}.parquet"
        write(Document, frame(Document, self._rows), path)
        self._files.append(path)
        self._rows, self._n_chars = [], 0


# ---- several sources as one ---------------------------------------------------------------------------------
TRAIN = "train"  # the task of texts to learn from (`training` of a source in params.yaml)
BETWEEN = "; "  # two sources' facts, in one card
BY_TASK = (
    "rights_by_task"  # of a card whose tasks differ in rights: task → name, licence, url, redistribution
)


def join(parts: list[SourceTables]) -> SourceTables:
    """Concatenate the tables of all parts; a row of equal id is kept once, all rejects stay."""
    tables: dict[str, pl.DataFrame] = {}
    for table in parts[0].tables:
        data = pl.concat([part.tables[table].lazy() for part in parts]).collect()
        is_named = data.columns[0].endswith("_id")
        tables[table] = data.unique(data.columns[0], keep="first", maintain_order=True) if is_named else data
    card = joined_card([part.card for part in parts]) | _by_task(parts)
    return SourceTables(**tables, card=card, own_rights=parts[0].own_rights)


def _by_task(parts: list[SourceTables]) -> dict:
    """What a joined card says of each task (`rights_by_task`) where parts differ in rights: the strictest of the
    parts that have the task; empty where all are under the same.
    """
    cards_of: dict[str, list[dict]] = {}
    for part in parts:
        for task in {*part.items["task"], *part.samples["task"]}:
            cards_of.setdefault(task, []).append(part.card)
    by_task = {task: _rights_of(cards) for task, cards in sorted(cards_of.items())}
    is_one = len({(rights["licence"], rights["redistribution"]) for rights in by_task.values()}) <= 1
    return {} if is_one else {BY_TASK: by_task}


def _rights_of(cards: list[dict]) -> dict:
    """Name, licence, address and redistribution of several cards: joined, the strictest."""
    words = {
        field: BETWEEN.join(dict.fromkeys(card[field] for card in cards if card[field])) or None
        for field in ("name", "licence", "url")
    }
    return words | {
        "redistribution": min((card["redistribution"] for card in cards), key=REDISTRIBUTION.index)
    }


def with_task_rights(tables: SourceTables, given: Mapping[str, Mapping[str, str]]) -> SourceTables:
    """A source whose card says of each task what may be done with it: what is `given`, else what the card says
    of the task or of the whole. The card itself says the strictest, and reference texts of a task bear its
    licence. Raises SourceError for a task that the source has not.
    """
    card, tasks = tables.card, sorted({*tables.items["task"], *tables.samples["task"]})
    if unknown := [task for task in given if task not in tasks]:
        raise SourceError(f"rights.tasks: the source has no task {unknown[0]!r}; its tasks: {listed(tasks)}")
    whole = _rights_of([card])
    by_task = {task: card.get(BY_TASK, {}).get(task, whole) | given.get(task, {}) for task in tasks}
    licences = [(task, by_task[task]["licence"]) for task in tasks if "licence" in given.get(task, {})]
    of_task = pl.DataFrame(licences, schema={"task": pl.String, "of_task": pl.String}, orient="row")
    named = (
        tables.items.select("task", document_id="document_ids")
        .explode("document_id")
        .join(of_task, on="task", maintain_order="left")
    )
    words = named.drop("task").unique("document_id", keep="first", maintain_order=True)
    on = {"on": "document_id", "how": "left", "maintain_order": "left"}
    joined = tables.documents.lazy().join(words.lazy(), **on)
    query = joined.with_columns(licence=pl.coalesce("of_task", "licence")).drop("of_task")
    documents = query.collect() if isinstance(tables.documents, pl.DataFrame) else query
    strictest = _rights_of(list(by_task.values()))
    rights = {key: strictest[key] for key in ("licence", "redistribution")}
    return replace(tables, documents=documents, card=card | rights | {BY_TASK: by_task})


def joined_card(cards: list[dict]) -> dict:
    """One card of many: names joined, the strictest redistribution, counts added, caveats of all."""
    joined = {
        field: BETWEEN.join(dict.fromkeys(card[field] for card in cards if card[field])) or None
        for field in ("name", "citation", "licence", "url")
    }
    counts: Counter[str] = Counter()
    for card in cards:
        counts.update(card["counts"])
    caveats = [caveat for card in cards for caveat in card.get("caveats") or filter(None, [card.get("note")])]
    return {
        **joined,
        **({"caveats": list(dict.fromkeys(caveats))} if caveats else {}),
        "redistribution": min((card["redistribution"] for card in cards), key=REDISTRIBUTION.index),
        "lang": cards[0]["lang"],
        "files": [file for card in cards for file in card["files"]],
        "counts": dict(sorted(counts.items())),
    }


# ---- texts to learn from -----------------------------------------------------------------------------------
def with_training(source: SourceTables, other: SourceTables) -> SourceTables:
    """Return a source with the silver texts of another as task `train`: samples, their items, and their
    documents.

    None is of split `test`, nor of a group with gold labels in either: every board that trains on a folder
    trains on the same. Texts that are the source's own (it may be its own training folder) move over, the
    rest stay to be judged.
    """
    is_silver = {"task": "silver", "label_source": "silver", "split": "train"}
    gold = pl.concat([source.samples, other.samples]).filter(label_source="gold")
    taken = other.samples.filter(~pl.col("group_id").is_in(gold["group_id"].implode()), **is_silver)
    moved, wanted = taken["sample_id"].implode(), taken.select("item_id").unique(maintain_order=True)
    items = other.items.join(wanted, on="item_id", how="semi", maintain_order="left")
    needed = items.select(document_id=pl.col("document_ids").explode()).unique(maintain_order=True)
    on = {"on": "document_id", "how": "semi", "maintain_order": "left"}
    documents = pl.concat([source.documents.lazy(), other.documents.lazy().join(needed.lazy(), **on)])
    own_samples = source.samples.filter(~pl.col("sample_id").is_in(moved))
    return SourceTables(
        documents=documents.unique("document_id", keep="first", maintain_order=True).collect(),
        items=pl.concat([source.items, _renamed(items, "item_id")]),
        samples=pl.concat([own_samples, _renamed(taken, "sample_id", "item_id")]),
        judgements=source.judgements,
        rejects=source.rejects,
        card=_card(source.card, other.card, n_train=taken.height),
    )


def _renamed(data: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Rows under task `train`, with ids of their own."""
    new = pl.col(*columns).map_elements(lambda old: keys.content_id(TRAIN, old), return_dtype=pl.String)
    return data.with_columns(new, task=pl.lit(TRAIN))


def _card(card: dict, other: dict, *, n_train: int) -> dict:
    """The rights and files of both (`own_redistribution`, `own_licence`: the source's alone), and counts."""
    files = {file["sha256"]: file for file in (*card["files"], *other["files"])}
    by_task = {BY_TASK: card[BY_TASK] | {TRAIN: _rights_of([other])}} if BY_TASK in card else {}
    return {
        **joined_card([card, other]),
        **by_task,
        "own_redistribution": card["redistribution"],
        "own_licence": card["licence"],
        "lang": card["lang"],
        "files": list(files.values()),
        "counts": card["counts"] | {"n_train": n_train},
    }
