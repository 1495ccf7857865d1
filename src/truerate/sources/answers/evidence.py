"""Which field of a file of answers holds the evidence that answers are checked against, and which golden answers."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from truerate.core.text import n_words
from truerate.sources.answers.names import ALWAYS_EVIDENCE, GOLDEN, ROLES

# a reference of so few words, and so many times shorter than answers, is a golden answer
GOLDEN_WORDS, SHORT = 5, 2
LEAST_WORDS = 4  # of a text that is taken for evidence by its name


def is_text(values: Sequence[Any]) -> bool:
    """Return whether values are texts, and there are some."""
    return bool(values) and all(isinstance(value, str) for value in values)


def enter_evidence(
    columns: Mapping[str, Sequence[Any]], by_role: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Enter the field that holds the evidence; returns the fields that hold golden answers, and why so."""
    golden = [name for name in GOLDEN if name in columns]
    if "answer" in columns and by_role.get("answer") in ROLES["answer"][1:]:
        golden.append("answer")
    if "reference" in by_role:
        return golden, []
    has_reference = "reference" in columns
    least = _size(columns["reference"]) if has_reference else 0
    evidence = [
        name
        for name in ROLES["reference"][1:]
        if name in columns
        and is_evidence(name, columns[name])
        and (name in ALWAYS_EVIDENCE or _size(columns[name]) > least)
    ]
    take = "--map reference=reference takes it"
    if evidence:
        by_role["reference"] = evidence[0]
        if has_reference:
            why = f"'reference' stands beside {evidence[0]!r} and is taken for a golden answer, not for the evidence"
            return [*golden, "reference"], [f"{why}; {take}"]
    elif has_reference and "user_input" in columns:
        why = "'reference' beside 'user_input' is a golden answer (RAGAS), no evidence; give 'retrieved_contexts'"
        return [*golden, "reference"], [f"{why}; {take}"]
    elif has_reference and (words := _golden_words(columns, by_role)):
        why = "'reference' is taken for a golden answer, no evidence: median {:g} words, of answers {:g}"
        return [*golden, "reference"], [f"{why.format(*words)}; {take}"]
    elif has_reference:
        by_role["reference"] = "reference"
    return golden, []


def _golden_words(
    columns: Mapping[str, Sequence[Any]], by_role: Mapping[str, str]
) -> tuple[float, float] | None:
    """The median words of references and of answers where a reference is too short to be evidence."""
    texts = [v for name in ("reference", by_role.get("answer", "")) for v in [columns.get(name, ())]]
    if not all(texts) or not all(is_text(values) for values in texts):
        return None
    of_reference, of_answers = (median(map(n_words, values)) for values in texts)
    is_golden = of_reference <= GOLDEN_WORDS and of_answers > SHORT * of_reference
    return (of_reference, of_answers) if is_golden else None


def is_evidence(name: str, values: Sequence[Any]) -> bool:
    """Return whether a field that may hold passages does: lists of them, or mostly texts of LEAST_WORDS
    words.
    """
    if name in ALWAYS_EVIDENCE:
        return bool(values)
    n = sum(
        isinstance(value, list) or (isinstance(value, str) and n_words(value) >= LEAST_WORDS)
        for value in values
    )
    return 2 * n > len(values)


def _size(values: Sequence[Any]) -> float:
    """The median length of values, in characters: evidence is longer than a golden answer."""
    return median(len(str(value)) for value in values) if values else 0
