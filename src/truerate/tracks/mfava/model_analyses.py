"""What the paper asks of its models: does a rate go with how many languages a model supports (Figure 5b), with
the length of its replies (Figure 7), with its size?
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from truerate.config import Model
from truerate.metrics.agreement import Correlation, pearson, t_test
from truerate.metrics.estimators.grid import combined
from truerate.metrics.estimators.prediction_powered import Fit
from truerate.metrics.estimators.registry import HR_EST
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.paired import ratio_contrasts
from truerate.metrics.rates import PREDICTION_POWERED, RAW
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.context import language_facts
from truerate.tracks.mfava.marking import NATURAL, SILVER
from truerate.tracks.mfava.rates import Calibrations, Cells, grid_estimates

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


# ---- What the paper asks of its models: does a rate go with how many langua --------------------------------


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


# ---- Differences of rates that the paper asks for: small against large mode --------------------------------


ContrastCell = tuple[str, str]


@dataclass(frozen=True)
class Contrast:
    """The mean rate of the cells of one group minus that of another."""

    subject: str
    where: Mapping[str, str]
    first: tuple[ContrastCell, ...]
    second: tuple[ContrastCell, ...]


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
        of = {lang: getattr(language_facts()[lang], key) for lang in langs if lang in language_facts()}
        for group in sorted(set(of.values())):
            first, second = ([lang for lang in of if (of[lang] == group) == is_in] for is_in in (True, False))
            names = sorted({name for name, _ in cells})
            made.append(Contrast(subject, {key: group}, _of(cells, names, first), _of(cells, names, second)))
    return [one for one in made if one.first and one.second]


def _of(cells: Cells, names: Iterable[str], langs: Iterable[str]) -> tuple[ContrastCell, ...]:
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


def _weights(order: Sequence[ContrastCell], one: Contrast) -> np.ndarray:
    sides = ((one.first, 1), (one.second, -1))
    return np.array([sum(sign / len(side) for side, sign in sides if cell in side) for cell in order])
