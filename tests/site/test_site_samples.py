"""The sample browser's data."""

import dataclasses
import json

from tiny_tables import HOSTILE, tiny_tables

from truerate.site.samples import chosen, scripts, segments
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
    found = segments("abcdef", [_span(1, 4, "x"), _span(3, 5, "y")])
    assert found == ["a", ["bc", ["x"]], ["d", ["x", "y"]], ["e", ["y"]], "f"]


def test_segments_count_code_points_and_cut_what_reaches_beyond():
    assert segments("𠮷🦜a", [_span(1, 99, "x"), _span(2, 2, "y")]) == ["𠮷", ["🦜a", ["x"]]]


def test_segments_of_nothing():
    assert segments("", []) == [] and segments("a", []) == ["a"]


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
    made = scripts(tables, tables.boards[0])
    assert list(made) == [f"samples/halueval-closed-world/{name}.js" for name in ("index", 0, 1)]
    assert not any("<" in text for text in made.values())
    records = [
        one
        for name in (0, 1)
        for one in json.loads("[" + made[f"samples/halueval-closed-world/{name}.js"][14:-3] + "]")[2]
    ]
    texts = {"".join(part if isinstance(part, str) else part[0] for part in one["text"]) for one in records}
    assert set(HOSTILE) <= texts and len(records) == 132
    index = json.loads("[" + made["samples/halueval-closed-world/index.js"][14:-3] + "]")[1]
    assert index["types"] == ["non-factual", "unverifiable"] and all(
        len(codes) == 132 for codes in index["judges"].values()
    )


def test_the_limit_holds():
    tables = dataclasses.replace(tiny_tables(), max_samples=20)
    index = scripts(tables, tables.boards[0])["samples/halueval-closed-world/index.js"]
    assert json.loads("[" + index[14:-3] + "]")[1]["n"] == 20
