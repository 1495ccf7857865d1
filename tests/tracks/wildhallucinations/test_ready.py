"""Replies that a source brings: tiny ones by hand, and what RefChecker's labels give."""

import os
from pathlib import Path

import polars as pl
import pytest

from truerate.params import Source
from truerate.schemas import Fact, Generation, Judgement, frame, pair, validate
from truerate.sources import read_source
from truerate.sources.collection import Collection
from truerate.tracks.wildhallucinations.ready import ready

DATA = Path(os.environ.get("TRUERATE_DATA") or Path(__file__).parents[3] / ".." / "shared" / "data")
CARD = {"name": "x", "licence": "x", "redistribution": "no"}
SETTINGS = ("zero_context", "noisy_context", "accurate_context")


@pytest.fixture
def tables(tmp_path):
    """Two models on one prompt: one says three things, of which two are true and one is said twice; one refuses."""
    made = Collection(tmp_path, name="x", on_bad_row="stop", card=CARD)
    item = made.item("entity", group=("a",), question="Varn")
    fixed = {"label_source": "published", "generator": "talker"}
    reply = made.sample(item, "It is a town. It has a sea. It is the town.", is_hallucinated=True, n_claims=3, **fixed)
    told = (("It is a town.", False), ("It has a sea.", True), ("It is the town.", False))
    for place, (text, is_wrong) in reversed(list(enumerate(told))):
        made.sample(item, text, task="fact", is_hallucinated=is_wrong, place=place, generation=reply["sample_id"], label="so", **fixed)
    made.sample(item, "I'm sorry, I do not know Varn.", is_hallucinated=False, n_claims=0, label_source="published", generator="refuser")
    made.sample(item, "Varn is old.", task="fact", is_hallucinated=False, label_source="published", generator="talker", place=0)
    return made.tables()


def test_replies_facts_and_verdicts_as_the_track_makes_them(tables):
    found = ready(tables)
    for model, data in ((Generation, found.generations), (Fact, found.facts), (Judgement, found.judgements)):
        validate(model, data, where="here")
    replies = found.generations.sort("model")
    assert replies.select("purpose", "model", "status", "reason", pair("attributes", "abstained_paper")).rows() == [
        ("generate", "refuser", "abstained", "no-claims", "true"),
        ("generate", "talker", "ok", None, "false"),
    ]
    assert found.facts.select("text", "subject", "sentence_index", "is_duplicate").rows() == [
        ("It is a town.", "talker", 0, False),
        ("It has a sea.", "talker", 1, False),
        ("It is the town.", "talker", 2, True),
    ]
    assert found.facts["generation_id"].unique().to_list() == [replies["generation_id"][1]]
    verdicts = found.facts.join(found.judgements, left_on="fact_id", right_on="target_id", maintain_order="left")
    assert verdicts.select("judge", "verdict", pair("attributes", "label")).rows() == [
        ("human", False, "so"),
        ("human", True, "so"),
        ("human", False, "so"),
    ]


def test_labelled_claims_without_a_reply_measure_verifiers_alone(tables):
    found = ready(tables)
    assert "Varn is old." in found.samples["text"].to_list() and "Varn is old." not in found.facts["text"].to_list()
    assert found.samples["task"].unique().to_list() == ["fact"]


def test_a_source_that_brings_none(tmp_path):
    found = ready(Collection(tmp_path, name="x", on_bad_row="stop", card=CARD).tables())
    assert [table.height for table in found] == [0, 0, 0, 0]
    assert found.facts.equals(frame(Fact))


# ---- published figures ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shares():
    """Per setting and model: mean entailment over answers, share of all replies whose claims are all entailed, share that answers."""
    folder = DATA / "refchecker"
    if not (folder / "claims.jsonl").is_file():
        pytest.skip(f"no refchecker/claims.jsonl under {DATA}; name the folder in TRUERATE_DATA")
    found = {}
    for part in SETTINGS:
        made = ready(read_source("r", Source(reader="refchecker", path=".", part=part), folder, "stop"))
        judged = made.facts.join(made.judgements, left_on="fact_id", right_on="target_id")
        supported = judged.group_by("generation_id").agg(share=(~pl.col("verdict")).mean())
        replies = made.generations.join(supported, on="generation_id", how="left")
        assert replies.filter(pl.col("share").is_null())["status"].unique().to_list() == ["abstained"]
        strict, responds = (pl.col("share") == 1).fill_null(False), pl.col("status") == "ok"
        table = replies.group_by("model").agg(pl.col("share").mean(), strict=strict.mean(), responds=responds.mean(), n=pl.len())
        found[part] = table.sort("share", descending=True)
        assert table["n"].unique().to_list() == [50]
    return found


def of(table, column):
    return {model: round(value, 3) for model, value in table.select("model", column).iter_rows()}


def test_mean_entailment_of_refchecker_without_context(shares):
    mean = of(shares["zero_context"], "share")
    assert [mean[model] for model in ("gpt4", "chatgpt", "claude2")] == [0.669, 0.533, 0.337]
    responds = of(shares["zero_context"], "responds")
    assert [responds[model] for model in ("gpt4", "chatgpt", "claude2", "llama2_70b_chat", "alpaca_7B")] == [1.0, 1.0, 0.78, 0.94, 0.68]


def test_strict_gives_another_order_than_mean_entailment(shares):
    table = shares["zero_context"]
    assert table["model"].to_list() == ["gpt4", "chatgpt", "claude2", "falcon_40B_instruct", "llama2_70b_chat", "alpaca_7B", "davinci001"]
    strict = of(table, "strict")
    assert [strict[model] for model in table["model"]] == [0.52, 0.38, 0.04, 0.1, 0.02, 0.06, 0.06]  # of 50: 26, 19, 2, 5, 1, 3, 3


def test_the_settings_have_winners_of_their_own(shares):
    assert {part: table["model"][0] for part, table in shares.items()} == {
        "zero_context": "gpt4",
        "noisy_context": "gpt4",
        "accurate_context": "chatgpt",
    }
    assert [round(table["share"][0], 3) for table in shares.values()] == [0.669, 0.905, 0.974]
