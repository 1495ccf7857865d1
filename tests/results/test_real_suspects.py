"""Labels that judges speak against, and the board with and without corrections, by hand and on committed results."""

import csv
import io
from html import unescape
from math import log2
from pathlib import Path

import polars as pl
import pytest
from tiny_results import HEADER, HOSTILE, outcomes, write_results
from tiny_site import site_of

from truerate.core.schemas import pairs
from truerate.results.pages import label_audit
from truerate.results.read import read_board

ROOT = Path(__file__).parents[2]
LABELS = {"a": [1, 1, 0, 0], HOSTILE: [1, 1, 0, 0]}
LINES = [
    *(f'made_up_rate,"{name}",model,{where},0.5,0.1,0.9,4,{rank},{rank},x' for where, rank in
      (("", 1), ("judge=x", 1), ("rule=uncorrected", 2)) for name in LABELS),
]  # fmt: skip


def written(folder, name="judged", **card):
    """A board of people's labels with a judge x, which errs on one text of the second subject alone."""
    place = write_results(folder, name, **{"labelled_by": "people", "judge": None} | card)
    (place / "scores.csv").write_text("\n".join([HEADER, *LINES]) + "\n", "utf-8")
    led, said = outcomes(LABELS), outcomes({"a": [1, 1, 0, 0], HOSTILE: [1, 0, 0, None]})
    tables = [led, *(_of(said, judge="x"),), _of(led, rule="uncorrected")]
    pl.concat(tables).with_columns(board=pl.lit(name)).write_parquet(place / "rows.parquet")
    return place


def _of(table, **where):
    return table.with_columns(pl.Series("slice", [pairs(**where)] * table.height, dtype=table["slice"].dtype))


def test_a_label_that_the_judge_speaks_against_is_a_suspect_with_its_strength(tmp_path):
    (one,) = read_board(written(tmp_path)).suspects
    assert (one.id, one.is_hallucinated, one.n_against, one.n_judges) == (f"{HOSTILE}/u1", True, 1, 1)
    # of 4 hallucinated it says so of 3: 3.5 / 5; of none of the 3 others that it read: .5 / 4
    assert one.bits == pytest.approx(log2((3.5 / 4) / (1.5 / 5)), abs=0.001)


def test_the_page_has_suspects_and_ranks_with_and_without_and_a_file(tmp_path):
    board = read_board(written(tmp_path))
    pages = site_of(real=(board,))
    page = pages["real/judged.md"]
    assert 'id="suspects"' in page and 'id="errata"' in page and "<script>alert" not in page
    assert "1 of 8 labels are such" in unescape(page) and "2 of 2 rank ranges are others" in unescape(page)
    lines = list(csv.reader(io.StringIO(pages["real/judged-suspects.csv"])))
    assert lines[0] == ["id", "label", "bits", "n_against", "n_judges"] and len(lines) == 2
    assert lines[1][1:] == ["hallucinated", str(board.suspects[0].bits), "1", "1"]


def test_where_a_judge_alone_labelled_there_is_nothing_to_audit(tmp_path):
    assert read_board(written(tmp_path, labelled_by="", judge="judge-1")).suspects == ()


@pytest.mark.parametrize("board", ["faithjudge", "ragtruth", "factscore", "xsum-hallucinations"])
def test_committed_boards_without_people_and_judges_on_the_same_replies_have_no_section(board):
    assert label_audit(read_board(ROOT / "results" / board)) is None


def test_faithbench_has_suspects_of_weak_evidence():
    """Youden's J of each of its eight detectors is at most .12: no label is spoken against by more than 4 bits."""
    found = read_board(ROOT / "results" / "faithbench").suspects
    assert len(found) > 100 and max(one.bits for one in found) < 4
    assert [one.bits for one in found] == sorted((one.bits for one in found), reverse=True)
