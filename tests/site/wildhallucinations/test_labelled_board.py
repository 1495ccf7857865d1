"""What a page says fits its set: where people's labels are the verdicts there is no web, no verifier and no correction."""

from types import SimpleNamespace

import pytest

from truerate.core.schemas import Judgement, frame, judgement_row
from truerate.site.board import _lead
from truerate.site.registry import page_of

PAGE = page_of("wildhallucinations")


def board(judge):
    """A board whose verdicts are one judge's."""
    row = judgement_row(judgement_id="j", judge=judge, judge_version="v", target_id="t", verdict=True)
    return SimpleNamespace(judgements=frame(Judgement, [row]), roles={"verifier": "quill"})


@pytest.mark.parametrize(
    ("judge", "says", "is_silent_on"),
    [
        ("human", "do annotators call supported?", "supported by web pages"),
        ("quill", "supported by web pages?", "People’s labels"),
    ],
)
def test_the_first_sentences_say_whose_verdicts_the_score_is_made_of(judge, says, is_silent_on):
    lead = _lead(PAGE.sections[0], PAGE, board(judge), has_models=True)
    assert says in lead and is_silent_on not in lead


def test_a_corrected_score_is_told_of_only_where_something_corrects_it():
    (section,) = [one for one in PAGE.sections if one.short == "Verifier"]
    assert "TPR and FPR correct the score" in _lead(section, PAGE, board("quill"), has_models=True)
    assert "none of these corrects it" in _lead(section, PAGE, board("human"), has_models=True)
