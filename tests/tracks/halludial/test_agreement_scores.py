"""Silver against gold, and what is said of judgements, by hand."""

import pytest

from truerate.core.schemas import Generation, Item, Judgement, Sample, frame
from truerate.tracks.halludial.labels import (
    meta_agreement,
    meta_ratings,
    score_human,
    score_meta,
    score_silver,
)

from .made_scores import WRITER, item, judgement, reply, sample, span, values

# silver: yes yes no no; people: yes no no yes
SILVER = [sample(f"r{n}", n < 2, spans=[span(0, 4)] if n < 2 else []) for n in range(4)]
PEOPLE = {"scenario": "natural", "label_source": "gold"}
MARKED = [[span(2, 8)], [], [], []]
GOLD = [
    sample(f"gold-{n}", n in (0, 3), spans=spans, more={"generation": f"r{n}"}, **PEOPLE)
    for n, spans in enumerate(MARKED)
]


def test_the_annotator_against_people():
    actual = values(score_silver(frame(Sample, [*SILVER, *GOLD]), "quill", WRITER))
    assert actual["annotator_accuracy"] == (2 / 4, 4)
    assert actual["annotator_tpr"] == (1 / 2, 2) and actual["annotator_tnr"] == (1 / 2, 2)
    assert actual["annotator_kappa"][0] == 0  # half agree, and half would by chance
    # r0: people 2 to 8, silver 0 to 4, both 2: 2·2 / (6 + 4); where one marks nothing the place is no matter
    assert actual["annotator_span_f1"] == (pytest.approx(4 / 10), 1)


def test_nobody_labelled():
    assert score_silver(frame(Sample, SILVER), "quill", WRITER) == []


def meta(name: str, accurate: str | None, **more: str) -> dict:
    columns = {"target": name, "judge": "judge", "accurate": accurate, **more}
    return reply(f"meta-{name}-{sorted(more)}", "i", "aster", "meta", more=columns)


def test_accuracy_of_judgements_by_what_they_say():
    actual = [
        judgement(name, name.startswith("yes"), judgement_id=name)
        for name in ("yes-1", "yes-2", "no-1", "no-2")
    ]
    rows = [meta("yes-1", "yes"), meta("yes-2", "no"), meta("no-1", "yes"), meta("no-2", None)]
    rows.append(meta("yes-1", "no", reasked="yes"))  # a reply beside which another stands
    tables = frame(Generation, rows), frame(Judgement, actual), frame(Item, [item("i", "g")])
    result = score_meta(*tables, WRITER)
    assert {row["subject"] for row in result} == {"judge"}
    whole = values(result, over="all")
    assert whole["meta_accuracy"] == (pytest.approx(2 / 3, abs=1e-6), 3) and whole["meta_unparsed_rate"] == (
        1 / 4,
        4,
    )
    assert values(result, over="positives")["meta_accuracy"] == (1 / 2, 2)
    assert values(result, over="negatives")["meta_accuracy"] == (1, 1)


def test_judgements_that_most_people_call_accurate():
    """Of three that say Yes people call one accurate (2 of 2), one not (0 of 2) and tie on one, which the
    meta-judge decides; the one that says No has 1 of 1.
    """
    actual = [judgement(name, name[0] == "y", judgement_id=name) for name in ("y1", "y2", "y3", "n1")]
    people = {
        "a": {"y1": True, "y2": False, "y3": True, "n1": True},
        "b": {"y1": True, "y2": False, "y3": False},
    }
    groups = {name: name for name in people["a"]}
    result = score_human(frame(Judgement, actual), people, {"aster": {"y3": True}}, groups, WRITER)
    for raters, over, expected in (
        ("people", "all", (2 / 3, 3)),
        ("people", "positives", (1 / 2, 2)),
        ("people", "negatives", (1, 1)),
        ("model-people", "positives", (2 / 3, 3)),
    ):
        value, n = values(result, over=over, raters=raters)["human_accuracy"]
        assert (value, n) == (pytest.approx(expected[0], abs=1e-6), expected[1])
    assert score_human(frame(Judgement, actual), {}, {}, {}, WRITER) == []


def test_kappa_of_each_pair_of_raters():
    groups = {name: name for name in "abcd"}
    model = {"a": True, "b": True, "c": False, "d": False}
    people = {
        "ann": {"a": True, "b": True, "c": False, "d": False},
        "ben": {"a": True, "b": False},
        "cyn": {},
    }
    result = meta_agreement({"aster": model}, people, groups, WRITER)
    actual = {(row["subject"], *(entry["value"] for entry in row["slice"])): row["value"] for row in result}
    assert actual["aster", "model-people", "ann"] == 1
    # aster: yes yes, ben: yes no: observed 1/2, by chance 1/2
    assert actual["aster", "model-people", "ben"] == 0 == actual["ann", "people", "ben"]
    assert len(actual) == 3  # cyn shares none


def test_ratings_of_the_meta_judge_are_those_that_were_read():
    rows = [meta("yes-1", "yes"), meta("no-1", "no"), meta("no-2", None), meta("yes-1", "no", reasked="yes")]
    assert meta_ratings(frame(Generation, rows)) == {"aster": {"yes-1": True, "no-1": False}}
    assert meta_ratings(frame(Generation)) == {}
