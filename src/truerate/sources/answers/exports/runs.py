"""Runs that tools of experiments keep, an object per answer: where each thing stands says paths.yaml."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data
from truerate.sources.answers.exports.contents import Content
from truerate.sources.answers.exports.records import Export, export_of
from truerate.sources.answers.exports.traces import JUDGE, PEOPLE, Statement, judged_record
from truerate.sources.answers.exports.values import decoded, message_of, score_of, text_of
from truerate.sources.answers.fields import value_at

_PATHS = read_data(Path(__file__).with_name("paths.yaml"), dict)
_NAMES = ("assessment_name", "name", "metric", "metric_name", "key")
_VALUES = ("passed", "value", "feedback.value", "score", "mean")


def of_tool(tool: str, paths: Mapping[str, Any], content: Content) -> Export | None:
    """The answers of a file that has the fields of a tool's; None of another. What people say counts as labels
    where the file says that they are people.
    """
    if not set(paths["has"]) <= content.names:
        return None
    records = []
    for row in content.rows:
        row = {name: decoded(value) for name, value in row.items()}
        value = {name: value_at(row, path) for name, path in paths.items() if isinstance(path, str)}
        metadata: dict[str, Any] = {}
        for path in paths.get("metadata", ()):
            inner = decoded(value_at(row, path))
            metadata |= inner if isinstance(inner, dict) else {}
        records.append(
            judged_record(
                statements_in(value.get("scores")),
                message_of(_unquoted(value["answer"]), "assistant"),
                {name: part for name, part in metadata.items() if name != "messages"},
                question=_question(value.get("question")),
                golden=text_of(value.get("golden")),
                system=text_of(value.get("system")) or None,
                id=text_of(value.get("id")) or None,
            )
        )
    notes = [] if "scores" in paths else ["it has no scores; HELM's display_predictions.json has them"]
    return export_of(tool, records, notes)


def statements_in(scores: Any, name: str = "") -> Iterator[Statement]:
    """What an object of scores says, by name, objects in it as `outer.inner`, texts that are no score left out; or a
    list of objects with a name and a value.
    """
    if isinstance(scores, dict) and not any(value_at(scores, path) is not None for path in _VALUES):
        for inner, value in scores.items():
            yield from statements_in(value, f"{name}.{inner}" if name else inner)
    elif isinstance(scores, dict):
        path = next(path for path in _VALUES if value_at(scores, path) is not None)
        value = value_at(scores, path)
        source = scores.get("source") or {}
        kind = str(source.get("source_type") if isinstance(source, dict) else source).upper()
        is_pass = path == "passed" and isinstance(value, bool)
        yield PEOPLE if kind == "HUMAN" else JUDGE, name, ("fail", "pass")[value] if is_pass else value
    elif isinstance(scores, list):
        for entry in scores:
            entry = entry if isinstance(entry, dict) else {}
            named = next((entry[field] for field in _NAMES if entry.get(field)), "score")
            rest = {field: value for field, value in entry.items() if field not in _NAMES}
            yield from statements_in(rest, text_of(named.get("name") if isinstance(named, dict) else named))
    elif name and (scores is None or score_of(scores)[0] is not None):
        yield JUDGE, name, scores


def _question(value: Any) -> str:
    question = decoded(value)
    if isinstance(question, dict) and "messages" not in question:
        names = ("question", "query", "input", "prompt")
        question = next((question[name] for name in names if question.get(name)), question)
    return message_of(question, "user")


def _unquoted(value: Any) -> Any:
    """A text that was written as a JSON text, as MLflow does, without its quotation marks."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        inner = decoded(f"[{value}]")
        return inner[0] if isinstance(inner, list) and len(inner) == 1 else value
    return value


READERS: tuple[tuple[str, Callable[[Content], Export | None]], ...] = tuple(
    (tool, partial(of_tool, tool, paths)) for tool, paths in _PATHS.items()
)
