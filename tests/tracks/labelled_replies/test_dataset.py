"""The data set of labelled replies is the source's own; the match of words goes by the rule of the set that
it stands for.
"""

from types import SimpleNamespace

import pytest

from tests.tracks.labelled_replies.builders import item, items, judgements, reply, samples, verdict_of
from truerate.core.schemas import Generation, frame
from truerate.tracks.labelled_replies.dataset import exported, holds_golden, matched, targets


def test_replies_and_verdicts_are_taken_as_published_with_the_match_of_words_beside():
    source = SimpleNamespace(
        items=items(item("item-1", "Oster")),
        samples=samples(reply("a", "1", True, text="In Lund.")),
        judgements=judgements(verdict_of("d", "a/1", False)),
    )
    tables, tasks = exported(None, "b", source, {}, {})
    rows = tables["judgements"].select("judge", "verdict").sort("judge").rows()
    assert rows == [("d", False), ("word-match", True)] and tasks == []
    assert tables["samples"].equals(source.samples) and tables["generations"].is_empty()


def test_detectors_judge_what_has_a_text():
    rows = samples(reply("a", "1", True, text=" "), reply("a", "2", True, text="Text."))
    assert targets(rows, frame(Generation))["target_id"].to_list() == ["a/2"]


@pytest.mark.parametrize(
    ("answer", "golden", "is_right"),
    [
        ("It is the Oster Valley, I think.", "oster valley", True),
        ("It is in Lund.", "Oster/Lund", True),
        ("Oster's", "oster s", False),  # punctuation goes, and leaves no blank
        ("On nine.", "9/11", False),  # the set's own rule splits here, too
        ("Page 11", "9/11", True),
        ("anything", "the/ / !", False),  # nothing is left of the golden answers
        ("", "Oster", False),
    ],
)
def test_a_golden_answer_stands_in_the_answer(answer, golden, is_right):
    assert holds_golden(answer, golden) == is_right


def test_only_answers_to_questions_with_a_right_one_are_judged():
    rows = samples(
        reply("a", "1", True, text="In Oster."), reply("a", "2", True), reply("b", "1", False, text="No.")
    )
    judged = matched(rows, items(item("item-1", "Oster"), item("item-2", None)))
    assert judged.select("target_id", "verdict").sort("target_id").rows() == [("a/1", False), ("b/1", True)]
