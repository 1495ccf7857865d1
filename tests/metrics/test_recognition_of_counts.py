"""Recognition from counts: by hand, and the same numbers as over texts one by one."""

import numpy as np
import polars as pl
import pytest

from truerate.config import Statistics
from truerate.metrics import recognition as counts
from truerate.metrics.recognition import recognition_scores
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


def rows(given: list[tuple[bool, bool | None]], status: str = "ok", *, per_group: int = 2) -> pl.DataFrame:
    columns = {"is_hallucinated": pl.Boolean, "verdict": pl.Boolean}
    groups = [f"g{index // per_group}" for index in range(len(given))]
    return pl.DataFrame(given, schema=columns, orient="row").with_columns(
        group_id=pl.Series(groups, dtype=pl.String), status=pl.lit(status)
    )


def scored(given: list[tuple[bool, bool | None]], status: str = "ok") -> dict[tuple[str, bool], dict]:
    built = counts.count_scores("j", {"scenario": "natural"}, counts.counted(rows(given, status)), WRITER)
    return {(row["metric"], any(item["key"] == "view" for item in row["slice"])): row for row in built}


# hallucinated: 6 found, 1 missed, 1 unread; right: 1 passed, 1 flagged
TOLD = [(True, True)] * 6 + [(True, False), (True, None), (False, False), (False, True)]


def test_fractions_by_hand():
    result = {name: row["value"] for (name, is_balanced), row in scored(TOLD).items() if not is_balanced}
    expected = {"accuracy": 7 / 10, "accuracy_parsed": 7 / 9, "unparsed_rate": 1 / 10}
    expected |= {"precision": 6 / 7, "recall": 6 / 8, "precision_right": 1 / 2, "recall_right": 1 / 2}
    expected |= {"tpr": 6 / 7, "tnr": 1 / 2, "f1": 12 / (8 + 7), "f1_right": 2 / (2 + 2)}
    expected |= {"macro_f1": (12 / 15 + 2 / 4) / 2, "balanced_accuracy": (6 / 8 + 1 / 2) / 2}
    # the paper's averages drop the unread text: 6 of 7 found
    expected |= {"avg_precision": (6 / 7 + 1 / 2) / 2, "avg_recall": (6 / 7 + 1 / 2) / 2}
    assert result == pytest.approx(expected, abs=1e-6)


def test_the_averages_are_those_that_halludial_prints():
    """HalluJudge in Table 7: the counts that all its printed figures ask for (Avg. P 89.89, Avg. R 83.38)."""
    found, n_hallucinated, flagged, n_right = 1562 + 14390, 8746 + 14747, 372 + 27, 27968 + 7282
    cells = np.array([found, n_hallucinated - found, 0, flagged, n_right - flagged, 0], dtype=float)
    averages = [100 * counts.RATIOS[name](cells) for name in ("avg_precision", "avg_recall")]
    assert averages == pytest.approx([89.89, 83.38], abs=0.01)


def test_a_balanced_set_by_hand():
    # classes of equal weight: found 6/8, missed 1/8, unread 1/8; flagged 1/2, passed 1/2
    result = {name: row["value"] for (name, is_balanced), row in scored(TOLD).items() if is_balanced}
    expected = {
        "accuracy": (6 / 8 + 1 / 2) / 2,
        "precision": (6 / 8) / (6 / 8 + 1 / 2),
        "precision_right": (1 / 2) / (1 / 2 + 1 / 8),
        "f1": 2 * (6 / 8) / (1 + 6 / 8 + 1 / 2),
        "f1_right": 2 * (1 / 2) / (1 + 1 / 2 + 1 / 8),
    }
    expected["macro_f1"] = (expected["f1"] + expected["f1_right"]) / 2
    assert result == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_values_and_intervals_are_those_over_texts(seed):
    rng = np.random.default_rng(seed)
    given = [
        (bool(rng.random() < 0.4), [True, False, None][rng.choice(3, p=[0.4, 0.5, 0.1])]) for _ in range(60)
    ]
    table = rows(given, per_group=3)
    plain = {row["metric"]: row for row in recognition_scores("j", {}, table, WRITER)}
    built = {
        row["metric"]: row
        for row in counts.count_scores("j", {}, counts.counted(table), WRITER)
        if not row["slice"]
    }
    assert set(built) - set(plain) == {"balanced_accuracy"}
    for name, row in plain.items():
        assert [built[name][key] for key in ("value", "low", "high")] == [
            row[key] for key in ("value", "low", "high")
        ]


def test_over_nothing_and_over_one_class():
    empty = counts.count_scores("j", {}, counts.counted(rows([])), WRITER)
    assert {row["value"] for row in empty} == {None} and {row["n"] for row in empty} == {0}
    result = scored([(True, True), (True, False)])
    assert result["recall", False]["value"] == 0.5 and result["tnr", False]["value"] is None
    assert result["balanced_accuracy", False]["value"] is None and result["accuracy", True]["value"] is None


def test_who_never_keeps_the_form_has_no_accuracy_and_is_counted():
    result = scored([(True, None), (False, None)] * 3, "unparsed")
    assert result["unparsed_rate", False]["value"] == 1 and result["no_verdicts", False]["value"] == 6
    given = {name for (name, _), row in result.items() if row["value"] is not None}
    assert given == {"unparsed_rate", "no_verdicts"}


def test_who_never_answered_is_counted_apart():
    result = scored([(True, None), (False, None)] * 3, "dead")
    assert result["no_answers", False]["value"] == 6 and result["unparsed_rate", False]["value"] is None


def test_who_always_says_the_same_is_at_one_half_for_sure_as_its_recalls_are():
    """20 texts of either label, one per group: Wilson's interval of 20 of 20 begins at 20 / (20 + z²) =
    .8389, that of 0 of 20 ends at .1611. One half of both: .8389 / 2 = .4194 and (1 + .1611) / 2 = .5806.
    """
    for answer in (True, False):
        given = rows([(True, answer), (False, answer)] * 20, per_group=1)
        built = counts.count_scores("j", {}, counts.counted(given), WRITER)
        result = {(row["metric"], bool(row["slice"])): row for row in built}
        for name in (("balanced_accuracy", False), ("accuracy", True)):
            assert [result[name][key] for key in ("value", "low", "high")] == pytest.approx(
                [0.5, 0.419437, 0.580563], abs=1e-6
            )
        assert result["precision" if answer else "precision_right", True]["value"] == 0.5
        assert result["precision_right" if answer else "precision", True]["value"] is None


def test_who_is_always_right_may_still_err():
    """Both recalls are 20 of 20: balanced accuracy lies from .8389 to 1. With one error the draws have
    spread.
    """
    given = rows([(True, True), (False, False)] * 20, per_group=1)
    (result,) = (
        row
        for row in counts.count_scores("j", {}, counts.counted(given), WRITER)
        if row["metric"] == "balanced_accuracy"
    )
    assert [result[key] for key in ("value", "low", "high")] == pytest.approx([1, 0.838875, 1], abs=1e-6)
    sums = counts.counted(rows([(True, True), (False, False)] * 19 + [(True, False)], per_group=1))
    assert counts.constant_ends(sums.select(counts.COUNTED).to_numpy(), WRITER) is None


def test_outcomes_have_balanced_accuracy_as_their_mean():
    built = counts.balanced_outcomes(rows(TOLD))
    # B = (6/8 + 1/2) / 2 = 5/8; a hallucinated text that was found: 5/8 + (1 - 6/8) 10 / (2·8); a right one:
    # 5/8 + (1 - 1/2) 10 / (2·2)
    assert built["outcome"].to_list()[0] == pytest.approx(5 / 8 + 10 / 64)
    assert built["outcome"].to_list()[8] == pytest.approx(5 / 8 + 10 / 8)
    assert built["outcome"].mean() == pytest.approx((6 / 8 + 1 / 2) / 2)
    always = counts.balanced_outcomes(rows([(True, True), (False, True), (False, True)]))
    assert always["outcome"].to_list() == [0.5] * 3  # no spread, however the classes are mixed
    assert counts.balanced_outcomes(rows([(True, True)]))["outcome"].to_list() == [None]
    assert counts.balanced_outcomes(rows([(True, None), (False, None)]))["outcome"].to_list() == [None] * 2
