"""Files too large to be read whole: the columns that count, equal to what was planted, in every form."""

import polars as pl
import pytest

from truerate.answers.rating import rate
from truerate.core.errors import SourceError
from truerate.sources.answers.table import read_table

N = 100_001


@pytest.fixture(scope="module")
def planted():
    """Texts with quotation marks and line breaks; labels of a few answers late in the file; two systems."""
    number = pl.int_range(N)
    text = pl.concat_str(pl.lit('It "opened",\nin '), number, pl.lit(" they say." + " and more" * 36))
    frame = pl.select(
        id=pl.concat_str(pl.lit("a"), number),
        response=pl.when(number % 1000 != 7).then(text),
        model=pl.when(number % 2 == 0).then(pl.lit("larch")).otherwise(pl.lit("rowan ")),
        judge=(number % 4 == 0).cast(pl.Float64) * 0.75,
        is_hallucinated=pl.when(number % 500 == 499).then(number % 8 == 3),
    )
    return frame.with_columns(pl.when(pl.int_range(N) != 5).then("judge"))


@pytest.mark.parametrize("form", ["parquet", "csv", "ndjson", "frame"])
def test_a_large_source_is_read_by_columns(planted, tmp_path, form):
    source = planted if form == "frame" else tmp_path / f"answers.{form}"
    if form != "frame":
        getattr(planted, f"write_{form}")(source)
    table = read_table(source, verdicts=["judge"])
    frame = table.frame
    assert not table.has_texts and frame.height == N and (frame["answer"] == "").all()
    assert frame["id"].to_list() == planted["id"].to_list()
    assert frame["verdict:judge"].to_list() == planted["judge"].to_list()
    assert frame["label"].to_list() == planted["is_hallucinated"].to_list()
    assert set(frame["system"]) == {"larch", "rowan"}  # as plain names
    assert (frame["state"] == "empty").sum() == planted["response"].null_count()
    report = rate(source, verdicts="judge")
    assert report.rate.k == 200 and report.unjudged == {"no verdict in the file": 1}
    assert report.rate.low <= report.rate.value <= report.rate.high


def test_a_word_that_is_no_verdict_is_one_line(planted, tmp_path):
    word = (
        pl.when(pl.int_range(N) == 70_000).then(pl.lit("perhaps")).otherwise(pl.col("judge").cast(pl.String))
    )
    planted.with_columns(judge=word).write_csv(tmp_path / "x.csv")
    with pytest.raises(SourceError, match="'judge' is 'perhaps'; allowed: true, false"):
        read_table(tmp_path / "x.csv", verdicts=["judge"])
