"""Hallucinated candidates by pattern, in the form and about the length of the right ones."""

from collections.abc import Sequence

from truerate.core.text import words
from truerate_world.distractors import far_values, foreign_values, near_values, wrong_value
from truerate_world.domains import RELATIONS, Value
from truerate_world.draws import draw, pick
from truerate_world.halueval.models.claim_checker import Checker, broader, related
from truerate_world.halueval.models.questions import Asked
from truerate_world.parser import FACT, Reading
from truerate_world.writer import Fact, facts_of

# a wrong entity is taken from those that the knowledge names this often, where it names one that fits
AT_HAND = 0.75
SLACK = 5  # words that a hallucinated text may have more than the right one


def qa(checker: Checker, fields: dict[str, str], pattern: str, *key: object) -> str | None:
    """A wrong answer of a pattern; None where the question is not understood."""
    evidence = checker.facts(fields.get("Knowledge", ""))
    asked = checker.questions.resolve(fields.get("Question", ""), evidence)
    if asked is None:
        return None
    limit = len(words(fields.get("Right Answer", ""))) + SLACK
    values = _qa_values(checker, asked, pattern, *key)
    options = [value for value in values if checker.qa_pattern(asked, value) == pattern]
    if not options or (pattern == "specificity" and draw(*key, "broad") < 0.5):
        return _broad(checker, asked, limit, *key)
    value = _chosen(checker, options, fields.get("Knowledge", ""), *key)
    kind, _ = _kinds(checker, value)
    return checker.writer.answer(value, _relation_of(asked, value), *key, kind=kind, limit=limit)


def dialogue(checker: Checker, fields: dict[str, str], pattern: str, *key: object) -> str | None:
    """The right response with one entity swapped; None where no entity of it is understood."""
    reading = checker.parser.read(fields.get("True Response", ""))
    facts = _stated(reading)
    target = next((fact for fact in facts if fact.value[0] == "e"), None)
    if target is None:
        return None
    options = [value for value in _swaps(checker, target.value, pattern, *key) if value != target.value]
    swapped = _chosen(checker, options, fields.get("Knowledge", ""), *key)
    for index, fact in enumerate(facts):
        if fact is target:
            facts[index] = fact._replace(value=swapped)
        elif ("e", fact.subject) == target.value:  # a further fact, now about the new entity
            facts[index] = fact._replace(subject=swapped[1])
    return _with_talk(checker, reading, facts, *key)


def summary(checker: Checker, fields: dict[str, str], pattern: str, *key: object) -> str | None:
    """The right summary with one of its facts replaced; None where nothing of it is understood."""
    reading = checker.parser.read(fields.get("Right Summary", ""))
    facts = _stated(reading)
    options = _replacements(checker, fields.get("Document", ""), facts, pattern, *key)
    if not facts or not options:
        return None
    facts[int(draw(*key, "place") * len(facts))] = pick(options, *key, "fact")
    limit = len(words(fields["Right Summary"])) + SLACK
    texts = ("\n".join(checker.writer.tell(facts, *key, attempt, compound=0.15)) for attempt in range(24))
    return next((text for text in texts if len(words(text)) <= limit), None) or _short(checker, facts)


def _stated(reading: Reading) -> list[Fact]:
    return [
        Fact(claim.subject, claim.relation, claim.value) for claim in reading.claims if claim.kind == FACT
    ]


def restated(right: str, *key: object) -> str:
    """The right text again, but for the case of its first letter and a full stop: a candidate that failed."""
    text = right.rstrip(".") if draw(*key, "stop") < 0.5 else right
    return text[:1].swapcase() + text[1:] if draw(*key, "case") < 0.5 else text


def lengthened(checker: Checker, text: str, right: str, *key: object) -> str:
    """Return the text with empty endings until it exceeds the right one by over `SLACK` words."""
    stop = "." if text.endswith(".") else ""
    text, part = text.removesuffix(".") if stop else text, 0
    while part == 0 or len(words(text)) <= len(words(right)) + SLACK:
        text = f"{text}, {checker.writer.talk('tail', *key, part)}"
        part += 1
    return text + stop


def _qa_values(checker: Checker, asked: Asked, pattern: str, *key: object) -> list[Value]:
    world, right = checker.world, asked.right
    if pattern == "comprehension":
        return sorted(related(world, asked), key=str)
    if pattern == "specificity":
        return [value] if (value := broader(world, right, asked.relation)) else []
    if pattern == "inference":
        others = [("e", subject) for subject in asked.subjects if ("e", subject) != right]
        return others if asked.kind == "compare" else near_values(world, right, asked.relation, *key)
    return far_values(world, right, asked.relation, *key)


def _broad(checker: Checker, asked: Asked, limit: int, *key: object) -> str:
    """An answer that names no value."""
    kind = asked.right[0]
    content, several = _kinds(checker, asked.right)
    texts = [form.format(k=content, ks=several) for form in checker.lexicon.words.answers[f"broad_{kind}"]]
    return pick([text for text in texts if len(words(text)) <= limit] or texts, *key, "broad form")


def _kinds(checker: Checker, value: Value) -> tuple[str, str]:
    lexicon = checker.lexicon.words
    if value[0] == "e":
        return lexicon.kinds[checker.world.entities[value[1]].domain]
    kind = lexicon.category_kinds[value[1].split("/")[0]] if value[0] == "c" else ""
    return kind, kind


def _relation_of(asked: Asked, value: Value) -> str:
    """A relation whose values are written as this one: large numbers separated, years plain."""
    if value[0] != "n":
        return asked.relation
    if int(value[1]) >= 2100:
        return "population"
    return asked.relation if RELATIONS[asked.relation].kind == "n" else "founded"


def _chosen(checker: Checker, options: Sequence[Value], knowledge: str, *key: object) -> Value:
    """One of the values, rather one that the knowledge names, so that a name proves nothing."""
    named = {("e", entity) for entity in checker.parser.read(knowledge).mentioned}
    at_hand = [value for value in options if value in named]
    return pick(at_hand if at_hand and draw(*key, "at hand") < AT_HAND else options, *key, "value")


def _swaps(checker: Checker, right: Value, pattern: str, *key: object) -> list[Value]:
    if pattern == "extrinsic-grouped":
        return foreign_values(checker.world, right, *key)
    return (near_values if pattern == "extrinsic-soft" else far_values)(checker.world, right, "")


def _with_talk(checker: Checker, reading: Reading, facts: Sequence[Fact], *key: object) -> str:
    """Facts told with as much talk around them as a reading had."""
    first = reading.claims[0].sentence if reading.claims else 0
    last = reading.claims[-1].sentence if reading.claims else 0
    opening = [checker.writer.talk("opening", *key)] if first > 0 else []
    closing = [checker.writer.talk("closing", *key)] if last < len(reading.sentences) - 1 else []
    return " ".join([*opening, *checker.writer.tell(facts, *key), *closing])


def _replacements(
    checker: Checker, document: str, facts: Sequence[Fact], pattern: str, *key: object
) -> list[Fact]:
    """Facts of a pattern that a summary of the document could state."""
    world, stated = checker.world, checker.facts(document)
    if pattern == "intrinsic":
        return [
            fact._replace(value=wrong_value(world, stated[fact[:2]], fact.relation, *key))
            for fact in facts
            if fact[:2] in stated
        ]
    subjects = list(dict.fromkeys(subject for subject, _ in stated)) or [fact.subject for fact in facts]
    for pool in (subjects[:1], subjects, checker.parser.read(document).mentioned):
        true = (fact for subject in dict.fromkeys(pool) for fact in facts_of(world, subject))
        if missing := [fact for fact in true if fact[:2] not in stated]:
            break
    if pattern == "factual":
        return missing
    return [
        fact._replace(value=wrong_value(world, fact.value, fact.relation, *key, index))
        for index, fact in enumerate(missing)
    ]


def _short(checker: Checker, facts: Sequence[Fact]) -> str:
    """Facts in their shortest forms, one to a line."""
    lexicon, lines = checker.lexicon, []
    for fact in facts:
        value = lexicon.text(fact.value, fact.relation)
        name = min(lexicon.names[fact.subject], key=lambda text: len(words(text)))
        texts = [f"{name} {say.format(v=value)}." for say in lexicon.phrases[fact.relation].says]
        lines.append(min(texts, key=lambda text: len(words(text))))
    return "\n".join(lines)
