"""A plan walks the very graph: what each step would ask of whom, and whose pages are taken as found."""

from pathlib import Path

import pytest
from committed import with_sources
from tracks.wildhallucinations.chatty import chat, chats

from truerate.config import Params
from truerate.config.layout import Layout, beside
from truerate.core.schemas import Document, Generation, Judgement, Reject, Sample, frame, write_parquet
from truerate.flow import graph
from truerate.flow.plan import planned
from truerate.sources import SourceTables

BOARD = "wildhallucinations-closed-world"
ROLES = {"extractor": "quill", "curator": "elm", "fact_writer": "birch", "verifier": "cedar"}
N_CHATS = 3


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    """The committed settings with a model of its own for every role, and an empty store."""
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    values = with_sources(tmp_path, monkeypatch).p.model_dump()
    values["tracks"]["wildhallucinations"] |= ROLES | {"subjects": ("aster", "dogwood"), "panel": None}
    return Layout(Params.model_validate(values | {"n_shards": 2})).on(BOARD)


@pytest.fixture
def tables() -> SourceTables:
    named = ("documents", Document), ("samples", Sample), ("judgements", Judgement), ("rejects", Reject)
    said = [f"Tell me of the river number {place} in the north" for place in range(N_CHATS)]
    items = chats(*(chat(str(place), text) for place, text in enumerate(said)))
    return SourceTables(items=items, card={}, **{name: frame(model) for name, model in named})


def lines(at: Layout, tables: SourceTables) -> list[tuple[str, str, int]]:
    return [(one.step, one.model, len(one.requests)) for one in planned(at, BOARD, tables)]


def test_each_step_is_asked_of_its_own_model_and_leads_to_the_most_questions(at, tables):
    found = lines(at, tables)
    # One name per message, three questions per name, one reply per name and subject, facts by two others.
    assert [(step, model) for step, model, _ in found] == [
        ("extract", "quill"),
        ("curate", "elm"),
        ("generate", "aster"),
        ("generate", "dogwood"),
        ("facts", "birch"),
        ("facts", "cedar"),
        ("facts", "birch"),
        ("facts", "cedar"),
    ]
    # each of them may turn out unread and be asked for again, but a subject's reply, which has no form
    again = {one.step: len(one.reminders) == len(one.requests) for one in planned(at, BOARD, tables)}
    assert again == {"extract": True, "curate": True, "generate": False, "facts": True}
    assert [n for step, _, n in found if step != "facts"] == [N_CHATS, 3 * N_CHATS, N_CHATS, N_CHATS]
    assert [n for _, model, n in found if model == "birch"] == [N_CHATS, N_CHATS]
    assert all(n for _, _, n in found)


def test_pages_that_a_build_of_this_board_found_take_the_place_of_assumed_ones(at, tables):
    for path in graph.files(at, BOARD, "evidence"):
        write_parquet(frame(Generation), Path(path))
        write_parquet(frame(Document), beside(path, "documents"))
    found = lines(at, tables)
    assert [n for step, _, n in found if step == "curate"] == [3 * N_CHATS]
    assert {n for step, _, n in found if step in ("generate", "facts")} == {0}  # no entity has a page


def test_a_subject_that_may_not_stand_there_is_not_planned(at, tables):
    values = at.p.model_dump()
    values["sources"]["found"] = {"reader": "wildchat", "path": "somewhere"}
    values["boards"][BOARD]["source"] = "found"
    assert planned(Layout(Params.model_validate(values)), BOARD, tables) == []
