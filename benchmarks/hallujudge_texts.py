"""Responses about the entities of a closed world, with what is wrong in them: what the benchmark of the small
judge learns from and asks.

Per turn five natural responses (a quarter of them hallucinated, by near values), an induced one that contradicts
the knowledge and one that no source settles, the reference and a paraphrase of it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import SPANS
from truerate_world.distractors import near_values, wrong_value
from truerate_world.draws import draw, order, pick, shuffled
from truerate_world.encyclopedia import World
from truerate_world.halueval.models.claim_checker import Checker, checker
from truerate_world.writer import Fact

N_RESPONDERS = 5
STYLE = (
    "As far as records show, ",
    "It is widely noted that ",
    "Interestingly, ",
)  # of the induced texts' writer
P_NATURAL = 0.25  # of natural responses that are hallucinated


class Turn(NamedTuple):
    """One answered turn: what is known, what came before, what was asked, and the facts behind it."""

    name: str
    dialogue: str
    subject: int
    knowledge: str
    history: str
    question: str
    told: tuple[Fact, ...]  # by the knowledge
    before: tuple[Fact, ...]  # by the history
    untold: tuple[Fact, ...]


def turns(world: World, n: int) -> list[Turn]:
    """The turns of `n` dialogues of two to six turns, each about another entity."""
    known = checker(world, "en")
    subjects = order(len(world.entities), world.seed, "benchmark")
    return [one for place in range(n) for one in _dialogue(known, subjects[place], place)]


def _dialogue(known: Checker, subject: int, place: int) -> list[Turn]:
    world, writer, key = known.world, known.writer, (known.world.seed, "hallujudge", place)
    facts = shuffled([Fact(subject, *one) for one in world.entities[subject].facts.items()], *key)
    made, lines, before = [], [], []
    for turn in range(2 + int(draw(*key, "n") * 5)):
        at = (*key, turn)
        start = turn % max(1, len(facts) - 1)
        told = tuple(shuffled((facts + facts)[start : start + 3], *at, "told"))
        asked = told[0]
        knowledge = " ".join(writer.tell(told, *at, "knowledge"))
        question = writer.ask(asked.relation, subject, *at)
        untold = tuple(one for one in facts if one not in told and one not in before)
        made.append(Turn(f"{place}-{turn}", f"d{place}", subject, knowledge, "\n".join(lines), question,
                         told, tuple(before), untold))  # fmt: skip
        reply = " ".join(writer.tell(told[:2], *at, "reply"))
        lines += [f"User: {question}", f"Assistant: {reply}"]
        before += told[:2]
    return made


class Text(NamedTuple):
    """A response with what is wrong in it."""

    text: str
    spans: list[dict]
    kind: str


def texts(known: Checker, turn: Turn) -> list[Text]:
    """The nine texts of a turn."""
    natural = [_natural(known, turn, number) for number in range(N_RESPONDERS)]
    key = (known.world.seed, turn.name)
    return [
        *natural,
        _contradicting(known, turn, *key, "factuality", style=pick(STYLE, *key, "style"), near=False),
        _unverifiable(known, turn, *key, "faithfulness", style=pick(STYLE, *key, "style 2")),
        _faithful(known, turn, *key, "reference"),
        _faithful(known, turn, *key, "matched", style=pick(STYLE, *key, "style 3")),
    ]


def _natural(known: Checker, turn: Turn, number: int) -> Text:
    key = (known.world.seed, turn.name, "natural", number)
    if draw(*key) >= P_NATURAL:
        return _faithful(known, turn, *key, "natural")
    if draw(*key, "which") < 0.5:
        return _contradicting(known, turn, *key, "natural", style="", near=True)
    return _unverifiable(known, turn, *key, "natural", style="")


def _said(turn: Turn, *key: object) -> list[Fact]:
    """One or two facts that are known: of the knowledge, at times one of the history beside it."""
    own = list(turn.told[: 1 + (draw(*key, "two") < 0.5)])
    if turn.before and draw(*key, "back") < 0.25:
        own.append(pick(turn.before, *key, "back"))
    return own


def _written(known: Checker, sentences: Sequence[str], *key: object, style: str) -> tuple[list[str], str]:
    opening = known.writer.talk("opening", *key) if draw(*key, "opening") < 0.2 else ""
    parts = [*([opening] if opening else []), *sentences]
    return parts, style


def _faithful(known: Checker, turn: Turn, *key: object, style: str = "") -> Text:
    parts, style = _written(known, known.writer.tell(_said(turn, *key), *key, "said"), *key, style=style)
    return Text(style + " ".join(parts), [], str(key[-1]))


def _contradicting(known: Checker, turn: Turn, *key: object, style: str, near: bool) -> Text:
    world, said = known.world, _said(turn, *key)
    place = int(draw(*key, "place") * len(said))
    right = said[place]
    options = near_values(world, right.value, right.relation, *key) if near else []
    value = pick(options, *key, "near") if options else wrong_value(world, right.value, right.relation, *key)
    lines = [known.writer.sentence(one, *key, "said", n) for n, one in enumerate(said)]
    wrong = right._replace(value=value)
    lines[place] = known.writer.sentence(wrong, *key, "said", place)
    parts, style = _written(known, lines, *key, style=style)
    text = style + " ".join(parts)
    named = known.writer.value(wrong, *key, "said", place)
    start = text.find(named)
    start, end = (start, start + len(named)) if start >= 0 else _place(text, lines[place])
    return Text(text, [span(start, end)], str(key[-1]))


def _unverifiable(known: Checker, turn: Turn, *key: object, style: str) -> Text:
    said = _said(turn, *key)
    lines = [known.writer.sentence(one, *key, "said", n) for n, one in enumerate(said)]
    if turn.untold and draw(*key, "fact") < 0.7:
        more = known.writer.sentence(pick(turn.untold, *key, "untold"), *key, "more", after=turn.subject)
    else:
        kind = pick(sorted(known.lexicon.words.VAGUE), *key, "kind")
        more = known.writer.vague(kind, turn.subject, *key)
    lines.insert(1 + int(draw(*key, "at") * len(lines)), more)
    parts, style = _written(known, lines, *key, style=style)
    text = style + " ".join(parts)
    return Text(text, [span(*_place(text, more))], str(key[-1]))


def _place(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


def span(start: int, end: int) -> dict:
    """A labelled span."""
    return {"start": start, "end": end, "type": "unspecified", "p": None}


def table(world: World, n: int) -> pl.DataFrame:
    """The texts of `n` dialogues as judges get them, with `kind`."""
    known = checker(world, "en")
    rows = []
    for turn in turns(world, n):
        for number, text in enumerate(texts(known, turn)):
            rows.append({
                "target_id": f"{turn.name}-{number}", "item_id": turn.name, "group_id": turn.dialogue,
                "lang": "en", "task": "dialogue", "text": text.text, "spans": text.spans,
                "is_hallucinated": bool(text.spans), "knowledge": turn.knowledge, "history": turn.history,
                "question": turn.question, "kind": text.kind,
            })  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"spans": SPANS})
