"""Correlations over the points of an analysis, and the points themselves, as score rows.

A point is what a picture shows: `point_x` and `point_y` under its name (`point`: a language or a model).
"""

from collections.abc import Mapping

import numpy as np

from truerate.metrics.correlations import Correlation, pearson
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.rates import Cells

Cell = tuple[str, str]
Values = dict[Cell, float]  # by (model, language)
Points = dict[str, tuple[float, float]]  # x and y by the name of a point


def hallucinated_tokens(cells: Cells, rates: Values) -> Values:
    """Hallucinated tokens per reply of each cell as an estimate of its rate has them; by the raw rate, the
    flagged ones.
    """
    return {cell: rate * per_reply(cells, cell, "tokens") for cell, rate in rates.items()}


def per_reply(cells: Cells, cell: Cell, column: str) -> float:
    """Mean of a column of a cell's replies, over replies and detector seeds."""
    return float(getattr(cells[cell], column).mean(axis=1).mean())


def language_means(values: Values, cells: Cells) -> dict[str, float]:
    """Mean over models by language; a language in which a model that answered has no value has none."""
    return _means(values, cells, 1)


def model_means(values: Values, cells: Cells) -> dict[str, float]:
    """Mean over languages by model; a model that has no value in one of the languages has none."""
    langs = {lang for _, lang in cells}
    found = _means(values, cells, 0)
    return {
        model: mean for model, mean in found.items() if langs == {lang for m, lang in cells if m == model}
    }


def _means(values: Values, cells: Cells, side: int) -> dict[str, float]:
    by_name = {
        name: [values.get(cell) for cell in cells if cell[side] == name]
        for name in sorted({cell[side] for cell in cells})
    }
    return {name: float(np.mean(each)) for name, each in by_name.items() if None not in each}


def correlation_rows(subject: str, where: Mapping, found: Correlation, writer: ScoreWriter) -> list[dict]:
    """`pearson_r`, `p_value`, `n_points` of one correlation."""
    values = {"pearson_r": found.r, "p_value": found.p, "n_points": float(found.n)}
    return [writer.row(name, subject, where, value, found.n) for name, value in values.items()]


def point_rows(subject: str, where: Mapping, points: Points, writer: ScoreWriter) -> list[dict]:
    """`point_x` and `point_y` of every point of one analysis."""
    return [
        writer.row(metric, subject, {**where, "point": name}, value, 1)
        for name, pair in points.items()
        for metric, value in zip(("point_x", "point_y"), pair, strict=True)
    ]


def of_points(points: Points, *, is_logarithmic: bool = False) -> Correlation:
    """Pearson's r over points, x as it is or as its logarithm."""
    x = [float(np.log10(x)) if is_logarithmic else x for x, _ in points.values()]
    return pearson(x, [y for _, y in points.values()])
