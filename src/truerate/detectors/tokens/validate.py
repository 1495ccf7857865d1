"""How well a detector marks the tokens of held-out passages: chooses its threshold, stops its training."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from truerate.config import Backbone
from truerate.detectors.tokens.groups import Group, joined
from truerate.detectors.tokens.span_probabilities import MARKED, Reading, written
from truerate.metrics.thresholds import auroc, average_precision, best_f1_cut, log_loss

DIGITS = 6  # of what is told


class Agreement:
    """Labelled tokens: `p` of being hallucinated, `is_gold`, `is_typed` (the right type), all (tokens,).
    `is_argmax`: whether the threshold is one half, and not chosen.
    """

    def __init__(self, p: np.ndarray, is_gold: np.ndarray, is_typed: np.ndarray, *, is_argmax: bool = False):
        self.p, self.is_gold, self.is_typed, self.is_argmax = p, is_gold, is_typed, is_argmax

    @cached_property
    def threshold(self) -> float:
        """The p with the best F1 of marking above it, rounded as spans are; one half where there is none, and by
        argmax.
        """
        cut = None if self.is_argmax else best_f1_cut(written(self.p), self.is_gold)
        return MARKED if cut is None else round(cut, DIGITS)

    @property
    def f1(self) -> float | None:
        """Of marking at the threshold, whatever the type; None without hallucinated or marked tokens."""
        return self.f1_at(self.threshold)

    def f1_at(self, threshold: float) -> float | None:
        """Of marking what spans hold above a threshold."""
        is_marked = written(self.p) > threshold
        n = int(self.is_gold.sum() + is_marked.sum())
        return 2 * int((self.is_gold & is_marked).sum()) / n if n else None

    @property
    def loss(self) -> float | None:
        """The log loss of p; None over no token."""
        return log_loss(self.p, self.is_gold)

    def facts(self) -> dict[str, float | None]:
        """The threshold, and F1, precision and recall of marking above it, F1 above one half, the share of
        rightly marked tokens whose type is right, AUROC, average precision and log loss; None over nothing.
        F1 at the threshold is measured where it was chosen, so that it is somewhat too good.
        """
        is_marked = written(self.p) > self.threshold
        is_found = self.is_gold & is_marked
        measures = {
            "threshold": self.threshold,
            "f1": self.f1,
            "f1_at_half": self.f1_at(MARKED),
            "precision": _share(is_found, is_marked),
            "recall": _share(is_found, self.is_gold),
            "type_accuracy": _share(self.is_typed, is_found),
            "auroc": auroc(self.p, self.is_gold),
            "average_precision": average_precision(self.p, self.is_gold),
            "log_loss": self.loss,
        }
        return {"n_tokens": len(self.p)} | {
            name: None if value is None else round(value, DIGITS) for name, value in measures.items()
        }


def _share(is_so: np.ndarray, of: np.ndarray) -> float | None:
    return int((is_so & of).sum()) / int(of.sum()) if of.any() else None


def agreement(network, groups: Iterable[Group], backbone: Backbone) -> Agreement:
    """Return what the network says of labelled groups; ignored tokens count for nothing."""
    from truerate.detectors.tokens.scoring import scored_answers  # torch, which counting does without

    readings = (
        (answer.labels, joined([(answer, p)])) for answer, p in scored_answers(network, groups, backbone)
    )
    return of_readings(readings, is_argmax=backbone.threshold == "argmax")


def of_readings(pairs: Iterable[tuple[np.ndarray, Reading]], *, is_argmax: bool = False) -> Agreement:
    """Labels (tokens,) and readings of texts, side by side; of a token ten bytes are kept."""
    columns = [
        (
            np.asarray(reading.p, dtype=float)[is_known],
            labels[is_known] > 0,
            (labels == np.asarray(reading.kinds))[is_known],
        )
        for labels, reading in pairs
        for is_known in [labels >= 0]
    ]
    empty = (np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0, dtype=bool))
    return Agreement(
        *(np.concatenate(column) for column in zip(empty, *columns, strict=True)), is_argmax=is_argmax
    )
