"""Texts by networks that score claims: the best chunk counts for a claim, `over` combines the claims."""

from collections.abc import Sequence

from truerate.detectors.published.chunks import chunks, room_beside, windows
from truerate.detectors.published.readout import Said, of_chunks, of_claims, said_of_score
from truerate.detectors.published.scorers import Scorer
from truerate.detectors.published.texts import Text, plans_of


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
    asked, plans = plans_of(adapter, texts, lambda text, claim: pieces_for(scorer, text.document, claim))
    parts = scorer.parts([(piece, claim) for _, claim, piece in asked])
    judged = []
    for plan in plans:
        if isinstance(plan, str):
            judged.append(Said(None, None, [], 0, plan))
            continue
        score = of_claims(adapter, [of_chunks(parts[list(places)]) for _, places in plan])
        judged.append(said_of_score(adapter, score, sum(len(places) for _, places in plan)))
    return judged
