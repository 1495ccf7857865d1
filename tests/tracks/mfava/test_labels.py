"""Gold samples by hand: screening, both settlements, agreement, published gold."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from truerate.core.schemas import Judgement, Reject, Sample, Score, frame, validate
from truerate.tracks.mfava import labels

from .made_scores import At, Params, Settings, by_key, item, judged, reply, sample, span, tables

TEXT = "one two three four five six"  # words at 0–3, 4–7, 8–13, 14–18, 19–23, 24–27
SILVER = [sample("i1", TEXT, span(0, 3), span(8, 13, "invented")), sample("i2", TEXT + " seven", span(4, 7))]
ITEMS = [item("i1"), item("i2"), item("w1", "wild")]
REPLIES = [reply("w1", "small", TEXT)]
TASKS = [{"task_id": name} for name in ("silver-i1", "silver-i2", "answer-w1-small-")]


def label(task: str, who: str, *spans: dict, **more) -> dict:
    return {
        "task_id": task,
        "annotator": who,
        "spans": [{k: one[k] for k in ("start", "end", "type")} for one in spans],
        **more,
    }


# i1 is shared: ann is silver's twin, ben leaves the second span out and marks `four`, cleo marks `four` and
# `two`, dan marks `six` alone. i2 is ann's own, the reply is shared by ann and ben.
ROWS = [
    label("silver-i1", "ann", span(0, 3), span(8, 13, "invented"), plausibility=2),
    label("silver-i1", "ben", span(0, 3, "relation"), span(14, 18), plausibility=4),
    label("silver-i1", "cleo", span(0, 7), span(14, 18), span(8, 13, "invented")),
    label("silver-i1", "dan", span(24, 27)),
    label("silver-i2", "ann", span(4, 7)),
    label("answer-w1-small-", "ann", span(0, 3)),
    label("answer-w1-small-", "ben", span(0, 7)),
]


def labelled(rows=ROWS, settle="max-voting", threshold=0.3, samples=SILVER, judgements=()):
    rules = Settings().labelling.model_copy(update={"settle": settle, "screening_agreement": threshold})
    at = At(replace(Params(), settings=replace(Settings(), labelling=rules)))
    known = {name: table for name, table in tables(ITEMS, samples, REPLIES).items() if name != "judgements"}
    source = SimpleNamespace(samples=frame(Sample, samples), judgements=frame(Judgement, list(judgements)))
    found = labels.label(
        at, "board", source, known, TASKS, list(enumerate(rows, start=1)), where="labels", inputs="digest"
    )
    for model, name in (
        (Sample, "samples"),
        (Judgement, "judgements"),
        (Reject, "rejects"),
        (Score, "scores"),
    ):
        validate(model, getattr(found, name), where=name)
    return found


def spans_of(found, item_id: str) -> list[tuple]:
    row = next(row for row in found.samples.iter_rows(named=True) if row["item_id"] == item_id)
    return [(one["start"], one["end"], one["type"], one["p"]) for one in row["spans"]]


def test_who_agrees_too_little_with_silver_is_not_heard():
    # of the words that either marks, both mark: ann 2 of 2 and 1 of 1; ben 1 of 3; cleo 2 of 4; dan 0 of 3
    found = labelled()
    agreement = {
        key[1]: row["value"] for key, row in by_key(found.scores).items() if key[0] == "screening_agreement"
    }
    assert agreement == {"ann": 1.0, "ben": pytest.approx(1 / 3, abs=1e-6), "cleo": 0.5, "dan": 0.0}
    assert [(row["reason"], row["target_id"]) for row in found.rejects.iter_rows(named=True)] == [
        ("screened_out", "dan")
    ]
    assert by_key(found.scores)["n_annotators_passed", "annotators", "en"]["value"] == 3
    assert {row["judge"] for row in found.judgements.iter_rows(named=True)} == {"ann", "ben", "cleo", "dan"}


def test_max_voting_over_tokens():
    # one: 3 of 3, entity twice; two: 1 of 3; three: 2 of 3; four: 2 of 3
    assert spans_of(labelled(), "i1") == [
        (0, 3, "entity", 1.0),
        (8, 13, "invented", 0.666667),
        (14, 18, "entity", 0.666667),
    ]


def test_the_papers_way_takes_the_annotator_closest_to_silver():
    assert spans_of(labelled(settle="closest-to-silver"), "i1") == [
        (0, 3, "entity", None),
        (8, 13, "invented", None),
    ]


def test_own_texts_are_taken_as_they_are_and_replies_keep_soft_spans():
    found = labelled()
    assert spans_of(found, "i2") == [(4, 7, "entity", None)]
    assert spans_of(found, "w1") == [(0, 3, "entity", 1.0), (4, 7, "entity", 0.5)]
    rows = {row["item_id"]: row for row in found.samples.iter_rows(named=True)}
    assert (
        rows["w1"]["task"] == "wild"
        and rows["w1"]["generator"] == "small"
        and {row["label_source"] for row in rows.values()} == {"gold"}
    )


def test_agreement_of_pairs_and_of_gold_with_silver():
    found = by_key(labelled().scores)
    # settled by voting i1 holds `four` besides silver's two words: of 13 words 3 are silver's, 4 gold's, 3
    # both. The type never differs
    p_o, p_e = 12 / 13, (3 * 4 + 10 * 9) / 169
    assert found["silver_gold_kappa", "gold", "en", "max-voting"]["value"] == pytest.approx(
        (p_o - p_e) / (1 - p_e), abs=1e-6
    )
    assert found["silver_gold_kappa", "gold", "en", "closest-to-silver"]["value"] == 1.0
    # i1 (6 words) and the reply (6 words): ann–ben agree on 4 + 5 of 12, ann–cleo on 4 of 6, ben–cleo on 4 of
    # 6
    assert found["percent_agreement", "annotators", "en"]["value"] == pytest.approx(
        (9 / 12 + 4 / 6 + 4 / 6) / 3, abs=1e-6
    )
    # by type ann and ben differ on `one`, too; so do ben and cleo
    assert found["percent_agreement_typed", "annotators", "en"]["value"] == pytest.approx(
        (8 / 12 + 4 / 6 + 3 / 6) / 3, abs=1e-6
    )
    assert (
        found["cohen_kappa_typed", "annotators", "en"]["value"]
        < found["cohen_kappa", "annotators", "en"]["value"]
    )


def test_plausibility_shares():
    found = by_key(labelled().scores)
    assert [
        found["plausibility_rate", "annotators", "en", str(rating)]["value"] for rating in range(1, 6)
    ] == [0, 0.5, 0, 0.5, 0]


def test_a_task_that_only_screened_out_people_labelled():
    found = labelled([ROW for ROW in ROWS if ROW["annotator"] == "dan"])
    assert found.samples.is_empty()
    assert sorted(row["reason"] for row in found.rejects.iter_rows(named=True)) == ["no_labels"] * 3 + [
        "screened_out"
    ]


def test_no_labels_and_published_gold():
    found = labelled([], samples=[*SILVER, sample("i1", TEXT, span(0, 3), source="gold")])
    assert found.samples.is_empty() and found.rejects.is_empty()
    # of 6 words silver marks 2, gold 1, both 1
    p_o, p_e = 5 / 6, (2 * 1 + 4 * 5) / 36
    value = by_key(found.scores)["silver_gold_kappa", "gold", "en", "published"]["value"]
    assert value == pytest.approx((p_o - p_e) / (1 - p_e), abs=1e-6)


def test_published_annotators_of_one_text():
    said = [
        judged("silver-i1", *spans, member=who)
        for who, spans in (("p", [span(0, 3)]), ("q", [span(0, 7, "relation")]))
    ]
    found = by_key(labelled([], judgements=said).scores)
    assert found["percent_agreement", "annotators", "en"]["value"] == pytest.approx(5 / 6, abs=1e-6)
    assert found["percent_agreement_typed", "annotators", "en"]["value"] == pytest.approx(4 / 6, abs=1e-6)
    assert found["cohen_kappa", "annotators", "en"]["n"] == 1
