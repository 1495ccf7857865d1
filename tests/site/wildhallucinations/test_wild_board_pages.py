"""A board on each kind of source, under each kind of rights, with and without labels, gets its page: the tables lie on
disk and are scored, ranked, loaded and rendered by the code of the stages.
"""

import json
import os
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from opened_scripts import values_of
from test_site_render import SITE, Elements
from tiny_wildhallucinations import HOSTILE_TEXT, frames

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core import schemas
from truerate.leaderboard import rows as leaderboard
from truerate.pipeline.pages import board_scores
from truerate.pipeline.publishing.site_tables import site_tables
from truerate.pipeline.tracks import card_of, records_of
from truerate.site import render_site
from truerate.sources.cards import published_card
from truerate.tracks.wildhallucinations.scores import score

ROOT = Path(__file__).parents[3]
CLOSED = {"name": "chats", "title": "Chats", "citation": "c", "licence": "CC0-1.0", "url": None, "lang": "en"}
CARDS = {
    "wildhallucinations": published_card("wildhallucinations"),
    "wildchat": published_card("wildchat"),
    "entity_list": published_card("entity_list"),
    "closed": CLOSED,
}
RIGHTS, LABELS = ("yes", "ids-only", "no"), ("labelled", "unlabelled")
BOARDS = {"-".join(one): one for one in product(CARDS, RIGHTS, LABELS)}


def params() -> Params:
    """The committed params with these boards alone, each on a source of its own, and no detector."""
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    by_name = {
        f"s-{name}": {"reader": "wildchat" if kind == "closed" else kind, "path": f"inputs/{name}"}
        | {"is_simulated": kind == "closed"}
        for name, (kind, *_) in BOARDS.items()
    }
    boards = {name: {"track": "wildhallucinations", "source": f"s-{name}"} for name in BOARDS}
    return Params.model_validate(
        values
        | {"sources": by_name, "boards": boards, "detectors": {}}
        | {"statistics": values["statistics"] | {"n_bootstrap": 100}}
    )


@cache
def tables_of(labels: str) -> dict[str, pl.DataFrame]:
    """The tables of a data set, with what people labelled or without, and its scores and outcomes."""
    tables = frames()
    if labels == "unlabelled":
        is_label = pl.col("judge").is_in(["ann", "ben", "token-overlap"])
        tables |= {"samples": tables["samples"].clear(), "judgements": tables["judgements"].filter(~is_label)}
    board = next(name for name in BOARDS if name.endswith(f"-{labels}"))
    scores, outcomes = score(Layout(params()), board, **tables, inputs="digest")
    return tables | {"scores": scores, "outcomes": outcomes}


def build(config: Layout, board: str) -> None:
    """Everything that the stages before the leaderboard write of a board."""
    kind, rights, labels = BOARDS[board]
    tables = tables_of(labels)
    card = {"title": board, **CARDS[kind], "redistribution": rights}
    at_source = Path(config.source(f"s-{board}"))
    at_source.mkdir(parents=True)
    (at_source / "card.json").write_text(json.dumps(card), "utf-8")
    empty = {
        config.source(f"s-{board}", "documents"): schemas.Document,
        config.dataset(board, "counts"): schemas.Count,
        config.labels(board, "judgements"): schemas.Judgement,
        config.audit(board): schemas.Score,
        config.truth(board): schemas.Score,
    }
    for path, table in empty.items():
        schemas.save(table, schemas.frame(table), path)
    kinds = {"documents": schemas.Document, "items": schemas.Item, "generations": schemas.Generation}
    kinds |= {"facts": schemas.Fact, "judgements": schemas.Judgement}
    for name, table in kinds.items():
        schemas.save(table, tables[name], config.dataset(board, name))
    schemas.save(schemas.Sample, tables["samples"], config.labels(board, "samples"))
    for name, table in {"scores": schemas.Score, "outcomes": schemas.Outcome}.items():
        schemas.save(table, tables[name].with_columns(board=pl.lit(board)), config.scores(board, name))
    Path(config.scores(board, "topics.json")).write_text("[]", "utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> dict[str, str]:
    """The pages of all boards, rendered once."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("boards"))
    try:
        config = Layout(params())
        for board in BOARDS:
            build(config, board)
        tables = [
            leaderboard.board_rows(
                config,
                name,
                *board_scores(config, name),
                records_of(config, name),
                card_of(config, name).asked,
            )
            for name in BOARDS
        ]
        schemas.save(schemas.Row, pl.concat(tables), config.leaderboard("rows"))
        Path(config.leaderboard("ledger.json")).write_text("[]", "utf-8")
        return render_site(replace(site_tables(config), real=()), SITE)
    finally:
        os.chdir(before)


@pytest.mark.parametrize("board", BOARDS)
def test_every_kind_of_board_gets_its_page_and_no_text_beyond_its_rights(site, board):
    _, rights, labels = BOARDS[board]
    assert "WildFactScore" in Elements(site[f"boards/{board}.md"]).text
    data = {name: text for name, text in site.items() if name.startswith(f"samples/{board}/")}
    assert bool(data) == (rights != "no")
    n_facts, n_labelled = frames()["facts"].height, frames()["samples"].height
    if rights == "ids-only":
        records = values_of(enumerate(data.values()))[0]
        assert len(records) == (n_labelled if labels == "labelled" else n_facts)
        assert {type(one["wrong"]) for one in records} == {bool if labels == "labelled" else type(None)}
    assert rights == "yes" or not any(HOSTILE_TEXT in text for text in data.values())


def test_boards_whose_texts_stay_away_say_how_many_and_why(site):
    said = Elements(site["samples.md"]).text
    n_facts, n_labelled = frames()["facts"].height, frames()["samples"].height
    closed = sum(rights == "no" for _, rights, _ in BOARDS.values())
    assert said.count("texts are not shown") == closed
    assert said.count(f"{n_facts} texts are not shown") == closed // 2
    assert said.count(f"{n_labelled} texts are not shown") == closed // 2
    assert said.count("its records are ids") == sum(rights == "ids-only" for _, rights, _ in BOARDS.values())
