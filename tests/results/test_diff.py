"""What moved between two revisions: told from committed files alone, in a git repository made for the test."""

import json
import subprocess
from pathlib import Path

import polars as pl
import pytest
from results_made import BOARD, result

from truerate.cli import main
from truerate.core.errors import TruerateError
from truerate.results.diff import Change, as_json, differences, lines, page
from truerate.results.files import SCORES, save_result

ROOT = Path(__file__).parents[2]
METRICS = "metrics/leaderboard.json"


def git(*words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Two commits: in the second birch's rate, and a value of the build, have moved, and cedar is gone."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    save_result(result(), tmp_path / "results" / BOARD)
    (tmp_path / "metrics").mkdir()
    (tmp_path / METRICS).write_text(json.dumps({"built": {"accuracy": {"task=qa": {"elm": 0.5}}}}))
    git("add", "-A")
    git("commit", "-qm", "first")
    git("tag", "one")
    path = tmp_path / "results" / BOARD / SCORES
    table = pl.read_csv(path).filter(pl.col("subject") != "cedar")
    moved = pl.when(pl.col("subject") == "birch").then(0.4).otherwise("value")
    table.with_columns(value=moved).write_csv(path)
    (tmp_path / METRICS).write_text(json.dumps({"built": {"accuracy": {"task=qa": {"elm": 0.625}}}}))
    return tmp_path


def test_a_project_below_the_root_of_its_repository(repository, monkeypatch):
    """git takes a path of a revision from the root of the repository, unless it begins with `./`."""
    below = repository / "bench"
    below.mkdir()
    git("mv", "results", "metrics", "bench")
    git("commit", "-qam", "moved")
    monkeypatch.chdir(below)
    assert [change.subject for change in differences("HEAD", None, metrics=METRICS)] == []
    (below / METRICS).write_text(json.dumps({"built": {"accuracy": {"task=qa": {"elm": 0.75}}}}))
    (moved,) = differences("HEAD", None, metrics=METRICS)
    assert (moved.board, moved.kind, moved.now["value"]) == ("built", "moved", 0.75)


def test_what_moved_and_what_is_gone(repository):
    git("commit", "-qam", "second")
    changes = differences("one", "HEAD", metrics=METRICS)
    assert [(change.board, change.subject, change.kind) for change in changes] == [
        ("built", "elm", "moved"),
        (BOARD, "birch", "moved"),
        (BOARD, "cedar", "gone"),
    ]
    message = "\n".join(lines(changes))
    assert "accuracy of elm (task=qa): 0.500 → 0.625" in message
    assert "birch: 0.300 (0.108–0.603), rank 1–2 → 0.400 (0.108–0.603), rank 1–2" in message
    assert f"{BOARD}: 1 moved, 0 added, 1 gone" in message
    assert json.loads(as_json(changes))[2]["kind"] == "gone"
    assert [change.kind for change in differences("HEAD", "one", metrics=METRICS)] == [
        "moved",
        "moved",
        "added",
    ]


def test_the_files_as_they_lie_here_are_the_second_where_none_is_named(repository):
    assert len(differences("one", None, metrics=METRICS)) == 3
    assert differences("HEAD", "one", metrics=METRICS) == []
    assert lines([]) == ["nothing moved: every score, interval and rank range is the same"]


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", "one:results", ""])
def test_what_is_no_revision_is_one_line(repository, revision):
    with pytest.raises(TruerateError, match="revision") as caught:
        differences(revision, None, metrics=METRICS)
    assert "\n" not in str(caught.value) and not (repository / "x").exists()


def test_outside_of_git_it_is_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(TruerateError, match="diff:"):
        differences("HEAD", None, metrics=METRICS)


@pytest.mark.parametrize(
    ("path", "text"), [(METRICS, "[1]"), (METRICS, "{"), (f"results/{BOARD}/{SCORES}", "a,b\n1,2\n")]
)
def test_a_file_that_is_none_of_ours_is_one_line(repository, path, text):
    (repository / path).write_text(text)
    with pytest.raises(TruerateError, match="diff:"):
        differences("one", None, metrics=METRICS)


def test_the_page_has_each_score_before_and_after(repository):
    text = page(differences("one", None, metrics=METRICS), "one", None)
    assert "<h1>What moved from one to the files as they lie here</h1>" in text
    assert "3 scores on 2 boards" in text
    assert "+0.125" in text and "+0.100" in text
    assert "1 moved, 1 gone." in text
    # 0.4 on an axis of 220 from 8 to 212: 8 + .4 · 204; before it was 8 + .3 · 204
    assert 'cx="89.6"' in text and 'cx="69.2"' in text
    assert "Nothing moved" in page([], "one", "two")


def test_what_stands_in_names_is_text_on_the_page():
    hostile = '<script>alert(1)</script>{{7*7}}" onload="x'
    cells = {"value": 0.5, "low": None, "high": None, "rank_low": None, "rank_high": None}
    text = page([Change(hostile, hostile, hostile, hostile, cells, None)], hostile, hostile)
    assert "<script" not in text and 'onload="x' not in text
    assert "{{7*7}}" in text, "shown as it stands, not run"


def test_the_page_is_written_by_the_command_and_no_other_file_is_lost(repository, capsys):
    (repository / "params.yaml").write_text((ROOT / "params.yaml").read_text("utf-8"), "utf-8")
    assert main(["diff", "one", "--html", "out/moved.html"]) == 0
    assert main(["diff", "one", "--html", "out/moved.html"]) == 0, "its own page is written anew"
    assert "birch" in (repository / "out/moved.html").read_text("utf-8")
    (repository / "mine.html").write_text("mine")
    capsys.readouterr()
    for taken in ("mine.html", "results"):
        assert main(["diff", "one", "--html", taken]) == 2
        message = capsys.readouterr()
        assert message.out == "" and message.err.count("\n") == 1 and "--html" in message.err
    assert (repository / "mine.html").read_text() == "mine"
