"""Readers of dialogues on given knowledge: HalluDial, FaithDial and its audit, BEGIN; tiny rows, and the
published files.
"""

import pytest

from truerate.core import keys
from truerate.sources.collection import follow, side_of
from truerate.sources.papers import faithdial
from truerate.sources.raw.dialogue import Openings, taken_in_turns, turn_answered

TOLD = {
    "dialogue_id": 4,
    "knowledge": "Varn is a town.",
    "dialogue_history": "[Human]: Hello! [Assistant]: Hi. [Human]: What is Varn?",
    "turn": 1,
    "response": "A river.",
    "target": 'Yes. The hallucination lies in "river": it is a town.',
}
AUDITED = {
    "corpus": "cmu", "system": "gpt2", "row": 0, "knowledge": "Varn is a film.", "history": "Seen Varn?",
    "response": "Twice.",
} | {"begin_raw": "Hallucination", "begin": "hallucination", "vrm_raw": "disclosure"}  # fmt: skip


def test_turns_alternate_back_from_a_person_s_last():
    assert taken_in_turns(["a", "b", "c"]) == ("[Human]: a\n[Assistant]: b", "c")
    assert taken_in_turns(["b", " c\nd "]) == ("[Assistant]: b", "c d") and taken_in_turns([]) == ("", "")


def test_a_turn_has_the_number_of_its_response_among_the_assistant_s():
    assert [turn_answered(["x"] * n) for n in (1, 3, 5)] == [0, 1, 2]
    assert [turn_answered(["x"] * n) for n in (0, 2, 4)] == [0, 1, 2]  # the assistant begins


def test_dialogues_of_one_number_are_told_by_their_opening():
    openings = Openings()
    names = [openings.name(3, opening) for opening in (None, "Hello!", " Hello! ", "Oh?", "Hello!", None)]
    assert names == ["3", "3", "3", "3/2", "3", "3"] and openings.name(4, "Oh?") == "4"
    assert openings.n_shared == 1


# ---- HalluDial ---------------------------------------------------------------------------------------------


PLACES = {
    "one": ('Yes. The part "a river" is off.', ["a river"]),
    "several": ('Yes. Both "Varn is a river" and “deep” are off.', ["Varn is a river", "deep"]),
    "of the knowledge": ('Yes. "Varn is a town" says that "a river" is off.', ["a river"]),
    "roughly": ('Yes. "Varn is a river, and the deep one" is off.', ["Varn is a river, and a deep one"]),
    "nowhere": ('Yes. "the sea" is off.', []),
    "no quotation": ("Yes. The river is off.", []),
    "not hallucinated": ('No. "Varn is a river" is backed.', []),
    "No behind it": ('Yes. No mention of "a river" is made.', ["a river"]),
}


@pytest.mark.parametrize("name", PLACES)
def test_halludial_s_spans_are_what_its_targets_quote_of_the_response(put, read, name):
    target, words = PLACES[name]
    text = "Oh, Varn is a river, and a deep one."
    put("spontaneous_train.json", [TOLD | {"response": text, "target": target}])
    got = read("halludial")
    spans = got.samples["spans"][0].to_list()
    assert [text[span["start"] : span["end"]] for span in spans] == words
    assert {(span["type"], span["p"]) for span in spans} <= {(None, None)}
    assert got.samples["rationale"][0] == target.partition(" ")[2]
    counts = got.card["counts"]
    is_positive = name != "not hallucinated"
    assert (counts.get("n_located", 0), counts.get("n_without_place", 0)) == (
        (len(words) > 0, not words) if is_positive else (0, 0)
    )
    assert counts.get("n_quotations_not_located") == (1 if name == "nowhere" else None)


# ---- FaithDial ---------------------------------------------------------------------------------------------


def test_one_split_of_faithdial_is_its_file_alone(put, tmp_path):
    turn = {"knowledge": "Varn is a town.", "history": ["Hello!"], "response": "Hi.", "BEGIN": ["Generic"]}
    for name in ("train", "valid", "test"):
        put(f"{name}.json", [{"dialog_idx": 1, "utterances": [turn | {"response": f"Hi, {name}."}]}])
    put("audit_wow.jsonl", [AUDITED | {"corpus": "wow"}])
    texts = {
        split: set(faithdial.read(tmp_path, name="x", on_bad_row="stop", split=split).samples["text"])
        for split in ("train", "validation", None)
    }
    assert (
        texts["train"] == {"Hi, train."} and texts["validation"] == {"Hi, valid."} and len(texts[None]) == 4
    )


# ---- BEGIN -------------------------------------------------------------------------------------------------


# ---- the published files -----------------------------------------------------------------------------------


# ---- published splits --------------------------------------------------------------------------------------


def test_rows_of_a_source_without_splits_are_hashed_by_group(put, read):
    put("audit_wow.jsonl", [AUDITED | {"corpus": "wow"}])
    sample = read("faithdial").samples.row(0, named=True)
    assert sample["split"] == keys.split_of(sample["group_id"])


@pytest.mark.parametrize(
    ("published", "side"),
    [
        ("test", "test"), ("Eval", "test"), ("dev", "train"), ("training", "train"), ("part", None),
        (None, None),
    ],
)  # fmt: skip
def test_a_published_split_by_any_of_its_names(published, side):
    assert side_of(published) == side


def test_samples_go_where_their_group_was_published_and_to_test_where_that_was_both():
    samples = [
        {"group_id": "a", "split": "test"},
        {"group_id": "b", "split": "train"},
        {"group_id": "b", "split": "test"},
        {"group_id": "c", "split": "train"},
        {"group_id": "d", "split": "test"},
    ]
    follow({"a": {"train"}, "b": {"train", "test"}, "c": {"test"}}, samples)
    # b's own splits stand as published, d was not published in any
    assert [entry["split"] for entry in samples] == ["train", "train", "test", "test", "test"]
