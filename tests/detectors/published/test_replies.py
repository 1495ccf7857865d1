"""What published judges write, in each of their forms; what is of no form has no verdict."""

from dataclasses import replace

import numpy as np
import pytest

from tests.cases import case_table
from truerate.detectors.published.adapters import ADAPTERS
from truerate.detectors.published.readout import (
    Verdict,
    class_parts,
    token_p,
    verdict_of_score,
    verdict_of_tokens,
)
from truerate.detectors.published.replies import CUT, UNREAD, Read, of_windows, read_reply

CASES = case_table(__file__)

TEXT = "Varn is old. Varn lies on the sea."


def span(start, end, kind="unspecified", p=None):
    return {"start": start, "end": end, "type": kind, "p": p}


@pytest.mark.parametrize(("reader", "reply", "verdict"), CASES["polarity"])
def test_each_form_has_its_polarity(reader, reply, verdict):
    assert read_reply(reader, reply, TEXT).verdict is verdict


@pytest.mark.parametrize(("reader", "reply"), CASES["unread"])
def test_what_is_of_no_form_is_unread_and_never_hallucinated(reader, reply):
    assert read_reply(reader, reply, TEXT) == Read(None, reason=UNREAD)
    assert read_reply(reader, reply, TEXT, is_cut=True).reason == CUT


def test_an_edit_that_is_cut_before_its_first_tag_says_nothing_of_the_rest():
    assert read_reply("fava-tags", "Varn is old.", TEXT, is_cut=True) == Read(None, reason=CUT)
    assert (
        read_reply("fava-tags", "Varn is <invented>old</invented>. Varn", TEXT, is_cut=True).verdict is True
    )


def test_segments_stand_where_the_reply_quotes_the_text():
    reply = 'Yes. The hallucinated part is "Varn lies on the sea", which nobody says.'
    read = read_reply("yes-is-hallucinated", reply, TEXT)
    assert read.verdict and read.spans == (span(13, 33),)
    assert read.rationale == 'The hallucinated part is "Varn lies on the sea", which nobody says.'


def test_listed_spans_keep_their_category_and_equal_ones_stand_one_behind_the_other():
    reply = 'Sure: {"hallucinated_spans": [{"text": "Varn", "category": "contradiction"}, {"text": "Varn", "category": "x"}]}'
    assert read_reply("listed-spans", reply, TEXT).spans == (span(0, 4, "contradiction"), span(13, 17, "x"))
    nowhere = read_reply("listed-spans", '{"hallucination_list": ["Tesk burned down"]}', TEXT)
    assert nowhere.verdict is True and nowhere.spans == ()


def test_favas_edits_mark_what_they_delete():
    edited = "Varn is <entity><mark>new</mark><delete>old</delete></entity>. <invented>Varn lies on the sea.</invented>"
    assert read_reply("fava-tags", edited, TEXT).spans == (span(8, 11, "entity"), span(13, 34, "invented"))


def test_one_window_that_bears_a_text_out_is_enough():
    bad, good, unread = Read(True, (span(0, 4), span(8, 11))), Read(False), Read(None, reason=UNREAD)
    assert of_windows([bad, good, unread]).verdict is False
    assert of_windows([bad, unread]) == unread
    both = of_windows([bad, Read(True, (span(2, 11),))])
    assert both.verdict is True and both.spans == (span(2, 4), span(8, 11)), "what every window marks"


# ---- readout -----------------------------------------------------------------------------------------------
def logits(*rows):
    return np.log(np.array(rows, dtype=float))


def given(name, **more):
    return replace(ADAPTERS[name], **{"threshold": ADAPTERS[name].threshold or 0.5} | more)


def test_summacs_places_differ_by_checkpoint():
    """vitc: entailment 0, contradiction 1; mnli: 2 and 0; anli: 0 and 2."""
    row = logits([1, 2, 5])
    assert class_parts(given("summac-vitc"), row)[0] == pytest.approx([1 / 8, 2 / 8])
    assert class_parts(given("summac-mnli"), row)[0] == pytest.approx([5 / 8, 1 / 8])
    assert class_parts(given("summac-anli"), row)[0] == pytest.approx([1 / 8, 5 / 8])


def test_at_the_threshold_minicheck_says_hallucinated_and_hhem_does_not():
    mini, hhem = given("minicheck-roberta"), given("hhem-2.1-open")
    assert verdict_of_score(mini, 0.5, 1)[:2] == (True, 0.5)
    assert verdict_of_score(hhem, 0.5, 1)[:2] == (False, 0.5)
    assert verdict_of_score(hhem, 0.25, 3) == Verdict(True, 0.75, [], 3)
    summac = given("summac-vitc", threshold=0.0)
    assert verdict_of_score(summac, -0.5, 1)[:2] == (True, 0.75) and verdict_of_score(summac, 1.0, 1).p == 0.0


def test_a_token_counts_as_supported_where_every_window_supports_it():
    both = np.stack([logits([1, 1], [3, 1], [1, 3]), logits([3, 1], [1, 3], [4, 1])])
    assert token_p(given("lettucedetect"), both) == pytest.approx([1 / 2, 3 / 4, 3 / 4])


def test_a_verdict_on_tokens_is_taken_at_the_threshold_that_is_given():
    """The largest p is .7: above .5 and .6, not above .7 and .8."""
    given = ("Varn is", np.array([[0, 4], [5, 7]]), np.array([0.7, 0.2]), 1)
    verdicts = {
        at: verdict_of_tokens(*given, threshold=at)[:2] + (verdict_of_tokens(*given, threshold=at).threshold,)
        for at in (None, 0.5, 0.6, 0.7, 0.8)
    }
    assert verdicts == {
        None: (True, 0.7, None),
        0.5: (True, 0.7, None),
        0.6: (True, 0.7, 0.6),
        0.7: (False, 0.7, 0.7),
        0.8: (False, 0.7, 0.8),
    }
