"""HotpotQA, OpenDialKG, CNN/DailyMail, Alpaca and probes: one good row each, and one example per reason of
rejection.
"""

import csv
import io
import json

import polars as pl

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


def test_reading_is_repeatable_and_ids_do_not_hang_on_order(put, read):
    other = HOTPOT | {"question": "Who made the Blue Lamp?"}
    put("hotpotqa.json", [HOTPOT, other])
    first = read("hotpotqa")
    put("hotpotqa.json", [other, HOTPOT])
    second = read("hotpotqa")
    assert first.items.sort("item_id").equals(second.items.sort("item_id"))
    assert isinstance(first.items, pl.DataFrame)
