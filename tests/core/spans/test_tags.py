"""The strict grammar of FAVA's tags."""

import pytest

from tests.cases import case_table
from truerate.core.spans.tags import REASONS, Refused, Tagged, parse_tags, with_tags


def test_deleted_pieces_leave_the_text_before_offsets_are_taken():
    found = parse_tags(
        "In <entity><delete>Paris</delete><mark>Lyon</mark></entity> it rains. <invented>It snows.</invented>"
    )
    # "In Lyon it rains. It snows.": Lyon is 3–7, "It snows." 18–27
    assert found == Tagged(
        "In Lyon it rains. It snows.",
        ({"start": 3, "end": 7, "type": "entity"}, {"start": 18, "end": 27, "type": "invented"}),
        "In Paris it rains. ",
    )


@pytest.mark.parametrize(("marked", "reason"), case_table(__file__)["what_breaks_the_grammar_is_refused"])
def test_what_breaks_the_grammar_is_refused(marked, reason):
    found = parse_tags(marked)
    assert isinstance(found, Refused) and found.reason == reason and reason in REASONS


@pytest.mark.parametrize("text", ["2 < 3 and 4 > 1", "a <- b", "x < y", "no tag"])
def test_signs_that_are_no_tags_are_text(text):
    assert parse_tags(text) == Tagged(text, (), text)


def test_the_text_outside_the_tags_must_be_the_original():
    assert parse_tags("One <invented>New.</invented>\n Two", original="One Two").text == "One New.\n Two"
    assert parse_tags("One <invented>New.</invented> Too", original="One Two").reason == "altered"
    assert (
        parse_tags("<entity><delete>Ann</delete><mark>Eve</mark></entity> ran", original="Ann ran").text
        == "Eve ran"
    )
    assert parse_tags("<entity><mark>Eve</mark></entity> ran", original="Ann ran").reason == "altered"


def test_blank_space_inside_a_tag_is_not_marked():
    assert parse_tags("a <invented> b c </invented>d").spans == ({"start": 3, "end": 6, "type": "invented"},)


@pytest.mark.parametrize("text", ["我在北京工作。", "أنا في باريس.", "🙂 smile 👩‍👩‍👧 family", "İstanbul'da"])
def test_offsets_count_code_points_in_every_script(text):
    spans = [{"start": 2, "end": 5, "type": "relation"}]
    found = parse_tags(with_tags(text, spans))
    assert found.text == text and text[2:5].strip() == text[found.spans[0]["start"] : found.spans[0]["end"]]


def test_overlapping_spans_cannot_be_written():
    with pytest.raises(ValueError, match="overlaps"):
        with_tags(
            "abcdef", [{"start": 0, "end": 3, "type": "entity"}, {"start": 2, "end": 4, "type": "relation"}]
        )
    with pytest.raises(ValueError, match="leaves the text"):
        with_tags("abc", [{"start": 2, "end": 9, "type": "entity"}])
