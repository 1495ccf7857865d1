"""How simulated models word what they judge: a verdict alone, one with its segments and reason, a choice of
two responses, an evaluation of an evaluation; in their manners, and without any where they give none.
"""

from collections.abc import Sequence

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.halludial.models.tasks import Asked
from truerate_world.manners import (
    LENGTH,
    PLAIN,
    TOKENS,
    Worded,
    cut_in,
    drawn,
    drawn_unreadable,
    manners_of,
    thoughtful,
    unfinished,
)

_DATA = beside(__file__)

OTHER = {"Yes": "No", "No": "Yes", "Accurate": "Inaccurate", "Inaccurate": "Accurate"}
OF_VERDICTS = ("undecided", "both", "unfinished", "cut")  # the ways in which a verdict can be missing
OF_CHOICES = ("undecided", "both", "unfinished")
_NEXT = _DATA["next"]
_CUT_BEHIND = "Going through the response once more one notices that the second part of it"


def _next_example(asked: Asked, answer: str) -> str:
    """A further example under the headings of the prompt, with an answer of its own."""
    shown = [f"#{name}#: {text}" for name, text in _NEXT.items() if name in asked.fields]
    return "\n".join([*shown, f"#{asked.cue}#: {answer}"])


# ---- a verdict alone, or an evaluation ---------------------------------------------------------------------

_WORD = _DATA["word"]
_ACCURACY_JSON = ('{{"evaluation": "{v}"}}', '{{"accurate": {true}}}')
_WHY = _DATA["why"]
_UNDECIDED = _DATA["undecided"]
_BOTH = _DATA["both"]
_IN_JSON = {"Yes": "true", "No": "false", "Accurate": "true", "Inaccurate": "false"}


def word(model: str, asked: Asked, said: str, *key: object, is_read: bool) -> Worded:
    """A verdict (Yes or No), or an accuracy, in a model's manner; none where not `is_read`."""
    is_verdict = said in ("Yes", "No")
    if not is_read:
        return _no_verdict(model, said, _WHY[said][0], *key)
    allowed = (
        *_WORD,
        "thought",
        "running-on",
        "token",
        "cut-behind",
        "explanation",
        *["foreign"] * is_verdict,
    )
    manner = drawn(model, allowed, *key)
    if worded := _around(model, asked, said, said, manner, *key):
        return worded
    if manner == "foreign":
        return Worded(pick(manners_of(model).yes_no, *key, "language")[said == "No"], said, manner)
    if manner == "explanation":
        return Worded(pick(_WHY[said], *key, "why"), said, manner)
    forms = _ACCURACY_JSON if manner == "json" and not is_verdict else _WORD[manner]
    return Worded(_filled(pick(forms, *key, "form"), asked, said), said, manner)


def _filled(form: str, asked: Asked, said: str) -> str:
    return form.format(v=said, cue=asked.cue, small=said.lower(), large=said.upper(), true=_IN_JSON[said])


def _around(model: str, asked: Asked, text: str, said: object, manner: str, *key: object) -> Worded | None:
    """What does not depend on the kind of answer: nothing around it, a thought, a token, more behind it."""
    if manner == PLAIN:
        return Worded(text, said)
    if manner == "thought":
        return Worded(
            thoughtful(text, "At a first glance it looked the other way round.", *key), said, manner
        )
    if manner == "token":
        return Worded(text + pick(TOKENS, *key, "token"), said, manner)
    if manner == "running-on":
        other = OTHER.get(str(said), "Response 1" if said == "Response 2" else "Response 2")
        return Worded(f"{text}\n\n{_next_example(asked, other)}", said, manner)
    if manner == "cut-behind":
        return Worded(f"{text.rstrip('.')}. {cut_in(_CUT_BEHIND, *key)}", said, manner, LENGTH)
    return None


def _no_verdict(model: str, said: str, steps: str, *key: object) -> Worded:
    manner = drawn_unreadable(model, OF_VERDICTS, *key)
    if manner == "unfinished":
        return unfinished(f"It might be {said}, one detail looks odd", *key)
    if manner == "cut":
        return Worded(
            cut_in("Going through the response part by part, one has to", *key), None, manner, LENGTH
        )
    both = _BOTH["Yes" if said in ("Yes", "No") else "Accurate"]
    return Worded(pick(both if manner == "both" else _UNDECIDED, *key, "hedge"), None, manner)


# ---- a verdict with its segments and reason ----------------------------------------------------------------

_LOCATED = _DATA["located"]


def located(
    model: str, asked: Asked, said: str, segments: Sequence[str], why: str, *key: object, is_read: bool
) -> Worded:
    """A verdict with the segments it quotes and its reason, in a model's manner; none where not `is_read`."""
    if not is_read:
        return _no_verdict(model, said, why, *key)
    text = f"{said}. {_quoting(segments, why, *key)}"
    manner = drawn(model, (*_LOCATED, "json", "thought", "running-on", "token", "foreign"), *key)
    if worded := _around(model, asked, text, said, manner, *key):
        return worded
    if manner == "foreign":
        foreign = pick(manners_of(model).yes_no, *key, "language")[said == "No"]
        return Worded(f"{foreign}. {_quoting(segments, why, *key)}", said, manner)
    if manner == "json":
        marked = ", ".join(f'"{_escaped(content)}"' for content in segments)
        text = f'{{"verdict": "{said}", "segments": [{marked}], "reason": "{_escaped(why)}"}}'
        return Worded(text, said, manner)
    form = pick(_LOCATED[manner], *key, "form")
    quoted = _quoting(segments, why, *key)
    return Worded(
        form.format(v=said, cue=asked.cue, small=said.lower(), large=said.upper(), why=quoted), said, manner
    )


def _quoting(segments: Sequence[str], why: str, *key: object) -> str:
    """Segments between marks of quotation, and the reason behind them."""
    if not segments:
        return why[:1].upper() + why[1:]
    pair = pick(('""', '""', '""', "“”"), *key, "marks")
    marked = [f"{pair[0]}{segment}{pair[1]}" for segment in segments]
    noun = "segment" if len(marked) == 1 else "segments"
    return f"The {noun} {' and '.join(marked)} {why}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# ---- a choice of two responses -----------------------------------------------------------------------------

_CHOICE = _DATA["choice"]
_ORDINALS = {1: "first", 2: "second"}
_NO_CHOICE = _DATA["no_choice"]


def choice(model: str, asked: Asked, n: int, *key: object, is_read: bool) -> Worded:
    """The first or the second response (`n`) in a model's manner; neither where not `is_read`."""
    if not is_read:
        manner = drawn_unreadable(model, OF_CHOICES, *key)
        if manner == "unfinished":
            return unfinished("It is between Response 1 and Response 2, and one of them", *key)
        return Worded(pick(_NO_CHOICE[manner], *key, "hedge"), None, manner)
    answer = f"Response {n}"
    manner = drawn(model, (*_CHOICE, "thought", "running-on", "token", "cut-behind"), *key)
    if worded := _around(model, asked, answer, answer, manner, *key):
        return worded
    form = pick(_CHOICE[manner], *key, "form")
    return Worded(form.format(n=n, ordinal=_ORDINALS[n], cue=asked.cue), answer, manner)
