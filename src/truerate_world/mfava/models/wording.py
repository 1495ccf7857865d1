"""How simulated models word passages: plain ones, tagged ones and translations, in their manners."""

import re

from truerate_world.draws import pick
from truerate_world.manners import (
    PLAIN,
    REFUSALS,
    TOKENS,
    Worded,
    drawn,
    is_unfinished,
    thoughtful,
    unfinished,
)

_FORMS = {
    "markdown": ("```\n{t}\n```",),
    "label": ("#{cue}#:\n{t}", "#{cue}#: {t}", "**{cue}:**\n{t}", "### {cue}\n{t}"),
}
_TAGGED_FORMS = _FORMS | {
    "preamble": (
        "Edited passage:\n{t}",
        "Here is the passage with the error in it:\n\n{t}",
        "{t}\n\nTell me if you need another one.",
    ),
}
_DRAFT = "I read it once more: <entity>here</entity> something may be put."
_TAG = re.compile(r"<(/?)(entity|relation|contradictory|unverifiable|invented|subjective|delete|mark)>")


def declined(*key: object) -> Worded:
    """A refusal to put errors into a passage."""
    return Worded(pick(REFUSALS, *key, "words of refusal"), None, "refusal")


def passage(model: str, text: str, cue: str, *key: object) -> Worded:
    """A passage without marks, or a translation, in a model's manner."""
    return _worded(model, text, cue, _FORMS, *key)


def tagged(model: str, text: str, cue: str, *key: object) -> Worded:
    """A tagged passage in a model's manner; `read` has the tags as the prompt writes them."""
    worded = _worded(model, text, cue, _TAGGED_FORMS, *key, others=("number", "json"))
    if worded.manner not in ("number", "json"):
        return worded
    how = pick((_capitals, _attributed) if worded.manner == "number" else (_encoded,), *key, "tags")
    return worded._replace(text=how(text))


def _worded(model: str, text: str, cue: str, forms: dict, *key: object, others: tuple = ()) -> Worded:
    if is_unfinished(model, *key):
        return unfinished(_DRAFT, *key)
    manner = drawn(model, (*forms, "thought", "token", *others), *key)
    if manner == "thought":
        return Worded(thoughtful(text, _DRAFT, *key), text, manner)
    if manner == "token":
        return Worded(text + pick(TOKENS, *key, "token"), text, manner)
    if manner == PLAIN or manner in others:
        return Worded(text, text, manner)
    return Worded(pick(forms[manner], *key, "form").format(t=text, cue=cue), text, manner)


def _capitals(text: str) -> str:
    return _TAG.sub(lambda match: f"<{match[1]}{match[2].capitalize()}>", text)


def _attributed(text: str) -> str:
    return _TAG.sub(lambda match: match[0] if match[1] else f'<{match[2]} id="1">', text)


def _encoded(text: str) -> str:
    return _TAG.sub(lambda match: f"&lt;{match[1]}{match[2]}&gt;", text)
