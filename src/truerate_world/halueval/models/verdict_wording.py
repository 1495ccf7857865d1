"""How simulated models word a verdict or a choice: in their manners, and without one where they give none."""

from collections.abc import Sequence

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.halueval.models.tasks import TEXT, VERDICT, Asked
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

OTHER = {"Yes": "No", "No": "Yes"}
# The ways in which a verdict, and a choice, can be missing.
OF_VERDICTS = ("undecided", "both", "unfinished", "cut")
OF_CHOICES = ("undecided", "both", "unfinished")
_NEXT = _DATA["next"]


def next_example(asked: Asked, answer: str) -> str:
    """A further example with the headings of the prompt and an answer under its cue."""
    fields = [name for name in reversed(asked.fields) if name in _NEXT]
    cue = VERDICT if asked.purpose == "recognition" else asked.cue
    return "\n".join([*(f"#{name}#: {_NEXT[name]}" for name in fields), f"#{cue}#: {answer}"])


# ---- verdicts ----------------------------------------------------------------------------------------------

_VERDICT = _DATA["verdict"]
_FORMS = _DATA["forms"]
_WHY = _DATA["why"]
_DRAFT = _DATA["draft"]
_LAST_LINE = _DATA["last_line"]
_BOTH = _DATA["both"]
_OPEN = _DATA["open"]


def verdict(
    model: str, asked: Asked, said: str, steps: str, hedges: Sequence[str], *key: object, is_read: bool
) -> Worded:
    """A verdict in a model's manner; one that holds none where not `is_read`.

    `said` is Yes or No, `steps` the sentences of a chain of thought, of use where the prompt asks for one;
    `hedges` are sentences that give no verdict.
    """
    if not is_read:
        return _no_verdict(model, asked, said, steps, hedges, *key)
    is_reasoned = asked.is_step_by_step
    last = f"{steps}\n#{VERDICT}#: {said}" if is_reasoned else said
    manner = drawn(model, _VERDICT, *key)
    if manner == "thought":
        draft = pick(_DRAFT, *key, "draft").format(o=OTHER[said], v=said)
        return Worded(thoughtful(last, draft, *key), said, manner)
    if manner == "running-on":
        return Worded(f"{last}\n\n{next_example(asked, OTHER[said])}", said, manner)
    if manner == "token":
        return Worded(last + pick(TOKENS, *key, "token"), said, manner)
    if manner == "foreign":
        pair = pick(manners_of(model).yes_no, *key, "language")
        word = pair[0 if said == "Yes" else 1]
        return Worded(f"{steps}\n#{VERDICT}#: {word}" if is_reasoned else word, said, manner)
    if manner == "cut-behind":
        behind = cut_in("Looking once more at the second sentence one sees that the name in it", *key)
        return Worded(f"{last}.\n{behind}" if is_reasoned else f"{last}. {behind}", said, manner, LENGTH)
    if manner == PLAIN:
        return Worded(last, said)
    if manner == "explanation" and not is_reasoned:
        return Worded(pick(_WHY[said], *key, "why"), said, manner)
    form = pick((_LAST_LINE if is_reasoned else _FORMS)[manner], *key, "form")
    return Worded(form.format(steps=steps, **_words(said)), said, manner)


def _words(said: str) -> dict[str, str]:
    """What the holes of the forms stand for."""
    return {
        "v": said,
        "o": OTHER[said],
        "cue": VERDICT,
        "small": said.lower(),
        "large": said.upper(),
        "american": VERDICT.replace("Judgement", "Judgment"),
        "true": "true" if said == "Yes" else "false",
    }


def _no_verdict(
    model: str, asked: Asked, said: str, steps: str, hedges: Sequence[str], *key: object
) -> Worded:
    manner = drawn_unreadable(model, OF_VERDICTS, *key)
    if manner == "unfinished":
        return unfinished(f"Perhaps {said}, one detail looks odd", *key)
    if manner == "cut":
        return Worded(cut_in(steps, *key), None, manner, LENGTH)
    text = pick(_BOTH if manner == "both" else (*hedges, *_OPEN), *key, "hedge")
    return Worded(text, None, manner)


# ---- choices -----------------------------------------------------------------------------------------------

_CHOICE = _DATA["choice"]
_CHOICE_MANNERS = (*_CHOICE, "thought", "running-on", "token", "cut-behind")
_ORDINALS = {1: "first", 2: "second"}
_NONE = _DATA["none"]


def choice(model: str, asked: Asked, n: int, *key: object, is_read: bool) -> Worded:
    """The first or second text (`n`) in a model's manner; neither where not `is_read`."""
    noun, cue = TEXT[asked.task], asked.cue
    words = {"noun": noun, "n": n, "other": 3 - n, "ordinal": _ORDINALS[n], "cue": cue}
    if not is_read:
        manner = drawn_unreadable(model, OF_CHOICES, *key)
        if manner == "unfinished":
            return unfinished(f"It is between {noun} 1 and {noun} 2; {noun} {n} has", *key)
        return Worded(pick(_NONE[manner], *key, "hedge").format(**words), None, manner)
    answer, manner = f"{noun} {n}", drawn(model, _CHOICE_MANNERS, *key)
    if manner == "thought":
        thought = f"{noun} {3 - n} looks like it at first, but {noun} {n} settles it."
        return Worded(thoughtful(answer, thought, *key), answer, manner)
    if manner == "running-on":
        return Worded(f"{answer}\n\n{next_example(asked, f'{noun} {3 - n}')}", answer, manner)
    if manner == "token":
        return Worded(answer + pick(TOKENS, *key, "token"), answer, manner)
    if manner == "cut-behind":
        return Worded(f"{answer}. {cut_in('It reads as if one had looked at', *key)}", answer, manner, LENGTH)
    if manner == PLAIN:
        return Worded(answer, answer)
    return Worded(pick(_CHOICE[manner], *key, "form").format(**words), answer, manner)
