"""Dispatch of messages to the protocol whose prompt they are; each protocol's folder answers its own."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from truerate.core.errors import TruerateError
from truerate_world import prompt
from truerate_world.encyclopedia import World
from truerate_world.folders import part_of, tracks
from truerate_world.manners import Answer
from truerate_world.models import base
from truerate_world.thinking import thought_over
from truerate_world.writer import language_tools

REMINDED = 10**6  # far beyond every seed
Handler = Callable[[World, str, prompt.Asked, int], Answer | None]


class Answerers(NamedTuple):
    """Handlers by cue, of bare messages that a protocol is sure of, and of names that it recognises."""

    by_cue: dict[str, Handler]
    sure: tuple[Handler, ...]
    guessing: tuple[Handler, ...]


def reply(
    world: World,
    model: str,
    messages: list[dict],
    *,
    temperature: float = 0.0,
    seed: int | None = None,
    effort: str | None = None,
    only: str | None = None,
) -> Answer:
    """Return the answer of a simulated model (of one protocol: `only`), thought over at an `effort`; equal arguments,
    equal answers. `seed` counts only at a temperature above 0.
    """
    who, asked = answerers(only), prompt.read(messages)
    sample = seed or 0 if temperature > 0 else 0
    if asked.is_reminded:  # another draw of everything, of whether the reply can be read too
        sample += REMINDED
    if asked.form == prompt.HEADED:
        handlers = (who.by_cue[asked.cue],) if asked.cue in who.by_cue else ()
    else:  # a bare message: first who is sure of it, then who knows a name in it
        handlers = (*who.sure, *(who.guessing if asked.form == prompt.BARE else ()))
    for handler in handlers:
        if answer := handler(world, model, asked, sample):
            return (
                thought_over(answer, effort, asked, model, *asked.fields.values(), sample)
                if effort
                else answer
            )
    return Answer("unrecognised", language_tools(world).writer.talk("bland", base(model)))


@lru_cache(maxsize=16)
def answerers(only: str | None = None) -> Answerers:
    """Return the handlers of all protocols or of one; raises TruerateError if two claim one cue."""
    by_cue: dict[str, Handler] = {}
    parts = (part_of(track, "models.simulated_model") for track in ([only] if only else tracks()))
    modules = [module for module in parts if module]
    for module in modules:
        if both := sorted(by_cue.keys() & set(module.CUES)):
            message = f"another protocol has the cue {both[0]!r}; name one of its own"
            raise TruerateError(f"{module.__name__}: {message}")
        by_cue |= dict.fromkeys(module.CUES, module.answer)
    guessing = tuple(module.guess for module in modules if hasattr(module, "guess"))
    return Answerers(by_cue, tuple(module.answer for module in modules), guessing)
