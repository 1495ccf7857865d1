"""What the paper asks of its models: does a rate go with how many languages a model supports (Figure 5b), with
the length of its replies (Figure 7), with its size?
"""

from collections.abc import Mapping, Sequence

import numpy as np

from truerate.config import Model
from truerate.metrics.correlations import pearson, t_test
from truerate.metrics.estimators.registry import HR_EST
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.unit_rates import RAW
from truerate.tracks.mfava.correlating import (
    Values,
    correlation_rows,
    hallucinated_tokens,
    language_means,
    model_means,
    of_points,
    per_reply,
    point_rows,
)
from truerate.tracks.mfava.marking import SILVER
from truerate.tracks.mfava.rates import Calibrations, Cells, grid_estimates

Key = tuple[str, str | None]  # an estimator, and by which labels
SUPPORTED = "rate-against-supported-languages"


def against_supported_languages(
    cells: Cells,
    values: Mapping[Key, Values],
    models: Mapping[str, Model],
    shown: Sequence[Key],
    writer: ScoreWriter,
) -> list[dict]:
    """A model's mean rate over all languages against the number of languages that its makers say it speaks
    (mFAVA Figure 5b): r, p, n = models, and the points. Models that declare none are no points.
    """
    made = []
    for estimator, calibration in shown:
        means = model_means(values.get((estimator, calibration), {}), cells)
        points = {
            name: (float(len(models[name].languages)), mean)
            for name, mean in means.items()
            if name in models and models[name].languages
        }
        where = {"estimator": estimator, "calibration": calibration}
        if points:
            made += correlation_rows(SUPPORTED, where, of_points(points), writer)
            made += point_rows(SUPPORTED, where, points, writer)
    return made


def against_length_apart(
    cells: Cells, values: Mapping[Key, Values], shown: Sequence[Key], writer: ScoreWriter
) -> list[dict]:
    """Rate, and hallucinated tokens per reply, against tokens per reply: over the languages of each model
    (slice `model`; mFAVA Figure 7), and over languages by their means over models (`across`).
    """
    made = []
    for estimator, calibration in shown:
        rates = values.get((estimator, calibration), {})
        length = {cell: per_reply(cells, cell, "tokens") for cell in rates}
        for what, numbers in (("rate", rates), ("count", hallucinated_tokens(cells, rates))) if rates else ():
            subject, where = f"{what}-against-length", {"estimator": estimator, "calibration": calibration}
            for model in sorted({model for model, _ in rates}):
                own = [cell for cell in rates if cell[0] == model]
                found = pearson([length[cell] for cell in own], [numbers[cell] for cell in own])
                made += correlation_rows(subject, {**where, "model": model}, found, writer)
            means = language_means(numbers, cells)
            lengths = language_means(length, cells)
            whole = of_points({lang: (lengths[lang], mean) for lang, mean in means.items()})
            made += correlation_rows(subject, {**where, "across": "languages"}, whole, writer)
    return made


# ---- size --------------------------------------------------------------------------------------------------


def size_groups(
    cells: Cells, models: Mapping[str, Model], *, large_from: float | None = None
) -> list[tuple[dict, list[str], list[str]]]:
    """Small and large models: those below and from `large_from` billions of parameters on (None: from their median
    size on), and the smallest and largest of each family that has two sizes.
    """
    sized = {
        name: size
        for name in sorted({name for name, _ in cells})
        if name in models and (size := models[name].size_b)
    }
    if not sized:
        return []
    middle = float(np.median(list(sized.values()))) if large_from is None else large_from
    small = [name for name in sized if sized[name] < middle]
    groups: list[tuple[dict, list[str], list[str]]] = [
        ({}, small, [name for name in sized if name not in small])
    ]
    families: dict[str, list[str]] = {}
    for name in sized:
        families.setdefault(models[name].family or name, []).append(name)
    for family, named in families.items():
        ends = min(named, key=sized.__getitem__), max(named, key=sized.__getitem__)
        if sized[ends[0]] < sized[ends[1]]:
            groups.append(({"family": family}, [ends[0]], [ends[1]]))
    return [group for group in groups if group[1] and group[2]]


def size_tests(
    cells: Cells,
    known: Calibrations,
    models: Mapping[str, Model],
    writer: ScoreWriter,
    *,
    large_from: float | None = None,
) -> list[dict]:
    """The paper's test of small against large models: Student's t over the estimates of each
    model averaged over languages, one per detector seed and reply seed (there 3 × 5 = 15 per model).

    Of HR_est by silver where it can be told in every cell, else of the raw rate. The estimates of a model
    share its replies' queries and its detector, which the test does not know: the bootstrap (`test` =
    bootstrap) stands beside it.
    """
    averaged = language_averages(cells, known)
    key: Key = (HR_EST, SILVER)
    if not averaged or any(key not in each for each in averaged.values()):
        key = (RAW, None)
    made = []
    for where, small, large in size_groups(cells, models, large_from=large_from):
        first, second = (
            [value for name in named for value in averaged.get(name, {}).get(key, ())]
            for named in (small, large)
        )
        found = t_test(first, second)
        slice_ = {**where, "test": "t-test", "estimator": key[0], "calibration": key[1]}
        told = {"mean_difference": found.value, "p_value": found.p, "n_points": float(found.n)}
        made += [
            writer.row(name, "small-against-large", slice_, value, found.n) for name, value in told.items()
        ]
    return made


def language_averages(cells: Cells, known: Calibrations) -> dict[str, dict[Key, list[float]]]:
    """Of each model and estimate the mean over all languages, one value per detector seed and reply seed.

    An estimate that cannot be told in one language, or whose reply seeds differ between languages, has none;
    nor has a model that answered in fewer languages than others.
    """
    langs = sorted({lang for _, lang in cells})
    made: dict[str, dict[Key, list[float]]] = {}
    for model in sorted({model for model, _ in cells}):
        grids = []
        for lang in langs:
            silver = {SILVER: known[SILVER, lang]} if (SILVER, lang) in known else {}
            grids.append(grid_estimates(cells[model, lang], silver) if (model, lang) in cells else {})
        seeds = {tuple(sorted(set(cells[model, lang].subsets))) for lang in langs if (model, lang) in cells}
        shared = set.intersection(*(set(grid) for grid in grids)) if len(seeds) == 1 else set()
        means = {key: np.mean([grid[key] for grid in grids], axis=0).ravel() for key in shared}
        made[model] = {key: mean.tolist() for key, mean in means.items() if not np.isnan(mean).any()}
    return made
