"""A page.yaml as a page: its tables, and where a metric stands that it does not name."""

import pytest

from truerate.core.errors import TruerateError
from truerate.site.layout import Part, read_page

PAGE = """
leading: &leading {table: answers, metrics: [accuracy], across: [task], only: {set: all}}
judging: {answers: [accuracy]}
more: [n_seen]
hidden: [{table: notes}]
sections:
- {heading: Answers, lead: Who is right., part: picture, views: [{table: answers, form: heat}, *leading]}
"""
RECORD = "{label: L, definition: D.}"
METRICS = f"""
answers: {{accuracy: {RECORD}, latency: {RECORD}, n_seen: {RECORD}, no_answers: {RECORD}}}
notes: {{n_notes: {RECORD}}}
others: {{n_others: {RECORD}}}
"""
PARTS = {"picture": Part("picture.html.j2", lambda *_: None)}


def read(folder, page=PAGE):
    (folder / "page.yaml").write_text(page)
    (folder / "metrics.yaml").write_text(METRICS)
    return read_page(folder / "page.yaml", parts=PARTS, functions={})


def test_a_metric_that_no_view_names_is_an_extra_column_of_its_first_ranked_table(tmp_path):
    page = read(
        tmp_path,
        PAGE.replace("{table: answers, form: heat}", "{table: answers, metrics: [accuracy], form: heat}"),
    )
    heat, board = page.sections[0].views
    assert (heat.extra, board.extra, page.leading.extra) == ((), ("latency",), ())
    assert board.only == (("set", "all"),) and page.sections[0].part is PARTS["picture"]


def test_a_table_that_is_shown_whole_needs_no_more_columns(tmp_path):
    assert [view.extra for view in read(tmp_path).sections[0].views] == [(), ()]


def test_an_unknown_key_of_a_page_is_named(tmp_path):
    with pytest.raises(TruerateError, match="colour"):
        read(tmp_path, PAGE + "colour: red\n")
