"""Committed results: what is written is read, what the rows give holds, and what is not so is refused in a
line.
"""

import json
import os

import polars as pl
import pytest
from results_made import BOARD, result

from tests.cases import case_table
from truerate.cli import main
from truerate.core.errors import TruerateError
from truerate.core.schemas import Outcome, save
from truerate.results.files import (
    CARD,
    ROWS,
    SCORES,
    boards_of,
    load_result,
    save_result,
    slice_text,
    slice_texts,
)
from truerate.results.recompute import differences

CASES = case_table(__file__)


@pytest.fixture
def folder(tmp_path):
    save_result(result(), tmp_path / BOARD)
    return tmp_path / BOARD


def test_scores_are_means_over_units_with_wilsons_interval_and_a_rank_range(folder):
    scores = {row["subject"]: row for row in load_result(folder).scores.to_dicts()}
    assert [scores[name]["value"] for name in ("aster", "birch", "cedar")] == [0.2, 0.3, 1.0]
    # Wilson 1927 at z = 1.96 for 2 of 10: (0.2 + z²/20 ± z √(0.016 + z²/400)) / (1 + z²/10)
    assert (scores["aster"]["low"], scores["aster"]["high"]) == pytest.approx((0.0567, 0.5098), abs=1e-4)
    # aster and birch differ in one unit of ten; cedar in eight and seven, all in one direction
    ranks = {name: (row["rank_low"], row["rank_high"]) for name, row in scores.items()}
    assert ranks == {"aster": (1, 2), "birch": (1, 2), "cedar": (3, 3)}


def test_the_same_result_is_the_same_bytes_and_reads_back(folder, tmp_path):
    save_result(load_result(folder), tmp_path / "again")
    for name in (CARD, SCORES, ROWS):
        assert (folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    assert differences(load_result(folder)) == []


def test_the_command_says_that_a_result_holds(folder, capsys):
    assert main(["real", "--check", str(folder.parent)]) == 0
    assert capsys.readouterr().out == f"holds: {BOARD}: 3 scores of 3 subjects from 30 rows\n"


def changed_score(folder, **cells):
    table = pl.read_csv(folder / SCORES)
    for name, value in cells.items():
        table = table.with_columns(
            pl.when(pl.col("subject") == "aster").then(value).otherwise(name).alias(name)
        )
    table.write_csv(folder / SCORES)


@pytest.mark.parametrize(("cells", "message"), CASES["a_score_that_the_rows_do_not_give_is_told"])
def test_a_score_that_the_rows_do_not_give_is_told(folder, cells, message, capsys):
    changed_score(folder, **cells)
    assert main(["real", "--check", str(folder.parent)]) == 2
    output = capsys.readouterr()
    assert (
        message in output.out and "hallucination_rate of aster" in output.out and output.out.count("\n") == 1
    )
    assert BOARD in output.err and "Traceback" not in output.err


def test_a_score_without_rows_and_rows_without_a_score_are_told(folder):
    table = pl.read_csv(folder / SCORES, schema_overrides={"slice": pl.String})
    ghost = table.filter(subject="aster").with_columns(subject=pl.lit("ghost"))
    pl.concat([table, ghost]).write_csv(folder / SCORES)
    assert [line for line in differences(load_result(folder)) if "ghost" in line and "no unit" in line]
    table.with_columns(slice=pl.lit("task=qa")).write_csv(folder / SCORES)
    assert any("birch" in line and "does not have it" in line for line in differences(load_result(folder)))
    table.filter(pl.col("subject") != "birch").write_csv(folder / SCORES)
    with pytest.raises(TruerateError, match="units of 'birch', of which scores.csv has no score"):
        load_result(folder)


def card_with(**values):
    def change(folder):
        card = json.loads((folder / CARD).read_text("utf-8")) | values
        (folder / CARD).write_text(json.dumps(card), "utf-8")

    return change


def rows_with(**columns):
    def change(folder):
        rows = pl.read_parquet(folder / ROWS).with_columns(**columns)
        save(Outcome, rows, folder / ROWS)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / ROWS).unlink(), "no file 'rows.parquet'"),
        (lambda folder: (folder / ROWS).write_bytes(b"PAR1 no"), "rows.parquet"),
        (lambda folder: (folder / CARD).write_text("{"), "its JSON"),
        (lambda folder: (folder / CARD).write_bytes(b"\xff\xfe"), "card.json"),
        (card_with(board="../../other"), "board"),
        (card_with(board="another"), "of board 'another'"),
        (card_with(licence="mine"), "licence"),
        (card_with(title="x" * 10**6), "title"),
        (card_with(metrics=[]), "no record"),
        (lambda folder: (folder / SCORES).write_text("a,b\n1,2\n"), "other columns"),
        (lambda folder: (folder / SCORES).write_text('metric,"\n'), "scores.csv"),
        (lambda folder: (folder / SCORES).write_bytes(b"\xff\xfe\x00"), "scores.csv"),
        (rows_with(board=pl.lit("other")), "rows of board 'other'"),
        (rows_with(metric=pl.lit("a<script>")), "no record"),
        (rows_with(unit_id=pl.lit("u1")), "a unit twice"),
        (rows_with(value=pl.lit(float("nan"))), "no number"),
        (lambda folder: changed_score(folder, value=float("inf")), "no number"),
        (lambda folder: os.symlink("/etc/passwd", _gone(folder / SCORES)), "no file 'scores.csv'"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(folder, change, message, capsys):
    change(folder)
    with pytest.raises(TruerateError, match=message) as caught:
        load_result(folder)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    assert main(["real", "--check", str(folder.parent)]) == 2
    assert message in capsys.readouterr().out


def _gone(path):
    path.unlink()
    return path


def test_counts_of_the_card_are_held_too(folder):
    card_with(n_units=11)(folder)
    assert differences(load_result(folder)) == [f"{BOARD}: card.json says n_units 11, its rows hold 10"]


@pytest.mark.parametrize("make", [False, True])
def test_no_results_are_one_line(tmp_path, make, capsys):
    results = tmp_path / "results"
    if make:
        results.mkdir()
    assert main(["real", "--check", str(results)]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and "results" in message


def test_without_a_folder_nothing_is_built(capsys):
    assert main(["real"]) == 2
    assert "name the folder of public files" in capsys.readouterr().err


def test_boards_are_folders(folder):
    (folder.parent / "README.md").write_text("words")
    assert boards_of(folder.parent) == [BOARD]


# ---- What stands in a committed result, as text

SLICES = CASES["slices"]


def test_the_texts_of_a_column_are_those_of_its_slices():
    column = pl.Series("slice", [*SLICES, None], dtype=Outcome.to_schema().dtypes["slice"].type)
    texts = pl.select(slice_texts(pl.lit(column))).to_series().to_list()
    assert texts == ["", "lang=en", "lang=en;task=a=b;{}", "split=", None]
    assert texts[:-1] == [slice_text(pairs) for pairs in SLICES]
