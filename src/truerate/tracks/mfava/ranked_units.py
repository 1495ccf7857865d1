"""What models are ranked by: how far each query moves their headline rate, so that two models are tested on the
queries that both answered.

A headline rate is a ratio with labels of some replies, no mean of shares of replies. Linearised, each reply moves
it by its label and by its flags (`estimators.grid.unit_values`): the plain mean of these values is the rate, and
their differences between two models vary as the rates' difference does.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, frame
from truerate.metrics.estimators.grid import unit_values
from truerate.metrics.estimators.label_errors import EXACT, LabelError
from truerate.metrics.estimators.prediction_powered import Fit
from truerate.metrics.estimators.registry import Board
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.unit_rates import PREDICTION_POWERED
from truerate.tracks.mfava.marking import NATURAL
from truerate.tracks.mfava.rate_scores import ALL_REPLIES, RATE, TARGET
from truerate.tracks.mfava.rates import Cells

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
