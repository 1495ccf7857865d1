"""Samples of lm-evaluation-harness."""

import re
from collections.abc import Mapping
from typing import Any

from truerate.sources.answers.exports.contents import Content, beside, unreadable
from truerate.sources.answers.exports.records import Export, export_of, record_of
from truerate.sources.answers.exports.values import passages_of, text_of

TOOL = "lm-evaluation-harness"
_NAME = re.compile(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl$")


def of_samples(content: Content) -> Export | None:
    """The answers of a samples file: a document's first filtered reply, which its metrics judge."""
    if not {"doc", "doc_id"} <= content.names or not {"resps", "filtered_resps"} & content.names:
        return None
    rows = content.rows
    results = _results(content, rows)
    notes, task = [], (_NAME.search(content.path.name) or [None, None])[1]
    system = results.get("model_name") if results else None
    if not system and "__" in content.path.parent.name:
        system = content.path.parent.name.replace("__", "/", 1)
        notes.append(f"system is {system!r}, by the folder")
    elif system:
        notes.append(f"system is {system!r}, of the results beside it")
    else:
        notes.append("the model's name stands in no sample: put its results_*.json beside it")
    filters = list(dict.fromkeys(row.get("filter") for row in rows))
    if len(filters) > 1:
        notes.append(f"filter {filters[0]!r} is read; left out: {', '.join(map(str, filters[1:]))}")
        rows = [row for row in rows if row.get("filter") == filters[0]]
    records = [_record(row, system) for row in rows]
    if n := sum(_n_replies(row) - 1 for row in rows):
        notes.append(f"further replies, to which no metric was given, left out: {n}")
    good = _directions(results, task)
    return export_of(TOOL, records, notes, good=good)


def of_results(content: Content) -> Export | None:
    """The answers beside a results file. Raises SourceError where they are not there."""
    document = content.document or {}
    if "results" not in document or not {"lm_eval_version", "n-samples", "task_hashes"} & set(document):
        return None
    tasks = set(document["results"])
    files = []
    for other in beside(content, "*samples_*.jsonl"):
        name = _NAME.search(other.path.name)
        if (name is None or name[1] in tasks) and (export := of_samples(other)) is not None:
            files.append(export)
    if not files:
        raise unreadable(
            content.path,
            "results of lm-evaluation-harness; the answers are in samples_*.jsonl (--log_samples)",
        )
    notes = list(dict.fromkeys(note for export in files for note in export.notes))
    return Export(TOOL, [record for export in files for record in export.records], notes)


def _results(content: Content, rows: list[dict[str, Any]]) -> Mapping[str, Any] | None:
    """The results beside a samples file that are of its task: the only ones, or of the same model or time."""
    name = _NAME.search(content.path.name)
    tail = content.path.stem.rpartition("_")[2]
    fits = []
    for other in beside(content, "*results*.json"):
        document = other.document or {}
        if "results" in document and (name is None or _task_of(name[1], document["results"])):
            fits.append((tail not in other.path.stem, document))
    fits.sort(key=lambda fit: fit[0])
    if not fits or (len(fits) > 1 and fits[0][0] == fits[1][0]):
        return None
    return fits[0][1]


def _task_of(name: str, tasks: Mapping[str, Any]) -> str | None:
    return name if name in tasks else next((task for task in tasks if name.endswith(f"_{task}")), None)


def _directions(results: Mapping[str, Any] | None, task: str | None) -> dict[str, bool]:
    of_tasks = (results or {}).get("higher_is_better") or {}
    name = _task_of(task, of_tasks) if task else None
    return {metric: bool(is_so) for metric, is_so in (of_tasks.get(name) or {}).items() if is_so is not None}


def _n_replies(row: Mapping[str, Any]) -> int:
    first = (row.get("resps") or [[]])[0]
    return max(1, len(first)) if isinstance(first, list) and not _is_choice(first) else 1


def _is_choice(reply: Any) -> bool:
    """Return whether a reply is a likelihood, with whether it is the greedy one."""
    return isinstance(reply, list | tuple) and len(reply) == 2 and str(reply[1]) in ("True", "False")


def _record(row: Mapping[str, Any], system: str | None) -> dict[str, Any]:
    doc = row["doc"] if isinstance(row["doc"], dict) else {"question": row["doc"]}
    replies = row.get("filtered_resps") or row.get("resps") or [""]
    if len(replies) > 1 and all(map(_is_choice, replies)):
        best = max(range(len(replies)), key=lambda n: float(replies[n][0]))
        choices = doc.get("choices")
        choices = choices.get("text") if isinstance(choices, dict) else choices
        answer = choices[best] if isinstance(choices, list) and best < len(choices) else f"choice {best + 1}"
    else:
        answer = replies[0][0] if isinstance(replies[0], list) and replies[0] else replies[0]
    metrics = row.get("metrics") or [
        name
        for name, value in row.items()
        if name not in ("doc_id", "filter") and isinstance(value, bool | int | float)
    ]
    arguments = row.get("arguments")
    prompt: Any = next(iter(arguments.values()), {}) if isinstance(arguments, dict) and arguments else {}
    return record_of(
        answer,
        doc,
        of_task=True,
        scores={name: row.get(name) for name in metrics},
        question=doc.get("question") or (prompt.get("arg_0") if isinstance(prompt, dict) else None),
        golden="; ".join(passages_of(row.get("target")) or []),
        system=system,
        id=text_of(doc.get("id")) or str(row["doc_id"]),
    )
