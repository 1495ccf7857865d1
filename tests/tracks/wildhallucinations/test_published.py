"""What the paper printed agrees with itself, and where it does not."""

from pathlib import Path

import polars as pl
import pytest

from truerate.leaderboard.consistency import check_totals
from truerate.leaderboard.ledger import load_published
from truerate.tracks.wildhallucinations.protocol import PROTOCOL

PUBLISHED = load_published(Path(__file__).parents[3] / "src/truerate/tracks/wildhallucinations/published.csv")


def of(table: str, metric: str) -> pl.DataFrame:
    return PUBLISHED.filter(table=table, metric=metric)


def test_only_results_stand_in_the_ledger():
    assert set(PUBLISHED["table"]) == {"4", "5", "6", "7", "8"}
    assert set(PUBLISHED["source"]) == {"wildhallucinations"}
    assert {("wildhallucinations", table) for table in PUBLISHED["table"]} <= set(PROTOCOL.reasons)
    assert PUBLISHED.height == 161 and of("5", "wildfactscore")["model"].n_unique() == 15


def test_the_evaluators_errors_sum_to_their_totals():
    lines = check_totals(PUBLISHED, PROTOCOL.totals)
    assert [line["verdict"] for line in lines] == ["consistent"] * 3
    assert sorted(line["published"] for line in lines) == [19.44, 25.92, 26.67]


def test_the_common_entities_are_more_than_one_model_responds_to():
    responding = PUBLISHED.filter(table="4", model="Claude 3 Haiku", metric="pct_responding")["value"].item()
    assert responding / 100 * 7919 == pytest.approx(5748, abs=1) and 5748 < 5891
