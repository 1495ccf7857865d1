"""Translated passages: what is asked, and what a reply's tags must be."""

import pytest

from truerate.llm.generation import facts
from truerate.tracks.mfava import translating
from truerate.tracks.mfava.context import contexts
from truerate.tracks.mfava.translating import Text, read_translation

from .tiny_wiki import dead, fields, ok, settings, source

TABLES = source()
FOUND = contexts(TABLES.items, TABLES.documents)
TEXT = Text(
    "i",
    "train",
    "translate",
    "de",
    "In <entity>Bend</entity> <invented>cows fly</invented>.",
    ("entity", "invented"),
    "t",
)


def test_passages_with_their_tags_and_each_reference_once_per_language():
    twice = TABLES.samples.to_dicts()[:1] * 2
    made = translating.texts(twice, FOUND, ("de", "fr"))
    assert [(text.purpose, text.lang) for text in made] == [
        ("translate", "de"),
        ("translate", "de"),
        ("translate_reference", "de"),
        ("translate", "fr"),
        ("translate", "fr"),
        ("translate_reference", "fr"),
    ]
    marked = "Elda lies by the river <entity>Odla</entity>. <contradictory>Nobody there eats cheese</contradictory>."
    assert (made[0].marked, made[0].types, made[0].sample_id) == (
        marked,
        ("entity", "contradictory"),
        "t-Elda",
    )
    asked = translating.requests(made, "m", settings(), prompts_dir=None)
    given, cue = fields(asked[0].request.messages[-1]["content"])
    assert (given["Source Language"], given["Target Language"], given["Text"], cue) == (
        "English",
        "German",
        marked,
        "Translation",
    )
    assert "Keep every tag" in asked[0].request.messages[0]["content"]
    assert "tag" not in asked[2].request.messages[0]["content"]


def test_spans_that_lie_over_one_another_or_leave_the_text_are_not_written_as_tags():
    row = TABLES.samples.to_dicts()[0]
    over = [
        {"start": 0, "end": 6, "type": "entity", "p": None},
        {"start": 4, "end": 9, "type": "relation", "p": None},
    ]
    outside = [{"start": 50, "end": 500, "type": "entity", "p": None}]
    bad = [row | {"spans": over}, row | {"spans": outside}]
    assert (
        translating.texts(bad, FOUND, ("de",)) == []
        and not any(map(translating.is_sound, bad))
        and translating.is_sound(row)
    )


CASES = [
    (None, "Auf <entity>Bend</entity> <invented>fliegen Kühe</invented>."),
    (None, "#Translation#: Auf <entity>Bend</entity> <invented>fliegen Kühe</invented>."),
    ("empty", "#Translation#:"),
    ("malformed", "Auf <entity>Bend <invented>fliegen Kühe</invented>."),
    ("malformed", "Auf <Entität>Bend</Entität> <invented>fliegen Kühe</invented>."),
    ("empty-span", "Auf Bend <entity></entity> <invented>fliegen Kühe</invented>."),
    ("tag-count", "Auf <entity>Bend</entity> fliegen Kühe."),
    ("tag-order", "<invented>Es fliegen Kühe</invented> auf <entity>Bend</entity>."),
    ("tag-types", "Auf <relation>Bend</relation> <invented>fliegen Kühe</invented>."),
    ("untranslated", "In <entity>Bend</entity> <invented>cows fly</invented> ."),
]


@pytest.mark.parametrize(("reason", "reply"), CASES, ids=[f"{case[0]}-{k}" for k, case in enumerate(CASES)])
def test_what_a_translation_must_keep(reason, reply):
    assert read_translation(reply, TEXT).reason == reason
    assert reason is None or reason in translating.REASONS


def test_rows_name_language_and_sample():
    made = translating.texts(TABLES.samples.to_dicts()[:1], FOUND, ("de",))
    asked = translating.requests(made, "m", settings(), prompts_dir=None)
    rows = translating.collect(made, asked, [ok("Alles gut."), dead()])
    assert facts(rows[0]) == {
        "lang": "de",
        "task": "train",
        "sample": "t-Elda",
        "detail": "entity, contradictory became none",
    }
    assert [(row["status"], row["reason"]) for row in rows] == [
        ("unparsed", "tag-count"),
        ("dead", "timeout"),
    ]
