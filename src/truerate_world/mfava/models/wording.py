"""Wording of passages: plain ones, tagged ones and translations, in a model's manner."""

import re

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.manners import Worded, word_text

_DATA = beside(__file__)
_DRAFT = "I read it once more: <entity>here</entity> something may be put."
_TAG = re.compile(r"<(/?)(entity|relation|contradictory|unverifiable|invented|subjective|delete|mark)>")


def passage(model: str, text: str, cue: str, *key: object) -> Worded:
    """A passage without marks, or a translation, in a model's manner."""
    return word_text(model, text, _DATA["plain"], *key, thought=_DRAFT, cue=cue)


def tagged(model: str, text: str, cue: str, *key: object) -> Worded:
    """A tagged passage in a model's manner; `read` has the tags as the prompt writes them."""
    forms, others = _DATA["plain"] | _DATA["tagged"], ("number", "json")
    worded = word_text(model, text, forms, *key, thought=_DRAFT, cue=cue, others=others)
    if worded.manner not in others:
        return worded
    how = pick((_capitals, _attributed) if worded.manner == "number" else (_encoded,), *key, "tags")
    return worded._replace(text=how(text))


def _capitals(text: str) -> str:
    return _TAG.sub(lambda match: f"<{match[1]}{match[2].capitalize()}>", text)


def _attributed(text: str) -> str:
    return _TAG.sub(lambda match: match[0] if match[1] else f'<{match[2]} id="1">', text)


def _encoded(text: str) -> str:
    return _TAG.sub(lambda match: f"&lt;{match[1]}{match[2]}&gt;", text)
