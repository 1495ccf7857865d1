"""Detection against fractions derived by hand."""

import polars as pl
import pytest

from truerate.core.schemas import Judgement, Outcome, Sample, Score, frame, unpaired, validate
from truerate.leaderboard.rows import ranks
from truerate.tracks.halludial.judged_texts import judged_texts
from truerate.tracks.halludial.scores import (
    counted_texts,
    detection_outcomes,
    score_detection,
    score_judges,
    score_reliability,
)

from .made_scores import WRITER, judgement, sample, values

# four natural ones, two of them hallucinated; of one induced turn all four kinds
SAMPLES = [
    sample("s1", True),
    sample("s2", True),
    sample("s3", False),
    sample("s4", False),
    sample("fact", True, scenario="induced", kind="factuality"),
    sample("faith", True, scenario="induced", kind="faithfulness"),
    sample("ref", False, scenario="induced", kind="reference"),
    sample("match", False, scenario="induced", kind="matched"),
]
SAID = {
    "s1": True,
    "s2": False,
    "s3": False,
    "s4": None,
    "fact": True,
    "faith": False,
    "ref": False,
    "match": True,
}


def rows(judgements: list[dict] | None = None, samples: list[dict] | None = None) -> pl.DataFrame:
    judged_rows = (
        [judgement(name, verdict) for name, verdict in SAID.items()] if judgements is None else judgements
    )
    return judged_texts(frame(Sample, samples or SAMPLES), frame(Judgement, judged_rows))


def counts(judgements: list[dict] | None = None, samples: list[dict] | None = None) -> pl.DataFrame:
    return counted_texts(rows(judgements, samples))


def scored(**where: str) -> dict[str, tuple[float | None, int]]:
    result = score_detection(counts(), WRITER)
    validate(Score, frame(Score, result), where="scores")
    return values(result, variant="zero-shot", **where)


def test_spontaneous_by_hand():
    actual = scored(scenario="spontaneous")
    assert actual["accuracy"] == (2 / 4, 4)  # s4 was not read: wrong
    assert actual["accuracy_parsed"] == (pytest.approx(2 / 3, abs=1e-6), 3)
    assert actual["tpr"] == (1 / 2, 2) and actual["tnr"] == (1, 1) and actual["unparsed_rate"] == (1 / 4, 4)
    assert actual["balanced_accuracy"] == ((1 / 2 + 1 / 2) / 2, 4)


def test_paraphrases_stand_in_a_slice_of_their_own():
    # induced: both kinds and the reference; fact is found, the reference passed
    assert scored(scenario="induced")["accuracy"] == (pytest.approx(2 / 3, abs=1e-6), 3)
    assert scored(scenario="induced", kind="matched")["accuracy"] == (pytest.approx(1 / 3, abs=1e-6), 3)
    assert scored(scenario="induced", kind="matched")["tnr"] == (0, 1)
    assert scored(scenario="induced", kind="factuality")["accuracy"] == (1, 2)
    assert scored(scenario="induced", kind="faithfulness")["recall"] == (0, 1)
    assert scored(scenario="all")["accuracy"] == (pytest.approx(4 / 7, abs=1e-6), 7)


def test_balanced_beside_mixed():
    # of the three induced texts one positive of two found, the one negative passed
    assert scored(scenario="induced", view="balanced")["accuracy"][0] == (1 / 2 + 1) / 2
    assert scored(scenario="induced", view="balanced")["precision"][0] == 1  # .5 / (.5 + 0)


def test_texts_of_train_dialogues_and_annotators_labels_are_left_out():
    samples = [sample("s1", True, split="train"), sample("s2", True)]
    labels = [judgement("s2", True, judge="ann", variant=None, more={"stage": "annotation"})]
    assert rows([judgement("s1", True), *labels], samples).is_empty()


def test_a_label_of_people_is_held_against_what_was_said_of_the_response():
    gold = sample("gold-1", False, scenario="natural", label_source="gold", more={"generation": "s1"})
    result = score_detection(counts([judgement("s1", True)], [*SAMPLES, gold]), WRITER)
    assert values(result, variant="zero-shot", scenario="natural")["accuracy"] == (0, 1)
    assert values(result, variant="zero-shot", scenario="spontaneous")["accuracy"] == (1, 1)


def test_a_detector_that_judges_the_label_itself_counts_once():
    gold = sample("gold-1", False, scenario="natural", label_source="gold", more={"generation": "s1"})
    judgements = [judgement("s1", True, variant=None), judgement("gold-1", False, variant=None)]
    actual = rows(judgements, [*SAMPLES, gold]).filter(scenario="natural")
    assert actual.select("variant", "verdict").rows() == [("zero-shot", False)]


def test_seeds_of_a_detector_are_its_runs():
    actual = [
        judgement("s1", verdict, variant=None, more={"seed": seed})
        for seed, verdict in (("1", True), ("2", False))
    ]
    outcome = values(score_detection(counts(actual), WRITER), variant="zero-shot", scenario="spontaneous")
    assert outcome["recall"] == (1 / 2, 1)


def test_texts_that_people_labelled_rank_where_a_board_has_no_spontaneous_ones():
    texts = [sample(f"n{k}", k == 0, scenario="natural", label_source="gold") for k in range(3)]
    judgements = [judgement(row["sample_id"], True, judge="yes") for row in texts]
    for samples, scenario in ((texts, "natural"), ([*texts, *SAMPLES], "spontaneous")):
        _, outcomes = score_judges(frame(Sample, samples), frame(Judgement, judgements), WRITER)
        slices = {unpaired(pairs)["scenario"] for pairs in outcomes["slice"].to_list()}
        assert slices == ({scenario} if scenario == "natural" else set())  # it judges no spontaneous text


def test_outcomes_have_balanced_accuracy_as_their_mean_and_rank():
    judgements = [judgement(name, verdict, judge="good") for name, verdict in SAID.items()]
    judgements += [judgement(name, None, judge="mute") for name in SAID]
    result = detection_outcomes(rows(judgements), WRITER)
    validate(Outcome, result, where="outcomes")
    assert (
        result.filter(subject="good")["value"].mean() == 0.5
    )  # as the score; four texts of either class of two
    assert result.filter(subject="good").sort("unit_id")["value"].to_list() == [1, 0, 1, 0]
    assert result.filter(subject="mute")["value"].to_list() == [None] * 4
    from tests.records import records

    ranked = ranks(result, WRITER.statistics, 7, records("halludial"), {"good", "mute"})
    assert [subject for *_, subject in ranked] == ["good"]


def test_who_never_keeps_the_form_is_told_aloud():
    result = score_detection(counts([judgement(name, None) for name in SAID]), WRITER)
    actual = values(result, variant="zero-shot", scenario="spontaneous")
    assert actual["no_verdicts"] == (4, 4) and actual["unparsed_rate"] == (1, 4)
    assert actual["accuracy"] == actual["accuracy_parsed"] == actual["balanced_accuracy"] == (None, 0)


def test_who_never_answered_has_no_value():
    dead = [judgement(name, None, status="dead") for name in SAID]
    actual = values(score_detection(counts(dead), WRITER), variant="zero-shot", scenario="all")
    assert actual.pop("no_answers") == (7, 7) and set(actual.values()) == {(None, 0)}


def test_nothing_was_judged():
    assert score_detection(counts([]), WRITER) == [] and detection_outcomes(rows([]), WRITER).is_empty()


def test_probabilities_are_held_against_labels():
    p_of = {"s1": 0.95, "s2": 0.35, "s3": 0.05, "s4": 0.92}
    judgements = [judgement(name, p > 0.5, variant=None, p=p) for name, p in p_of.items()]
    result = list(score_reliability(rows(judgements), WRITER))
    where = {"variant": "zero-shot", "scenario": "spontaneous"}
    # bins: .05 right; .35 hallucinated; .92 right and .95 hallucinated
    assert values(result, **where)["ece"][0] == pytest.approx(
        0.05 / 4 + 0.65 / 4 + abs(1 - 1.87) / 4, abs=1e-6
    )
    highest = values(result, **where, bin="0.9–1.0")
    assert highest["bin_p"] == (pytest.approx(0.935), 2) and highest["bin_rate"] == (0.5, 2)
    assert values(result, **where, bin="0.1–0.2")["bin_rate"] == (None, 0)
    assert list(score_reliability(rows(), WRITER)) == []
