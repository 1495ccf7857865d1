"""The analyses of a multilingual board in words: comparison, result, and why it may mean less."""

from dataclasses import dataclass
from pathlib import Path

from truerate.core.data_files import read_data
from truerate.site.mfava.heatmap import PREFERRED
from truerate.site.mfava.scatter import scatters
from truerate.site.tables import Board
from truerate.site.vocabulary import Vocabulary

LEVEL = 0.05  # below it a result is called one


@dataclass(frozen=True)
class Analysis:
    """One kind of analysis: what it asks, what a positive and a negative result say, and its caveat."""

    title: str
    more: str
    less: str
    caveat: str


KNOWN: dict[str, Analysis] = read_data(
    Path(__file__).with_name("analyses.yaml"),
    lambda records: {name: Analysis(**record) for name, record in records.items()},
)
# By which estimates an analysis is led, the best founded first.
FOUNDED = (*PREFERRED, ("hr_est", "gold"), ("hr_est", "silver"), ("raw", ""))
SIZES = ("pearson_r", "mean_difference")
PROPER = ("family", "script")  # slices whose values are names and stay as they are
PHRASES = {("within", "languages"): "within languages", ("across", "languages"): "over languages"}


def analyses(rows: list[dict], board: Board) -> dict | None:
    """Return what analyses.html.j2 shows: a line per analysis and slice, in a fixed order; None where there
    is none.

    Of an analysis that was made by several estimates the best founded one stands in `lines`, the others in
    `more`, where those of a single model are, too. `scatters`: pictures of the points (scatter.html.j2).
    """
    by_question: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, dict]] = {}
    for row in rows:
        if row["table"] == "analyses" and row["kind"] != "planted":
            key = (row["subject"], tuple(sorted(row["slice"].items())))
            by_question.setdefault(key, {})[row["metric"]] = row
    order = list(KNOWN)
    keys = sorted(by_question, key=lambda key: (order.index(key[0]) if key[0] in order else len(order), key))
    first = {_question(key): key for key in sorted(keys, key=_founded, reverse=True)}.values()
    lines, more = [], []
    for key in keys:
        part = lines if key in first and not any(name == "model" for name, _ in key[1]) else more
        part.append(_line(*key, by_question[key], board.vocabulary))
    return {"lines": lines, "more": more, "scatters": scatters(rows, board)} if keys else None


def _question(key: tuple) -> tuple:
    """Return what an analysis asks, whatever estimate answers it."""
    return key[0], tuple(pair for pair in key[1] if pair[0] not in ("estimator", "calibration"))


def _founded(key: tuple) -> int:
    """The place of an analysis' estimate: 0 for the best founded."""
    slice_ = dict(key[1])
    mode = (slice_.get("estimator", "raw"), slice_.get("calibration", ""))
    return FOUNDED.index(mode) if mode in FOUNDED else len(FOUNDED)


def _line(
    subject: str, slice_: tuple[tuple[str, str], ...], by_metric: dict[str, dict], vocabulary: Vocabulary
) -> dict:
    """One analysis: its words, and the rows of its size, p and n (None where they are not there)."""
    analysis = KNOWN.get(subject, Analysis(vocabulary.label(subject), "More", "Less", ""))
    sizes = [row for metric, row in by_metric.items() if metric not in ("p_value", "n_points")]
    size = next((row for row in sizes if row["value"] is not None), None)
    p = by_metric.get("p_value", {}).get("value")
    n = by_metric.get("n_points", {}).get("value")
    return {
        "title": analysis.title,
        "where": ", ".join(
            value if key in PROPER else PHRASES.get((key, value)) or vocabulary.value(key, value)
            for key, value in slice_
        ),
        "size": size and size | {"measure": vocabulary.measures[size["metric"]]},
        "p": p,
        "p_text": vocabulary.measures["p_value"].text(p),
        "n": int(n) if n is not None else size["n"] if size else None,
        "is_found": _is_found(size, p),
        "verdict": _verdict(analysis, size, p),
        "caveat": analysis.caveat,
    }


def _is_found(size: dict | None, p: float | None) -> bool:
    """Return whether a direction can be told: by p, else by an interval that leaves out zero."""
    if size is None:
        return False
    if p is not None:
        return p < LEVEL
    return size["low"] is not None and size["high"] is not None and (size["low"] > 0 or size["high"] < 0)


def _verdict(analysis: Analysis, size: dict | None, p: float | None) -> str:
    if size is None:
        return "Not measured: too few points."
    if not _is_found(size, p):
        return "No direction can be told."
    return f"{analysis.more if size['value'] > 0 else analysis.less}."
