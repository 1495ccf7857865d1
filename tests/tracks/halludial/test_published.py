"""What the paper printed agrees with itself, and where it does not; the hidden test labels that follow from
it.
"""

from pathlib import Path

import pytest

from truerate.leaderboard.consistency import check, check_claims
from truerate.leaderboard.ledger import load_published
from truerate.metrics.intervals import wilson
from truerate.tracks.halludial import published
from truerate.tracks.halludial.protocol import PROTOCOL
from truerate.tracks.halludial.published import ALWAYS_NO, CLAIMS, N_TEST, TEST

PUBLISHED = load_published(Path(published.__file__).with_name("published.csv"))
LINES = check_claims(PUBLISHED, CLAIMS)
TURNS, DIALOGUES = 18_357, 4_094


def of(verdict: str, words: str) -> list[str]:
    """The models, or first words, of the claims of a verdict whose quantity holds `words`."""
    return [
        line["quantity"].split(" · ")[0]
        for line in LINES
        if line["verdict"] == verdict and words in line["quantity"]
    ]


def test_only_results_stand_in_the_ledger():
    assert set(PUBLISHED["source"]) == {"halludial"} and PUBLISHED.height == 506
    assert {("halludial", table) for table in PUBLISHED["table"]} == set(PROTOCOL.reasons)


def test_the_set_is_eight_responses_to_every_turn():
    # 5 responders and 2 induced texts and the reference, each on every turn
    assert 5 * TURNS == 91_785 == 21_706 + 70_079 and 8 * TURNS == 146_856
    assert N_TEST == 36_714 + 22_029 == 58_743
    assert of("consistent", "n_samples") == ["n_samples"] * 5 and not of("inconsistent", "n_samples")


def test_the_accuracy_of_all_is_the_mixture_of_both_scenarios():
    assert len(of("consistent", "accuracy · test")) == 10
    assert of("inconsistent", "accuracy · test") == ["Llama-2-13B-chat"]


def test_macro_f1_is_the_mean_of_both_classes():
    assert (
        len(of("consistent", "macro_f1 · test")) == 21 and len(of("consistent", "macro_f1 · HaluEval")) == 8
    )
    assert not of("inconsistent", "macro_f1")


def test_the_human_column_counts_850_judgements_of_each_model():
    human = [line for line in LINES if "human" in line["quantity"]]
    assert [line["reason"] for line in human] == ["709 of 850", "760 of 850", "796 of 850"]
    assert {line["verdict"] for line in human} == {"consistent"}
    intervals = [wilson(count, 850, confidence=0.95) for count in (709, 760, 796)]
    assert [(round(interval.low, 3), round(interval.high, 3)) for interval in intervals] == [
        (0.808, 0.858),
        (0.872, 0.913),
        (0.918, 0.951),
    ]


def test_four_of_five_wrong_averages_are_the_rows_with_an_invalid_rate():
    invalid = set(PUBLISHED.filter(table="10", metric="invalid_rate")["model"])
    wrong = set(of("inconsistent", "acc_avg"))
    assert len(invalid) == 4 and wrong - invalid == {"vicuna-33B-v1.3"} and invalid < wrong
    assert len(of("consistent", "acc_avg")) == 10


def test_eight_of_eleven_models_have_whole_number_confusion_matrices():
    assert len(of("consistent", "confusion matrices")) == 8
    assert of("inconsistent", "confusion matrices") == [
        "Llama-2-7B-chat",
        "Llama-2-13B-chat",
        "vicuna-33B-v1.3",
    ]
    (judge,) = (line for line in LINES if line["quantity"].startswith("HalluJudge · confusion"))
    assert judge["reason"].endswith("spontaneous 17.9 / 98.7, induced 97.6 / 99.6")


def test_the_hidden_labels_are_inferred_and_never_published():
    inferred = [line for line in LINES if line["verdict"] == "inferred"]
    assert [(line["ours"], line["low"], line["high"]) for line in inferred] == [
        (8746, 8745, 8748),
        (14747, 14744, 14750),
    ]
    assert all(line["published"] is None for line in inferred)
    assert not {8746.0, 14747.0, 23493.0} & set(PUBLISHED["value"])


@pytest.mark.parametrize("k", [0, 1])
def test_the_shares_are_those_of_a_draw_by_sample(k):
    """The test split by sample of all 91,785 and 55,071: within 1.2 standard errors of the whole; the induced
    ones are not the 2/3 that a split by context gives.
    """
    whole = ((21_706, 91_785), (2 * TURNS, 3 * TURNS))[k]
    part, share = TEST[k], whole[0] / whole[1]
    error = (share * (1 - share) / part.n * (1 - part.n / whole[1])) ** 0.5
    assert abs(part.positives / part.n - share) < 1.2 * error
    assert k == 0 or abs(part.positives - part.n * 2 / 3) > 50


def test_always_no_is_right_in_three_of_four_natural_responses():
    accuracy = {
        model: value
        for model, value in PUBLISHED.filter(table="8", metric="accuracy", slice="spontaneous")
        .select("model", "value")
        .iter_rows()
    }
    always_no = 100 * (1 - TEST[0].positives / TEST[0].n)
    assert always_no == pytest.approx(76.18, abs=0.01)
    assert {name for name, value in accuracy.items() if value < always_no} >= {
        "vicuna-7B-v1.5",
        "vicuna-13B-v1.5",
    }
    assert accuracy["HalluJudge"] - always_no == pytest.approx(3.24, abs=0.01)


def test_dialogue_rates_lie_between_a_turns_and_the_sum_of_its_turns():
    rates = PUBLISHED.filter(table="9 (=6)").pivot("slice", index="model", values="value")
    for history in ("gold", "self"):
        turn, dialogue = rates[f"{history}_turn"], rates[f"{history}_dialogue"]
        assert len(turn) == 21 and (turn < dialogue).all() and (dialogue <= turn * TURNS / DIALOGUES).all()


def test_a_kind_of_claim_that_nobody_knows_is_refused():
    with pytest.raises(TypeError, match="str is no kind of claim"):
        check("a claim", {})


def test_who_always_says_no_is_above_seven_of_eleven_judges_by_rouge():
    # of 58,743 targets 36,714 - 8,746 and 22,029 - 14,747 are `No.`
    assert pytest.approx(100 * (27_968 + 7_282) / 58_743) == ALWAYS_NO
    printed = [float(value) for value in PUBLISHED.filter(table="3", metric="rougeL")["value"]]
    assert len(printed) == 11 and sum(value < ALWAYS_NO for value in printed) == 7
    assert f"about {ALWAYS_NO:.0f} there" in PROTOCOL.reasons["halludial", "3"]
