"""Pattern names are the paper's; each has a demonstration that serves every step."""

import pytest

from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.sampling import candidate_reason, words_over

NAMES = {
    "qa": ("comprehension", "factualness", "specificity", "inference"),
    "dialogue": ("extrinsic-soft", "extrinsic-hard", "extrinsic-grouped"),
    "summarization": ("factual", "non-factual", "intrinsic"),
    "general": ("unverifiable", "non-factual", "irrelevant"),
}


@pytest.mark.parametrize("task", NAMES)
def test_demonstrations_keep_the_rules_that_they_teach(task):
    for pattern in patterns.PATTERNS[task]:
        shown = pattern.demonstration
        assert candidate_reason(shown.hallucinated, shown.right) is None
        assert shown.why and shown.knowledge and (shown.question or shown.history or task == "summarization")
        assert words_over(shown.hallucinated, shown.right) <= 5


@pytest.mark.parametrize("task", NAMES)
def test_recognition_sees_both_sides_in_an_order_drawn_by_seed(task):
    shown = patterns.judged(task, 7)
    sides = [
        text
        for one in patterns.PATTERNS[task]
        for text in (one.demonstration.hallucinated, one.demonstration.right)
    ]
    assert sorted(one.text for one in shown) == sorted(sides)
    reasons = {
        why for one in patterns.PATTERNS[task] for why in (one.demonstration.why, one.demonstration.fits)
    }
    # none says a verdict by its wording
    assert {one.why for one in shown} == reasons
    assert len(reasons) == len(shown)
    orders = {tuple(one.text for one in patterns.judged(task, seed)) for seed in range(5)}
    assert len(orders) > 1 and patterns.judged(task, 7) == shown
    assert {patterns.judged(task, seed)[0].is_hallucinated for seed in range(20)} == {True, False}


@pytest.mark.parametrize("task", ["qa", "dialogue", "summarization"])
def test_a_choice_sees_the_right_text_on_either_place_by_seed(task):
    shown = patterns.compared(task, 7)
    for one in shown:
        sides = (one.about.right, one.about.hallucinated)
        assert (one.first, one.second) == (sides if one.right == 1 else sides[::-1])
        assert one.hallucinated == 3 - one.right
    assert {one.about.right for one in shown} == {one.demonstration.right for one in patterns.PATTERNS[task]}
    drawn = [patterns.compared(task, seed) for seed in range(40)]
    n_first = [sum(one.right == 1 for one in each) for each in drawn]
    assert set(n_first) == {len(shown) // 2, -(-len(shown) // 2)}  # as often on either place, or once more
    assert len({tuple(one.right for one in each) for each in drawn}) > len(shown)  # not in turns alone
    assert len({tuple(one.about.right for one in each) for each in drawn}) > len(shown)
    assert patterns.compared(task, 7) == shown
