"""The paper's printed figures keep their own sums."""

from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.leaderboard.ledger import load_published
from truerate.tracks.mfava.protocol import PROTOCOL

ROOT = Path(__file__).parents[3]
PUBLISHED = load_published(ROOT / "src/truerate/tracks/mfava/published.csv")


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


def test_each_printed_table_says_why_it_may_not_be_checked():
    tables = {"1", "2", "3", "4", "5", "8", "9", "10", "Fig4"}
    assert set(PUBLISHED["table"]) == tables and set(PUBLISHED["source"]) == {"mfava"}
    assert {table for source, table in PROTOCOL.reasons if source == "mfava"} == tables
    assert {claim.table for claim in PROTOCOL.counted} == {"2", "4", "9"}


# ---- the profile of the paper ------------------------------------------------------------------------------
FAMILIES = {
    "llama": "Llama-3.x",
    "aya": "Aya",
    "qwen": "Qwen-2.5",
    "mistral": "Mistral",
    "gemma": "Gemma-2",
    "eurollm": "EuroLLM",
}
TRAINED = {  # Table 5's settings by their keys in the profile's backbones
    "input_length": "max_tokens",
    "learning_rate": "learning_rate",
    "weight_decay": "weight_decay",
    "batch_size": "batch",
    "gradient_accumulation": "accumulation",
    "epochs": "epochs",
}


def test_the_profile_has_the_settings_of_tables_5_and_8():
    profile = yaml.safe_load((ROOT / "profiles/paper-mfava.yaml").read_text("utf-8"))
    printed = PUBLISHED
    settings = dict(printed.filter(table="5").select("metric", "value").iter_rows())
    for backbone in profile["backbones"].values():
        assert {name: backbone[key] for name, key in TRAINED.items()} == {
            name: settings[name] for name in TRAINED
        }
        assert backbone["lora"] == {key: settings[f"lora_{key}"] for key in ("r", "alpha", "dropout")}
        assert backbone["quantise"] == f"{settings['quantization_bits']:.0f}bit"
    assert profile["sizes"]["full"]["mfava"]["seeds"] == [42, 47, 49]
    assert sorted(printed.filter(table="5", metric="seed")["value"]) == [42, 47, 49]
    answering = profile["tracks"]["mfava"]["answering"]
    for model in (model for model in profile["models"].values() if model["family"] in FAMILIES):
        of_family = printed.filter(table="8", model=FAMILIES[model["family"]])
        values = dict(of_family.select("metric", "value").iter_rows())
        assert values.pop("max_new_tokens") == answering["max_tokens"]
        assert model.get("params", {}) | model.get("extra_body", {}) == values, model["model"]


def test_table_9_sums_to_its_totals():
    """Table 9's totals are the sums of its 30 languages."""
    for metric in ("n_articles", "n_queries", "n_categories"):
        rows = of("9", metric)
        assert (
            rows.filter(pl.col("slice") != "Total")["value"].sum()
            == rows.filter(slice="Total")["value"].item()
        )
