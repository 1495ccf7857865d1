"""Offsets in code points, UTF-16 units and bytes: each kind where the text tells, none within a character."""

import pytest

from truerate.core.spans.span_offsets import bounds_by_kind, span_place

TEXT = "a😀é1900"  # code points: 3; UTF-16 units: 4; bytes: 1 + 4 + 2 = 7


@pytest.mark.parametrize("start", [3, 4, 7])
def test_each_kind_is_read_where_the_span_brings_its_text(start):
    assert span_place({"start": start, "end": start + 4, "text": "1900"}, TEXT) == (3, 7)


def test_without_a_text_offsets_are_code_points():
    assert span_place({"start": 3, "end": 7}, TEXT) == (3, 7)
    assert span_place({"start": 7, "end": 11}, TEXT) is None


def test_an_offset_within_a_character_is_no_place():
    assert "bytes of UTF-8" not in bounds_by_kind({"start": 2, "end": 5}, TEXT)
    assert "UTF-16 units" not in bounds_by_kind({"start": 2, "end": 5}, TEXT)


def test_a_text_alone_stands_where_it_first_occurs():
    assert span_place({"text": "1900"}, TEXT) == (3, 7)
    assert span_place({"text": "1955"}, TEXT) is None
    assert span_place({"start": "3", "end": 7, "text": "1900"}, TEXT) is None
