"""Traces: observations and scores of Langfuse, spans and annotations of Phoenix, each two files."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from truerate.sources.answers.exports.contents import Content, beside, unreadable
from truerate.sources.answers.exports.records import Export, export_of, label_of, record_of
from truerate.sources.answers.exports.values import decoded, message_of, score_of

Judged = Mapping[str, list[tuple[str, str, Any]]]  # by subject: kind, name, value
PEOPLE, JUDGE = "people", "judge"


def of_langfuse(content: Content) -> Export | None:
    """The answers of Langfuse's observations, labels and verdicts by the scores' subject: people's where the
    source is ANNOTATION. Of a trace with several generations the last is its answer.
    """
    if is_langfuse_scores(content):
        return _joined(content, "Langfuse", "observations", is_langfuse_observations, of_langfuse)
    if not is_langfuse_observations(content):
        return None
    judged: dict[str, list[tuple[str, str, Any]]] = defaultdict(list)
    notes = []
    for file in (other for other in beside(content.path, "*") if is_langfuse_scores(other)):
        notes.append(f"scores of {file.path.name!r}")
        for row in file.rows:
            subject = row.get("subject") or {}
            key = row.get("observationId") or subject.get("id") or row.get("traceId")
            kind = PEOPLE if str(row.get("source")).upper() == "ANNOTATION" else JUDGE
            value = row.get("stringValue") or row.get("value")
            judged[str(key)].append(
                (kind, str(row.get("name")), value if value is not None else row.get("value"))
            )
    rows = [
        row for row in content.rows if str(row.get("type", "GENERATION")).upper() == "GENERATION"
    ] or content.rows
    rows = sorted(rows, key=lambda row: str(row.get("startTime") or ""))
    last = {str(row.get("traceId")): row for row in rows}
    if len(rows) < len(content.rows):
        notes.append(f"observations that are no generations, left out: {len(content.rows) - len(rows)}")
    records = []
    for row in content.rows:
        trace, own_id = str(row.get("traceId")), str(row.get("id"))
        if last.get(trace) is not row and own_id not in judged:
            continue
        given = decoded(row.get("input"))
        metadata = decoded(row.get("metadata"))
        metadata = dict(metadata) if isinstance(metadata, dict) else {}
        if isinstance(given, dict):
            metadata |= {name: value for name, value in given.items() if name != "messages"}
        says = [*judged.get(own_id, ()), *(judged.get(trace, ()) if last.get(trace) is row else ())]
        model = row.get("model") or row.get("providedModelName") or row.get("internalModel")
        question = given.get("question") if isinstance(given, dict) and "messages" not in given else None
        records.append(
            _judged(
                says,
                message_of(decoded(row.get("output")), "assistant"),
                metadata,
                question=question or message_of(given, "user"),
                system=model,
                id=trace if last.get(trace) is row else own_id,
            )
        )
    return export_of("Langfuse", records, notes or [_missing("scores", "a JSONL of scores")])


def is_langfuse_scores(content: Content) -> bool:
    """Return whether a file holds scores of Langfuse."""
    return {"name", "source", "value"} <= content.names and bool(
        {"subject", "traceId", "dataType"} & content.names
    )


def is_langfuse_observations(content: Content) -> bool:
    """Return whether a file holds observations of Langfuse."""
    return {"traceId", "output"} <= content.names and bool(
        {"type", "startTime", "parentObservationId"} & content.names
    )


def of_phoenix(content: Content) -> Export | None:
    """The answers of Phoenix's spans, with annotations by span: people's where the annotator's kind is HUMAN."""
    if is_annotations(content):
        return _joined(content, "Phoenix", "spans", is_spans, of_phoenix)
    if not is_spans(content):
        return None
    judged: dict[str, list[tuple[str, str, Any]]] = defaultdict(list)
    notes = []
    for file in (other for other in beside(content.path, "*") if is_annotations(other)):
        notes.append(f"annotations of {file.path.name!r}")
        for row in file.rows:
            kind = PEOPLE if str(row.get("annotator_kind")).upper() == "HUMAN" else JUDGE
            result = row.get("result") if isinstance(row.get("result"), dict) else {}
            label = _any(row, "result.label", "label") or (result or {}).get("label")
            score = _any(row, "result.score", "score")
            score = (result or {}).get("score") if score is None else score
            name = _any(row, "annotation_name", "name") or "annotation"
            judged[str(_any(row, "span_id", "context.span_id"))].append(
                (kind, str(name), score if score_of(label)[0] is None and score is not None else label)
            )
    rows = content.rows
    spans = [
        row
        for row in rows
        if str(row.get("span_kind") or attribute(row, "openinference.span.kind") or "LLM").upper() == "LLM"
    ]
    spans = spans or rows
    if len(spans) < len(rows):
        notes.append(f"spans that are no LLM calls, left out: {len(rows) - len(spans)}")
    records = []
    for row in spans:
        context = row.get("context") if isinstance(row.get("context"), dict) else {}
        own_id = str(_any(row, "span_id", "context.span_id") or (context or {}).get("span_id"))
        metadata = decoded(attribute(row, "metadata"))
        records.append(
            _judged(
                judged.get(own_id, []),
                message_of(decoded(attribute(row, "output.value")), "assistant"),
                metadata if isinstance(metadata, dict) else {},
                question=message_of(decoded(attribute(row, "input.value")), "user"),
                reference=_documents(row),
                system=attribute(row, "llm.model_name"),
                id=own_id,
            )
        )
    return export_of("Phoenix", records, notes or [_missing("annotations", "annotations.csv or .jsonl")])


def is_annotations(content: Content) -> bool:
    """Return whether a file holds annotations of Phoenix."""
    return "annotator_kind" in content.names


def is_spans(content: Content) -> bool:
    """Return whether a file holds spans of Phoenix."""
    names = content.names
    has_id = bool({"span_id", "context.span_id", "context"} & names)
    return has_id and ("attributes" in names or any(name.startswith("attributes.") for name in names))


def attribute(row: Mapping[str, Any], name: str) -> Any:
    """An attribute of a span, which stands flat, nested, or as a column `attributes.…`; None if absent."""
    attributes = decoded(row.get("attributes"))
    attributes = attributes if isinstance(attributes, dict) else {}
    for value in (attributes.get(name), row.get(f"attributes.{name}")):
        if value is not None:
            return value
    value = attributes
    for step in name.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _documents(row: Mapping[str, Any]) -> list[Any]:
    """The passages that a span names, in their order."""
    nested = decoded(attribute(row, "retrieval.documents"))
    if isinstance(nested, list):
        return [
            (entry.get("document") or entry).get("content", entry.get("document.content"))
            if isinstance(entry, dict)
            else entry
            for entry in nested
        ]
    passages: list[Any] = []
    while (text := attribute(row, f"retrieval.documents.{len(passages)}.document.content")) is not None:
        passages.append(text)
    return passages


def _any(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _judged(
    says: Iterable[tuple[str, str, Any]], answer: str, metadata: Mapping[str, Any], **given: Any
) -> dict[str, Any]:
    """A record with what people and judges say of it; several votes of people of one name stay several."""
    labels: dict[str, bool | None] = {}
    scores: dict[str, Any] = {}
    unsure = set()
    for kind, name, value in says:
        if kind == JUDGE:
            scores[name] = value
            continue
        label, is_sure = label_of(name, value)
        if is_sure:
            labels[name if name not in labels else f"{name} ({len(labels) + 1})"] = label
        else:
            unsure.add(name)
    record = record_of(answer, metadata, scores=scores, labels=labels, **given)
    record["unsure"] |= unsure
    return record


def _joined(content: Content, tool: str, what: str, fits: Any, read: Any) -> Export:
    """The export of the file beside one that holds no answers. Raises SourceError where there is none."""
    files: Sequence[Content] = [other for other in beside(content.path, "*") if fits(other)]
    if len(files) != 1:
        many = f"; there are {len(files)} files of them" if files else ""
        raise unreadable(
            content.path, f"it holds no answers; put {tool}'s {what} beside it and give that file{many}"
        )
    return read(files[0])


def _missing(what: str, file: str) -> str:
    return f"no {what} beside it ({file}): labels and verdicts are not there"
