"""The configs of a board's data set: one per task of its samples and per table, split by licence."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core import rights
from truerate.core.data_files import read_data
from truerate.core.errors import TruerateError
from truerate.core.schemas import PAIRS, SPLITS, pair
from truerate.core.text import passage_of
from truerate.hub.licences import Licence, combined, licence_of, words_of
from truerate.hub.shards import Config, Rows, stored

# the one split of a table that is not divided into training and test; `all` means all splits to `datasets`
FULL = "full"
LEADERBOARD = "leaderboard"
CARD_WORDS = read_data(Path(__file__).with_name("cards.yaml"), dict)
# table → what names a row (`id`), what a row is (`row`)
TABLES: Mapping[str, dict[str, str]] = CARD_WORDS["tables"]
COLUMNS: Mapping[str, str] = CARD_WORDS["columns"]  # columns of labelled texts with their meaning
Tables = Mapping[str, pl.DataFrame | pl.LazyFrame]


class Part(NamedTuple):
    """Rows of one config before its name is settled: of one task or table, under one licence."""

    name: str
    description: str
    licence: Licence
    has_texts: bool
    splits: Mapping[str, Rows | pl.LazyFrame]
    why: str = ""


def configs_of(
    tables: Tables,
    *,
    card: Mapping,
    source: str,
    tasks: Iterable[str],
    attributes: Collection[str] = (),
    folder: Path | None = None,
) -> list[Config]:
    """Return what of a board's tables goes out, as configs: tasks first, then tables; the first task, else
    the leaderboard, is the default.

    `tables`: `samples` and those of TABLES (schemas of `truerate.core.schemas`; a missing one is empty);
    `card` and `source`: card and name of the board's source; `tasks` (in order) and `attributes`: those of
    the track's card.

    A row's licence is the source's, joined with those of the documents whose text stands in it; where these
    cannot be joined, or one is not known, the row goes without that text. A table whose rows differ in
    licence becomes a config for each. Rows are in the order of their ids; empty splits, tables and configs
    are left out. What outgrows memory is a query, in the order of its ids, each once (`hub.shards.in_order`):
    its rows go into a scratch `folder`.
    """
    shown = rights.outgoing_tables(tables, card=card, source=source, attributes=attributes)
    parts = parts_of(shown, licence_of(words_of(card)), tasks=tasks, has_texts=rights.has_texts(card))
    return configs_from(parts, tasks=tasks, folder=folder)


def parts_of(tables: Tables, licence: Licence, *, tasks: Iterable[str], has_texts: bool) -> list[Part]:
    """Return the labelled texts of each task, and each table, as parts under one licence (documents under
    their own).
    """
    return [*_task_parts(tables, tuple(tasks), licence, has_texts), *_table_parts(tables, licence, has_texts)]


def configs_from(parts: Iterable[Part], *, tasks: Iterable[str], folder: Path | None = None) -> list[Config]:
    """Return parts that have rows as named configs, one of them the default; parts of one name and licence that
    are alike in texts must be one.
    """
    return _with_default(_with_names([_filled(part, folder) for part in parts]), tuple(tasks))


def _filled(part: Part, folder: Path | None) -> Part:
    """A part with its splits that have rows, those of queries in files of a scratch folder."""
    splits: dict[str, Rows] = {}
    for split, data in part.splits.items():
        if isinstance(data, pl.LazyFrame):
            assert folder is not None  # as `configs_of` says
            kind = "texts" if part.has_texts else "ids"
            data = stored(data, folder / f"{part.name}-{slug(part.licence)}-{kind}-{split}.parquet")
        if data.height:
            splits[split] = data
    return part._replace(splits=splits)


def _task_parts(tables: Tables, tasks: Sequence[str], source_licence: Licence, has_texts: bool) -> list[Part]:
    """The samples of each task beside what they are about, by licence."""
    if not _height(tables, "samples"):
        return []
    items = tables["items"].lazy().collect() if "items" in tables else None
    samples = tables["samples"].lazy().collect().sort("sample_id")
    rows, licences = joined(samples, items, tables.get("documents"), source_licence=source_licence)
    ordered = sorted(set(licences), key=lambda licence: (licence.id, licence.name, licence.link or ""))
    ranks = pl.Series([ordered.index(licence) for licence in licences], dtype=pl.Int64)
    parts = []
    for task in tasks:
        for rank, licence in enumerate(ordered):
            task_rows = rows.filter((pl.col("task") == task) & (ranks == rank))
            data = task_rows.select("split", *(name for name in COLUMNS if name in rows.columns))
            splits = {split: data.filter(split=split).drop("split") for split in SPLITS}
            description = f"one labelled text of task `{task}` with what it is about"
            parts.append(Part(task, description, licence, has_texts, splits))
    return parts


def _table_parts(tables: Tables, source_licence: Licence, has_texts: bool) -> list[Part]:
    parts = []
    for name, words in TABLES.items():
        if not _height(tables, name):
            continue
        data, identity = tables[name], words["id"]
        if isinstance(data, pl.DataFrame) and identity:
            data = data.unique(identity, keep="first", maintain_order=True).sort(identity)
        elif isinstance(data, pl.DataFrame):
            data = _sorted(data)
        if name == "documents" and has_texts:
            parts += _documents(data, words["row"], source_licence)
        else:
            is_open = has_texts or name not in rights.KEYS
            parts.append(Part(name, words["row"], source_licence, is_open, {FULL: data}))
    return parts


def _documents(data: pl.DataFrame | pl.LazyFrame, description: str, source_licence: Licence) -> list[Part]:
    """Documents by licence; those without a usable one go without text, under the source's licence."""
    by_licence: dict[Licence, list[str]] = {}
    for words in data.lazy().select("licence").unique().sort("licence").collect().to_series():
        by_licence.setdefault(licence_of(words), []).append(words)
    parts, shut = [], []
    for licence, words in by_licence.items():
        if licence == source_licence or combined([licence]):
            rows = data.filter(pl.col("licence").is_in(words))
            parts.append(Part("documents", description, licence, True, {FULL: rows}))
        else:
            shut += words
    bare = rights.without_texts({"documents": data.filter(pl.col("licence").is_in(shut))})["documents"]
    description = f"{description}, without the text itself: no licence lets it go out"
    return [*parts, Part("documents", description, source_licence, False, {FULL: bare})]


def _sorted(data: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table without an id in an order of their own: by their plain columns, then by their slice."""
    plain = [name for name, dtype in data.schema.items() if not dtype.is_nested()]
    sliced = [name for name, dtype in data.schema.items() if dtype == PAIRS]
    slices = [pl.col(name).list.eval(pl.element().struct.json_encode()).list.join(" ") for name in sliced]
    return data.sort(*plain, *slices, nulls_last=True, maintain_order=True)


def _with_names(parts: Iterable[Part]) -> list[Config]:
    """Name the parts that have rows: by the licence, too, where a task or table has several, and with `-ids`
    where one licence has rows with texts and rows without.
    """
    filled = [part for part in parts if part.splits]
    configs = []
    for part in filled:
        licences = [other.licence for other in filled if other.name == part.name and other is not part]
        is_named = any(licence != part.licence for licence in licences)
        name = f"{part.name}-{slug(part.licence)}" if is_named else part.name
        name += "-ids" if part.licence in licences and not part.has_texts else ""
        how = {"has_texts": part.has_texts, "why": part.why}
        configs.append(Config(name, part.splits, part.licence, part.description, **how))
    return configs


def _with_default(configs: Sequence[Config], tasks: Sequence[str]) -> list[Config]:
    """The same, exactly one of them the default: the first task (its largest config), else the leaderboard,
    else the first.
    """
    labelled = [config for config in configs if FULL not in config.splits]
    readable = [each for each in labelled if each.has_texts] or labelled
    of_task = [(task, each) for each in readable for task in tasks if f"{each.name}-".startswith(f"{task}-")]
    first = [config for task, config in of_task if task == of_task[0][0]]
    largest = sorted(first, key=lambda config: -config.n_rows)
    boards = [config for config in configs if config.name == LEADERBOARD]
    chosen = next(iter([*largest, *boards, *configs]), None)
    return [replace(config, is_default=config is chosen) for config in configs]


def slug(licence: Licence) -> str:
    """A licence in a config's name: the Hub's id, else its name in letters, digits, dots and hyphens."""
    if licence.id != "other":
        return licence.id
    return re.sub(r"[^a-z0-9.]+", "-", licence.name.lower()).strip("-.")[:40] or "other"


def _height(tables: Tables, name: str) -> int:
    return int(tables[name].lazy().select(pl.len()).collect().item()) if name in tables else 0


# ---- what a text is about ----------------------------------------------------------------------------------
BREAK = "\n\n"  # between two documents or passages
OF_ITEM = ("document_ids", "history", "question", "right_answer")


def joined(
    samples: pl.DataFrame,
    items: pl.DataFrame | None,
    documents: pl.DataFrame | pl.LazyFrame | None,
    *,
    source_licence: Licence,
) -> tuple[pl.DataFrame, list[Licence]]:
    """Return samples with their item's `history`, `question`, `right_answer` and with `knowledge`, and each
    row's licence.

    `knowledge` is the passages that the sample names as its evidence, else the texts of its item's documents,
    joined by blank lines; null where there are none, or where their licence is not known or cannot be joined
    with `source_licence`. Columns that the tables lack (texts that may not go out) are not there. Raises
    TruerateError for evidence that names no passage.
    """
    rows = samples
    if items is not None:
        of_items = items.select("item_id", *(name for name in OF_ITEM if name in items.columns))
        rows = samples.join(of_items, on="item_id", how="left", maintain_order="left")
    is_there = documents is not None and "text" in documents.collect_schema()
    if documents is None or not is_there or "document_ids" not in rows.columns:
        return rows, [source_licence] * rows.height
    wanted = documents.lazy().filter(pl.col("document_id").is_in(sorted(_named(rows))))
    of_documents = wanted.select("document_id", "text", "licence").collect().iter_rows()
    texts_by_id = {name: (text, words) for name, text, words in of_documents}
    texts, licences = [], []
    evidence_of_rows = rows.select("sample_id", "document_ids", pair("attributes", "evidence"))
    for sample, named, evidence in evidence_of_rows.iter_rows():
        parts: Sequence[tuple[str, int, int | None]] = (
            [(name, 0, None) for name in named or () if name in texts_by_id]
            if evidence is None
            else _passages(evidence, texts_by_id, sample)
        )
        licence = _licence(source_licence, frozenset(texts_by_id[name][1] for name, _, _ in parts))
        text = BREAK.join(texts_by_id[name][0][start:end] for name, start, end in parts)
        texts.append(text or None if licence else None)
        licences.append(licence or source_licence)
    return rows.with_columns(pl.Series("knowledge", texts, dtype=pl.String)), licences


def _named(rows: pl.DataFrame) -> set[str]:
    """The documents that samples name: those of their evidence, else of their items."""
    evidence = rows.select(pair("attributes", "evidence")).to_series()
    names = (name for words in evidence.drop_nulls() for name in words.split())
    cited = {passage[0] for name in names if (passage := passage_of(name))}
    return cited | set(rows.filter(evidence.is_null())["document_ids"].explode().drop_nulls())


def _passages(evidence: str, documents: Mapping[str, tuple], sample: str) -> Sequence[tuple[str, int, int]]:
    """The passages that a sample's evidence names, as document and code points."""
    passages = [(word, passage_of(word)) for word in evidence.split()]
    for name, passage in passages:
        if passage is None or passage[0] not in documents:
            problem = f"{name!r} is no passage of a document of this board"
            raise TruerateError(f"evidence of sample {sample!r}: {problem}; run `dvc repro` again")
    return [passage for _, passage in passages]


@cache
def _licence(source_licence: Licence, words: frozenset[str]) -> Licence | None:
    """The licence of a row that also holds texts under `words`; None if one is unknown or does not join."""
    others = {licence_of(word) for word in words} - {source_licence}
    if not others or not all(other.is_known for other in others):
        return None if others else source_licence
    return combined([source_licence, *sorted(others, key=lambda licence: (licence.id, licence.name))])
