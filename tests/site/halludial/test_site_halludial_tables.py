"""Which table of HalluDial's page shows which rows."""

from tiny_halludial import TRACK, halludial_board, halludial_rows, halludial_tables, row

from tests import records
from truerate.core.schemas import Row, frame
from truerate.site import Tables
from truerate.site.board import context
from truerate.site.halludial.rows import derived, recovered
from truerate.site.registry import page_of
from truerate.site.views import View

BOARD = halludial_board()
PAGE = page_of(TRACK)
RECORDS = records.records(TRACK)
SHARED = {record.name: record for record in records.SHARED}
ROWS = Tables(title="t", boards=(BOARD,), models={}, rows=frame(Row, halludial_rows())).rows_of(BOARD.name)
PLACED = [view for section in PAGE.sections for view in section.views] + [PAGE.detectors, *PAGE.hidden]


def sections():
    return {one["heading"]: one for one in context(halludial_tables(), BOARD)["sections"]}


def test_every_number_that_a_table_names_stands_in_it():
    for view in PLACED:
        assert isinstance(view, View)
        for metric in (*view.metrics, *view.extra):
            assert (RECORDS | SHARED)[metric].table == view.table, (view.title, metric)


def test_every_recorded_number_has_a_place():
    named = {metric for view in PLACED for metric in (*view.metrics, *view.extra)}
    assert set(RECORDS) - named == {"no_answers"}


def test_all_sections_are_filled_and_nothing_is_left_over():
    shown = context(halludial_tables(), BOARD)
    assert [one["heading"] for one in shown["sections"]] == [
        one.heading
        for one in PAGE.sections
        if one.heading not in ("Responses that people labelled", "Thinking")
    ]
    assert [title for title, _ in shown["others"]] == []
    assert ("Dialogues", "2", "4.5 turns each") in shown["figures"]


def test_the_planted_rate_stands_beside_every_estimate_by_a_judge():
    (block, *_) = sections()["The same responses by every judge"]["blocks"]
    panel = block["panels"][0]
    line = next(line for line in panel.lines if line.subject == "aster")
    assert [(cell.row["value"], cell.planted) for cell in line.cells] == [(0.1, 0.22), (0.2, 0.22)]


def test_balanced_stands_beside_mixed():
    (block, _) = sections()["Who finds what"]["blocks"]
    panel = block["panels"][0]
    assert [group for group, *_ in panel.groups if group] == ["Unweighted", "As a balanced set"]
    line = next(line for line in panel.lines if line.subject == "aster")
    assert sorted(cell.row["value"] for cell in line.cells if cell) == [0.5, 0.5, 0.6, 0.6]


def test_the_leading_table_holds_no_comparison_and_no_kind():
    leading = sections()["Detection"]["blocks"][0]["panels"]
    assert [panel.title for panel in leading] == ["Spontaneous", "Induced"]
    groups = {group for group, *_ in leading[0].groups if group}
    assert groups == {"Zero-shot", "Three demonstrations"}


def test_rates_of_the_base_temperature_stand_by_history_with_what_was_planted():
    rates = sections()["Rates"]["blocks"][0]["panels"]
    assert len(rates) == 2  # turns and dialogues
    turns = next(
        panel
        for panel in rates
        if any(line.subject == "cedar" and len(line.cells) > 1 for line in panel.lines)
    )
    cedar = next(line for line in turns.lines if (line.subject, line.keys[-1]) == ("cedar", "gold"))
    values = {round(cell.row["value"], 4): cell.planted for cell in cedar.cells if cell}
    # raw half of .27 at temperature 1, corrected .27; planted .28
    assert values == {0.135: 0.28, 0.27: 0.28}


def test_what_was_planted_is_held_against_every_estimate():
    made = recovered(derived(ROWS, BOARD), BOARD)
    assert [(one["title"], one["beside"]) for one in made["estimators"]] == [
        ("Raw", ""),
        ("Corrected", "by people’s labels"),
    ]
    assert made["estimators"][1]["n"] == 9 and round(made["estimators"][1]["bias"], 4) == -0.01


def test_without_self_history_the_only_temperature_is_the_base():
    rows = [row for row in ROWS if row["slice"].get("history") != "self"]
    lone = [row for row in rows if row["slice"].get("temperature") in (None, "1")]
    bare = [
        row for row in derived(lone, BOARD) if row["table"] == "rates" and "temperature" not in row["slice"]
    ]
    assert bare and len(derived(rows, BOARD)) < len(derived(ROWS, BOARD))


def test_a_variant_that_a_judge_has_alone_is_not_said():
    lone = [row for row in derived(ROWS, BOARD) if row["table"] == "location"]
    assert lone and not any("variant" in row["slice"] for row in lone)
    other = dict(lone[0]) | {"slice": lone[0]["slice"] | {"variant": "zero-shot"}}
    both = [other, other | {"slice": other["slice"] | {"variant": "three-shot"}}]
    assert all("variant" in row["slice"] for row in derived(both, BOARD))


def test_what_a_judgement_says_is_told_apart_from_what_a_text_is():
    meta = {row["slice"]["over"] for row in derived(ROWS, BOARD) if row["metric"] == "meta_accuracy"}
    assert meta == {"all", "says-yes"} and BOARD.vocabulary.value("over", "says-yes") == "Judged Yes"
    assert "positives" in {row["slice"]["over"] for row in derived(ROWS, BOARD) if row["metric"] == "span_f1"}


def test_published_responses_stand_alone_with_their_writers():
    where = {"scenario": "natural", "corpus": "wow"}
    rows = [row("rates", "doha", "baseline", "labelled_rate", 0.734, **where)]
    for unit in ("turn", "dialogue"):
        value = {"turn": 0.6}.get(unit)
        more = {**where, "unit": unit, "estimator": "raw"}
        one = row("rates", "doha", "baseline", "hallucination_rate", value or 0.0, **more)
        rows.append(one if value else one | {"value": None, "low": None, "high": None})
    tables = Tables(title="t", boards=(BOARD,), models={}, rows=frame(Row, rows))
    shown = context(tables, BOARD)
    (section,) = shown["sections"]
    assert section["heading"] == "Responses that people labelled" and not shown["others"]
    people, flagged = section["blocks"]
    assert people["panels"][0].lines[0].cells[0].row["value"] == 0.734
    assert [panel.lines[0].cells[0].row["value"] for panel in flagged["panels"]] == [0.6, None]
