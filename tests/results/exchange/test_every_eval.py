"""Boards as Every Eval Ever: what each field holds, its published schema, and the way back by our own reader."""

import json
import os
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from results_made import BOARD, RATE

from tests.results.exchange.made import MODELS, committed
from truerate.cli import main
from truerate.config import Source
from truerate.core.errors import SettingsError
from truerate.results.exchange.every_eval import every_eval_files
from truerate.results.exchange.unit_texts import Texts
from truerate.sources.answers.exports import read_export
from truerate.sources.reading import read_source

WHEEL = "EVERY_EVAL_EVER"  # names the wheel of every-eval-ever 0.3.0
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
RATES = {"aster": 0.2, "birch": 0.3, "cedar": 1.0}  # 2, 3 and 10 of ten


def aggregates(files):
    return {path: json.loads(content) for path, content in files.items() if path.endswith(".json")}


def lines(files):
    return [
        json.loads(line) for path in files if path.endswith(".jsonl") for line in files[path].splitlines()
    ]


def with_texts(board):
    """The board with a text for each of its units."""
    units = board.rows.select("subject", "where", "unit_id").rows()
    return replace(
        board, texts={unit: Texts(f"Who is {unit[2]}?", f"{unit[0]} says so.", ("Ada",)) for unit in units}
    )


def written(board, folder):
    files = every_eval_files(board)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return files


def test_a_model_has_one_aggregate_with_its_rate_interval_ranks_and_licence(tmp_path, monkeypatch):
    board = committed(tmp_path, monkeypatch, models=MODELS)
    files = every_eval_files(board)
    assert all(
        re.fullmatch(rf"data/{BOARD}/[\w]+/[\w]+/{UUID}(\.json|_samples\.jsonl)", path) for path in files
    )
    of_model = {log["model_info"]["id"]: log for log in aggregates(files).values()}
    assert set(of_model) == {"alder/aster", "unknown/birch"}  # what is no model stays out
    aster = of_model["alder/aster"]
    assert aster["model_info"]["developer"] == "Alder Labs"
    assert aster["model_info"]["additional_details"]["model_availability"] == "open_weights"
    (score,) = aster["evaluation_results"]
    assert score["metric_config"]["lower_is_better"] is True
    assert score["metric_config"]["additional_details"] == {"labelled_by": "people"}
    details = score["score_details"]
    interval = details["uncertainty"]["confidence_interval"]
    assert details["score"] == 0.2 and details["uncertainty"]["num_samples"] == 10
    # Wilson's for 2 of 10 at 95 %: (2 + 1.9207 ± 1.96 √(2 · 8 / 10 + .9604)) / 13.8415
    assert (interval["lower"], interval["upper"]) == pytest.approx((0.0567, 0.5098), abs=1e-4)
    assert interval["confidence_level"] == 0.95 and "Wilson" in interval["method"]
    assert details["details"]["rank_range"] == "1–2"
    said = aster["source_metadata"]
    assert (said["source_type"], said["additional_details"]["licence"]) == ("evaluation_run", "CC0")
    assert score["source_data"] == {
        "dataset_name": "Made", "source_type": "other", "additional_details": {"licence": "CC0"}
    }  # fmt: skip


def test_a_judge_stands_where_no_people_labelled(tmp_path, monkeypatch):
    board = committed(tmp_path, monkeypatch, judge="o9-mini", labelled_by="")
    (score,) = next(iter(aggregates(every_eval_files(board)).values()))["evaluation_results"]
    (judge,) = score["metric_config"]["llm_scoring"]["judges"]
    assert judge["model_info"]["name"] == "o9-mini"


def test_the_units_carry_no_text_that_may_not_be_passed_on(tmp_path, monkeypatch):
    units = lines(every_eval_files(committed(tmp_path, monkeypatch)))
    assert len(units) == 30
    assert {unit["input"]["raw"] for unit in units} == {""} and {
        tuple(u["output"]["raw"]) for u in units
    } == {()}
    assert all("sample_hash" not in unit and "not here" in unit["metadata"]["text"] for unit in units)


def test_the_same_board_gives_the_same_bytes_whenever_it_is_written(tmp_path, monkeypatch):
    board = committed(tmp_path, monkeypatch)
    files = every_eval_files(board)
    assert files == every_eval_files(board)
    assert {log["retrieved_timestamp"] for log in aggregates(files).values()} == {"0"}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    dated = every_eval_files(board)
    assert set(dated) == set(files)
    assert {log["retrieved_timestamp"] for log in aggregates(dated).values()} == {"1767225600"}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(SettingsError, match="SOURCE_DATE_EPOCH is 'today'; allowed: whole seconds"):
        every_eval_files(board)


def test_what_units_add_to_an_estimate_is_no_score_of_theirs(tmp_path, monkeypatch):
    board = committed(tmp_path, monkeypatch)
    beyond = board.rows["value"].replace_strict({0.0: -0.25, 1.0: 1.0})
    files = every_eval_files(replace(board, rows=board.rows.with_columns(value=beyond)))
    assert not lines(files) and len(files) == 3
    assert not any("detailed_evaluation_results" in log for log in aggregates(files).values())


@pytest.mark.parametrize("has_texts", [False, True])
def test_read_back_by_our_reader_the_rates_are_the_same(tmp_path, monkeypatch, has_texts):
    board = committed(tmp_path, monkeypatch)
    files = written(with_texts(board) if has_texts else board, tmp_path)
    rates = {}
    for path in files:
        if path.endswith(".jsonl"):
            export = read_export(tmp_path / path, files[path])
            assert export.tool == "Every Eval Ever"
            verdicts = [record["verdicts"][RATE.name] for record in export.records]
            rates[export.records[0]["system"].split("/")[1]] = sum(verdicts) / len(verdicts)
    assert rates == pytest.approx(RATES)


def test_a_store_of_it_is_a_source_of_a_board(tmp_path, monkeypatch):
    written(with_texts(committed(tmp_path, monkeypatch)), tmp_path / "store")
    rights = {"name": "Made", "licence": "CC0-1.0", "citation": "us"}
    source = Source.model_validate({"reader": "answers", "path": "store", "rights": rights})
    samples = read_source("store", source, Path("store"), "stop").samples
    shares = {name: part["is_hallucinated"].mean() for (name,), part in samples.group_by("generator")}
    assert shares == pytest.approx({f"unknown/{name}": rate for name, rate in RATES.items()})


def test_the_command_writes_a_committed_board_and_names_what_it_knows(tmp_path, monkeypatch, capsys):
    committed(tmp_path, monkeypatch)
    assert main(["board", BOARD, "--eee", "out"]) == 0
    assert "3 models, 3 scores, 30 lines of units" in capsys.readouterr().out
    assert len(list(Path("out").rglob("*.json*"))) == 6
    assert main(["board", "made-upp", "--eee", "out"]) == 2
    told = capsys.readouterr().err
    assert "did you mean 'made-up'?" in told and "halueval-closed-world" in told and told.count("\n") == 1
    assert main(["board", BOARD, "--eee", "out", "--table", "rates"]) == 2
    assert "no table 'rates' of scores; its tables: replies" in capsys.readouterr().err
    Path("file").touch()
    assert main(["board", BOARD, "--eee", "file"]) == 2


def test_every_line_and_aggregate_holds_by_the_published_schema(tmp_path, monkeypatch):
    jsonschema = pytest.importorskip("jsonschema")
    wheel = os.environ.get(WHEEL)
    if not wheel:
        pytest.skip(
            f"{WHEEL} names no wheel: pip download --no-deps --python-version 3.12 every-eval-ever==0.3.0"
        )
    with zipfile.ZipFile(wheel) as packed:
        schemas = [
            json.loads(packed.read(f"every_eval_ever/schemas/{name}.schema.json"))
            for name in ("eval", "instance_level_eval")
        ]
    whole, of_line = map(jsonschema.Draft7Validator, schemas)
    for changed in ({}, {"judge": "o9-mini", "labelled_by": ""}):
        board = committed(tmp_path, monkeypatch, **changed)
        for files in (every_eval_files(board), every_eval_files(with_texts(board))):
            assert [
                error.message for log in aggregates(files).values() for error in whole.iter_errors(log)
            ] == []
            assert [error.message for line in lines(files) for error in of_line.iter_errors(line)] == []
