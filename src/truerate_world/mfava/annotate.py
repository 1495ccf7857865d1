"""Simulated people who mark hallucinated spans with planted errors; the last of them is careless.
The truth is read from the text itself; a silver span counts as true only where the text cannot be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from truerate.metrics.tokens import word_offsets
from truerate_world.data import beside
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


_DATA = beside(__file__)
CAREFUL = tuple(Annotator(**rates) for rates in _DATA["careful"])
CARELESS = Annotator(**_DATA["careless"])


class Text(NamedTuple):
    """A text as its labellers see it: false spans, words, and true sentences with their values."""

    task: Mapping
    spans: list[dict]
    units: list[tuple[int, int]]
    true: dict[tuple[int, int], tuple[int, int] | None]


def annotate(tasks: Sequence[Mapping], seed: int) -> list[dict]:
    """Return rows `task_id`, `annotator`, `spans` (with `plausibility`, 1 to 5, if asked for), sorted.
    Sorted names take turns at being careful; of at least three the last one is careless.
    """
    people = profiles({name for task in tasks for name in task["annotators"]})
    texts = (text_of(reader(build(seed)), task) for task in sorted(tasks, key=lambda row: row["task_id"]))
    names = ((text, name) for text in texts for name in sorted(text.task["annotators"]))
    return [label(text, name, people[name], seed) for text, name in names]


def profiles(names: set[str]) -> dict[str, Annotator]:
    """Who errs how."""
    ordered = sorted(names)
    people = {name: CAREFUL[index % len(CAREFUL)] for index, name in enumerate(ordered)}
    return people | ({ordered[-1]: CARELESS} if len(ordered) > 2 else {})


def label(text: Text, name: str, person: Annotator, seed: int) -> dict:
    """One person's label of one task."""
    task = text.task
    key = (seed, "label", name, task["lang"], task["text"])
    spans = _disjoint([*_true_marks(text, person, *key), *_alarms(text, person, *key)])
    if task.get("rate_plausibility"):
        spans = [span | {"plausibility": _rating(task, person, *key, span["start"])} for span in spans]
    return {"task_id": task["task_id"], "annotator": name, "spans": spans}


def text_of(text_reader: Reader, task: Mapping) -> Text:
    """Return a task's text with its truth: claims that can be read, silver spans elsewhere."""
    text, silver = task["text"], task.get("spans") or []
    code = text_reader.language(text, task["lang"])
    claims = text_reader.read(text, code) if code else []
    value_of = {(claim.start, claim.end): claim.value for claim in claims}
    spans = [span for claim in claims for span in text_reader.false_in(claim)]
    unread = [span for span in silver if not any(_overlaps(claimed, span) for claimed in value_of)]
    spans += [{name: span[name] for name in ("start", "end", "type")} for span in unread]
    places = sentences(text, code or task["lang"])
    true = {
        offsets: value_of.get(offsets)
        for offsets in places
        if not any(_overlaps(offsets, span) for span in spans)
    }
    return Text(task, sorted(spans, key=lambda span: span["start"]), word_offsets(text), true)


def _overlaps(offsets: tuple[int, int], span: Mapping) -> bool:
    return offsets[0] < span["end"] and span["start"] < offsets[1]


def _true_marks(text: Text, person: Annotator, *key: object) -> list[dict]:
    """The false spans as this person marks them."""
    marks = []
    for span in text.spans:
        mine = (*key, span["start"], span["end"])
        if draw(*mine, "miss") < person.missing:
            continue
        kind = span["type"]
        if draw(*mine, "mistype") < person.mistyping:
            kind = pick([other for other in TYPES if other != kind], *mine, "type")
        start, end = _shifted(text.units, span["start"], span["end"], person, *mine)
        marks.append({"start": start, "end": end, "type": kind})
    return marks


def _shifted(
    units: Sequence[tuple[int, int]], start: int, end: int, person: Annotator, *key: object
) -> tuple[int, int]:
    """Return a span with a border moved to a neighbouring word if that is drawn; never empty."""
    if draw(*key, "shift") >= person.shifting:
        return start, end
    if draw(*key, "side") < 0.5:
        starts = [index for index, _ in units if index < end]
        before, after = (
            [index for index in starts if index < start],
            [index for index in starts if index > start],
        )
        return pick((before[-1:] or [start]) + after[:1], *key, "start"), end
    ends = [index for _, index in units if index > start]
    before, after = [index for index in ends if index < end], [index for index in ends if index > end]
    return start, pick(before[-1:] + (after[:1] or [end]), *key, "end")


def _alarms(text: Text, person: Annotator, *key: object) -> list[dict]:
    """True sentences that this person marks: the value in them, or the whole."""
    marks = []
    for (start, end), value in text.true.items():
        if draw(*key, "alarm", start) < person.alarm:
            kind = pick(TYPES[2:], *key, "alarm type", start) if value is None else "entity"
            start, end = value or (start, end)
            marks.append({"start": start, "end": end, "type": kind})
    return marks


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
