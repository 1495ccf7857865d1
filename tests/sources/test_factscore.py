"""FActScore's labelled biographies: which facts count, who says that a reply answers, and the published
scores.
"""

import json
import os
from pathlib import Path

import polars as pl
import pytest

from truerate.config import Source
from truerate.core.schemas import pair
from truerate.sources.reading import read_source
from truerate.tracks.wildhallucinations.dataset import ready

CLONES = Path(
    os.environ.get("TRUERATE_CLONES") or Path(__file__).parents[2] / ".." / "shared" / "data_original"
)
FOLDER = "third_party/factscore/labeled_data"


def sentence(*facts, model=()):
    people = [{"text": text, "label": label} for text, label in facts] or None
    return {
        "text": "A sentence.",
        "is-relevant": people is not None,
        "human-atomic-facts": people,
        "model-atomic-facts": [{"text": text} for text in model],
    }


def person(topic, annotations, output="A reply."):
    return {"input": f"Question: Tell me a bio of {topic}.", "output": output, "topic": topic} | {
        "cat": ["rare", "Asia/Pacific"],
        "annotations": annotations,
    }


def test_facts_of_irrelevant_sentences_count_and_people_say_who_answers(put, read):
    answered = person(
        "Ana",
        [sentence(("Ana is.", "S"), ("Ana was.", "IR")), sentence(model=["Bo is."]), sentence(("x", "NS"))],
    )
    put(
        f"{FOLDER}/Sys.jsonl",
        "".join(json.dumps(entry) + "\n" for entry in (answered, person("Bo", None, ""))),
    )
    put("longfact/longfact-objects_x/longfact-objects_a.jsonl", '{"prompt": "p"}\n')
    got = read("factscore")
    facts = got.samples.filter(task="fact").sort(pair("attributes", "place"))
    labels = facts.select("text", "is_hallucinated", pair("attributes", "label")).rows()
    assert labels == [
        ("Ana is.", False, "supported"),
        ("Ana was.", True, "irrelevant"),
        ("Bo is.", True, "in an irrelevant sentence"),
        ("x", True, "not supported"),
    ]
    replies = ready(got).generations.sort("status")
    assert replies.select("status", "reason").rows() == [("abstained", "people"), ("ok", None)]
    assert (
        got.items.select(pair("attributes", "rarity_group"), pair("attributes", "region")).rows()
        == [("rare", "Asia/Pacific")] * 2
    )


def test_a_file_that_is_another_s_copy_is_no_system(put, read):
    answer = [person("Ada", [sentence(("She lived.", "S"))])]
    for name in ("ChatGPT (1)", "ChatGPT"):
        put(f"labeled_data/{name}.jsonl", answer)
    got = read("factscore")
    assert set(got.samples["generator"]) == {"ChatGPT"}
    assert got.rejects.select("reason", "detail").rows() == [
        ("duplicate", "the file is labeled_data/ChatGPT.jsonl again, byte for byte")
    ]


def test_published_scores():
    folder = CLONES / "google-deepmind__long-form-factuality"
    if not (folder / FOLDER).is_dir():
        pytest.skip(f"no {folder / FOLDER}; name the folder of clones in TRUERATE_CLONES")
    got = read_source("x", Source(reader="factscore", path=str(folder)), folder, "stop")
    ours = ready(got)
    # people's labels: 2,100 + 3,194 + 4,812 supported of 16,040; 1,043 facts stand in irrelevant sentences
    assert (ours.facts.height, got.card["counts"]["n_supported"]) == (16040 + 1043, 10106)
    verdicts = ours.judgements.select(fact_id="target_id", is_supported=~pl.col("verdict"))
    by_reply = ours.facts.join(verdicts, on="fact_id").group_by("generation_id", "subject")
    scores = (
        by_reply.agg(pl.col("is_supported").mean()).group_by("subject").agg(pl.col("is_supported").mean())
    )
    # table 1 of the paper prints 42.5, 58.3, 71.5
    assert {subject: round(100 * score, 2) for subject, score in scores.rows()} == {
        "InstructGPT": 42.58,
        "ChatGPT": 58.28,
        "PerplexityAI": 71.62,
    }
    responding = ours.generations.group_by("model").agg((pl.col("status") == "ok").sum())
    assert dict(responding.rows()) == {"InstructGPT": 182, "ChatGPT": 157, "PerplexityAI": 166}  # of 183


def test_the_card_says_what_peoples_labels_leave_open(tmp_path):
    from truerate.sources.cards import published_card
    from truerate.sources.collection import Collection

    answer = (
        Collection(tmp_path, name="x", on_bad_row="stop", card=published_card("factscore"))
        .tables()
        .card["caveats"]
    )
    assert answer == published_card("factscore")["caveats"] and any(
        "two labellers" in entry for entry in answer
    )
