"""Wording of candidates and corrected texts, refusals, and restated right answers."""

from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.halueval.models.profiles import NAMED_AGAIN
from truerate_world.halueval.models.tasks import Asked
from truerate_world.halueval.models.verdict_wording import next_example
from truerate_world.manners import (
    REFUSALS,
    Worded,
    drawn,
    is_unfinished,
    refused,
    thoughtful,
    unfinished,
    word_text,
)

_DATA = beside(__file__)
FOREIGN_REFUSALS = _DATA["foreign_refusals"]
_RESTATED = _DATA["restated"]
_MANNERS = _DATA["manners"]
_PATTERNED = _DATA["patterned"]


def declined(model: str, *key: object) -> Worded:
    """A refusal, now and then in another language of the model's."""
    is_foreign = model in FOREIGN_REFUSALS and draw(*key, "refusal language") < 0.15
    return refused(FOREIGN_REFUSALS[model] if is_foreign else REFUSALS, *key)


def named_again(right: str, *key: object) -> Worded | None:
    """The right answer once more in a sentence around it, where one is drawn; else None."""
    if draw(*key, "restated in a sentence") >= NAMED_AGAIN:
        return None
    text = right.rstrip(".")
    forms = _RESTATED["name" if text[:1].isupper() or text[:1].isdigit() else "other"]
    return Worded(pick(forms, *key, "restated form").format(r=text), None, "restated")


def written(
    model: str, asked: Asked, text: str, right: str, *key: object, pattern: str | None = None
) -> Worded:
    """A candidate in a model's manner; under the name of its pattern where the model chose that itself."""
    thought = f"What is true: {right} Now something else that sounds as good."
    if pattern is None:
        return _worded(model, asked, text, thought, _MANNERS, *key)
    if is_unfinished(model, *key):
        return unfinished(thought, *key)
    manner = drawn(model, (*_PATTERNED, "thought"), *key)
    form = pick(_PATTERNED.get(manner, _DATA["two_lines"]), *key, "form")
    reply = form.format(t=text, p=pattern, cue=asked.cue, noun=asked.cue.split()[-1])
    return Worded(thoughtful(reply, thought, *key) if manner == "thought" else reply, text, manner)


def rewritten(model: str, asked: Asked, text: str, *key: object) -> Worded:
    """A corrected text in a model's manner."""
    forms = _MANNERS | _DATA["rewritten"]
    return _worded(model, asked, text, "One detail is not borne out. I look it up.", forms, *key)


def _worded(model: str, asked: Asked, text: str, thought: str, forms: dict, *key: object) -> Worded:
    following = next_example(asked, "in 1899")
    return word_text(
        model, text, forms, *key, thought=thought, cue=asked.cue, following=following, marks='\n"“”*`\\'
    )
