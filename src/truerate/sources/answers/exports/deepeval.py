"""Goldens and test runs of DeepEval."""

import re
from typing import Any

from truerate.sources.answers.exports.contents import Content
from truerate.sources.answers.exports.records import Export, export_of, record_of
from truerate.sources.answers.exports.values import decoded, text_of

TOOL = "DeepEval"
_GOLDEN = {
    "expected_output",
    "retrieval_context",
    "additional_metadata",
    "custom_column_key_values",
    "source_file",
}

_RUN = {"metricsScores", "testPassed", "conversationalTestCases", "test_results"}
_HUMP = re.compile("_([a-z])")


def of_goldens(content: Content) -> Export | None:
    """The answers of saved goldens or test cases. CSV and JSON lines join passages by `|`, which may stand
    in a passage too: they stay one text.
    """
    if not {"input", "actual_output"} <= content.names or not _GOLDEN & content.names:
        return None
    records = [_of_golden(row, content) for row in content.rows]
    joined = any(
        "|" in text_of(row.get(name))
        for row in content.rows
        for name in ("context", "retrieval_context")
        if isinstance(row.get(name), str)
    )
    return export_of(
        TOOL, records, ["passages stand there joined by '|': read as one text"] if joined else []
    )


def _of_golden(row: dict[str, Any], content: Content) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for name in ("custom_column_key_values", "additional_metadata"):
        inner = decoded(row.get(name))
        metadata |= inner if isinstance(inner, dict) else {}
    own_fields = {
        "input",
        "actual_output",
        "expected_output",
        "context",
        "retrieval_context",
        "name",
        "comments",
    }
    own_fields |= {
        "custom_column_key_values",
        "additional_metadata",
        "tools_called",
        "expected_tools",
        "expectations",
    }
    metadata |= {
        name: value
        for name, value in row.items()
        if name not in own_fields and not isinstance(value, dict | list)
    }
    return _record(row, metadata, ("actual_output", "retrieval_context", "expected_output"))


def of_run(content: Content) -> Export | None:
    """The answers of a test run; a metric's verdict is its `success`, which knows the metric's direction."""
    document = content.document or {}
    document = document["testRunData"] if isinstance(document.get("testRunData"), dict) else document
    cases = document.get("testCases")
    if isinstance(results := document.get("test_results"), list):  # `evaluate()`'s own, as Python writes it
        cases = [{_HUMP.sub(_upper, name): value for name, value in case.items()} for case in results]
    if not isinstance(cases, list) or not _RUN & set(document):
        return None
    records = []
    for case in [*cases, *(document.get("conversationalTestCases") or [])]:
        scores = {
            text_of(entry.get("name")): "pass" if entry["success"] else "fail"
            for entry in case.get("metricsData") or []
            if entry.get("success") is not None and not entry.get("error")
        }
        metadata = case.get("metadata") or case.get("additionalMetadata") or {}
        if case.get("turns"):
            by_role = {turn.get("role"): turn.get("content") for turn in case["turns"]}
            case = case | {"actualOutput": by_role.get("assistant"), "input": by_role.get("user")}
        records.append(
            _record(case, metadata, ("actualOutput", "retrievalContext", "expectedOutput"), scores)
        )
    return export_of(TOOL, records, ["a metric's verdict is its success, by its own threshold"])


def _upper(letter: re.Match[str]) -> str:
    return letter[1].upper()


def _record(
    row: dict[str, Any],
    metadata: dict[str, Any],
    names: tuple[str, str, str],
    scores: dict[str, str] | None = None,
) -> dict[str, Any]:
    """A record of a golden or a test case. `names`: of the answer, its passages and the golden answer."""
    answer, passages, golden = names
    given = dict(metadata)
    record = record_of(
        row.get(answer),
        given,
        scores=scores,
        question=row.get("input"),
        reference=row.get(passages) or row.get("context"),
        golden=row.get(golden),
        id=row.get("name"),
    )
    person, _, word = text_of(row.get("comments")).partition(":")
    if not record["labels"] and person.strip() and word.strip():
        from_comment = record_of("", {person.strip(): word.strip()})
        record["labels"], record["unsure"] = from_comment["labels"], from_comment["unsure"]
    if all(label is None for label in record["labels"].values()):
        record["labels"] = {}
    return record
