"""Rows in long form as panels, columns, lines and cells."""

from tests.records import panels
from truerate.site.views import View

VIEW = View("t", ("accuracy", "unparsed_rate"), switch="variant", across=("task",))


def row(
    subject="a",
    value=0.5,
    *,
    kind="model",
    metric="accuracy",
    ranks=(None, None),
    low=None,
    high=None,
    **where,
):
    return {"board": "halueval", "table": "t", "subject": subject, "kind": kind, "metric": metric, "slice": where,
            "value": value, "low": low, "high": high, "rank_low": ranks[0], "rank_high": ranks[1],
            "is_leading": ranks[0] and ranks[0] == 1, "n": 10,
            "provenance": "x"}  # fmt: skip


def qa(*given, **more):
    return row(*given, task="qa", **more)


def subjects(panel):
    return [line.subject for line in panel.lines]


def test_no_rows_no_panels():
    assert panels([], VIEW) == []


def test_a_switch_makes_panels_in_the_protocols_order():
    rows = [row(variant=name, task="qa") for name in ("contrast", "zeta", "plain")]
    assert [panel.name for panel in panels(rows, VIEW)] == ["plain", "contrast", "zeta"]


def test_a_subject_without_the_switch_stands_in_every_panel():
    rows = [qa(variant="plain"), qa(variant="contrast"), qa("b", kind="baseline")]
    assert [subjects(panel) for panel in panels(rows, VIEW)] == [["a", "b"], ["a", "b"]]


def test_the_whole_of_which_panels_are_parts_is_a_panel_of_its_own():
    shown = panels([qa(variant="plain"), qa(value=0.9)], VIEW)
    assert [(panel.title, panel.lines[0].cells[0].row["value"]) for panel in shown] == [
        ("All", 0.9),
        ("Plain", 0.5),
    ]


def test_a_slice_key_named_nowhere_becomes_part_of_the_column():
    found = panels([row(task="qa", scheme="one-pass"), row(task="qa", scheme="conversational")], VIEW)[0]
    assert [column.heading for column in found.columns] == ["Accuracy, one-pass", "Accuracy, conversational"]


def test_planted_values_stand_beside_measured_ones_and_make_no_line():
    (panel,) = panels([qa(), qa(kind="planted", value=0.6)], VIEW)
    (line,) = panel.lines
    assert line.kind == "model" and line.cells[0].planted == 0.6 and panel.has_planted


def test_best_first_blanks_last():
    rows = [qa("low", 0.2), qa("high", 0.8), qa("none", None), row("other", 0.1, task="dialogue")]
    assert subjects(panels(rows, VIEW)[0]) == ["high", "low", "none", "other"]


def test_the_best_value_is_among_models_and_follows_the_direction():
    rows = [row(name, value, task="qa", metric="unparsed_rate", kind=kind) for name, value, kind in
            (("a", 0.1, "model"), ("b", 0.3, "model"), ("c", 0.0, "baseline"))]  # fmt: skip
    found = panels(rows, VIEW)[0]
    assert [line.subject for line in found.lines if line.cells[0].is_best] == ["a"]


def test_rank_ranges():
    rows = [qa(name, ranks=ranks) for name, ranks in (("a", (1, 2)), ("b", (3, 3)), ("c", (None, None)))]
    ranks = {line.subject: (line.cells[0].rank, line.cells[0].is_top) for line in panels(rows, VIEW)[0].lines}
    assert ranks == {"a": ("1–2", True), "b": ("3", False), "c": ("", False)}


def test_the_axis_is_in_tenths_around_the_intervals_of_the_first_metric():
    (panel,) = panels([qa(value=0.55, low=0.52, high=0.61), qa(value=0.01, metric="unparsed_rate")], VIEW)
    assert (panel.low, panel.high) == (0.5, 0.7)


def test_guessing_gets_a_quarter_where_both_orders_must_be_right():
    rows = [row(variant=name, task="qa", low=0.4, high=0.6) for name in ("contrast", "plain")]
    assert [panel.chances for panel in panels(rows, VIEW)] == [[0.5], [0.5]]
    both = [row(metric="accuracy_both_orders", task="qa", low=0.4, high=0.6)]
    assert panels(both, View("t", ("accuracy_both_orders",), across=("task",)))[0].chances == [0.25]
    (panel,) = panels([qa(metric="unparsed_rate", value=0.1)], View("t", ("unparsed_rate",)))
    assert panel.chances == []


def test_what_is_not_there_says_why():
    """A corrected rate over texts that were judged is not identified; nothing else that is empty is."""
    told = {"estimator": "rogan-gladen", "calibration": "natural"}
    known = [qa(value=None, **told), qa("b", value=0.5, **told), qa("c", value=None, estimator="raw")]
    view = View("t", ("accuracy",), across=("estimator", "calibration", "task"))
    cells = [cell for panel in panels(known, view) for line in panel.lines for cell in line.cells if cell]
    shown = {cell.row["subject"]: cell.absence[0] for cell in cells if cell.row["value"] is None}
    assert shown == {"a": "not identified", "c": "–"}
