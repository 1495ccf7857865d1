"""Dialogues in FaithDial's format: their length, what they hold, and that the reader of the format reads
them.
"""

import json

import pytest

from truerate.sources.papers import faithdial
from truerate_world.__main__ import main
from truerate_world.halludial.sources import SPLITS, dialogue, write

from .asking import finding, turns


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dialogues")
    write(folder, 7, 40)
    return folder


def test_dialogues_have_two_to_seven_turns_of_the_assistant(known):
    lengths = [len(dialogue(known, place)["utterances"]) for place in range(200)]
    assert set(lengths) == set(range(2, 8)) and 4.2 < sum(lengths) / len(lengths) < 4.8


def test_each_history_holds_all_turns_before_and_ends_with_a_persons(known):
    rows = dialogue(known, 3)["utterances"]
    for turn, row in enumerate(rows):
        assert len(row["history"]) == 2 * turn + 1
        assert row["history"][1::2] == [before["response"] for before in rows[:turn]]


def test_references_are_faithful_to_knowledge_and_history():
    for row in turns(150):
        assert not finding(row, row["reference"]).flaws, row


def test_rewritten_responses_say_where_and_why_they_hallucinated(known):
    n = 0
    for place in range(60):
        for row in dialogue(known, place)["utterances"]:
            assert ("Hallucination" in row["BEGIN"]) == (row["original_response"] is not None)
            if row["original_response"]:
                n += 1
                found = finding(row, row["original_response"])
                assert [span["start"] for span in row["spans"]] == [start for start, _ in found.spans]
                assert set(row["reason"].split()) == {flaw.kind for flaw in found.flaws}
    assert n > 40


def test_the_reader_of_the_format_reads_every_turn(folder):
    tables = faithdial.read(folder, name="closed-world-dialogues", on_bad_row="stop")
    rows = [
        row
        for split, _ in SPLITS
        for one in json.loads((folder / f"{split}.json").read_text("utf-8"))
        for row in one["utterances"]
    ]
    assert tables.items.height == len(rows)
    assert set(tables.items["right_answer"]) == {row["response"] for row in rows}
    assert tables.items["group_id"].n_unique() == 40


def test_the_command_writes_the_same_files_again(folder, tmp_path):
    assert main(["write-dialogues", str(tmp_path), "--seed", "7", "--dialogues", "40"]) == 0
    for name in ("train.json", "valid.json", "test.json", "source.json"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
