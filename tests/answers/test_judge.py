"""A declared model as the judge of answers, over a real server on loopback: read, counted, stored, not paid for twice."""

import json
import shutil

import pytest
import yaml
from house import ROOT
from stub import Stub, serving

from truerate.cli import main

ANSWERS = {
    "sound": "It opened in 1412. [[text No]]",
    "wrong": "It opened in 1733. [[text Yes, the year is wrong.]]",
    "odd": "It is a harbour. [[text Perhaps.]]",
    "cut": "It lies at sea. [[400]]",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a params.yaml that declares one model of one's own, and four answers."""
    stub = Stub()
    with serving(stub) as address:
        params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
        params["endpoints"]["mine"] = {"base_url": address, "concurrency": 4}
        params["models"]["llama"] = {"endpoint": "mine", "model": "m", "family": "llama", "price": [1.0, 2.0]}
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        shutil.copytree(ROOT / "inputs", tmp_path / "inputs") if (ROOT / "inputs").is_dir() else None
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store"))
        rows = [
            {"id": name, "answer": text, "reference": "It opened in 1412."} for name, text in ANSWERS.items()
        ]
        rows.append({"id": "alone", "answer": "Nobody knows."})
        (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        yield stub


def test_verdicts_are_read_and_what_has_none_is_counted(here, capsys):
    assert main(["rate", "answers.jsonl", "--detector", "judge:llama"]) == 0
    said = capsys.readouterr().out
    assert "answers: 5 = 2 judged + 0 abstained + 0 empty + 3 not judged" in said and "not corrected" in said
    assert "unparsed" in said and "no reference" in said and "no reply" in said
    n_calls = here.stats()["n_calls"]
    assert main(["rate", "answers.jsonl", "--detector", "judge:llama"]) == 0
    assert here.stats()["n_calls"] == n_calls  # the replies are stored


def test_a_model_of_ones_own_judges_where_no_detector_is_named(here, capsys):
    assert main(["rate", "answers.jsonl"]) == 0
    assert "judge:llama" in capsys.readouterr().out


def test_a_dry_run_tells_calls_and_money_and_asks_nothing(here, capsys):
    assert main(["rate", "answers.jsonl", "--detector", "judge:llama", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "calls: 4" in said and "USD" in said and here.stats()["n_calls"] == 0


def test_a_model_that_nobody_declared_is_one_line(here, capsys):
    assert main(["rate", "answers.jsonl", "--detector", "judge:nobody"]) == 2
    err = capsys.readouterr().err
    assert "nobody" in err and "llama" in err and err.count("\n") == 1


def test_a_simulated_model_judges_nobodys_texts(here, capsys):
    assert main(["rate", "answers.jsonl", "--detector", "judge:birch"]) == 2
    err = capsys.readouterr().err
    assert "birch is simulated" in err and "llama" in err and err.count("\n") == 1


def test_a_dry_run_knows_the_detectors_names(here, capsys):
    assert main(["rate", "answers.jsonl", "--detector", "nonsense", "--dry-run"]) == 2
    err = capsys.readouterr().err
    assert "word-support" in err and "token-lr" in err and err.count("\n") == 1
