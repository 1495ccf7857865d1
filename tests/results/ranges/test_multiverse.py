"""Ranges, ranks and the effect of single rules, of rates that are set by hand."""

import numpy as np
import pytest

from truerate.results.ranges.multiverse import Multiverse, effects, n_flips, ranges, trimmed

OUT, WRONG = {"Abstentions": "left out"}, {"Abstentions": "counted as hallucinated"}
REPLY, TASK = {"Weights": "each reply"}, {"Weights": "each task"}
FOUR = Multiverse(
    ("aster", "birch", "cedar"),
    (OUT | REPLY, OUT | TASK, WRONG | REPLY, WRONG | TASK),
    np.array([[0.2, 0.3, 0.3], [0.2, 0.25, 0.3], [0.6, 0.35, 0.3], [0.7, 0.35, np.nan]]),
    is_lower_better=True,
)


def test_a_range_goes_from_the_least_to_the_greatest_rate_and_names_the_choices_that_give_them():
    aster, birch, _ = ranges(FOUR)
    assert (aster.rate, aster.low, aster.high) == (0.2, 0.2, 0.7)
    assert aster.low_by == {}, "the board's own rules give it, and so do others"
    assert aster.high_by == WRONG | TASK
    assert birch.low_by == TASK
    assert birch.high_by == WRONG, "the combination that is nearest to the board's own"
    assert birch.width == pytest.approx(0.1)


def test_ranks_count_the_better_ones_and_equals_share_a_rank():
    # by the columns aster, birch, cedar: .2 .3 .3 → 1 2 2; .2 .25 .3 → 1 2 3; .6 .35 .3 → 3 2 1; .7 .35 – → 2 1 –
    assert FOUR.ranks.tolist() == [[1, 2, 2], [1, 2, 3], [3, 2, 1], [2, 1, 0]]
    assert [(line.rank_low, line.rank_high, line.n_first) for line in ranges(FOUR)] == [
        (1, 3, 2), (1, 2, 1), (1, 3, 1),
    ]  # fmt: skip


def test_where_more_is_better_the_highest_is_first():
    turned = Multiverse(("a", "b"), ({},), np.array([[0.4, 0.6]]), is_lower_better=False)
    assert turned.ranks.tolist() == [[2, 1]]


def test_rates_that_differ_beyond_their_six_digits_are_equal():
    near = Multiverse(("a", "b"), ({},), np.array([[0.1 + 0.2, 0.3]]), is_lower_better=True)
    assert near.ranks.tolist() == [[1, 1]]


def test_an_effect_is_that_of_one_choice_alone():
    listed = [
        (one.choice, one.is_standard, one.subject, round(one.move, 6), one.n_flips, one.first)
        for one in effects(FOUR)
    ]
    assert listed == [
        ("left out", True, "", 0.0, 0, ("aster",)),
        # aster passes both others
        ("counted as hallucinated", False, "aster", 0.4, 2, ("cedar",)),
        ("each reply", True, "", 0.0, 0, ("aster",)),
        # birch leaves a tie with cedar, which is no flip
        ("each task", False, "birch", -0.05, 0, ("aster",)),
    ]


def test_flips_are_pairs_that_stand_the_other_way_round():
    # a < b < c becomes c < a < b: a–c and b–c flip; a rate that is missing flips with nothing
    assert n_flips(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 1.0])) == 2
    assert n_flips(np.array([1.0, 2.0, 3.0]), np.array([np.nan, 3.0, 1.0])) == 1


def test_choices_that_move_no_rate_by_what_is_shown_are_left_out():
    combinations = tuple(weight | rule for weight in (REPLY, TASK) for rule in (OUT, WRONG))
    rates = np.array([[0.2], [0.2004], [0.3], [0.3004]])
    kept = trimmed(Multiverse(("aster",), combinations, rates, is_lower_better=True))
    assert kept.combinations == (REPLY, TASK)
    assert kept.rates.tolist() == [[0.2], [0.3]]


def test_a_choice_that_moves_a_rate_beside_another_alone_stays():
    combinations = tuple(weight | rule for weight in (REPLY, TASK) for rule in (OUT, WRONG))
    rates = np.array([[0.2], [0.2], [0.2], [0.3]])
    assert len(trimmed(Multiverse(("a",), combinations, rates, is_lower_better=True)).combinations) == 4


def test_without_a_rule_that_changes_something_there_is_no_multiverse():
    combinations = (OUT, WRONG)
    assert trimmed(Multiverse(("a",), combinations, np.array([[0.2], [0.2]]), is_lower_better=True)) is None
    assert trimmed(Multiverse(("a",), combinations, np.full((2, 1), np.nan), is_lower_better=True)) is None


def test_a_judge_to_whom_other_rules_do_not_apply_is_held_against_the_board_itself():
    people = {"Judge": "people"}
    combinations = (people | OUT, people | WRONG, {"Judge": "judge-1"})
    rates = np.array([[0.2], [0.4], [0.3]])
    kept = trimmed(Multiverse(("a",), combinations, rates, is_lower_better=True))
    assert kept.departures(2) == {"Judge": "judge-1"}
    assert [(one.rule, one.choice) for one in effects(kept) if not one.is_standard] == [
        ("Judge", "judge-1"), ("Abstentions", "counted as hallucinated"),
    ]  # fmt: skip
