"""The simulated models at work on entities of chats: what is asked of them in headings, or in a question
about one entity.
"""

from collections.abc import Callable
from typing import NamedTuple

from truerate_world.encyclopedia import World
from truerate_world.prompt import Asked
from truerate_world.wildhallucinations import curating, replying, verifying


class Reply(NamedTuple):
    """What a model says: the purpose it recognised, its text, and what was planted in it."""

    task: str
    text: str
    truth: dict


def asked_for(world: World, model: str, asked: Asked, sample: int) -> Reply | None:
    """The reply to a prompt; None where it is not understood."""
    handler = _HANDLERS.get(asked.purpose)
    found = handler(world, model, asked.fields, sample) if handler else None
    return Reply(*found) if found else None


def is_about_an_entity(world: World, asked: Asked) -> bool:
    """Whether a bare message asks what is known about one entity, by its name."""
    return replying.subject_of(world, asked.fields.get("User Query", "")) is not None


_HANDLERS: dict[str, Callable[[World, str, dict[str, str], int], tuple | None]] = {
    "extract": curating.extracted,
    "verify": curating.verified,
    "disambiguate": curating.referents,
    "domain": curating.domain,
    "general": replying.replied,
    "write_facts": verifying.written,
    "verify_facts": verifying.verified,
}
