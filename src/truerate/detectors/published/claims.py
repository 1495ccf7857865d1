"""Texts by networks that score claims: the best chunk counts for a claim, `over` combines the claims."""

from collections.abc import Sequence

from truerate.core.text import sentences
from truerate.detectors.published.adapters import Adapter
from truerate.detectors.published.chunks import chunks, room_beside, windows
from truerate.detectors.published.readout import Said, of_chunks, of_claims, said_of_score
from truerate.detectors.published.scorers import Scorer
from truerate.detectors.published.texts import NO_EVIDENCE, NO_TEXT, TOO_LONG, Text


def claims_of(adapter: Adapter, text: str) -> list[str]:
    """What is asked about at once: the text, or its sentences. Of one without letters, nothing.

    SummaC drops sentences as short as the pieces of a document that it drops, unless there are no others.
    """
    if not text.strip():
        return []
    if adapter.claim == "answer":
        return [text]
    parts = sentences(text)
    least = adapter.chunker.size if adapter.chunker and adapter.chunker.rule == "sentences" else 0
    return [part for part in parts if len(part) > least] or parts


def pieces_for(scorer: Scorer, document: str, claim: str) -> list[str] | None:
    """The pieces of a document that a claim is asked of; None where the claim leaves no room for any."""
    adapter = scorer.adapter
    room = room_beside(adapter.window or 0, scorer.n_beside(claim))
    if room is None:
        return None
    offsets = scorer.tokens.offsets
    parts = chunks(document, adapter.chunker, offsets) if adapter.chunker else []
    return [piece for part in parts or [document] for piece in windows(part, room, offsets)]


def judge(scorer: Scorer, texts: Sequence[Text]) -> list[Said]:
    """What the network says of each text, in their order; all their pieces are asked together."""
    adapter = scorer.adapter
    asked: list[tuple[str, str]] = []
    plans: list[list[range] | Said] = []
    for text in texts:
        claims = claims_of(adapter, text.text)
        pieces = [pieces_for(scorer, text.document, claim) for claim in claims]
        if why := _reason(claims, pieces):
            plans.append(Said(None, None, [], 0, why))
            continue
        places = []
        for claim, parts in zip(claims, pieces, strict=True):
            places.append(range(len(asked), len(asked) + len(parts or [])))
            asked += [(part, claim) for part in parts or []]
        plans.append(places)
    parts_of_all = scorer.parts(asked)
    return [
        plan
        if isinstance(plan, Said)
        else said_of_score(
            adapter,
            of_claims(adapter, [of_chunks(parts_of_all[list(rows)]) for rows in plan]),
            sum(map(len, plan)),
        )
        for plan in plans
    ]


def _reason(claims: Sequence[str], pieces: Sequence[list[str] | None]) -> str | None:
    """Why a text cannot be judged; None where it can."""
    if not claims:
        return NO_TEXT
    if any(parts is None for parts in pieces):
        return TOO_LONG
    return None if all(pieces) else NO_EVIDENCE
