"""The source folder: dialogues in FaithDial's format, each turn with its knowledge."""

import json
from pathlib import Path
from typing import NamedTuple

from truerate_world.draws import draw, order, pick, shuffled
from truerate_world.encyclopedia import World, build
from truerate_world.halludial.models import claims
from truerate_world.halludial.models.claims import Checker, checker
from truerate_world.halludial.models.mistakes import mistaken
from truerate_world.halludial.models.style import PEOPLE, REMARKS, dressed
from truerate_world.writer import Fact, facts_of

MIN_TURNS, MAX_TURNS = 2, 7  # of the assistant
GOING_ON = 0.35  # that a person goes on to an entity that was named, where there is one
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
    """What a turn is about: an entity, the fact that is asked for (None at first), and the facts before."""

    subject: int
    asked: Fact | None
    before: tuple[Fact, ...] = ()


def write(folder: Path, seed: int, n_dialogues: int) -> None:
    """Write the dialogues, split into the files of the format (none where empty), and the card."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    language = checker(build(seed))
    rows = [dialogue(language, index) for index in range(n_dialogues)]
    start = 0
    for name, share in SPLITS:
        end = round(share * n_dialogues)
        if start < end:
            _json(folder / f"{name}.json", rows[start:end])
        start = end
    _json(folder / "source.json", CARD)


def dialogue(language: Checker, index: int) -> dict:
    """Return a dialogue as FaithDial holds it; a replaced response is its `original_response`."""
    world = language.world
    key = (world.seed, "conversation", index)
    subject = order(len(world.entities), world.seed, "talked of")[index % len(world.entities)]
    n_turns = MIN_TURNS + int(draw(*key, "turns") * (MAX_TURNS - MIN_TURNS + 1))
    topic, history, utterances = Topic(subject, None), list[str](), []
    for turn in range(n_turns):
        mine = (*key, turn)
        history = [*history, _question(language, topic, *mine)]
        facts = _given_facts(language, topic, *mine)
        utterance = _utterance(language, topic, facts, history, *mine)
        utterances.append(utterance)
        history = [*history, utterance["response"]]
        before = (*topic.before, *language.facts_of(utterance["response"]))
        topic = _next(language, topic._replace(before=before), *mine)
    return {"dialog_idx": index, "utterances": utterances}


def _question(language: Checker, topic: Topic, *key: object) -> str:
    if topic.asked is None:
        return language.writer.talk("greeting", *key, about=topic.subject)
    question = language.writer.ask(topic.asked.relation, topic.subject, *key)
    return f"{pick(REMARKS, *key, 'remark')} {question}" if draw(*key, "is remark") < 0.4 else question


def _given_facts(language: Checker, topic: Topic, *key: object) -> list[Fact]:
    """The facts of the knowledge: what is asked for and one or two more of the entity, in drawn order."""
    facts = facts_of(language.world, topic.subject)
    others = shuffled([fact for fact in facts if fact != topic.asked], *key, "others")
    n_more = 1 + (draw(*key, "more") < 0.4)
    wanted = [topic.asked] if topic.asked else []
    return shuffled([*wanted, *others][: len(wanted) + n_more + (not wanted)], *key, "knowledge")


def _utterance(language: Checker, topic: Topic, facts: list[Fact], history: list[str], *key: object) -> dict:
    sentences = language.writer.tell(facts, *key, "knowledge")
    if draw(*key, "is aside") < 0.35:
        sentences = [*sentences, language.writer.aside(topic.subject, facts, *key)]
    knowledge = " ".join(sentences)
    wanted = sorted(facts, key=lambda fact: fact != topic.asked)[: 1 + (draw(*key, "second") < 0.55)]
    response = dressed(PEOPLE, language.writer.tell(wanted, *key, "response"), *key, "response")
    row = {"history": list(history), "knowledge": knowledge, "response": response, "original_response": None}
    row |= {"BEGIN": ["Entailment"], "VRM": ["Disclosure"]}
    if draw(*key, "rewritten") >= REWRITTEN:
        return row
    return row | _original(language, knowledge, history, wanted, *key)


def _original(language: Checker, knowledge: str, history: list[str], facts: list[Fact], *key: object) -> dict:
    """The hallucinated response that was rewritten, with its labels; nothing where none can be made."""
    conversation = spoken(history)
    kind = pick((claims.CONTRADICTS, claims.UNVERIFIABLE), *key, "kind")
    level = pick((claims.SUBTLE, claims.BLATANT), *key, "level")
    context = language.context(knowledge, conversation)
    draft = mistaken(language, context, facts, *key, kind=kind, level=level)
    if draft is None:
        return {}
    text = dressed(PEOPLE, draft.sentences(language, *key, "original"), *key, "original")
    finding = language.finding(text, knowledge, conversation)
    if not finding.is_hallucinated:
        return {}
    spans = [{"start": start, "end": end} for start, end in finding.spans]
    reason = " ".join(dict.fromkeys(flaw.kind for flaw in finding.flaws))
    labels = ["Hallucination"] if not finding.sound else ["Hallucination", "Entailment"]
    return {"original_response": text, "BEGIN": labels, "spans": spans, "reason": reason}


def spoken(history: list[str]) -> str:
    """Turns, a person's first, as a conversation of named lines."""
    names = ("User", "Assistant")
    return "\n".join(f"{names[index % 2]}: {turn}" for index, turn in enumerate(history))


def _next(language: Checker, topic: Topic, *key: object) -> Topic:
    """What the person asks next: something untold of the same entity, or of one that was named."""
    world, before = language.world, {fact[:2] for fact in topic.before}
    named = dict.fromkeys(fact.value[1] for fact in topic.before if fact.value[0] == "e")
    fresh = [entity for entity in named if entity != topic.subject and _untold(world, entity, before)]
    facts = _untold(world, topic.subject, before)
    if fresh and (not facts or draw(*key, "leaves") < GOING_ON):
        subject = pick(fresh, *key, "next")
    elif facts:
        subject = topic.subject
    else:
        near = [entity for entity in sorted(world.near[topic.subject]) if _untold(world, entity, before)]
        subject = pick(near or [topic.subject], *key, "near")
    left = _untold(world, subject, before) or facts_of(world, subject)
    return Topic(subject, pick(left, *key, "asked"), topic.before)


def _untold(world: World, subject: int, before: set[tuple[int, str]]) -> list[Fact]:
    return [fact for fact in facts_of(world, subject) if fact[:2] not in before]


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
