"""Results of promptfoo: JSON lines, JSON, YAML, CSV."""

import re
from collections.abc import Mapping
from typing import Any

from truerate.sources.answers.exports.contents import Content
from truerate.sources.answers.exports.records import Export, export_of, record_of
from truerate.sources.answers.exports.values import decoded, text_of

TOOL = "promptfoo"
_COLUMN = re.compile(r"\[([^\]]*)\]\s*(.*)", re.DOTALL)
_STATUS = re.compile(r"\[(PASS|FAIL|ERROR)\]\s*(?:\(\d+\.\d\d\)\s*)?(?:.*?\n?---\n)?", re.DOTALL)


def of_results(content: Content) -> Export | None:
    """The answers of a file of results; a result's asserts are its judges, by whether they pass, not by their
    score, which an assert of weight 0 has not.
    """
    document = content.document or {}
    inner: Any = document.get("results")
    rows: list[Any]
    if isinstance(inner, dict) and isinstance(inner.get("results"), list):
        rows = inner["results"]
    elif isinstance(inner, list) and "evalId" in document:
        rows = inner
    else:
        rows = content.rows if {"vars", "success"} <= content.names else []
    rows = [row for row in rows if isinstance(row, dict)]
    if (
        not rows
        or not {"vars", "success"} <= set(rows[0])
        or not {"testIdx", "promptIdx", "namedScores"} & set(rows[0])
    ):
        return None
    records = [_record(row) for row in rows]
    notes = []
    if n := sum(bool(row.get("error")) and row.get("response") is None for row in rows):
        notes.append(f"results without a reply, an error: {n}")
    return export_of(TOOL, records, notes)


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    case = row.get("testCase") or {}
    response = row.get("response") or {}
    response = response if isinstance(response, dict) else {"output": response}
    grading = row.get("gradingResult") or {}
    scores: dict[str, str] = {}
    for part in grading.get("componentResults") or []:
        if isinstance(part, dict) and part.get("pass") is not None:
            entry = part.get("assertion") or {}
            name = text_of(entry.get("metric")) or text_of(entry.get("type")) or "pass"
            scores[name] = "fail" if "fail" in (scores.get(name), _passed(part["pass"])) else "pass"
    if not scores and row.get("response") is not None and row.get("gradingResult"):
        scores = {"pass": _passed(row["success"])}
    provider = row.get("provider") or {}
    provider = provider if isinstance(provider, dict) else {"id": provider}
    metadata = {**(case.get("metadata") or {}), **(row.get("metadata") or {}), **(row.get("vars") or {})}
    metadata.pop("answer", None)
    label = text_of(provider.get("label")) or text_of(provider.get("id"))
    system = metadata.get("system") or metadata.get("model") or label
    return record_of(
        response.get("output"),
        metadata,
        scores=scores,
        system=system,
        id=metadata.get("id") or case.get("description") or row.get("testIdx"),
        abstained=True if response.get("isRefusal") is True else None,
    )


def _passed(value: Any) -> str:
    return "pass" if str(value).lower() == "true" else "fail"


def of_csv(content: Content) -> Export | None:
    """The answers of a CSV: a column `[provider] prompt` per prompt, the columns of its status behind it."""
    names = content.header
    outputs = [position for position, name in enumerate(names) if _COLUMN.match(name)]
    if not outputs:
        return None
    has_status = any(re.match(r"(?:Status|Score)(?:#\d+)?$", name) for name in names)
    if not has_status and not all(_STATUS.match(text_of(row[names[outputs[0]]])) for row in content.rows):
        return None
    first = min(outputs)
    records = []
    for number, row in enumerate(content.rows, start=1):
        cells = list(row.values())
        metadata = {name: decoded(value) for name, value in zip(names[:first], cells[:first], strict=True)}
        metadata.pop("answer", None)
        for position in outputs:
            heads = {
                names[n].partition("#")[0]: cells[n]
                for n in range(position + 1, len(names))
                if n not in outputs and not any(position < other < n for other in outputs)
            }
            text = text_of(cells[position])
            begin = None if has_status else _STATUS.match(text)
            status = text_of(heads.get("Status")) or (begin[1] if begin else "")
            named = decoded(heads.get("Named Scores"))
            scores = dict(named) if isinstance(named, dict) else {}
            if len(scores) < 2:  # the one assert passes or not; several are told apart by their scores
                scores = {next(iter(scores), "pass"): status} if status.upper() in ("PASS", "FAIL") else {}
            provider = (_COLUMN.match(names[position]) or ["", ""])[1]
            records.append(
                record_of(
                    text[begin.end() :] if begin else text,
                    metadata,
                    scores=scores,
                    system=metadata.get("system") or metadata.get("model") or provider,
                    id=metadata.get("id") or metadata.get("Description") or str(number),
                )
            )
    return export_of(TOOL, records, ["people's labels are not in its CSV; its JSON has them"])
