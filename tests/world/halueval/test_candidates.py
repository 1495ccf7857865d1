"""Candidates and findings together: what is written by a pattern is found to be of that pattern, and what is
right is found right.
"""

import pytest

from truerate.core.text import normalise, words
from truerate_world.halueval.models import candidates
from truerate_world.halueval.models.claim_checker import PATTERNS

from ..asking import RIGHT

WRITE = {"qa": candidates.qa, "dialogue": candidates.dialogue, "summarization": candidates.summary}


def fields_of(item):
    return item | {RIGHT[item["task"]]: item["right"]}


def found(known, item, text, *, knowledge):
    given = item.get("Knowledge", "") if knowledge else ""
    if item["task"] == "qa":
        return known.qa(item["Question"], text, given)
    if item["task"] == "dialogue":
        return known.dialogue(text, given, item["Dialogue History"])
    return known.summary(text, item["Document"])


@pytest.mark.parametrize("knowledge", [False, True])
def test_right_texts_are_right(known, items, knowledge):
    for item in items:
        finding = found(known, item, item["right"], knowledge=knowledge)
        assert not finding.is_hallucinated, item
        assert finding.is_grounded == (knowledge or item["task"] == "summarization")


@pytest.mark.parametrize("knowledge", [False, True])
def test_candidates_are_found_to_be_of_their_pattern(known, items, knowledge):
    for item in items:
        for pattern in PATTERNS[item["task"]]:
            for lap in range(2):
                text = WRITE[item["task"]](known, fields_of(item), pattern, "test", lap, item["right"])
                finding = found(known, item, text, knowledge=knowledge)
                assert (finding.is_hallucinated, finding.pattern) == (True, pattern), (item, text)


def test_candidates_keep_the_length_rule_and_lengthened_ones_break_it(known, items):
    for item in items:
        if item["task"] == "dialogue":
            continue
        for pattern in PATTERNS[item["task"]]:
            text = WRITE[item["task"]](known, fields_of(item), pattern, "length", item["right"])
            assert len(words(text)) - len(words(item["right"])) <= candidates.SLACK, (item["right"], text)
            long = candidates.lengthened(known, text, item["right"], "length")
            assert len(words(long)) - len(words(item["right"])) > candidates.SLACK
            assert found(known, item, long, knowledge=False).pattern == pattern


def test_a_restated_text_is_the_right_one_to_a_normal_eye(known, items):
    for item in items:
        text = candidates.restated(item["right"], "again", item["right"])
        assert normalise(text) == normalise(item["right"])
        assert not found(known, item, text, knowledge=False).is_hallucinated


def test_neither_length_nor_overlap_tells_a_candidate_from_the_right_text(known, items):
    """Pairwise, the better side of either shortcut is right in clearly less than all pairs."""
    longer = shorter = more = less = n = 0
    for item in items:
        context = set(
            normalise(
                " ".join(
                    item.get(name, "") for name in ("Knowledge", "Document", "Question", "Dialogue History")
                )
            ).split()
        )
        for pattern in PATTERNS[item["task"]]:
            text = WRITE[item["task"]](known, fields_of(item), pattern, "shortcut", item["right"])
            sizes = [len(words(one)) for one in (text, item["right"])]
            shares = [
                sum(word in context for word in normalise(one).split()) / max(1, len(normalise(one).split()))
                for one in (text, item["right"])
            ]
            longer, shorter = longer + (sizes[0] > sizes[1]), shorter + (sizes[0] < sizes[1])
            more, less = more + (shares[0] > shares[1]), less + (shares[0] < shares[1])
            n += 1
    assert max(longer, shorter) / n < 0.6 and max(more, less) / n < 0.8


def test_what_is_not_understood_gives_no_candidate(known):
    assert candidates.qa(known, {"Question": "Who?", "Right Answer": "me"}, "inference") is None
    assert candidates.dialogue(known, {"True Response": "Fine, thanks."}, "extrinsic-soft") is None
    assert candidates.summary(known, {"Right Summary": "Fine.", "Document": "Fine."}, "intrinsic") is None


def test_text_that_cannot_be_read_is_compared_by_its_words(known):
    assert not known.dialogue(
        "The weather in spring was mild.", "In spring the weather was very mild."
    ).is_hallucinated
    assert known.dialogue(
        "Dragons ate seven bishops.", "In spring the weather was very mild."
    ).is_hallucinated
    assert known.summary("Dragons ate seven bishops.", "In spring the weather was very mild.") == (
        True,
        None,
        False,
        (),
    )
