"""Verdicts with their place and reason, responses of a dialogue, induced triples, accuracy: what they give beside
their values.
"""

from time import process_time

import pytest

from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.located import LocatedVerdict, located_verdict
from truerate.llm.replies.reading import cut
from truerate.llm.replies.texts.induced import induced_reply
from truerate.llm.replies.texts.responses import one_response

RESPONSE = "It opened in 1931, and it costs two euros."
REASONS = {
    "sentence": ('Yes. The segment "two euros" is made up.', 'The segment "two euros" is made up.'),
    "behind a comma": ("Yes, because no price is given.", "because no price is given."),
    "lines": ('Yes\nSegment: "two euros"\nReason: it is free', 'Segment: "two euros"\nReason: it is free'),
    "headed": ("No\n**Reason:** it is all given", "it is all given"),
    "none": ("Yes.", None),
    "marks alone": ("**No** …", None),
    "JSON": ('{"verdict": "no", "reason": "It is all given."}', "It is all given."),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_rationale_is_what_stands_behind_the_verdict(name):
    reply, rationale = REASONS[name]
    assert located_verdict(reply, RESPONSE, "Annotation").rationale == rationale


def test_segments_are_places_in_the_response_and_a_no_has_none():
    found = located_verdict('Yes. "two euros" and "in 1931", not "for free".', RESPONSE, "Annotation")
    assert found.segments == ((10, 17), (32, 41)) and (found.n_quoted, found.n_not_located) == (3, 1)
    told = located_verdict('No. "two euros" is right.', RESPONSE, "Annotation")
    assert told == LocatedVerdict(False, None, (), '"two euros" is right.')


def test_an_empty_response_has_no_segment():
    found = located_verdict('Yes. "two euros" is made up.', "", "Annotation")
    assert found.value is True and (found.segments, found.n_not_located) == ((), 1)


@pytest.mark.parametrize("reply", ["", "<think>Yes", "Maybe.", "I cannot help with that."])
def test_an_unread_reply_has_its_reason_and_nothing_else(reply):
    found = located_verdict(reply, RESPONSE, "Annotation")
    assert found == LocatedVerdict(None, found.reason, found.cuts) and found.reason


def test_a_response_that_runs_on_is_told():
    found = one_response(
        "#Next Response#: It is free.\nUser: Thanks!\nAssistant: Welcome.", "#Next Response#:"
    )
    assert (found.text, found.is_continued) == ("It is free.", True)
    assert cut(found, "heading") == {"cut": "continued"}
    assert not one_response("It is free.", "Next Response").is_continued
    assert one_response("User: Is it free?", "Next Response").text is None


def test_an_induced_triple_has_its_places():
    told = 'It is free.\n#Segment#: "is free", "was dear"\n#Rationale#: It costs two euros.'
    found = induced_reply(told, "Induced Response")
    assert (found.text, found.segments, found.n_not_located) == ("It is free.", ((3, 10),), 1)
    assert found.segments_quoted == ("is free", "was dear")
    assert induced_reply("", "Induced Response").text is None


def test_an_accuracy_is_cut_from_its_heading():
    assert accurate("#Evaluation Is#: Inaccurate", "#Evaluation Is#:").cuts == ("heading",)


def test_what_is_said_of_it_alone_is_not_said_of_the_response():
    """`It` may be a segment or a reason; what names hallucination, or the response, speaks of the response."""
    told = (
        "It is supported by the knowledge.",
        "That is correct.",
        'The segment "two lanes" is right. It is supported.',
    )
    assert [located_verdict(one, "It has two lanes.", "Annotation").value for one in told] == [None] * 3
    named = ("It does not contain hallucination.", "The response is supported by the knowledge.")
    assert [located_verdict(one, "It has two lanes.", "Annotation").value for one in named] == [False] * 2


def test_many_takings_back_are_read_in_time():
    """Each of them may look for a verdict behind it: a search without bound would take the square of their number."""
    started = process_time()
    located_verdict(f"Yes. {'wait. ' * 6_000}", "It has two lanes.", "Annotation")
    assert process_time() - started < 3
