"""The simulated models at work on entities of chats: what is asked of them in headings, or in a question
about one entity.
"""

from collections.abc import Callable

from truerate_world.answer import Answer
from truerate_world.encyclopedia import World
from truerate_world.prompt import BARE, Asked
from truerate_world.wildhallucinations.models import curating, replying, verifying


def answer(world: World, model: str, asked: Asked, sample: int) -> Answer | None:
    """The reply to a prompt with headings, or to a bare question about one entity; None where it is neither."""
    if asked.form == BARE:
        found = replying.replied(world, model, {"User Query": asked.message}, sample)
    else:
        handler = CUES.get(asked.cue)
        found = handler(world, model, asked.fields, sample) if handler else None
    return Answer(*found) if found else None


CUES: dict[str, Callable[[World, str, dict[str, str], int], tuple | None]] = {  # cue -> who answers it
    "Proper Nouns": curating.extracted,
    "Kind": curating.verified,
    "Referents": curating.referents,
    "Domain": curating.domain,
    "Facts": verifying.written,
    "Verdicts": verifying.verified,
}
