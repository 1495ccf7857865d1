"""Refinement: a hallucinated text made right from the knowledge at hand."""

from truerate_world.halueval.models.claim_checker import Checker
from truerate_world.halueval.models.tasks import Asked
from truerate_world.parser import FACT
from truerate_world.writer import Fact


def refined(checker: Checker, asked: Asked, text: str, *key: object) -> str | None:
    """Return the corrected text; None if the knowledge does not decide it or nothing is wrong."""
    if asked.task == "qa":
        return _answer(checker, asked.fields, *key)
    evidence = asked.fields.get("Document" if asked.task == "summarization" else "Knowledge", "")
    return _facts(checker, evidence, text, asked.task, *key)


def _answer(checker: Checker, fields: dict[str, str], *key: object) -> str | None:
    evidence = checker.facts(fields.get("Knowledge", ""))
    question = checker.questions.resolve(fields.get("Question", ""), evidence)
    if question is None or not question.is_grounded:
        return None
    return checker.writer.answer(question.right, question.relation, *key)


def _facts(checker: Checker, evidence: str, text: str, task: str, *key: object) -> str | None:
    """Return the text with the evidence's values; a summary without what the evidence lacks."""
    stated, reading = checker.facts(evidence), checker.parser.read(text)
    facts = []
    for claim in reading.claims:
        value = stated.get((claim.subject, claim.relation))
        if value is not None:
            facts.append(Fact(claim.subject, claim.relation, value))
        elif task != "summarization" and claim.kind == FACT:
            if checker.world.fact(claim.subject, claim.relation) == claim.value:
                facts.append(Fact(claim.subject, claim.relation, claim.value))
    sentences = checker.writer.tell(list(dict.fromkeys(facts)), *key)
    return ("\n" if task == "summarization" else " ").join(sentences) or None
