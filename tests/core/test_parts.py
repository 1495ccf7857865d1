"""A table that is read in parts is the table, checked as a whole, whatever is made of the parts."""

import tempfile

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import (
    Document,
    Judgement,
    frame,
    judgement_row,
    load,
    load_in_parts,
    read_in_parts,
    save,
    set_apart,
    write_parquet,
)

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


def named(*names: str) -> pl.DataFrame:
    """Judgements of these ids, in this order."""
    said = {"judge": "j", "judge_version": "1", "target_id": "t", "verdict": True}
    return frame(Judgement, [judgement_row(judgement_id=name, **said) for name in names])


# ---- what is read -------------------------------------------------------------------------------------------


def test_parts_are_the_rows_of_the_file_in_its_order(tmp_path):
    path = tmp_path / "whole.parquet"
    save(Judgement, named(*"ebdca"), path)
    found = ["".join(part["judgement_id"]) for part in read_in_parts(Judgement, path, n_at_once=2)]
    assert found == ["eb", "dc", "a"]
    some = {"rows": pl.col("judgement_id") > "b", "columns": ["judge", "judgement_id"]}
    parts = list(read_in_parts(Judgement, path, n_at_once=2, **some))
    assert [part.height for part in parts] == [1, 2, 0]
    assert pl.concat(parts).equals(load(Judgement, path, **some))


def test_of_a_file_without_rows_there_is_one_part_and_its_columns_are_looked_at(tmp_path):
    path = tmp_path / "whole.parquet"
    save(Judgement, frame(Judgement), path)
    (only,) = read_in_parts(Judgement, path)
    assert only.equals(frame(Judgement))
    for wrong in (frame(Document), frame(Judgement).with_columns(more=pl.lit("x")).clear()):
        write_parquet(wrong, path)
        with pytest.raises(TruerateError, match="not a Judgement table"):
            list(read_in_parts(Judgement, path))


@pytest.mark.parametrize("names", ["abca", "abbc", "aa", "abcdb", "dcbad"])
def test_a_key_that_stands_in_two_parts_is_refused(tmp_path, names):
    path = tmp_path / "whole.parquet"
    write_parquet(named(*names), path)
    with pytest.raises(TruerateError, match=r"whole\.parquet: not a Judgement table: .*judgement_id"):
        list(read_in_parts(Judgement, path, n_at_once=2))


def test_of_rows_that_are_not_read_a_key_may_stand_twice(tmp_path):
    path, rule = tmp_path / "whole.parquet", pl.col("target_id") != "other"
    other = named(*"ad").with_columns(target_id=pl.lit("other"))
    write_parquet(pl.concat([named(*"dbca"), other]), path)
    found = list(read_in_parts(Judgement, path, rows=rule, n_at_once=2))
    assert pl.concat(found).equals(load(Judgement, path, rows=rule)) and [one.height for one in found] == [
        2,
        2,
        0,
    ]
    with pytest.raises(TruerateError, match="judgement_id"):
        list(read_in_parts(Judgement, path, n_at_once=2))


def test_a_large_table_is_made_smaller_while_it_is_read(tmp_path):
    path, heights = tmp_path / "whole.parquet", []

    def emptied(rows):
        heights.append(rows.height)
        return rows.with_columns(judge=pl.lit(""))

    save(Judgement, named(*"abcde"), path)
    found = load_in_parts(Judgement, path, emptied, columns=["judgement_id", "judge"], n_at_once=2)
    assert found.rows() == [(name, "") for name in "abcde"] and heights == [2, 2, 1]
    some = load_in_parts(Judgement, path, emptied, rows=pl.col("judgement_id") > "c", n_at_once=2)
    assert some["judgement_id"].to_list() == ["d", "e"]
    with pytest.raises(TruerateError, match="it is not there"):
        load_in_parts(Judgement, tmp_path / "none", emptied)
    with pytest.raises(TruerateError):
        load_in_parts(Document, path, emptied)


# ---- set apart ----------------------------------------------------------------------------------------------


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
