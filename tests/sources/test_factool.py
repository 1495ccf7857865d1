"""FacTool's file: tiny rows, and the published one."""

import pytest

from truerate.config import Source
from truerate.sources import read_source


def row(number=0, **change):
    claims = [{"claim": "Varn is a town.", "label": True}, {"claim": "Varn has a sea.", "label": False}]
    return {
        "row": number,
        "prompt": f"What is Varn {number}?",
        "response": "A town.",
        "claims": claims,
        "label": False,
    } | change


def test_claims_without_evidence(put, read):
    put("knowledge_qa.jsonl", [row()])
    got = read("factool")
    assert (
        got.items.select("task", "question").rows() == [("entity", "What is Varn 0?")]
        and got.documents.is_empty()
    )
    found = (
        got.samples.select("task", "text", "is_hallucinated", "label_source", "generator").sort("text").rows()
    )
    assert found == [
        ("fact", "Varn has a sea.", True, "published", "ChatGPT"),
        ("fact", "Varn is a town.", False, "published", "ChatGPT"),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"label": True}, "contradiction"),
        ({"label": "no"}, "wrong-type"),
        ({"claims": [{"claim": "", "label": False}]}, "empty-field"),
        ({"claims": [{"claim": "Varn.", "label": None}]}, "missing-field"),
        ({"claims": ["Varn."]}, "wrong-type"),
        ({"prompt": None}, "missing-field"),
    ],
)
def test_factool_rejects(put, read, reasons, change, reason):
    put("knowledge_qa.jsonl", [row(), row(1, **change)])
    got = read("factool", "reject")
    assert reasons(got) == [(2, reason)] and got.samples.height == 2


def test_the_published_file(public):
    folder = public("factool", "knowledge_qa.jsonl")
    got = read_source("f", Source(reader="factool", path=str(folder)), folder, "stop")
    assert (
        got.items.height,
        got.samples.height,
        got.samples["is_hallucinated"].sum(),
        got.rejects.height,
    ) == (50, 233, 56, 0)
