"""Factcheck-GPT's file: tiny rows, and the published one."""

import polars as pl
import pytest

from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.detectors.evidence import with_evidence
from truerate.sources.reading import read_source


def sentence(*claims, **change):
    """A sentence with parallel lists: each claim is (text, label, passages)."""
    n = len(claims)
    return {
        "claims": [text for text, *_ in claims],
        "claims_factuality_label": [label for _, label, _ in claims],
        "auto_evidence": [passages for *_, passages in claims],
        "auto_evidence_url": [
            ["https://en.wikipedia.org/wiki/Varn"] * len(passages) for *_, passages in claims
        ],
        "claim_checkworthiness": ["factual"] * n,
        "if_automatic_evidence_enough_to_verify": ["yes"] * n,
    } | change


def row(*sentences, number=0):
    return {
        "row": number,
        "prompt": f"What is Varn {number}?",
        "response": "A town.",
        "sentences": list(sentences),
    }


SOUND = row(
    sentence(("Varn is a town.", True, ["Varn is a town.", "It has a wall."])),
    sentence(("Varn has a sea.", False, ["It has a wall."])),
)


def test_claims_with_passages_of_their_own(put, read):
    put("responses.jsonl", [SOUND])
    got = read("factcheckgpt")
    assert got.items.select("task", "question", pl.col("document_ids").list.len()).rows() == [
        ("entity", "What is Varn 0?", 2)
    ]
    facts = got.samples.sort(pair("attributes", "place"))
    assert facts.select(
        "task", "text", "is_hallucinated", "generator", pair("attributes", "sentence")
    ).rows() == [
        ("fact", "Varn is a town.", False, "ChatGPT", "0"),
        ("fact", "Varn has a sea.", True, "ChatGPT", "1"),
    ]
    blank = pl.DataFrame(schema=dict.fromkeys(("item_id", "knowledge", "question", "history"), pl.String))
    expected = with_evidence(blank, facts, got.documents)
    assert expected["knowledge"].to_list() == ["Varn is a town.\n\nIt has a wall.", "It has a wall."]
    assert got.documents["is_wikipedia"].all() and got.documents["url"].n_unique() == 1


@pytest.mark.parametrize("label", [None, float("nan"), "ture", "", 1, ["true"]])
def test_a_label_that_is_none_of_the_three_is_not_unlabelled(put, read, label):
    put("responses.jsonl", [row(sentence(("one", True, []), ("two", label, [])))])
    with pytest.raises(
        TruerateError,
        match="responses.jsonl row 1: field 'claims_factuality_label' holds .*allowed: true, false, unknown",
    ):
        read("factcheckgpt")
    got = read("factcheckgpt", "reject")
    assert got.rejects.select("target_id", "reason").rows() == [("0/1", "unknown-label")] and got.samples[
        "text"
    ].to_list() == ["one"]
    assert got.card["counts"]["n_unknown"] == 0


def test_the_published_file(public):
    folder = public("factcheckgpt", "responses.jsonl")
    got = read_source("f", Source(reader="factcheckgpt", path=str(folder)), folder, "stop")
    assert (got.items.height, got.samples.height, got.samples["is_hallucinated"].sum()) == (47, 320, 76)
    assert got.rejects["reason"].to_list() == ["unlabelled"] * 23  # 343 claims in all
    named = got.samples.select(pair("attributes", "evidence")).to_series()
    assert named.str.split(" ").list.len().unique().to_list() == [5] and got.documents.height == 1261
