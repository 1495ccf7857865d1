"""Rates, labels and ranks of labelled replies."""

import pytest

from tests.tracks.labelled_replies.builders import (
    WRITER,
    cells,
    judgements,
    layout,
    reply,
    samples,
    verdict_of,
)
from truerate.leaderboard.rows import ranks
from truerate.tracks.labelled_replies.scores import (
    replies,
    score_judged,
    score_labels,
    score_rates,
    verdicts_on,
)
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
