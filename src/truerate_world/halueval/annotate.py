"""Simulated people: five labellers of general replies with planted errors, one of them careless."""

from dataclasses import dataclass
from itertools import compress

from truerate_world.data import beside
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


ANNOTATORS = tuple(Annotator(name, **rates) for name, rates in beside(__file__)["annotators"].items())


def annotate(tasks: list[dict], world: World, seed: int) -> list[dict]:
    """Return every labeller's label: `task_id`, `annotator`, `hallucination`, `spans` (`text`, `type`)."""
    rows = []
    for task in sorted(tasks, key=lambda row: row["task_id"]):
        finding = speaker(world, task["response"]).general(task["query"], task["response"])
        rows += [_label(task, finding, annotator, world, seed) for annotator in ANNOTATORS]
    return rows


def _label(task: dict, finding: Finding, annotator: Annotator, world: World, seed: int) -> dict:
    key = (seed, annotator.name, task["query"], task["response"])
    is_yes = draw(*key) < annotator.p_yes(finding.is_hallucinated)
    spans = _spans(task["response"], finding, annotator, world, *key) if is_yes else []
    label = {"hallucination": "yes" if is_yes else "no", "spans": spans}
    return {"task_id": task["task_id"], "annotator": annotator.name, **label}


def _spans(response: str, finding: Finding, annotator: Annotator, world: World, *key: object) -> list[dict]:
    """The false sentences as this labeller marks them; of a right reply some sentence."""
    if not finding.spans:
        sentences = speaker(world, response).parser.read(response).sentences
        texts = [pick(sentences, *key, "sentence")] if sentences else []
        return [{"text": text, "type": pick(LABELS, *key, "type")} for text in texts]
    is_marked = [
        index == 0 or draw(*key, "skip", index) >= annotator.skipping for index in range(len(finding.spans))
    ]
    spans = []
    for index, (text, label) in enumerate(compress(finding.spans, is_marked)):
        others = [name for name in LABELS if name != label]
        is_mistyped = draw(*key, "mistype", index) < annotator.mistyping
        spans.append({"text": text, "type": pick(others, *key, "type", index) if is_mistyped else label})
    return spans
