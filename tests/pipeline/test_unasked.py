"""Who is named and does nothing is told, at the plan and at the end of a build; nothing is said where all is asked."""

from pathlib import Path

import polars as pl
import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, Score, frame, judgement_row, score_row, write_parquet
from truerate.pipeline.checks.unasked import on_page, silent_detectors, thin_cells, unasked

BOARD = "halludial-closed-world"
ALL = {
    ("respond", "aster"): 5,
    ("annotate", "quill"): 5,
    ("induce", "quill"): 3,
    ("detect", "aster"): 2,
    ("meta", "quill"): 2,
}


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    """The committed settings with one responder and one subject, in an empty folder."""
    values = load_params("params.yaml").model_dump()
    values["tracks"]["halludial"] |= {"responders": ("aster",), "subjects": ("aster",)}
    monkeypatch.chdir(tmp_path)
    return Layout(Params.model_validate(values))


def test_nothing_is_told_where_each_role_is_asked_something(at):
    assert unasked(at, BOARD, ALL) == []


def test_a_model_is_told_once_with_each_role_in_which_nothing_is_asked(at):
    (line,) = unasked(at, BOARD, ALL | {("annotate", "quill"): 0, ("induce", "quill"): 0})
    assert line.startswith(f"board '{BOARD}' asks model 'quill' nothing as annotator, inducer:")
    (line,) = unasked(at, BOARD, {key: n for key, n in ALL.items() if key[0] != "detect"})
    assert "'aster' nothing as subjects" in line and "tracks.halludial.subjects" in line


def test_a_detector_without_a_judgement_is_told(at):
    path = Path(at.judgements("hallujudge", BOARD))
    path.parent.mkdir(parents=True)
    write_parquet(frame(Judgement), path)
    (line,) = silent_detectors(at, BOARD)
    assert "detector 'hallujudge-tiny' judged none of its texts" in line
    row = judgement_row(
        judgement_id="j", judge="hallujudge-tiny", judge_version="1", target_id="t", verdict=True
    )
    write_parquet(frame(Judgement, [row]), path)
    assert [*silent_detectors(at, BOARD)] == []


def rates(*cells: tuple[str, str, int]) -> pl.DataFrame:
    """Raw and corrected rates of one responder by unit and history."""
    rows = [
        score_row(
            "hallucination_rate",
            "aster",
            {"unit": unit, "history": history, "estimator": name},
            0.5,
            k,
            board=BOARD,
            inputs="i",
        )
        for unit, history, n in cells
        for name, k in (("raw", n), ("rogan-gladen", 1))
    ]
    return frame(Score, rows)


def test_a_cell_of_a_tenth_of_its_neighbours_texts_is_told(at):
    path = Path(
        at.scores(BOARD, "scores.parquet" if at.scores(BOARD, "scores").endswith(".parquet") else "scores")
    )
    path.parent.mkdir(parents=True)
    write_parquet(
        rates(("turn", "gold", 15), ("turn", "self", 35), ("dialogue", "gold", 1), ("dialogue", "self", 10)),
        path,
    )
    (line,) = thin_cells(at, BOARD)
    assert (
        "1 cells of hallucination_rate" in line
        and "'aster' (unit dialogue): n = 1 with history gold, 10 with history self" in line
    )
    write_parquet(rates(("turn", "gold", 15), ("turn", "self", 35)), path)
    assert [*thin_cells(at, BOARD)] == []


def test_the_page_names_the_model_without_a_reply(at):
    assert on_page(at, BOARD, ["aster", "quill"]) == ()
    (line,) = on_page(at, BOARD, ["quill"])
    assert "asks model 'aster' nothing as responders, subjects" in line
