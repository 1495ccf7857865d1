"""What the paper asks of its rates: do silver- and gold-based estimates agree, are large models better, what
do languages explain?

Points of one analysis are not independent (cells share a detector, models share queries), so a p-value from
Student's t says too much; where models are compared the headline rates stand beside it, paired by article, and a
bootstrap of the raw ones. Common Crawl shares and article counts enter as logarithms.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.config import Model
from truerate.core.schemas import Outcome, frame
from truerate.metrics.agreement import pearson, pearson_within
from truerate.metrics.estimators.grid import unit_values
from truerate.metrics.estimators.prediction_powered import Fit
from truerate.metrics.estimators.registry import HR_EST, Board
from truerate.metrics.estimators.sample import EXACT, LabelError
from truerate.metrics.rates import PREDICTION_POWERED, RAW, Estimate
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.tracks.mfava.context import LanguageFacts, language_facts
from truerate.tracks.mfava.marking import GOLD, NATURAL, SILVER
from truerate.tracks.mfava.model_analyses import (
    Cell,
    Points,
    Values,
    against_length_apart,
    against_supported_languages,
    contrast_rows,
    contrasts,
    correlation_rows,
    hallucinated_tokens,
    headline_rows,
    language_means,
    of_points,
    per_reply,
    point_rows,
    size_tests,
)
from truerate.tracks.mfava.rate_scores import ALL_REPLIES, RATE, TARGET
from truerate.tracks.mfava.rates import Calibrations, Cells

SHOWN = (
    (RAW, None),
    (HR_EST, SILVER),
    (HR_EST, GOLD),
    (PREDICTION_POWERED, NATURAL),
)  # the estimators that are set against facts of languages


def analysis_rows(
    cells: Cells,
    estimated: Mapping[Cell, Sequence[Estimate]],
    known: Calibrations,
    fit: Fit,
    models: Mapping[str, Model],
    writer: ScoreWriter,
    *,
    large_from: float | None = None,
) -> list[dict]:
    """Score rows of every analysis; nothing where no model answered."""
    if not cells:
        return []
    values = {
        key: cell_values(estimated, *key)
        for key in {(one.estimator, one.calibration) for each in estimated.values() for one in each}
    }
    asked = contrasts(cells, models, large_from=large_from)
    return [
        *silver_against_gold(values, writer),
        *against_languages(cells, values, writer),
        *against_supported_languages(cells, values, models, SHOWN, writer),
        *against_length(cells, values, writer),
        *against_length_apart(cells, values, SHOWN, writer),
        *size_tests(cells, known, models, writer, large_from=large_from),
        *headline_rows(fit, asked, writer),
        *contrast_rows(cells, asked, writer),
    ]


def cell_values(
    estimated: Mapping[Cell, Sequence[Estimate]], estimator: str, calibration: str | None
) -> Values:
    """The estimates of one kind that could be told, by (model, language)."""
    return {
        cell: one.interval.value
        for cell, each in estimated.items()
        for one in each
        if (one.estimator, one.calibration) == (estimator, calibration)
        and one.interval is not None
        and one.interval.value is not None
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
    facts: dict[str, Callable[[LanguageFacts], float | None]] = {
        "common-crawl": lambda known: known.common_crawl_percent,
        "wikipedia-articles": lambda known: known.wikipedia_articles,
    }
    made = []
    for (name, fact), (estimator, calibration) in product(facts.items(), SHOWN):
        rates = values.get((estimator, calibration), {})
        for what, numbers in (("rate", rates), ("count", hallucinated_tokens(cells, rates))):
            points = language_points(numbers, cells, fact)
            where = {"estimator": estimator, "calibration": calibration}
            if points:
                found = of_points(points, is_logarithmic=True)
                made += correlation_rows(f"{what}-against-{name}", where, found, writer)
                made += point_rows(f"{what}-against-{name}", where, points, writer) if what == "rate" else []
    return made


def language_points(values: Values, cells: Cells, fact: Callable[[LanguageFacts], float | None]) -> Points:
    """A fact of a language and its mean over models, of the languages in which both are known."""
    facts = {
        lang: (fact(language_facts()[lang]), mean)
        for lang, mean in language_means(values, cells).items()
        if lang in language_facts()
    }
    return {lang: (known, mean) for lang, (known, mean) in facts.items() if known is not None}


def against_length(cells: Cells, values: Mapping[tuple, Values], writer: ScoreWriter) -> list[dict]:
    """Rate, and hallucinated tokens per reply by the same estimate, against tokens per reply, over cells.

    Once as they are, and once (`within` = languages) less their means over the models of a language: a token
    is a character in one script and a word in another, so that lengths of two languages differ for no reason
    of the models.
    """
    made = []
    for estimator, calibration in SHOWN:
        rates = values.get((estimator, calibration), {})
        length = {cell: per_reply(cells, cell, "tokens") for cell in rates}
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


# ---- What models are ranked by: how far each query moves their headline rat --------------------------------


WHERE = {"estimator": PREDICTION_POWERED, "calibration": NATURAL, "replies": ALL_REPLIES}


class Unit(NamedTuple):
    """A query and its replicate, which all models are asked, in its language; `cluster`: its article."""

    name: str
    lang: str
    cluster: str


def headline(cells: Cells, confidence: float, people: LabelError = EXACT) -> Fit:
    """The fit behind the headline rates of a board; `people`: the error of labels by one person."""
    sampled = {key: one.cell for key, one in cells.items()}
    return Board(sampled, confidence, TARGET, people=people).headline


def outcome_rows(cells: Cells, fit: Fit, writer: ScoreWriter) -> pl.DataFrame:
    """Outcome rows of every model and language whose headline is identified, and over all languages where each
    is.

    A query that a model did not answer moves its rate by nothing, so that the mean over all queries stays the
    rate. Over languages a query counts as its language does in the plain mean.
    """
    units = _asked(cells)
    langs = list(dict.fromkeys(unit.lang for unit in units))
    moved = {key: _moved(cells, fit, key) for key in cells if key in fit.cells}
    made = [frame(Outcome)]
    for model in dict.fromkeys(model for model, _ in moved):
        told = [lang for lang in langs if (model, lang) in moved]
        for lang in told:
            made.append(
                _rows(model, lang, units, {lang: (fit.rates[model, lang], moved[model, lang])}, writer)
            )
        if told == langs:
            each = {lang: (fit.rates[model, lang], moved[model, lang]) for lang in langs}
            made.append(_rows(model, ALL, units, each, writer))
    return pl.concat(made)


def _asked(cells: Cells) -> list[Unit]:
    """Every query that some model answered, by language."""
    found = {
        Unit(str(name), lang, str(cluster))
        for (_, lang), replies in cells.items()
        for name, cluster in zip(replies.units, replies.groups, strict=True)
    }
    return sorted(found, key=lambda unit: (unit.lang, unit.name))


def _moved(cells: Cells, fit: Fit, key: tuple[str, str]) -> dict[str, float]:
    """By how much each of a model's replies moves its rate, by unit; 0 together."""
    influence = (unit_values(fit, key) - fit.rates[key]) / cells[key].cell.n
    return dict(zip(map(str, cells[key].units), influence.tolist(), strict=True))


def _rows(
    model: str,
    name: str,
    units: Iterable[Unit],
    each: Mapping[str, tuple[float, dict[str, float]]],
    writer: ScoreWriter,
) -> pl.DataFrame:
    """A row per query of these languages, whose mean is the plain mean of their rates."""
    asked = [unit for unit in units if unit.lang in each]
    rate = float(np.mean([rate for rate, _ in each.values()]))
    scale = len(asked) / len(each)
    values = [round(rate + scale * each[unit.lang][1].get(unit.name, 0.0), 6) for unit in asked]
    names, _, clusters = zip(*asked, strict=True)
    columns = {"unit_id": names, "cluster_id": clusters, "value": values}
    return writer.outcomes(
        RATE, {**WHERE, "lang": name}, pl.DataFrame(columns).with_columns(subject=pl.lit(model))
    )
