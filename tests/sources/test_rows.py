"""Rows and fields: every way in which a field can be wrong."""

import pytest

from tests.sources.bad_rows import reason_of
from truerate.sources.cuts import parse
from truerate.sources.rows import Reason, Row, titled


def test_lone_surrogates_become_question_marks():
    assert Row(parse(b'{"a": "x\\ud800y"}'), 1).text("a") == "x?y"


def test_missing_field_is_absent_or_null():
    row = Row({"b": None}, 1)
    assert reason_of(lambda: row.text("a")) == (Reason.MISSING_FIELD, "field 'a' is missing")
    assert reason_of(lambda: row.text("b")) == (Reason.MISSING_FIELD, "field 'b' is missing")


@pytest.mark.parametrize(
    ("values", "ask", "detail"),
    [
        ({"a": 1}, lambda row: row.text("a"), "field 'a' must be text, not a whole number"),
        ({"a": "x"}, lambda row: row.items("a"), "field 'a' must be a list, not text"),
        ({"a": ["x", 2]}, lambda row: row.texts("a"), "field 'a', entry 2 must be text, not a whole number"),
        ({"a": True}, lambda row: row.integer("a"), "field 'a' must be a whole number, not true or false"),
        ({"a": "x"}, lambda row: row.integer("a"), "field 'a' must be a whole number, not text"),
    ],
)
def test_wrong_type(values, ask, detail):
    assert reason_of(lambda: ask(Row(values, 1))) == (Reason.WRONG_TYPE, detail)


def test_wrong_type_of_a_row_and_of_a_pair():
    assert reason_of(lambda: Row([1], 1))[0] == Reason.WRONG_TYPE
    assert reason_of(lambda: titled(["t"], "entry 1"))[0] == Reason.WRONG_TYPE


def test_empty_field():
    assert reason_of(lambda: Row({"a": " \n"}, 1).text("a")) == (Reason.EMPTY_FIELD, "field 'a' is empty")
    assert Row({"a": ""}, 1).text("a", may_be_empty=True) == ""


def test_unknown_value():
    assert reason_of(lambda: Row({"a": "maybe"}, 1).choice("a", ("yes", "no"))) == (
        Reason.UNKNOWN_VALUE,
        "field 'a' is 'maybe'; allowed: no, yes",
    )


def test_a_label_that_is_none_of_the_documented_ones():
    words = (Reason.UNKNOWN_LABEL, "field 'a' is 'maybe', which is no label; allowed: no, yes")
    assert reason_of(lambda: Row({"a": "maybe"}, 1).label("a", ("yes", "no"))) == words
    assert reason_of(lambda: Row({"a": None}, 1).label("a", ("yes", "no")))[0] == Reason.MISSING_FIELD


@pytest.mark.parametrize("value", ["--5", "1" * 5000, "5-", "-"])
def test_what_looks_like_a_whole_number_and_is_none(value):
    assert reason_of(lambda: Row({"a": value}, 1).integer("a"))[0] == Reason.WRONG_TYPE


def test_whole_numbers_may_stand_in_csv_cells():
    assert (Row({"a": "-12"}, 1).integer("a"), Row({"a": 3}, 1).integer("a")) == (-12, 3)
