"""A plan walks the very graph: what each step would ask of whom, and whose pages are taken as found."""

import weakref
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from committed import with_sources
from tracks.wildhallucinations.chatty import chat, chats

from truerate.config import Params
from truerate.config.layout import Layout, beside
from truerate.core.schemas import Document, Judgement, Reject, Sample, frame, write_parquet
from truerate.llm.dry_run import DryRun
from truerate.pipeline import graph
from truerate.pipeline.planning.plan import Planned, Priced, assuming, planned, planned_with, walk
from truerate.sources.tables import SourceTables
from truerate.tracks.wildhallucinations.protocol import WEB

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


def lines(config: Layout, tables: SourceTables) -> list[tuple[str, str, int]]:
    return [(one.step, one.model, len(one.requests)) for one in planned(config, BOARD, tables)]


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


def built_evidence(config: Layout, rows: pl.DataFrame) -> None:
    """Files of a build of the board that found no page, for the entities of `rows`."""
    attributes = pl.lit([{"key": "documents", "value": ""}], dtype=rows.schema["attributes"])
    for path in graph.files(config, BOARD, "evidence"):
        write_parquet(rows.with_columns(attributes=attributes), Path(path))
        write_parquet(frame(Document), beside(path, "documents"))


def test_pages_that_a_build_of_this_board_found_take_the_place_of_assumed_ones(at, tables):
    built_evidence(at, planned_with(at, BOARD, tables, Planned)[1]["evidence", WEB][0])
    found = lines(at, tables)
    assert [n for step, _, n in found if step == "curate"] == [3 * N_CHATS]
    assert {n for step, _, n in found if step in ("generate", "facts")} == {0}  # no entity has a page


def test_pages_of_other_entities_leave_those_that_are_assumed_as_they_are(at, tables):
    expected = lines(at, tables)
    rows = planned_with(at, BOARD, tables, Planned)[1]["evidence", WEB][0]
    built_evidence(at, rows.with_columns(item_id=pl.lit("of another store")))
    assert lines(at, tables) == expected


def test_a_subject_that_may_not_stand_there_is_not_planned(at, tables):
    values = at.p.model_dump()
    values["sources"]["found"] = {"reader": "wildchat", "path": "somewhere"}
    values["boards"][BOARD]["source"] = "found"
    assert planned(Layout(Params.model_validate(values)), BOARD, tables) == []


def test_requests_of_one_shard_are_held_and_cost_what_all_cost_together(at, tables):
    parts = []

    class Held(Priced):
        """A line that tells how many requests came at a time."""

        def add(self, requests, reminders) -> None:
            parts.append((self.step, self.model, len(requests)))
            super().add(requests, reminders)

    whole = {(one.step, one.model, place): one for place, one in enumerate(planned(at, BOARD, tables))}
    lines_, given = planned_with(at, BOARD, tables, partial(Held, at))
    for line, one in zip(lines_, whole.values(), strict=True):
        again = Priced(at, one.step, one.model)
        again.add(one.requests, one.reminders)
        found, expected = line.row(), again.row()
        assert abs(found.pop("tokens_low") - expected.pop("tokens_low")) <= 2  # rounded shard by shard
        assert found == pytest.approx(expected)
    assert max(n for step, _, n in parts if step == "extract") < N_CHATS  # three messages lie in two shards
    assert list(given) == [("evidence", "web")]  # what replies there would be is let go


def test_what_two_shards_ask_alike_counts_once(at, tables):
    (line, *_) = planned(at, BOARD, tables)
    priced = Priced(at, line.step, line.model)
    priced.add(line.requests, line.reminders)
    once = priced.row()
    priced.add(line.requests, line.reminders)
    assert priced.row() == once and once["n_calls"] == 2 * N_CHATS  # each may be asked for again


def test_what_no_later_step_reads_is_let_go_at_once(at, tables):
    held = []

    def job(step, model, run):
        held.append((step.name, model, len(gone)))
        given = run(DryRun(assuming(at, BOARD, step)))
        gone.append(weakref.ref(given[0]))
        return given

    gone: list = []
    walk(at, BOARD, tables, job)
    assert [one() for one in gone] == [None] * len(held) and len(held) == 8
