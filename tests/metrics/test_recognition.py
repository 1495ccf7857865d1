import numpy as np
import polars as pl
import pytest

from truerate.metrics import recognition
from truerate.metrics.recognition import class_columns, verdicts


def rows(pairs):
    return pl.DataFrame(pairs, schema={"is_hallucinated": pl.Boolean, "verdict": pl.Boolean}, orient="row")


def result(pairs) -> dict[str, float | None]:
    """Every metric of some texts; None over nothing."""
    answer = verdicts(rows(pairs))
    parts = recognition.SHARES | recognition.F1S | recognition.OF_PATTERN
    sums = {name: [float(np.sum(part)) for part in of(answer)] for name, of in parts.items()}
    ratios = {name: top / bottom if bottom else None for name, (top, bottom) in sums.items()}
    for name, both in (("macro_f1", ("f1", "f1_right")), ("balanced_accuracy", ("recall", "recall_right"))):
        totals = class_columns(*(parts[half](answer) for half in both)).sum(axis=0)
        mean = float(getattr(recognition, name)(totals))
        ratios[name] = None if np.isnan(mean) else mean
    return ratios


# 5 hallucinated: 3 found, 1 missed, 1 unparsed. 4 right: 2 passed, 1 flagged, 1 unparsed.
MIXED = (
    [(True, True)] * 3 + [(True, False), (True, None)] + [(False, False)] * 2 + [(False, True), (False, None)]
)


def test_fractions_by_hand():
    expected = {
        "accuracy": 5 / 9,  # 3 + 2 right of 9
        "accuracy_parsed": 5 / 7,  # the two unparsed dropped
        "precision": 3 / 4,  # 4 judged hallucinated
        "recall": 3 / 5,  # the unparsed one is missed
        "f1": 6 / 9,  # 2·3 / (5 labelled + 4 judged)
        "precision_right": 2 / 3,
        "recall_right": 2 / 4,
        "f1_right": 4 / 7,  # 2·2 / (4 labelled + 3 judged)
        "macro_f1": (6 / 9 + 4 / 7) / 2,
        "balanced_accuracy": (3 / 5 + 2 / 4) / 2,
        "tpr": 3 / 4,  # over parsed verdicts alone
        "failure_rate": 1 / 4,
        "tnr": 2 / 3,
        "unparsed_rate": 2 / 9,
    }
    assert result(MIXED) == pytest.approx(expected)


def test_over_nothing_is_none():
    assert set(result([]).values()) == {None}


def test_always_no_has_no_precision_but_an_f1_of_zero():
    reference = result([(True, False), (False, False)])
    assert reference["precision"] is None and reference["f1"] == 0 and reference["recall"] == 0
    assert reference["accuracy"] == 1 / 2 and reference["balanced_accuracy"] == 1 / 2


def test_one_class_alone_has_no_rate_of_the_other():
    reference = result([(True, True)])
    assert reference["tnr"] is None and reference["f1_right"] is None and reference["macro_f1"] is None
