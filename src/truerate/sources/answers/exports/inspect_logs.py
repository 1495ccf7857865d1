"""Logs of Inspect, `.eval` and `.json`."""

from collections.abc import Iterable, Mapping
from typing import Any

from truerate.sources.answers.exports.contents import ZIP, Content, members_of, unreadable
from truerate.sources.answers.exports.records import Export, export_of, label_of, record_of
from truerate.sources.answers.exports.values import message_of, text_of

TOOL = "Inspect"


def of_zip(path: Any, content: bytes) -> Export | None:
    """The samples of an `.eval`; None for another zip. A run that was cut off has no header: its beginning
    stands for it.
    """
    if not content.startswith(ZIP) or not (b"header.json" in content or b"_journal/start.json" in content):
        return None
    spec: Mapping[str, Any] = {}
    samples = []
    for name, value in members_of(path, content):
        if name == "header.json" or (name == "_journal/start.json" and not spec):
            spec = value.get("eval") or {}
        elif name.startswith("samples/"):
            samples.append(value)
    return _export(path, spec, samples)


def of_json(content: Content) -> Export | None:
    """The samples of a log that is one JSON object."""
    log = content.document or {}
    if not isinstance(log.get("eval"), dict) or not {"samples", "plan", "status"} & set(log):
        return None
    return _export(content.path, log["eval"], log.get("samples") or [])


def _export(path: Any, spec: Mapping[str, Any], samples: Iterable[Mapping[str, Any]]) -> Export:
    records = [_record(sample, spec) for sample in samples if isinstance(sample, dict)]
    if not records:
        raise unreadable(
            path, "a log of Inspect without samples (written with --no-log-samples?): it has no answers"
        )
    notes = [f"system is the log's model, {text_of(spec.get('model')) or 'none'}"]
    if edited := [record for record in records if "#edited" in record]:
        no_label = sum(None in record["labels"].values() for record in edited)
        open_ones = f" ({no_label} of them say neither right nor wrong: no labels)" if no_label else ""
        notes.append(
            f"scores that people edited: {len(edited)}, taken as their labels{open_ones}; the judge's are those before"
        )
    errors = sum(bool(sample.get("error")) for sample in samples)
    if errors:
        notes.append(f"samples that ended in an error: {errors}")
    for record in records:
        record.pop("#edited", None)
    return export_of(TOOL, records, notes)


def _record(sample: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    attachments = sample.get("attachments") or {}

    def whole(text: str) -> str:
        return text_of(attachments.get(text.removeprefix("attachment://"), text))

    output = sample.get("output") or {}
    choices = output.get("choices") or [{}]
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    answer = text_of((message or {}).get("content")) or text_of(output.get("completion"))
    scores: dict[str, Any] = {}
    labels: dict[str, bool | None] = {}
    is_unanswered = False
    all_scores = sample.get("scores") or ({"score": sample["score"]} if sample.get("score") else {})
    for scorer, score in all_scores.items():
        score = score if isinstance(score, dict) else {"value": score}
        history = score.get("history") or []
        for name, value in _parts(scorer, score.get("value")):
            before = dict(_parts(scorer, history[0].get("value"))) if history else {}
            if value != before.get(name, value):
                labels["edit" if len(all_scores) == 1 else f"edit: {name}"] = label_of(name, value)[0]
            scores[name] = before.get(name, value)
            is_unanswered |= scores[name] == "N"
    metadata = {name: value for name, value in (sample.get("metadata") or {}).items()}
    has_own_system = "system" if isinstance(metadata.get("system"), str) and not spec.get("model") else None
    target = sample.get("target")
    record = record_of(
        whole(answer),
        {name: value for name, value in metadata.items() if name != "id"},
        of_task=True,
        scores=scores,
        labels=labels,
        question=whole(message_of(sample.get("input"), "user")),
        golden=" / ".join(map(text_of, target)) if isinstance(target, list) else target,
        system=None if has_own_system else spec.get("model"),
        id=sample.get("id"),
        run=None if sample.get("epoch") is None else str(sample["epoch"]),
        abstained=True if is_unanswered else None,
    )
    return record | ({"#edited": True} if labels else {})


def _parts(scorer: str, value: Any) -> list[tuple[str, Any]]:
    """The scores in a value, which may be an object of several."""
    if isinstance(value, dict):
        return [(f"{scorer}.{name}", part) for name, part in value.items()]
    if isinstance(value, list) and len(value) != 1:
        return [(f"{scorer}.{position}", part) for position, part in enumerate(value, start=1)]
    return [(scorer, value)]
