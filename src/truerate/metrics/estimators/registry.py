"""The estimators of a rate: the labels that each needs, what it assumes, and how it is made."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from truerate.metrics.cells import mean_of_cells
from truerate.metrics.estimators.grid import model_mean
from truerate.metrics.estimators.prediction_powered import (
    Fit,
    Residuals,
    Target,
    fit_board,
    predicted,
    residuals,
)
from truerate.metrics.estimators.sample import (
    EXACT,
    Between,
    Calibration,
    Cells,
    Key,
    LabelError,
    between_models,
    errors_on,
    estimated,
    flagged_sums,
    shares_clusters,
    widened,
)
from truerate.metrics.intervals import NARROW, Interval, share_interval
from truerate.metrics.rates import (
    PREDICTION_POWERED,
    RAW,
    ROGAN_GLADEN,
    Corrected,
    Estimate,
    corrected_rate,
    mean_of_intervals,
)
from truerate.metrics.score_writer import ALL

HR_EST, ROGAN_GLADEN_BETWEEN = "hr_est", "rogan-gladen-between"
LABELS_ALONE, PPI = "labels-alone", "ppi"
# no estimator of a sample: what stands in for the headline where a cell has no labels
PREDICTED = "predicted"
NATURAL = "natural"  # the calibration of what uses the cells' own labels
Found = Interval | Corrected | None
NO_CALIBRATION: Mapping[str, Calibration] = MappingProxyType({})


@dataclass(frozen=True)
class Board:
    """The cells of a board, and the labelled texts that its detector is calibrated on, by kind of labels."""

    cells: Cells
    confidence: float
    target: Target = "these"
    calibrated: Mapping[str, Calibration] = field(default_factory=lambda: NO_CALIBRATION)
    people: LabelError = EXACT

    @cached_property
    def models(self) -> list[str]:
        """Sorted names."""
        return sorted({model for model, _ in self.cells})

    @cached_property
    def langs(self) -> list[str]:
        """Sorted codes of all languages; a mean of a model is over these."""
        return sorted({lang for _, lang in self.cells})

    @cached_property
    def residuals(self) -> dict[Key, Residuals]:
        """Those of the cells that have labels."""
        each = {key: residuals(cell, self.people) for key, cell in self.cells.items()}
        return {key: left for key, left in each.items() if left is not None}

    @cached_property
    def flagged(self) -> dict[Key, np.ndarray]:
        """Flagged things and all of them within each cell's clusters, (clusters, 2)."""
        return {key: flagged_sums(cell) for key, cell in self.cells.items()}

    def fit(self, slope: float | None) -> Fit:
        """θ of its cells (`prediction_powered.fit_board`)."""
        return fit_board(
            self.residuals, slope=slope, target=self.target, confidence=self.confidence, people=self.people
        )

    @cached_property
    def headline(self) -> Fit:
        """The fit of the headline, PPI++."""
        return self.fit(None)


class Estimator(NamedTuple):
    """One way to a rate: `labels` that it needs (none; external: of any texts; internal: of some of the
    cells' own units), what it assumes in one plain sentence, and what it makes of a board: by (model,
    language) and (model, `all`), the mean over the board's languages. Keys of which it has nothing to say are
    absent.
    """

    name: str
    labels: Literal["none", "external", "internal"]
    assumes: str
    estimate: Callable[[Board, Calibration | None], dict[Key, Found]]


# ---- how each is made --------------------------------------------------------------------------------------


def _raw(board: Board, texts: Calibration | None) -> dict[Key, Found]:
    each = {key: share_interval(*sums.T, confidence=board.confidence) for key, sums in board.flagged.items()}
    return dict(each) | _means(board, each, None)


def _hr_est(board: Board, texts: Calibration | None) -> dict[Key, Found]:
    def of_lang(calibration: Calibration) -> Callable[[Key], Found]:
        return lambda key: estimated(board.cells[key], calibration, confidence=board.confidence)

    return _external(board, texts, of_lang)


def _rogan_gladen(board: Board, texts: Calibration | None) -> dict[Key, Found]:
    return _external(board, texts, partial(_corrected, board))


def _rogan_gladen_between(board: Board, texts: Calibration | None) -> dict[Key, Found]:
    if texts is None:
        return {}
    between = between_models(texts)
    if between.n_models < 2:  # nothing tells how far models differ
        return {}
    # What sets a model apart does so in every language: its mean is no surer than each.
    return _external(board, texts, partial(_corrected, board, between=between), is_independent=False)


def _corrected(
    board: Board, of_lang: Calibration, *, between: Between | None = None
) -> Callable[[Key], Found]:
    """Return what corrects the cells of one language."""
    confidence = board.confidence
    errors = errors_on(of_lang, confidence=confidence)

    def corrected(key: Key) -> Corrected | None:
        rate = corrected_rate(board.flagged[key], errors, confidence=confidence)
        if between is None or rate is None or not rate.is_identified:
            return rate
        return widened(rate, errors.tpr.rate - errors.fpr.rate, between, confidence=confidence)

    return corrected


def _external(
    board: Board,
    texts: Calibration | None,
    of_lang: Callable[[Calibration], Callable[[Key], Found]],
    *,
    is_independent: bool | None = None,
) -> dict[Key, Found]:
    """An estimate of each cell in whose language there are labelled texts, and means."""
    if texts is None:
        return {}
    by_lang = {lang: texts.of_lang(lang) for lang in board.langs if (texts.langs == lang).any()}
    rate_of = {lang: of_lang(part) for lang, part in by_lang.items()}
    each = {key: rate_of[key[1]](key) for key in board.cells if key[1] in rate_of}
    if len(by_lang) < len(board.langs):
        return each
    return each | _means(board, each, by_lang, is_independent=is_independent)


def _means(
    board: Board,
    each: Mapping[Key, Found],
    by_lang: Mapping[str, Calibration] | None,
    *,
    is_independent: bool | None = None,
) -> dict[Key, Found]:
    """The plain mean of each model over the board's languages; None where one of them is not told."""
    means: dict[Key, Found] = {}
    for model in board.models:
        cells_of_model = [each.get((model, lang)) for lang in board.langs]
        identified: list[Found] = [
            rate for rate in cells_of_model if rate is not None and rate.value is not None
        ]
        if len(identified) < len(cells_of_model):
            means[model, ALL] = None
            continue
        is_apart = is_independent
        if is_apart is None:
            texts = [] if by_lang is None else [by_lang[lang] for lang in board.langs]
            is_apart = not shares_clusters([board.cells[model, lang] for lang in board.langs], texts)
        intervals = [rate for rate in identified if isinstance(rate, Interval)]
        means[model, ALL] = (
            mean_of_cells(intervals, is_independent=is_apart)
            if len(intervals) == len(identified)
            else mean_of_intervals(identified, is_independent=is_apart)
        )
    return means


def _internal(board: Board, texts: Calibration | None, *, slope: float | None) -> dict[Key, Found]:
    fit = board.headline if slope is None else board.fit(slope)
    intervals: dict[Key, Found] = {key: fit.interval(key) for key in fit.cells}
    if intervals:
        intervals |= {(model, ALL): model_mean(fit, model, board.langs) for model in board.models}
    return intervals


ESTIMATORS: Mapping[str, Estimator] = MappingProxyType(
    {
        estimator.name: estimator
        for estimator in (
            Estimator(RAW, "none", "The detector makes no errors, or they cancel out.", _raw),
            Estimator(
                HR_EST,
                "external",
                "The detector's precision and recall on the labelled texts are those on the replies, so that "
                "both hold the same share of hallucination.",
                _hr_est,
            ),
            Estimator(
                ROGAN_GLADEN,
                "external",
                "The detector's true and false positive rates on the labelled texts are those on the replies "
                "of every model.",
                _rogan_gladen,
            ),
            Estimator(
                ROGAN_GLADEN_BETWEEN,
                "external",
                "The detector's true and false positive rates differ between models no more than they do "
                "between the models whose texts were labelled.",
                _rogan_gladen_between,
            ),
            Estimator(
                LABELS_ALONE,
                "internal",
                "The labelled replies were drawn by chance, and people label rightly; the detector is not "
                "used.",
                partial(_internal, slope=0.0),
            ),
            Estimator(
                PPI,
                "internal",
                "The labelled replies were drawn by chance, and people label rightly; the detector's flags "
                "count in full.",
                partial(_internal, slope=1.0),
            ),
            Estimator(
                PREDICTION_POWERED,
                "internal",
                "The labelled replies were drawn by chance, and people label rightly, as far as the votes of "
                "several do; the detector's flags count as far as they foretell labels on this board.",
                partial(_internal, slope=None),
            ),
        )
    }
)


# ---- a board at once ---------------------------------------------------------------------------------------


def estimate_board(
    cells: Cells,
    *,
    confidence: float,
    target: Target = "these",
    calibrated: Mapping[str, Calibration] = NO_CALIBRATION,
    people: LabelError = EXACT,
    names: Iterable[str] = tuple(ESTIMATORS),
) -> dict[Key, list[Estimate]]:
    """Every estimate of every cell, (model, language), and of every model's mean, (model, `all`), in the
    order of the registry; after them `predicted` where a cell, or one of a mean, has no labels but its model
    has them in enough other languages.

    `target`: the rate of `these` very units, or of all that the `model` would give. `calibrated`: labelled
    texts by kind of labels, for the estimators with external labels. `people`: the error of labels that are
    one person's (`label_errors.label_error` of texts that several labelled). An estimate that needs labels
    which are not there is absent; one that cannot be told is there with `found` None; one of units that are
    all labelled has NaN ends.
    """
    board = Board(cells, confidence, target, calibrated, people)
    estimates: dict[Key, list[Estimate]] = {key: [] for key in cells}
    estimates |= {(model, ALL): [] for model in board.models}
    for estimator in (ESTIMATORS[name] for name in names):
        # what it is calibrated on; each gives an estimate
        kinds: dict[str, Sequence[str | None]] = {
            "none": [None],
            "internal": [NATURAL],
            "external": [*calibrated],
        }
        for kind in kinds[estimator.labels]:
            texts = calibrated.get(kind) if kind is not None else None
            for key, result in estimator.estimate(board, texts).items():
                estimates[key].append(Estimate(estimator.name, kind, _with_width(result)))
    for key, interval in _predicted(board).items():
        estimates[key].append(Estimate(PREDICTED, NATURAL, interval))
    return estimates


def _with_width(result: Found) -> Found:
    """The estimate without ends where these have no width: all of `these` very units are labelled, and
    nothing is left that could be drawn otherwise, while a reader of a board asks about the system.
    """
    if isinstance(result, Interval) and result.high - result.low < NARROW:
        return Interval(result.value, np.nan, np.nan)
    return result


def _predicted(board: Board) -> dict[Key, Interval]:
    """Predictive intervals of cells without labels, and of means with them: no surer than each cell."""
    fit = board.headline
    foretold = predicted(fit, board.cells)
    intervals = dict(foretold)
    for model in {key[0] for key in foretold}:
        cells_of_model = [
            foretold.get((model, lang))
            or (fit.interval((model, lang)) if (model, lang) in fit.cells else None)
            for lang in board.langs
        ]
        mean = mean_of_intervals(list(cells_of_model), is_independent=False)
        if mean is not None:
            intervals[model, ALL] = mean
    return intervals
