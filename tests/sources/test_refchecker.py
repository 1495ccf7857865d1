"""RefChecker's file: tiny rows, and the published one."""

import polars as pl
import pytest

from tests.sources.label_tables import cells, labels_made, tiny_item, tiny_sample
from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.sources import read_source


def row(*labels, model="gpt4", setting="zero_context", **more):
    claims = [
        {"triplet": [f"Varn {index}", "lies in", "the north."], "human_label": label}
        for index, label in enumerate(labels)
    ]
    expected = {
        "setting": setting, "source": "nq", "model": model, "id": "7",
        "response": "Varn lies in the north.", "claims": claims,
    }  # fmt: skip
    return expected | more


SOUND = row("Entailment", "Neutral")


def test_a_reply_and_its_claims(put, read):
    put("claims.jsonl", [SOUND, row(model="claude2", response="I cannot say.")])
    got = read("refchecker")
    assert got.items.select("task", "question", pair("attributes", "setting")).rows() == [
        ("entity", "nq 7", "zero_context")
    ]
    replies = got.samples.filter(task="entity").sort("generator")
    assert replies.select("generator", "is_hallucinated", pair("attributes", "n_claims")).rows() == [
        ("claude2", False, "0"),
        ("gpt4", True, "2"),
    ]
    facts = got.samples.filter(task="fact").sort(pair("attributes", "place"))
    assert facts.select(
        "text", "is_hallucinated", "label_source", "generator", pair("attributes", "label")
    ).rows() == [
        ("Varn 0 lies in the north.", False, "published", "gpt4", "Entailment"),
        ("Varn 1 lies in the north.", True, "published", "gpt4", "Neutral"),
    ]
    assert facts.select(pair("attributes", "generation")).to_series().unique().to_list() == [
        replies["sample_id"][1]
    ]
    assert got.card["redistribution"] == "yes" and got.card["counts"]["n_without_claims"] == 1


def test_a_claim_said_twice_is_two_samples(put, read):
    twice = row("Entailment", "Entailment")
    twice["claims"][1] = twice["claims"][0]
    put("claims.jsonl", [twice])
    assert (
        read("refchecker").samples.filter(task="fact")["text"].to_list() == ["Varn 0 lies in the north."] * 2
    )


def test_settings_are_never_pooled(put, tmp_path):
    put("claims.jsonl", [SOUND, row("Neutral", setting="noisy_context")])

    def read(part):
        return read_source("x", Source(reader="refchecker", path=".", part=part), tmp_path, "stop")

    with pytest.raises(
        TruerateError,
        match="holds several settings, which are never pooled; name one as `part`: noisy_context, zero_context",
    ):
        read(None)
    with pytest.raises(
        TruerateError,
        match="part 'zero' is not known; allowed: accurate_context, noisy_context, zero_context",
    ):
        read("zero")
    with pytest.raises(
        TruerateError,
        match="no reply of part 'accurate_context'; settings in it: noisy_context, zero_context",
    ):
        read("accurate_context")
    assert read("noisy_context").samples["is_hallucinated"].to_list() == [True, True]


def test_the_published_file(public):
    folder = public("refchecker", "claims.jsonl")
    results = {}
    for part in ("zero_context", "noisy_context", "accurate_context"):
        got = read_source("r", Source(reader="refchecker", path=str(folder), part=part), folder, "stop")
        assert got.items.height == 50 and got.rejects.is_empty() and got.samples["generator"].n_unique() == 7
        assert got.samples.filter(task="entity").height == 350
        results[part] = [
            got.card["counts"][name]
            for name in ("n_entailment", "n_neutral", "n_contradiction", "n_without_claims")
        ]
    assert results == {
        "zero_context": [453, 976, 218, 47],
        "noisy_context": [1400, 213, 118, 37],
        "accurate_context": [1511, 193, 62, 15],
    }
    assert sum(sum(counts[:3]) for counts in results.values()) == 5144  # claims in all
    assert pl.Series([counts[3] for counts in results.values()]).sum() == 99


def test_claims_of_refchecker_keep_their_three_labels():
    labels = labels_made(
        "refchecker",
        [
            tiny_sample("r1", "entity", n_claims=1),
            tiny_sample("c1", "fact", label="Neutral", place=0, is_hallucinated=True),
            tiny_sample("r2", "entity", item_id="i2", n_claims=0),
        ],
        [tiny_item("i1"), tiny_item("i2")],
    )
    assert cells(labels, "question", "unit_id", "label", "gives") == [
        ("claim", "i1", "Neutral", 0.0),
        ("has claims", "i1", "yes", None),
        ("has claims", "i2", "no", None),
    ]
