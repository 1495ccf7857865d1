"""Simulated people who label responses and check evaluations, with planted errors; no reference is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.halludial.models.claims import SUBTLE, Checker, Finding, Span, checker
from truerate_world.halludial.models.judging import is_accurate
from truerate_world.halludial.models.tasks import Asked, normalized

MIN_CROWD = 4  # people from whom on the last one is careless: of three the vote would hang on him
NATURAL, META = "natural", "meta"
_FIELDS = ("knowledge", "conversation", "response", "evaluation")


@dataclass(frozen=True)
class Annotator:
    """How a labeller errs. `missing`: that a hallucinated response is passed, by half as much more where it
    is subtle; `alarm`: that a faithful one is marked; `skipping`: that one of several segments is left out;
    `widening`: that a segment is marked with the word before it; `confusing`: that an evaluation is called
    the other way round.
    """

    missing: float
    alarm: float
    skipping: float
    widening: float
    confusing: float

    def p_yes(self, finding: Finding) -> float:
        """That this person calls a response hallucinated."""
        if finding.sight is None:
            return self.alarm
        return 1 - self.missing * (1.5 if finding.sight[1] == SUBTLE else 1.0)


_DATA = beside(__file__)
CAREFUL = tuple(Annotator(**rates) for rates in _DATA["careful"])
CARELESS = Annotator(**_DATA["careless"])


def people(names: Sequence[str]) -> dict[str, Annotator]:
    """Who errs how: the sorted names take turns at being careful."""
    ordered = sorted(set(names))
    annotators_by_name = {name: CAREFUL[index % len(CAREFUL)] for index, name in enumerate(ordered)}
    return annotators_by_name | ({ordered[-1]: CARELESS} if len(ordered) >= MIN_CROWD else {})


def annotate(tasks: Sequence[Mapping], world: World, seed: int) -> list[dict]:
    """Return rows sorted by task and annotator: `hallucination` with `spans`, or `accurate`."""
    claim_checker, who = checker(world), people([name for task in tasks for name in task["annotators"]])
    rows = []
    for task in sorted(tasks, key=lambda row: row["task_id"]):
        label = _checked if task["kind"] == META else _labelled
        for name in sorted(task["annotators"]):
            key = (seed, "halludial label", name, task["kind"], *_about(task))
            row = {"task_id": task["task_id"], "annotator": name}
            rows.append(row | label(claim_checker, task, who[name], *key))
    return rows


def asked_of(task: Mapping) -> Asked:
    """A task as the prompt that asks a model the same."""
    return Asked(task["kind"], fields={name.capitalize(): task.get(name) or "" for name in _FIELDS})


def finding_of(claim_checker: Checker, task: Mapping) -> Finding:
    """The truth about the response of a task."""
    return claim_checker.finding(task["response"], task["knowledge"], task["conversation"])


def _about(task: Mapping) -> list[str]:
    return [normalized(task.get(name) or "") for name in _FIELDS]


def _labelled(claim_checker: Checker, task: Mapping, person: Annotator, *key: object) -> dict:
    finding = finding_of(claim_checker, task)
    if draw(*key) >= person.p_yes(finding):
        return {"hallucination": "no", "spans": []}
    spans = _marked(task["response"], finding, person, *key)
    return {"hallucination": "yes", "spans": [{"start": start, "end": end} for start, end in spans]}


def _marked(text: str, finding: Finding, person: Annotator, *key: object) -> list[Span]:
    """The hallucinated segments as a person marks them; of a faithful response a claim, or nothing."""
    if not finding.flaws:
        return [pick(finding.sound, *key, "segment")] if finding.sound else []
    spans = []
    for number, (start, end) in enumerate(finding.spans):
        if number == 0 or draw(*key, "skip", number) >= person.skipping:
            is_widened = draw(*key, "widen", start) < person.widening
            spans.append((_word_before(text, start) if is_widened else start, end))
    return [(max(start, before), end) for (_, before), (start, end) in pairwise([(0, 0), *sorted(spans)])]


def _word_before(text: str, start: int) -> int:
    """Where the word before a place begins, in the same sentence."""
    before = text[:start].rstrip(" ")
    if not before or before[-1] in ".!?":
        return start
    return before.rfind(" ") + 1


def _checked(claim_checker: Checker, task: Mapping, person: Annotator, *key: object) -> dict:
    is_right = is_accurate(claim_checker, asked_of(task))
    says_so = is_right if draw(*key) >= person.confusing else not is_right
    return {"accurate": "yes" if says_so else "no"}
