"""`truerate check` with a judge: verdict, segments and reason of a response."""

import json
import shutil
from pathlib import Path

import pytest
import torch
import yaml

from tests.detectors.fitting import fit_judges
from tests.detectors.judges.dialogues import HOW as WHOLE
from tests.detectors.judges.dialogues import backbone, responses
from truerate.cli import main

ROOT = Path(__file__).parents[2]
BOARD = "own-board"
HOW = WHOLE.model_copy(update={"folds": 2})


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A judge that learned."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("learned")
    known = {"small": backbone(max_steps=30)}
    fit_judges(
        {"judge": HOW}, responses(60), known, seeds=[42], folder=folder / "out", scratch=folder / "scratch"
    )
    return folder / "out"


@pytest.fixture
def project(tmp_path, monkeypatch, learned):
    """A folder with settings, a trained judge, and the files of one response with a made-up sentence."""
    monkeypatch.chdir(tmp_path)
    for name in ("site", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params |= {
        "boards": {BOARD: {"track": "mfava", "source": "own", "title": "Own"}},
        "sources": {"own": {"reader": "halueval", "path": "somewhere"}},
        "public_data": {},
    }
    judge = {"members": ["judge"], "judges": {"judge": HOW.model_dump()}}
    params["detectors"] = {
        "judges": {"tracks": ["mfava"]} | judge,
        "tokens": {"tracks": ["mfava"], "members": ["mark-all"]},
    }
    params["backbones"]["small"] = backbone().model_dump(mode="json")
    params["tracks"]["mfava"]["detector"] = {"member": "mark-all", "scope": "multi", "labels": "binary"}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    shutil.copytree(learned, tmp_path / "data" / "detectors" / BOARD / "judges")
    wrong = (
        responses(40, start=500)
        .filter(responses(40, start=500)["text"].str.contains("dragon"))
        .row(0, named=True)
    )
    for name in ("knowledge", "history", "text"):
        (tmp_path / f"{name}.txt").write_text(wrong[name], "utf-8")
    return tmp_path


def check(*more):
    return main(["check", "--reference", "knowledge.txt", "--answer", "text.txt", *more])


def test_a_judge_tells_verdict_segment_and_reason(project, capsys):
    assert check("--history", "history.txt", "--question", "What else?") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("hallucinated: p ") and told[0].endswith(f"by judge, trained on {BOARD}")
    assert any(line.startswith("segment: ") and "dragon" in line for line in told)
    assert told[-1].startswith("reason (composed of counted words, written by no model): The segment ")


def test_a_judge_is_asked_by_its_name_too_and_programs_get_json(project, capsys):
    assert check("--detector", "judge", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] is True and told["p"] > told["threshold"] and told["composed"] is True


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--history", "history.txt", "--detector", "mark-all"], "'mark-all' is no judge of responses"),
        (["--history", "lost.txt"], "'lost.txt': No such file"),
        (["--history", "history.txt", "--html", "page.html"], "leave out --pairs and --html"),
    ],
)
def test_what_does_not_fit_a_judge_is_one_line(project, capsys, more, said):
    assert check(*more) == 2
    assert said in capsys.readouterr().err


def test_a_judge_that_is_not_trained_is_one_line(project, capsys):
    shutil.rmtree(project / "data")
    assert check("--question", "What else?") == 2
    told = capsys.readouterr().err
    assert "judge 'judge' is not trained yet" in told and len(told.splitlines()) == 1
