"""A board of which only some tasks may go out with their texts: these whole, all else as ids, labels and checksums."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core import rights
from truerate.core.errors import TruerateError
from truerate.core.text import sentences, words
from truerate.hub.configs import TABLES, Part, Tables, configs_from, parts_of
from truerate.hub.licences import SHUT, Licence, licence_of, refuse_unpublishable
from truerate.hub.shards import Config
from truerate.sources.tables import BY_TASK

RUN, SENTENCE = (
    8,
    5,
)  # words: what repeats so many of a withheld text in a row, or a sentence of so many, is withheld
Queries = Mapping[str, pl.LazyFrame]


def open_tasks(card: Mapping) -> dict[str, Mapping]:
    """Return the tasks of a card whose texts may go out, each with its rights: `redistribution` is yes and the
    licence is known, allows derivatives, and is one. Empty where the card says nothing of tasks.
    """

    def is_open(task: str, of_task: Mapping) -> bool:
        try:
            refuse_unpublishable(of_task, what=f"task {task!r}")
        except TruerateError:
            return False
        return of_task["redistribution"] == "yes"

    return {task: of_task for task, of_task in card.get(BY_TASK, {}).items() if is_open(task, of_task)}


class Parted(NamedTuple):
    """The tables of a board in two: rows that go out with their texts, and those that go without (bare)."""

    open: dict[str, pl.LazyFrame]
    bare: dict[str, pl.LazyFrame]


def parted(
    tables: Tables, *, card: Mapping, searching: Collection[str] = (), attributes: Collection[str] = ()
) -> Parted:
    """Return a board's tables of texts (`rights.KEYS`), each row on one side.

    Withheld are the documents of closed tasks and those under a closed task's licence (where an open task is
    under it, too, those that no open item names); the items of closed
    tasks, and others that rest on a withheld document; what is about a withheld item (samples, replies, facts)
    or judges one; replies of the purposes `searching`, whose prompts held whatever a search had found among all
    documents; and every row whose text names a withheld document or repeats one of its sentences, or RUN words
    that begin at a multiple of RUN in it. Rows of which nothing says what they are about are withheld. `attributes`:
    of the track's card, kept on bare rows.
    """
    queries = {name: data.lazy() for name, data in tables.items() if name in rights.KEYS}
    is_open = set(open_tasks(card))
    items = queries["items"].select("item_id", "task", "document_ids").collect()
    closed_items = items.filter(~pl.col("task").is_in(is_open))
    withheld = set(closed_items["document_ids"].explode().drop_nulls())
    if "documents" in queries:
        used = items.filter(pl.col("task").is_in(is_open))["document_ids"].explode().drop_nulls()
        closed, shared = _licences(card, is_open)
        is_used = pl.col("licence").is_in(shared) & pl.col("document_id").is_in(used.implode())
        under = queries["documents"].filter(pl.col("licence").is_in(closed), ~is_used)
        withheld |= set(under.select("document_id").collect()["document_id"])
    tells = partial(
        _tells, withheld=frozenset(withheld), runs=_runs(queries, withheld, closed_items["item_id"])
    )
    whole: dict[str, pl.LazyFrame] = {}

    def keep(name: str, query: pl.LazyFrame) -> None:
        """Keep the rows of a table that tell nothing of what is withheld."""
        clean = query.filter(~_strings(query).map_elements(tells, return_dtype=pl.Boolean))
        ids = clean.select(rights.KEYS[name]).collect(engine="streaming")
        whole[name] = _those_of(queries[name], ids.lazy(), rights.KEYS[name])

    keep("items", queries["items"].filter(pl.col("task").is_in(is_open)))
    for name in (each for each in rights.OF_ITEMS if each in queries):
        rows = _those_of(queries[name], whole["items"], "item_id")
        if name == "samples":
            rows = rows.filter(pl.col("task").is_in(is_open))
        if name == "generations":
            rows = rows.filter(~pl.col("purpose").is_in(searching))
        if name == "facts" and "generations" in whole:
            rows = _those_of(rows, whole["generations"], "generation_id")
        keep(name, rows)
    if "judgements" in queries:
        targets = pl.concat(
            [whole[name].select(target_id=rights.KEYS[name]) for name in rights.JUDGED if name in whole]
        )
        keep("judgements", _those_of(queries["judgements"], targets, "target_id"))
    if "documents" in queries:
        whole["documents"] = queries["documents"].filter(~pl.col("document_id").is_in(withheld))
    bare = {
        name: queries[name].join(whole[name], on=rights.KEYS[name], how="anti", maintain_order="left")
        for name in whole
    }
    as_ids = rights.without_texts(bare, attributes)
    return Parted(rights.open_tables(whole, card={"redistribution": "yes"}, source=""), as_ids)


def _those_of(query: pl.LazyFrame, named: pl.LazyFrame, key: str) -> pl.LazyFrame:
    """The rows whose key another table has, in their order."""
    return query.join(named, on=key, how="semi", maintain_order="left")


def partial_configs(
    tables: Tables,
    *,
    card: Mapping,
    tasks: Sequence[str],
    searching: Collection[str] = (),
    attributes: Collection[str] = (),
    folder: Path | None = None,
) -> list[Config]:
    """Return what of a board's tables goes out, as configs (see `configs_of`): of each open task and licence
    with texts, of all else ids, labels and checksums, in configs named `…-ids` that say why. Numbers (scores,
    counts, the leaderboard) are of all tasks.
    """
    open_side, bare_side = parted(tables, card=card, searching=searching, attributes=attributes)
    of_licence: dict[Licence, list[str]] = {}
    for task, of_task in open_tasks(card).items():
        of_licence.setdefault(licence_of(of_task["licence"]), []).append(task)
    whole = licence_of("; ".join(dict.fromkeys(of_task["licence"] for of_task in open_tasks(card).values())))
    parts: list[Part] = []
    for licence, of_tasks in of_licence.items():
        items = open_side["items"].filter(pl.col("task").is_in(of_tasks))
        rows = as_given(rights.about(open_side, items), tables)
        parts += [
            part for part in parts_of(rows, licence, tasks=tasks, has_texts=True) if part.name != "documents"
        ]
    numbers = {name: data for name, data in tables.items() if name not in rights.KEYS}
    documents = {name: data for name, data in open_side.items() if name == "documents"}
    parts += parts_of(as_given(documents, tables) | numbers, whole, tasks=tasks, has_texts=True)
    closed = {row["task"]: row for row in withheld(card)}
    of_task = {task: f"texts of {row['name']}, {row['licence']}" for task, row in closed.items()}
    of_task |= dict.fromkeys(open_tasks(card), "what rests on texts of another task, or repeats them")
    of_table = f"what is of {', '.join(closed)}, rests on texts of it or repeats them"
    bare = parts_of(
        as_given(bare_side, tables), _bare_licence([*closed.values()]), tasks=tasks, has_texts=False
    )
    for part in bare:
        parts.append(part._replace(name=f"{part.name}-ids", why=of_task.get(part.name, of_table)))
    order = [*tasks, *TABLES]
    parts.sort(key=lambda part: order.index(part.name.removesuffix("-ids")))
    return configs_from(parts, tasks=tasks, folder=folder)


def withheld(card: Mapping) -> list[dict]:
    """Return the closed tasks of a card: task, name, licence, address and what may be passed on."""
    is_open, silent = open_tasks(card), {"name": "an unnamed source", "licence": "licence not stated"}
    return [
        {"task": task, **of_task, **{key: of_task[key] or words for key, words in silent.items()}}
        for task, of_task in card[BY_TASK].items()
        if task not in is_open
    ]


def _bare_licence(closed: Sequence[Mapping]) -> Licence:
    """The licence of ids and labels of closed tasks: that of the texts where it is known, else a name that says
    what they are.
    """
    names = "; ".join(dict.fromkeys(row["licence"] for row in closed))
    licence = licence_of(names)
    is_usable = licence.is_known and licence.kind not in SHUT and not licence.parts
    return licence if is_usable else Licence("other", f"ids and labels alone; the texts: {names}")


def as_given(queries: Queries, tables: Tables) -> dict[str, pl.DataFrame | pl.LazyFrame]:
    """Queries as frames where the tables that they are of were frames."""
    return {
        name: query if isinstance(tables[name], pl.LazyFrame) else query.collect()
        for name, query in queries.items()
    }


def _licences(card: Mapping, is_open: Collection[str]) -> tuple[set[str], set[str]]:
    """The words on the licence of closed tasks, and those of them that are an open task's too."""
    words_of_open: set[str] = set()
    words_of_closed: set[str] = set()
    for task, of_task in card[BY_TASK].items():
        stated = of_task["licence"] or "not stated"
        (words_of_open if task in is_open else words_of_closed).update([stated, *stated.split("; ")])
    return words_of_closed, words_of_closed & words_of_open


# ---- what tells of a withheld text -------------------------------------------------------------------------
def _strings(query: pl.LazyFrame) -> pl.Expr:
    """All words of a row as one text: its text columns, ids among them, lists of them, values of attributes."""
    parts = []
    for name, dtype in query.collect_schema().items():
        if dtype == pl.String:
            parts.append(pl.col(name))
        elif dtype == pl.List(pl.String):
            parts.append(pl.col(name).list.join(" "))
        elif name == "attributes":
            parts.append(pl.col(name).list.eval(pl.element().struct.field("value")).list.join("\n"))
    return pl.concat_str(parts, separator="\n", ignore_nulls=True)


def _tells(text: str, *, withheld: Collection[str], runs: Collection[tuple[str, ...]]) -> bool:
    """Return whether a text names a withheld document, or repeats a run of words of one."""
    if any(name in withheld or name.rpartition(":")[0] in withheld for name in text.split()):
        return True
    spoken = words(text.casefold())
    if any(run in runs for run in zip(*(spoken[start:] for start in range(RUN)), strict=False)):
        return True
    return any(sentence in runs for sentence in _sentences(text))


def _sentences(text: str) -> Iterator[tuple[str, ...]]:
    """The words of each sentence that has SENTENCE of them."""
    for line in text.split("\n"):
        for sentence in sentences(line):
            if len(spoken := words(sentence.casefold())) >= SENTENCE:
                yield tuple(spoken)


def _runs(queries: Queries, documents: Collection[str], items: pl.Series) -> frozenset[tuple[str, ...]]:
    """What tells of a withheld document, or of what is asked and answered in a withheld item: its words by RUN,
    from the first on, and its sentences.
    """
    texts = queries["items"].filter(pl.col("item_id").is_in(items.implode()))
    of_items = texts.select(pl.concat_list("question", "history", "right_answer").alias("text")).collect()
    withheld_texts = of_items["text"].explode().drop_nulls().to_list()
    if "documents" in queries:
        rows = queries["documents"].filter(pl.col("document_id").is_in(documents)).select("text")
        withheld_texts += rows.collect()["text"].to_list()
    runs = set()
    for text in withheld_texts:
        spoken = words(text.casefold())
        runs |= {*_sentences(text)} | {
            tuple(spoken[start : start + RUN]) for start in range(0, len(spoken) - RUN + 1, RUN)
        }
    return frozenset(runs)
