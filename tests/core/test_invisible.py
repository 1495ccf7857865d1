"""What is not seen is told: as an escape, on one line where it shall be one."""

import pytest

from truerate.core.invisible import is_line, visible


@pytest.mark.parametrize("text", ("", "a b", "<b>&{{x}}", "नमस्ते", "می\u200cخواهم", "中文 é"))
def test_what_is_seen_is_a_line_and_stays(text):
    assert is_line(text) and visible(text, is_line=True) == text


@pytest.mark.parametrize(
    "hidden", ("\x00", "\x1b", "\x9f", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\ud800")
)
def test_what_is_not_seen_becomes_its_escape(hidden):
    shown = visible(f"a{hidden}b")
    assert not is_line(f"a{hidden}b") and is_line(shown)
    assert shown.encode().decode("unicode_escape", "surrogatepass") == f"a{hidden}b"


def test_line_ends_are_escaped_where_one_line_is_wanted():
    assert visible("a\nb\tc") == "a\nb\tc"
    assert visible("a\nb\tc", is_line=True) == r"a\nb\tc"
