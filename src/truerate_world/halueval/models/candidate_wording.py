"""How simulated models word a text that they were asked to write, a wrong or a corrected one: what stands around
it, how they decline, and how they say the right thing again.
"""

from truerate_world.data import beside
from truerate_world.draws import draw, pick
from truerate_world.halueval.models.profiles import NAMED_AGAIN
from truerate_world.halueval.models.tasks import Asked
from truerate_world.halueval.models.verdict_wording import next_example
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

_DATA = beside(__file__)

FOREIGN_REFUSALS = _DATA["foreign_refusals"]
_RESTATED = ("The answer stays: {r}.", "I can only give the right one: {r}")
_RESTATED_NAMES = _DATA["restated_names"]
_MANNERS = _DATA["manners"]
_TWO_LINES = ("#Pattern#: {p}\n#{cue}#: {t}",)
_PATTERNED = _DATA["patterned"]
_REWRITTEN = _DATA["rewritten"]


def declined(model: str, *key: object) -> Worded:
    """A refusal, now and then in another language of the model's."""
    foreign = FOREIGN_REFUSALS.get(model)
    texts = foreign if foreign and draw(*key, "refusal language") < 0.15 else REFUSALS
    return Worded(pick(texts, *key, "words of refusal"), None, "refusal")


def named_again(right: str, *key: object) -> Worded | None:
    """The right answer again in a sentence around it, where one is drawn; else None."""
    if draw(*key, "restated in a sentence") >= NAMED_AGAIN:
        return None
    text = right.rstrip(".")
    forms = _RESTATED_NAMES if text[:1].isupper() or text[:1].isdigit() else _RESTATED
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
    form = pick(_PATTERNED.get(manner, _TWO_LINES), *key, "form")
    said = form.format(t=text, p=pattern, cue=asked.cue, noun=asked.cue.split()[-1])
    return Worded(thoughtful(said, thought, *key) if manner == "thought" else said, text, manner)


def rewritten(model: str, asked: Asked, text: str, *key: object) -> Worded:
    """A corrected text in a model's manner."""
    forms = _MANNERS | _REWRITTEN
    return _worded(model, asked, text, "One detail is not borne out. I look it up.", forms, *key)


def _worded(model: str, asked: Asked, text: str, thought: str, forms: dict, *key: object) -> Worded:
    if is_unfinished(model, *key):
        return unfinished(thought, *key)
    manner = drawn(model, (*forms, "thought", "running-on", "token"), *key)
    if manner == "thought":
        return Worded(thoughtful(text, thought, *key), text, manner)
    if manner == "running-on":
        return Worded(f"{text}\n\n{next_example(asked, 'in 1899')}", text, manner)
    if manner == "token":
        return Worded(text + pick(TOKENS, *key, "token"), text, manner)
    if manner == PLAIN or (manner in ("json", "quotes", "markdown") and not _is_simple(text)):
        return Worded(text, text)
    noun = asked.cue.split()[-1]
    form = pick(forms[manner], *key, "form")
    return Worded(form.format(t=text, cue=asked.cue, noun=noun, key=noun.lower()), text, manner)


def _is_simple(text: str) -> bool:
    """Whether marks around the whole can be told from marks in it: one line, without such marks."""
    return "\n" not in text and not set(text) & set('"“”*`\\')
