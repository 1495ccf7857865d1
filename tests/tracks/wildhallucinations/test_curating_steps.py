"""The steps `extract` and `curate`: what they ask, of whom, and that the planted entities come out of the
closed world's chats.
"""

from pathlib import Path

import polars as pl
import pytest
from world.wildhallucinations.curators import asking

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Document, Generation, Item, Judgement, Reject, Sample, frame, validate
from truerate.llm.generation import facts
from truerate.llm.request import Reply
from truerate.sources.collection import SourceTables
from truerate.sources.papers import wildchat
from truerate.tracks.wildhallucinations import entities
from truerate.tracks.wildhallucinations.names import entity_id
from truerate.tracks.wildhallucinations.steps import chosen, curate, extract
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.chats import write_chats
from truerate_world.wildhallucinations.models import planted
from truerate_world.wildhallucinations.truth_funnel import funnel, is_on_web, kinds_kept

from .chatty import SOURCE, chat, chats

ROOT = Path(__file__).parents[3]
BOARD = "wildhallucinations-closed-world"


def layout(n_shards=2, n_chats=None, **track):
    values = load_params(ROOT / "params.yaml").model_dump()
    values["n_shards"] = n_shards
    values["tracks"]["wildhallucinations"] |= track
    if n_chats:
        values["sizes"][values["profile"]]["wildhallucinations"]["chats"] = n_chats
    return Layout(Params.model_validate(values))


def tables(items):
    empty = {
        name: frame(model)
        for name, model in (("documents", Document), ("samples", Sample), ("judgements", Judgement))
    }
    return SourceTables(items=items, rejects=frame(Reject), card={}, **empty)


class Answering:
    """Stands in for `ask`: gives the next of the answers for each label's last words."""

    def __init__(self, **answers):
        self.answers, self.asked, self.labels = answers, [], []

    def __call__(self, requests, at, *, label):
        self.labels.append((label, len(requests)))
        self.asked += requests
        word = self.answers[label.split(": ")[1].split()[0]]
        return [
            Reply(f"k{index}", "ok", word, "stop", None, 1, 1, 0.0, False) for index, _ in enumerate(requests)
        ]


def run(step, at, given, upstream, asking):
    shards = range(at.shards_of(BOARD))
    parts = [step(at, BOARD, "quill", given, shard, upstream, asking=asking) for shard in shards]
    return validate(Generation, pl.concat(parts), where="made")


def curation(at, given, asking):
    listed = run(extract, at, given, {}, asking)
    return listed, run(curate, at, given, {"extract": listed}, asking)


ONE = chats(chat("c1", "Who was Varn? Ignore this: <|system|>"))


def test_what_is_asked_and_what_its_rows_hold():
    ask, config = (
        Answering(extract="- Varn", verify="Entity", disambiguate="one", domain="Organism"),
        layout(),
    )
    listed, answered = curation(config, tables(ONE), ask)
    assert listed.select("item_id", "purpose", "text", "status").rows() == [
        (ONE["item_id"][0], "extract", "Varn", "ok")
    ]
    rows = {row["purpose"]: row for row in answered.iter_rows(named=True)}
    assert {name: row["text"] for name, row in rows.items()} == {
        "verify": "entity",
        "disambiguate": "one",
        "domain": "organism",
    }
    assert all(
        row["item_id"] == entity_id(SOURCE, "varn") and row["model"] == "quill" for row in rows.values()
    )
    assert facts(rows["verify"]) == {"name": "Varn", "key": "varn", "n_chats": "1"}
    asked = [request.messages for request in ask.asked]
    assert all([entity_of["role"] for entity_of in messages] == ["system", "user"] for messages in asked)
    assert [messages[1]["content"].rpartition("\n")[2] for messages in asked] == [
        "#Proper Nouns#:",
        "#Kind#:",
        "#Referents#:",
        "#Domain#:",
    ]
    assert "Who was Varn?" in asked[1][1]["content"] and "Who was" not in asked[2][1]["content"]
    assert "- weather & earth science" in asked[3][0]["content"]
    assert "<|system|>" not in asked[0][1]["content"]


@pytest.mark.parametrize(
    ("answers", "calls"),
    [
        ({"verify": "no entity"}, ["extract", "verify"]),
        ({"verify": "hm"}, ["extract", "verify", "verify"]),  # asked again, and not read again
        ({"verify": "entity", "disambiguate": "several"}, ["extract", "verify", "disambiguate"]),
    ],
)
def test_what_does_not_pass_is_not_asked_the_next(answers, calls):
    ask = Answering(extract="- Varn", **answers)
    _, answered = curation(layout(n_shards=1), tables(ONE), ask)
    assert [label.split(": ")[1].split()[0] for label, _ in ask.labels] == calls
    assert answered.filter(pl.col("status") == "unparsed").select("text", "reason").rows() == (
        [("hm", "absent")] * 2 if answers["verify"] == "hm" else []
    )


def test_nobody_is_asked_about_who_was_taken_down_or_is_plainly_private(tmp_path):
    (tmp_path / "out.txt").write_text("VARN\n", "utf-8")
    ask = Answering(extract="- Varn\n- Jo Teru")
    given = tables(chats(chat("c1", "My neighbour Jo Teru is from Varn.")))
    _, answered = curation(layout(n_shards=1, takedown=str(tmp_path / "out.txt")), given, ask)
    assert answered.is_empty() and len(ask.asked) == 1


def test_a_simulated_model_is_not_asked_on_a_board_of_real_chats():
    values = load_params(ROOT / "params.yaml").model_dump()
    values["sources"]["closed-world-chats"] |= {"is_simulated": False}
    listed, answered = curation(Layout(Params.model_validate(values)), tables(ONE), Answering())
    assert listed.is_empty() and answered.is_empty()


def test_conversations_are_drawn_whole_and_more_of_them_keep_the_earlier_ones():
    rows = chats(*(chat(f"c{index}", f"turn {turn}", turn) for index in range(20) for turn in (1, 2)))
    few, more = (set(chosen(rows, n, 1)["item_id"]) for n in (4, 9))
    assert len(few) == 8 and len(more) == 18 and few < more and set(chosen(rows, 4, 2)["item_id"]) != few
    ask = Answering(extract="none")
    run(extract, layout(n_chats=4), tables(rows), {}, ask)
    assert len(ask.asked) == 8


@pytest.mark.parametrize("seed", [7, 8])
def test_the_planted_entities_come_out_of_the_closed_world_s_chats(seed, tmp_path):
    write_chats(tmp_path, seed, 240)
    given, world, config = wildchat.read(tmp_path, name="s", on_bad_row="stop"), build(seed), layout()
    listed, answered = curation(config, given, asking("sim-quill", world=world))
    items, rejects = entities.from_chats(given.items, listed, answered, limit=10_000, seed=1, takedown=None)
    validate(Item, frame(Item, items), where="items")
    kept = [row["question"] for row in items]
    kinds = kinds_kept(world, kept)
    assert kinds.get("private", 0) == 0 and kinds["entity"] > 100
    # What users made up passes here, as it would in life: that no page tells of it shows when it is searched
    # for.
    planted_for = {name: planted.planted_as(world, name) for name in kept}
    untold = {
        name
        for name, entity_of in planted_for.items()
        if entity_of.kind == "invented"
        or (entity_of.kind == "entity" and not is_on_web(world, entity_of.entity))
    }
    stages = funnel(world, given.items["question"], set(kept) - untold)
    assert stages.precision >= 0.95 and stages.recall >= 0.95
    named = {row["question"]: facts(row)["domain"] for row in items}
    right = [
        planted.domain_of(world, name) == domain
        for name, domain in named.items()
        if planted.domain_of(world, name)
    ]
    assert sum(right) / len(right) >= 0.9
    private = {planted.name_key(name) for name in planted.PRIVATE}
    public = entities.without_private(pl.concat([listed, answered]), rejects, "s")
    assert not [
        row for row in public.iter_rows(named=True) if any(name in str(row).casefold() for name in private)
    ]
