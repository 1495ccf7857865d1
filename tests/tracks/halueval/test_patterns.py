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
        for shown_text in patterns.PATTERNS[task]
        for text in (shown_text.demonstration.hallucinated, shown_text.demonstration.right)
    ]
    assert sorted(shown_text.text for shown_text in shown) == sorted(sides)
    reasons = {
        why
        for shown_text in patterns.PATTERNS[task]
        for why in (shown_text.demonstration.why, shown_text.demonstration.fits)
    }
    # none says a verdict by its wording
    assert {shown_text.why for shown_text in shown} == reasons
    assert len(reasons) == len(shown)
    orders = {tuple(shown_text.text for shown_text in patterns.judged(task, seed)) for seed in range(5)}
    assert len(orders) > 1 and patterns.judged(task, 7) == shown
    assert {patterns.judged(task, seed)[0].is_hallucinated for seed in range(20)} == {True, False}


@pytest.mark.parametrize("task", ["qa", "dialogue", "summarization"])
def test_a_choice_sees_the_right_text_on_either_place_by_seed(task):
    shown = patterns.compared(task, 7)
    for shown_text in shown:
        sides = (shown_text.about.right, shown_text.about.hallucinated)
        assert (shown_text.first, shown_text.second) == (sides if shown_text.right == 1 else sides[::-1])
        assert shown_text.hallucinated == 3 - shown_text.right
    assert {shown_text.about.right for shown_text in shown} == {
        shown_text.demonstration.right for shown_text in patterns.PATTERNS[task]
    }
    drawn = [patterns.compared(task, seed) for seed in range(40)]
    n_first = [sum(shown_text.right == 1 for shown_text in each) for each in drawn]
    assert set(n_first) == {len(shown) // 2, -(-len(shown) // 2)}  # as often on either place, or once more
    assert len({tuple(shown_text.right for shown_text in each) for each in drawn}) > len(
        shown
    )  # not in turns alone
    assert len({tuple(shown_text.about.right for shown_text in each) for each in drawn}) > len(shown)
    assert patterns.compared(task, 7) == shown
