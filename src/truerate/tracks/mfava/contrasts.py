"""Differences of rates that the paper asks for: small against large models, languages that a model declares,
families and scripts of languages.

Of headline rates, linearised and paired by article, and of raw ones by a bootstrap over articles; the paper's
Student's t over all estimates stands beside them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from truerate.config import Model
from truerate.metrics.estimators.grid import combined
from truerate.metrics.estimators.prediction_powered import Fit
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.paired import ratio_contrasts
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.unit_rates import PREDICTION_POWERED, RAW
from truerate.tracks.mfava.language_facts import languages
from truerate.tracks.mfava.marking import NATURAL
from truerate.tracks.mfava.model_analyses import size_groups
from truerate.tracks.mfava.rates import Cells

Cell = tuple[str, str]


@dataclass(frozen=True)
class Contrast:
    """The mean rate of the cells of one group minus that of another."""

    subject: str
    where: Mapping[str, str]
    first: tuple[Cell, ...]
    second: tuple[Cell, ...]


def contrasts(
    cells: Cells, models: Mapping[str, Model], *, large_from: float | None = None
) -> list[Contrast]:
    """Small against large models (`size_groups`), declared languages against others, each family and script of languages
    against the others.
    """
    langs = sorted({lang for _, lang in cells})
    made = [
        Contrast("small-against-large", where, _of(cells, small, langs), _of(cells, large, langs))
        for where, small, large in size_groups(cells, models, large_from=large_from)
    ]
    declared = {
        name: models[name].languages for name, _ in cells if name in models and models[name].languages
    }
    inside = tuple(cell for cell in cells if cell[0] in declared and cell[1] in declared[cell[0]])
    outside = tuple(cell for cell in cells if cell[0] in declared and cell[1] not in declared[cell[0]])
    made.append(Contrast("declared-languages", {}, inside, outside))
    for subject, key in (("by-family", "family"), ("by-script", "script")):
        of = {lang: getattr(languages()[lang], key) for lang in langs if lang in languages()}
        for group in sorted(set(of.values())):
            first, second = ([lang for lang in of if (of[lang] == group) == is_in] for is_in in (True, False))
            names = sorted({name for name, _ in cells})
            made.append(Contrast(subject, {key: group}, _of(cells, names, first), _of(cells, names, second)))
    return [one for one in made if one.first and one.second]


def _of(cells: Cells, names: Iterable[str], langs: Iterable[str]) -> tuple[Cell, ...]:
    return tuple(cell for cell in product(names, langs) if cell in cells)


def contrast_rows(cells: Cells, asked: Sequence[Contrast], writer: ScoreWriter) -> list[dict]:
    """`mean_difference` (with its interval), `p_value`, `n_points` of every contrast of raw rates
    (`ratio_contrasts`), articles resampled whole for all models together: what two models share on an article
    cancels.
    """
    if not asked:
        return []
    order = list(cells)
    weights = np.stack([_weights(order, one) for one in asked], axis=1)
    groups = np.concatenate([cells[cell].groups for cell in order])
    columns = np.zeros((len(groups), 2 * len(order)))
    start = 0
    for place, cell in enumerate(order):
        end = start + len(cells[cell].groups)
        columns[start:end, place] = cells[cell].detected.mean(axis=1)
        columns[start:end, len(order) + place] = cells[cell].tokens.mean(axis=1)
        start = end
    sums = cluster_sums(groups, columns)
    if len(sums) < 2:
        return []

    found = ratio_contrasts(sums, weights, **writer.drawn)
    made = []
    for one, (interval, p) in zip(asked, found, strict=True):
        made += _difference_rows(one, {"estimator": RAW, "test": "bootstrap"}, interval, p, writer)
    return made


def headline_rows(fit: Fit, asked: Iterable[Contrast], writer: ScoreWriter) -> list[dict]:
    """The same of headline rates (`estimators.grid.combined`: linearised, paired by article), of the contrasts all
    of whose cells have labels.
    """
    made = []
    where = {"estimator": PREDICTION_POWERED, "calibration": NATURAL, "test": "paired"}
    for one in asked:
        sides = ((one.first, 1), (one.second, -1))
        found = combined(fit, {cell: sign / len(side) for side, sign in sides for cell in side})
        if found is not None:
            interval = found.interval(fit.confidence, bounds=(-1.0, 1.0))
            made += _difference_rows(one, where, interval, found.p, writer)
    return made


def _difference_rows(
    one: Contrast, test: Mapping[str, str], interval: Interval, p: float | None, writer: ScoreWriter
) -> list[dict]:
    n = len(one.first) + len(one.second)
    values = {"mean_difference": interval, "p_value": p, "n_points": float(n)}
    return [writer.row(name, one.subject, {**one.where, **test}, each, n) for name, each in values.items()]


def _weights(order: Sequence[Cell], one: Contrast) -> np.ndarray:
    sides = ((one.first, 1), (one.second, -1))
    return np.array([sum(sign / len(side) for side, sign in sides if cell in side) for cell in order])
