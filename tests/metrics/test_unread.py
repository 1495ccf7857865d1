"""What replies with unread verdicts say of Strict: fractions by hand, the equations that define the values,
and a planted share found again whichever way verdicts are lost.
"""

from itertools import product
from math import comb

import numpy as np
import pytest

from truerate.metrics.cells import shares
from truerate.metrics.unread import FEW, MOST, WILD, all_supported, values


def replies(*groups: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Facts and read facts of so many replies each: (replies, facts, read)."""
    n, facts, read = np.array(groups).T
    return np.repeat(facts, n), np.repeat(read, n)


# ---- by hand -----------------------------------------------------------------------------------------------


def test_replies_that_lose_one_verdict_or_all():
    """30 replies of 4 facts are read whole, 6 but for one, 4 not at all: u = (6 + 4 · 4) / 160. Of two given
    facts both are unread in 4 replies; one of them in half of the 6; both are read in 30 and half of the 6.
    """
    result = values(*replies((30, 4, 4), (6, 4, 3), (4, 4, 0)), n_most=2)
    first = -22 / 138
    second = -(4 / 40 + 3 / 40 * first) / (33 / 40)
    assert result == pytest.approx([1, first, second])


def test_verdicts_lost_each_by_itself():
    """Of two facts each is unread with 1/3: 16 : 16 : 4 in 36. c = −(1/3) / (2/3), and c²."""
    assert values(*replies((16, 2, 2), (16, 2, 1), (4, 2, 0)), n_most=2) == pytest.approx([1, -1 / 2, 1 / 4])


def test_replies_lost_whole_are_left_out_as_it_were():
    """A quarter of the replies is lost: 1 where nothing is seen, −1/3 wherever something is. The mean is the
    share among those that are read: of 30 replies 12. Level in what was read, lost replies say .4, the others
    .4 + 40/30 · (1 or 0 − .4).
    """
    facts, read = replies((30, 5, 5), (10, 5, 0))
    assert values(facts, read, n_most=5) == pytest.approx([1, *[-1 / 3] * 5])
    unsupported = np.array([0] * 12 + [1] * 6 + [2] * 6 + [5] * 6 + [0] * 10)
    result = all_supported(np.zeros(40), facts, read, unsupported)
    assert result.mean() == pytest.approx(12 / 30)
    assert result == pytest.approx([1.2] * 12 + [-0.4 / 3] * 18 + [0.4] * 10)


def test_where_nothing_is_unread_a_reply_is_supported_or_not():
    rng = np.random.default_rng(1)
    facts = rng.integers(1, 40, 200)
    unsupported = rng.binomial(facts, 0.05)
    result = all_supported(rng.integers(0, 3, 200), facts, facts, unsupported)
    assert result.tolist() == (unsupported == 0).astype(float).tolist()


def test_a_subject_without_unread_verdicts_is_not_touched_by_others():
    facts, read = replies((40, 4, 4), (30, 4, 4), (10, 4, 2))
    subjects = np.array([0] * 40 + [1] * 40)
    result = all_supported(subjects, facts, read, np.array([1, 0] * 40))
    # 20 of 160 are unread
    assert result[:40].tolist() == [0.0, 1.0] * 20 and result[40:] == pytest.approx([-1 / 7, 1] * 20)


@pytest.mark.parametrize("n", [1, 3, 6, 11])
def test_the_values_are_worth_1_of_a_supported_reply_and_0_of_any_other(n):
    """Σ f(k) over all ways in which K unsupported ones may lie among the facts, in a group of any losses."""
    rng = np.random.default_rng(n)
    read = np.concatenate([np.full(25, n), rng.integers(0, n + 1, 15)])
    result = values(np.full(40, n), read, n_most=n)
    for k in range(min(n, MOST) + 1):
        ways = [(r, j) for r in read for j in range(k + 1) if 0 <= r - j <= n - k]
        total = sum(comb(k, j) * comb(n - k, r - j) / comb(n, r) * result[j] for r, j in ways)
        assert total / len(read) == pytest.approx(1.0 if k == 0 else 0.0, abs=1e-12)


# ---- where it is not told ----------------------------------------------------------------------------------


def test_few_replies_speak_for_themselves():
    facts, read = replies((FEW - 2, 4, 4), (1, 4, 3))
    result = all_supported(np.zeros(FEW - 1), facts, read, np.array([0, 1] * 14 + [0]))
    assert result[:-1].tolist() == [1.0, 0.0] * 14 and np.isnan(result[-1])
    assert values(facts, read, n_most=1) is None


def test_where_more_is_lost_than_read_replies_speak_for_themselves():
    facts, read = replies((10, 4, 4), (30, 4, 0))  # f(1) = −3
    assert values(facts, read, n_most=1) is None and 30 / 10 > WILD
    result = all_supported(np.zeros(40), facts, read, np.zeros(40, dtype=int))
    assert result[:10].tolist() == [1.0] * 10 and np.isnan(result[10:]).all()
    assert values(np.full(40, 3), np.zeros(40, dtype=int), n_most=0) is None


def test_short_and_long_replies_tell_apart_how_verdicts_are_lost():
    """Of 40 replies of 2 facts none is lost; of 40 of 20 facts an eighth: these alone have values of their
    own.
    """
    facts, read = replies((40, 2, 2), (35, 20, 20), (5, 20, 0))
    result = all_supported(np.zeros(80), facts, read, np.array([1] * 75 + [0] * 5))
    assert result[:40].tolist() == [0.0] * 40
    assert result[40:] == pytest.approx(0)  # (35 · −1/7 + 5 · 1) / 40


def test_a_rare_length_is_told_with_its_neighbours():
    facts, read = replies((40, 2, 2), (35, 6, 6), (5, 6, 3), (3, 90, 80))
    result = all_supported(np.zeros(83), facts, read, np.array([1] * 83))
    u = (5 * 1 / 2 + 3 * 1 / 9) / 43  # the unread share of a reply, in the mean of the 43
    assert result[40:] == pytest.approx(-u / (1 - u)) and (result[:40] == 0).all()


# ---- planted -----------------------------------------------------------------------------------------------

LENGTHS, MANNERS, RATES = ("5", "28", "mixed"), ("single", "calls", "both", "ends"), (0.01, 0.03, 0.1)
N, N_DRAWS, CALL = 1500, 40, 10


def lengths(rng: np.random.Generator, kind: str) -> np.ndarray:
    if kind == "mixed":
        return np.where(rng.random(N) < 0.5, rng.integers(2, 9, N), rng.integers(15, 45, N))
    return np.full(N, int(kind))


def is_lost(rng: np.random.Generator, manner: str, lost: float, n: int) -> np.ndarray:
    """Which of `n` verdicts in calls of CALL are unread: each by itself, whole calls, both, or the ends of
    calls.
    """
    calls, n_calls = np.arange(n) // CALL, -(-n // CALL)
    if manner == "single":
        return rng.random(n) < lost
    if manner == "calls":
        return (rng.random(n_calls) < lost)[calls]
    if manner == "both":
        return (rng.random(n_calls) < lost / 2)[calls] | (rng.random(n) < lost / 2)
    cut = np.where(rng.random(n_calls) < 2 * lost, rng.integers(0, CALL + 1, n_calls), CALL)
    return np.arange(n) % CALL >= cut[calls]


def drawn(rng: np.random.Generator, kind: str, manner: str, lost: float) -> tuple[float, ...]:
    """The true share, that of the drawn replies, and value, low and high of what is read of them. .8 of the
    replies up to 8 facts are all supported and .4 of longer ones; of the others one fact in ten is not and at
    least one, but of a tenth of them every one.
    """
    facts = lengths(rng, kind)
    chance = np.where(facts <= 8, 0.8, 0.4)
    is_right = rng.random(N) < chance
    wrong = np.where(rng.random(N) < 0.1, facts, np.maximum(1, rng.binomial(facts, 0.1)))
    wrong = np.where(is_right, 0, wrong)
    owner = np.repeat(np.arange(N), facts)
    read = facts - np.bincount(owner, is_lost(rng, manner, lost, len(owner)), N).astype(int)
    observed = rng.hypergeometric(wrong, facts - wrong, read)  # the wrong ones lie anywhere in their reply
    true = {"mixed": 0.6, "5": 0.8, "28": 0.4}[kind]
    return true, float(is_right.mean()), *interval(all_supported(np.zeros(N), facts, read, observed))


def interval(result: np.ndarray) -> tuple[float, float, float]:
    """Value, low and high of a subject's share from what its replies say, one reply an entity."""
    stated = result[~np.isnan(result)]
    sums = [stated.sum(), len(stated), (stated**2).sum(), stated.sum(), len(stated), len(stated)]
    value, low, high, _ = shares(*(np.array([float(item)]) for item in sums), confidence=0.95)
    return float(value[0]), float(low[0]), float(high[0])


@pytest.mark.parametrize("n_supported", [18, 450, 891])
def test_replies_lost_whole_leave_the_interval_of_those_that_are_read(n_supported):
    """Of 1,000 replies 100 are lost; of the others 2, 50 or 99 % are all supported."""
    facts, read = replies((900, 5, 5), (100, 5, 0))
    unsupported = np.array([0] * n_supported + [2] * (900 - n_supported) + [0] * 100)
    result = interval(all_supported(np.zeros(1000), facts, read, unsupported))
    whole = interval((unsupported[:900] == 0).astype(float))
    assert result[0] == pytest.approx(whole[0]) and result[1:] == pytest.approx(whole[1:], abs=0.002)


CELLS = list(product(LENGTHS, MANNERS, RATES))


@pytest.fixture(scope="module")
def stated() -> dict[tuple[str, str, float], np.ndarray]:
    return {
        cell: np.array([drawn(np.random.default_rng((number, draw)), *cell) for draw in range(N_DRAWS)]).T
        for number, cell in enumerate(CELLS)
    }


@pytest.mark.parametrize(("kind", "manner"), list(product(LENGTHS, MANNERS)))
def test_the_planted_share_is_found_whichever_way_verdicts_are_lost(stated, kind, manner):
    for lost in RATES:
        _, own_values, value, *_ = stated[kind, manner, lost]
        assert abs(np.mean(value - own_values)) < 0.003, lost


def test_its_intervals_hold_the_true_share(stated):
    covered = {
        cell: np.mean((low <= true) & (true <= high)) for cell, (true, *_, low, high) in stated.items()
    }
    assert np.mean(list(covered.values())) >= 0.93  # over 1,440 draws: a standard error of .006
    for kind, manner in product(LENGTHS, MANNERS):
        assert np.mean([covered[kind, manner, lost] for lost in RATES]) >= 0.9


def test_complete_replies_alone_would_be_too_high_where_lengths_differ():
    """What the values are for: of 750 short replies .8 are all supported, of 750 long ones .4: in all .6 are
    all supported.
    """
    rng = np.random.default_rng(3)
    gaps = []
    for _ in range(20):
        facts = lengths(rng, "mixed")
        is_right = rng.random(N) < np.where(facts <= 8, 0.8, 0.4)
        is_whole = rng.random(N) < 0.9**facts
        gaps.append(is_right[is_whole].mean() - is_right.mean())
    assert np.mean(gaps) > 0.1
