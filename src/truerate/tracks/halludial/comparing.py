"""Comparative evaluation (HalluDial appendix C): which of two responses is hallucinated, in both orders.

A pair is the reference response and one of the same turn that is hallucinated: induced (both kinds), or spontaneous
by its annotation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerate.core.keys import content_id, draw
from truerate.core.schemas import judgement_row, pairs
from truerate.llm import structured
from truerate.llm.generation import REASKED, Prompted, Read, facts
from truerate.llm.replies.choices import choice
from truerate.llm.replies.reading import cut
from truerate.tracks.halludial import annotating
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.prompting import COMPARE, CUES, KINDS, REFERENCE, Questions, unread

NAMES = ("Response 1", "Response 2")
FORM = structured.choice(NAMES)
REFERENCE_FIRST, INDUCED_FIRST = "reference-first", "induced-first"
PAIR_KINDS = (*KINDS, annotating.SCENARIO)


@dataclass(frozen=True, slots=True)
class Pair:
    """A reference response and a hallucinated one of the same turn, with their sample ids; of one of PAIR_KINDS."""

    item_id: str
    kind: str
    reference_id: str
    reference: str
    hallucinated_id: str
    hallucinated: str


def sample_pairs(samples: Iterable[dict], n: int, seed: int) -> list[Pair]:
    """Return the first `n` pairs of each kind in a seeded order, of Sample rows of test dialogues."""
    test = [(row, facts(row)) for row in samples if row["split"] == "test"]
    reference_of = {row["item_id"]: row for row, attributes in test if attributes.get("kind") == REFERENCE}
    by_kind: dict[str, list[Pair]] = {kind: [] for kind in PAIR_KINDS}
    for row, attributes in test:
        reference = reference_of.get(row["item_id"])
        if not row["is_hallucinated"] or reference is None or row["text"] == reference["text"]:
            continue
        kind = attributes.get("kind") or attributes["scenario"]
        sides = (reference["sample_id"], reference["text"], row["sample_id"], row["text"])
        by_kind[kind].append(Pair(row["item_id"], kind, *sides))
    order = {
        pair: (draw(seed, "compared", pair.hallucinated_id), pair.hallucinated_id)
        for pairs_of_kind in by_kind.values()
        for pair in pairs_of_kind
    }
    return [
        pair
        for pairs_of_kind in by_kind.values()
        for pair in sorted(pairs_of_kind, key=lambda pair: order[pair])[:n]
    ]


def requests(
    compared: Sequence[Pair], contexts: Mapping[str, Context], subject: str, questions: Questions
) -> list[Prompted]:
    """Return both orders of every pair."""
    asked = []
    for pair in compared:
        context = contexts[pair.item_id]
        sides = ((pair.reference_id, pair.reference), (pair.hallucinated_id, pair.hallucinated))
        for order, (first, second) in ((REFERENCE_FIRST, sides), (INDUCED_FIRST, sides[::-1])):
            attributes: dict[str, str | None] = {"order": order, "first": first[0], "second": second[0]}
            attributes |= {"variant": COMPARE, "kind": pair.kind}
            values: dict[str, Any] = {"first": first[1], "second": second[1], "form": FORM}
            sampling = questions.settings.detecting
            asked.append(questions.question(COMPARE, subject, context, sampling, attributes, **values))
    return asked


def read(question: Prompted, reply: str) -> Read:
    """Return a reply as the side that is hallucinated; `choice` is the id of that text."""
    parsed = choice(reply, NAMES, CUES[COMPARE], asks="hallucinated")
    if parsed.value is None:
        return unread(reply, parsed, "heading")
    chosen = question.attributes["first" if parsed.value == NAMES[0] else "second"]
    return Read(reply, attributes={"choice": chosen, **cut(parsed, "heading")})


def judgements(rows: Iterable[dict], version: str) -> list[dict]:
    """What choices say of either side: the chosen text is judged hallucinated, the other is not."""
    return [
        _side(row, version, name)
        for row in rows
        if REASKED not in (known := facts(row))
        for name in (known["first"], known["second"])
    ]


def _side(row: dict, version: str, target: str) -> dict:
    known = facts(row)
    chosen = known.get("choice")
    return judgement_row(
        judgement_id=content_id(row["model"], version, target, row["generation_id"]),
        judge=row["model"],
        judge_version=version,
        target_id=target,
        verdict=None if chosen is None else chosen == target,
        status=row["status"],
        reason=row["reason"],
        attributes=pairs(variant=COMPARE, order=known["order"], kind=known["kind"]),
    )
