"""Simulated people who mark hallucinated spans: each errs in ways of their own, and the last of five is
careless.

What is true of a text is read from the text itself; a silver span is taken for true only where the text
cannot be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from truerate.metrics.tokens import word_offsets
from truerate_world.draws import draw, pick
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.planted import TYPES
from truerate_world.mfava.models.reader import Reader, reader, sentences


@dataclass(frozen=True)
class Annotator:
    """How a labeller errs. `missing`: that a false span is passed; `alarm`: that a true sentence is marked;
    `shifting`: that a border of a span stands a word off; `mistyping`: that a span gets another type.
    `harsh`: how much lower (or higher) they rate plausibility.
    """

    missing: float
    alarm: float
    shifting: float
    mistyping: float
    harsh: float = 0.0


CAREFUL = (
    Annotator(missing=0.04, alarm=0.02, shifting=0.08, mistyping=0.05),
    Annotator(missing=0.08, alarm=0.03, shifting=0.10, mistyping=0.10, harsh=0.5),
    Annotator(missing=0.05, alarm=0.04, shifting=0.06, mistyping=0.06, harsh=-0.4),
    Annotator(missing=0.10, alarm=0.02, shifting=0.12, mistyping=0.08),
)
CARELESS = Annotator(missing=0.75, alarm=0.30, shifting=0.40, mistyping=0.50, harsh=1.0)


class Text(NamedTuple):
    """A task's text as its labellers see it: what is false in it, its words, and its sentences with the value
    in each (None: no value).
    """

    task: Mapping
    spans: list[dict]
    units: list[tuple[int, int]]
    true: dict[tuple[int, int], tuple[int, int] | None]


def annotate(tasks: Sequence[Mapping], seed: int) -> list[dict]:
    """Every label that people return: rows `task_id`, `annotator`, `spans` and `plausibility`, sorted by task
    and annotator.

    The names of all tasks in sorted order take turns at being careful; of at least three the last one is
    careless. Ratings are 1 to 5, on tasks that ask for one.
    """
    text_reader = reader(build(seed))
    people = profiles({name for task in tasks for name in task["annotators"]})
    texts = (text_of(text_reader, task) for task in sorted(tasks, key=lambda row: row["task_id"]))
    return [
        label(text, name, people[name], seed) for text in texts for name in sorted(text.task["annotators"])
    ]


def profiles(names: set[str]) -> dict[str, Annotator]:
    """Who errs how."""
    ordered = sorted(names)
    people = {name: CAREFUL[index % len(CAREFUL)] for index, name in enumerate(ordered)}
    return people | ({ordered[-1]: CARELESS} if len(ordered) > 2 else {})


def label(text: Text, name: str, person: Annotator, seed: int) -> dict:
    """One person's label of one task."""
    task = text.task
    key = (seed, "label", name, task["lang"], task["text"])
    spans = _disjoint([*_found(text, person, *key), *_alarms(text, person, *key)])
    rating = _rating(task, person, *key) if task.get("rate_plausibility") else None
    return {"task_id": task["task_id"], "annotator": name, "spans": spans, "plausibility": rating}


def text_of(text_reader: Reader, task: Mapping) -> Text:
    """A task's text with its truth: what is read in it, and the task's own (silver) spans where its sentences
    cannot be read.
    """
    text, silver = task["text"], task.get("spans") or []
    code = text_reader.language(text, task["lang"])
    claims = text_reader.read(text, code) if code else []
    unread = [
        one
        for one in silver
        if not any(claim.start < one["end"] and one["start"] < claim.end for claim in claims)
    ]
    spans = [*(span for claim in claims for span in text_reader.false_in(claim)), *map(_plain, unread)]
    value_of = {(claim.start, claim.end): claim.value for claim in claims}
    true = {
        place: value_of.get(place)
        for place in sentences(text, code or task["lang"])
        if not any(place[0] < span["end"] and span["start"] < place[1] for span in spans)
    }
    return Text(task, sorted(spans, key=lambda span: span["start"]), word_offsets(text), true)


def _plain(span: Mapping) -> dict:
    return {"start": span["start"], "end": span["end"], "type": span["type"]}


def _found(text: Text, person: Annotator, *key: object) -> list[dict]:
    """The false spans as this person marks them."""
    made = []
    for span in text.spans:
        mine = (*key, span["start"], span["end"])
        if draw(*mine, "miss") < person.missing:
            continue
        kind = span["type"]
        if draw(*mine, "mistype") < person.mistyping:
            kind = pick([content for content in TYPES if content != kind], *mine, "type")
        start, end = _shifted(text.units, span["start"], span["end"], person, *mine)
        made.append({"start": start, "end": end, "type": kind})
    return made


def _shifted(
    units: Sequence[tuple[int, int]], start: int, end: int, person: Annotator, *key: object
) -> tuple[int, int]:
    """A span with a border moved to a neighbouring word, in or out, if that is drawn; a span never becomes
    empty.
    """
    if draw(*key, "shift") >= person.shifting:
        return start, end
    if draw(*key, "side") < 0.5:
        starts = [index for index, _ in units if index < end]
        before, after = (
            [count for count in starts if count < start],
            [position for position in starts if position > start],
        )
        return pick((before[-1:] or [start]) + after[:1], *key, "start"), end
    ends = [index for _, index in units if index > start]
    before, after = [index for index in ends if index < end], [index for index in ends if index > end]
    return start, pick([index for index in before[-1:] + (after[:1] or [end])], *key, "end")


def _alarms(text: Text, person: Annotator, *key: object) -> list[dict]:
    """True sentences that this person marks: the value in them, or the whole."""
    made = []
    for (start, end), value in text.true.items():
        if draw(*key, "alarm", start) < person.alarm:
            kind = pick(TYPES[2:], *key, "alarm type", start)
            made.append(
                {"start": start, "end": end, "type": kind}
                if value is None
                else {"start": value[0], "end": value[1], "type": "entity"}
            )
    return made


def _disjoint(spans: list[dict]) -> list[dict]:
    """Spans in order, each cut where the next begins; those that are left empty are dropped."""
    ordered = sorted(spans, key=lambda span: (span["start"], span["end"]))
    cut = [{**row, "end": min(row["end"], after["start"])} for row, after in pairwise(ordered)] + ordered[-1:]
    return [span for span in cut if span["start"] < span["end"]]


def _rating(task: Mapping, person: Annotator, *key: object) -> int:
    """1 (would not fool a reader) to 5: natural texts fool more than inserted ones, and people differ."""
    middle = (4.1 if task["kind"] == "natural" else 3.5) + 1.2 * (draw("plausible", task["text"]) - 0.5)
    noise = sum(draw(*key, "rating", turn) for turn in range(3)) - 1.5
    return max(1, min(5, round(middle - person.harsh + 1.6 * noise)))
