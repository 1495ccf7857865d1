"""Wording of judgements: verdict, segments and reason, choice, evaluation, or none of them."""

from collections.abc import Sequence

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.halludial.models.tasks import Asked
from truerate_world.manners import (
    LENGTH,
    Worded,
    around,
    cut_in,
    drawn,
    drawn_unreadable,
    manners_of,
    unfinished,
)

_DATA = beside(__file__)

OTHER = {"Yes": "No", "No": "Yes", "Accurate": "Inaccurate", "Inaccurate": "Accurate"}
OTHER |= {"Response 1": "Response 2", "Response 2": "Response 1"}
OF_VERDICTS = ("undecided", "both", "unfinished", "cut")  # the ways in which a verdict can be missing
OF_CHOICES = ("undecided", "both", "unfinished")
_WORD, _LOCATED, _CHOICE, _WHY = _DATA["word"], _DATA["located"], _DATA["choice"], _DATA["why"]
_AROUND = ("thought", "running-on", "token")
_ORDINALS = {1: "first", 2: "second"}


def word(model: str, asked: Asked, verdict: str, *key: object, is_read: bool) -> Worded:
    """A verdict (Yes or No), or an accuracy, in a model's manner; none where not `is_read`."""
    is_verdict = verdict in ("Yes", "No")
    if not is_read:
        return _no_verdict(model, verdict, _WHY[verdict][0], *key)
    allowed = (*_WORD, *_AROUND, "cut-behind", "explanation", *["foreign"] * is_verdict)
    manner = drawn(model, allowed, *key)
    if reply := _around(asked, verdict, verdict, manner, *key):
        return reply
    if manner == "foreign":
        return Worded(pick(manners_of(model).yes_no, *key, "language")[verdict == "No"], verdict, manner)
    if manner == "explanation":
        return Worded(pick(_WHY[verdict], *key, "why"), verdict, manner)
    forms = _DATA["accuracy_json"] if manner == "json" and not is_verdict else _WORD[manner]
    return Worded(_filled(pick(forms, *key, "form"), asked, verdict), verdict, manner)


def located(
    model: str, asked: Asked, verdict: str, segments: Sequence[str], why: str, *key: object, is_read: bool
) -> Worded:
    """A verdict with the segments it quotes and its reason, in a model's manner; none where not `is_read`."""
    if not is_read:
        return _no_verdict(model, verdict, why, *key)
    quoting = _quoting(segments, why, *key)
    manner = drawn(model, (*_LOCATED, *_AROUND, "json", "foreign"), *key)
    if reply := _around(asked, f"{verdict}. {quoting}", verdict, manner, *key):
        return reply
    if manner == "foreign":
        foreign = pick(manners_of(model).yes_no, *key, "language")[verdict == "No"]
        return Worded(f"{foreign}. {quoting}", verdict, manner)
    if manner == "json":
        quoted = ", ".join(f'"{_escaped(segment)}"' for segment in segments)
        text = f'{{"verdict": "{verdict}", "segments": [{quoted}], "reason": "{_escaped(why)}"}}'
        return Worded(text, verdict, manner)
    return Worded(_filled(pick(_LOCATED[manner], *key, "form"), asked, verdict, why=quoting), verdict, manner)


def choice(model: str, asked: Asked, n: int, *key: object, is_read: bool) -> Worded:
    """The first or the second response (`n`) in a model's manner; neither where not `is_read`."""
    if not is_read:
        manner = drawn_unreadable(model, OF_CHOICES, *key)
        if manner == "unfinished":
            return unfinished("It is between Response 1 and Response 2, and one of them", *key)
        return Worded(pick(_DATA["no_choice"][manner], *key, "hedge"), None, manner)
    answer = f"Response {n}"
    manner = drawn(model, (*_CHOICE, *_AROUND, "cut-behind"), *key)
    if reply := _around(asked, answer, answer, manner, *key):
        return reply
    form = pick(_CHOICE[manner], *key, "form")
    return Worded(form.format(n=n, ordinal=_ORDINALS[n], cue=asked.cue), answer, manner)


def _around(asked: Asked, text: str, read: str, manner: str, *key: object) -> Worded | None:
    """What does not depend on the kind of answer, with a next example of the prompt's headings."""
    shown = [f"#{name}#: {content}" for name, content in _DATA["next"].items() if name in asked.fields]
    following = "\n".join([*shown, f"#{asked.cue}#: {OTHER[read]}"])
    thought = "At a first glance it looked the other way round."
    behind = "Going through the response once more one notices that the second part of it"
    return around(text, read, manner, *key, thought=thought, following=following, behind=behind)


def _filled(form: str, asked: Asked, verdict: str, why: str = "") -> str:
    words = {"v": verdict, "small": verdict.lower(), "large": verdict.upper(), "cue": asked.cue, "why": why}
    return form.format(**words, true=str(verdict in ("Yes", "Accurate")).lower())


def _no_verdict(model: str, verdict: str, steps: str, *key: object) -> Worded:
    manner = drawn_unreadable(model, OF_VERDICTS, *key)
    if manner == "unfinished":
        return unfinished(f"It might be {verdict}, one detail looks odd", *key)
    if manner == "cut":
        text = cut_in("Going through the response part by part, one has to", *key)
        return Worded(text, None, manner, LENGTH)
    both = _DATA["both"]["Yes" if verdict in ("Yes", "No") else "Accurate"]
    return Worded(pick(both if manner == "both" else _DATA["undecided"], *key, "hedge"), None, manner)


def _quoting(segments: Sequence[str], why: str, *key: object) -> str:
    """Segments between marks of quotation, and the reason behind them."""
    if not segments:
        return why[:1].upper() + why[1:]
    pair = pick(('""', '""', '""', "“”"), *key, "marks")
    noun = "segment" if len(segments) == 1 else "segments"
    return f"The {noun} {' and '.join(f'{pair[0]}{segment}{pair[1]}' for segment in segments)} {why}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
