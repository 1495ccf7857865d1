"""Spans carried to translations by an alignment that is learned from the translations alone."""

from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from truerate.core.tags import parse_tags
from truerate.llm import Reply
from truerate.tracks.mfava import projecting, translating
from truerate.tracks.mfava.projecting import Pair, aligned, best_run, carried
from truerate.tracks.mfava.translating import Text

NAMES = ["Varn", "Ost", "Quill", "Mira", "Tolm", "Ebbe"]
THINGS = {"town": "Stadt", "river": "Fluss", "bridge": "Brücke", "tower": "Turm"}
COLOURS = {"red": "rot", "old": "alt", "tall": "hoch", "small": "klein"}


def passages() -> list[tuple[str, str, tuple[str, ...], str]]:
    """English passages, a span in each, their translation with other word order, and what the span is there."""
    made, drawn = [], Random(3)
    for k, name in enumerate(NAMES):
        for thing, ding in THINGS.items():
            colour = drawn.choice(list(COLOURS))
            source = f"The {thing} of {name} is very {colour}. It was built by {NAMES[k - 1]}."
            target = f"Sehr {COLOURS[colour]} ist {ding} von {name}. Gebaut wurde es von {NAMES[k - 1]}."
            made.append((source, target, (colour, "It was built by " + NAMES[k - 1] + "."), COLOURS[colour]))
    return made


def text(source: str, parts: tuple[str, ...], purpose: str = "translate") -> Text:
    spans = [
        {"start": source.index(part), "end": source.index(part) + len(part), "type": kind}
        for part, kind in zip(parts, ("entity", "invented"), strict=False)
    ]
    return Text("i", "train", purpose, "de", source, sample_id="s", spans=tuple(spans))


def test_words_that_come_together_are_found_whatever_their_order():
    weights = aligned([Pair(source, target) for source, target, *_ in passages()])
    first = weights[0]  # The town of Varn is very … | Sehr … ist Stadt von Varn
    assert first.shape == (12, 11) and ((first >= 0) & (first <= 1 + 1e-9)).all()
    assert first[1].argmax() == 3 and first[3].argmax() == 5 and first[6].argmax() == 1
    assert [one.shape for one in aligned([Pair("", "a"), Pair("b", "")])] == [(0, 1), (1, 0)]
    assert aligned([]) == []


def test_spans_stand_round_the_words_that_stand_for_theirs():
    made = passages()
    found = carried([(text(source, parts), target) for source, target, parts, _ in made])
    for (_, target, _, colour), spans in zip(made, found, strict=True):
        assert [(target[one["start"] : one["end"]], one["type"]) for one in spans] == [
            (colour, "entity"),
            (target[target.index("Gebaut") :], "invented"),  # with its full stop
        ]


def test_a_span_that_nothing_stands_for_and_a_passage_without_spans():
    whole = [(text(source, ()), target) for source, target, *_ in passages()]
    assert carried(whole) == [[] for _ in whole]
    assert carried([(text("Varn is red.", ("red",)), "")]) == [None]
    assert carried([]) == []


@pytest.mark.parametrize(
    ("values", "run"),
    [([-1, 0.5, 0.5, -0.2, 0.4, -1, 0.3], (1, 4)), ([-1, -2], None), ([], None), ([1, -1, 1], (0, 0))],
)
def test_the_best_run(values, run):
    assert best_run(np.array(values)) == run


def test_rows_have_the_tags_put_back_and_say_what_could_not_be_aligned():
    made = [text(source, parts[:1]) for source, _, parts, _ in passages()] + [text("Red.", ("Red",))]
    asked = [translating.prompted(one, translating.request(one, "w", 9)) for one in made]
    said = [target for _, target, *_ in passages()] + ["。"]
    replies = [Reply(str(k), "ok", one, "stop", None, 1, 1, 0.0, False) for k, one in enumerate(said)]
    replies[3] = Reply("3", "dead", "", None, "timeout", None, None, 0.0, False)
    rows = projecting.projected(made, asked, replies)
    assert [row["status"] for row in rows] == ["ok"] * 3 + ["dead"] + ["ok"] * 20 + ["unparsed"]
    assert rows[-1]["reason"] == projecting.NOT_ALIGNED in translating.REASONS
    tagged = parse_tags(rows[0]["text"])
    assert tagged.text == said[0] and [one["type"] for one in tagged.spans] == ["entity"]


def test_passages_are_asked_for_without_tags_where_spans_are_aligned():
    span = {"start": 0, "end": 4, "type": "entity"}
    row = {"item_id": "i", "task": "train", "text": "Varn is red.", "spans": [span], "sample_id": "s"}
    known = {"i": SimpleNamespace(task="train", knowledge="Varn.")}
    tagged, bare = (translating.texts([row], known, ["de"], has_tags=each) for each in (True, False))
    assert (tagged[0].marked, tagged[0].types) == ("<entity>Varn</entity> is red.", ("entity",))
    assert (bare[0].marked, bare[0].types, bare[0].spans) == ("Varn is red.", (), (span,))
    assert tagged[1] == bare[1] and bare[1].marked == "Varn."
