"""From people's labels to gold samples, judgements, rejects and agreement."""

from types import SimpleNamespace

import pytest

from truerate.config import Statistics
from truerate.core.schemas import Generation, Judgement, Reject, Sample, Score, frame, validate
from truerate.llm.generation import facts
from truerate.tracks.halludial.dataset import annotation_tasks
from truerate.tracks.halludial.judging import Judged
from truerate.tracks.halludial.labels import label

from .made_scores import judgement
from .rows_by_hand import context, response, settings

ROWS = [response(f"r{n}", "It is Porto.", dialogue="d", turn=str(n)) for n in range(3)]
LOCATED = [judgement("r0", False, judge="model", variant="three-shot", judgement_id="j")]
JUDGED = [Judged("j", "model", "i0", "It is Porto.", "No. Fine.", False)]


def labelled(votes: dict[str, str], **changes):
    """`votes` gives, by task, what annotators a, b, c say in order: y, n, or - for nothing."""
    ours = settings(**changes)
    tasks = annotation_tasks(ROWS, JUDGED, {"i0": context()}, ours.labelling)
    rows = []
    for name, judgements in votes.items():
        for who, vote in zip("abc", judgements, strict=True):
            verdict = {"accurate" if name == "j" else "hallucination": "yes" if vote == "y" else "no"}
            spans = {"spans": [{"text": "Porto"}]} if vote == "y" and name != "j" else {}
            rows += [{"task_id": name, "annotator": who} | verdict | spans] if vote != "-" else []
    statistics = Statistics(confidence=0.95, n_bootstrap=100, alpha=0.05)
    p = SimpleNamespace(track=lambda board: ours, on_bad_row="stop", statistics=statistics, seed=7)
    dataset = {"generations": frame(Generation, ROWS), "judgements": frame(Judgement, LOCATED)}
    actual = label(SimpleNamespace(p=p), "board", None, dataset, tasks,
                  list(enumerate(rows, 1)), where="labels.jsonl", inputs="digest")  # fmt: skip
    tables = ((Sample, "samples"), (Judgement, "judgements"), (Reject, "rejects"), (Score, "scores"))
    for table, name in tables:
        validate(table, getattr(actual, name), where=name)
    return actual


def scores(actual, metric: str) -> dict:
    return {tuple(facts({"attributes": row["slice"]}).values()) or row["subject"]: row["value"]
            for row in actual.scores.to_dicts() if row["metric"] == metric}  # fmt: skip


def test_most_votes_make_gold_samples_of_the_responses():
    actual = labelled(
        {"r0": "yyn", "r1": "nnn", "j": "yyn"}, labelling={"n_annotators": 3, "screening_agreement": 0.4}
    )
    gold = {facts(row)["generation"]: row for row in actual.samples.to_dicts()}
    assert {name: row["is_hallucinated"] for name, row in gold.items()} == {"r0": True, "r1": False}
    assert [(span["start"], span["end"], span["p"]) for span in gold["r0"]["spans"]] == [(6, 11, 1.0)]
    assert facts(gold["r0"]) == {"dialogue": "d", "generation": "r0", "history": "gold", "n_labels": "3", "n_yes": "2",
                                 "scenario": "natural", "turn": "0"}  # fmt: skip
    assert gold["r0"]["label_source"] == "gold" and gold["r0"]["sample_id"] != "r0"
    assert [(row["target_id"], row["reason"]) for row in actual.rejects.to_dicts()] == [
        ("r2", "too_few_labellers")
    ]


def test_every_label_is_a_judgement_that_says_of_what_kind_it_is():
    actual = labelled({"r0": "yyy", "j": "nyy"})
    judgements = {
        (row["judge"], row["target_id"]): (row["verdict"], facts(row)["kind"])
        for row in actual.judgements.to_dicts()
    }
    assert judgements["a", "r0"] == (True, "natural") and judgements["a", "j"] == (False, "meta")


def test_who_rarely_agrees_with_the_others_is_not_heard_anywhere():
    actual = labelled({"r0": "yyn", "r1": "nny", "r2": "yyn", "j": "yyn"})
    assert ("c", "screened_out") in [(row["target_id"], row["reason"]) for row in actual.rejects.to_dicts()]
    assert {facts(row)["n_labels"] for row in actual.samples.to_dicts()} == {"2"}
    assert [row["judge"] for row in actual.judgements.to_dicts() if "heard" not in facts(row)] == ["c"] * 4
    # of a and b the other two always tie, so nobody can say; c stands against both of them thrice
    assert scores(actual, "screening_agreement") == {"a": None, "b": None, "c": 0.0}


def test_agreement_is_of_those_who_are_heard_by_kind_of_task():
    actual = labelled({"r0": "yyy", "r1": "nnn", "r2": "yyy", "j": "yyn"})
    assert scores(actual, "percent_agreement") == {("natural",): 1.0, ("meta",): pytest.approx(1 / 3)}
    assert scores(actual, "fleiss_kappa")["natural",] == 1.0
    assert scores(actual, "n_annotators_passed") == {"annotators": 3.0}
    assert set(scores(actual, "pair_span_f1")) == {("natural",)}  # no span is marked in a judgement


def test_without_labels_there_is_nothing():
    actual = labelled({})
    assert all(
        table.is_empty() for table in (actual.samples, actual.judgements, actual.rejects, actual.scores)
    )
