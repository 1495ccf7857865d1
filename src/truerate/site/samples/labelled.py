"""Records of texts with a label and verdicts: the form of boards whose track has no other."""

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from truerate.core.schemas import unpaired
from truerate.site.permalinks import how_asked
from truerate.site.samples.index import Index, in_turn
from truerate.site.samples.layers import in_order, segments, types_of
from truerate.site.samples.word_index import PART
from truerate.site.tables import Board, dicts_of, known_texts, rows_by, texts_of, tuples_of
from truerate.site.vocabulary import Vocabulary


def records(board: Board, n_max: int) -> tuple[Iterator[dict], dict]:
    """Return at most `n_max` records of a board, and their index, whole once they were read."""
    index: dict = {}
    return _records(board, n_max, index), index


def _records(board: Board, n_max: int, index: dict) -> Iterator[dict]:
    gathered, layers, all_types = Index("labelled"), set[str](), set[str]()
    names = board.samples.select("sample_id", "pair_id", "task", "pattern", "is_hallucinated")
    numbered = names.with_row_index("row").to_dicts()
    rows = [sample["row"] for sample in chosen(numbered, n_max, board.vocabulary)]
    for first in range(0, len(rows), PART):
        samples = board.samples[rows[first : first + PART]]
        batch = _of_samples(board, samples)
        types = [types_of(record["text"]) for record in batch]
        gathered.add(batch, _values(samples, types))
        layers.update(*(record["layers"] for record in batch))
        all_types.update(*types)
        yield from batch
    index |= gathered.as_dict(
        board.vocabulary, n_all=board.samples.height, types=sorted(all_types), layers=in_order(layers)
    )


def chosen(samples: list[dict], n_max: int, vocabulary: Vocabulary) -> list[dict]:
    """Return at most `n_max` samples, pairs together, in turn from each task and pattern by their ids."""
    units: dict[str, list[dict]] = defaultdict(list)
    for sample in samples:
        units[sample["pair_id"] or sample["sample_id"]].append(sample)
    strata: dict[tuple, list[str]] = defaultdict(list)
    for unit in sorted(units):
        strata[_stratum(units[unit])].append(unit)
    kept: list[dict] = []
    for unit in in_turn(strata):
        if len(kept) + len(units[unit]) <= n_max:
            kept += units[unit]
    order = {task: vocabulary.sort_key(task) for task in {sample["task"] for sample in kept}}

    def position(sample: dict) -> tuple:
        unit = sample["pair_id"] or sample["sample_id"]
        return order[sample["task"]], unit, not sample["is_hallucinated"], sample["sample_id"]

    return sorted(kept, key=position)


def _stratum(unit: list[dict]) -> tuple[str, str, bool]:
    """Task, pattern of the hallucinated side, and whether there is one."""
    pattern = max(sample["pattern"] or "" for sample in unit)
    return unit[0]["task"], pattern, any(sample["is_hallucinated"] for sample in unit)


def _of_samples(board: Board, samples: pl.DataFrame) -> list[dict]:
    columns = board.items.select("item_id", "question", "history", "document_ids")
    items = rows_by(columns, "item_id", samples["item_id"])
    texts = texts_of(board.documents, items)
    by_target, records = _judgements(board, {*samples["sample_id"], *samples["pair_id"]}), []
    for sample in dicts_of(samples.drop("group_id", "split", "attributes")):
        judgements = by_target[sample["sample_id"]] + by_target[sample["pair_id"]]
        records.append(_record(sample, items.get(sample["item_id"], {}), texts, judgements))
    return records


def _record(sample: dict, item: dict, texts: dict[str, str], judgements: list[tuple]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    truth = sample["is_hallucinated"]
    layers = {sample["label_source"]: sample["spans"]}
    layers |= {who: spans for who, _, _, spans in judgements if spans}
    knowledge = "\n\n".join(known_texts(item, texts))
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
        "_outcome": {
            who: "u" if verdict is None else "r" if verdict == truth else "w"
            for who, verdict, *_ in judgements
        },
        "_search": [sample["sample_id"], sample["text"], question, history, knowledge, sample["rationale"]],
    }


def _judgements(board: Board, targets: set[str | None]) -> dict[str | None, list[tuple]]:
    """Judgements of these by target: judge and variant in one phrase, verdict, reason, spans."""
    by_target: dict[str | None, list[tuple]] = defaultdict(list)
    rows = board.judgements.filter(pl.col("target_id").is_in(sorted(filter(None, targets))))
    columns = ("target_id", "judge", "verdict", "reason", "spans", "attributes")
    ordered = rows.sort("judge", "judgement_id").select(columns)
    for target, judge, verdict, reason, spans, attributes in tuples_of(ordered):
        who = " · ".join([judge, *how_asked(board, unpaired(attributes))]) if attributes else judge
        by_target[target].append((who, verdict, reason, spans))
    return by_target


def _values(samples: pl.DataFrame, types: list[set[str]]) -> dict[str, list]:
    """Return what records are filtered by, a column each."""
    label = pl.when("is_hallucinated").then(pl.lit("hallucinated")).otherwise(pl.lit("right")).alias("label")
    columns = samples.select(pl.col("task", "lang", "pattern", "generator").fill_null(""), label)
    return columns.to_dict(as_series=False) | {"type": [sorted(some) for some in types]}
