"""How simulated models word a turn that they write: what stands around it, how it runs on, and how it is
missing.
"""

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.halludial.models.tasks import Asked
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

CONTINUED = "running-on"  # the manner of a reply that goes on with turns of its own
_TURN_FORMS = {
    "markdown": ("**{t}**", "**Assistant:** {t}"),
    "preamble": ("Here is my response:\n{t}", "Here is a response that fits:\n\n{t}"),
    "label": ("#{cue}#: {t}", "{cue}: {t}", "Assistant: {t}", "**{cue}:**\n{t}"),
    "quotes": ("“{t}”", '"{t}"'),
    CONTINUED: (
        "{t}\nUser: Thanks! Is there more?\nAssistant: There always is, just ask.",
        "{t}\n\nUser: I see, and who told you so?\nAssistant: It was in what I was given.",
        "{t}\nUser: Good to know.",
    ),
}
_INDUCED_FORMS = _DATA["induced_forms"]
_INDUCED = "{t}\n#Segment#: {s}\n#Rationale#: {r}"
_DRAFT = "What would a person say here? Something short that answers the question."
_NOTHING = ("...", '""', "#{cue}#:", "—")
_REFUSED_TURNS = _DATA["refused_turns"]


def nothing(asked: Asked, *key: object) -> Worded:
    """A reply without a word of its own."""
    return Worded(pick(_NOTHING, *key, "nothing").format(cue=asked.cue), None, "empty")


def refused(*key: object) -> Worded:
    """A refusal to go on with the conversation."""
    return Worded(pick(_REFUSED_TURNS, *key, "words of refusal"), None, "refusal")


def declined(*key: object) -> Worded:
    """A refusal to write what is wrong, mostly by the word that was agreed on."""
    return Worded(pick(("Refused", "Refused.", *REFUSALS), *key, "words of refusal"), None, "refusal")


def turn(model: str, asked: Asked, text: str, *key: object) -> Worded:
    """A turn of the conversation in a model's manner."""
    if is_unfinished(model, *key):
        return unfinished(_DRAFT, *key)
    manner = drawn(model, (*_TURN_FORMS, "thought", "token"), *key)
    if manner == "thought":
        return Worded(thoughtful(text, _DRAFT, *key), text, manner)
    if manner == "token":
        return Worded(text + pick(TOKENS, *key, "token"), text, manner)
    if manner == PLAIN or (manner in ("quotes", "markdown") and set(text) & set('"“”*')):
        return Worded(text, text)
    return Worded(pick(_TURN_FORMS[manner], *key, "form").format(t=text, cue=asked.cue), text, manner)


def induced(model: str, text: str, segment: str, rationale: str, *key: object) -> Worded:
    """An induced response with its segment (an empty one is left out) and its reason, in a model's manner."""
    if is_unfinished(model, *key):
        return unfinished(_DRAFT, *key)
    manner = drawn(model, (*_INDUCED_FORMS, "thought", "token"), *key)
    form = pick(_INDUCED_FORMS.get(manner, (_INDUCED,)), *key, "form")
    form = form if segment else "\n".join(line for line in form.split("\n") if "{s}" not in line)
    said = form.format(t=text, s=f'"{segment}"', r=rationale)
    if manner == "thought":
        said = thoughtful(said, _DRAFT, *key)
    return Worded(said + pick(TOKENS, *key, "token") if manner == "token" else said, text, manner)
