"""Answers of the models about entities of chats: prompts in headings, or a bare question."""

from collections.abc import Callable

from truerate_world.encyclopedia import World
from truerate_world.manners import Answer
from truerate_world.prompt import BARE, Asked
from truerate_world.wildhallucinations.models import curating, replying, verifying


def answer(world: World, model: str, asked: Asked, sample: int) -> Answer | None:
    """The reply to a prompt with headings, or to a bare question about one entity; None if it is neither."""
    if asked.form == BARE:
        return replying.replied(world, model, {"User Query": asked.message}, sample)
    handler = CUES.get(asked.cue)
    return handler(world, model, asked.fields, sample) if handler else None


CUES: dict[str, Callable[[World, str, dict[str, str], int], Answer | None]] = {  # cue -> who answers it
    "Proper Nouns": curating.extracted,
    "Kind": curating.verified,
    "Referents": curating.referents,
    "Domain": curating.domain,
    "Facts": verifying.written,
    "Verdicts": verifying.verified,
}
