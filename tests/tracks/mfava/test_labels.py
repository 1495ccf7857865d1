"""Gold samples by hand: voting over tokens, screening, both settlements, agreement, published gold."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from truerate.annotation.labels import Label, Span
from truerate.core.schemas import Judgement, Reject, Sample, Score, frame, validate
from truerate.metrics.tokens import word_offsets
from truerate.tracks.mfava import labels
from truerate.tracks.mfava.settling import runs, token_types, voted

from .made_scores import At, Settings, by_key, item, judged, reply, sample, span, tables

TEXT = "one two three four five six"  # words at 0–3, 4–7, 8–13, 14–18, 19–23, 24–27
SILVER = [sample("i1", TEXT, span(0, 3), span(8, 13, "invented")), sample("i2", TEXT + " seven", span(4, 7))]
ITEMS, REPLIES = [item("i1"), item("i2"), item("w1", "wild")], [reply("w1", "small", TEXT)]
TASKS = [{"task_id": name} for name in ("silver-i1", "silver-i2", "answer-w1-small-")]


def label(task: str, who: str, *spans: dict, **more) -> dict:
    marked = [
        {key: mark[key] for key in ("start", "end", "type", "plausibility") if key in mark} for mark in spans
    ]
    return {"task_id": task, "annotator": who, "spans": marked, **more}


# i1 is shared: ann is silver's twin, ben leaves the second span out and marks `four`, cleo marks `four` and
# `two`, dan marks `six` alone. i2 is ann's own, the reply is shared by ann and ben.
ROWS = [
    label(
        "silver-i1",
        "ann",
        span(0, 3) | {"plausibility": 2},
        span(8, 13, "invented") | {"plausibility": "Likely"},
    ),
    label(
        "silver-i1", "ben", span(0, 3, "relation") | {"plausibility": 4}, span(14, 18) | {"plausibility": 1}
    ),
    label("silver-i1", "cleo", span(0, 7), span(14, 18), span(8, 13, "invented")),
    label("silver-i1", "dan", span(24, 27)),
    label("silver-i2", "ann", span(4, 7), plausibility=5),
    label("answer-w1-small-", "ann", span(0, 3)),
    label("answer-w1-small-", "ben", span(0, 7)),
]


def labelled(rows=ROWS, settle="max-voting", samples=SILVER, judgements=()):
    rules = Settings().labelling.model_copy(update={"settle": settle, "screening_agreement": 0.3})
    columns = {name: table for name, table in tables(ITEMS, samples, REPLIES).items() if name != "judgements"}
    source = SimpleNamespace(samples=frame(Sample, samples), judgements=frame(Judgement, list(judgements)))
    given = (source, columns, TASKS, list(enumerate(rows, start=1)))
    config = At(replace(Settings(), labelling=rules))
    actual = labels.label(config, "board", *given, where="labels", inputs="digest")
    models = {"samples": Sample, "judgements": Judgement, "rejects": Reject, "scores": Score}
    for name, model in models.items():
        validate(model, getattr(actual, name), where=name)
    return actual


def spans_of(actual, item_id: str) -> list[tuple]:
    (spans,) = actual.samples.filter(item_id=item_id)["spans"].to_list()
    return [tuple(mark[key] for key in ("start", "end", "type", "p")) for mark in spans]


def near(value: float):
    return pytest.approx(value, abs=1e-6)


def test_who_agrees_too_little_with_silver_does_not_count():
    # of the words that either marks, both mark: ann 2 of 2 and 1 of 1; ben 1 of 3; cleo 2 of 4; dan 0 of 3
    actual = labelled()
    scores = by_key(actual.scores)
    agreement = {key[1]: row["value"] for key, row in scores.items() if key[0] == "screening_agreement"}
    assert agreement == {"ann": 1.0, "ben": near(1 / 3), "cleo": 0.5, "dan": 0.0}
    assert actual.rejects.select("reason", "target_id").rows() == [("screened_out", "dan")]
    assert scores["n_annotators_passed", "annotators", "en"]["value"] == 3
    assert set(actual.judgements["judge"]) == set(agreement)
    alone = labelled([row for row in ROWS if row["annotator"] == "dan"])
    assert alone.samples.is_empty() and sorted(alone.rejects["reason"]) == ["no_labels"] * 3 + [
        "screened_out"
    ]


def test_shared_texts_are_settled_by_voting_over_tokens_or_as_in_the_paper():
    # one: 3 of 3, entity twice; two: 1 of 3; three: 2 of 3; four: 2 of 3
    voted_spans = [(0, 3, "entity", 1.0), (8, 13, "invented", 0.666667), (14, 18, "entity", 0.666667)]
    assert spans_of(labelled(), "i1") == voted_spans
    # the annotator closest to silver
    closest = [(0, 3, "entity", None), (8, 13, "invented", None)]
    assert spans_of(labelled(settle="closest-to-silver"), "i1") == closest


def test_own_texts_are_taken_as_they_are_and_replies_keep_soft_spans():
    actual = labelled()
    assert spans_of(actual, "i2") == [(4, 7, "entity", None)]
    assert spans_of(actual, "w1") == [(0, 3, "entity", 1.0), (4, 7, "entity", 0.5)]
    assert actual.samples.filter(item_id="w1").select("task", "generator").rows() == [("wild", "small")]
    assert set(actual.samples["label_source"]) == {"gold"}


def test_agreement_of_pairs_and_of_gold_with_silver():
    actual = by_key(labelled().scores)
    # settled by voting i1 holds `four` besides silver's two words: of 13 words 3 are silver's, 4 gold's, 3
    # both
    p_o, p_e = 12 / 13, (3 * 4 + 10 * 9) / 169
    kappa = [
        actual["silver_gold_kappa", "gold", "en", of]["value"] for of in ("max-voting", "closest-to-silver")
    ]
    assert kappa == [near((p_o - p_e) / (1 - p_e)), 1.0]
    people = ("annotators", "en")
    # i1 (6 words) and the reply (6 words): ann–ben agree on 4 + 5 of 12, ann–cleo on 4 of 6, ben–cleo on 4 of
    # 6
    assert actual["percent_agreement", *people]["value"] == near((9 / 12 + 4 / 6 + 4 / 6) / 3)
    # by type ann and ben differ on `one`, too; so do ben and cleo
    assert actual["percent_agreement_typed", *people]["value"] == near((8 / 12 + 4 / 6 + 3 / 6) / 3)
    assert actual["cohen_kappa_typed", *people]["value"] < actual["cohen_kappa", *people]["value"]


def test_the_plausibility_of_an_inserted_span_is_that_of_the_mark_on_it():
    """Ann rates both spans that silver has, 2 and 4; ben one of them, 4 (its type is silver's), what he marks besides
    is none; he overlooks the other. Cleo rates nothing and overlooks nothing that counts. I2 is rated as a whole.
    """
    scores = labelled().scores
    rates = {
        (where["type"], int(where["rating"])): (row["value"], row["n"])
        for row in scores.filter(metric="plausibility_rate").iter_rows(named=True)
        if (where := {part["key"]: part["value"] for part in row["slice"]})["lang"] == "en"
    }
    assert [rates["all", rating] for rating in range(1, 6)] == [
        (0, 3),
        (near(1 / 3), 3),
        (0, 3),
        (near(2 / 3), 3),
        (0, 3),
    ]
    assert [rates["entity", rating][0] for rating in (2, 4)] == [0.5, 0.5] and rates["invented", 4] == (1, 1)
    assert rates["passage", 5] == (1, 1) and ("relation", 4) not in rates
    actual = by_key(scores)
    assert [
        actual["overlooked_rate", "annotators", "en", kind]["value"] for kind in ("all", "entity", "invented")
    ] == [
        0.25,
        0,
        0.5,
    ]


def test_no_labels_and_published_gold():
    actual = labelled([], samples=[*SILVER, sample("i1", TEXT, span(0, 3), source="gold")])
    assert actual.samples.is_empty() and actual.rejects.is_empty()
    # of 6 words silver marks 2, gold 1, both 1
    p_o, p_e = 5 / 6, (2 * 1 + 4 * 5) / 36
    value = by_key(actual.scores)["silver_gold_kappa", "gold", "en", "published"]["value"]
    assert value == near((p_o - p_e) / (1 - p_e))


def test_published_annotators_of_one_text():
    judgements = [
        judged("silver-i1", span(0, 3), member="p"),
        judged("silver-i1", span(0, 7, "relation"), member="q"),
    ]
    actual = by_key(labelled([], judgements=judgements).scores)
    names = ("percent_agreement", "percent_agreement_typed")
    assert [actual[name, "annotators", "en"]["value"] for name in names] == [near(5 / 6), near(4 / 6)]
    assert actual["cohen_kappa", "annotators", "en"]["n"] == 1


# ---- voting over the tokens of a text ----------------------------------------------------------------------


def marked(*spans: tuple[int, int, str]) -> Label:
    return Label("t", "a", True, tuple(Span(*mark) for mark in spans))


def test_votes_over_tokens():
    # red: 2 of 3 (entity, invented: a tie goes to entity); blue: all three (invented twice); green: 1 of 3
    offsets = word_offsets("red blue green")
    people = [
        marked((0, 3, "entity"), (4, 8, "invented")),
        marked((0, 8, "invented")),
        marked((4, 14, "subjective")),
    ]
    share, types = voted(offsets, people)
    assert share.tolist() == pytest.approx([2 / 3, 1, 1 / 3])
    hard = [tuple(mark.values()) for mark in runs(offsets, types, share, lambda p: p > 0.5)]
    assert hard == [(0, 3, "entity", 0.666667), (4, 8, "invented", 1.0)]
    assert len(runs(offsets, types, share, lambda p: p > 0)) == 3
    # neighbours of one type and share are one span
    offsets = word_offsets("red, blue green")
    share, types = voted(offsets, [marked((0, 15, "entity")), marked((0, 9, "entity"))])
    spans = runs(offsets, types, share, lambda p: p > 0)
    assert [(mark["start"], mark["end"], mark["p"]) for mark in spans] == [(0, 9, 1.0), (10, 15, 0.5)]
    assert token_types(word_offsets("a b c"), [Span(0, 3, "relation")]).tolist() == [2, 2, 0]
