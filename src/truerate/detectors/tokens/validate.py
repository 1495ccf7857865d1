"""How well a network marks the tokens of labelled groups, in its own tokens: what early stopping looks at."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from truerate.config import Backbone
from truerate.detectors.tokens.encode import Group
from truerate.detectors.tokens.span_probabilities import MARKED, Reading


class Agreement(NamedTuple):
    """Answer tokens: all, hallucinated ones, marked ones, those that are both, and those of them whose type
    is right.
    """

    n: int = 0
    gold: int = 0
    detected: int = 0
    both: int = 0
    typed: int = 0

    @property
    def f1(self) -> float | None:
        """Of marking, whatever the type; None where nothing is hallucinated and nothing marked."""
        return 2 * self.both / (self.gold + self.detected) if self.gold + self.detected else None

    def facts(self) -> dict[str, float | None]:
        """F1, precision and recall of marking, and the share of rightly marked tokens whose type is right;
        None over nothing.
        """
        shares = {
            "precision": (self.both, self.detected),
            "recall": (self.both, self.gold),
            "type_accuracy": (self.typed, self.both),
        }
        rates = {"f1": self.f1} | {
            name: part / whole if whole else None for name, (part, whole) in shares.items()
        }
        return {"n_tokens": self.n} | {
            name: None if value is None else round(value, 6) for name, value in rates.items()
        }


def agreement(network, groups: Sequence[Group], backbone: Backbone) -> Agreement:
    """What the network marks (p of none below one half) against the labels; ignored tokens count for nothing."""
    from truerate.detectors.tokens.strategies import score_groups  # torch, which counting does without

    pairs = (
        (answer.labels, Reading(answer.offsets, 1 - p[:, 0], 1 + p[:, 1:].argmax(axis=1)))
        for group, scored in score_groups(
            network, groups, backbone.strategy, backbone.cache_bytes, is_shared=True
        )
        for answer, p in zip(group.answers, scored, strict=True)
    )
    return of_readings(pairs)


def of_readings(pairs: Iterable[tuple[np.ndarray, Reading]]) -> Agreement:
    """The counts over labels (tokens,) and readings of texts."""
    found = np.zeros(5, dtype=int)
    for labels, reading in pairs:
        is_known = labels >= 0
        gold, detected = (labels > 0) & is_known, (np.asarray(reading.p) > MARKED) & is_known
        both = gold & detected
        right = both & (np.asarray(reading.kinds) == labels)
        found += [int(one.sum()) for one in (is_known, gold, detected, both, right)]
    return Agreement(*found.tolist())
