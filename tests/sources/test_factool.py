"""FacTool's file: tiny rows, and the published one."""

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
    results = (
        got.samples.select("task", "text", "is_hallucinated", "label_source", "generator").sort("text").rows()
    )
    assert results == [
        ("fact", "Varn has a sea.", True, "published", "ChatGPT"),
        ("fact", "Varn is a town.", False, "published", "ChatGPT"),
    ]


def test_the_published_file(public):
    folder = public("factool", "knowledge_qa.jsonl")
    got = read_source("f", Source(reader="factool", path=str(folder)), folder, "stop")
    assert (
        got.items.height,
        got.samples.height,
        got.samples["is_hallucinated"].sum(),
        got.rejects.height,
    ) == (50, 233, 56, 0)
