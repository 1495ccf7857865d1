"""Comparative evaluation (HalluDial appendix C): which of two responses is hallucinated, in both orders.

A pair is the reference response and one of the same turn that is hallucinated: induced (both kinds), or spontaneous
by its annotation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truerate.core.keys import content_id, draw
from truerate.core.schemas import judgement_row, pairs
from truerate.llm import Request, prompts, structured
from truerate.llm.generation import REASKED, Prompted, Read, decoding, facts
from truerate.llm.replies.choices import choice
from truerate.llm.replies.reading import cut
from truerate.tracks.halludial import annotating
from truerate.tracks.halludial.context import Context, shown
from truerate.tracks.halludial.demonstrations import KINDS, REFERENCE
from truerate.tracks.halludial.settings import Settings

PURPOSE = "compare"
VARIANT = "compare"
CUE = "Hallucinated One"
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
    """The first `n` pairs of each kind in a seeded order, of Sample rows of test dialogues."""
    test = [(row, facts(row)) for row in samples if row["split"] == "test"]
    reference_of = {row["item_id"]: row for row, known in test if known.get("kind") == REFERENCE}
    by_kind: dict[str, list[Pair]] = {kind: [] for kind in PAIR_KINDS}
    for row, known in test:
        reference = reference_of.get(row["item_id"])
        if not row["is_hallucinated"] or reference is None or row["text"] == reference["text"]:
            continue
        by_kind[known.get("kind") or known["scenario"]].append(
            Pair(
                row["item_id"],
                known.get("kind") or known["scenario"],
                reference["sample_id"],
                reference["text"],
                row["sample_id"],
                row["text"],
            )
        )
    return [pair for pairs_of_kind in by_kind.values() for pair in _drawn(pairs_of_kind, n, seed)]


def _drawn(found: Sequence[Pair], n: int, seed: int) -> list[Pair]:
    return sorted(
        found, key=lambda pair: (draw(seed, "compared", pair.hallucinated_id), pair.hallucinated_id)
    )[:n]


def requests(
    compared: Sequence[Pair],
    found: Mapping[str, Context],
    subject: str,
    settings: Settings,
    *,
    prompts_dir: str | None,
) -> list[Prompted]:
    """Both orders of every pair."""
    asked, decoded = [], decoding(settings.detecting)
    for pair in compared:
        told, place = shown(found[pair.item_id], settings.max_history_words)
        sides = ((pair.reference_id, pair.reference), (pair.hallucinated_id, pair.hallucinated))
        for order, (first, second) in ((REFERENCE_FIRST, sides), (INDUCED_FIRST, sides[::-1])):
            messages = prompts.render(
                "halludial", "compare", prompts_dir, **told, first=first[1], second=second[1]
            )
            known: dict[str, str | None] = {"order": order, "first": first[0], "second": second[0]}
            known |= {"task": "dialogue", "variant": VARIANT, "kind": pair.kind, **place}
            request = Request(subject, tuple(messages), decoded, form=FORM)
            asked.append(Prompted(request, pair.item_id, PURPOSE, known))
    return asked


def read(asked: Prompted, reply: str) -> Read:
    """A reply as the side that is hallucinated; `choice` is the id of that text."""
    told = choice(reply, NAMES, CUE, asks="hallucinated")
    if told.value is None:
        return Read(reply, "unparsed", told.reason, cut(told, "heading"))
    chosen = asked.attributes["first" if told.value == NAMES[0] else "second"]
    return Read(reply, attributes={"choice": chosen, **cut(told, "heading")})


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
        attributes=pairs(variant=VARIANT, order=known["order"], kind=known["kind"]),
    )
