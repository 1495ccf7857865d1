"""WildChat's format: what a turn must be to be used, and rows of mixed schemas."""

import pytest

from truerate.core.errors import TruerateError

SECRET = "my secret text"


def turn(content=SECRET, **changes):
    return {
        "role": "user", "content": content, "language": "English", "toxic": False, "redacted": False,
    } | changes  # fmt: skip


def only(tables):
    """The one reject's reason; its text is not repeated."""
    assert tables.items.is_empty() and tables.rejects.height == 1
    row = tables.rejects.row(0, named=True)
    assert row["text"] == "" and SECRET not in row["detail"]
    return row["reason"]


@pytest.fixture
def read_turns(put, read):
    """The tables of one JSONL file with these rows."""

    def run(*rows, on_bad_row="stop"):
        put("a.jsonl", list(rows))
        return read("wildchat", on_bad_row)

    return run


@pytest.mark.parametrize(
    ("row", "reason", "line"),
    [
        ({"model": "m"}, "missing-field", "field 'conversation' is missing"),
        ({"conversation": SECRET}, "wrong-type", "field 'conversation' must be a list, not text"),
        ({"conversation": [SECRET]}, "wrong-type", "turn 1: the row must be an object with fields"),
        ({"conversation": [turn(7)]}, "wrong-type", "turn 1: field 'content' must be text"),
        ({"conversation": [turn(role="bot")]}, "unknown-value", "turn 1: field 'role' is 'bot'"),
        (
            {"conversation": [turn(toxic="no")]},
            "wrong-type",
            "turn 1: field 'toxic' must be true, false or null",
        ),
        (
            {"conversation": [turn()], "redacted": 1},
            "wrong-type",
            "field 'redacted' must be true, false or null",
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_a_reject_without_its_text_or_ends_the_build(
    row, reason, line, read_turns
):
    assert only(read_turns(row, on_bad_row="reject")) == reason
    with pytest.raises(TruerateError, match=f"a.jsonl row 1: .*{line}.*on_bad_row: reject") as error:
        read_turns(row)
    assert SECRET not in str(error.value)
