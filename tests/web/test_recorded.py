"""Recorded results of searches: read by query; a line that cannot be read is named."""

import json

import pytest

from truerate.core.errors import TruerateError
from truerate.web.recorded import recorded


def test_recorded_results_are_read_by_query_with_their_pages(tmp_path):
    path = tmp_path / "recorded.jsonl"
    rows = [
        {"query": "Varn", "items": [{"link": "http://a/", "html": "<p>x</p>"}]},
        {"query": " odla  SUR", "items": []},
        {"query": "Brel", "items": [{"link": "http://b/", "html": "<p>unasked</p>"}]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", "utf-8")
    results = recorded(str(path), ["VARN", "Odla Sur", "Tolm"])
    assert results == {"varn": [{"html": "<p>x</p>", "link": "http://a/"}], "odla sur": []}


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"query": "x"}', '{"query": 3, "items": []}', '{"query": "x", "items": 3}']
)
def test_a_recorded_line_that_cannot_be_read_is_named(line, tmp_path):
    path = tmp_path / "recorded.jsonl"
    path.write_text('{"query": "Varn", "items": []}\n' + line, "utf-8")
    with pytest.raises(TruerateError, match="recorded.jsonl': line 2 is no object with `query` and `items`"):
        recorded(str(path), [])
    with pytest.raises(TruerateError, match="No such file or directory; correct search.recorded"):
        recorded(str(tmp_path / "none.jsonl"), [])
