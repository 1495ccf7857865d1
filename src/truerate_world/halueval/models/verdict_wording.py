"""Wording of verdicts and choices: in a model's manner, and without one where it gives none."""

from collections.abc import Sequence

from truerate_world.data import beside
from truerate_world.draws import pick
from truerate_world.halueval.models.tasks import TEXT, VERDICT, Asked
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

OTHER = {"Yes": "No", "No": "Yes"}
# The ways in which a verdict, and a choice, can be missing.
OF_VERDICTS = ("undecided", "both", "unfinished", "cut")
OF_CHOICES = ("undecided", "both", "unfinished")
_NEXT = _DATA["next"]
_CHOICE = _DATA["choice"]
_ORDINALS = {1: "first", 2: "second"}


def next_example(asked: Asked, answer: str) -> str:
    """A further example with the headings of the prompt and an answer under its cue."""
    fields = [name for name in reversed(asked.fields) if name in _NEXT]
    cue = VERDICT if asked.purpose == "recognition" else asked.cue
    return "\n".join([*(f"#{name}#: {_NEXT[name]}" for name in fields), f"#{cue}#: {answer}"])


def verdict(
    model: str, asked: Asked, verdict: str, steps: str, hedges: Sequence[str], *key: object, is_read: bool
) -> Worded:
    """A verdict (Yes or No), behind `steps` if the prompt asks for reasons; none if not `is_read`."""
    if not is_read:
        return _no_verdict(model, verdict, steps, hedges, *key)
    other, is_reasoned = OTHER[verdict], asked.is_step_by_step
    last = f"{steps}\n#{VERDICT}#: {verdict}" if is_reasoned else verdict
    manner = drawn(model, _DATA["verdict"], *key)
    if manner == "foreign":
        word = pick(manners_of(model).yes_no, *key, "language")[verdict == "No"]
        return Worded(f"{steps}\n#{VERDICT}#: {word}" if is_reasoned else word, verdict, manner)
    if manner == "cut-behind":
        behind = cut_in("Looking once more at the second sentence one sees that the name in it", *key)
        return Worded(f"{last}.\n{behind}" if is_reasoned else f"{last}. {behind}", verdict, manner, LENGTH)
    thought = pick(_DATA["draft"], *key, "draft").format(o=other, v=verdict)
    if reply := around(last, verdict, manner, *key, thought=thought, following=next_example(asked, other)):
        return reply
    if manner == "explanation" and not is_reasoned:
        return Worded(pick(_DATA["why"][verdict], *key, "why"), verdict, manner)
    form = pick(_DATA["last_line" if is_reasoned else "forms"][manner], *key, "form")
    words = {"small": verdict.lower(), "large": verdict.upper(), "true": str(verdict == "Yes").lower()}
    words |= {"cue": VERDICT, "american": VERDICT.replace("Judgement", "Judgment")}
    return Worded(form.format(v=verdict, o=other, steps=steps, **words), verdict, manner)


def _no_verdict(model: str, verdict: str, steps: str, hedges: Sequence[str], *key: object) -> Worded:
    manner = drawn_unreadable(model, OF_VERDICTS, *key)
    if manner == "unfinished":
        return unfinished(f"Perhaps {verdict}, one detail looks odd", *key)
    if manner == "cut":
        return Worded(cut_in(steps, *key), None, manner, LENGTH)
    texts = _DATA["both"] if manner == "both" else (*hedges, *_DATA["open"])
    return Worded(pick(texts, *key, "hedge"), None, manner)


def choice(model: str, asked: Asked, n: int, *key: object, is_read: bool) -> Worded:
    """The first or second text (`n`) in a model's manner; neither where not `is_read`."""
    noun, answer, other = TEXT[asked.task], f"{TEXT[asked.task]} {n}", f"{TEXT[asked.task]} {3 - n}"
    words = {"noun": noun, "n": n, "other": 3 - n, "ordinal": _ORDINALS[n], "cue": asked.cue}
    if not is_read:
        manner = drawn_unreadable(model, OF_CHOICES, *key)
        if manner == "unfinished":
            return unfinished(f"It is between {noun} 1 and {noun} 2; {answer} has", *key)
        return Worded(pick(_DATA["none"][manner], *key, "hedge").format(**words), None, manner)
    manner = drawn(model, (*_CHOICE, "thought", "running-on", "token", "cut-behind"), *key)
    thought = f"{other} looks like it at first, but {answer} settles it."
    following, behind = next_example(asked, other), "It reads as if one had looked at"
    if reply := around(answer, answer, manner, *key, thought=thought, following=following, behind=behind):
        return reply
    return Worded(pick(_CHOICE[manner], *key, "form").format(**words), answer, manner)
