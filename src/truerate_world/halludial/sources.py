"""The source folder: dialogues in FaithDial's format, each turn of the assistant with the knowledge given for
it.
"""

import json
from pathlib import Path
from typing import NamedTuple

from truerate_world.draws import draw, order, pick, shuffled
from truerate_world.encyclopedia import build
from truerate_world.halludial.models.claims import (
    BLATANT,
    CONTRADICTS,
    SUBTLE,
    UNVERIFIABLE,
    Checker,
    checker,
)
from truerate_world.halludial.models.mistakes import mistaken
from truerate_world.halludial.models.style import PEOPLE, REMARKS, dressed
from truerate_world.writer import Fact

MIN_TURNS, MAX_TURNS = 2, 7  # of the assistant
LEAVING = 0.35  # that a person goes on to an entity that was named, where there is one
REWRITTEN = 0.3  # of the responses: they replace one that was hallucinated
SPLITS = (("train", 0.8), ("valid", 0.9), ("test", 1.0))  # up to which share of the dialogues
CARD = {
    "name": "closed-world-dialogues",
    "citation": "The closed world of truerate: fictional dialogues with planted truth, made from a seed.",
    "licence": "CC0-1.0",
    "redistribution": "yes",
    "url": None,
    "lang": "en",
}


class Topic(NamedTuple):
    """What a turn is about: an entity, the fact that is asked for (None at first), and what was told."""

    subject: int
    asked: Fact | None
    told: tuple[Fact, ...] = ()


def write(folder: Path, seed: int, n_dialogues: int) -> None:
    """Write the dialogues, split into the files of the format (none where few dialogues leave it empty), and the
    source's card.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    known = checker(build(seed))
    made = [dialogue(known, place) for place in range(n_dialogues)]
    start = 0
    for name, share in SPLITS:
        end = round(share * n_dialogues)
        if start < end:
            _json(folder / f"{name}.json", made[start:end])
        start = end
    _json(folder / "source.json", CARD)


def dialogue(known: Checker, place: int) -> dict:
    """One dialogue as FaithDial holds it, 2 to 7 turns of the assistant long. A response that replaced a
    hallucinated one has that as `original_response`, with the `spans` that are hallucinated and the `reason`.
    """
    key = (known.world.seed, "conversation", place)
    subject = order(len(known.world.entities), known.world.seed, "talked of")[
        place % len(known.world.entities)
    ]
    n_turns = MIN_TURNS + int(draw(*key, "turns") * (MAX_TURNS - MIN_TURNS + 1))
    topic, history, utterances = Topic(subject, None), list[str](), []
    for turn in range(n_turns):
        mine = (*key, turn)
        history = [*history, _question(known, topic, *mine)]
        facts = _known_facts(known, topic, *mine)
        utterance = _utterance(known, topic, facts, history, *mine)
        utterances.append(utterance)
        history = [*history, utterance["response"]]
        told = (*topic.told, *known.facts_of(utterance["response"]))
        topic = _next(known, topic._replace(told=told), *mine)
    return {"dialog_idx": place, "utterances": utterances}


def _question(known: Checker, topic: Topic, *key: object) -> str:
    if topic.asked is None:
        return known.writer.talk("greeting", *key, about=topic.subject)
    question = known.writer.ask(topic.asked.relation, topic.subject, *key)
    return f"{pick(REMARKS, *key, 'remark')} {question}" if draw(*key, "is remark") < 0.4 else question


def _known_facts(known: Checker, topic: Topic, *key: object) -> list[Fact]:
    """The facts of the knowledge: what is asked for and one or two more of the entity, in drawn order."""
    own = _facts(known, topic.subject)
    others = shuffled([fact for fact in own if fact != topic.asked], *key, "others")
    n_more = 1 + (draw(*key, "more") < 0.4)
    wanted = [topic.asked] if topic.asked else []
    return shuffled([*wanted, *others][: len(wanted) + n_more + (not wanted)], *key, "knowledge")


def _utterance(known: Checker, topic: Topic, facts: list[Fact], history: list[str], *key: object) -> dict:
    sentences = known.writer.tell(facts, *key, "knowledge")
    if draw(*key, "is aside") < 0.35:
        sentences = [*sentences, known.writer.aside(topic.subject, facts, *key)]
    knowledge = " ".join(sentences)
    wanted = sorted(facts, key=lambda fact: fact != topic.asked)[: 1 + (draw(*key, "second") < 0.55)]
    response = dressed(PEOPLE, known.writer.tell(wanted, *key, "response"), *key, "response")
    row = {"history": list(history), "knowledge": knowledge, "response": response, "original_response": None}
    row |= {"BEGIN": ["Entailment"], "VRM": ["Disclosure"]}
    if draw(*key, "rewritten") >= REWRITTEN:
        return row
    return row | _original(known, knowledge, history, wanted, *key)


def _original(known: Checker, knowledge: str, history: list[str], facts: list[Fact], *key: object) -> dict:
    """The hallucinated response that was rewritten, with its labels; nothing where none can be made."""
    conversation = spoken(history)
    kind = pick((CONTRADICTS, UNVERIFIABLE), *key, "kind")
    level = pick((SUBTLE, BLATANT), *key, "level")
    draft = mistaken(known, known.held(knowledge, conversation), facts, *key, kind=kind, level=level)
    if draft is None:
        return {}
    text = dressed(PEOPLE, draft.told(known, *key, "original"), *key, "original")
    finding = known.finding(text, knowledge, conversation)
    if not finding.is_hallucinated:
        return {}
    spans = [{"start": start, "end": end} for start, end in finding.places]
    reason = " ".join(dict.fromkeys(flaw.kind for flaw in finding.flaws))
    labels = ["Hallucination"] if not finding.sound else ["Hallucination", "Entailment"]
    return {"original_response": text, "BEGIN": labels, "spans": spans, "reason": reason}


def spoken(history: list[str]) -> str:
    """Turns, a person's first, as a conversation of named lines."""
    names = ("User", "Assistant")
    return "\n".join(f"{names[place % 2]}: {turn}" for place, turn in enumerate(history))


def _next(known: Checker, topic: Topic, *key: object) -> Topic:
    """What the person asks next: something untold of the same entity, or of one that was named."""
    told = {fact[:2] for fact in topic.told}
    named = [fact.value[1] for fact in topic.told if fact.value[0] == "e" and fact.value[1] != topic.subject]
    fresh = [one for one in dict.fromkeys(named) if _untold(known, one, told)]
    own = _untold(known, topic.subject, told)
    if fresh and (not own or draw(*key, "leaves") < LEAVING):
        subject = pick(fresh, *key, "next")
    elif own:
        subject = topic.subject
    else:
        near = [one for one in sorted(known.world.near[topic.subject]) if _untold(known, one, told)]
        subject = pick(near or [topic.subject], *key, "near")
    left = _untold(known, subject, told) or _facts(known, subject)
    return Topic(subject, pick(left, *key, "asked"), topic.told)


def _untold(known: Checker, subject: int, told: set[tuple[int, str]]) -> list[Fact]:
    return [fact for fact in _facts(known, subject) if fact[:2] not in told]


def _facts(known: Checker, subject: int) -> list[Fact]:
    return [Fact(subject, name, value) for name, value in known.world.entities[subject].facts.items()]


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
