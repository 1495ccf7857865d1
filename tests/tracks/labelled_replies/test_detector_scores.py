"""Detectors held against people's labels."""

import pytest

from tests.tracks.labelled_replies.made import WRITER, cells, judgements, reply, said, samples
from truerate.tracks.labelled_replies.detector_scores import score_detectors, verdicts_on
from truerate.tracks.labelled_replies.replies import replies


def scored(rows, *verdicts):
    own = judgements(*(said("d", target, verdict) for target, verdict in verdicts))
    return cells(score_detectors(verdicts_on(replies(samples(*rows)), own), WRITER))


ROWS = [reply("a", "1", True), reply("a", "2", True), reply("b", "1", False), reply("b", "2", False)]


def test_tpr_tnr_and_what_follows_from_them():
    # of 2 hallucinated 1 found, of 2 right 2 passed: balanced accuracy 3/4, J 1/2
    found = scored(ROWS, ("a/1", True), ("a/2", False), ("b/1", False), ("b/2", False))
    assert found["tpr", "d", ""] == (0.5, 2) and found["tnr", "d", ""] == (1.0, 2)
    assert found["balanced_accuracy", "d", ""] == (0.75, 4) and found["youden_j", "d", ""] == (0.5, 4)
    assert found["tpr", "d", "model=a"] == (0.5, 2) and found["tnr", "d", "model=b"] == (1.0, 2)
    assert found["tpr", "d", "model=b"] == (None, 0)


def test_a_verdict_that_is_not_there_makes_n_smaller():
    found = scored(ROWS, ("a/1", True), ("b/1", True))
    assert found["tpr", "d", ""] == (1.0, 1) and found["tnr", "d", ""] == (0.0, 1)
    assert scored(ROWS, ("a/1", None)) == {}


def test_a_reply_counts_once_whatever_the_number_of_seeds():
    # one of two seeds finds a/1: half a hallucinated reply of one
    found = scored(ROWS, ("a/1", True), ("a/1", False), ("b/1", False), ("b/1", False))
    assert found["tpr", "d", ""] == (0.5, 1) and found["tnr", "d", ""] == (1.0, 1)


def test_a_rule_is_another_label_of_the_same_replies():
    rows = [reply("a", "1", True, rule_strict=True), reply("a", "2", False, rule_strict=True)]
    found = scored(rows, ("a/1", True), ("a/2", False))
    assert found["tpr", "d", ""] == (1.0, 1) and found["tpr", "d", "rule=strict"] == (0.5, 2)
    assert found["balanced_accuracy", "d", "rule=strict"] == (None, 2)


def test_nothing_is_held_against_a_judges_verdicts():
    assert scored([reply("a", "1", True, by="silver")], ("a/1", True)) == {}


@pytest.mark.parametrize("part", ["nq", "tq"])
def test_each_task_has_its_own(part):
    rows = [reply("a", "1", True, part="nq"), reply("a", "2", True, part="tq")]
    found = scored(rows, ("a/1", part == "nq"), ("a/2", part == "tq"))
    assert found["tpr", "d", f"task={part}"] == (1.0, 1) and found["tpr", "d", ""] == (0.5, 2)
    assert found["tpr", "d", f"model=a task={part}"] == (1.0, 1)
