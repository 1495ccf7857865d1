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

from truerate.site.closed_records import closed_records
from truerate.site.layers import in_order, segments, types_of
from truerate.site.packing import packed_json
from truerate.site.permalinks import how_asked
from truerate.site.rights import has_records, has_texts, open_part
from truerate.site.safety import script
from truerate.site.samples_index import Gathered
from truerate.site.sections import page_of
from truerate.site.shards import SHARD, parts
from truerate.site.tables import Board, Tables, rows_by, texts_of, unpaired
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
JUDGES = ("Judged by", "Any judge")


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
            yield f"{folder}/{k}.js", script("truerateShard", board.name, k, shard)
            k += 1
        for found, packed in zip(words, lists, strict=True):
            found.append(packed)
    for bucket, found in enumerate(words):
        yield f"{folder}/words/{bucket}.js", script("truerateWords", board.name, bucket, found)
    yield f"{folder}/ids.js", script("truerateIds", board.name, packed_json(index.pop("ids")))
    index |= {"shard": SHARD, "part": PART, "buckets": n_buckets, "dense": DENSE}
    yield f"{folder}/index.js", script("truerateIndex", board.name, packed_json(index))


def labelled(board: Board, n_max: int) -> tuple[Iterator[dict], dict]:
    """At most `n_max` records of a board whose texts have a label and verdicts, one after the other, and the
    index over them, which is whole once they were read.
    """
    index: dict = {}
    return _labelled(board, _names(board, n_max), index), index


def _labelled(board: Board, names: list[str], index: dict) -> Iterator[dict]:
    gathered = Gathered(name for name, *_ in FILTERS)
    for first in range(0, len(names), PART):
        wanted = names[first : first + PART]
        rows = rows_by(board.samples, "sample_id", wanted)
        for record in _records(board, [rows[name] for name in wanted]):
            types = types_of(record["text"])
            gathered.add(record, _values(record, types))
            gathered.layers.update(record["layers"])
            gathered.types |= types
            yield record
    index |= _index(board, gathered)


def _names(board: Board, n_max: int) -> list[str]:
    """Ids of the records in the order in which they are shown."""
    samples = board.samples.select("sample_id", "pair_id", "task", "pattern", "is_hallucinated")
    if samples.height > n_max:
        return [one["sample_id"] for one in chosen(samples.to_dicts(), n_max, board.vocabulary)]
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
    return samples.sort(keys)["sample_id"].to_list()


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


def _records(board: Board, samples: list[dict]) -> list[dict]:
    items = rows_by(board.items, "item_id", [sample["item_id"] for sample in samples])
    texts = texts_of(board.documents, items)
    judgements = _judgements(board, {sample[name] for sample in samples for name in ("sample_id", "pair_id")})
    return [
        _record(
            sample,
            items.get(sample["item_id"], {}),
            texts,
            judgements[sample["sample_id"]] + judgements[sample["pair_id"]],
        )
        for sample in samples
    ]


def _record(sample: dict, item: dict, texts: dict[str, str], judgements: list[dict]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    truth = sample["is_hallucinated"]
    marked = {one["who"]: one["spans"] for one in judgements if one["spans"]}
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
        "said": [[one["who"], one["verdict"], one["reason"]] for one in judgements],
        "_outcome": {one["who"]: _outcome(one["verdict"], truth) for one in judgements},
        "_search": [sample["sample_id"], sample["text"], question, history, knowledge, sample["rationale"]],
    }


def _judgements(board: Board, targets: set[str | None]) -> dict[str | None, list[dict]]:
    """Judgements of these by target, each with who said it (judge and variant) in one phrase."""
    by_target: dict[str | None, list[dict]] = defaultdict(list)
    rows = board.judgements.filter(pl.col("target_id").is_in(sorted(filter(None, targets))))
    rows = rows.sort("judge", "judgement_id").select(
        "target_id", "judge", "verdict", "reason", "spans", "attributes"
    )
    for target, judge, verdict, reason, spans, attributes in rows.iter_rows():
        who = " · ".join([judge, *how_asked(board, unpaired(attributes))]) if attributes else judge
        by_target[target].append({"who": who, "verdict": verdict, "reason": reason, "spans": spans})
    return by_target


def _outcome(verdict: bool | None, truth: bool) -> str:
    return "u" if verdict is None else "r" if verdict == truth else "w"


def _values(record: dict, types: set[str]) -> dict[str, str | list[str]]:
    """What a record is filtered by."""
    return {
        "task": record["task"],
        "lang": record["lang"] or "",
        "label": "hallucinated" if record["wrong"] else "right",
        "pattern": record["pattern"] or "",
        "type": sorted(types),
        "generator": record["by"] or "",
    }


def _index(board: Board, gathered: Gathered) -> dict:
    """Filters, and one letter per record and judge: r(ight), w(rong), u(nparsed), - (not asked)."""
    return gathered.columns(FILTERS, board.vocabulary) | {
        "n_all": board.samples.height,
        "types": sorted(gathered.types),
        "layers": in_order(gathered.layers),
        "judged": list(JUDGES),
        "outcomes": [list(one) for one in OUTCOMES],
        "judges": gathered.judges,
    }
