"""The texts of a committed board as records of the sample browser: who wrote what, with labels, spans and verdicts."""

from collections import defaultdict
from typing import TYPE_CHECKING

import polars as pl

from truerate.results.texts.table import DIFFER, RANDOM, WORST
from truerate.site.samples.ids import LABELS
from truerate.site.samples.index import Index
from truerate.site.samples.layers import in_order, segments, types_of
from truerate.site.vocabulary import Vocabulary
from truerate.sources.tables import BETWEEN

if TYPE_CHECKING:
    from truerate.results.board import RealBoard

JUDGE = "judge="  # how the slice of a judge begins
RECOGNITION = "accuracy"  # a metric whose units are 1 where a detector is right
ORDER = {WORST: 0, DIFFER: 1, RANDOM: 2}
Key = tuple[str, str]  # who wrote a text, and its unit


def records(board: "RealBoard") -> tuple[list[dict], dict]:
    """Return a record per text of a board, worst and disputed ones first, and their index; a reader finds a record by
    `subject/unit`. Nothing of a board without texts.
    """
    if board.texts is None:
        return [], {}
    texts = board.texts.sort(pl.col("drawn").replace_strict(ORDER), "order", "subject", "unit_id").to_dicts()
    verdicts, slices = verdicts_of(board), slices_of(board)
    entries = [
        _record(text, verdicts[text["subject"], text["unit_id"]] | verdicts["", text["unit_id"]], slices)
        for text in texts
    ]
    index = Index("published")
    index.add(entries)
    shown = index.as_dict(
        Vocabulary.of(board.measures, board.words),
        n_all=max(len(entries), _n_texts(board)),
        types=sorted({kind for entry in entries for kind in entry["_types"]}),
        layers=in_order({name for entry in entries if entry["_types"] for name in entry["layers"]}),
        place=_attribution(board, "; ".join(dict.fromkeys(text["licence"] for text in texts))),
    )
    parts = shown["columns"]["slice"]["values"]
    shown["columns"]["slice"]["values"] = [[text, board.in_words(_pairs(text))] for text, _ in parts]
    return entries, shown


def _attribution(board: "RealBoard", licence: str) -> dict[str, str]:
    """Whose texts these are: of a set that is joined with the one its detectors learn from, the first's."""
    card = board.card["set"]
    (name, joined, _), citation = card["name"].partition(BETWEEN), card["citation"]
    citation = citation.partition(BETWEEN)[0] if joined else citation
    return {"title": name, "url": card["url"] or "", "licence": licence, "citation": citation}


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    """A slice, `key=value;…`, as pairs."""
    cells = (part.partition("=") for part in text.split(";") if part)
    return tuple((key, value) for key, _, value in cells)


def _n_texts(board: "RealBoard") -> int:
    """How many texts the headline of a board counts: each once where all that it ranks read the same ones."""
    rows = board.rows.filter(metric=board.headline.name, slice="")
    return rows.height if board.writers & set(rows["subject"]) else rows["unit_id"].n_unique()


def verdicts_of(board: "RealBoard") -> dict[Key, dict[str, bool]]:
    """Whether each judge, or each detector that a board ranks, calls a text hallucinated, by who wrote it and its
    unit; of a detector the writer is empty, as its rows do not name one.
    """
    verdicts: dict[Key, dict[str, bool]] = defaultdict(dict)
    alone = board.rows.filter(pl.col("slice").str.starts_with(JUDGE), ~pl.col("slice").str.contains(";"))
    for subject, unit, where, value in alone.select("subject", "unit_id", "slice", "value").iter_rows():
        if value in (0, 1):
            verdicts[subject, unit][where.removeprefix(JUDGE)] = value == 1
    if board.headline.name != RECOGNITION or board.texts is None:
        return verdicts
    label = dict(board.texts.select("unit_id", "is_hallucinated").iter_rows())
    ranked = board.rows.filter(metric=RECOGNITION, slice="")
    for subject, unit, value in ranked.select("subject", "unit_id", "value").iter_rows():
        if unit in label and value in (0, 1):
            verdicts["", unit][subject] = label[unit] == (value == 1)
    return verdicts


def slices_of(board: "RealBoard") -> dict[str, list[str]]:
    """The slices that each unit of the headline stands in, beside everything and those of other judges."""
    rows = board.rows.filter(
        pl.col("slice") != "", ~pl.col("slice").str.contains(JUDGE), metric=board.headline.name
    )
    of_unit = rows.select("unit_id", "slice").unique(maintain_order=True).sort("unit_id", "slice")
    slices: dict[str, list[str]] = defaultdict(list)
    for unit, where in of_unit.iter_rows():
        slices[unit].append(where)
    return slices


def _record(text: dict, judges: dict[str, bool], slices: dict[str, list[str]]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    truth = text["is_hallucinated"]
    layers = {text["label_source"]: text["spans"]}
    layers |= {rater["rater"]: rater["spans"] for rater in text["raters"] if rater["spans"]}
    opinions = [[rater["rater"], rater["is_hallucinated"], None] for rater in text["raters"]]
    opinions += [[judge, verdict, None] for judge, verdict in sorted(judges.items())]
    cut = segments(text["text"], list(layers.values()))
    return {
        "id": f"{text['subject']}/{text['unit_id']}",
        "lang": text["lang"],
        "task": "",  # the parts of a board are its slices
        "wrong": truth,
        "source": text["label_source"],
        "by": text["subject"],
        "pattern": None,
        "why": text["rationale"],
        "layers": list(layers),
        "text": cut,
        "question": text["question"],
        "history": text["history"],
        "right": text["right_answer"],
        "knowledge": text["reference"],
        "page": [text["reference_title"], text["address"], text["reference_licence"]],
        "parts": [[part["text"], part["label"], part["is_hallucinated"]] for part in text["parts"]],
        "labels": [[pair["key"], pair["value"]] for pair in text["labels"]],
        "drawn": text["drawn"],
        "said": opinions,
        "_label": LABELS[truth],
        "_slices": slices.get(text["unit_id"], []),
        "_types": sorted(types_of(cut)),
        "_outcome": {
            who: "u" if verdict is None else "r" if verdict == truth else "w" for who, verdict, _ in opinions
        },
        "_search": [
            *(text[name] for name in ("subject", "unit_id", "text", "question", "history", "reference")),
            *(part["text"] for part in text["parts"]),
        ],
    }
