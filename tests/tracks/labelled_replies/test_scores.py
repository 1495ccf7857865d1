"""Rates, labels and ranks of labelled replies."""

from types import SimpleNamespace

import pytest

from tests.tracks.labelled_replies.builders import (
    WRITER,
    cells,
    item,
    items,
    judgements,
    layout,
    reply,
    samples,
    settings,
    verdict_of,
)  # fmt: skip
from truerate.core.schemas import Generation, frame
from truerate.leaderboard.rows import ranks
from truerate.tracks.labelled_replies.dataset import exported, holds_golden, matched, targets
from truerate.tracks.labelled_replies.public_tables import public_tables
from truerate.tracks.labelled_replies.scores import (
    drawn,
    replies,
    score,
    score_corrected,
    score_detectors,
    score_judged,
    score_labels,
    score_rates,
    verdicts_on,
)  # fmt: skip
from truerate.tracks.protocol import metrics_of_track


def rates(*rows):
    rows, outcomes = score_rates(replies(samples(*rows)), WRITER)
    return cells(rows), outcomes


def test_the_rate_is_the_share_of_labelled_replies_over_all_and_by_task():
    # a: 2 of 4 hallucinated, in qa 1 of 1, in the part tq 1 of 3
    rows = [reply("a", "1", True), *(reply("a", f"2{k}", k == 0, part="tq") for k in range(3))]
    scores, _ = rates(*rows)
    assert scores["hallucination_rate", "a", ""] == (0.5, 4)
    assert scores["hallucination_rate", "a", "task=qa"] == (1.0, 1)
    assert scores["hallucination_rate", "a", "task=tq"] == (pytest.approx(1 / 3), 3)


def test_a_further_rule_counts_the_replies_that_it_labels():
    # by the headline 2 of 3, by the rule 1 of the 2 that it labels
    rows = [
        reply("a", "1", True, rule_clear=True),
        reply("a", "2", False, rule_clear=False),
        reply("a", "3", True),
    ]
    scores, _ = rates(*rows)
    assert scores["hallucination_rate", "a", ""] == (pytest.approx(2 / 3), 3)
    assert scores["hallucination_rate", "a", "rule=clear"] == (0.5, 2)


def test_ranks_pair_the_units_that_both_have():
    # a is never hallucinated on 12 units where b always is; c has but the first of them
    rows = [reply("a", str(k), False) for k in range(12)] + [reply("b", str(k), True) for k in range(12)]
    _, outcomes = rates(*rows, reply("c", "0", False))
    records = {record.name: record for record in metrics_of_track("labelled_replies")}
    ranges = ranks(outcomes, layout().p.statistics, 7, records, {"a", "b", "c"})
    assert [ranges["hallucination_rate", "", name][:2] for name in "abc"] == [(1, 2), (2, 3), (1, 3)]


def test_verdicts_of_a_judge_of_the_subjects_own_maker():
    rows = [
        reply("a", "1", True, by="silver", judge="j", own_judge=True),
        reply("b", "1", True, by="silver", judge="j"),
    ]
    shares = cells(score_labels(replies(samples(*rows, reply("c", "1", True))), WRITER))
    assert shares == {("own_judge_rate", "a", ""): (1.0, 1), ("own_judge_rate", "b", ""): (0.0, 1)}


def test_the_board_as_it_would_stand_by_another_judge():
    # x flags one of a's two replies and both of b's; y has said nothing readable of b's second
    rows = [reply(name, unit, False) for name in "ab" for unit in "12"]
    flags = {"x": (True, False, True, True), "y": (False, False, True, None)}
    targets = ("a/1", "a/2", "b/1", "b/2")
    verdicts = [
        verdict_of(judge, *of) for judge, each in flags.items() for of in zip(targets, each, strict=True)
    ]
    by_judge = verdicts_on(replies(samples(*rows)), judgements(*verdicts))
    rows, outcomes = score_judged(by_judge, WRITER)
    scores = cells(rows)
    assert scores["judged_rate", "a", "judge=x"] == (0.5, 2)
    assert scores["judged_rate", "b", "judge=x"] == (1.0, 2)
    assert scores["judged_rate", "b", "judge=y"] == (1.0, 1)
    assert outcomes.height == 7 and outcomes["value"].sum() == 4


def test_a_second_reply_to_the_same_is_a_unit_of_its_own():
    rows = [reply("a", "1", True), reply("a", "1", False) | {"sample_id": "a/1 again"}, reply("b", "1", True)]
    scores, outcomes = rates(*rows)
    assert scores["hallucination_rate", "a", ""] == (0.5, 2)
    assert outcomes.select("subject", "unit_id").rows() == [("a", "1"), ("a", "1/2"), ("b", "1")]


# ---- Detectors held against people's labels, the rates that they give, and the tables of a board -----------


RAW, CORRECTED = "detector=d estimator=raw", "detector=d estimator=rogan-gladen"
BETWEEN, FEW = f"{CORRECTED}-between", "detector=d estimator=prediction-powered"
CARD = {"labelled_by": "people"}


def scored(rows, *verdicts):
    judged = judgements(*(verdict_of("d", target, verdict) for target, verdict in verdicts))
    return cells(score_detectors(verdicts_on(replies(samples(*rows)), judged), WRITER))


ROWS = [reply("a", "1", True), reply("a", "2", True), reply("b", "1", False), reply("b", "2", False)]


def test_tpr_tnr_and_what_follows_from_them():
    # of 2 hallucinated 1 scores, of 2 right 2 passed: balanced accuracy 3/4, J 1/2
    scores = scored(ROWS, ("a/1", True), ("a/2", False), ("b/1", False), ("b/2", False))
    assert scores["tpr", "d", ""] == (0.5, 2) and scores["tnr", "d", ""] == (1.0, 2)
    assert scores["balanced_accuracy", "d", ""] == (0.75, 4) and scores["youden_j", "d", ""] == (0.5, 4)
    assert scores["tpr", "d", "model=a"] == (0.5, 2) and scores["tnr", "d", "model=b"] == (1.0, 2)
    assert scores["tpr", "d", "model=b"] == (None, 0)


def test_a_verdict_that_is_not_there_makes_n_smaller():
    scores = scored(ROWS, ("a/1", True), ("b/1", True))
    assert scores["tpr", "d", ""] == (1.0, 1) and scores["tnr", "d", ""] == (0.0, 1)
    assert scored(ROWS, ("a/1", None)) == {}


def test_a_reply_counts_once_whatever_the_number_of_seeds():
    # one of two seeds finds a/1: half a hallucinated reply of one
    scores = scored(ROWS, ("a/1", True), ("a/1", False), ("b/1", False), ("b/1", False))
    assert scores["tpr", "d", ""] == (0.5, 1) and scores["tnr", "d", ""] == (1.0, 1)


def test_a_rule_is_another_label_of_the_same_replies():
    rows = [reply("a", "1", True, rule_strict=True), reply("a", "2", False, rule_strict=True)]
    scores = scored(rows, ("a/1", True), ("a/2", False))
    assert scores["tpr", "d", ""] == (1.0, 1) and scores["tpr", "d", "rule=strict"] == (0.5, 2)
    assert scores["balanced_accuracy", "d", "rule=strict"] == (None, 2)


def test_nothing_is_held_against_a_judges_verdicts():
    assert scored([reply("a", "1", True, by="silver")], ("a/1", True)) == {}


@pytest.mark.parametrize("part", ["nq", "tq"])
def test_each_task_has_its_own(part):
    rows = [reply("a", "1", True, part="nq"), reply("a", "2", True, part="tq")]
    scores = scored(rows, ("a/1", part == "nq"), ("a/2", part == "tq"))
    assert scores["tpr", "d", f"task={part}"] == (1.0, 1) and scores["tpr", "d", ""] == (0.5, 2)
    assert scores["tpr", "d", f"model=a task={part}"] == (1.0, 1)


# ---- rates of subjects -------------------------------------------------------------------------------------


def written(subject, n_hallucinated, n_right, n_hit, n_alarm, **more):
    """Replies of a subject and verdicts: `n_hit` of the hallucinated and `n_alarm` of the right ones are
    flagged.
    """
    rows = [reply(subject, f"{k}", k < n_hallucinated, **more) for k in range(n_hallucinated + n_right)]
    flags = [k < n_hit or n_hallucinated <= k < n_hallucinated + n_alarm for k in range(len(rows))]
    return rows, [verdict_of("d", row["sample_id"], flag) for row, flag in zip(rows, flags, strict=True)]


def corrected(*parts, **values):
    rows, verdicts = ([row for part in parts for row in part[side]] for side in (0, 1))
    judged = verdicts_on(replies(samples(*rows)), judgements(*verdicts))
    return score_corrected(judged, WRITER, settings(**values))


def test_a_rate_is_corrected_by_the_errors_on_others_replies():
    # of b's 50 hallucinated replies 40 are flagged, of its 50 right ones 5: TPR .8, FPR .1; a has 38 of 100
    # flagged: (.38 - .1) / (.8 - .1) = .4
    a = written("a", 40, 60, 32, 6)
    rates = cells(corrected(a, written("b", 50, 50, 40, 5)))
    assert rates["detector_rate", "a", RAW] == (0.38, 100)
    assert rates["detector_rate", "a", CORRECTED][0] == pytest.approx(0.4)
    assert rates["is_identified", "a", CORRECTED] == (1.0, 100)


def test_between_models_is_told_where_two_others_tell_how_far_they_differ():
    parts = [written("a", 40, 60, 32, 6), written("b", 50, 50, 40, 5), written("c", 50, 50, 30, 10)]
    rows = corrected(*parts)
    rates = cells(rows)
    assert rates["detector_rate", "a", BETWEEN][0] == pytest.approx(rates["detector_rate", "a", CORRECTED][0])
    (plain, wide) = (
        next(row for row in rows if row["subject"] == "a" and estimator in str(row["slice"]))
        for estimator in ("'rogan-gladen'", "'rogan-gladen-between'")
    )
    assert wide["high"] - wide["low"] > plain["high"] - plain["low"]


def test_a_detector_that_hardly_tells_corrects_nothing():
    # TPR .3, FPR .16: J .14 of 1,000 replies each is no chance, and below the least that a correction needs
    parts = [written("a", 500, 500, 150, 80), written("b", 1000, 1000, 300, 160)]
    rates = cells(corrected(*parts))
    assert rates["detector_rate", "a", CORRECTED] == (None, 1000)
    assert rates["is_identified", "a", CORRECTED][0] == 0
    assert cells(corrected(*parts, least_youden_j=0.1))["detector_rate", "a", CORRECTED][0] == pytest.approx(
        0.5
    )


def test_replies_that_a_judge_labelled_are_corrected_by_labelled_answers_of_no_subject():
    judged = written("a", 40, 60, 32, 6, by="silver")
    labelled = written("old", 50, 50, 40, 5, purpose="calibration")
    rates = cells(corrected(judged, labelled, few_labels=10))
    assert rates["detector_rate", "a", CORRECTED][0] == pytest.approx(0.4)
    assert {key[1] for key in rates} == {"a"} and ("detector_rate", "a", FEW) not in rates


def test_a_few_of_its_own_labels_make_a_rate_that_rests_on_no_other():
    rows = corrected(written("a", 40, 60, 32, 6), written("b", 50, 50, 50, 50), few_labels=30)
    row = next(row for row in rows if row["subject"] == "a" and "prediction-powered" in str(row["slice"]))
    assert row["low"] < 0.4 < row["high"] and row["high"] - row["low"] < 0.4


def test_the_few_units_are_drawn_by_seed_and_are_never_all():
    rows = replies(samples(*(reply("a", str(k), False) for k in range(20))))
    assert drawn(rows, 5, 7) == drawn(rows.reverse(), 5, 7) and len(drawn(rows, 5, 7)) == 5
    assert drawn(rows, 5, 7) != drawn(rows, 5, 8) and not drawn(rows, 20, 7) and not drawn(rows, 0, 7)


# ---- tables ------------------------------------------------------------------------------------------------


def tables(rows, *verdicts):
    parts = {"items": items(), "samples": samples(*rows), "judgements": judgements(*verdicts)}
    scores, _ = score(layout(), "b", **parts, generations=frame(Generation), inputs="i")
    return public_tables(parts["samples"], scores, CARD)


def test_a_line_per_subject_lowest_rate_first_with_its_tasks_and_rules():
    rows = [
        reply("a", "1", True, part="nq", rule_strict=True),
        reply("a", "2", True, part="tq", rule_strict=False),
    ]
    rows += [reply("b", "1", False, part="nq", rule_strict=False)]
    _, (title, rates), *_ = tables(rows)
    assert "labelled by people" in title
    assert rates.columns == ["subject", "n", "all", "nq", "strict", "tq"]
    assert rates["subject"].to_list() == ["b", "a"] and rates["n"].to_list() == [1, 2]


def test_what_is_not_identified_says_so():
    rows = [reply(name, str(k), k < 10) for name in "ab" for k in range(20)]
    verdicts = [verdict_of("d", row["sample_id"], True) for row in rows]
    *_, (_, detectors), (_, corrected) = tables(rows, *verdicts)
    assert detectors.select("subject", "rule", "n").rows() == [("d", None, 40)]
    assert corrected.sort("subject")["rogan-gladen"].to_list() == ["not identified"] * 2
    assert corrected["raw"][0].startswith("1.000")


def test_a_board_without_detectors_has_no_such_tables():
    *_, (_, detectors), (_, corrected) = tables([reply("a", "1", True)])
    assert detectors.is_empty() and corrected.is_empty()


# ---- The data set of labelled replies is the source's own; the match of words goes by the rule of th -------


def test_replies_and_verdicts_are_taken_as_published_with_the_match_of_words_beside():
    source = SimpleNamespace(
        items=items(item("item-1", "Oster")),
        samples=samples(reply("a", "1", True, text="In Lund.")),
        judgements=judgements(verdict_of("d", "a/1", False)),
    )
    tables, tasks = exported(None, "b", source, {}, {})
    rows = tables["judgements"].select("judge", "verdict").sort("judge").rows()
    assert rows == [("d", False), ("word-match", True)] and tasks == []
    assert tables["samples"].equals(source.samples) and tables["generations"].is_empty()


def test_detectors_judge_what_has_a_text():
    rows = samples(reply("a", "1", True, text=" "), reply("a", "2", True, text="Text."))
    assert targets(rows, frame(Generation))["target_id"].to_list() == ["a/2"]


@pytest.mark.parametrize(
    ("answer", "golden", "is_right"),
    [
        ("It is the Oster Valley, I think.", "oster valley", True),
        ("It is in Lund.", "Oster/Lund", True),
        ("Oster's", "oster s", False),  # punctuation goes, and leaves no blank
        ("On nine.", "9/11", False),  # the set's own rule splits here, too
        ("Page 11", "9/11", True),
        ("anything", "the/ / !", False),  # nothing is left of the golden answers
        ("", "Oster", False),
    ],
)
def test_a_golden_answer_stands_in_the_answer(answer, golden, is_right):
    assert holds_golden(answer, golden) == is_right


def test_only_answers_to_questions_with_a_right_one_are_judged():
    rows = samples(
        reply("a", "1", True, text="In Oster."), reply("a", "2", True), reply("b", "1", False, text="No.")
    )
    judged = matched(rows, items(item("item-1", "Oster"), item("item-2", None)))
    assert judged.select("target_id", "verdict").sort("target_id").rows() == [("a/1", False), ("b/1", True)]
