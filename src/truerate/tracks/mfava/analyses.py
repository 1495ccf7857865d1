"""What the paper asks of its rates: do silver- and gold-based estimates agree, are large models better, what
do languages explain?

Points of one analysis are not independent (cells share a detector, models share queries), so a p-value from
Student's t says too much; where models are compared a bootstrap over articles stands beside it. Common Crawl
shares and article counts enter as logarithms.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from truerate.config import Model
from truerate.metrics.correlations import Correlation, pearson, pearson_within, t_test
from truerate.metrics.intervals import cluster_sums
from truerate.metrics.paired import ratio_contrasts
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.marking import GOLD, NATURAL, SILVER
from truerate.tracks.mfava.rates import (
    HR_EST,
    RAW,
    ROGAN_GLADEN,
    Calibration,
    Cells,
    Estimate,
    grid_estimates,
)

SHOWN = (
    (RAW, None),
    (HR_EST, SILVER),
    (HR_EST, GOLD),
    (ROGAN_GLADEN, NATURAL),
)  # the estimators that are set against facts of languages
Values = dict[tuple[str, str], float]  # by (model, language)
Cell = tuple[str, str]


@dataclass(frozen=True)
class Language:
    """What is known of a language: its family and script, its share of Common Crawl's pages, its Wikipedia's
    articles; None: not known.
    """

    family: str
    script: str
    common_crawl_percent: float | None
    wikipedia_articles: float | None


@cache
def languages() -> dict[str, Language]:
    """The figures of languages.csv, by code; each stands there with its source."""
    rows = csv.DictReader(Path(__file__).with_name("languages.csv").read_text("utf-8").splitlines())
    return {
        row["lang"]: Language(
            row["family"],
            row["script"],
            _number(row["common_crawl_percent"]),
            _number(row["wikipedia_articles"]),
        )
        for row in rows
    }


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def analysis_rows(
    cells: Cells,
    estimated: Mapping[Cell, Sequence[Estimate]],
    known: Mapping[tuple[str, str], Calibration],
    models: Mapping[str, Model],
    writer: ScoreWriter,
) -> list[dict]:
    """Score rows of every analysis; nothing where no model answered."""
    if not cells:
        return []
    values = {
        key: cell_values(estimated, *key)
        for key in {(one.estimator, one.calibration) for each in estimated.values() for one in each}
    }
    return [
        *silver_against_gold(values, writer),
        *against_languages(cells, values, writer),
        *against_length(cells, values, writer),
        *size_tests(cells, known, models, writer),
        *contrast_rows(cells, contrasts(cells, models), writer),
    ]


def cell_values(
    estimated: Mapping[Cell, Sequence[Estimate]], estimator: str, calibration: str | None
) -> Values:
    """The estimates of one kind that could be told, by (model, language)."""
    return {
        cell: one.found.value
        for cell, each in estimated.items()
        for one in each
        if (one.estimator, one.calibration) == (estimator, calibration)
        and one.found is not None
        and one.found.value is not None
    }


# ---- correlations ------------------------------------------------------------------------------------------


def silver_against_gold(values: Mapping[tuple, Values], writer: ScoreWriter) -> list[dict]:
    """Pearson's r of HR_est by silver and by gold over cells, and of the corrections alone (HR_est over the
    raw rate) over languages.

    Both estimates of a cell hold the same H_det, so the first overstates how well silver stands in for gold;
    the second is free of it.
    """
    silver, gold, raw = (values.get(key, {}) for key in ((HR_EST, SILVER), (HR_EST, GOLD), (RAW, None)))
    shared = sorted(set(silver) & set(gold))
    if not shared:
        return []
    made = correlation_rows(
        "silver-against-gold",
        {},
        pearson([silver[cell] for cell in shared], [gold[cell] for cell in shared]),
        writer,
    )
    factors = {
        lang: (silver[m, lang] / raw[m, lang], gold[m, lang] / raw[m, lang])
        for m, lang in shared
        if raw.get((m, lang))
    }
    first, second = ([pair[place] for pair in factors.values()] for place in (0, 1))
    return made + correlation_rows("silver-against-gold-factor", {}, pearson(first, second), writer)


def against_languages(cells: Cells, values: Mapping[tuple, Values], writer: ScoreWriter) -> list[dict]:
    """Mean rate over models, and mean hallucinated tokens per reply by the same estimate, against what is
    known of each language.
    """
    facts: dict[str, Callable[[Language], float | None]] = {
        "common-crawl": lambda known: known.common_crawl_percent,
        "wikipedia-articles": lambda known: known.wikipedia_articles,
    }
    made = []
    for (name, fact), (estimator, calibration) in product(facts.items(), SHOWN):
        rates = values.get((estimator, calibration), {})
        for what, numbers in (("rate", rates), ("count", hallucinated_tokens(cells, rates))):
            found = _against(numbers, cells, fact)
            where = {"estimator": estimator, "calibration": calibration}
            made += correlation_rows(f"{what}-against-{name}", where, found, writer) if found.n else []
    return made


def hallucinated_tokens(cells: Cells, rates: Values) -> Values:
    """Hallucinated tokens per reply of each cell as an estimate of its rate has them; by the raw rate, the
    flagged ones.
    """
    return {cell: rate * _per_reply(cells, cell, "tokens") for cell, rate in rates.items()}


def _against(values: Values, cells: Cells, fact: Callable[[Language], float | None]) -> Correlation:
    """Over the languages in which every model that answered has a value: its mean over models against the
    logarithm of a fact.
    """
    means = {
        lang: [values.get(cell) for cell in cells if cell[1] == lang]
        for lang in sorted({lang for _, lang in cells})
    }
    whole = {
        lang: float(np.mean(each)) for lang, each in means.items() if None not in each and lang in languages()
    }
    known = {lang: fact(languages()[lang]) for lang in whole}
    return pearson(
        [None if known[lang] is None else float(np.log10(known[lang])) for lang in whole],
        list(whole.values()),
    )


def against_length(cells: Cells, values: Mapping[tuple, Values], writer: ScoreWriter) -> list[dict]:
    """Rate, and hallucinated tokens per reply by the same estimate, against tokens per reply, over cells.

    Once as they are, and once (`within` = languages) less their means over the models of a language: a token
    is a character in one script and a word in another, so that lengths of two languages differ for no reason
    of the models.
    """
    made = []
    for estimator, calibration in SHOWN:
        rates = values.get((estimator, calibration), {})
        length = {cell: _per_reply(cells, cell, "tokens") for cell in rates}
        for what, numbers in (("rate", rates), ("count", hallucinated_tokens(cells, rates))) if rates else ():
            where = {"estimator": estimator, "calibration": calibration}
            whole, within = (
                pearson(list(length.values()), list(numbers.values())),
                pearson_within(
                    list(length.values()), [numbers[cell] for cell in length], [lang for _, lang in length]
                ),
            )
            made += correlation_rows(f"{what}-against-length", where, whole, writer)
            made += correlation_rows(
                f"{what}-against-length", {**where, "within": "languages"}, within, writer
            )
    return made


def _per_reply(cells: Cells, cell: Cell, column: str) -> float:
    return float(getattr(cells[cell], column).mean(axis=1).mean())


def correlation_rows(subject: str, where: Mapping, found: Correlation, writer: ScoreWriter) -> list[dict]:
    """`pearson_r`, `p_value`, `n_points` of one correlation."""
    values = {"pearson_r": found.r, "p_value": found.p, "n_points": float(found.n)}
    return [writer.row(name, subject, where, value, found.n) for name, value in values.items()]


# ---- differences -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contrast:
    """The mean raw rate of the cells of one group minus that of another."""

    subject: str
    where: Mapping[str, str]
    first: tuple[Cell, ...]
    second: tuple[Cell, ...]


def size_groups(cells: Cells, models: Mapping[str, Model]) -> list[tuple[dict, list[str], list[str]]]:
    """Small and large models: those below and from the median size on, and the smallest and largest of each
    family that has two sizes.
    """
    sized = {
        name: models[name].size_b
        for name in sorted({name for name, _ in cells})
        if name in models and models[name].size_b
    }
    if not sized:
        return []
    middle = float(np.median(list(sized.values())))
    groups = [
        (
            {},
            [name for name in sized if sized[name] < middle],
            [name for name in sized if sized[name] >= middle],
        )
    ]
    families: dict[str, list[str]] = {}
    for name in sized:
        families.setdefault(models[name].family or name, []).append(name)
    for family, named in families.items():
        ends = min(named, key=sized.get), max(named, key=sized.get)
        if sized[ends[0]] < sized[ends[1]]:
            groups.append(({"family": family}, [ends[0]], [ends[1]]))
    return [group for group in groups if group[1] and group[2]]


def size_tests(
    cells: Cells,
    known: Mapping[tuple[str, str], Calibration],
    models: Mapping[str, Model],
    writer: ScoreWriter,
) -> list[dict]:
    """The paper's test of small against large models: Student's t over all estimates (detector seed × reply
    seed × language × model).

    Of HR_est by silver where it can be told in every cell, else of the raw rate. The estimates of a model
    depend on one another, which the test does not know: the bootstrap (`test` = bootstrap) stands beside it.
    """
    grids = {
        cell: grid_estimates(replies, {SILVER: known[SILVER, cell[1]]} if (SILVER, cell[1]) in known else {})
        for cell, replies in cells.items()
    }
    key = (
        (HR_EST, SILVER)
        if all(
            (HR_EST, SILVER) in each and not np.isnan(each[HR_EST, SILVER]).any() for each in grids.values()
        )
        else (RAW, None)
    )
    made = []
    for where, small, large in size_groups(cells, models):
        first, second = (
            np.concatenate([grids[cell][key].ravel() for cell in cells if cell[0] in named])
            for named in (small, large)
        )
        found = t_test(first[~np.isnan(first)], second[~np.isnan(second)])
        slice_ = {**where, "test": "t-test", "estimator": key[0], "calibration": key[1]}
        values = {"mean_difference": found.value, "p_value": found.p, "n_points": float(found.n)}
        made += [
            writer.row(name, "small-against-large", slice_, value, found.n) for name, value in values.items()
        ]
    return made


def contrasts(cells: Cells, models: Mapping[str, Model]) -> list[Contrast]:
    """Small against large models, declared languages against others, each family and script of languages
    against the others.
    """
    langs = sorted({lang for _, lang in cells})
    made = [
        Contrast(
            "small-against-large",
            {**where, "test": "bootstrap"},
            _of(cells, small, langs),
            _of(cells, large, langs),
        )
        for where, small, large in size_groups(cells, models)
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
    """`mean_difference` (with its interval), `p_value`, `n_points` of every contrast (`ratio_contrasts`),
    articles resampled whole for all models together: what two models share on an article cancels.
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
        n = len(one.first) + len(one.second)
        values = {"mean_difference": interval, "p_value": p, "n_points": float(n)}
        made += [
            writer.row(name, one.subject, {**one.where, "estimator": RAW}, each, n)
            for name, each in values.items()
        ]
    return made


def _weights(order: Sequence[Cell], one: Contrast) -> np.ndarray:
    sides = ((one.first, 1), (one.second, -1))
    return np.array([sum(sign / len(side) for side, sign in sides if cell in side) for cell in order])
