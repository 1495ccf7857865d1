"""What the project's readers read in the replies of every model is what a careful person reads there."""

from collections import Counter

import pytest

from truerate.core.text import words
from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.choices import choice
from truerate.llm.replies.located import located_verdict
from truerate.llm.replies.texts.induced import induced_reply
from truerate.llm.replies.texts.responses import one_response
from truerate.llm.replies.verdicts import yes_no
from truerate_world.manners import MANNERS

from .asking import MODELS, annotate, compare, detect, induce, locate, match, meta, respond

SAID = {"Yes": True, "No": False, "Accurate": True, "Inaccurate": False, None: None}
NAMES = ("Response 1", "Response 2")


@pytest.mark.parametrize("model", MODELS)
def test_responses_and_paraphrases(rows, model):
    for row in rows[:200]:
        for answer, cue in (
            (respond(model, row), "Next Response"),
            (match(model, row), "Faithful Paraphrase"),
        ):
            assert one_response(answer.text, cue).value == answer.truth["read"], answer
            is_continued = answer.truth["manner"] == "running-on"
            assert one_response(answer.text, cue).is_continued == is_continued, answer


@pytest.mark.parametrize("model", MODELS)
def test_induced_responses(rows, model):
    for row in rows[:100]:
        for kind in ("factuality", "faithfulness"):
            answer = induce(model, row, kind)
            told = induced_reply(answer.text, "Induced Response")
            assert told.value == answer.truth["read"], answer
            if told.value is None:
                continue
            quoted = [answer.truth["segment"]] if answer.truth["segment"] else []
            assert list(told.segments_quoted) == quoted, answer
            is_there = bool(quoted) and quoted[0] in told.value
            assert bool(told.segments) == is_there, answer
            assert words(told.rationale or "")


@pytest.mark.parametrize("model", MODELS)
def test_verdicts_and_their_segments(responses, model):
    manners = Counter()
    for row, text in responses[:250]:
        answer = detect(model, row, text)
        told = yes_no(answer.text, "Is It Hallucinated", asks="hallucination")
        assert told.value is SAID[answer.truth["read"]], answer
        manners[answer.truth["manner"]] += 1
        for ask, cue in ((locate, "Judgement And Reason"), (annotate, "Annotation")):
            answer = ask(model, row, text)
            told = located_verdict(answer.text, text, cue, knowledge=row["knowledge"])
            assert told.value is SAID[answer.truth["read"]], answer
            if told.value:
                segments = sorted(text[start:end] for start, end in told.segments)
                assert segments == sorted(set(answer.truth["segments"])), answer
                assert told.rationale
    # nearly all manners of a model are met
    assert len(manners) >= len(MANNERS[model].readable) - 2


@pytest.mark.parametrize("model", MODELS)
def test_choices_and_evaluations(responses, model):
    for row, text in responses[:200]:
        answer = compare(model, row, row["reference"], text)
        assert (
            choice(answer.text, NAMES, "Hallucinated One", asks="hallucinated").value == answer.truth["read"]
        )
        answer = meta(model, row, text, locate("sim-birch", row, text).text)
        assert accurate(answer.text, "Evaluation Is").value is SAID[answer.truth["read"]], answer
