"""The rates of several subjects under every combination of rules of counting: a multiverse (Steegen et al. 2016)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truerate.site.measures import Measure

Combination = Mapping[str, str]  # the choice by rule; a rule that does not apply is missing
DIGITS = 6  # of a rate when rates are compared: those of committed scores
SEEN = 5e-4  # a change that the page's digits show


@dataclass(frozen=True)
class Range:
    """What a subject's rate may be: under the board's own rules, least and greatest, each with the choices that give it
    and differ from the board's; ranks likewise, and under how many combinations no subject is better.
    """

    subject: str
    rate: float
    low: float
    low_by: Combination
    high: float
    high_by: Combination
    rank: int
    rank_low: int
    rank_high: int
    n_first: int

    @property
    def width(self) -> float:
        """How far the rules move the rate, in [0, 1]."""
        return self.high - self.low


@dataclass(frozen=True)
class Effect:
    """What one choice alone does, all else counted as the board does: the subject whose rate it moves most with that
    signed `move`, how many pairs of subjects change places, and who is first.
    """

    rule: str
    choice: str
    is_standard: bool
    subject: str
    move: float
    n_flips: int
    first: tuple[str, ...]


@dataclass(frozen=True)
class Multiverse:
    """Rates in [0, 1], shape (combinations, subjects), NaN where a subject was not measured; the first combination
    is the board's own. `measure`: what the rates are, None for what leads the board.
    """

    subjects: tuple[str, ...]
    combinations: tuple[Combination, ...]
    rates: np.ndarray
    is_lower_better: bool
    measure: Measure | None = None

    @property
    def standard(self) -> Combination:
        """The board's own choice by rule."""
        return self.combinations[0]

    def departures(self, number: int) -> Combination:
        """The choices of a combination that are not the board's."""
        return {
            rule: choice
            for rule, choice in self.combinations[number].items()
            if self.standard.get(rule) != choice
        }

    @cached_property
    def n_departures(self) -> np.ndarray:
        """Return how many choices of each combination are not the board's."""
        return np.array([len(self.departures(number)) for number in range(len(self.combinations))])

    @cached_property
    def ranks(self) -> np.ndarray:
        """The rank of each subject by combination: one behind the number of those with a better rate, equals share
        one; 0 where it was not measured.
        """
        rates = np.round(self.rates if self.is_lower_better else -self.rates, DIGITS)
        better = (
            rates[:, None, :] < rates[:, :, None]
        )  # (combination, subject, rival); NaN is better than none
        return np.where(np.isnan(rates), 0, 1 + better.sum(axis=2))

    def first(self, number: int) -> tuple[str, ...]:
        """The subjects that no other is better than under a combination."""
        ranks = self.ranks[number]
        return tuple(name for name, rank in zip(self.subjects, ranks, strict=True) if rank == 1)


def trimmed(multiverse: Multiverse) -> Multiverse | None:
    """A multiverse of the choices alone that change some rate by what a page shows, whatever else is chosen; None
    where no choice does. A rule with one choice left is left out.
    """
    number_of = {_key(combination): i for i, combination in enumerate(multiverse.combinations)}
    idle = {
        (rule, choice)
        for combination in multiverse.combinations
        for rule, choice in combination.items()
        if multiverse.standard.get(rule) not in (None, choice)
    }
    for i, combination in enumerate(multiverse.combinations):
        for rule, choice in combination.items():
            if (rule, choice) in idle:
                instead = _key(combination | {rule: multiverse.standard[rule]})
                j = number_of.get(instead, 0)  # a judge's verdicts, to which other rules do not apply
                if (np.abs(multiverse.rates[i] - multiverse.rates[j]) > SEEN).any():
                    idle.discard((rule, choice))
    kept = [i for i, combination in enumerate(multiverse.combinations) if not idle & set(combination.items())]
    choices = {pair for i in kept for pair in multiverse.combinations[i].items()}
    n_choices = {rule: sum(pair[0] == rule for pair in choices) for rule, _ in choices}
    if len(kept) < 2:
        return None
    combinations = (
        {rule: choice for rule, choice in multiverse.combinations[i].items() if n_choices[rule] > 1}
        for i in kept
    )
    return replace(multiverse, combinations=tuple(combinations), rates=multiverse.rates[kept])


def _key(combination: Combination) -> frozenset[tuple[str, str]]:
    return frozenset(combination.items())


def ranges(multiverse: Multiverse) -> list[Range]:
    """The range of each subject that the board's own rules measure, in their order. Of several combinations that give
    the same extreme the one nearest to the board's own is named.
    """
    order = np.argsort(multiverse.n_departures, kind="stable")
    listed = []
    for column, subject in enumerate(multiverse.subjects):
        rates, ranks = np.round(multiverse.rates[order, column], DIGITS), multiverse.ranks[:, column]
        if np.isnan(rates[0]):
            continue
        low, high = int(np.nanargmin(rates)), int(np.nanargmax(rates))
        by_low, by_high = (multiverse.departures(order[i]) for i in (low, high))
        measured = ranks[ranks > 0]
        listed.append(Range(
            subject, float(rates[0]), float(rates[low]), by_low, float(rates[high]), by_high,
            int(ranks[0]), int(measured.min()), int(measured.max()), int((ranks == 1).sum()),
        ))  # fmt: skip
    return listed


def effects(multiverse: Multiverse) -> list[Effect]:
    """Each choice of each rule alone: the board's own first, then what differs from the board in that choice."""
    rates = np.round(multiverse.rates, DIGITS)
    alone = [i for i, n in enumerate(multiverse.n_departures) if n == 1]
    listed = []
    for rule, choice in multiverse.standard.items():
        listed.append(Effect(rule, choice, True, "", 0.0, 0, multiverse.first(0)))
        for i in alone:
            if rule not in (departures := multiverse.departures(i)):
                continue
            moves = rates[i] - rates[0]
            most = int(np.nan_to_num(np.abs(moves)).argmax())
            listed.append(Effect(
                rule, departures[rule], False, multiverse.subjects[most], float(np.nan_to_num(moves)[most]),
                n_flips(rates[0], rates[i]), multiverse.first(i),
            ))  # fmt: skip
    return listed


def n_flips(first: np.ndarray, second: np.ndarray) -> int:
    """Return how many pairs of subjects stand the other way round in the second rates; equals are no flip, and a pair
    of which a rate is NaN is none.
    """
    products = np.subtract.outer(first, first) * np.subtract.outer(second, second)
    return int(np.triu(products < 0).sum())
