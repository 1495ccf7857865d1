"""What published judges write, in each of their forms; what is of no form has no verdict."""

import pytest

from truerate.detectors.published.replies import CUT, UNREAD, Read, of_windows, read_reply

TEXT = "Varn is old. Varn lies on the sea."


def span(start, end, kind="unspecified", p=None):
    return {"start": start, "end": end, "type": kind, "p": p}


@pytest.mark.parametrize(
    ("reader", "reply", "verdict"),
    [
        ("yes-is-supported", "Yes", False),
        ("yes-is-supported", " no.", True),
        ("yes-is-hallucinated", "No.", False),
        ("score-tag", "<score> yes </score>", True),  # yes = not grounded
        ("score-tag", "<think>no</think><score>no</score>", False),
        ("score-tag", "<score> yes </score> on reflection <score> no </score>", False),  # the last one
        ("pass-or-fail", '{"REASONING": ["ok"], "SCORE": "PASS"}', False),
        ("pass-or-fail", '{"REASONING": ["ok"], "SCORE": FAIL}', True),
        ("listed-spans", '{"hallucination list": []}', False),
        ("fava-tags", "Varn is old.", False),
    ],
)
def test_each_form_has_its_polarity(reader, reply, verdict):
    assert read_reply(reader, reply, TEXT).verdict is verdict


@pytest.mark.parametrize(
    ("reader", "reply"),
    [
        ("yes-is-supported", "Perhaps"),
        ("yes-is-hallucinated", ""),
        ("score-tag", "yes"),
        ("pass-or-fail", '"SCORE": "ERROR"'),
        ("listed-spans", "none"),
        ("listed-spans", '{"hallucination_list": "Varn"}'),
        ("listed-spans", '{"hallucination_list": [3]}'),
        ("listed-spans", '{"other": []}'),
        ("fava-tags", " "),
    ],
)
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
