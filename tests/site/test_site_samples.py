"""The sample browser's data."""

import dataclasses
import json
from urllib.parse import parse_qsl

from opened_scripts import values_of
from tiny_halueval import HOSTILE
from tiny_tables import tiny_tables

from truerate.site.permalinks import LABELLED, addressed
from truerate.site.samples.browser import scripts
from truerate.site.samples.ids import records as closed_records
from truerate.site.samples.labelled import chosen
from truerate.site.samples.labelled import records as labelled
from truerate.site.samples.layers import segments
from truerate.site.vocabulary import Vocabulary


def _sample(name: str, pair: str | None, task: str = "qa", pattern: str | None = None) -> dict:
    return {
        "sample_id": name,
        "pair_id": pair,
        "task": task,
        "pattern": pattern,
        "is_hallucinated": pattern is not None,
    }


def _span(start: int, end: int, kind: str) -> dict:
    return {"start": start, "end": end, "type": kind, "p": None}


def test_segments_of_overlapping_spans_cover_the_text_once():
    found = segments("abcdef", [[_span(1, 4, "x"), _span(3, 5, "y")]])
    x, y = [0, "x", 0], [0, "y", 0]
    assert found == ["a", ["bc", [x]], ["d", [x, y]], ["e", [y]], "f"]


def test_segments_count_code_points_and_cut_what_reaches_beyond():
    assert segments("𠮷🦜a", [[_span(1, 99, "x"), _span(2, 2, "y")]]) == ["𠮷", ["🦜a", [[0, "x", 0]]]]


def test_segments_of_nothing():
    assert segments("", []) == [] and segments("a", [None, []]) == ["a"]


def test_the_choice_is_even_over_strata_and_keeps_pairs_whole():
    samples = [
        _sample(f"{task}{k}{side}", f"{task}{k}", task, "p" if side == "h" else None)
        for task in ("qa", "dialogue")
        for k in range(9)
        for side in "hr"
    ]
    kept = chosen(samples, 8, Vocabulary())
    assert len(kept) == 8 and {one["task"] for one in kept} == {"qa", "dialogue"}
    assert len({one["pair_id"] for one in kept}) == 4
    assert chosen(samples[::-1], 8, Vocabulary()) == kept


def test_scripts_hold_every_chosen_text_and_no_tag():
    tables = tiny_tables()
    made = values_of(scripts(tables, tables.boards[0]))
    folder = "samples/halueval-closed-world"
    assert list(made) == [f"{folder}/{name}.js" for name in (0, 1, "words/0", "ids", "index")]
    records = [*made[f"{folder}/0.js"], *made[f"{folder}/1.js"]]
    texts = {"".join(part if isinstance(part, str) else part[0] for part in one["text"]) for one in records}
    assert set(HOSTILE) <= texts and len(records) == 132
    assert made[f"{folder}/ids.js"] == [one["id"] for one in records]
    index = made[f"{folder}/index.js"]
    assert index["types"] == ["non-factual", "unverifiable"] and all(
        len(codes) == 132 for codes in index["judges"].values()
    )
    assert not any(name.startswith("_") for one in records for name in one)


def test_the_limit_holds():
    tables = dataclasses.replace(tiny_tables(), max_samples=20)
    made = values_of(scripts(tables, tables.boards[0]))
    assert made["samples/halueval-closed-world/index.js"]["n"] == 20


def test_all_records_stand_in_the_order_of_a_choice_that_drops_none():
    board = tiny_tables().boards[0]
    rows = board.samples.to_dicts()
    in_turn = [one["sample_id"] for one in chosen(rows, len(rows), board.vocabulary)]
    records, index = labelled(board, len(rows))
    assert index == {} and [one["id"] for one in records] == in_turn and index["ids"] == in_turn


def test_who_may_name_texts_shows_ids_with_the_place_and_no_word_of_them():
    board = tiny_tables().boards[1]
    records, index = closed_records(board, 10)
    words = json.dumps(list(records))
    assert index["place"]["licence"] == board.source_card["licence"] and index["n"] == 10
    assert not any(text in words for text in board.samples["text"])
    closed = dataclasses.replace(board, source_card=board.source_card | {"redistribution": "no"})
    assert dict(scripts(tiny_tables(), closed)) == {}


def test_every_number_leads_to_records_by_what_the_browser_filters():
    board = tiny_tables().boards[0]
    row = {"subject": "elm", "slice": {"task": "qa", "variant": "plain", "pattern": "all"}}
    (judge,) = addressed([row], board, LABELLED)
    assert parse_qsl(judge["read"]) == [("board", board.name), ("judge", "elm · plain"), ("task", "qa")]
    (writer,) = addressed([row | {"subject": "quill", "slice": {"task": "nothing"}}], board, LABELLED)
    assert parse_qsl(writer["read"]) == [("board", board.name), ("model", "quill")]
    assert addressed([row | {"read": "own"}], board, LABELLED)[0]["read"] == "own"
    closed = dataclasses.replace(board, source_card={"redistribution": "no"})
    assert addressed([row], closed, LABELLED) == [row]
