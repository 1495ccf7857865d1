"""Traces: observations and scores of Langfuse, spans and annotations of Phoenix, each two files."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truerate.core.errors import SourceError
from truerate.sources.answers.exports.contents import Content, Row, beside, unreadable
from truerate.sources.answers.exports.records import Export, export_of, label_of, record_of
from truerate.sources.answers.exports.values import decoded, message_of, score_of
from truerate.sources.answers.forms import named

Statement = tuple[str, str, Any]  # kind, name, value
Judged = defaultdict[str, list[Statement]]  # by what they are of
PEOPLE, JUDGE = "people", "judge"


def _score_of_langfuse(row: Mapping[str, Any]) -> tuple[str, Statement]:
    """What a score says, and of which observation or trace: people's where its source is ANNOTATION."""
    subject = row.get("subject") or {}
    key = row.get("observationId") or subject.get("id") or row.get("traceId")
    kind = PEOPLE if str(row.get("source")).upper() == "ANNOTATION" else JUDGE
    value = row.get("stringValue") or row.get("value")
    return str(key), (kind, str(row.get("name")), value if value is not None else row.get("value"))


def _answers_of_langfuse(content: Content, judged: Judged, notes: list[str]) -> Iterator[Row]:
    """The answers of observations. Of a trace with several generations the last is its answer. Traces bring their
    scores with them; of scores by name alone it is not known who gave them.
    """
    all_rows = [_observation(row, judged) for row in content.rows]
    if any(isinstance(row.get("scores"), dict) for row in content.rows):
        notes.append("who gave the scores of a trace, people or a judge, it does not say: read as judges'")
    rows = [row for row in all_rows if str(row.get("type", "GENERATION")).upper() == "GENERATION"] or all_rows
    rows = sorted(rows, key=lambda row: str(row.get("startTime") or ""))
    last = {str(row.get("traceId")): row for row in rows}
    if len(rows) < len(all_rows):
        notes.append(f"observations that are no generations, left out: {len(all_rows) - len(rows)}")
    for row in all_rows:
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
        yield judged_record(
            says,
            message_of(decoded(row.get("output")), "assistant"),
            metadata,
            question=question or message_of(given, "user"),
            system=model,
            id=trace if last.get(trace) is row else own_id,
        )


def _observation(row: Row, judged: Judged) -> Row:
    """A trace as the observation that it holds last, its scores entered; an observation as it is."""
    scores = decoded(row.get("scores"))
    if "traceId" in row or not isinstance(scores, dict | list):
        return row
    given = judged[str(row.get("id"))]
    for score in scores if isinstance(scores, list) else ():
        if isinstance(score, dict):
            given.append(_score_of_langfuse(score)[1])
    for name, values in scores.items() if isinstance(scores, dict) else ():
        given += [(JUDGE, name, value) for value in (values if isinstance(values, list) else [values])]
    models = [
        inner["model"]
        for inner in decoded(row.get("observations")) or ()
        if isinstance(inner, dict) and inner.get("model")
    ]
    return row | {"traceId": row.get("id"), "model": models[-1] if models else None}


def is_langfuse_scores(content: Content) -> bool:
    """Return whether a file holds scores of Langfuse."""
    return {"name", "source", "value"} <= content.names and bool(
        {"subject", "traceId", "dataType"} & content.names
    )


def is_langfuse_observations(content: Content) -> bool:
    """Return whether a file holds observations of Langfuse."""
    names = content.names
    is_trace = {"id", "output", "scores"} <= names and bool({"sessionId", "userId", "htmlPath"} & names)
    return is_trace or (
        {"traceId", "output"} <= names and bool({"type", "startTime", "parentObservationId"} & names)
    )


def _annotation_of_phoenix(row: Mapping[str, Any]) -> tuple[str, Statement]:
    """What an annotation says, and of which span: people's where the annotator's kind is HUMAN."""
    kind = PEOPLE if str(row.get("annotator_kind")).upper() == "HUMAN" else JUDGE
    result = row.get("result") if isinstance(row.get("result"), dict) else {}
    label = _any(row, "result.label", "label") or (result or {}).get("label")
    score = _any(row, "result.score", "score")
    score = (result or {}).get("score") if score is None else score
    name = _any(row, "annotation_name", "name") or "annotation"
    value = score if score_of(label)[0] is None and score is not None else label
    return str(_any(row, "span_id", "context.span_id")), (kind, str(name), value)


def _answers_of_phoenix(content: Content, judged: Judged, notes: list[str]) -> Iterator[Row]:
    """The answers of spans, those of calls to a model where there are any."""
    rows = content.rows
    spans = [
        row
        for row in rows
        if str(row.get("span_kind") or attribute(row, "openinference.span.kind") or "LLM").upper() == "LLM"
    ]
    spans = spans or rows
    if len(spans) < len(rows):
        notes.append(f"spans that are no LLM calls, left out: {len(rows) - len(spans)}")
    retrieved: dict[Any, list[Any]] = defaultdict(list)
    for row in rows if len(spans) < len(rows) else ():
        retrieved[_trace_of(row)] += _documents(row)
    for row in spans:
        context = row.get("context") if isinstance(row.get("context"), dict) else {}
        own_id = str(_any(row, "span_id", "context.span_id") or (context or {}).get("span_id"))
        metadata = decoded(attribute(row, "metadata"))
        yield judged_record(
            [*judged.get(own_id, ()), *_evals(row)],
            _message(row, "output", "assistant"),
            metadata if isinstance(metadata, dict) else {},
            question=_message(row, "input", "user"),
            reference=_documents(row) or retrieved.get(_trace_of(row)),
            system=attribute(row, "llm.model_name"),
            id=own_id,
        )


def _message(row: Mapping[str, Any], side: str, role: str) -> str:
    """The last message of a role in a span's `output` or `input`, as value or as messages."""
    text = message_of(decoded(attribute(row, f"{side}.value")), role)
    messages = decoded(attribute(row, f"llm.{side}_messages"))
    if text or not isinstance(messages, list):
        return text
    plain = [
        {name.removeprefix("message."): value for name, value in (each.get("message") or each).items()}
        for each in messages
        if isinstance(each, dict)
    ]
    return message_of(plain, role)


def _evals(row: Mapping[str, Any]) -> Iterator[Statement]:
    """What evaluations say that were joined to a span: columns `eval.NAME.label` and `eval.NAME.score`."""
    for column, value in row.items():
        name = column.removeprefix("eval.").removesuffix(".label")
        if column == f"eval.{name}.label":
            score = row.get(f"eval.{name}.score")
            yield JUDGE, name, value if score_of(value)[0] is not None or score is None else score


def _trace_of(row: Mapping[str, Any]) -> Any:
    context = row.get("context") if isinstance(row.get("context"), dict) else {}
    return _any(row, "context.trace_id", "trace_id") or (context or {}).get("trace_id")


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


def judged_record(
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


@dataclass(frozen=True)
class TwoFiles:
    """A tool that writes `answers` into one file and what `judges` say of them into others: how each is told,
    what a row of the latter says and of which id, and the records of the former.
    """

    tool: str
    answers: str
    judges: str
    are_answers: Callable[[Content], bool]
    are_judges: Callable[[Content], bool]
    statement_of: Callable[[Mapping[str, Any]], tuple[str, Statement]]
    records: Callable[[Content, Judged, list[str]], Iterator[Row]]

    def read(self, content: Content) -> Export | None:
        """The export of a file with those beside it; None of another tool's. Raises SourceError for a file of
        what judges say beside which no answers lie.
        """
        if self.are_judges(content):
            content = self._with_answers(content)
        elif not self.are_answers(content):
            return None
        judged: Judged = defaultdict(list)
        notes = []
        for file in filter(self.are_judges, beside(content, "*")):
            notes.append(f"{self.judges} of {file.path.name!r}")
            for row in file.rows:
                key, statement = self.statement_of(row)
                judged[key].append(statement)
        missing = f"no {self.judges} beside it (JSONL or CSV): labels and verdicts are not there"
        records = list(self.records(content, judged, notes))
        is_missing = not judged and not any(record["scores"] for record in records)
        return export_of(self.tool, records, [missing, *notes] if is_missing else notes)

    def _with_answers(self, content: Content) -> Content:
        files = [other for other in beside(content, "*") if self.are_answers(other)]
        if len(files) != 1:
            many = f"; there are {len(files)} files of them" if files else ""
            raise unreadable(
                content.path,
                f"it holds no answers; put {self.tool}'s {self.answers} beside it and give that file{many}",
            )
        return files[0]


LANGFUSE = TwoFiles(
    "Langfuse", "observations", "scores", is_langfuse_observations, is_langfuse_scores, _score_of_langfuse,
    _answers_of_langfuse,
)  # fmt: skip
PHOENIX = TwoFiles(
    "Phoenix", "spans", "annotations", is_spans, is_annotations, _annotation_of_phoenix, _answers_of_phoenix
)


def read_together(files: Sequence[Content]) -> Export | None:
    """The export that several files are together; None where none of them is of what judges say. Raises SourceError
    where they do not belong together.
    """
    if not any(tool.are_judges(file) for tool in (LANGFUSE, PHOENIX) for file in files):
        return None
    begin = named([file.path for file in files], "answers")
    for tool in (LANGFUSE, PHOENIX):
        answers = [file for file in files if tool.are_answers(file)]
        judges = [file for file in files if tool.are_judges(file)]
        if len(answers) == 1 and judges and len(judges) == len(files) - 1:
            export = tool.read(replace(answers[0], others=tuple(judges)))
            if export is not None and any(row["labels"] or row["verdicts"] for row in export.records):
                return export
            raise SourceError(
                f"{begin}: no {tool.judges} there are of one of the {tool.answers}: they do "
                "not belong together"
            )
    pairs = " or ".join(
        f"{tool.tool}'s {tool.answers} with their {tool.judges}" for tool in (LANGFUSE, PHOENIX)
    )
    raise SourceError(f"{begin}: they are not parts of one export; allowed: {pairs}, else one file")
