"""Simulated people: five labellers of general replies with planted errors, one of them careless."""

from dataclasses import dataclass

from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.halueval.models.claim_checker import PATTERNS, Finding, speaker

LABELS = PATTERNS["general"]


@dataclass(frozen=True)
class Annotator:
    """How a labeller errs. `missing`: that a hallucinated reply is passed; `alarm`: that a right one is
    marked; `mistyping`: that a span gets another label; `skipping`: that one of several spans is left out.
    """

    name: str
    missing: float
    alarm: float
    mistyping: float
    skipping: float

    def p_yes(self, is_hallucinated: bool) -> float:
        """That the labeller says yes."""
        return 1 - self.missing if is_hallucinated else self.alarm


ANNOTATORS = (
    Annotator("ada", missing=0.04, alarm=0.03, mistyping=0.05, skipping=0.10),
    Annotator("ben", missing=0.08, alarm=0.03, mistyping=0.10, skipping=0.15),
    Annotator("cleo", missing=0.03, alarm=0.06, mistyping=0.05, skipping=0.10),
    Annotator("dana", missing=0.08, alarm=0.02, mistyping=0.08, skipping=0.20),
    Annotator(
        "emil", missing=0.50, alarm=0.40, mistyping=0.40, skipping=0.50
    ),  # careless: the probe set screens him out
)


def annotate(tasks: list[dict], world: World, seed: int) -> list[dict]:
    """Every labeller's label of every task (`task_id`, `query`, `response`), sorted by task and labeller.

    Rows have `task_id`, `annotator`, `hallucination` (yes or no) and `spans` (`text`, `type`), as people
    would return them.
    """
    rows = []
    for task in sorted(tasks, key=lambda row: row["task_id"]):
        found = speaker(world, task["response"]).general(task["query"], task["response"])
        rows += [_label(task, found, annotator, world, seed) for annotator in ANNOTATORS]
    return rows


def _label(task: dict, found: Finding, annotator: Annotator, world: World, seed: int) -> dict:
    key = (seed, annotator.name, task["query"], task["response"])
    is_yes = draw(*key) < annotator.p_yes(found.is_hallucinated)
    spans = _spans(task["response"], found, annotator, world, *key) if is_yes else []
    return {
        "task_id": task["task_id"],
        "annotator": annotator.name,
        "hallucination": "yes" if is_yes else "no",
        "spans": spans,
    }


def _spans(response: str, found: Finding, annotator: Annotator, world: World, *key: object) -> list[dict]:
    """The false sentences as this labeller marks them; of a right reply some sentence."""
    if not found.spans:
        sentences = speaker(world, response).parser.read(response).sentences
        return (
            [{"text": pick(sentences, *key, "sentence"), "type": pick(LABELS, *key, "type")}]
            if sentences
            else []
        )
    kept = [
        span
        for index, span in enumerate(found.spans)
        if index == 0 or draw(*key, "skip", index) >= annotator.skipping
    ]
    spans = []
    for position, (text, label) in enumerate(kept):
        others = [name for name in LABELS if name != label]
        is_mistyped = draw(*key, "mistype", position) < annotator.mistyping
        spans.append({"text": text, "type": pick(others, *key, "type", position) if is_mistyped else label})
    return spans
