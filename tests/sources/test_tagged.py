"""Tagged passages laid onto published texts: offsets, and every reason for which a passage is refused."""

import pytest

from truerate.sources.rows import BadRow, Reason
from truerate.sources.tagged import in_cleaned, refuse_overlap, spans_on


def cut(text, spans):
    return [(text[span["start"] : span["end"]], span["type"]) for span in spans]


def refused(call, *values):
    with pytest.raises(BadRow) as bad:
        call(*values)
    return bad.value.reason


def test_spans_stand_in_the_published_text_where_blanks_differ():
    published = "Varn  lies\non the Ost. It is 😀 old."
    spans = spans_on(
        published, "Varn lies on <entity> the Ost </entity> . It is <subjective>😀</subjective> old."
    )
    assert cut(published, spans) == [("the Ost", "entity"), ("😀", "subjective")]
    # V=0 … "Varn  lies\n" is 11 long, then "on " 3: the span begins at 14 and holds 7 characters
    assert (spans[0]["start"], spans[0]["end"], spans[0]["p"]) == (14, 21, None)


def test_scripts_without_blanks_and_from_right_to_left():
    for published, marked in (
        ("北京是城市。", "北京是<invented>城市</invented>。"),
        ("مدينة قديمة جدا", "مدينة <entity>قديمة</entity> جدا"),
    ):
        (span,) = spans_on(published, marked)
        assert published[span["start"] : span["end"]] == marked.partition(">")[2].partition("<")[0]


@pytest.mark.parametrize(
    ("marked", "reason"),
    [
        ("A <entity>b</entity> d.", Reason.ALTERED),
        ("A <entity>b c.", Reason.MALFORMED),
        ("A <entity>b<relation> c</relation></entity>.", Reason.MALFORMED),
        ("A b </entity>c.", Reason.MALFORMED),
        ("A <entity> </entity>b c.", Reason.EMPTY_SPAN),
        ("A <contridictory>b</contridictory> c.", Reason.UNKNOWN_TYPE),
        ("A <Entity>b</Entity> c.", Reason.UNKNOWN_TYPE),
        ("A <Entity>b</Entity> d.", Reason.ALTERED),
        ("A <Entity>b</entity> c.", Reason.MALFORMED),
        ("A <entity><delete>b</delete><mark>x</mark></entity> c.", Reason.ALTERED),
    ],
)
def test_refused(marked, reason):
    assert refused(spans_on, "A b c.", marked) is reason


def test_a_span_outside_its_text():
    assert refused(in_cleaned, "abc", [(1, 4)]) is Reason.OUT_OF_RANGE
    assert refused(in_cleaned, "abc", [(2, 2)]) is Reason.OUT_OF_RANGE
    assert refused(in_cleaned, "abc", [(-1, 2)]) is Reason.OUT_OF_RANGE


def test_spans_move_with_the_characters_that_cleaning_takes():
    assert in_cleaned("a\x00bc", [(1, 3), (3, 4)]) == [(1, 2), (2, 3)]  # NUL goes: "abc"


def test_overlapping_spans():
    refuse_overlap([{"start": 2, "end": 4}, {"start": 0, "end": 2}])  # neighbours share no character
    assert refused(refuse_overlap, [{"start": 0, "end": 3}, {"start": 2, "end": 4}]) is Reason.OVERLAP
