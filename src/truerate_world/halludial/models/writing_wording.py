"""Wording of the turns that models write."""

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.halludial.models.tasks import Asked
from truerate_world.manners import (
    REFUSALS,
    TOKENS,
    Worded,
    drawn,
    is_unfinished,
    refused,
    thoughtful,
    unfinished,
    word_text,
)

_DATA = beside(__file__)

CONTINUED = "running-on"  # the manner of a reply that goes on with turns of its own
_INDUCED_FORMS = _DATA["induced_forms"]
_DRAFT = "What would a person say here? Something short that answers the question."


def nothing(asked: Asked, *key: object) -> Worded:
    """A reply without a word of its own."""
    return Worded(pick(_DATA["nothing"], *key, "nothing").format(cue=asked.cue), None, "empty")


def not_continued(*key: object) -> Worded:
    """A refusal to go on with the conversation."""
    return refused(_DATA["refused_turns"], *key)


def declined(*key: object) -> Worded:
    """A refusal to write what is wrong, mostly by the word that was agreed on."""
    return refused(("Refused", "Refused.", *REFUSALS), *key)


def turn(model: str, asked: Asked, text: str, *key: object) -> Worded:
    """A turn of the conversation in a model's manner."""
    return word_text(model, text, _DATA["turn_forms"], *key, thought=_DRAFT, cue=asked.cue, marks='"“”*')


def induced(model: str, text: str, segment: str, rationale: str, *key: object) -> Worded:
    """An induced response with its segment (an empty one is left out) and its reason, in a model's manner."""
    if is_unfinished(model, *key):
        return unfinished(_DRAFT, *key)
    manner = drawn(model, (*_INDUCED_FORMS, "thought", "token"), *key)
    form = pick(_INDUCED_FORMS.get(manner, (_DATA["induced"],)), *key, "form")
    form = form if segment else "\n".join(line for line in form.split("\n") if "{s}" not in line)
    reply = form.format(t=text, s=f'"{segment}"', r=rationale)
    if manner == "thought":
        reply = thoughtful(reply, _DRAFT, *key)
    return Worded(reply + pick(TOKENS, *key, "token") if manner == "token" else reply, text, manner)
