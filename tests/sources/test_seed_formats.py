"""HotpotQA, OpenDialKG, CNN/DailyMail, Alpaca and probes: one good row each, and one example per reason of
rejection.
"""

import csv
import io
import json

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import pair

HOTPOT = {
    "_id": "5a7",
    "question": "Where was the maker of the Blue Lamp born?",
    "answer": "Varn",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Blue Lamp", 0], ["Ada Roe", 1], ["Blue Lamp", 9]],
    "context": [
        ["Elsewhere", ["It is far."]],
        ["Ada Roe", ["Ada Roe is a smith.", " She was born in Varn."]],
        ["Blue Lamp", ["The Blue Lamp was made by Ada Roe."]],
    ],
}
WALK = {"path": [0.9, [["Ada Roe", "born in", "Varn"]], "Ada Roe was born in Varn"]}
MESSAGES = [
    {"type": "chat", "sender": "user", "message": "Do you know\nAda Roe?"},
    {"type": "action", "sender": "assistant", "action_id": "kgwalk/choose_path", "metadata": WALK},
    {"type": "chat", "sender": "assistant", "message": "A smith from Varn."},
    {"type": "chat", "sender": "user", "message": "What did she make?"},
    {"type": "action", "sender": "assistant", "action_id": "meta_thread/send_meta_message", "metadata": {}},
    {
        "type": "action",
        "sender": "assistant",
        "action_id": "kgwalk/choose_path",
        "metadata": {"path": [0.5, [["Ada Roe", "made", "Blue Lamp"], ["Blue Lamp", "made of", "tin"]]]},
    },
    {"type": "chat", "sender": "assistant", "message": "The Blue Lamp."},
    {"type": "chat", "sender": "user", "message": "Thanks!"},
]
STORY = "Varn opened a bridge.\n\nIt is long.\n\n@highlight\n\nA bridge opened\n\n@highlight\n\nIt is\nlong\n"
ALPACA = {"instruction": "Name a metal.", "input": "", "output": "Tin"}
PROBE = {
    "query": "Who made it?",
    "response": "Ada made it in 1900.",
    "hallucination": "yes",
    "hallucination_spans": ["in 1900", "no such part"],
}


def csv_of(*cells):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Messages", "User Rating", "Assistant Rating"])
    writer.writerows([cell if isinstance(cell, str) else json.dumps(cell), "4", ""] for cell in cells)
    return out.getvalue()


def test_hotpotqa(put, read):
    put("hotpotqa.json", [HOTPOT])
    got = read("hotpotqa")
    item = got.items.row(0, named=True)
    texts = dict(got.documents.select("document_id", "text").iter_rows())
    assert (item["task"], item["question"], item["right_answer"]) == ("qa", HOTPOT["question"], "Varn")
    assert [texts[i] for i in item["document_ids"]] == [
        "The Blue Lamp was made by Ada Roe.",
        "Ada Roe is a smith. She was born in Varn.",
    ]
    assert got.documents["title"].to_list() == [
        "Elsewhere",
        "Ada Roe",
        "Blue Lamp",
    ]  # the distractor is a document too
    assert got.items.select(pair("attributes", "type")).item() == "bridge"
    assert got.card["licence"] == "CC BY-SA 4.0" and got.card["files"][0]["n_rows"] == 1


def test_a_right_answer_stands_without_outer_blanks_as_candidates_do(put, read):
    put("hotpotqa.json", [HOTPOT | {"answer": " Varn\n"}])
    assert read("hotpotqa").items["right_answer"].to_list() == ["Varn"]


def without(row, field):
    return {name: value for name, value in row.items() if name != field}


def test_a_bad_row_stops_with_its_number_and_field(put, read):
    put("hotpotqa.json", [HOTPOT, without(HOTPOT, "answer")])
    with pytest.raises(TruerateError) as error:
        read("hotpotqa")
    assert (
        str(error.value)
        == "source 'x': hotpotqa.json row 2: field 'answer' is missing; set on_bad_row: reject to keep going"
    )


def test_a_duplicate_is_booked_and_never_stops(put, read, reasons):
    put("hotpotqa.json", [HOTPOT, HOTPOT])
    assert reasons(read("hotpotqa")) == [(2, "duplicate")]


def test_a_file_that_is_no_list_is_one_line(put, read):
    put("hotpotqa.json", '{"a": 1}')
    with pytest.raises(TruerateError, match="hotpotqa.json: the file must be one JSON list, not an object"):
        read("hotpotqa", "reject")
    put("hotpotqa.json", "[1, 2")
    with pytest.raises(TruerateError, match="hotpotqa.json: not JSON: "):
        read("hotpotqa", "reject")


def test_a_missing_file_is_one_line(read):
    with pytest.raises(
        TruerateError, match="source 'x': HotpotQA in .*: no file of it; looked for: hotpotqa.json, "
    ):
        read("hotpotqa")


def test_opendialkg(put, read):
    put("opendialkg.csv", csv_of(MESSAGES))
    got = read("opendialkg")
    item = got.items.row(0, named=True)
    assert item["history"] == "[Human]: Do you know Ada Roe?\n[Assistant]: A smith from Varn."
    assert (item["question"], item["right_answer"]) == ("What did she make?", "The Blue Lamp.")
    assert got.documents.select("title", "text").row(0) == (
        "Ada Roe",
        "Ada Roe was born in Varn\nAda Roe made Blue Lamp. Blue Lamp made of tin",
    )
    assert item["attributes"] == [{"key": "user_rating", "value": "4"}]


def test_dialogues_on_one_entity_are_one_group(put, read):
    put("opendialkg.csv", csv_of(MESSAGES, MESSAGES[:3]))
    assert read("opendialkg").items["group_id"].n_unique() == 1


def test_cnn_dailymail(put, read):
    put("stories/abc.story", STORY)
    got = read("cnn_dailymail")
    item = got.items.row(0, named=True)
    assert (item["task"], item["question"], item["right_answer"]) == (
        "summarization",
        "",
        "A bridge opened\nIt is long",
    )
    assert got.documents.select("title", "text").row(0) == ("abc", "Varn opened a bridge.\n\nIt is long.")


def test_alpaca(put, read):
    put("alpaca.json", [ALPACA, ALPACA | {"instruction": "Translate.", "input": "tin"}])
    got = read("alpaca").items
    assert got["question"].to_list() == ["Name a metal.", "Translate.\ntin"]
    assert got["right_answer"].null_count() == 2 and got["group_id"].n_unique() == 2


def test_probes_are_gold_samples_that_say_so(put, read):
    put("general_probe.jsonl", [PROBE])
    got = read("probes")
    sample = got.samples.row(0, named=True)
    assert (sample["is_hallucinated"], sample["label_source"], sample["generator"]) == (True, "gold", None)
    assert (
        sample["spans"] == [{"start": 12, "end": 19, "type": None, "p": None}]
        and sample["rationale"] == "no such part"
    )
    assert (
        got.samples.select(pair("attributes", "is_probe")).item()
        == got.items.select(pair("attributes", "is_probe")).item()
        == "True"
    )
    assert (got.card["counts"]["n_spans"], got.card["counts"]["n_spans_verbatim"]) == (2, 1)


def test_seed_files_reads_what_the_folder_holds(put, read):
    put("hotpotqa.json", [HOTPOT, 5])
    put("opendialkg.csv", csv_of(MESSAGES))
    put("stories/abc.story", STORY)
    put("alpaca.json", [ALPACA])
    put("general_probe.jsonl", [PROBE])
    put(
        "source.json",
        {
            "name": "Varn", "citation": "none", "licence": "Apache-2.0", "redistribution": "yes",
            "url": "https://example.org", "lang": "de",
        },
    )  # fmt: skip
    got = read("seed_files", "reject")
    assert got.items["task"].to_list() == ["qa", "dialogue", "summarization", "general", "general"]
    assert got.items["lang"].unique().to_list() == ["de"] and got.documents["licence"].unique().to_list() == [
        "Apache-2.0"
    ]
    assert not got.documents["is_wikipedia"].any()
    assert (got.card["name"], got.card["redistribution"], got.card["url"]) == (
        "Varn",
        "yes",
        "https://example.org",
    )
    counts = {name: got.card["counts"][f"n_{name}"] for name in got.tables}
    assert counts == {name: table.height for name, table in got.tables.items()} == {
        "documents": 5, "items": 5, "samples": 1, "judgements": 0, "rejects": 1
    }  # fmt: skip
    assert [file["file"] for file in got.card["files"]] == [
        "hotpotqa.json", "opendialkg.csv", "stories/*.story", "alpaca.json", "general_probe.jsonl"
    ]  # fmt: skip


def test_without_a_card_the_strictest_right_of_the_formats_holds(put, read):
    put("alpaca.json", [ALPACA])
    put("stories/abc.story", STORY)
    assert read("seed_files").card["redistribution"] == "no"


def test_an_empty_folder_and_a_wrong_card_are_one_line(put, read):
    with pytest.raises(
        TruerateError,
        match="no seed file in .*looked for: hotpotqa.json, hotpot_train_v1.1.json, .*opendialkg.csv, .*stories",
    ):
        read("seed_files")
    put("alpaca.json", [ALPACA])
    put("source.json", {"redistribution": "perhaps"})
    with pytest.raises(TruerateError, match="one of no, ids-only, yes"):
        read("seed_files")


def test_reading_is_repeatable_and_ids_do_not_hang_on_order(put, read):
    other = HOTPOT | {"question": "Who made the Blue Lamp?"}
    put("hotpotqa.json", [HOTPOT, other])
    first = read("hotpotqa")
    put("hotpotqa.json", [other, HOTPOT])
    second = read("hotpotqa")
    assert first.items.sort("item_id").equals(second.items.sort("item_id"))
    assert isinstance(first.items, pl.DataFrame)
