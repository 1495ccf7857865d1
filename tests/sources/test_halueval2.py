"""HaluEval 2.0 in its documented layout, on a made-up set: people and a judge on the same facts; `unknown` is
an outcome.
"""

import json

import polars as pl
import pytest

from truerate.core.schemas import pair
from truerate.sources.papers.halueval import DECIDED, JUDGE, MODEL, PEOPLE
from truerate.tracks.wildhallucinations.dataset import ready


def reply(n, facts, **more):
    return {"id": n, "user_query": f"q{n}?", "chatgpt_response": f"Reply {n}.", "chatgpt_fact": facts} | more


@pytest.fixture
def files(put):
    def write(people, judged, domain="Finance"):
        put(f"{PEOPLE}/{domain}.json", json.dumps(people))
        put(f"{MODEL}/{domain}.json", json.dumps(judged))

    return write


def test_people_and_judge_stand_side_by_side(files, read, reasons):
    facts = ["A is.", "B is.", "C is."]
    files(
        [reply(1, facts, human_judge=["true", "false", False]), reply(2, ["D is."], human_judge=[])],
        [
            reply(1, facts, chatgpt_judge=["true", "unknown", "false, [corrected fact]: C was."]),
            reply(2, ["D is."], chatgpt_judge=["true"]),
        ],
    )
    got = read("halueval2")
    ours = ready(got)
    assert reasons(got) == [(2, "unlabelled")] and ours.facts["text"].to_list() == facts
    words = {
        judge: ours.facts.join(rows, left_on="fact_id", right_on="target_id")["verdict"].to_list()
        for (judge,), rows in ours.judgements.group_by("judge")
    }
    assert words == {
        "human": [False, True, True],  # true: not supported
        JUDGE: [False, None, True],
        DECIDED: [False, True, True],
    }
    counts = got.card["counts"]
    assert counts["n_people_false_judge_unknown"] == counts["n_people_true_judge_true"] == 1
    assert got.items.select(pair("attributes", "domain")).item() == "Finance"


def test_without_the_judge_people_s_labels_stand(put, read):
    put(f"{PEOPLE}/Science.json", json.dumps([reply(1, ["A is."], human_judge=["false"])]))
    got = read("halueval2")
    assert got.judgements.is_empty() and got.samples.filter(pl.col("task") == "fact")[
        "is_hallucinated"
    ].to_list() == [True]
