"""A table that is read part by part is the table, checked as a whole."""

import tempfile

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, frame, judgement_row, save, set_apart, write_parquet

PARTS = pl.DataFrame({"target_id": ["a", "b", "c"], "part": ["en", "de", "en"]})


def rows(*targets: str, judge: str = "j") -> list[dict]:
    return [
        judgement_row(
            judgement_id=f"{judge}{place}-{target}",
            judge=judge,
            judge_version="1",
            target_id=target,
            verdict=True,
            spans=[{"start": 0, "end": place, "type": None, "p": 0.5}],
        )
        for place, target in enumerate(targets)
    ]


def written(path, made: list[dict]) -> pl.DataFrame:
    table = frame(Judgement, made)
    write_parquet(table, path)
    return table


@pytest.mark.parametrize("n_at_once", [1, 2, 100])
def test_each_part_has_its_rows_in_their_order(tmp_path, n_at_once):
    first = written(tmp_path / "1.parquet", rows("c", "b", "a", "nobody", "a"))
    other = written(tmp_path / "2.parquet", rows("a", judge="k"))
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    with set_apart(Judgement, paths, parts=PARTS, n_at_once=n_at_once) as found:
        assert list(found) == ["de", "en"]
        assert found["de"].collect().equals(first.filter(target_id="b"))
        assert found["en"].collect().equals(pl.concat([first[[0, 2, 4]], other]))


def test_rows_of_one_value_lie_together_and_keep_their_order(tmp_path):
    made = [*rows("a", "c"), *rows("a", "c", judge="i"), *rows("a", judge="j")[:0]]
    table = written(tmp_path / "1.parquet", made[::-1])
    columns = ("judgement_id", "judge", "target_id")
    rule = pl.col("target_id") != "b"
    with set_apart(
        Judgement, [tmp_path / "1.parquet"], parts=PARTS, columns=columns, rows=rule, within="judge"
    ) as found:
        assert found["en"].collect().equals(table.select(columns).sort("judge", maintain_order=True))
        assert found["en"].filter(judge="j").collect().equals(table.select(columns).filter(judge="j"))
        assert found["de"].collect().equals(table.select(columns).clear())


def test_a_file_without_rows_has_empty_parts(tmp_path):
    save(Judgement, frame(Judgement), tmp_path / "1.parquet")
    with set_apart(Judgement, [tmp_path / "1.parquet"], parts=PARTS) as found:
        assert all(part.collect().equals(frame(Judgement)) for part in found.values()) and len(found) == 2


@pytest.mark.parametrize(
    ("place", "column", "value"),
    [(1, "status", "none of these"), (2, "judgement_id", "j0-a"), (2, "p", 2.0)],
    ids=["not-allowed", "twice-in-the-file", "out-of-range"],
)
def test_a_row_that_breaks_a_rule_is_refused_wherever_it_lies(tmp_path, place, column, value):
    made = rows("a", "b", "nobody")
    made[place][column] = value
    written(tmp_path / "1.parquet", made)
    with pytest.raises(TruerateError, match="not a Judgement table"):
        with set_apart(Judgement, [tmp_path / "1.parquet"], parts=PARTS, n_at_once=1):
            raise AssertionError("the block must not begin")


def test_a_missing_or_broken_file_is_one_line_and_nothing_stays_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    (tmp_path / "broken.parquet").write_text("no table")
    for name, what in (("absent.parquet", "it is not there"), ("broken.parquet", "delete it")):
        with (
            pytest.raises(TruerateError, match=what),
            set_apart(Judgement, [tmp_path / name], parts=PARTS),
        ):
            raise AssertionError("the block must not begin")
    written(tmp_path / "1.parquet", rows("a"))
    with set_apart(Judgement, [tmp_path / "1.parquet"], parts=PARTS):
        assert list((tmp_path / "scratch").iterdir())
    assert not list((tmp_path / "scratch").iterdir())
