"""Keys: the same content the same key, other content another, nothing there an error."""

import pytest

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id, content_id_of_rows, digest, draw


def test_ids_do_not_confuse_borders_or_order():
    assert content_id("ab", "c") != content_id("a", "bc")
    assert content_id("a", "b") != content_id("b", "a")
    assert content_id("a", 1) == content_id("a", 1) and len(content_id()) == 16


def test_id_is_pinned():
    assert content_id("qa", "Who?") == "55f41546b47431f8"


def test_draws_are_even_and_repeat():
    drawn = [draw("seed", i) for i in range(4000)]
    assert all(0 <= x < 1 for x in drawn) and drawn[0] == draw("seed", 0)
    # mean of 4,000 uniform draws: .5 with sd 1/sqrt(12*4000) = .0046; five sd
    assert abs(sum(drawn) / 4000 - 0.5) < 0.023


def test_digest_sees_bytes_names_and_values_but_not_compiled_python(tmp_path):
    (tmp_path / "a.py").write_text("x = 1")
    first = digest(tmp_path, n=1)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_bytes(b"1")
    assert digest(tmp_path, n=1) == first and len(first) == 12
    assert digest(tmp_path, n=2) != first
    (tmp_path / "a.py").write_text("x = 2")
    assert digest(tmp_path, n=1) != first


def test_nothing_at_a_path_is_an_error(tmp_path):
    with pytest.raises(TruerateError, match="nothing at"):
        digest(tmp_path / "absent")


def test_rows_one_by_one_have_the_id_of_their_list():
    for rows in ([], [("a", None, True)], [("ä, ]", 1, 0.5), ("b", "", False)]):
        assert content_id_of_rows(iter(rows)) == content_id(rows)
