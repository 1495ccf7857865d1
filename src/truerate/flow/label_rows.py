"""The labels behind the boards of public sets that have more of them than units: made of the tables of their sources.

One function per reader, in `OF_READER`; a set that is not there has no more labels than its rows have values.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import frame, pairs
from truerate.flow.result_labels import Label
from truerate.tracks.labelled_replies.word_match import SPLIT, normalised

YES, NO = "yes", "no"
SCORE = ("wildfactscore", "estimator=raw;set=all")  # metric and slice that facts are the value of
RESPONDING = ("responding_rate", "rule=measured")
WRONG = ("hallucination_rate", "")
NONE = (None, "")
WORD = re.compile(r"\S+")


class Tables(NamedTuple):
    """The tables of a source that labels are made of."""

    samples: pl.DataFrame
    items: pl.DataFrame
    judgements: pl.DataFrame


class Unit(NamedTuple):
    """What a label is of: who wrote the text, which text, what it stands with, and the pairs of its slice."""

    subject: str
    unit_id: str
    cluster_id: str
    slice: list[dict[str, str]]


def labels_of(board: str, reader: str, tables: Tables) -> pl.DataFrame | None:
    """The labels behind a board, sorted; None for a set without any beside its rows."""
    if reader not in OF_READER:
        return None
    rows = [{"board": board} | row for row in OF_READER[reader](tables)]
    return frame(Label, rows).sort("question", "subject", "unit_id", "part", "rater")


def _row(
    unit: Unit,
    question: str,
    label: str | None,
    *,
    part: str = "",
    rater: str = "",
    of: tuple[str | None, str] = NONE,
    gives: float | None = None,
) -> dict:
    named = {"part": part, "question": question, "rater": rater, "label": label}
    return unit._asdict() | named | {"metric": of[0], "where": of[1], "gives": gives}


def _yes(value: object) -> str:
    return YES if value else NO


def _attributes(row: Mapping) -> dict[str, str]:
    return {pair["key"]: pair["value"] for pair in row["attributes"]}


def _factscore(tables: Tables) -> list[dict]:
    """Whether each reply answers, and what people said of each of its facts."""
    classes = {item["item_id"]: _attributes(item) for item in tables.items.to_dicts()}
    rows = []
    for sample in tables.samples.to_dicts():
        own, of_item = _attributes(sample), classes[sample["item_id"]]
        where = pairs(rarity=of_item["rarity_group"], region=of_item["region"])
        unit = Unit(sample["generator"], sample["item_id"], sample["item_id"], where)
        if sample["task"] == "fact":
            given = float(not sample["is_hallucinated"])
            rows.append(_row(unit, "fact", own["label"], part=own["place"], of=SCORE, gives=given))
        else:
            given = float(own["responds"] == YES)
            rows.append(_row(unit, "answers", own["responds"], of=RESPONDING, gives=given))
    return rows


def _refchecker(tables: Tables) -> list[dict]:
    """Whether any claim was taken out of each reply, and what people said of each of its claims."""
    rows = []
    for sample in tables.samples.to_dicts():
        own = _attributes(sample)
        unit = Unit(sample["generator"], sample["item_id"], sample["item_id"], [])
        if sample["task"] == "fact":
            given = float(not sample["is_hallucinated"])
            rows.append(_row(unit, "claim", own["label"], part=own["place"], of=SCORE, gives=given))
        else:
            rows.append(_row(unit, "has claims", _yes(int(own["n_claims"]))))
    return rows


def _xsum(tables: Tables) -> list[dict]:
    """What each worker marked in each summary: anything, anything intrinsic, anything extrinsic; and whether a mark touches
    each of its words.
    """
    units, words = {}, {}
    for sample in tables.samples.to_dicts():
        identity = sample["sample_id"]
        units[identity] = Unit(_attributes(sample)["system"], identity, sample["group_id"], [])
        words[identity] = [found.span() for found in WORD.finditer(sample["text"])]
    rows = []
    for said in tables.judgements.to_dicts():
        unit, spans = units[said["target_id"]], said["spans"]
        kinds = {span["type"] for span in spans}
        asked = {"hallucinated": bool(kinds), **{kind: kind in kinds for kind in ("intrinsic", "extrinsic")}}
        rows += [_row(unit, question, _yes(label), rater=said["judge"]) for question, label in asked.items()]
        for place, (start, end) in enumerate(words[said["target_id"]]):
            is_marked = any(span["start"] < end and span["end"] > start for span in spans)
            rows.append(_row(unit, "word", _yes(is_marked), part=str(place), rater=said["judge"]))
    return rows


def _halueval(tables: Tables) -> list[dict]:
    """Whether people called each general reply hallucinated; the pairs are labelled by how they were written."""
    return [
        _row(
            Unit("ChatGPT", one["sample_id"], one["group_id"], []),
            "hallucinated",
            _yes(one["is_hallucinated"]),
        )
        for one in tables.samples.filter(task="general").to_dicts()
    ]


def _evouna(tables: Tables) -> list[dict]:
    """Whether people called each answer right, and whether a golden answer stands in it by the set's own rule."""
    golden = dict(tables.items.select("item_id", "right_answer").iter_rows())
    rows = []
    for sample in tables.samples.to_dicts():
        own = _attributes(sample)
        unit = Unit(sample["generator"], own["unit"], sample["group_id"], pairs(task=own["part"]))
        wrong = sample["is_hallucinated"]
        rows.append(_row(unit, "right", _yes(not wrong), of=WRONG, gives=float(wrong)))
        rows.append(_row(unit, "holds golden", _yes(holds_any(sample["text"], golden[sample["item_id"]]))))
    return rows


def _faithbench(tables: Tables) -> list[dict]:
    """Whether each summary's worst label is Unwanted, which it is, and whether each detector calls it hallucinated."""
    units, rows = {}, []
    for sample in tables.samples.to_dicts():
        own, wrong = _attributes(sample), sample["is_hallucinated"]
        unit = units[sample["sample_id"]] = Unit(sample["generator"], own["unit"], sample["group_id"], [])
        rows.append(_row(unit, "unwanted", _yes(wrong), of=WRONG, gives=float(wrong)))
        rows.append(_row(unit, "worst label", own["label"]))
    for said in tables.judgements.to_dicts():
        rows.append(_row(units[said["target_id"]], said["judge"], _yes(said["verdict"])))
    return rows


def holds_any(answer: str, golden: str | None) -> bool:
    """Whether a golden answer stands in an answer as EVOUNA's own `lexical_match.py` tells: one of which normalisation
    leaves nothing stands in every answer, unlike in `word_match.holds_golden`. An empty answer holds none.
    """
    said = normalised(answer)
    return bool(answer.strip()) and any(normalised(part) in said for part in (golden or "").split(SPLIT))


# by the reader whose tables each takes, which it is named after
OF_READER: dict[str, Callable[[Tables], list[dict]]] = {
    one.__name__.removeprefix("_"): one
    for one in (_evouna, _factscore, _faithbench, _halueval, _refchecker, _xsum)
}
