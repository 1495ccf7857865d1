"""Labels given group by group, as people give them: planted truth is held as often as said, and equal systems
stay equal.
"""

from typing import NamedTuple

import numpy as np
import pytest

from truerate.metrics.estimators.label_groups import (
    are_by_group,
    grouped_rate,
    n_labelled_groups,
    system_rate,
)
from truerate.metrics.estimators.own_rate import EXACT, NOT_IDENTIFIED, Systems, rate_of
from truerate.metrics.estimators.sample import Cell, verdicts


class World(NamedTuple):
    """`n_groups` documents of `size` answers on average, hallucinated at `rate` with intraclass correlation
    .5; `k` of the documents are labelled, whole; the detector finds .8 and flags .3 of the sound ones.
    """

    n_groups: int = 60
    size: int = 8
    rate: float = 0.3
    k: int = 15
    is_even: bool = True


def planted(rng, world):
    """Groups, hallucinated, flagged, (answers,)."""
    p = rng.beta(world.rate, 1 - world.rate, world.n_groups)  # 1 / (a + b + 1) = .5
    sizes = world.size if world.is_even else rng.integers(1, 2 * world.size, world.n_groups)
    groups = np.repeat(np.arange(world.n_groups), sizes)
    truth = (rng.random(len(groups)) < p[groups]).astype(float)
    flags = np.where(truth > 0, rng.random(len(groups)) < 0.8, rng.random(len(groups)) < 0.3)
    return groups, truth, flags.astype(float)


def coverage(world, n_draws, seed=1):
    """How many intervals of these answers, and of the system, hold the truth."""
    rng = np.random.default_rng(seed)
    of_these, of_system = [], []
    for _ in range(n_draws):
        groups, truth, flags = planted(rng, world)
        is_labelled = np.isin(groups, rng.choice(world.n_groups, world.k, replace=False))
        result = rate_of("all", verdicts(flags, np.where(is_labelled, truth, np.nan), groups))
        assert result.groups == world.k
        of_these.append(result.low <= truth.mean() <= result.high)
        of_system.append(result.system.low <= world.rate <= result.system.high)
    return np.mean(of_these), np.mean(of_system)


def equal_systems(n_draws, *, rate=0.2, by_document=True, seed=2):
    """How often two equal systems, eight sentences each about 30 documents that share their rate, are told
    apart, and how often the interval holds the difference of 0.
    """
    rng = np.random.default_rng(seed)
    apart, holds = [], []
    for _ in range(n_draws):
        cells = {}
        for name in "ab":
            groups, truth, flags = planted(rng, World(30, rate=rate))
            clusters = groups if by_document else [f"{name}{i}" for i in range(len(groups))]
            cells[name] = verdicts(flags, truth, clusters)
        (pair,) = Systems(cells).pairs()
        apart.append(pair.p < 0.05)
        holds.append(pair.low <= 0 <= pair.high)
    return np.mean(apart), np.mean(holds)


def test_labels_by_document_hold_the_truth():
    """60 documents of 8 answers, 15 labelled whole: .67 of 300 draws as if answers had been drawn, .98 by
    group.
    """
    of_these, of_system = coverage(World(), 150)
    assert of_these >= 0.92 and of_system >= 0.91


@pytest.mark.proof
@pytest.mark.parametrize(
    "world",
    [
        World(),
        World(rate=0.1),
        World(is_even=False),
        World(k=30),
        World(235, 3, 0.5, 40),
        World(30, 8, 0.2, 10),
    ],
)
def test_coverage_of_labels_by_document(world):
    """Nominal .95; of 400 draws .93 to .97 is two standard errors, a little more where few groups widen the
    interval.
    """
    of_these, of_system = coverage(world, 400)
    assert 0.93 <= of_these <= 0.985 and 0.92 <= of_system <= 0.985


def test_equal_systems_are_seldom_told_apart():
    """.36 of draws as if sentences were independent; .05 by document."""
    apart, holds = equal_systems(120)
    assert apart <= 0.1 and holds >= 0.9
    assert equal_systems(120, by_document=False)[0] > 0.15


@pytest.mark.proof
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_false_differences_of_equal_systems(rate):
    apart, holds = equal_systems(400, rate=rate)
    assert apart <= 0.075 and 0.925 <= holds <= 0.98


def test_what_was_drawn_is_seen():
    groups = np.repeat(np.arange(60), 8)
    rng = np.random.default_rng(3)
    whole = np.isin(groups, rng.choice(60, 15, replace=False))
    most = whole & (np.arange(480) % 8 > 0)  # one answer of each document is skipped
    each = np.isin(np.arange(480), rng.choice(480, 120, replace=False))
    one_of_each = np.arange(480) % 8 == 0
    observed = [
        are_by_group(verdicts(groups, np.where(item, 0.0, np.nan), groups))
        for item in (whole, most, each, one_of_each)
    ]
    assert observed == [True, True, False, False]
    alone = verdicts(groups, np.where(each, 0.0, np.nan), np.arange(480))
    assert not are_by_group(alone) and not are_by_group(verdicts(groups, groups * 0.0, groups))


def test_chance_is_seldom_taken_for_design():
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(100), 4)
    observed = [
        are_by_group(verdicts(groups, np.where(rng.random(400) < 0.3, 0.0, np.nan), groups))
        for _ in range(300)
    ]
    assert np.mean(observed) < 0.01


def test_groups_of_one_answer_are_answers():
    """10 of 40 answers labelled, 3 of them hallucinated, no flags: the labelled share, and at least its
    width.
    """
    label = np.full(40, np.nan)
    label[:10] = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    result = grouped_rate({"": verdicts(np.zeros(40), label, np.arange(40))})
    assert result.value == pytest.approx(0.3)
    # the jackknife of a mean is s/√n: √(.21 / 9), times √(1 − 10/40), t(9) = 2.262
    assert result.high - result.value >= 2.262 * np.sqrt(0.21 / 9 * 0.75) - 1e-9


def test_one_labelled_group_tells_nothing_of_groups():
    """8 answers labelled, 1 hallucinated, 72 not: between 1/80 and 73/80."""
    groups = np.repeat(np.arange(10), 8)
    label = np.where(groups == 0, (np.arange(80) == 0).astype(float), np.nan)
    result = rate_of("all", verdicts(np.zeros(80), label, groups))
    assert (result.value, result.low, result.high) == pytest.approx((None, 1 / 80, 73 / 80))
    assert result.estimator == NOT_IDENTIFIED and "one group" in result.why
    assert result.system[1:] == (0.0, 1.0)
    assert n_labelled_groups(verdicts(np.zeros(80), label, groups)) == 1


def test_all_labelled_is_exact_and_the_system_s_interval_is_wilson_s():
    """3 of 5: Wilson .231 to .882; 5 of 5 .566 to 1; 1 of 1 .207 to 1."""
    for label, low, high in (([1, 0, 1, 0, 1], 0.231, 0.882), ([1] * 5, 0.566, 1.0), ([1], 0.207, 1.0)):
        result = rate_of(
            "all", verdicts(np.zeros(len(label)), np.array(label, dtype=float), np.arange(len(label)))
        )
        assert result.estimator == EXACT and result.value == result.low == result.high == np.mean(label)
        assert result.system == pytest.approx((np.mean(label), low, high), abs=0.001)


def test_one_label_of_many_has_an_interval_for_the_system():
    label = np.full(50, np.nan)
    label[3] = 1.0
    result = rate_of("all", verdicts(np.zeros(50), label, np.arange(50)))
    assert result.value is None and result.system == pytest.approx((1.0, 0.207, 1.0), abs=0.001)


def test_words_of_one_answer_tell_nothing_of_others():
    cell = Cell(np.array([20.0]), np.array([0.0]), np.array([3.0]), np.array(["a"]))
    assert system_rate(cell) == (0.15, 0.0, 1.0)
    assert system_rate(Cell(*[np.zeros(0)] * 4)) is None


def test_systems_labelled_by_document_are_put_together_by_what_they_hold():
    """System a has three answers a document, b one; all of a are hallucinated, none of b: .75, whatever is
    labelled.
    """
    groups = np.repeat(np.arange(20), 3)
    cells = {
        "a": verdicts(np.zeros(60), np.where(groups < 5, 1.0, np.nan), groups),
        "b": verdicts(np.zeros(20), np.where(np.arange(20) < 5, 0.0, np.nan), np.arange(20)),
    }
    assert grouped_rate(cells).value == pytest.approx(0.75)
