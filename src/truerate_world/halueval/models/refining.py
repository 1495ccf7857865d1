"""Refinement: a hallucinated text made right from the knowledge at hand."""

from truerate_world.halueval.models.claim_checker import Checker
from truerate_world.halueval.models.tasks import Asked
from truerate_world.parser import FACT
from truerate_world.writer import Fact


def refined(checker: Checker, asked: Asked, text: str, *key: object) -> str | None:
    """The text with its false parts replaced; None where the knowledge does not say what is right, or nothing
    is wrong.
    """
    if asked.task == "qa":
        return _answer(checker, asked.fields, *key)
    evidence = asked.fields.get("Document" if asked.task == "summarization" else "Knowledge", "")
    return _facts(checker, evidence, text, asked.task, *key)


def _answer(checker: Checker, fields: dict[str, str], *key: object) -> str | None:
    question = checker.questions.resolve(
        fields.get("Question", ""), checker.facts(fields.get("Knowledge", ""))
    )
    if question is None or not question.is_grounded:
        return None
    return checker.writer.answer(question.right, question.relation, *key)


def _facts(checker: Checker, evidence: str, text: str, task: str, *key: object) -> str | None:
    """What the text says, with values as the evidence has them; in a summary what the evidence does not have
    is left out.
    """
    stated, reading = checker.facts(evidence), checker.parser.read(text)
    facts = []
    for claim in reading.claims:
        value = stated.get((claim.subject, claim.relation))
        if value is not None:
            facts.append(Fact(claim.subject, claim.relation, value))
        elif (
            task != "summarization"
            and claim.kind == FACT
            and checker.world.fact(claim.subject, claim.relation) == claim.value
        ):
            facts.append(Fact(claim.subject, claim.relation, claim.value))
    facts = list(dict.fromkeys(facts))
    if not facts:
        return None
    return ("\n" if task == "summarization" else " ").join(checker.writer.tell(facts, *key))
