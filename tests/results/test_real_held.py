"""Judges of a committed board held against people's labels, by hand and against published figures."""

from pathlib import Path

import pytest

from truerate.results.read import read_board

ROOT = Path(__file__).parents[2]
# FaithBench, Unwanted against Consistent, n = 614: TPR and TNR of each detector (Youden's J of .12 at most)
FAITHBENCH = {
    "hhemv1": (0.339, 0.783),
    "gpt_4o": (0.182, 0.920),
    "hhem-2.1": (0.164, 0.937),
    "gpt-4-turbo": (0.235, 0.863),
    "hhem-2.1-english": (0.112, 0.977),
    "trueteacher": (0.150, 0.909),
    "true_nli": (0.032, 0.994),
    "gpt-3.5-turbo": (0.239, 0.640),
}


def test_faithbench_by_the_rule_that_leaves_out_what_people_doubt():
    found = {
        one.judge: one
        for one in read_board(ROOT / "results/faithbench").judge_errors
        if one.name == "rule: clear"
    }
    assert set(found) == set(FAITHBENCH)
    for judge, (tpr, tnr) in FAITHBENCH.items():
        one = found[judge]
        assert (one.n_hallucinated, one.n_right) == (439, 175)
        assert (one.tpr.value, one.tnr.value) == (pytest.approx(tpr, abs=5e-4), pytest.approx(tnr, abs=5e-4))
        assert one.tpr.low < one.tpr.value < one.tpr.high
        assert one.youden < 0.1225


def test_evouna_word_match_errs_otherwise_on_each_system():
    """NQ: of FiD's right answers 85.4 % are found, of ChatGPT-3.5's 76.1 %; here over both parts, so between NQ's and
    TriviaQA's 90.1 and 90.8.
    """
    found = {one.name: one for one in read_board(ROOT / "results/evouna").judge_errors}
    assert found["task: nq"].tnr.value == pytest.approx(0.79, abs=0.01)
    assert 0.854 < found["model: FiD"].tnr.value < 0.901
    assert 0.761 < found["model: ChatGPT-3.5"].tnr.value < 0.908


def test_a_board_of_a_judges_verdicts_alone_holds_nobody_against_people():
    assert read_board(ROOT / "results/faithjudge").judge_errors == ()
