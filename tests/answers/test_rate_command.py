"""`truerate rate` as a person uses it, on the 200 answers of the project's own example, whose truth is known."""

import json
import shutil

import pytest
from house import ROOT

from truerate.cli import main

EXAMPLES = ROOT / "examples"
RULE = ("--detector", "word-support")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the example's files and no params.yaml."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def truth() -> dict[str, bool]:
    lines = (EXAMPLES / "truth.jsonl").read_text("utf-8").splitlines()
    return {row["id"]: row["is_hallucinated"] for row in map(json.loads, lines)}


def told(capsys, *more) -> dict:
    assert main(["rate", "examples/answers.jsonl", *RULE, "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def test_without_labels_the_share_is_not_corrected_and_says_so(here, capsys):
    assert main(["rate", "examples/answers.jsonl", *RULE]) == 0
    said = capsys.readouterr().out
    assert "not corrected: this detector's error on your texts is unknown" in said


def test_with_labels_the_interval_holds_what_was_planted(here, capsys):
    planted = truth()
    share = sum(planted.values()) / len(planted)
    assert main(["rate", "examples/answers.jsonl", *RULE, "--labels", "examples/labelled.jsonl"]) == 0
    said = capsys.readouterr().out
    assert "not corrected" not in said.splitlines()[0] and "prediction-powered" in said
    found = told(capsys, "--labels", "examples/labelled.jsonl")
    text = json.dumps(found)
    assert "NaN" not in text and "Infinity" not in text
    whole = found["rate"]
    assert whole["low"] <= share <= whole["high"] and 0 <= whole["low"] < whole["high"] <= 1


def test_the_page_opens_from_disk_and_holds_no_live_text(here, capsys):
    hostile = "<script>alert(1)</script> {{7*7}} [x](javascript:alert(1))"
    (here / "mine.jsonl").write_text(
        json.dumps({"answer": hostile, "reference": hostile, "system": hostile}) + "\n", "utf-8"
    )
    assert main(["rate", "mine.jsonl", *RULE, "--page", "page"]) == 0
    page = (here / "page/index.html").read_text("utf-8")
    assert "<script>alert" not in page and "49" not in page.split("alert(1)", 1)[1][:60]
    assert 'src="http' not in page and 'href="http' not in page


def test_a_dry_run_asks_nothing_and_writes_nothing(here, capsys):
    before = sorted(here.rglob("*"))
    assert main(["rate", "examples/answers.jsonl", *RULE, "--dry-run"]) == 0
    assert "calls: 0" in capsys.readouterr().out and sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"answer": 3}', "line 1: 'answer' is 3; allowed: text"),
        ("{", "line 1"),
        ("[]", "line 1"),
        ('{"text": "x"}', "line 1"),
        ("", "it holds none"),
    ],
)
def test_a_bad_line_is_one_line_with_its_place(here, capsys, line, said):
    (here / "bad.jsonl").write_text(line + "\n", "utf-8")
    assert main(["rate", "bad.jsonl", *RULE]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--detector", "no-such-rule"), "no-such-rule"),
        (("--detector", "judge:nobody"), "params.yaml"),
        ((*RULE, "--labels", "absent.jsonl"), "absent.jsonl"),
    ],
)
def test_what_is_not_there_is_one_line(here, capsys, options, said):
    assert main(["rate", "examples/answers.jsonl", *options]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
