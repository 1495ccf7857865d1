"""Replies that a source brings: tiny ones by hand, and what RefChecker's labels give."""

import os
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from truerate.config import Source
from truerate.core.schemas import Fact, Generation, Judgement, Sample, frame, pair, validate
from truerate.sources.collection import Collection
from truerate.sources.reading import read_source
from truerate.tracks.wildhallucinations.dataset import ready
from truerate.tracks.wildhallucinations.scores import score

from .made_facts import At, by_key

DATA = Path(os.environ.get("TRUERATE_DATA") or Path(__file__).parents[3] / ".." / "shared" / "data")
CARD = {"name": "x", "licence": "x", "redistribution": "no"}
SETTINGS = ("zero_context", "noisy_context", "accurate_context")


def collected(folder, *texts):
    """A collection of one prompt, with replies (text, number of claims, model), and the last of them."""
    collection = Collection(folder, name="x", on_bad_row="stop", card=CARD)
    item, row = collection.item("entity", group=("a",), question="Varn"), {}
    for text, n_claims, model in texts:
        values = {"n_claims": n_claims, "label_source": "published", "generator": model}
        row = collection.sample(item, text, is_hallucinated=n_claims > 0, **values)
    return collection, item, row


@pytest.fixture
def tables(tmp_path):
    """Two models on one prompt: one says three things, of which two are true and one is said twice; one
    refuses.
    """
    replies = ("I'm sorry, I do not know Varn.", 0, "refuser"), ("A town. A sea. The town.", 3, "talker")
    collection, item, reply = collected(tmp_path, *replies)
    fact = {"task": "fact", "label_source": "published", "generator": "talker"}
    for position, text, is_wrong in (
        (2, "It is the town.", False),
        (1, "It has a sea.", True),
        (0, "It is a town.", False),
    ):
        values = {"place": position, "generation": reply["sample_id"], "label": "so"}
        collection.sample(item, text, is_hallucinated=is_wrong, **fact, **values)
    collection.sample(item, "Varn is old.", is_hallucinated=False, place=0, **fact)
    return collection.tables()


def test_replies_facts_and_verdicts_as_the_track_makes_them(tables):
    brought = ready(tables)
    for model, data in (
        (Generation, brought.generations),
        (Fact, brought.facts),
        (Judgement, brought.judgements),
    ):
        validate(model, data, where="here")
    replies = brought.generations.sort("model")
    assert replies.select(
        "purpose", "model", "status", "reason", pair("attributes", "abstained_paper")
    ).rows() == [
        ("generate", "refuser", "abstained", "measured-rule", "true"),
        ("generate", "talker", "ok", None, "false"),
    ]
    assert brought.facts.select("text", "subject", "sentence_index", "is_duplicate").rows() == [
        ("It is a town.", "talker", 0, False),
        ("It has a sea.", "talker", 1, False),
        ("It is the town.", "talker", 2, True),
    ]
    assert brought.facts["generation_id"].unique().to_list() == [replies["generation_id"][1]]
    verdicts = brought.facts.join(
        brought.judgements, left_on="fact_id", right_on="target_id", maintain_order="left"
    )
    assert verdicts.select("judge", "verdict", pair("attributes", "label")).rows() == [
        ("human", False, "so"),
        ("human", True, "so"),
        ("human", False, "so"),
    ]


@pytest.mark.parametrize(
    ("text", "n_claims", "rule", "expected"),
    [
        ("I'm sorry, I do not know Varn.", 0, "measured", ("abstained", "measured-rule", "true", "true")),
        ("Varn has a sea, a port and a lighthouse.", 0, "measured", ("ok", None, "false", "false")),
        ("Please Please Me is an album.", 0, "measured", ("ok", None, "false", "true")),
        ("Please Please Me is an album.", 0, "paper", ("abstained", "paper-rule", "false", "true")),
        ("I do not know Varn.", 2, "measured", ("ok", None, "false", "true")),
    ],
    ids=["refusal", "claims were not taken out", "album", "album by the paper's rule", "people found claims"],
)
def test_abstention_is_what_a_reply_says_and_not_that_no_claim_was_found(
    tmp_path, text, n_claims, rule, expected
):
    collection, _, _ = collected(tmp_path, (text, n_claims, "talker"))
    rules = [pair("attributes", f"abstained_{name}").alias(name) for name in ("measured", "paper")]
    assert ready(collection.tables(), rule).generations.select("status", "reason", *rules).row(0) == expected


def test_a_board_says_of_each_state_the_same_in_every_number(tables):
    """Of talker, refuser and a lister whose claims were lost: one responds with facts, one abstains, one
    responds without a fact.
    """
    _, _, more = collected(Path(), ("- a sea\n- a port", 0, "lister"))
    samples = pl.concat([tables.samples, frame(Sample, [more | {"item_id": tables.items["item_id"][0]}])])
    brought = ready(replace(tables, samples=samples))
    given = {"items": tables.items, **brought._asdict()}
    scores, _ = score(At(), "board", **given, inputs="digest")
    rows = by_key(scores)

    def score_of(metric, *where):
        return {
            name: (rows[metric, name, *where]["value"], rows[metric, name, *where]["n"])
            for name in ("talker", "refuser", "lister")
        }

    assert score_of("responding_rate", "measured") == {"talker": (1, 1), "refuser": (0, 1), "lister": (1, 1)}
    assert score_of("n_responses") == {"talker": (1, 1), "refuser": (0, 1), "lister": (1, 1)}
    assert score_of("no_fact_rate", "all") == {"talker": (0, 1), "refuser": (None, 0), "lister": (1, 1)}
    assert score_of("wildfactscore", "raw", "all") == {
        "talker": (0.666667, 1),
        "refuser": (None, 0),
        "lister": (None, 0),
    }
    assert score_of("wildfactscore_strict", "raw", "all") == {
        "talker": (0, 1),
        "refuser": (0, 1),
        "lister": (0, 1),  # what responds without a fact is no success
    }


def test_labelled_claims_without_a_reply_measure_verifiers_alone(tables):
    brought = ready(tables)
    assert "Varn is old." in brought.samples["text"].to_list()
    assert "Varn is old." not in brought.facts["text"].to_list()
    assert brought.samples["task"].unique().to_list() == ["fact"]


# ---- published figures -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shares():
    """Per setting and model: mean entailment over answers, share of all replies whose claims are all
    entailed, share that answers.
    """
    folder = DATA / "refchecker"
    if not (folder / "claims.jsonl").is_file():
        pytest.skip(f"no refchecker/claims.jsonl under {DATA}; name the folder in TRUERATE_DATA")
    brought = {}
    for part in SETTINGS:
        collection = ready(read_source("r", Source(reader="refchecker", path=".", part=part), folder, "stop"))
        judged = collection.facts.join(collection.judgements, left_on="fact_id", right_on="target_id")
        supported = judged.group_by("generation_id").agg(share=(~pl.col("verdict")).mean())
        replies = collection.generations.join(supported, on="generation_id", how="left")
        assert set(replies.filter(pl.col("share").is_null())["status"]) <= {"abstained", "ok"}
        assert set(replies.filter(pl.col("share").is_not_null())["status"]) == {"ok"}
        strict, responds = (pl.col("share") == 1).fill_null(False), pl.col("share").is_not_null()
        table = replies.group_by("model").agg(
            pl.col("share").mean(), strict=strict.mean(), responds=responds.mean(), n=pl.len()
        )
        brought[part] = table.sort("share", descending=True)
        assert table["n"].unique().to_list() == [50]
    return brought


def test_published_figures_of_refchecker_without_context(shares):
    """Strict (of 50: 26, 19, 2, 5, 1, 3, 3) gives another order than mean entailment."""
    table = shares["zero_context"]
    by_model = {
        row["model"]: [round(row[name], 3) for name in ("share", "responds", "strict")]
        for row in table.to_dicts()
    }
    assert list(by_model.items()) == [
        ("gpt4", [0.669, 1.0, 0.52]),
        ("chatgpt", [0.533, 1.0, 0.38]),
        ("claude2", [0.337, 0.78, 0.04]),
        *(
            (name, by_model[name])
            for name in ("falcon_40B_instruct", "llama2_70b_chat", "alpaca_7B", "davinci001")
        ),
    ]
    assert [by_model[name][2] for name in list(by_model)[3:]] == [0.1, 0.02, 0.06, 0.06]
    assert [round(of["share"][0], 3) for of in shares.values()] == [0.669, 0.905, 0.974]
