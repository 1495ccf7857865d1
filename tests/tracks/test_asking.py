from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from truerate.config import load_params
from truerate.config.layout import Layout
from truerate.llm.generation import Prompted
from truerate.llm.request import Reply, Request
from truerate.tracks.asking import (
    ask_prompted,
    context_frame,
    in_shard,
    number_in_shard,
    rows_in_shard,
    whole_part,
)

LAYOUT = Layout(load_params(Path(__file__).parents[2] / "params.yaml"))
LAYOUT = Layout(
    LAYOUT.p.model_copy(
        update={"models": {"quill": LAYOUT.p.models["quill"].model_copy(update={"accept_length": None})}}
    )
)
REQUEST = Request("quill", ({"role": "user", "content": "hello"},), {})
TEXT = "Yes. The year is no"

FOUND = {
    name: SimpleNamespace(item_id=name, knowledge=f"k {name}", question="q", history="", more=1)
    for name in ("b", "a", "c")
}


def prompted(purpose: str) -> Prompted:
    return Prompted(REQUEST, "i", purpose, {})


def reply(finish: str = "stop") -> Reply:
    return Reply("00", "ok", TEXT, finish, None, 1, 1, 0.0, False)


def test_every_context_is_in_one_shard_in_its_order():
    parts = [[context.item_id for context in in_shard(FOUND.values(), shard, 3)] for shard in range(3)]
    assert sorted(name for part in parts for name in part) == ["a", "b", "c"]
    assert [context.item_id for context in in_shard(FOUND.values(), 0, 1)] == ["b", "a", "c"]
    for n in (0, 2, 7):
        assert sum(number_in_shard(n, shard, 3) for shard in range(3)) == n


def test_a_frame_of_contexts_has_what_stands_beside_a_text():
    assert context_frame(FOUND).rows() == [(name, f"k {name}", "q", "") for name in ("b", "a", "c")]
    assert context_frame({}).columns == ["item_id", "knowledge", "question", "history"]


def test_nothing_asked_is_nothing_begun():
    calls = []

    def asking(requests, at, *, label):
        calls.append((requests, label))
        return [reply()] * len(requests)

    assert ask_prompted([], LAYOUT, "write", asking) == [] and calls == []
    replies = ask_prompted([prompted("write")], LAYOUT, "label", asking)
    assert [reply.text for reply in replies] == [TEXT]
    assert calls == [([REQUEST], "label")]


@pytest.mark.parametrize(
    ("purpose", "keeps_cut", "text"),
    [
        ("write", False, TEXT),
        ("respond", True, TEXT),
        ("recognise", True, "Yes. The year is"),
        ("unheard", False, TEXT),
    ],
)
def test_a_reply_cut_at_its_length_is_dealt_with_by_what_it_was_asked_for(purpose, keeps_cut, text):
    """A purpose that no track knows is dropped, as `write` is: such replies come back dead from `ask`."""
    asked = []

    def asking(requests, at, *, label):
        asked.extend(requests)
        return [reply(finish="length")]

    (answer,) = ask_prompted([prompted(purpose)], LAYOUT, "label", asking)
    assert ([context.keeps_cut for context in asked], answer.text) == ([keeps_cut], text)


def test_params_and_the_models_entry_stand_above_the_rules_of_a_track():
    llm = LAYOUT.p.llm.model_copy(update={"cut": {"recognise": "keep"}})
    kept = Layout(LAYOUT.p.model_copy(update={"llm": llm}))
    model = LAYOUT.p.models["quill"].model_copy(update={"accept_length": True})
    always = Layout(LAYOUT.p.model_copy(update={"models": {"quill": model}}))
    for at in (kept, always):
        (answer,) = ask_prompted([prompted("recognise")], at, "x", lambda *_, **__: [reply(finish="length")])
        assert answer.text == TEXT


@pytest.mark.parametrize(
    ("text", "whole"),
    [("[1] supported\n[2] not", "[1] supported"), ("Yes. It sa", "Yes. It"), ("Yes. It says ", "Yes. It says"),
     ("Yes", ""), ("", ""), ("[1] a\n", "[1] a")],
)  # fmt: skip
def test_the_whole_part_of_a_cut_text(text, whole):
    assert whole_part(text) == whole


def test_rows_of_a_shard_are_those_of_its_contexts():
    rows = pl.DataFrame({"item_id": [*FOUND, "b"], "n": range(len(FOUND) + 1)})
    for n_shards in (1, 3):
        parts = [rows_in_shard(rows, shard, n_shards) for shard in range(n_shards)]
        assert pl.concat(parts).sort("n").equals(rows)
        for shard, part in enumerate(parts):
            assert set(part["item_id"]) == {
                context.item_id for context in in_shard(FOUND.values(), shard, n_shards)
            }
    assert rows_in_shard(rows.clear(), 0, 3).is_empty()
