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
    parsed = located_verdict('Yes. "two euros" and "in 1931", not "for free".', RESPONSE, "Annotation")
    assert parsed.segments == ((10, 17), (32, 41)) and (parsed.n_quoted, parsed.n_not_located) == (3, 1)
    denied = located_verdict('No. "two euros" is right.', RESPONSE, "Annotation")
    assert denied == LocatedVerdict(False, None, (), '"two euros" is right.')


def test_an_empty_response_has_no_segment():
    parsed = located_verdict('Yes. "two euros" is made up.', "", "Annotation")
    assert parsed.value is True and (parsed.segments, parsed.n_not_located) == ((), 1)


@pytest.mark.parametrize("reply", ["", "<think>Yes", "Maybe.", "I cannot help with that."])
def test_an_unread_reply_has_its_reason_and_nothing_else(reply):
    parsed = located_verdict(reply, RESPONSE, "Annotation")
    assert parsed == LocatedVerdict(None, parsed.reason, parsed.cuts) and parsed.reason


def test_a_response_that_runs_on_is_told():
    parsed = one_response(
        "#Next Response#: It is free.\nUser: Thanks!\nAssistant: Welcome.", "#Next Response#:"
    )
    assert (parsed.text, parsed.is_continued) == ("It is free.", True)
    assert cut(parsed, "heading") == {"cut": "continued"}
    assert not one_response("It is free.", "Next Response").is_continued
    assert one_response("User: Is it free?", "Next Response").text is None


def test_an_induced_triple_has_its_places():
    text = 'It is free.\n#Segment#: "is free", "was dear"\n#Rationale#: It costs two euros.'
    parsed = induced_reply(text, "Induced Response")
    assert (parsed.text, parsed.segments, parsed.n_not_located) == ("It is free.", ((3, 10),), 1)
    assert parsed.segments_quoted == ("is free", "was dear")
    assert induced_reply("", "Induced Response").text is None


def test_an_accuracy_is_cut_from_its_heading():
    assert accurate("#Evaluation Is#: Inaccurate", "#Evaluation Is#:").cuts == ("heading",)


def test_what_is_said_of_it_alone_is_not_said_of_the_response():
    """`It` may be a segment or a reason; what names hallucination, or the response, speaks of the response."""
    replies = (
        "It is supported by the knowledge.",
        "That is correct.",
        'The segment "two lanes" is right. It is supported.',
    )
    assert [located_verdict(text, "It has two lanes.", "Annotation").value for text in replies] == [None] * 3
    named = ("It does not contain hallucination.", "The response is supported by the knowledge.")
    assert [located_verdict(text, "It has two lanes.", "Annotation").value for text in named] == [False] * 2


def test_many_takings_back_are_read_in_time():
    """Each of them may look for a verdict behind it: a search without bound would take the square of their number."""
    started = process_time()
    located_verdict(f"Yes. {'wait. ' * 6_000}", "It has two lanes.", "Annotation")
    assert process_time() - started < 3
