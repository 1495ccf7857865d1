"""The Hub's benchmark files: tasks of a published set, and a model's values on them."""

from pathlib import Path

import pytest
import yaml
from results_made import BOARD

from tests.hub import small_release
from tests.results.exchange.made import MODELS, committed, of_tasks
from truerate.cli import main
from truerate.core.errors import TruerateError
from truerate.results.exchange.hub_results import eval_results, eval_yaml


def values(board, subject, **more):
    return yaml.safe_load(eval_results(board, subject, data_set="org/made", **more))


def test_a_rate_goes_out_as_the_faithful_share_with_interval_and_ranks(tmp_path, monkeypatch):
    (entry,) = values(committed(tmp_path, monkeypatch, models=MODELS), "aster")
    assert entry["dataset"] == {"id": "org/made", "task_id": "all"}
    assert entry["value"] == 80.0  # 2 of 10 hallucinate
    assert entry["source"]["url"] == "https://huggingface.co/datasets/org/made"
    # 1 − .5098 and 1 − .0567; cedar is no model
    for words in ("faithful share", "95 % interval 49.02 to 94.33", "rank range 1–2 of 2", "n = 10"):
        assert words in entry["notes"]


def test_each_task_that_a_board_ranks_has_its_value_and_its_config(tmp_path, monkeypatch):
    board = of_tasks(tmp_path, monkeypatch)
    found = {
        entry["dataset"]["task_id"]: entry["value"]
        for entry in values(board, "birch", rows="https://x.org/r")
    }
    assert found == {"qa": 40.0, "dialogue": 100.0}  # 3 of 5, 0 of 5
    card = yaml.safe_load(eval_yaml(board, small_release.draft()))
    assert set(card) == {"name", "description", "evaluation_framework", "tasks"}
    assert {task["id"]: (task["config"], task["split"]) for task in card["tasks"]} == {
        "qa": ("qa", "test"),
        "dialogue": ("qa", "test"),  # the set has no config of that name: its default one
    }


def test_what_is_not_ranked_or_no_name_is_one_line(tmp_path, monkeypatch):
    board = committed(tmp_path, monkeypatch)
    with pytest.raises(TruerateError, match="ranks no model 'astr'; did you mean 'aster'"):
        values(board, "astr")
    with pytest.raises(TruerateError, match="--hub is 'made'; allowed: the name of a data set on the Hub"):
        eval_results(board, "aster", data_set="made")
    with pytest.raises(TruerateError, match="--rows is 'here'; allowed: an address"):
        values(board, "aster", rows="here")


def test_the_command_writes_a_file_and_sends_nothing(tmp_path, monkeypatch, capsys):
    committed(tmp_path, monkeypatch, models=MODELS, dated="2026-03-10")
    assert main(["submit", BOARD, "aster", "--hub", "org/made", "--to", "out"]) == 0
    told = capsys.readouterr().out
    path = Path("out/alder/aster/.eval_results/made-up.yaml")
    assert f"written: {path}" in told and "hf upload alder/aster" in told
    assert yaml.safe_load(path.read_text("utf-8"))[0]["date"] == "2026-03-10"
