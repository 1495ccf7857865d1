"""What a person is shown of tasks, and what is refused in one line."""

import json
import re
from pathlib import Path

import pytest

from truerate.annotation.labelling import Labelling, read_labelling, tasks_for
from truerate.annotation.labels import BadLabel
from truerate.annotation.page import labelling_page
from truerate.cli import main
from truerate.core.errors import SourceError, TruerateError
from truerate.core.spans.tags import TYPES
from truerate.tracks.halueval.patterns import LABELS
from truerate.tracks.mfava.plausibility import RATINGS
from truerate.tracks.protocol import FOLDER
from truerate.tracks.wildhallucinations.labels import _answer as read_wild
from truerate.tracks.wildhallucinations.replies import KINDS, MODEL_RETRIEVAL

ROOT = Path(__file__).parents[2]
TRACKS = ("halueval", "halludial", "mfava", "wildhallucinations")
PASSAGE = {
    "task_id": "a",
    "lang": "en",
    "kind": "natural",
    "text": "A text.",
    "reference": "R.",
    "annotators": ["x", "y"],
}


def record(track: str) -> Labelling:
    return read_labelling(FOLDER / track / "labelling.yaml")


def test_records_have_the_words_that_label_rows_may_hold():
    """Types, ratings and verdicts of the pages are those of the readers, each once."""
    types = {
        track: [one.name for kind in record(track).kinds for one in (kind.spans.types if kind.spans else ())]
        for track in TRACKS
    }
    assert (
        types["mfava"] == list(TYPES) and types["halueval"] == list(LABELS) and types["halludial"] == [None]
    )
    rating = record("mfava").kinds[0].spans.rating
    assert [(one.value, one.says.lower()) for one in rating.choices] == list(enumerate(RATINGS, 1))
    kinds = {kind.of[0]: kind for kind in record("wildhallucinations").kinds}
    review = [choice.value for choice in kinds["review"].questions[0].choices]
    assert sorted(review) == sorted((*KINDS, MODEL_RETRIEVAL))
    for kind in ("fact", "reply"):
        for choice in kinds[kind].questions[0].choices:
            assert read_wild({"label": choice.value}, {"kind": kind})[0] == {"value": choice.value}
        with pytest.raises(BadLabel):
            read_wild({"label": "maybe"}, {"kind": kind})


def test_nothing_on_the_page_says_what_is_known_of_a_text():
    """A screening item with its silver spans and a model's name makes the very bytes of an item without them."""
    hidden = {
        "kind": "inserted",
        "spans": [{"start": 0, "end": 1, "type": "entity"}],
        "verdict": "supported",
        "model": "larch",
    }
    pages = [
        labelling_page([task], record("mfava"), name="b", annotator="x")
        for task in (PASSAGE, PASSAGE | hidden)
    ]
    assert pages[0] == pages[1] and "larch" not in pages[1]


def test_instructions_follow_the_definition_that_a_board_sets():
    """By the paper's nothing is exempt; what is asked and of what stays, and a track without definitions stays whole."""
    ours, paper = record("halludial"), record("halludial").by("paper")
    texts = ["".join(of.kinds[0].instructions) for of in (ours, paper)]
    assert "state no fact" in texts[0] and "state no fact" not in texts[1] and "Nothing is exempt" in texts[1]
    assert [kind.questions for kind in paper.kinds] == [kind.questions for kind in ours.kinds]
    assert paper.kinds[1] == ours.kinds[1] and ours.by("ours") == ours.by(None) == ours
    assert record("mfava").by("paper") == record("mfava")


def test_a_person_sees_the_own_tasks_in_an_order_of_their_own():
    tasks = [PASSAGE | {"task_id": str(n), "annotators": ["x", "y"] if n else ["y"]} for n in range(20)]
    orders = {name: [task["task_id"] for task in tasks_for(tasks, record("mfava"), name)] for name in "xy"}
    assert sorted(orders["x"]) == sorted(str(n) for n in range(1, 20)) and len(orders["y"]) == 20
    assert orders["x"] != [name for name in orders["y"] if name != "0"]


@pytest.mark.parametrize(
    ("tasks", "annotator", "message"),
    [
        ([], None, "there is no task to label"),
        ([PASSAGE], "z", "annotator 'z' is given no task; tasks are given out to: x, y"),
        ([PASSAGE], None, "no annotator is named; tasks are given out to: x, y"),
        ([{"task_id": "a", "text": "A."}], " ", "annotator ' ' is no name"),
        (
            [PASSAGE | {"kind": "odd"}],
            "x",
            "task 'a' is of kind 'odd'; kinds with a record: inserted, natural",
        ),
        ([PASSAGE | {"text": None}], "x", "task 'a' has no text in field 'text'"),
    ],
)
def test_tasks_that_cannot_be_shown_are_refused(tasks, annotator, message):
    with pytest.raises(SourceError) as refused:
        tasks_for(tasks, record("mfava"), annotator)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("spans", "why"),
    [
        ("types: [{key: u, says: a}]", "none of t, u, n"),
        ("types: [{key: a, says: a}, {key: a, says: b}]", "each with a key of its own"),
        ("colour: red, types: [{key: a, says: a}]", "colour"),
    ],
)
def test_a_record_that_does_not_hold_is_refused(tmp_path, spans, why):
    file = tmp_path / "labelling.yaml"
    kind = f"name: N, instructions: [I], shows: [], text: {{field: t, name: T}}, spans: {{asks: Q, {spans}}}"
    file.write_text(f"kinds: [{{{kind}}}]", "utf-8")
    with pytest.raises(TruerateError, match=why):
        read_labelling(file)


def test_the_command_writes_a_page_or_one_line(tmp_path, monkeypatch, capsys):
    for name in ("params.yaml", "src", "site", "rules"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    board, folder = "mfava-closed-world", tmp_path / "data/datasets/mfava-closed-world"
    assert main(["annotate", board]) == 2
    assert re.search(
        r"tasks.jsonl is not there; build its data set first: dvc repro dataset@", capsys.readouterr().err
    )
    folder.mkdir(parents=True)
    (folder / "tasks.jsonl").write_text("", "utf-8")
    assert main(["annotate", board]) == 2 and main(["annotate", "nope"]) == 2
    err = capsys.readouterr().err.splitlines()
    assert (
        err[0] == f"truerate: labelling page of board '{board}': there is no task to label"
        and "'nope'" in err[1]
    )
    (folder / "tasks.jsonl").write_text(json.dumps(PASSAGE) + "\n", "utf-8")
    assert main(["annotate", board, "--annotator", "x"]) == 0
    assert capsys.readouterr().out == f"labels-{board}-x.html\n"
    assert (tmp_path / f"labels-{board}-x.html").read_text("utf-8").startswith("<!doctype html>")
