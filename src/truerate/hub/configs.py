"""The configs of a board's data set: one per task of its samples and per table, split by licence."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core import rights
from truerate.core.errors import TruerateError
from truerate.core.schemas import PAIRS, SPLITS, pair
from truerate.core.text import passage_of
from truerate.hub.licences import Licence, combined, licence_of, words_of
from truerate.hub.shards import Config, Rows, stored

# the one split of a table that is not divided into training and test; `all` means all splits to `datasets`
FULL = "full"
LEADERBOARD = "leaderboard"
# table → (what names a row, what a row is)
TABLES = {
    "items": ("item_id", "one thing that is asked about"),
    "documents": ("document_id", "one reference text"),
    "generations": ("generation_id", "one reply of a model"),
    "facts": ("fact_id", "one atomic fact of a reply"),
    "judgements": ("judgement_id", "what a detector, judge or annotator says of one text (`target_id`)"),
    "counts": (None, "the account of one step: how many replies were usable, and why the others were not"),
    "scores": (None, "one aggregate with its interval and the number of rows behind it"),
    LEADERBOARD: (None, "one cell of a leaderboard, with its range of ranks"),
}
COLUMNS = tuple(
    (
        "sample_id item_id group_id pair_id lang question history knowledge right_answer text text_sha256 "
        "is_hallucinated label_source generator pattern spans rationale attributes"
    ).split()
)


Tables = Mapping[str, pl.DataFrame | pl.LazyFrame]


class Part(NamedTuple):
    """Rows of one config before its name is settled: those of one task or table that stand under one licence."""

    name: str
    description: str
    licence: Licence
    has_texts: bool
    splits: dict[str, Rows | pl.LazyFrame]


def configs_of(
    tables: Tables,
    *,
    card: Mapping,
    source: str,
    tasks: Iterable[str],
    attributes: Collection[str] = (),
    folder: Path | None = None,
) -> list[Config]:
    """What of a board's tables goes out, as configs: tasks first, then tables; the first task, else the
    leaderboard, is the default.

    `tables`: `samples` and those of TABLES, as `truerate.core.schemas` declares them (one that is missing
    counts as empty); `card` and `source` the card and name of the board's source; `tasks` and `attributes` those
    of the track's card, the tasks in the order in which they are shown. A row's licence is the
    source's, joined with those of the documents whose text stands in it; where these cannot be joined, or one
    of them is not known, the row goes without that text. A table whose rows differ in licence becomes a
    config for each. Rows are in the order of their ids; empty splits and tables are left out; no row at all
    gives no config. What outgrows memory is a query, in the order of its ids, each of them once
    (`hub.shards.in_order`): its rows go into a scratch `folder`.
    """
    licence = licence_of(words_of(card))
    has_texts = rights.has_texts(card)
    shown = rights.outgoing_tables(tables, card=card, source=source, attributes=attributes)
    tasks = tuple(tasks)
    parts = [*_task_parts(shown, tasks, licence, has_texts), *_table_parts(shown, licence, has_texts)]
    return _with_default(_with_names([_on_disk(part, folder) for part in parts]), tasks)


def _on_disk(part: Part, folder: Path | None) -> Part:
    """A part with the rows of queries in files of a scratch folder."""
    splits = dict(part.splits)
    for split, data in splits.items():
        if isinstance(data, pl.LazyFrame):
            assert folder is not None  # as `configs_of` says
            name = f"{part.name}-{slug(part.licence)}-{'texts' if part.has_texts else 'ids'}-{split}.parquet"
            splits[split] = stored(data, folder / name)
    return part._replace(splits=splits)


def _task_parts(tables: Tables, tasks: Sequence[str], source_licence: Licence, has_texts: bool) -> list[Part]:
    """The samples of each task beside what they are about, by licence."""
    if not _height(tables, "samples"):
        return []
    samples, items = (
        tables[name].lazy().collect() if name in tables else None for name in ("samples", "items")
    )
    assert samples is not None
    rows, licences = joined(
        samples.sort("sample_id"), items, tables.get("documents"), source_licence=source_licence
    )
    parts = []
    for task in tasks:
        for licence in _ordered(licences):
            wanted = [
                row_licence == licence and name == task
                for row_licence, name in zip(licences, rows["task"], strict=True)
            ]
            task_rows = rows.filter(pl.Series(wanted, dtype=pl.Boolean))
            data = task_rows.select("split", *(name for name in COLUMNS if name in task_rows.columns))
            splits: dict[str, Rows | pl.LazyFrame] = {
                split: data.filter(split=split).drop("split") for split in SPLITS
            }
            parts.append(
                Part(
                    task,
                    f"one labelled text of task `{task}` with what it is about",
                    licence,
                    has_texts,
                    splits,
                )
            )
    return parts


def _table_parts(tables: Tables, source_licence: Licence, has_texts: bool) -> list[Part]:
    parts = []
    for name, (identity, description) in TABLES.items():
        if not _height(tables, name):
            continue
        data = tables[name]
        if isinstance(data, pl.DataFrame):
            data = (
                data.unique(identity, keep="first", maintain_order=True).sort(identity)
                if identity
                else _sorted(data)
            )
        if name == "documents" and has_texts:
            parts += _documents(data, description, source_licence)
        else:
            parts.append(
                Part(name, description, source_licence, has_texts or name not in rights.KEYS, {FULL: data})
            )
    return parts


def _documents(data: pl.DataFrame | pl.LazyFrame, description: str, source_licence: Licence) -> list[Part]:
    """Documents by their licence; those without a usable one go without text, under the licence of the rest."""
    by_licence: dict[Licence, list[str]] = {}
    for words in data.lazy().select("licence").unique().sort("licence").collect().to_series():
        by_licence.setdefault(licence_of(words), []).append(words)
    parts, shut = [], []
    for licence, words in by_licence.items():
        if licence == source_licence or combined([licence]):
            parts.append(
                Part(
                    "documents",
                    description,
                    licence,
                    True,
                    {FULL: data.filter(pl.col("licence").is_in(words))},
                )
            )
        else:
            shut += words
    bare = rights.without_texts({"documents": data.filter(pl.col("licence").is_in(shut))})["documents"]
    return [
        *parts,
        Part(
            "documents",
            f"{description}, without the text itself: no licence lets it go out",
            source_licence,
            False,
            {FULL: bare},
        ),
    ]


def _sorted(data: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table without an id in an order of their own: by their plain columns, then by their slice."""
    plain = [name for name, dtype in data.schema.items() if not dtype.is_nested()]
    sliced = [name for name, dtype in data.schema.items() if dtype == PAIRS]
    slices = [pl.col(name).list.eval(pl.element().struct.json_encode()).list.join(" ") for name in sliced]
    return data.sort(*plain, *slices, nulls_last=True, maintain_order=True)


def _with_names(parts: Iterable[Part]) -> list[Config]:
    """Name the parts that have rows; a name bears the licence where a task or table has several."""
    splits = [(part, _with_rows(part)) for part in parts]
    kept = [part for part, filled in splits if filled]
    configs = []
    for part, filled in splits:
        if not filled:
            continue
        others = [other for other in kept if other.name == part.name and other is not part]
        name = (
            f"{part.name}-{slug(part.licence)}"
            if any(other.licence != part.licence for other in others)
            else part.name
        )
        if any(
            other.licence == part.licence for other in others
        ):  # the same licence, once with texts and once without
            name += "" if part.has_texts else "-ids"
        configs.append(Config(name, filled, part.licence, part.description, has_texts=part.has_texts))
    return configs


def _with_rows(part: Part) -> dict[str, Rows]:
    """The splits of a part that have rows."""
    return {
        name: data for name, data in part.splits.items() if not isinstance(data, pl.LazyFrame) and data.height
    }


def _with_default(configs: Sequence[Config], tasks: Sequence[str]) -> list[Config]:
    """The same, exactly one of them the default: the first task, else the leaderboard, else the first.

    Of a task that is parted by licence it is the config with most rows, the first of equals.
    """
    if not configs:
        return []
    of_task = [
        (task, config)
        for config in configs
        if FULL not in config.splits
        for task in tasks
        if f"{config.name}-".startswith(f"{task}-")
    ]
    first = [config for task, config in of_task if task == of_task[0][0]]
    largest = sorted(first, key=lambda config: -sum(data.height for data in config.splits.values()))
    chosen = next(iter([*largest, *(config for config in configs if config.name == LEADERBOARD), *configs]))
    return [replace(config, is_default=config is chosen) for config in configs]


def holds_texts(config: Config) -> bool:
    """Whether a config's rows bear words of a source or a model, not only ids, labels and numbers."""
    return config.has_texts and any(
        {"text", "question", "response"} & set(data.columns) for data in config.splits.values()
    )


def slug(licence: Licence) -> str:
    """A licence in a config's name: the Hub's id, else its own name in small letters, digits, dots and hyphens."""
    return (
        licence.id
        if licence.id != "other"
        else re.sub(r"[^a-z0-9.]+", "-", licence.name.lower()).strip("-.")[:40] or "other"
    )


def _ordered(licences: Iterable[Licence]) -> list[Licence]:
    return sorted(set(licences), key=lambda licence: (licence.id, licence.name, licence.link or ""))


def _height(tables: Tables, name: str) -> int:
    return int(tables[name].lazy().select(pl.len()).collect().item()) if name in tables else 0


# ---- what a text is about ------------------------------------------------------------------------------------
BREAK = "\n\n"  # between two documents or passages
OF_ITEM = ("document_ids", "history", "question", "right_answer")


def joined(
    samples: pl.DataFrame,
    items: pl.DataFrame | None,
    documents: pl.DataFrame | pl.LazyFrame | None,
    *,
    source_licence: Licence,
) -> tuple[pl.DataFrame, list[Licence]]:
    """Samples with their item's `history`, `question`, `right_answer` and with `knowledge`, and the licence
    of each row.

    `knowledge` is the passages that the sample names as its evidence, else the texts of its item's documents,
    joined by blank lines in order; null where there are none, or where their licence is not known or cannot
    be joined with `source_licence`, the licence of the rest. Columns that the tables do not have (texts that may not go
    out) are not there. Raises TruerateError for evidence that names no passage.
    """
    rows = (
        samples
        if items is None
        else samples.join(_of_items(items), on="item_id", how="left", maintain_order="left")
    )
    is_there = documents is not None and "text" in documents.collect_schema()
    if documents is None or not is_there or "document_ids" not in rows.columns:
        return rows, [source_licence] * rows.height
    named_documents = documents.lazy().filter(pl.col("document_id").is_in(sorted(_named(rows))))
    texts_by_id = {
        name: (text, words)
        for name, text, words in named_documents.select("document_id", "text", "licence")
        .collect()
        .iter_rows()
    }
    texts, licences = [], []
    for sample, named, evidence in rows.select(
        "sample_id", "document_ids", pair("attributes", "evidence")
    ).iter_rows():
        parts = (
            [(name, 0, None) for name in named or () if name in texts_by_id]
            if evidence is None
            else _passages(evidence, texts_by_id, sample)
        )
        licence = _licence(source_licence, frozenset(texts_by_id[name][1] for name, _, _ in parts))
        texts.append(
            BREAK.join(texts_by_id[name][0][start:end] for name, start, end in parts) or None
            if licence
            else None
        )
        licences.append(licence or source_licence)
    return rows.with_columns(pl.Series("knowledge", texts, dtype=pl.String)), licences


def _named(rows: pl.DataFrame) -> set[str]:
    """The documents that the rows of samples name: their items', or those of the passages that they name themselves."""
    evidence = rows.select(pair("attributes", "evidence")).to_series()
    cited = {
        passage[0]
        for drop_null in evidence.drop_nulls()
        for name in drop_null.split()
        if (passage := passage_of(name))
    }
    return cited | set(rows.filter(evidence.is_null())["document_ids"].explode().drop_nulls())


def _of_items(items: pl.DataFrame) -> pl.DataFrame:
    return items.select("item_id", *(name for name in OF_ITEM if name in items.columns))


def _passages(evidence: str, documents: Mapping[str, tuple], sample: str) -> Sequence[tuple[str, int, int]]:
    """The passages that a sample's evidence names, as document and code points."""
    passages = [(word, passage_of(word)) for word in evidence.split()]
    for name, passage in passages:
        if passage is None or passage[0] not in documents:
            raise TruerateError(
                f"evidence of sample {sample!r}: {name!r} is no passage of a document of this board; run `dvc repro` again"
            )
    return [passage for _, passage in passages]


@cache
def _licence(source_licence: Licence, words: frozenset[str]) -> Licence | None:
    """The licence of a row that also holds texts under `words`; None if one is unknown or they cannot be joined."""
    others = {licence_of(word) for word in words} - {source_licence}
    if not all(other.is_known for other in others):
        return None
    return (
        combined([source_licence, *sorted(others, key=lambda licence: (licence.id, licence.name))])
        if others
        else source_licence
    )
