"""`truerate label draw`: sheets out, labels back in each form, weighted by the chance of each to be drawn."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truerate
from truerate.answers.drawing import Plan, draw_rows
from truerate.answers.rating import rate
from truerate.cli import main

N = 400


@pytest.fixture
def truth(tmp_path, monkeypatch) -> dict[str, bool]:
    """400 answers of two systems, `b` with 40 of them; every fifth of `a` and every second of `b` is wrong."""
    monkeypatch.chdir(tmp_path)
    rows, labels = [], {}
    for index in range(N):
        system = "b" if index % 10 == 0 else "a"
        labels[f"r{index}"] = is_wrong = index // 10 % 2 == 0 if system == "b" else index % 5 == 1
        year = 1900 + is_wrong
        rows.append(
            {
                "id": f"r{index}",
                "answer": f"=Opened in {year}.",
                "reference": "It opened in 1900.",
                "system": system,
            }
            | {
                "question": f"When was number {index} opened?",
                "p": 0.9 if is_wrong else 0.05 + index % 7 / 50,
            }
        )
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return labels


def filled_csv(truth):
    with open("own-labels.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["is_hallucinated"] = "yes" if truth[row["id"]] else "no"
    with open("filled.csv", "w", newline="", encoding="utf-8") as file:
        sheet = csv.DictWriter(file, rows[0])
        sheet.writeheader()
        sheet.writerows(rows)
    return "filled.csv", {row["id"] for row in rows}


def filled_tasks(truth):
    tasks = json.loads(Path("own-labels-label-studio.json").read_text("utf-8"))
    for task in tasks:
        choice = {"choices": ["yes" if truth[task["data"]["task_id"]] else "no"]}
        part = {"from_name": "is_hallucinated", "type": "choices", "value": choice}
        task["annotations"] = [{"completed_by": {"email": "x"}, "result": [part]}]
    Path("filled.json").write_text(json.dumps(tasks), "utf-8")
    return "filled.json", {task["data"]["task_id"] for task in tasks}


def page_rows(page: str, annotator: str, says) -> list[dict]:
    """The rows that a page exports where each of its texts is labelled."""
    data = re.search(r'type="application/json"[^>]*>(.*?)</script>', Path(page).read_text("utf-8"), re.DOTALL)
    tasks = json.loads(data[1])["tasks"]
    return [
        {"task_id": task["task_id"], "annotator": annotator, **task["carried"], "spans": []}
        | {"is_hallucinated": says(task["task_id"])}
        for task in tasks
    ]


def filled_page(truth):
    rows = page_rows("own-labels.html", "x", truth.get)
    Path("filled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return "filled.jsonl", {row["task_id"] for row in rows}


@pytest.mark.parametrize("form", [filled_csv, filled_tasks, filled_page])
def test_each_form_comes_back_with_its_weights(truth, form, capsys):
    """The uncertain ones are drawn more often, sheets come back with what each stands for, and the interval
    holds what was planted.
    """
    assert main(["label", "draw", "own.jsonl", "--n", "80", "--score", "p", "--design", "uncertain"]) == 0
    assert "drawn: 80 of 400 answers, uncertain, seed 0" in capsys.readouterr().out
    file, ids = form(truth)
    assert len(ids) == 80
    report = rate("own.jsonl", labels=file, detector="word-support")
    share = sum(truth.values()) / N
    assert report.rate.k == 80 and report.rate.low <= share <= report.rate.high
    assert "labels are weighted by 1 over each answer's chance to be drawn" in report.notes
    assert not report.uneven


def label_all(file, truth):
    """Fill in what a sheet leaves open."""
    with open(file, newline="", encoding="utf-8") as sheet:
        rows = list(csv.DictReader(sheet))
    n_open = sum(row["is_hallucinated"] == "" for row in rows)
    for row in rows:
        row["is_hallucinated"] = row["is_hallucinated"] or ("yes" if truth[row["id"]] else "no")
    with open(file, "w", newline="", encoding="utf-8") as sheet:
        writer = csv.DictWriter(sheet, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return n_open, rows


def test_a_second_draw_fills_up_the_first(truth, capsys):
    """40 and 50 more: the second sheet holds the first one's labels and leaves 50 open; all weights together stand
    for the 400 answers, in the sheet, in the tasks, and in the page's export beside the earlier ones.
    """
    assert main(["draw", "own.jsonl", "--n", "40", "--score", "p"]) == 0
    label_all("own-labels.csv", truth)
    more = ["draw", "own.jsonl", "--n", "50", "--score", "p", "--labels", "own-labels.csv", "--to", "more"]
    assert main(more) == 0
    assert (
        "drawn: 50 of 360 answers beside 40 labelled ones, stratified over 3 strata"
        in capsys.readouterr().out
    )
    page = page_rows("more.html", "x", truth.get)
    tasks = json.loads(Path("more-label-studio.json").read_text("utf-8"))
    assert len(page) == 50 and sum("annotations" in task for task in tasks) == 40
    n_open, rows = label_all("more.csv", truth)
    assert n_open == 50 and len({row["id"] for row in rows}) == 90
    exported = "".join(json.dumps(row) + "\n" for row in page)
    Path("both.jsonl").write_text(Path("more-earlier.jsonl").read_text("utf-8") + exported, "utf-8")
    reports = [rate("own.jsonl", labels=file, verdicts="p") for file in ("more.csv", "both.jsonl")]
    assert [report.rate.k for report in reports] == [90, 90]
    share = sum(truth.values()) / N
    assert reports[0].rate.low <= share <= reports[0].rate.high
    assert reports[0].rate.value == pytest.approx(reports[1].rate.value)
    assert not any("by their weights" in note for note in reports[0].notes)
    Path("page.jsonl").write_text(exported, "utf-8")
    part = rate("own.jsonl", labels="page.jsonl", verdicts="p")
    assert any("by their weights labels stand for" in note for note in part.notes)
    for options in (["--by", "system"], ["--design", "uncertain", "--score", "p"]):
        assert main(["draw", "own.jsonl", "--labels", "own-labels.csv", *options]) == 2
        error = capsys.readouterr().err
        assert "--labels" in error and error.count("\n") == 1


def test_what_annotators_share_is_voted_and_counted(truth, capsys):
    """Of 30 answers 8 go to both: 19 each. The second one errs on all of them: 8 ties, 22 labels."""
    command = ["draw", "own.jsonl", "--n", "30", "--annotators", "2", "--shared", "8"]
    assert main(command) == 0
    rows = page_rows("own-labels-annotator-1.html", "1", truth.get)
    others = page_rows("own-labels-annotator-2.html", "2", lambda name: not truth[name])
    assert len(rows) == len(others) == 19
    Path("both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows + others), "utf-8")
    report = rate("own.jsonl", labels="both.jsonl", detector="word-support")
    assert report.rate.k == 22
    assert any("labelled by several: 8 answers, they agree on 0" in note for note in report.notes)
    sheets = {path: path.read_bytes() for path in Path().glob("own-labels*")}
    assert main(command) == 0  # the same draw: nothing is touched
    assert main([*command, "--seed", "1"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert sheets == {path: path.read_bytes() for path in Path().glob("own-labels*")}


def test_sheets_are_blind_and_no_spreadsheet_computes_them(truth):
    assert main(["draw", "own.jsonl", "--n", "20", "--by", "system"]) == 0
    header, first = Path("own-labels.csv").read_text("utf-8").splitlines()[:2]
    assert "system" not in header and "'=Opened" in first
    assert '"system"' not in Path("own-labels.html").read_text("utf-8")


def test_a_sheet_without_some_labels_says_how_many(truth):
    assert main(["draw", "own.jsonl", "--n", "40"]) == 0
    file, _ = filled_csv(truth)
    lines = Path(file).read_text("utf-8").replace(",yes,", ",,")
    Path(file).write_text(lines, "utf-8")
    report = rate("own.jsonl", labels=file, detector="word-support")
    assert any("of 40 drawn answers" in note and "have no label" in note for note in report.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "topic"], "no answer has the field 'topic'; the fields are"),
        (["--design", "clever"], "allowed: stratified, uncertain, uniform"),
        (["--design", "uncertain"], "name the field with the chance of a hallucination, --score"),
        (["--design", "stratified"], "name the fields of the strata, --by, or a --score"),
        (["--score", "system"], "none of its values is a number"),
        (["--n", "0"], "--n and --annotators are 1 or more"),
        (["--n", "5", "--shared", "6"], "--shared is 0 to --n"),
    ],
)
def test_a_plan_that_does_not_fit_is_one_line(truth, capsys, options, message):
    assert main(["draw", "own.jsonl", *options]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not list(Path().glob("own-labels*"))


def test_the_same_from_python(truth):
    assert truerate.draw_labels("own.jsonl", 20).rows.height == 20
    comparison = truerate.compare("own.jsonl", "own.jsonl", margin=3, detector="number-support")
    assert comparison.decision.code == 0 and comparison.difference.value == 0


def test_a_field_is_crossed_with_a_score_where_there_are_labels_enough(truth, capsys):
    """Two systems and three bands of the score: 20 for each of the six from 120 on."""
    for n, n_strata in ((119, 2), (120, 6)):
        command = ["draw", "own.jsonl", "--n", str(n), "--by", "system", "--score", "p", "--to", f"x{n}"]
        assert main(command) == 0
        assert f"stratified over {n_strata} strata" in capsys.readouterr().out


def test_scores_on_any_scale_and_a_draw_by_the_seed():
    """Scores of 1 to 5 are taken as 0 to 1, a missing one as their mean; one seed, one draw."""
    frame = pl.DataFrame({"id": list("abcdef"), "question": "", "reference": "", "answer": "t"}).with_columns(
        score=pl.Series(["1", "5", "", "3", "2", "4"])
    )
    plan = Plan(3, score="score", design="uncertain", seed=4)
    first, second = draw_rows(frame, plan), draw_rows(frame, plan)
    assert first.rows.equals(second.rows) and first.rows.height == 3
    assert "score score: 1 have none, their mean is taken" in first.notes
    assert "score score: its values 1 to 5 are taken as 0 to 1" in first.notes
    assert np.allclose(first.rows["probability"] * first.rows["weight"], 1)
