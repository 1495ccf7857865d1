"""Rates, labels and ranks of labelled replies."""

import pytest

from tests.tracks.labelled_replies.made import WRITER, cells, judgements, layout, reply, said, samples
from truerate.leaderboard.rows import ranks
from truerate.tracks.labelled_replies.detector_scores import verdicts_on
from truerate.tracks.labelled_replies.replies import replies
from truerate.tracks.labelled_replies.scores import score_judged, score_labels, score_rates
from truerate.tracks.protocol import metrics_of_track


def rates(*rows):
    made, outcomes = score_rates(replies(samples(*rows)), WRITER)
    return cells(made), outcomes


def test_the_rate_is_the_share_of_labelled_replies_over_all_and_by_task():
    # a: 2 of 4 hallucinated, in qa 1 of 1, in the part tq 1 of 3
    rows = [reply("a", "1", True), *(reply("a", f"2{k}", k == 0, part="tq") for k in range(3))]
    found, _ = rates(*rows)
    assert found["hallucination_rate", "a", ""] == (0.5, 4)
    assert found["hallucination_rate", "a", "task=qa"] == (1.0, 1)
    assert found["hallucination_rate", "a", "task=tq"] == (pytest.approx(1 / 3), 3)


def test_a_further_rule_counts_the_replies_that_it_labels():
    # by the headline 2 of 3, by the rule 1 of the 2 that it labels
    rows = [
        reply("a", "1", True, rule_clear=True),
        reply("a", "2", False, rule_clear=False),
        reply("a", "3", True),
    ]
    found, _ = rates(*rows)
    assert found["hallucination_rate", "a", ""] == (pytest.approx(2 / 3), 3)
    assert found["hallucination_rate", "a", "rule=clear"] == (0.5, 2)


def test_ranks_pair_the_units_that_both_have():
    # a is never hallucinated on 12 units where b always is; c has but the first of them
    rows = [reply("a", str(k), False) for k in range(12)] + [reply("b", str(k), True) for k in range(12)]
    _, outcomes = rates(*rows, reply("c", "0", False))
    found = ranks(
        outcomes,
        layout().p.statistics,
        7,
        {one.name: one for one in metrics_of_track("labelled_replies")},
        {"a", "b", "c"},
    )
    assert [found["hallucination_rate", "", name][:2] for name in "abc"] == [(1, 2), (2, 3), (1, 3)]


def test_verdicts_of_a_judge_of_the_subjects_own_maker():
    rows = [
        reply("a", "1", True, by="silver", judge="j", own_judge=True),
        reply("b", "1", True, by="silver", judge="j"),
    ]
    made = cells(score_labels(replies(samples(*rows, reply("c", "1", True))), WRITER))
    assert made == {("own_judge_rate", "a", ""): (1.0, 1), ("own_judge_rate", "b", ""): (0.0, 1)}


def test_the_board_as_it_would_stand_by_another_judge():
    # x flags one of a's two replies and both of b's; y has said nothing readable of b's second
    rows = [reply(name, unit, False) for name in "ab" for unit in "12"]
    verdicts = [
        said("x", "a/1", True),
        said("x", "a/2", False),
        said("x", "b/1", True),
        said("x", "b/2", True),
    ]
    verdicts += [
        said("y", "a/1", False),
        said("y", "a/2", False),
        said("y", "b/1", True),
        said("y", "b/2", None),
    ]
    by_judge = verdicts_on(replies(samples(*rows)), judgements(*verdicts))
    made, outcomes = score_judged(by_judge, WRITER)
    found = cells(made)
    assert (found["judged_rate", "a", "judge=x"], found["judged_rate", "b", "judge=x"]) == (
        (0.5, 2),
        (1.0, 2),
    )
    assert found["judged_rate", "b", "judge=y"] == (1.0, 1)
    assert outcomes.height == 7 and outcomes["value"].sum() == 4


def test_a_second_reply_to_the_same_is_a_unit_of_its_own():
    rows = [reply("a", "1", True), reply("a", "1", False) | {"sample_id": "a/1 again"}, reply("b", "1", True)]
    found, outcomes = rates(*rows)
    assert found["hallucination_rate", "a", ""] == (0.5, 2)
    assert outcomes.select("subject", "unit_id").rows() == [("a", "1"), ("a", "1/2"), ("b", "1")]
