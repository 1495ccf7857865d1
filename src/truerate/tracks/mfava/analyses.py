"""What the paper asks of its rates: do silver- and gold-based estimates agree, are large models better, what
do languages, their number and the length of replies explain?

Points of one analysis are not independent (cells share a detector, models share queries), so Student's t says
too much; where models are compared, headline rates stand beside it, paired by article, and a bootstrap of raw
ones.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from truerate.config import Model
from truerate.metrics.agreement import Correlation, pearson, pearson_within, t_test
from truerate.metrics.estimators.grid import combined
from truerate.metrics.estimators.prediction_powered import Fit
from truerate.metrics.estimators.registry import HR_EST
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.paired import ratio_contrasts
from truerate.metrics.rates import PREDICTION_POWERED, RAW, Estimate
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.context import language_facts
from truerate.tracks.mfava.marking import GOLD, NATURAL, SILVER
from truerate.tracks.mfava.rates import Calibrations, Cells, grid_estimates

Cell = tuple[str, str]  # model and language
Values = Mapping[Cell, float]
Key = tuple[str, str | None]  # an estimator, and by which labels
SizeGroup = tuple[dict, list[str], list[str]]  # its part of a slice, its small and its large models
# the estimators that are compared with facts of languages and models
SHOWN: tuple[Key, ...] = ((RAW, None), (HR_EST, SILVER), (HR_EST, GOLD), (PREDICTION_POWERED, NATURAL))
FACTS = {"common-crawl": "common_crawl_percent", "wikipedia-articles": "wikipedia_articles"}


def analysis_rows(
    cells: Cells,
    estimated: Mapping[Cell, Sequence[Estimate]],
    calibrated: Calibrations,
    fit: Fit,
    models: Mapping[str, Model],
    writer: ScoreWriter,
    *,
    content: Mapping[str, Values] | None = None,
    large_from: float | None = None,
) -> list[dict]:
    """Return Score rows of every analysis; nothing where no model answered. `content`: how much replies say, by
    measure and cell.
    """
    if not cells:
        return []
    values: dict[Key, dict[Cell, float]] = {}
    for cell, each in estimated.items():
        for estimate in each:
            if (interval := estimate.interval) is not None and interval.value is not None:
                values.setdefault((estimate.estimator, estimate.calibration), {})[cell] = interval.value
    groups = size_groups(cells, models, large_from=large_from)
    asked = contrasts(cells, models, groups)
    return [
        *silver_against_gold(values, writer),
        *correlations(cells, values, models, writer),
        *content_correlations(cells, values, content or {}, writer),
        *size_tests(cells, calibrated, groups, writer),
        *headline_rows(fit, asked, writer),
        *contrast_rows(cells, asked, writer),
    ]


# ---- correlations ------------------------------------------------------------------------------------------


def correlation(x: Mapping[Any, float], y: Mapping[Any, float]) -> Correlation:
    """Return Pearson's r over the keys that both have, in the order of `y`."""
    shared = [key for key in y if key in x]
    return pearson([x[key] for key in shared], [y[key] for key in shared])


def correlation_rows(subject: str, where: Mapping, of: Correlation, writer: ScoreWriter) -> list[dict]:
    """Return `pearson_r`, `p_value`, `n_points` of one correlation."""
    values = {"pearson_r": of.r, "p_value": of.p, "n_points": float(of.n)}
    return [writer.row(name, subject, where, value, of.n) for name, value in values.items()]


def point_rows(
    subject: str, where: Mapping, x: Mapping[str, float], y: Mapping[str, float], writer: ScoreWriter
) -> list[dict]:
    """Return `point_x` and `point_y` of every point of one analysis that has both."""
    return [
        writer.row(metric, subject, {**where, "point": name}, of[name], 1)
        for name in y
        for metric, of in (("point_x", x), ("point_y", y))
        if name in x
    ]


def silver_against_gold(values: Mapping[Key, Values], writer: ScoreWriter) -> list[dict]:
    """Return Pearson's r of HR_est by silver and by gold over cells, and of the corrections alone (over the
    raw rate): both estimates hold the same H_det, so the first overstates how well silver stands in for gold.
    """
    silver, gold, raw = (values.get(key, {}) for key in ((HR_EST, SILVER), (HR_EST, GOLD), (RAW, None)))
    shared = sorted(set(silver) & set(gold))
    if not shared:
        return []
    # a correction is the same for all models of a language
    by_silver, by_gold = (
        {cell[1]: of[cell] / raw[cell] for cell in shared if raw.get(cell)} for of in (silver, gold)
    )
    whole = correlation(silver, {cell: gold[cell] for cell in shared})
    return [
        *correlation_rows("silver-against-gold", {}, whole, writer),
        *correlation_rows("silver-against-gold-factor", {}, correlation(by_silver, by_gold), writer),
    ]


def correlations(
    cells: Cells, values: Mapping[Key, Values], models: Mapping[str, Model], writer: ScoreWriter
) -> list[dict]:
    """Return what goes with a rate by each estimator of SHOWN, and with hallucinated tokens per reply by it:

    - over languages, their means over models: the logarithm of a fact of the language (mFAVA Figure 5a),

    - over models, their means over all languages: how many languages they declare (Figure 5b; rates alone),

    - tokens per reply (Figure 7) over cells, as they are and (`within` = languages) less their means over the
    models of a language, because a token is a character in one script and a word in another; over the
    languages of each model; and over languages by their means over models (`across`).
    """
    rows: list[dict] = []
    n_tokens = {cell: float(replies.tokens.mean(axis=1).mean()) for cell, replies in cells.items()}
    n_languages = {name: float(len(model.languages)) for name, model in models.items() if model.languages}
    facts = {lang: of._asdict() for lang, of in language_facts().items()}
    for key in SHOWN:
        rates, where = values.get(key, {}), {"estimator": key[0], "calibration": key[1]}
        lengths = {cell: n_tokens[cell] for cell in rates}
        counts = {cell: rate * n_tokens[cell] for cell, rate in rates.items()}
        for what, numbers in (("rate", rates), ("count", counts)) if rates else ():
            means = language_means(numbers, cells)
            for name, fact in FACTS.items():
                x = {lang: of[fact] for lang, of in facts.items() if lang in means and of[fact] is not None}
                logarithms = {lang: float(np.log10(value)) for lang, value in x.items()}
                subject, of_fact = f"{what}-against-{name}", correlation(logarithms, means)
                rows += correlation_rows(subject, where, of_fact, writer) if x else []
                rows += point_rows(subject, where, x, means, writer) if what == "rate" else []
            within = pearson_within([*lengths.values()], [*numbers.values()], [lang for _, lang in lengths])
            of_length = [({}, correlation(lengths, numbers)), ({"within": "languages"}, within)]
            for model in sorted({model for model, _ in rates}):
                of_model = {cell: number for cell, number in numbers.items() if cell[0] == model}
                of_length.append(({"model": model}, correlation(lengths, of_model)))
            of_length.append(({"across": "languages"}, correlation(language_means(lengths, cells), means)))
            for over, of in of_length:
                rows += correlation_rows(f"{what}-against-length", {**where, **over}, of, writer)
        means = {name: mean for name, mean in model_means(rates, cells).items() if name in n_languages}
        subject = "rate-against-supported-languages"
        rows += correlation_rows(subject, where, correlation(n_languages, means), writer) if means else []
        rows += point_rows(subject, where, n_languages, means, writer)
    return rows


def content_correlations(
    cells: Cells, values: Mapping[Key, Values], content: Mapping[str, Values], writer: ScoreWriter
) -> list[dict]:
    """Return whether models that say less hallucinate less: their mean rates over languages by each estimator of
    SHOWN against their means of each measure of `content`. Nothing without a rate of two models.
    """
    rows = []
    for key in SHOWN:
        rates, where = model_means(values.get(key, {}), cells), {"estimator": key[0], "calibration": key[1]}
        for name, of_cells in content.items() if len(rates) > 1 else ():
            against = correlation(model_means(of_cells, cells), rates)
            rows += correlation_rows(f"rate-against-{name.replace('_', '-')}", where, against, writer)
    return rows


def language_means(values: Values, cells: Iterable[Cell]) -> dict[str, float]:
    """Return the mean over models by language, where every model that answered in it has a value."""
    return _means(values, cells, 1)


def model_means(values: Values, cells: Iterable[Cell]) -> dict[str, float]:
    """Return the mean over languages by model; a model that has no value in one of the languages has none."""
    langs, means = {lang for _, lang in cells}, _means(values, cells, 0)
    return {
        model: mean for model, mean in means.items() if langs == {lang for m, lang in cells if m == model}
    }


def _means(values: Values, cells: Iterable[Cell], side: int) -> dict[str, float]:
    by_name: dict[str, list[float | None]] = {}
    for cell in sorted(cells, key=lambda cell: cell[side]):
        by_name.setdefault(cell[side], []).append(values.get(cell))
    return {name: float(np.mean(each)) for name, each in by_name.items() if None not in each}


# ---- size --------------------------------------------------------------------------------------------------


def size_groups(
    cells: Iterable[Cell], models: Mapping[str, Model], *, large_from: float | None = None
) -> list[SizeGroup]:
    """Return small and large models: below and from `large_from` billions of parameters on (None: from their
    median on), and the smallest and largest of each family that has two sizes.
    """
    names = sorted({name for name, _ in cells} & models.keys())
    sizes = {name: size for name in names if (size := models[name].size_b)}
    if not sizes:
        return []
    limit = float(np.median(list(sizes.values()))) if large_from is None else large_from
    small, large = ([name for name in sizes if (sizes[name] < limit) == is_in] for is_in in (True, False))
    groups: list[SizeGroup] = [({}, small, large)]
    families: dict[str, list[str]] = {}
    for name in sizes:
        families.setdefault(models[name].family or name, []).append(name)
    for family, members in families.items():
        smallest, largest = min(members, key=sizes.__getitem__), max(members, key=sizes.__getitem__)
        if sizes[smallest] < sizes[largest]:
            groups.append(({"family": family}, [smallest], [largest]))
    return [group for group in groups if group[1] and group[2]]


def size_tests(
    cells: Cells, calibrated: Calibrations, groups: Iterable[SizeGroup], writer: ScoreWriter
) -> list[dict]:
    """Return the paper's test of small against large models (`size_groups`): Student's t over the estimates of each model
    averaged over languages, one per detector seed and reply seed (there 3 × 5 = 15 per model), of HR_est by
    silver where every cell has it, else of the raw rate.
    """
    averages = language_averages(cells, calibrated)
    is_corrected = bool(averages) and all((HR_EST, SILVER) in each for each in averages.values())
    key: Key = (HR_EST, SILVER) if is_corrected else (RAW, None)
    test = {"test": "t-test", "estimator": key[0], "calibration": key[1]}
    rows = []
    for where, *both in groups:
        values = (
            [value for name in names for value in averages.get(name, {}).get(key, ())] for names in both
        )
        difference = t_test(*values)
        of_test = difference.value, difference.p, difference.n
        rows += difference_rows("small-against-large", {**where, **test}, *of_test, writer)
    return rows


def difference_rows(
    subject: str, where: Mapping, value: Interval | float | None, p: float | None, n: int, writer: ScoreWriter
) -> list[dict]:
    """Return `mean_difference`, `p_value` and `n_points` of one test."""
    values = {"mean_difference": value, "p_value": p, "n_points": float(n)}
    return [writer.row(name, subject, where, of, n) for name, of in values.items()]


def language_averages(cells: Cells, calibrated: Calibrations) -> dict[str, dict[Key, list[float]]]:
    """Return the mean over all languages by model and estimate, one value per detector seed and reply seed;
    none where a language lacks the estimate, or has other reply seeds.
    """
    langs = {lang for _, lang in cells}
    averages: dict[str, dict[Key, list[float]]] = {}
    for model in sorted({model for model, _ in cells}):
        by_lang = {lang: replies for (name, lang), replies in cells.items() if name == model}
        has_same_seeds = len({tuple(sorted(set(replies.subsets))) for replies in by_lang.values()}) == 1
        grids: list[dict[Key, np.ndarray]] = []
        for lang in sorted(by_lang) if by_lang.keys() == langs and has_same_seeds else ():
            silver = {SILVER: calibrated[SILVER, lang]} if (SILVER, lang) in calibrated else {}
            grids.append(grid_estimates(by_lang[lang], silver))
        shared = [key for key in grids[0] if all(key in grid for grid in grids)] if grids else []
        means = {key: np.mean([grid[key] for grid in grids], axis=0).ravel() for key in shared}
        averages[model] = {key: mean.tolist() for key, mean in means.items() if not np.isnan(mean).any()}
    return averages


# ---- differences of rates between groups of models or languages --------------------------------------------


@dataclass(frozen=True)
class Contrast:
    """The mean rate of the cells of one group minus that of another."""

    subject: str
    where: Mapping[str, str]
    first: tuple[Cell, ...]
    second: tuple[Cell, ...]

    @property
    def weights(self) -> dict[Cell, float]:
        """What each cell counts."""
        sides = ((self.first, 1), (self.second, -1))
        return {cell: sign / len(side) for side, sign in sides for cell in side}

    def rows(self, test: Mapping, interval: Interval, p: float | None, writer: ScoreWriter) -> list[dict]:
        """Return `difference_rows` by a test."""
        n = len(self.first) + len(self.second)
        return difference_rows(self.subject, {**self.where, **test}, interval, p, n, writer)


def contrasts(
    cells: Iterable[Cell], models: Mapping[str, Model], groups: Iterable[SizeGroup]
) -> list[Contrast]:
    """Return small against large models (`size_groups`), declared languages against others, each family and
    script of languages against the others; those without cells on one side are left out.
    """
    names, langs = (sorted({cell[side] for cell in cells}) for side in (0, 1))

    def compared() -> Iterator[tuple[str, Mapping[str, str], Iterable[Cell], Iterable[Cell]]]:
        for where, small, large in groups:
            yield "small-against-large", where, product(small, langs), product(large, langs)
        declared = {name: model.languages for name, model in models.items() if model.languages}
        of_declared = [cell for cell in cells if cell[0] in declared]
        inside = [cell for cell in of_declared if cell[1] in declared[cell[0]]]
        yield "declared-languages", {}, inside, [cell for cell in of_declared if cell not in inside]
        facts = {lang: language_facts()[lang]._asdict() for lang in langs if lang in language_facts()}
        for key in ("family", "script"):
            for group in sorted({of[key] for of in facts.values()}):
                within, others = (
                    [lang for lang in facts if (facts[lang][key] == group) == is_in]
                    for is_in in (True, False)
                )
                yield f"by-{key}", {key: group}, product(names, within), product(names, others)

    sides = [
        Contrast(subject, where, *(tuple(cell for cell in side if cell in cells) for side in both))
        for subject, where, *both in compared()
    ]
    return [contrast for contrast in sides if contrast.first and contrast.second]


def contrast_rows(cells: Cells, asked: Sequence[Contrast], writer: ScoreWriter) -> list[dict]:
    """Return the differences of raw rates by every contrast (`ratio_contrasts`), articles resampled whole for
    all models together: what two models share on an article cancels.
    """
    if not asked:
        return []
    weights = np.array([[contrast.weights.get(cell, 0.0) for contrast in asked] for cell in cells])
    # a row per reply; its flagged tokens and its tokens stand in the two columns of its cell
    owner = np.repeat(np.arange(len(cells)), [len(replies.groups) for replies in cells.values()])
    columns = np.zeros((len(owner), 2 * len(cells)))
    for offset, name in ((0, "detected"), (len(cells), "tokens")):
        values = [getattr(replies, name).mean(axis=1) for replies in cells.values()]
        columns[np.arange(len(owner)), owner + offset] = np.concatenate(values)
    sums = cluster_sums(np.concatenate([replies.groups for replies in cells.values()]), columns)
    if len(sums) < 2:
        return []
    test = {"estimator": RAW, "test": "bootstrap"}
    drawn = zip(asked, ratio_contrasts(sums, weights, **writer.drawn), strict=True)
    return [row for contrast, (interval, p) in drawn for row in contrast.rows(test, interval, p, writer)]


def headline_rows(fit: Fit, asked: Iterable[Contrast], writer: ScoreWriter) -> list[dict]:
    """Return those of headline rates (paired by article), where all cells of a contrast have labels."""
    rows = []
    test = {"estimator": PREDICTION_POWERED, "calibration": NATURAL, "test": "paired"}
    for contrast in asked:
        difference = combined(fit, contrast.weights)
        if difference is not None:
            interval = difference.interval(fit.confidence, bounds=(-1.0, 1.0))
            rows += contrast.rows(test, interval, difference.p, writer)
    return rows
