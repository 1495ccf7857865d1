import polars as pl
import pytest

from truerate.metrics.recognition import Confusion, confusion, recognition


def rows(pairs):
    return pl.DataFrame(pairs, schema={"is_hallucinated": pl.Boolean, "verdict": pl.Boolean}, orient="row")


# 5 hallucinated: 3 found, 1 missed, 1 unparsed. 4 faithful: 2 passed, 1 flagged, 1 unparsed.
MIXED = rows(
    [(True, True)] * 3
    + [(True, False), (True, None)]
    + [(False, False)] * 2
    + [(False, True), (False, None)],
)


def test_confusion_counts_every_row_once():
    assert confusion(MIXED) == Confusion(tp=3, fp=1, tn=2, fn=1, unparsed_positive=1, unparsed_negative=1)
    assert confusion(MIXED).n == 9 and confusion(MIXED).n_parsed == 7


def test_fractions_by_hand():
    found = recognition(MIXED)
    expected = {
        "accuracy": 5 / 9,  # 3 + 2 right of 9
        "accuracy_parsed": 5 / 7,  # the two unparsed dropped
        "precision": 3 / 4,  # 4 judged hallucinated
        "recall": 3 / 5,  # the unparsed one is missed
        "f1": 6 / 9,  # 2·3 / (5 labelled + 4 judged)
        "precision_faithful": 2 / 3,
        "recall_faithful": 2 / 4,
        "f1_faithful": 4 / 7,  # 2·2 / (4 labelled + 3 judged)
        "macro_f1": (6 / 9 + 4 / 7) / 2,
        "balanced_accuracy": (3 / 5 + 2 / 4) / 2,
        "tpr": 3 / 4,  # over parsed verdicts alone
        "fpr": 1 / 3,
        "tnr": 2 / 3,
        "unparsed_rate": 2 / 9,
    }
    assert found == pytest.approx(expected)


def test_over_nothing_is_none():
    assert set(recognition(rows([])).values()) == {None}


def test_always_no_has_no_precision_but_an_f1_of_zero():
    found = recognition(rows([(True, False), (False, False)]))
    assert found["precision"] is None and found["f1"] == 0 and found["recall"] == 0
    assert found["accuracy"] == 1 / 2 and found["balanced_accuracy"] == 1 / 2


def test_one_class_alone_has_no_rate_of_the_other():
    found = recognition(rows([(True, True)]))
    assert (
        found["tnr"] is None
        and found["fpr"] is None
        and found["f1_faithful"] is None
        and found["macro_f1"] is None
    )
