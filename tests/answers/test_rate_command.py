"""`truerate rate` as a person uses it, on the 200 answers of the project's own example, whose truth is known."""

import base64
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
from house import ROOT

from tests.cases import case_table
from truerate.answers.rating import rate
from truerate.answers.telling import lines as lines_of
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
    # about the systems, too, each weighs as much as it answered, however many labels it got; surer of these answers
    system = whole["system"]
    assert abs(system["value"] - whole["value"]) < 0.01 and system["low"] <= share <= system["high"]
    assert system["high"] - system["low"] >= whole["high"] - whole["low"]


def test_the_page_opens_from_disk_and_holds_no_live_text(here, capsys):
    hostile = "<script>alert(1)</script> {{7*7}} [x](javascript:alert(1))"
    (here / "mine.jsonl").write_text(
        json.dumps({"answer": hostile, "reference": hostile, "system": hostile}) + "\n", "utf-8"
    )
    assert main(["rate", "mine.jsonl", *RULE, "--page", "page"]) == 0
    page = (here / "page/index.html").read_text("utf-8")
    assert "<script>alert" not in page and "49" not in page.split("alert(1)", 1)[1][:60]
    assert 'src="http' not in page and 'href="http' not in page
    # one script runs, which the policy names by its hash; the answers are data in which no tag begins
    data, script = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page and "<" not in data
    (answer,) = json.loads(data)
    assert "".join(text for text, _ in answer["pieces"]) == hostile


def test_a_dry_run_asks_nothing_and_writes_nothing(here, capsys):
    before = sorted(here.rglob("*"))
    assert main(["rate", "examples/answers.jsonl", *RULE, "--dry-run"]) == 0
    assert "calls: 0" in capsys.readouterr().out and sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        *case_table(__file__)["a_bad_line_is_one_line_with_its_place"],
        ('{"answer": "x", "n": ' + "9" * 5000 + "}", "line 1: a number has 5,000 digits"),
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
        (("--detector", ""), "detector '' is not known"),
        (("--detector", "no/such/folder"), "no such folder"),
        ((*RULE, "--adapter", "hhem-2.1-open"), "is for weights"),
        ((*RULE, "--page", "examples/answers.jsonl"), "it is a file"),
    ],
)
def test_what_is_not_there_is_one_line(here, capsys, options, said):
    assert main(["rate", "examples/answers.jsonl", *options]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_answers_that_nobody_judged_have_no_share(here, capsys):
    """Three answers without a reference, one with: the flagged share is of that one, and none has one of nothing."""
    rows = [{"answer": "It opened in 1412.", "system": name} for name in "aab"]
    rows.append({"answer": "It opened in 1400.", "reference": "It opened in 1400.", "system": "b"})
    (here / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert main(["rate", "mine.jsonl", *RULE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rate"]["raw"]["value"] == 0 and found["n_judged"] == 1
    assert [one["raw"] is None for one in found["slices"]["system"]] == [True, False]
    assert main(["rate", "mine.jsonl", *RULE]) == 0
    assert "of the 1 answers of 4 that were judged" in capsys.readouterr().out
    (here / "mine.jsonl").write_text('{"answer": "It opened in 1412."}\n' * 300, "utf-8")
    capsys.readouterr()
    assert main(["rate", "mine.jsonl", *RULE]) == 2
    err = capsys.readouterr().err
    assert "none of its 300 answers could be judged" in err and "300 no reference" in err
    assert err.count("\n") == 1


def test_an_answer_of_a_megabyte_is_cut_on_the_page(here):
    (here / "mine.jsonl").write_text(
        json.dumps({"answer": "word " * 40_000, "reference": "word " * 9}) + "\n", "utf-8"
    )
    assert main(["rate", "mine.jsonl", *RULE, "--page", "page"]) == 0
    assert len((here / "page/index.html").read_text("utf-8")) < 100_000


def test_labels_of_one_value_alone_are_told(here):
    # 40 labels among the 100 answers of one language, none of the other: by chance that is one file in 2^40
    lines = [{"answer": f"A lake {place}.", "lang": "de" if place % 2 else "fr"} for place in range(200)]
    Path("uneven.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    marks = [{"id": 2 * place, "is_hallucinated": place % 4 == 0} for place in range(1, 41)]
    Path("marks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in marks))
    found = rate("uneven.jsonl", labels="marks.jsonl", detector="word-support")
    assert found.uneven == ["lang"] and any("not spread over lang" in line for line in lines_of(found))
    even = [one | {"id": 5 * place} for place, one in enumerate(marks, 1)]
    Path("marks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in even))
    assert rate("uneven.jsonl", labels="marks.jsonl", detector="word-support").uneven == []


def judged(folder: Path, flags, labels) -> Path:
    """Answers with a judge's verdicts and labels (None: none)."""
    rows = [
        {"id": f"r{index}", "answer": f"Text {index}.", "judge": flag, "is_hallucinated": label}
        for index, (flag, label) in enumerate(zip(flags, labels, strict=True))
    ]
    path = folder / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_labels_and_judges_at_their_edges(tmp_path):
    """100 answers, each fifth hallucinated; the first 40 labelled, 8 of them hallucinated. All but one labelled:
    20 of 100, or with the open one 21. Whatever the judge, what labels say bounds the rate: [.08, .68].
    """
    truth = [index % 5 == 0 for index in range(100)]
    some = [label if index < 40 else None for index, label in enumerate(truth)]
    of = lambda flags, labels: rate(judged(tmp_path, flags, labels), verdicts="judge")  # noqa: E731
    exact = of(truth, [*truth[:-1], None]).rate
    assert 0.2 <= exact.low <= exact.value <= exact.high <= 0.21
    right = of([float(flag) for flag in truth], some)
    turned = of([1.0 - flag for flag in truth], some)
    assert turned.rate.value == pytest.approx(right.rate.value)
    assert any("wrong way round" in note for note in turned.notes) and "wrong way" not in str(right.notes)
    constant, refused = (
        of([1.0] * 100, some),
        of([-1.0 if n % 7 == 3 else 1.0 * t for n, t in enumerate(truth)], some),
    )
    assert constant.rate.value == pytest.approx(0.2) and constant.rate.low > 0.08
    assert any("14 verdicts of −1" in note for note in refused.notes)
    assert refused.unjudged == {"no verdict in the file": 14}
    none = of(truth, [label if label is None else False for label in some]).rate
    assert none.value >= 0 and none.high <= 0.6
