"""The sample browser's data: a stratified choice of records per board, cut into segments, as scripts that a
page loads from disk.

`samples/<board>/index.js` calls `truerateIndex(board, index)` with one code (or a list of codes) per record and
filter, and what the filters are called; `ids.js` names the records; `<k>.js` calls `truerateShard(board, k,
records)` and `words/<bucket>.js` `truerateWords(board, bucket, [lists])` (`word_index`). All values are packed.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest

import polars as pl

from truerate.core.schemas import unpaired
from truerate.site.closed_records import closed_records
from truerate.site.layers import in_order, segments, types_of
from truerate.site.packing import packed_json, packed_script
from truerate.site.permalinks import how_asked
from truerate.site.registry import page_of
from truerate.site.rights import has_records, has_texts, open_part
from truerate.site.samples_index import JUDGES, Gathered
from truerate.site.shards import SHARD, parts
from truerate.site.tables import Board, Tables, dicts_of, rows_by, texts_of, tuples_of
from truerate.site.vocabulary import Vocabulary
from truerate.site.word_index import DENSE, PART, buckets_of

BROWSER = tuple(f"samples_{name}.js" for name in ("store", "search", "text", "cards", "filters", "keys"))
LAST = "samples.js"  # after the scripts of the records that it shows
FILTERS = (
    ("task", "Task", "All tasks"),
    ("lang", "Language", "All languages"),
    ("label", "Label", "Both labels"),
    ("pattern", "Pattern", "All patterns"),
    ("type", "Type of span", "All types"),
    ("generator", "Written by", "Anyone"),
)
OUTCOMES = (
    ("w", "Judged wrongly", "w"),
    ("r", "Judged rightly", "r"),
    ("u", "No verdict read", "u"),
)  # value, words, letters it holds for


def context(tables: Tables) -> dict:
    """What samples.md.j2 shows: the boards with records, and those whose rights allow none."""
    shown = [board for board in tables.boards if has_records(board)]
    of_forms = (name for board in shown for name in page_of(board.track).record_scripts)
    return {
        "shown": shown,
        "scripts": [*dict.fromkeys((*BROWSER, *of_forms, LAST))],
        "named": [board for board in shown if not has_texts(open_part(board))],
        "closed": [board for board in tables.boards if has_texts(board) and not has_records(board)],
        "n_max": tables.max_samples,
    }


def scripts(tables: Tables, board: Board) -> Iterator[tuple[str, str]]:
    """The data scripts of one board, path and text, one after the other; none where nothing may be shown.

    The index comes last: the records are made, packed and forgotten part by part.
    """
    if not has_records(board):
        return
    open_board = open_part(board)
    make = (page_of(board.track).records or labelled) if has_texts(open_board) else closed_records
    shown = open_board if has_texts(open_board) else board
    records, index = make(shown, tables.max_samples)
    n_buckets = buckets_of(min(tables.max_samples, max(shown.samples.height, shown.generations.height)))
    folder, k = f"samples/{board.name}", 0
    words: list[list[str]] = [[] for _ in range(n_buckets)]
    for shards, lists in parts(records, n_buckets):
        for shard in shards:
            yield f"{folder}/{k}.js", packed_script("truerateShard", board.name, k, data=shard)
            k += 1
        for found, packed in zip(words, lists, strict=True):
            found.append(packed)
    for bucket, found in enumerate(words):
        yield f"{folder}/words/{bucket}.js", packed_script("truerateWords", board.name, bucket, data=found)
    yield f"{folder}/ids.js", packed_script("truerateIds", board.name, data=packed_json(index.pop("ids")))
    index |= {"shard": SHARD, "part": PART, "buckets": n_buckets, "dense": DENSE}
    yield f"{folder}/index.js", packed_script("truerateIndex", board.name, data=packed_json(index))


def labelled(board: Board, n_max: int) -> tuple[Iterator[dict], dict]:
    """At most `n_max` records of a board whose texts have a label and verdicts, one after the other, and the
    index over them, which is whole once they were read.
    """
    index: dict = {}
    return _labelled(board, _places(board, n_max), index), index


def _labelled(board: Board, places: list[int], index: dict) -> Iterator[dict]:
    gathered = Gathered(name for name, *_ in FILTERS)
    for first in range(0, len(places), PART):
        samples = board.samples[places[first : first + PART]]
        records = _records(board, samples)
        types = [types_of(record["text"]) for record in records]
        gathered.extend(records, _values(samples, types))
        gathered.layers.update(*(record["layers"] for record in records))
        gathered.types.update(*types)
        yield from records
    index |= _index(board, gathered)


def _places(board: Board, n_max: int) -> list[int]:
    """Places of the samples in the order in which they are shown."""
    samples = board.samples.select("sample_id", "pair_id", "task", "pattern", "is_hallucinated")
    if samples.height > n_max:
        places = {name: place for place, name in enumerate(samples["sample_id"])}
        return [places[one["sample_id"]] for one in chosen(samples.to_dicts(), n_max, board.vocabulary)]
    order = {
        task: place
        for place, task in enumerate(sorted(samples["task"].unique(), key=board.vocabulary.sort_key))
    }
    keys = (
        pl.col("task").replace_strict(order, return_dtype=pl.Int64),
        pl.coalesce(pl.when(pl.col("pair_id") != "").then("pair_id"), "sample_id"),
        ~pl.col("is_hallucinated"),
        pl.col("sample_id"),
    )
    return samples.with_row_index("place").sort(keys)["place"].to_list()


def chosen(samples: list[dict], n_max: int, vocabulary: Vocabulary) -> list[dict]:
    """At most `n_max` samples, both sides of a pair together, drawn in turn from each task and pattern by
    their ids (content hashes).
    """
    units: dict[str, list[dict]] = defaultdict(list)
    for sample in samples:
        units[sample["pair_id"] or sample["sample_id"]].append(sample)
    strata: dict[tuple, list[str]] = defaultdict(list)
    for unit in sorted(units):
        strata[_stratum(units[unit])].append(unit)
    kept: list[dict] = []
    for turn in zip_longest(*(strata[key] for key in sorted(strata))):
        for unit in filter(None, turn):
            if len(kept) + len(units[unit]) <= n_max:
                kept += units[unit]
    return sorted(
        kept,
        key=lambda one: (
            vocabulary.sort_key(one["task"]),
            one["pair_id"] or one["sample_id"],
            not one["is_hallucinated"],
            one["sample_id"],
        ),
    )


def _stratum(unit: list[dict]) -> tuple[str, str, bool]:
    """Task, pattern of the hallucinated side, and whether there is one."""
    return (
        unit[0]["task"],
        max(sample["pattern"] or "" for sample in unit),
        any(sample["is_hallucinated"] for sample in unit),
    )


def _records(board: Board, samples: pl.DataFrame) -> list[dict]:
    shown_of_items = board.items.select("item_id", "question", "history", "document_ids")
    items = rows_by(shown_of_items, "item_id", samples["item_id"])
    texts = texts_of(board.documents, items)
    judgements = _judgements(board, {*samples["sample_id"], *samples["pair_id"]})
    return [
        _record(
            sample,
            items.get(sample["item_id"], {}),
            texts,
            judgements[sample["sample_id"]] + judgements[sample["pair_id"]],
        )
        for sample in dicts_of(samples.drop("group_id", "split", "attributes"))
    ]


def _record(sample: dict, item: dict, texts: dict[str, str], judgements: list[tuple]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    truth = sample["is_hallucinated"]
    marked = {who: spans for who, _, _, spans in judgements if spans}
    layers = {sample["label_source"]: sample["spans"]} | marked
    knowledge = "\n\n".join(texts[name] for name in item.get("document_ids") or () if name in texts)
    question, history = item.get("question") or "", item.get("history") or ""
    return {
        "id": sample["sample_id"],
        "pair": sample["pair_id"],
        "lang": sample["lang"],
        "task": sample["task"],
        "wrong": truth,
        "source": sample["label_source"],
        "by": sample["generator"],
        "pattern": sample["pattern"],
        "why": sample["rationale"],
        "layers": list(layers),
        "text": segments(sample["text"], list(layers.values())),
        "question": question,
        "history": history,
        "knowledge": knowledge,
        "said": [[who, verdict, reason] for who, verdict, reason, _ in judgements],
        "_outcome": {who: _outcome(verdict, truth) for who, verdict, *_ in judgements},
        "_search": [sample["sample_id"], sample["text"], question, history, knowledge, sample["rationale"]],
    }


def _judgements(board: Board, targets: set[str | None]) -> dict[str | None, list[tuple]]:
    """Judgements of these by target: who said it (judge and variant) in one phrase, verdict, reason, spans."""
    by_target: dict[str | None, list[tuple]] = defaultdict(list)
    rows = board.judgements.filter(pl.col("target_id").is_in(sorted(filter(None, targets))))
    rows = rows.sort("judge", "judgement_id").select(
        "target_id", "judge", "verdict", "reason", "spans", "attributes"
    )
    for target, judge, verdict, reason, spans, attributes in tuples_of(rows):
        who = " · ".join([judge, *how_asked(board, unpaired(attributes))]) if attributes else judge
        by_target[target].append((who, verdict, reason, spans))
    return by_target


def _outcome(verdict: bool | None, truth: bool) -> str:
    return "u" if verdict is None else "r" if verdict == truth else "w"


def _values(samples: pl.DataFrame, types: list[set[str]]) -> dict[str, list]:
    """What records are filtered by, a column each."""
    label = pl.when("is_hallucinated").then(pl.lit("hallucinated")).otherwise(pl.lit("right")).alias("label")
    told = samples.select(pl.col("task", "lang", "pattern", "generator").fill_null(""), label)
    return told.to_dict(as_series=False) | {"type": [sorted(some) for some in types]}


def _index(board: Board, gathered: Gathered) -> dict:
    """Filters, and one letter per record and judge: r(ight), w(rong), u(nparsed), - (not asked)."""
    return gathered.columns(FILTERS, board.vocabulary) | {
        "n_all": board.samples.height,
        "types": sorted(gathered.types),
        "layers": in_order(gathered.layers),
        "judged": list(JUDGES),
        "outcomes": [list(outcome) for outcome in OUTCOMES],
        "judges": gathered.judges,
    }
