"""A board of a track that no module of the site describes: all its tables are on its page, none folded."""

import dataclasses

import pytest
from test_site_render import SITE, Elements
from tiny_tables import tiny_tables

from tests.cases import case_table
from truerate.core import schemas
from truerate.core.card import Card, Ranked, Words
from truerate.core.errors import TruerateError
from truerate.core.metric import Metric
from truerate.site import render_site
from truerate.site.board import context
from truerate.site.layout import Page, laid_out
from truerate.site.measures import Measure
from truerate.site.registry import page_of
from truerate.site.tables import Board
from truerate.site.vocabulary import Vocabulary

RANKED = Ranked("toy_rate", {}, "how seldom a model errs")
CARD = Card("toy", "Toy", "A toy", "Nobody", "https://example.org", "How toys err.", {}, (), RANKED)
TOY_RATE = Metric("toy_rate", "Toy rate", "How often a toy errs.", "errors")
N_TEXTS = Metric("n_texts", "Texts", "How many texts there are.", "texts", unit="count")
BOARD = Board("toy-board", "toy", "toy-source", "Toy on toys", track_card=CARD, metrics=(TOY_RATE, N_TEXTS))


def row(table, subject, metric, value, *, kind="model", ranks=(None, None), **where):
    return {"board": "toy-board", "table": table, "subject": subject, "kind": kind, "metric": metric,
            "slice": schemas.pairs(**where), "rank_low": ranks[0], "rank_high": ranks[1],
            "is_leading": ranks[0] and ranks[0] == 1, "value": value,
            "low": None, "high": None, "n": 10, "provenance": "x"}  # fmt: skip


ROWS = [
    row("texts", "set", "n_texts", 40.0, kind="baseline"),
    row("errors", "aster", "toy_rate", 0.25, ranks=(1, 1)),
    row("errors", "birch", "toy_rate", 0.75, ranks=(2, 2)),
    row("errors", "coin", "toy_rate", 0.5, kind="baseline"),
    row("errors", "aster", "toy_rate", 0.3, kind="planted"),
    row("errors", "aster", "toy_rate", 0.125, lang="de", kind="model"),
    row("errors", "aster", "toy_rate", 0.375, lang="fr", kind="model"),
    row("by-task", "aster", "toy_rate", 0.0625, task="qa"),
    row("by-task", "aster", "toy_rate", 0.4375, task="dialogue"),
]


@pytest.fixture(scope="module")
def tables():
    return dataclasses.replace(
        tiny_tables(), boards=(BOARD,), rows=schemas.frame(schemas.Row, ROWS), ledger=(), models={}
    )


def test_every_value_stands_in_a_table_under_a_heading(tables):
    found = context(tables, BOARD)
    assert [section["heading"] for section in found["sections"]] == ["Errors", "Texts", "By task"]
    assert not found["others"] and not any(
        block["is_folded"] for section in found["sections"] for block in section["blocks"]
    )
    shown = [
        cell.row["value"]
        for section in found["sections"]
        for block in section["blocks"]
        for panel in block["panels"]
        for line in panel.lines
        for cell in line.cells
        if cell
    ]
    assert sorted(shown) == sorted(one["value"] for one in ROWS if one["kind"] != "planted")
    assert [one[:2] for one in found["figures"]] == [("Models", "2"), ("Baselines", "1")]


def test_parts_of_a_table_do_not_mix_with_the_whole(tables):
    errors = context(tables, BOARD)["sections"][0]["blocks"]
    assert [block["view"].title for block in errors] == ["Over all", "By language"]
    whole, parts = (block["panels"][0] for block in errors)
    assert [line.subject for line in whole.lines] == ["birch", "coin", "aster"]  # the highest value first
    assert [line.notes for line in parts.lines]


def test_planted_values_stand_beside_and_a_table_without_models_says_subject(tables):
    sections = context(tables, BOARD)["sections"]
    whole = sections[0]["blocks"][0]["panels"][0]
    (cell,) = next(line for line in whole.lines if line.subject == "aster").cells
    assert (cell.row["value"], cell.planted) == (0.25, 0.3)
    assert sections[1]["blocks"][0]["panels"][0].head == "Subject"


def test_the_first_table_that_ranks_leads_the_home_page(tables):
    rows = tables.rows_of("toy-board")
    assert laid_out(Page(), rows, BOARD.vocabulary).leading.table == "errors"
    pages = render_site(tables, SITE)
    home = Elements(pages["index.md"]).text
    assert "birch" in home and "alone may be the best" in home and "All its tables" in home
    assert "<details" not in pages["boards/toy-board.md"].split("## Where it comes from")[0]


def test_many_tasks_are_panels():
    rows = [row("wide", "aster", "toy_rate", 0.5, task=f"t{i}") | {"slice": {"task": f"t{i}"}}
            for i in range(9)]  # fmt: skip
    (section,) = laid_out(Page(), rows, BOARD.vocabulary).sections
    assert section.views[0].switch == "task" and section.views[0].across == ()


def test_a_board_without_rows_has_a_page(tables):
    empty = dataclasses.replace(tables, rows=tables.rows.clear())
    pages = render_site(empty, SITE)
    assert "No judge has been asked on this board yet" in pages["index.md"]
    assert "Where it comes from" in pages["boards/toy-board.md"]


def test_a_described_page_stays_as_it_is():
    page = page_of("halueval")
    assert laid_out(page, [], {}) is page


def test_a_row_of_a_metric_without_a_record_is_one_line(tables):
    strange = schemas.frame(schemas.Row, [*ROWS, row("errors", "aster", "toy_rates", 0.25)])
    with pytest.raises(
        TruerateError, match="board 'toy-board': metric 'toy_rates' has no record; did you mean 'toy_rate'"
    ):
        render_site(dataclasses.replace(tables, rows=strange), SITE)


WORDS = Words(
    values={"late": "Asked later", "qa": "Riddles", "early": "Asked early"},
    by_key={("stage", "qa"): "While asked"},
    names=frozenset({"town"}),
    powers={"size": "Pieces"},
    quantities={"n_toys": "Toys"},
)


def test_a_new_track_brings_its_words_and_their_order(tables):
    """From its card alone, onto its own page and no other board's."""
    named = dataclasses.replace(BOARD, track_card=dataclasses.replace(CARD, words=WORDS))
    rows = [row("errors", "aster", "toy_rate", 0.5, task=task) for task in ("early", "qa", "late", "kept")]
    site = dataclasses.replace(tables, boards=(named,), rows=schemas.frame(schemas.Row, rows))
    (section,) = context(site, named)["sections"]
    (panel,) = section["blocks"][0]["panels"]
    # `Kept` is a shared word and stands before the track's own, which keep the order of the card
    assert [column.heading for column in panel.columns] == ["Kept", "Asked later", "Riddles", "Asked early"]
    assert "Riddles" in render_site(site, SITE)["boards/toy-board.md"]
    assert BOARD.vocabulary.value("task", "qa") == "Qa"


@pytest.mark.parametrize(("key", "value", "expected"), case_table(__file__)["a_value_is_shown_by_its_key"])
def test_a_value_is_shown_by_its_key(key, value, expected):
    assert Vocabulary.of({}, WORDS).value(key, value) == expected


def test_the_first_of_two_tracks_decides_on_a_word_of_both():
    other = Words(values={"qa": "Questions", "alone": "By itself"})
    both = Vocabulary.of({"toy_rate": Measure.of(TOY_RATE)}, WORDS, other)
    assert [both.label(value) for value in ("qa", "alone")] == ["Riddles", "By itself"]
    assert [both.quantity(part) for part in ("n_toys", "toy_rate+late", "x")] == [
        "Toys",
        "Toy rate, asked later",
        "x",
    ]
    assert (both.subject("late"), both.subject("aster")) == ("Asked later", "aster")
