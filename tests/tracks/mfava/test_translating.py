"""Translated passages: what is asked, what a reply's tags must be, and spans that an alignment of words
carries over.
"""

from random import Random

import numpy as np
import pytest

from truerate.core.spans.tags import parse_tags
from truerate.llm.generation import facts
from truerate.tracks.mfava import projecting, translating
from truerate.tracks.mfava.context import contexts
from truerate.tracks.mfava.projecting import Pair, aligned, best_run, carried
from truerate.tracks.mfava.translating import Text, read_translation

from .tiny_wiki import dead, fields, ok, prompter, source

TABLES = source()
FOUND = contexts(TABLES.items, TABLES.documents)
ROW = TABLES.samples.to_dicts()[0]
MARKED = (
    "Elda lies by the river <entity>Odla</entity>. <contradictory>Nobody there eats cheese</contradictory>."
)
KINDS = ("entity", "invented")
TEXT = Text(
    "i", "train", "translate", "de", "In <entity>Bend</entity> <invented>cows fly</invented>.", KINDS, "t"
)


def test_passages_with_their_tags_and_each_reference_once_per_language():
    result = translating.texts([ROW] * 2, FOUND, ("de", "fr"))
    purposes = ["translate", "translate", "translate_reference"]
    assert [(text.purpose, text.lang) for text in result] == [
        (purpose_of, lang) for lang in ("de", "fr") for purpose_of in purposes
    ]
    assert (result[0].marked, result[0].types, result[0].sample_id) == (
        MARKED,
        ("entity", "contradictory"),
        "t-Elda",
    )
    asked = translating.requests(result, "m", prompter())
    given, cue = fields(asked[0].request.messages[-1]["content"])
    assert [given[name] for name in ("Source Language", "Target Language", "Text")] == [
        "English",
        "German",
        MARKED,
    ]
    assert cue == "Translation" and "Keep every tag" in asked[0].request.messages[0]["content"]
    assert "tag" not in asked[2].request.messages[0]["content"]


def test_passages_are_asked_for_without_tags_where_spans_are_aligned():
    bare = translating.texts([ROW], FOUND, ("de",), has_tags=False)
    assert (bare[0].marked, bare[0].types, bare[0].spans) == (ROW["text"], (), tuple(ROW["spans"]))
    assert bare[1] == translating.texts([ROW], FOUND, ("de",))[1]


@pytest.mark.parametrize("places", [((0, 6), (4, 9)), ((50, 500),), ((3, 3),)])
def test_spans_that_lie_over_one_another_or_leave_the_text_are_not_written_as_tags(places):
    bad = ROW | {"spans": [{"start": start, "end": end, "type": "entity"} for start, end in places]}
    assert not translating.is_sound(bad) and translating.is_sound(ROW)
    assert translating.texts([bad], FOUND, ("de",)) == []


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
    result = translating.texts([ROW], FOUND, ("de",))
    asked = translating.requests(result, "m", prompter())
    rows = translating.collect(result, asked, [ok("Alles gut."), dead()])
    detail = "entity, contradictory became none"
    assert facts(rows[0]) == {"lang": "de", "task": "train", "sample": "t-Elda", "detail": detail}
    assert [(row["status"], row["reason"]) for row in rows] == [
        ("unparsed", "tag-count"),
        ("dead", "timeout"),
    ]


# ---- spans carried over by an alignment that is learned from the translations alone ------------------------

NAMES = ["Varn", "Ost", "Quill", "Mira", "Tolm", "Ebbe"]
THINGS = {"town": "Stadt", "river": "Fluss", "bridge": "Brücke", "tower": "Turm"}
COLOURS = {"red": "rot", "old": "alt", "tall": "hoch", "small": "klein"}


def passages() -> list[tuple[str, str, tuple[str, ...], str]]:
    """English passages, spans in each, their translation with other word order, and what the first span is
    there.
    """
    result, drawn = [], Random(3)
    for k, name in enumerate(NAMES):
        for thing, ding in THINGS.items():
            colour = drawn.choice(list(COLOURS))
            built = f"It was built by {NAMES[k - 1]}."
            target = f"Sehr {COLOURS[colour]} ist {ding} von {name}. Gebaut wurde es von {NAMES[k - 1]}."
            result.append(
                (f"The {thing} of {name} is very {colour}. {built}", target, (colour, built), COLOURS[colour])
            )
    return result


PASSAGES = passages()


def text(passage: str, parts: tuple[str, ...]) -> Text:
    spans = [
        {"start": passage.index(part), "end": passage.index(part) + len(part), "type": kind}
        for part, kind in zip(parts, KINDS, strict=False)
    ]
    return Text("i", "train", "translate", "de", passage, sample_id="s", spans=tuple(spans))


def test_words_that_come_together_are_aligned_whatever_their_order():
    first = aligned([Pair(passage, target) for passage, target, *_ in PASSAGES])[0]
    # The town of Varn is very … | Sehr … ist Stadt von Varn
    assert first.shape == (12, 11) and ((first >= 0) & (first <= 1 + 1e-9)).all()
    assert first[1].argmax() == 3 and first[3].argmax() == 5 and first[6].argmax() == 1
    assert [weights.shape for weights in aligned([Pair("", "a"), Pair("b", "")])] == [(0, 1), (1, 0)]
    assert aligned([]) == []


def test_spans_stand_round_the_words_that_stand_for_theirs():
    spans_of = carried([(text(passage, parts), target) for passage, target, parts, _ in PASSAGES])
    for (_, target, _, colour), spans in zip(PASSAGES, spans_of, strict=True):
        shown = [(target[row["start"] : row["end"]], row["type"]) for row in spans]
        assert shown == [
            (colour, "entity"),
            (target[target.index("Gebaut") :], "invented"),
        ]  # with its full stop


def test_a_span_that_nothing_stands_for_and_a_passage_without_spans():
    assert carried([(text(passage, ()), target) for passage, target, *_ in PASSAGES]) == [[]] * len(PASSAGES)
    assert carried([(text("Varn is red.", ("red",)), "")]) == [None] and carried([]) == []


@pytest.mark.parametrize(
    ("values", "run"),
    [([-1, 0.5, 0.5, -0.2, 0.4, -1, 0.3], (1, 4)), ([-1, -2], None), ([], None), ([1, -1, 1], (0, 0))],
)
def test_the_best_run(values, run):
    assert best_run(np.array(values)) == run


def test_rows_have_the_tags_put_back_and_say_what_could_not_be_aligned():
    result = [text(passage, parts[:1]) for passage, _, parts, _ in PASSAGES] + [text("Red.", ("Red",))]
    asked = [
        question.prompted(translating.weights_request(question.marked, question.lang, "w", 9))
        for question in result
    ]
    replies = [ok(target) for _, target, *_ in PASSAGES] + [ok("。")]
    replies[3] = dead()
    rows = projecting.projected(result, asked, replies)
    assert [row["status"] for row in rows] == ["ok"] * 3 + ["dead"] + ["ok"] * 20 + ["unparsed"]
    assert rows[-1]["reason"] == translating.NOT_ALIGNED in translating.REASONS
    tagged = parse_tags(rows[0]["text"])
    assert tagged.text == PASSAGES[0][1] and [question["type"] for question in tagged.spans] == ["entity"]
