"""The paper's printed figures keep their own sums."""

from pathlib import Path

import polars as pl
import pytest

from truerate.leaderboard.ledger import load_published

PUBLISHED = load_published(Path(__file__).parents[3] / "src/truerate/tracks/mfava/published.csv")


def of(table: str, metric: str = "") -> pl.DataFrame:
    return PUBLISHED.filter((pl.col("table") == table) & pl.col("metric").str.starts_with(metric))


def test_gold_spans_sum_to_their_totals():
    parts, totals = of("2").filter(pl.col("metric") != "gold_spans_Total"), of("2", "gold_spans_Total")
    sums = dict(parts.group_by("slice").agg(pl.col("value").sum()).iter_rows())
    assert (
        sums
        == dict(totals.select("slice", "value").iter_rows())
        == {"ar": 667, "de": 1777, "ru": 1088, "tr": 1018, "zh": 1227}
    )
    assert sum(sums.values()) == 5777


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
@pytest.mark.parametrize("kind", ["gold", "silver"])
def test_averages_over_languages(metric, kind):
    rows = of("10", metric).filter(pl.col("slice").str.ends_with(f"/{kind}"))
    printed = rows.filter(pl.col("slice").str.starts_with("Average"))["value"].item()
    actual = rows.filter(~pl.col("slice").str.starts_with("Average"))["value"].mean()
    assert actual == pytest.approx(printed, abs=0.011)


def test_means_over_models_and_over_languages_are_one():
    whole = of("Fig4", "HR_est").filter(pl.col("metric") == "HR_est")
    by_language = whole.filter(
        (pl.col("model") == "mean of 11 LLMs") & (pl.col("slice") != "mean of 30 languages")
    )["value"]
    by_model = whole.filter(
        (pl.col("model") != "mean of 11 LLMs")
        & (pl.col("model") != "Average")
        & (pl.col("slice") == "mean of 30 languages")
    )["value"]
    assert len(by_language) == 30 and len(by_model) == 11
    assert by_language.mean() == pytest.approx(10.59, abs=0.01) and by_model.mean() == pytest.approx(
        10.59, abs=0.01
    )


def test_only_results_stand_in_the_ledger():
    assert set(PUBLISHED["table"]) == {"2", "3", "10", "Fig4"} and set(PUBLISHED["source"]) == {"mfava"}
