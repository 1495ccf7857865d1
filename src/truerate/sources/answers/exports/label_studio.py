"""Exports of Label Studio: JSON, JSON_MIN, CSV."""

from typing import Any

from truerate.sources.answers.exports.contents import Content
from truerate.sources.answers.exports.records import Export, export_of, high_is_good, label_of, record_of
from truerate.sources.answers.exports.values import decoded, score_of, text_of
from truerate.sources.answers.names import ROLES

TOOL = "Label Studio"
_OF_ANNOTATION = {"annotator", "annotation_id", "created_at", "updated_at", "lead_time"}


def of_tasks(content: Content) -> Export | None:
    """The answers of an export of tasks, a label per person: what is skipped or untouched has none."""
    if "data" not in content.names or not {"annotations", "completions"} & content.names:
        return None
    n_skipped = n_untouched = 0
    votes: list[tuple[dict[str, Any], Any, list[tuple[str, dict[str, Any]]]]] = []
    for task in content.rows:
        by_person: list[tuple[str, dict[str, Any]]] = []
        for entry in task.get("annotations") or task.get("completions") or []:
            if not isinstance(entry, dict) or entry.get("was_cancelled"):
                n_skipped += 1
                continue
            results = entry.get("result") or []
            says: dict[str, Any] = {}
            for result in results:
                value = result.get("value") or {}
                if choices := value.get("choices"):
                    says[result.get("from_name")] = choices[0] if len(choices) == 1 else choices
                elif result.get("type") in ("labels", "hypertextlabels"):
                    says.setdefault(" spans", []).append(value)
            by_person.append((_person(entry.get("completed_by"), len(by_person)), says))
        n_untouched += not by_person
        votes.append((task.get("data") or {}, task.get("id"), by_person))
    return _export(votes, n_skipped, n_untouched)


def of_rows(content: Content) -> Export | None:
    """The answers of JSON_MIN or CSV, in which a row is a person's annotation of a task."""
    if not {"annotation_id", "annotator"} & content.names or not {"lead_time", "updated_at"} & content.names:
        return None
    tasks: dict[Any, tuple[dict[str, Any], Any, list[tuple[str, dict[str, Any]]]]] = {}
    for row in content.rows:
        row = {name: decoded(value) for name, value in row.items()}
        says = {name: _choice(value) for name, value in row.items() if name not in _OF_ANNOTATION}
        marked = [value for value in says.values() if _are_spans(value)]
        says |= {" spans": marked[0]} if marked else {}
        key = (row.get("id"), text_of(row.get("answer")))
        data = {name: value for name, value in row.items() if name not in _OF_ANNOTATION}
        if key not in tasks:
            tasks[key] = (data, row.get("id"), [])
        if row.get("annotation_id") is not None or row.get("annotator") is not None:
            tasks[key][2].append((text_of(row.get("annotator")) or str(row.get("annotator")), says))
    return _export(list(tasks.values()), 0, sum(not by for *_, by in tasks.values()), is_flat=True)


def _are_spans(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(span, dict) and "start" in span for span in value)


def _choice(value: Any) -> Any:
    choices = value.get("choices") if isinstance(value, dict) else None
    return choices if choices is not None else value


def _person(value: Any, position: int) -> str:
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return str(value) if value is not None else f"person {position + 1}"


def _export(
    votes: list[tuple[dict[str, Any], Any, list]], n_skipped: int, n_untouched: int, *, is_flat: bool = False
) -> Export:
    """The export of tasks' data, ids and what each person says of them, by the question that says whether an
    answer is hallucinated; where none does, by whether a person marked a span.
    """
    names = list(dict.fromkeys(name for _, _, by_person in votes for _, says in by_person for name in says))
    data_names = set() if is_flat else {name for data, *_ in votes for name in data}
    question = next((name for name in names if name not in data_names and _is_question(name, votes)), None)
    by_spans = question is None and " spans" in names
    records = []
    for data, number, by_person in votes:
        labels: dict[str, bool | None] = {}
        for person, says in by_person:
            person = person if person not in labels else f"{person} ({len(labels) + 1})"
            if by_spans:
                labels[person] = bool(says.get(" spans"))
            elif question is not None and says.get(question) is not None:
                labels[person] = label_of(question, says[question])[0]
        answer = next((data[name] for name in (*ROLES["answer"], "text") if data.get(name)), "")
        own_names = (
            set(names) - {"id"} - {name for name in ("judge", "system") if name in names}
            if is_flat
            else set()
        )
        keep = {"question", "reference", "context", "contexts", "lang", "model", "golden"}
        metadata = {
            name: value
            for name, value in data.items()
            if name != question and (name not in own_names or name in keep)
        }
        records.append(record_of(answer, metadata, labels=labels, id=data.get("id") or number))
    notes = [f"people's labels are {question!r}" if question else "people's labels: whether a span is marked"]
    if not question and not by_spans:
        asked = ", ".join(map(repr, names)) or "none"
        notes = [f"no question whose answers say hallucinated or faithful was found, of {asked}: no labels"]
    if n_skipped:
        notes.append(f"annotations that were skipped: {n_skipped}")
    if n_untouched:
        notes.append(f"tasks that nobody labelled: {n_untouched}")
    return export_of(TOOL, records, notes)


def _is_question(name: str, votes: list[tuple[dict[str, Any], Any, list]]) -> bool:
    """Return whether people's answers to a question say of each text whether it is hallucinated."""
    values = [says[name] for *_, by_person in votes for _, says in by_person if says.get(name) is not None]
    pairs = [(score_of(value)[0], label_of(name, value)[1]) for value in values]
    are_sure = [is_sure for number, is_sure in pairs if number is not None]
    return (
        bool(are_sure) and all(are_sure) and (high_is_good(name) is not None or len(are_sure) == len(pairs))
    )
