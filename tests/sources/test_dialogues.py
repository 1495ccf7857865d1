"""Readers of dialogues on given knowledge: HalluDial, FaithDial and its audit, BEGIN; tiny rows, and the
published files.
"""

import polars as pl
import pytest

from truerate.config import Source
from truerate.core import keys
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.sources import read_source
from truerate.sources.raw.dialogue import Openings, taken_in_turns, turn_answered

TOLD = {
    "dialogue_id": 4,
    "knowledge": "Varn is a town.",
    "dialogue_history": "[Human]: Hello! [Assistant]: Hi. [Human]: What is Varn?",
    "turn": 1,
    "response": "A river.",
    "target": 'Yes. The hallucination lies in "river": it is a town.',
}
TURN = {
    "dialog_idx": 3,
    "history": ["Hello!", "Hi.", "What is Varn?"],
    "knowledge": "Varn is a town.",
    "original_response": "Varn is the river I love.",
    "response": "Varn is a town.",
    "BEGIN": ["Hallucination", "Entailment"],
    "VRM": ["Disclosure"],
}
AUDITED = {
    "corpus": "cmu", "system": "gpt2", "row": 0, "knowledge": "Varn is a film.", "history": "Seen Varn?",
    "response": "Twice.",
} | {"begin_raw": "Hallucination", "begin": "hallucination", "vrm_raw": "disclosure"}  # fmt: skip
LABELLED = {
    "row": 0, "model_name": "t5", "data_source": "tc", "knowledge": "Varn is a town.", "message": "Varn?",
    "response": "A town.",
} | {"begin_label": "Fully attributable"}  # fmt: skip


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
def test_halludial_judges_responses_with_a_reason(put, read):
    put(
        "spontaneous/spontaneous_train.json",
        [TOLD, TOLD | {"response": "A town.", "target": "No. It is backed."}],
    )
    put("induced/induced_test.json", [TOLD | {"response": "A sea."}])
    got = read("halludial")
    item = got.items.row(0, named=True)
    assert (item["task"], item["question"], item["history"]) == (
        "dialogue",
        "What is Varn?",
        "[Human]: Hello!\n[Assistant]: Hi.",
    )
    assert got.items.height == 1 and got.documents["text"].to_list() == ["Varn is a town."]
    rows = got.samples.sort("text").select(
        "text", "is_hallucinated", "rationale", pair("attributes", "scenario").alias("s")
    )
    assert rows.rows() == [
        ("A river.", True, 'The hallucination lies in "river": it is a town.', "spontaneous"),
        ("A sea.", True, 'The hallucination lies in "river": it is a town.', "induced"),
        ("A town.", False, "It is backed.", "spontaneous"),
    ]
    assert set(got.samples.select(pair("attributes", "published_split")).to_series()) == {"train", "test"}
    assert "not tried on the original" in got.card["citation"] and got.card["licence"] == "CC BY-NC-SA 4.0"


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


def test_halludial_s_dialogues_of_one_number_are_parted_by_their_opening(put, read):
    other = {"dialogue_history": "[Human]: What is Varn?", "turn": 0, "response": "A sea."}
    later = {
        "dialogue_history": "[Human]: Hello! [Assistant]: Hi. [Human]: Oh? [Assistant]: Yes. [Human]: Why?"
    }
    put("spontaneous_train.json", [TOLD, TOLD | other, TOLD | later | {"turn": 2}])
    got = read("halludial")
    names = got.items.select(pair("attributes", "dialogue"), pair("attributes", "turn").alias("turn")).rows()
    assert names == [("4", "1"), ("4/2", "0"), ("4", "2")]
    assert got.items["group_id"].n_unique() == 2 and got.card["counts"]["n_dialogues_of_one_number"] == 1


def test_a_folder_with_halludial_s_script_alone_is_one_line(put, read):
    put("README.md", "# HalluDial")
    put("HalluDial.py", "import datasets")
    with pytest.raises(TruerateError, match="holds a script and no data: name a folder") as error:
        read("halludial")
    assert "\n" not in str(error.value)


def test_halludial_one_scenario_alone(put, read):
    put("data/spontaneous/spontaneous_test.json", [TOLD])
    put("data/induced/induced_test.json", [TOLD | {"response": "A sea."}])
    assert read("halludial", part="induced").samples["text"].to_list() == ["A sea."]
    with pytest.raises(TruerateError, match="part 'both' is not known; allowed: induced, spontaneous"):
        read("halludial", part="both")


# ---- FaithDial ---------------------------------------------------------------------------------------------
def test_a_rewritten_hallucination_is_a_pair(put, read):
    put("train.jsonl", [TURN])
    got = read("faithdial")
    item = got.items.row(0, named=True)
    assert (item["history"], item["question"], item["right_answer"]) == (
        "[Human]: Hello!\n[Assistant]: Hi.",
        "What is Varn?",
        TURN["response"],
    )
    rows = got.samples.sort("is_hallucinated").select(
        "text", "is_hallucinated", "label_source", pair("attributes", "side").alias("side")
    )
    assert rows.rows() == [
        ("Varn is a town.", False, "gold", "right"),
        ("Varn is the river I love.", True, "gold", "hallucinated"),
    ]
    assert got.samples["pair_id"].n_unique() == 1 and got.samples["pair_id"].null_count() == 0


@pytest.mark.parametrize(
    ("change", "texts"),
    [
        ({"original_response": None}, [("Varn is a town.", True)]),
        ({"original_response": "", "BEGIN": ["Entailment"]}, [("Varn is a town.", False)]),
        (
            {"original_response": "Yes, a town.", "BEGIN": ["Generic"]},
            [("Varn is a town.", False), ("Yes, a town.", False)],
        ),
    ],
)
def test_labels_are_those_of_the_response_before(change, texts, put, read):
    put("train.jsonl", [TURN | change])
    got = read("faithdial")
    assert sorted(got.samples.select("text", "is_hallucinated").rows()) == texts and got.samples[
        "pair_id"
    ].null_count() == len(texts)


def test_files_of_whole_dialogues(put, read):
    utterances = [
        {"speaker": "Apprentice", "text": "Hello!"},
        {key: TURN[key] for key in TURN if key != "dialog_idx"} | {"speaker": "Wizard"},
    ]
    put(
        "data/valid.json", [{"dialog_idx": 3, "utterances": [*utterances, utterances[1] | {"knowledge": ""}]}]
    )
    got = read("faithdial")
    assert got.samples.height == 2 and got.rejects.select("where", "reason").rows() == [
        ("data/valid.json", "no-knowledge")
    ]
    assert set(got.samples.select(pair("attributes", "published_split")).to_series()) == {"valid"}


def dialogue(*histories, **more):
    """A dialogue with a turn of the assistant behind each history."""
    bare = {key: TURN[key] for key in TURN if key != "dialog_idx"}
    turns = [bare | {"history": list(history)} for history in histories]
    return {
        "dialog_idx": 7,
        "utterances": [turn | {"response": f"{n}"} for n, turn in enumerate(turns)],
    } | more


def turns_of(tables):
    """Dialogue, turn and question of every item, in order."""
    answer = (pair("attributes", name).alias(name) for name in ("dialogue", "turn"))
    return tables.items.select(*answer, "question").rows()


def test_turns_keep_their_dialogue_and_their_number(put, read):
    put("train.json", [dialogue(["a"], ["a", "b", "c"], ["a", "b", "c", "d", "e"])])
    put("valid.jsonl", [TURN, TURN | {"dialog_idx": None}])
    assert turns_of(read("faithdial")) == [
        ("7", "0", "a"), ("7", "1", "c"), ("7", "2", "e"), ("3", "1", "What is Varn?"), (None, "1", "What is Varn?"),
    ]  # fmt: skip


def test_a_dialogue_that_the_assistant_begins_has_a_first_turn_without_question(put, read):
    put("train.json", [dialogue([], ["x", "b"], ["x", "b", "c", "d"])])
    got = read("faithdial")
    assert turns_of(got) == [("7", "0", ""), ("7", "1", "b"), ("7", "2", "d")]
    assert got.items["group_id"].n_unique() == 1 and got.card["counts"]["n_turns_without_question"] == 1
    assert got.items["history"][1] == "[Assistant]: x"


def test_two_dialogues_of_one_number_are_two(put, read):
    put("train.json", [dialogue(["a"], ["a", "b", "c"]), dialogue(["x"], ["x", "b", "c"])])
    put("test.json", [dialogue(["z"])])  # numbers are those of a file
    got = read("faithdial")
    assert [row[:2] for row in turns_of(got)] == [
        ("7", "0"), ("7", "1"), ("7/2", "0"), ("7/2", "1"), ("7", "0"),
    ]  # fmt: skip
    assert got.items["group_id"].n_unique() == 3 and got.card["counts"]["n_dialogues_of_one_number"] == 1


@pytest.mark.parametrize(
    ("labels", "is_hallucinated"),
    [
        (["Partial_hallucination"], True),
        (["Partial Hallucination", "Entailment"], True),
        (["Entailment", "Hallucination"], True),
        (["Uncooperative", "Generic"], False),
    ],
)
def test_any_label_of_hallucination_counts(put, read, labels, is_hallucinated):
    put("train.jsonl", [TURN | {"BEGIN": labels, "original_response": None}])
    assert read("faithdial").samples["is_hallucinated"].to_list() == [is_hallucinated]


def test_the_audit_says_who_wrote_and_what_is_wrong(put, read):
    people = AUDITED | {
        "system": "gold",
        "begin": "partial_hallucination",
        "history": "",
        "response": "Once.",
    }
    put(
        "audit_cmu.jsonl",
        [
            AUDITED,
            people,
            AUDITED | {"row": 1, "begin": "generic", "response": "Ah."},
            AUDITED | {"response": ""},
        ],
    )
    got = read("faithdial")
    assert got.samples.sort("text").select("text", "is_hallucinated", "generator").rows() == [
        ("Ah.", False, "gpt2"),
        ("Once.", True, None),
        ("Twice.", True, "gpt2"),
    ]
    assert sorted(got.items["question"]) == ["", "Seen Varn?"] and got.samples["group_id"].n_unique() == 1
    assert got.documents["licence"].to_list() == ["Carnegie Mellon University notice (CMU DoG)"]
    assert got.rejects["reason"].to_list() == ["empty-turn"]


def test_an_entry_that_is_no_turn_costs_its_dialogue_no_other(put, read, reasons):
    put("train.json", [{"dialog_idx": 0, "utterances": ["Hello!", TURN]}])
    got = read("faithdial", "reject")
    assert reasons(got) == [(1, "wrong-type")] and got.items.height == 1


# ---- BEGIN -------------------------------------------------------------------------------------------------
def test_begin_s_labels(put, read):
    others = [LABELLED | {"row": 1, "response": "A sea.", "begin_label": "Not fully attributable"}]
    others += [
        LABELLED | {"row": 2, "response": "Oh!", "begin_label": "Generic"},
        LABELLED | {"row": 3, "response": " "},
    ]
    put("dev_topicalchat.jsonl", [LABELLED, *others])
    got = read("begin")
    assert got.samples.sort("text").select("text", "is_hallucinated", "generator", "label_source").rows() == [
        ("A sea.", True, "t5", "gold"),
        ("A town.", False, "t5", "gold"),
        ("Oh!", False, "t5", "gold"),
    ]
    assert got.rejects["reason"].to_list() == ["empty-turn"] and got.items["question"].to_list() == ["Varn?"]


@pytest.mark.parametrize("reader", ["halludial", "faithdial", "begin"])
def test_a_folder_with_nothing_known_is_one_line(reader, read):
    with pytest.raises(TruerateError, match="source 'x': none of .*; looked for: ") as error:
        read(reader)
    assert "\n" not in str(error.value)


# ---- the published files -----------------------------------------------------------------------------------
def test_the_published_audit(public):
    folder = public("faithdial", "audit_cmu.jsonl")
    got = read_source("x", Source(reader="faithdial", path=str(folder)), folder, "stop")
    # 1,604 rows; one has no text and three no knowledge, these labelled hallucination: 962 - 3 of that label
    # and 186 of the partial one; one of people's stands there twice, and both count, as published
    assert (got.samples.height, got.rejects["reason"].value_counts().sort("reason").rows()) == (
        1600,
        [("empty-turn", 1), ("no-knowledge", 3)],
    )
    assert got.samples["is_hallucinated"].sum() == 1145 and got.documents.height == 160
    assert got.samples.group_by("group_id").agg(pl.col("split").n_unique())["split"].max() == 1
    assert set(got.samples["generator"]) == {"ctrl", "doha", "gpt2", None}


SHARES = {  # hallucinated, of the usable rows, by corpus and system; None: people
    ("cmu", "ctrl"): 0.670, ("cmu", "doha"): 0.734, ("cmu", "gpt2"): 0.815, ("cmu", None): 0.652,
    ("topicalchat", "ctrl"): 0.650, ("topicalchat", "doha"): 0.779, ("topicalchat", "gpt2"): 0.794,
    ("topicalchat", None): 0.634,
}  # fmt: skip
NOT_ATTRIBUTABLE = {
    ("cmu", "ctrl"): 0.459, ("cmu", "doha"): 0.812, ("cmu", "gpt2"): 0.701, ("cmu", "t5"): 0.719,
    ("tc", "ctrl"): 0.312, ("tc", "doha"): 0.947, ("tc", "gpt2"): 0.962, ("tc", "t5"): 0.967,
}  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "file", "shares"),
    [("faithdial", "audit_cmu.jsonl", SHARES), ("begin", "dev_cmu.jsonl", NOT_ATTRIBUTABLE)],
)
def test_the_published_shares_of_every_system(public, reader, file, shares):
    folder = public(reader, file)
    got = read_source("x", Source(reader=reader, path=str(folder)), folder, "stop")
    corpus = got.items.select("item_id", pair("attributes", "corpus").alias("corpus"))
    rates = (
        got.samples.join(corpus, on="item_id")
        .group_by("corpus", "generator")
        .agg(pl.col("is_hallucinated").mean())
    )
    assert {(row[0], row[1]): round(row[2], 3) for row in rates.rows()} == shares


def test_the_published_dev_files_of_begin(public):
    folder = public("begin", "dev_cmu.jsonl")
    got = read_source("x", Source(reader="begin", path=str(folder)), folder, "stop")
    assert (got.samples.height, got.rejects.height, got.samples["is_hallucinated"].sum()) == (799, 0, 585)
    assert got.documents["licence"].value_counts().height == 2


# ---- published splits --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reader", "file", "row", "split"),
    [
        ("halludial", "spontaneous/spontaneous_train.json", TOLD, "train"),
        ("halludial", "spontaneous/spontaneous_test.json", TOLD, "test"),
        ("begin", "dev_wow.jsonl", LABELLED, "train"),  # what is not kept from those who learn is no test
        ("begin", "test_wow.jsonl", LABELLED, "test"),
        ("faithdial", "train.jsonl", TURN, "train"),
        ("faithdial", "valid.jsonl", TURN, "train"),
        ("faithdial", "validation.jsonl", TURN, "train"),
        ("faithdial", "test.jsonl", TURN, "test"),
    ],
)
def test_the_split_that_a_source_brings_wins(put, read, reader, file, row, split):
    put(file, [row])
    assert set(read(reader).samples["split"]) == {split}


def test_rows_of_a_source_without_splits_are_hashed_by_group(put, read):
    put("audit_wow.jsonl", [AUDITED | {"corpus": "wow"}])
    sample = read("faithdial").samples.row(0, named=True)
    assert sample["split"] == keys.split_of(sample["group_id"])


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_row_without_a_split_follows_its_group(put, read, split):
    """A turn of no dialogue is grouped by its knowledge, and so is an audited response on it."""
    put("audit_wow.jsonl", [AUDITED | {"corpus": "wow", "knowledge": TURN["knowledge"]}])
    put(f"{split}.jsonl", [{key: value for key, value in TURN.items() if key != "dialog_idx"}])
    got = read("faithdial").samples
    assert got["group_id"].n_unique() == 1 and set(got["split"]) == {split} and got.height > 1


def test_groups_that_were_published_in_both_splits_are_counted(put, read):
    put("spontaneous/spontaneous_train.json", [TOLD, TOLD | {"dialogue_id": 99}])
    put("spontaneous/spontaneous_test.json", [TOLD | {"response": "A sea."}])
    got = read("halludial")
    assert got.card["counts"]["n_groups_in_both_splits"] == 1
    assert sorted(got.samples["split"]) == ["test", "train", "train"]
