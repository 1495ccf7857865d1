"""Labels back in: which rows hold, majorities, agreement, entities."""

from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, Reject, Sample, Score, pairs, validate
from truerate.tracks.wildhallucinations import labels
from truerate.tracks.wildhallucinations.dataset import LABELLED_COLUMNS

from .made_facts import At, Params, by_key, facts, item, reply, tables

MADE = tables(
    [item("x"), item("y")], [reply("a", "x"), reply("a", "y")], [facts("a", "x", "-+"), facts("a", "y", "+")]
)


def task(
    kind: str, name: str, item_id: str = "x", verdict: str | None = "unsupported", weight: float = 2.0
) -> dict:
    values = {"task_id": f"{kind}-{name}", "kind": kind}
    values |= {"fact_id": None if kind == "entity" else f"a-{item_id}-{name}", "item_id": item_id}
    shown = {"text": "a fact", "subject": "a", "entity": item_id, "passages": []}
    return values | shown | {"verdict": verdict, "weight": weight}


TASKS = [
    task("fact", "0"),
    task("fact", "1", verdict="supported"),
    task("review", "0"),
    task("entity", "x", verdict=None),
    task("entity", "y", "y", verdict=None),
]


def labels_of(task_id: str, **by) -> list[dict]:
    return [{"task_id": task_id, "labeller": who, "label": value} for who, value in by.items()]


ROWS = [
    *labels_of("fact-0", ann="unsupported", ben="unsupported", cleo="supported"),
    *labels_of("fact-1", ann="Supported ", ben="unsupported"),
    *labels_of("review-0", ann="generation"),
    *labels_of("entity-x", ann={"unambiguous": True, "relevant": 3, "pages": 4}),
    *labels_of("entity-x", ben='{"unambiguous": false, "relevant": 2, "pages": 4}'),
    *labels_of("entity-y", ann={"unambiguous": True, "relevant": 1, "pages": 1}),
]


def labelled(rows=ROWS, on_bad_row="stop", tasks=TASKS, data_set=MADE):
    at = At(replace(Params(), on_bad_row=on_bad_row))
    numbered = [(number, row, "labels.jsonl") for number, row in enumerate(rows, start=1)]
    result = labels.label(
        at, "board", SimpleNamespace(), data_set, tasks, numbered, where="labels.jsonl", inputs="digest"
    )
    for model, name in (
        (Sample, "samples"),
        (Judgement, "judgements"),
        (Reject, "rejects"),
        (Score, "scores"),
    ):
        validate(model, getattr(result, name), where=name)
    return result


def test_the_majority_makes_the_sample():
    (row,) = labelled().samples.to_dicts()
    assert row["sample_id"] == "a-x-0"
    assert row["is_hallucinated"]
    assert row["task"] == "fact"
    assert row["label_source"] == "gold"
    assert row["generator"] == "a" and row["item_id"] == row["group_id"] == "x"
    assert row["attributes"] == pairs(
        fact="a-x-0", weight=2.0, n_labels=3, n_unsupported=2, evidence="page:0-4"
    )


def test_rows_as_they_are_read_make_the_same_and_hold_the_evidence_of_what_was_given_alone():
    read = {
        table: labels.labelled(table, MADE[table].select(columns), tasks=TASKS)
        for table, columns in LABELLED_COLUMNS.items()
    }
    less, more = labelled(data_set=read), labelled()
    for name in ("samples", "judgements", "rejects", "scores"):
        assert getattr(less, name).equals(getattr(more, name)), name
    given = read["facts"].filter(pl.col("evidence").list.len() > 0)["fact_id"].to_list()
    assert given == ["a-x-0", "a-x-1"] and read["facts"].height == MADE["facts"].height == 3


def test_ties_are_counted_apart():
    result = labelled()
    assert result.rejects.select("target_id", "reason").rows() == [("fact-1", "tie")]
    assert by_key(result.scores)["tie_rate", "annotators", "fact"]["value"] == 0.5


def test_tasks_that_nobody_labelled_are_rejects():
    result = labelled(ROWS[:3])
    assert dict(result.rejects.select("target_id", "reason").iter_rows())["review-0"] == "no_labels"
    nothing = labelled([])
    assert nothing.rejects.is_empty() and nothing.scores.is_empty() and nothing.samples.is_empty()


def test_every_label_is_a_judgement():
    result = {
        (row["judge"], row["target_id"], row["attributes"][0]["value"]): row["verdict"]
        for row in labelled().judgements.to_dicts()
    }
    assert result["cleo", "a-x-0", "fact"] is False and result["ann", "a-x-0", "fact"] is True
    assert result["ann", "a-x-0", "review"] is True  # generation: the verdict, unsupported, stands
    assert result["ben", "x", "entity"] is None and labelled().judgements.height == len(ROWS)


def test_entities():
    # x: one of two says unambiguous (counts half), y: yes; pages: (2.5 + 1) of (4 + 1)
    result = by_key(labelled().scores)
    assert result["entity_unambiguous_rate", "entities"]["value"] == 0.75
    assert result["page_relevant_rate", "entities"]["value"] == pytest.approx(3.5 / 5)
    assert result["page_relevant_rate", "entities"]["n"] == 5


BAD = {
    "unreadable": "not a row",
    "missing_field": {"task_id": "fact-0", "labeller": "ann"},
    "unknown_task": {"task_id": "gone", "labeller": "ann", "label": "supported"},
    "unknown_label": {"task_id": "fact-0", "labeller": "ann", "label": "maybe"},
    "bad_counts": labels_of("entity-x", ann={"unambiguous": True, "relevant": 5, "pages": 4})[0],
}


@pytest.mark.parametrize("reason", [*BAD, "duplicate"])
def test_a_bad_row_is_one_line_or_a_reject(reason):
    rows = [BAD[reason]] if reason in BAD else [ROWS[0], ROWS[0]]
    with pytest.raises(
        TruerateError,
        match=rf"labels 'labels.jsonl' row {len(rows)}: .*; correct it or set on_bad_row: reject",
    ) as caught:
        labelled(rows)
    assert "\n" not in str(caught.value)
    assert reason in labelled(rows, "reject").rejects["reason"].to_list()


@pytest.mark.parametrize(
    "label", ["{", "[]", '{"unambiguous": "yes", "relevant": 1, "pages": 1}', 3, {"unambiguous": 1}]
)
def test_labels_of_entities_that_do_not_hold(label):
    with pytest.raises(TruerateError, match="it must hold unambiguous"):
        labelled(labels_of("entity-x", ann=label))


def test_a_models_own_retrieval_is_blamed_only_where_it_is_told_what_that_gave():
    rows = labels_of("review-0", ann="model-retrieval")
    with pytest.raises(TruerateError, match="label is 'model-retrieval'; allowed: retrieval, entailment, "):
        labelled(rows)
    given = [
        given_task | {"retrieved": ["https://a.example"]} if given_task["kind"] == "review" else given_task
        for given_task in TASKS
    ]
    result = labelled(rows, tasks=given)
    rates = by_key(result.scores)
    assert rates["error_rate", "a", "model-retrieval", "unsupported"]["value"] == 1
    assert rates["error_rate", "a", "retrieval", "unsupported"]["value"] == 0
    assert result.judgements["verdict"].to_list() == [True]  # not supported, as the verifier said
    assert not [key for key in by_key(labelled().scores) if "model-retrieval" in key]


def test_whole_replies_are_judged_and_correct_strict():
    whole = task("reply", "r", verdict="unsupported") | {"fact_id": None, "generation_id": "a-x"}
    rows = labels_of("reply-r", ann="unsupported", ben="Supported", cleo="unsupported")
    result = labelled(rows, tasks=[whole])
    assert result.samples.is_empty()  # no text of its own: what detectors learn from stays the same
    assert sorted(result.judgements["target_id"]) == ["a-x"] * 3
    assert sorted(result.judgements["verdict"]) == [False, True, True]
    (tie_rate,) = result.scores.filter(metric="tie_rate").iter_rows(named=True)
    assert tie_rate["slice"] == pairs(kind="reply") and tie_rate["value"] == 0
