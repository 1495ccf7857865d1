"""Who is named and does nothing is told, at the plan and at the end of a build; nothing is said where all is asked."""

from pathlib import Path

import polars as pl
import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import (
    Generation,
    Judgement,
    Reject,
    Sample,
    Score,
    frame,
    generation_row,
    judgement_row,
    pairs,
    reject_row,
    score_row,
    write_parquet,
)
from truerate.pipeline.checks.unasked import (
    on_page,
    silent_detectors,
    thin_cells,
    unasked,
    unheard,
    unsearched,
)

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
    labels = Path(at.labels(BOARD, "samples"))
    labels.parent.mkdir(parents=True)
    write_parquet(frame(Sample), labels)
    (line,) = silent_detectors(at, BOARD)
    assert line.startswith(f"board '{BOARD}' has no labelled text, so") and "truerate annotate" in line


def test_labels_of_which_all_are_screened_out_are_told(at):
    out = reject_row(where="labels", target_id="ada", reason="screened_out", detail=".2 right", text="")
    label_tables = {"rejects": frame(Reject, [out]), "samples": frame(Sample)}
    Path(at.labels(BOARD)).mkdir(parents=True)
    for name, table in label_tables.items():
        write_parquet(table, at.labels(BOARD, name))
    (line,) = unheard(at, BOARD)
    assert line.endswith("no labelled text, as screening left out ada (such as: .2 right)")
    write_parquet(frame(Reject), at.labels(BOARD, "rejects"))
    assert [*unheard(at, BOARD)] == []


def test_a_model_that_is_to_search_and_tells_no_result_is_told(at):
    def reply(model: str, n: int, retrieved: str | None = None, status: str = "ok") -> dict:
        named = {"generation_id": f"{model}{n}", "item_id": f"i{n}", "purpose": "detect", "model": model}
        told = pairs(retrieved=retrieved)
        return generation_row(**named, text="x", prompt_key="k", status=status, attributes=told)

    values = at.p.model_dump()
    values["endpoints"]["web"] = {"base_url": "http://127.0.0.1:9/v1"}
    of_web = {"endpoint": "web", "retrieval": True}
    values["models"] |= {name: {**of_web, "model": name} for name in ("silent", "telling", "dead")}
    values["models"]["aster"]["retrieval"] = True  # simulated: what it looks up is planted
    values["tracks"]["halludial"]["subjects"] = ("aster", "silent", "telling", "dead")
    at = Layout(Params.model_validate(values))
    assert [*unsearched(at, BOARD)] == []  # nothing is built
    rows = [reply("aster", 1), reply("silent", 1), reply("silent", 2), reply("silent", 3, status="dead")]
    rows += [reply("telling", 1), reply("telling", 2, '[{"url": "https://a.example"}]')]
    rows += [reply("dead", 1, status="dead")]
    path = Path(at.dataset(BOARD, "generations"))
    path.parent.mkdir(parents=True)
    write_parquet(frame(Generation, rows), path)
    (line,) = unsearched(at, BOARD)
    assert "model 'silent' is declared with retrieval: true, and none of its 2 replies" in line
    assert line in on_page(at, BOARD, ["aster"])


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
