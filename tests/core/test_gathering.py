"""Tables that outgrow memory: written from slices as one, and held to the rules of the whole."""

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import (
    Gathered,
    Judgement,
    frame,
    gathering,
    judgement_row,
    load,
    save_in_parts,
    save_query,
)


def judgements(*names: str, verdict: bool = True) -> pl.DataFrame:
    said = {"judge": "j", "judge_version": "1", "target_id": "t", "verdict": verdict}
    return frame(Judgement, [judgement_row(judgement_id=name, **said) for name in names])


def gathered(folder, *slices: pl.DataFrame) -> list:
    folder.mkdir()
    rows = Gathered({"judgements": Judgement}, folder)
    for one in slices:
        rows.keep({"judgements": one})
    return rows.files()["judgements"]


def test_rows_that_come_in_slices_are_written_as_one_sorted_table(tmp_path, monkeypatch):
    monkeypatch.setattr(gathering, "WAITING", 3)
    slices = [judgements(*names) for names in ("hb", "", "ga", "fc", "ed")]
    files = gathered(tmp_path / "rows", *slices)
    assert len(files) == 2  # two slices of two rows are put together before they go to disk
    path = tmp_path / "whole" / "judgements.parquet"
    for n in (1, 3, 100):
        save_in_parts(Judgement, files, path, key="judgement_id", n=n, keeps_first=False)
        assert load(Judgement, path).equals(pl.concat(slices).sort("judgement_id"))
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_of_no_file_an_empty_table_is_written(tmp_path):
    save_in_parts(Judgement, [], tmp_path / "whole.parquet", key="judgement_id")
    assert load(Judgement, tmp_path / "whole.parquet").equals(frame(Judgement))


def test_where_parts_are_cut_changes_no_byte(tmp_path):
    names = [f"{place * 7919 % 1000:03}" for place in range(1000)]
    files = gathered(tmp_path / "rows", judgements(*names[:500]), judgements(*names[500:]))
    found = set()
    for n in (90, 400):
        save_in_parts(Judgement, files, tmp_path / f"{n}", key="judgement_id", n=n, group=300)
        found.add((tmp_path / f"{n}").read_bytes())
    assert len(found) == 1


@pytest.mark.parametrize("n", [1, 2, 100])
def test_a_key_that_another_slice_has_is_refused_or_the_first_stands(tmp_path, monkeypatch, n):
    monkeypatch.setattr(gathering, "WAITING", 1)
    files = gathered(
        tmp_path / "rows", judgements(*"abc"), judgements(*"de"), judgements(*"bf", verdict=False)
    )
    path = tmp_path / "whole.parquet"
    with pytest.raises(TruerateError, match=r"whole\.parquet: not a Judgement table: .*judgement_id"):
        save_in_parts(Judgement, files, path, key="judgement_id", n=n, keeps_first=False)
    assert not path.exists() and sorted(one.name for one in tmp_path.iterdir()) == ["rows"]
    save_in_parts(Judgement, files, path, key="judgement_id", n=n)
    found = dict(load(Judgement, path).select("judgement_id", "verdict").iter_rows())
    assert found == dict.fromkeys("abcde", True) | {"f": False}


def test_a_row_that_breaks_a_rule_is_refused_in_whatever_part_it_stands(tmp_path):
    wrong = judgements("c").with_columns(status=pl.lit("lost"))
    files = gathered(tmp_path / "rows", judgements("a", "b"), wrong)
    with pytest.raises(TruerateError, match="not a Judgement table.*lost"):
        save_in_parts(Judgement, files, tmp_path / "whole.parquet", key="judgement_id", n=1)


def test_with_one_key_in_many_drawn_every_row_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(gathering, "KEYS", 4)
    files = gathered(tmp_path / "rows", judgements(*"khbjeaz"), judgements(*"gcyfid"))
    save_in_parts(Judgement, files, tmp_path / "whole", key="judgement_id", n=4, keeps_first=False)
    assert "".join(load(Judgement, tmp_path / "whole")["judgement_id"]) == "abcdefghijkyz"


def test_a_query_is_written_in_its_order_and_held_to_the_rules_of_its_table(tmp_path, monkeypatch):
    monkeypatch.setattr(gathering, "PART_ROWS", 2)
    path, rows = tmp_path / "j.parquet", judgements(*"dbeac")
    save_query(Judgement, rows.lazy(), path, group=2)
    assert load(Judgement, path).equals(rows)
    twice = pl.concat([judgements(*"fgh"), judgements("f", verdict=False)])
    with pytest.raises(TruerateError, match="not a Judgement table: column 'judgement_id' is not unique"):
        save_query(Judgement, twice.lazy(), path)
    assert load(Judgement, path).equals(rows)
    assert [one.name for one in tmp_path.iterdir()] == ["j.parquet"]
