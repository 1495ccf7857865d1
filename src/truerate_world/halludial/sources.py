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
    claim_checker = checker(build(seed))
    rows = [dialogue(claim_checker, index) for index in range(n_dialogues)]
    start = 0
    for name, share in SPLITS:
        end = round(share * n_dialogues)
        if start < end:
            _json(folder / f"{name}.json", rows[start:end])
        start = end
    _json(folder / "source.json", CARD)


def dialogue(claim_checker: Checker, place: int) -> dict:
    """One dialogue as FaithDial holds it, 2 to 7 turns of the assistant long. A response that replaced a
    hallucinated one has that as `original_response`, with the `spans` that are hallucinated and the `reason`.
    """
    key = (claim_checker.world.seed, "conversation", place)
    subject = order(len(claim_checker.world.entities), claim_checker.world.seed, "talked of")[
        place % len(claim_checker.world.entities)
    ]
    n_turns = MIN_TURNS + int(draw(*key, "turns") * (MAX_TURNS - MIN_TURNS + 1))
    topic, history, utterances = Topic(subject, None), list[str](), []
    for turn in range(n_turns):
        mine = (*key, turn)
        history = [*history, _question(claim_checker, topic, *mine)]
        facts = _known_facts(claim_checker, topic, *mine)
        utterance = _utterance(claim_checker, topic, facts, history, *mine)
        utterances.append(utterance)
        history = [*history, utterance["response"]]
        told = (*topic.told, *claim_checker.facts_of(utterance["response"]))
        topic = _next(claim_checker, topic._replace(told=told), *mine)
    return {"dialog_idx": place, "utterances": utterances}


def _question(claim_checker: Checker, topic: Topic, *key: object) -> str:
    if topic.asked is None:
        return claim_checker.writer.talk("greeting", *key, about=topic.subject)
    question = claim_checker.writer.ask(topic.asked.relation, topic.subject, *key)
    return f"{pick(REMARKS, *key, 'remark')} {question}" if draw(*key, "is remark") < 0.4 else question


def _known_facts(claim_checker: Checker, topic: Topic, *key: object) -> list[Fact]:
    """The facts of the knowledge: what is asked for and one or two more of the entity, in drawn order."""
    facts = _facts(claim_checker, topic.subject)
    others = shuffled([fact for fact in facts if fact != topic.asked], *key, "others")
    n_more = 1 + (draw(*key, "more") < 0.4)
    wanted = [topic.asked] if topic.asked else []
    return shuffled([*wanted, *others][: len(wanted) + n_more + (not wanted)], *key, "knowledge")


def _utterance(
    claim_checker: Checker, topic: Topic, facts: list[Fact], history: list[str], *key: object
) -> dict:
    sentences = claim_checker.writer.tell(facts, *key, "knowledge")
    if draw(*key, "is aside") < 0.35:
        sentences = [*sentences, claim_checker.writer.aside(topic.subject, facts, *key)]
    knowledge = " ".join(sentences)
    wanted = sorted(facts, key=lambda fact: fact != topic.asked)[: 1 + (draw(*key, "second") < 0.55)]
    response = dressed(PEOPLE, claim_checker.writer.tell(wanted, *key, "response"), *key, "response")
    row = {"history": list(history), "knowledge": knowledge, "response": response, "original_response": None}
    row |= {"BEGIN": ["Entailment"], "VRM": ["Disclosure"]}
    if draw(*key, "rewritten") >= REWRITTEN:
        return row
    return row | _original(claim_checker, knowledge, history, wanted, *key)


def _original(
    claim_checker: Checker, knowledge: str, history: list[str], facts: list[Fact], *key: object
) -> dict:
    """The hallucinated response that was rewritten, with its labels; nothing where none can be made."""
    conversation = spoken(history)
    kind = pick((CONTRADICTS, UNVERIFIABLE), *key, "kind")
    level = pick((SUBTLE, BLATANT), *key, "level")
    draft = mistaken(
        claim_checker, claim_checker.held(knowledge, conversation), facts, *key, kind=kind, level=level
    )
    if draft is None:
        return {}
    text = dressed(PEOPLE, draft.told(claim_checker, *key, "original"), *key, "original")
    finding = claim_checker.finding(text, knowledge, conversation)
    if not finding.is_hallucinated:
        return {}
    spans = [{"start": start, "end": end} for start, end in finding.places]
    reason = " ".join(dict.fromkeys(flaw.kind for flaw in finding.flaws))
    labels = ["Hallucination"] if not finding.sound else ["Hallucination", "Entailment"]
    return {"original_response": text, "BEGIN": labels, "spans": spans, "reason": reason}


def spoken(history: list[str]) -> str:
    """Turns, a person's first, as a conversation of named lines."""
    names = ("User", "Assistant")
    return "\n".join(f"{names[index % 2]}: {turn}" for index, turn in enumerate(history))


def _next(claim_checker: Checker, topic: Topic, *key: object) -> Topic:
    """What the person asks next: something untold of the same entity, or of one that was named."""
    told = {fact[:2] for fact in topic.told}
    named = [fact.value[1] for fact in topic.told if fact.value[0] == "e" and fact.value[1] != topic.subject]
    fresh = [one for one in dict.fromkeys(named) if _untold(claim_checker, one, told)]
    facts = _untold(claim_checker, topic.subject, told)
    if fresh and (not facts or draw(*key, "leaves") < LEAVING):
        subject = pick(fresh, *key, "next")
    elif facts:
        subject = topic.subject
    else:
        near = [
            index
            for index in sorted(claim_checker.world.near[topic.subject])
            if _untold(claim_checker, index, told)
        ]
        subject = pick(near or [topic.subject], *key, "near")
    left = _untold(claim_checker, subject, told) or _facts(claim_checker, subject)
    return Topic(subject, pick(left, *key, "asked"), topic.told)


def _untold(claim_checker: Checker, subject: int, told: set[tuple[int, str]]) -> list[Fact]:
    return [fact for fact in _facts(claim_checker, subject) if fact[:2] not in told]


def _facts(claim_checker: Checker, subject: int) -> list[Fact]:
    return [Fact(subject, name, value) for name, value in claim_checker.world.entities[subject].facts.items()]


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
