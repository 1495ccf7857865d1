"""`truerate compare` and `rate --fail-above`: decisions by intervals, as exit codes and reports."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from truerate.answers.comparing import compare
from truerate.answers.gating import Decision, decided, junit, markdown
from truerate.cli import main

N = 300
RULE = ("--detector", "number-support")


def write(name: str, wrong, *, ids=True, keep=None, **more) -> None:
    """Answers of which those in `wrong` are hallucinated, as the detector sees, and labels of `keep`."""
    rows, labels = [], []
    for index, is_wrong in enumerate(wrong):
        row = {"answer": f"Opened in {1900 + bool(is_wrong)}.", "reference": "It opened in 1900.", **more}
        rows.append(row | {"question": f"When was {index} opened?"} | ({"id": f"q{index}"} if ids else {}))
        if keep is None or index in keep:
            labels.append({"id": f"q{index}" if ids else index + 1, "is_hallucinated": bool(is_wrong)})
    for suffix, lines in (("", rows), ("-labels", labels)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        Path(f"{name}{suffix}.jsonl").write_text(text, "utf-8")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """30 of 300 old answers are wrong, of `same` the very same ones, of `worse` 60 more, of `few` 12 labelled."""
    monkeypatch.chdir(tmp_path)
    wrong = np.arange(N) % 10 == 0
    write("old", wrong)
    write("same", wrong)
    write("worse", wrong | (np.arange(N) % 5 == 1))
    write("few", wrong | (np.arange(N) % 25 == 1), keep=range(12))


def code_of(new: str, *options: str, old: str = "old") -> int:
    return main(["compare", f"{old}.jsonl", f"{new}.jsonl", *RULE, *options])


def test_exit_codes_say_what_the_interval_does(files, capsys):
    """All labelled: 10 % and 10 % of the same items; 10 % and 30 %, whose lower end is above 3 points. Twelve
    labels of `few` cannot tell.
    """
    labels = lambda new: ("--labels", "old-labels.jsonl", f"{new}-labels.jsonl")  # noqa: E731
    assert code_of("same", "--margin", "3", *labels("same")) == 0
    assert "+0.0 points" in capsys.readouterr().out
    assert code_of("worse", "--margin", "3", *labels("worse")) == 1
    assert (
        "worse by more than 3 points: the new rate is 30.0%, the old one 10.0%: +20.0"
        in capsys.readouterr().out
    )
    write("old", np.arange(N) % 10 == 0, keep=range(12))
    assert code_of("few", "--margin", "3", *labels("few")) == 3
    out = capsys.readouterr().out
    assert out.startswith("cannot tell") and "would tell" in out and len(out.splitlines()) <= 20


def test_without_labels_it_is_said(files, capsys):
    assert code_of("worse", "--margin", "3") == 1
    assert "not corrected" in capsys.readouterr().out


def test_too_few_labels_decide_nothing(files, capsys):
    write("few", np.arange(N) % 10 == 0, keep=range(9))
    assert code_of("few", "--margin", "3", "--labels", "old-labels.jsonl", "few-labels.jsonl") == 3
    assert (
        "300 and 9 of the old and new answers are labelled, 10 of each are needed" in capsys.readouterr().out
    )


def test_a_few_false_answers_in_both_are_no_certainty(files):
    """No label of 20 in either file is true: the interval of the difference is no point."""
    for name in ("old", "same"):
        write(name, np.zeros(N), keep=range(20))
    result = compare("old.jsonl", "same.jsonl", margin=3, labels=("old-labels.jsonl", "same-labels.jsonl"))
    assert result.difference.low < -0.05 and result.difference.high > 0.05
    assert result.decision.code == 3


def test_items_are_matched_by_id_else_by_question_else_not(files):
    """Ids that ask something else, as numbers of lines do, match nothing; what has no partner is left out."""
    note = lambda: "\n".join(compare("old.jsonl", "new.jsonl", margin=3, detector="number-support").notes)  # noqa: E731
    write("new", np.arange(N - 20) % 10 == 0)
    assert "matched by id: 280" in note() and "20 of the old answers, 0 of the new" in note()
    write("new", np.arange(N) % 10 == 0, ids=False)
    assert "matched by question: 300" in note()
    lines = Path("new.jsonl").read_text("utf-8").replace("When was", "Since when is")
    Path("new.jsonl").write_text(lines, "utf-8")
    assert "compared as two draws" in note()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--margin", "-1"], "allowed: 0 to 100"),
        (["--margin", "3", "--labels", "old-labels.jsonl", "none.jsonl"], "none.jsonl"),
        (["--margin", "3", "--junit", "."], "."),
    ],
)
def test_what_does_not_fit_is_one_line(files, capsys, options, message):
    assert code_of("same", *options) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(("limit", "code"), [("20", 0), ("1", 1), ("10", 3)])
def test_a_gate_speaks_of_the_upper_end(files, capsys, limit, code):
    """30 of 300, all labelled: of the system 7.1 to 13.9 % (Wilson)."""
    gate = ("--fail-above", limit, "--junit", "gate.xml", "--markdown", "gate.md")
    assert main(["rate", "old.jsonl", *RULE, "--labels", "old-labels.jsonl", *gate]) == code
    suite = ElementTree.parse("gate.xml").getroot()
    assert (suite.get("failures"), suite.get("errors")) == (str(int(code == 1)), str(int(code == 3)))
    assert {0: "passed", 1: "failed", 3: "cannot tell"}[code] in Path("gate.md").read_text(
        "utf-8"
    ).splitlines()[0]


def test_flags_alone_pass_no_gate(files, capsys):
    assert main(["rate", "old.jsonl", *RULE, "--fail-above", "90"]) == 3
    assert "cannot tell: the rate is not corrected" in capsys.readouterr().out


def test_reports_take_no_text_for_markup():
    decision = Decision(1, "a", "b", ["<script>|`x`\x00[y](z)"])
    assert "&lt;script&gt;" in junit(decision) and "\x00" not in junit(decision)
    assert "\\<script\\>\\|\\`x\\`" in markdown(decision) and "\\[y\\](z)" in markdown(decision)
    assert [decided(0.01, high, 0.05) for high in (0.05, 0.06)] == [0, 3] and decided(0.06, 0.1, 0.05) == 1
