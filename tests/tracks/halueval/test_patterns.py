"""Pattern names are the paper's; each has a demonstration that serves every step."""

import pytest

from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.candidates import breaks_length_rule, candidate_reason, words_over

NAMES = {
    "qa": ("comprehension", "factualness", "specificity", "inference"),
    "dialogue": ("extrinsic-soft", "extrinsic-hard", "extrinsic-grouped"),
    "summarization": ("factual", "non-factual", "intrinsic"),
    "general": ("unverifiable", "non-factual", "irrelevant"),
}


@pytest.mark.parametrize("task", NAMES)
def test_names(task):
    assert patterns.names(task) == NAMES[task]


@pytest.mark.parametrize("task", NAMES)
def test_demonstrations_keep_the_rules_that_they_teach(task):
    for pattern in patterns.PATTERNS[task]:
        shown = pattern.demonstration
        assert candidate_reason(shown.hallucinated, shown.right) is None
        assert (
            shown.why
            and (shown.knowledge or task == "general")
            and (shown.question or shown.history or task == "summarization")
        )
        assert not breaks_length_rule(words_over(shown.hallucinated, shown.right), 8)


def test_named_gives_one_or_all():
    assert [p.name for p in patterns.named("qa", "inference")] == ["inference"]
    assert len(patterns.named("qa", None)) == 4
