"""A source's own samples, what detectors learn from and judge, and what people are given to label."""

from collections import Counter

import polars as pl

from truerate.core.schemas import SPANS, Generation, Sample, frame
from truerate.llm.generation import facts
from truerate.tracks.asking import TEXT
from truerate.tracks.halludial import dataset, silver
from truerate.tracks.halludial.judging import Judged
from truerate.tracks.halludial.settings import Labelling

from .rows_by_hand import annotated, context, response, settings, tables

CONTEXTS = {"i0": context()}
ITEMS, _ = tables(1, 1)


def sample(name: str, split: str = "test", label_source: str = "silver", **columns) -> dict:
    (entry,), _ = silver.samples([response(name), annotated(name)], CONTEXTS, settings())
    attributes = [{"key": key, "value": value} for key, value in columns.items()]
    more = {"label_source": label_source, "group_id": f"g-{split}", "attributes": attributes}
    return entry | {"split": split} | more


def test_a_sources_samples_are_natural_where_it_names_no_scenario():
    published = frame(Sample, [sample("a"), sample("b", scenario="induced")])
    actual = dataset.source_samples(published, ITEMS, settings())
    assert [facts(row)["scenario"] for row in actual.to_dicts()] == ["natural", "induced"]


def test_what_people_labelled_is_tested_on_and_other_samples_keep_their_side():
    rows = [sample("a", "train", "gold"), sample("b", "train", "published"), sample("c", "test", "published")]
    actual = dataset.source_samples(frame(Sample, rows), ITEMS, settings())
    assert actual["split"].to_list() == ["test", "train", "test"]


def test_detectors_learn_from_the_train_dialogues_and_judge_the_others():
    people = [sample("c", "train", "gold"), sample("d", "test", "gold", generation="r")]
    samples = frame(Sample, [sample("a", "train"), sample("b"), *people])
    changes = {"r": {}, "b": {}, "t": {"split": "train"}, "s": {"history": "self"}, "x": {"status": "dead"}}
    responses = [response(name, **attributes) for name, attributes in changes.items()]
    assert dataset.training(samples)["target_id"].to_list() == ["a"]
    targets = dataset.targets(samples, frame(Generation, responses))
    # `c` is of a dialogue that was learned from; a label of `r` is compared with the judgement of `r`
    assert targets["target_id"].to_list() == ["b", "r", "s"]
    texts = dict.fromkeys(("target_id", *TEXT[:-1]), pl.String)
    assert targets.schema == {**texts, "spans": SPANS, "is_hallucinated": pl.Boolean}
    assert targets.schema == dataset.training(samples).schema


def test_whole_conversations_are_labelled_evenly_over_the_responders():
    rows = [
        response(f"{model}{group}{turn}", model=model, group_id=group, turn=str(turn))
        for model in ("a", "b")
        for group in ("g0", "g1", "g2")
        for turn in range(3)
    ]
    assert Counter(row["model"] for row in dataset.natural_responses(rows, 4, 7)) == {"a": 6, "b": 6}
    few, more = ({row["generation_id"] for row in dataset.natural_responses(rows, n, 7)} for n in (2, 4))
    assert few < more and len(few) == 6


def test_tasks_say_who_gets_them_and_nothing_of_a_verdict_but_the_evaluation():
    judged = Judged("j", "model", "i0", "It is Porto.", "No. Fine.", False)
    rules = Labelling(n_annotators=2, screening_agreement=0.6)
    natural, meta = dataset.annotation_tasks([response("a")], [judged], CONTEXTS, rules)
    assert (natural["kind"], natural["task_id"], natural["response"]) == ("natural", "a", "It is Lisbon.")
    assert (meta["kind"], meta["evaluation"], meta["response"]) == ("meta", "No. Fine.", "It is Porto.")
    assert natural["annotators"] == ["annotator-1", "annotator-2"]
    assert "evaluation" not in natural and "verdict" not in natural
