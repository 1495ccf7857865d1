"""What people are asked of each kind of task: the records of a track's `labelling.yaml`, and the tasks as one
person sees them, without anything that says where a text comes from or what others say of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, field_validator

from truerate.core.data_files import RECORD, read_data
from truerate.core.errors import SourceError, listed
from truerate.core.keys import draw

TAKEN = "tun"  # letters that the page itself uses: the text, undo, next without a label


class Choice(BaseModel):
    """One answer to a question: the `value` that a label row holds and what the page says for it; `when`: the
    field that a task must have for it.
    """

    model_config = RECORD
    value: bool | int | str
    says: str
    when: str = ""


class Question(BaseModel):
    """What is asked: `field` is where a label row holds the answer (`label.relevant`: inside an object). The
    answers are `choices`, or the numbers from 0 to the length of the list `up_to`, whose length is then
    written to the field `total`. `when`: the field of a task that must hold for the question to be asked.
    """

    model_config = RECORD
    field: str
    asks: str
    choices: tuple[Choice, ...] = ()
    up_to: str = ""
    total: str = ""
    when: str = ""


class Shown(BaseModel):
    """A field of a task as the page shows it, under its name for readers."""

    model_config = RECORD
    field: str
    name: str


class SpanType(BaseModel):
    """A type of marked span: its key on the keyboard, its name in label rows (none where spans have no type),
    and what it means.
    """

    model_config = RECORD
    key: str
    name: str | None = None
    says: str

    @field_validator("key")
    @classmethod
    def _is_free(cls, key: str) -> str:
        if len(key) != 1 or not "a" <= key <= "z" or key in TAKEN:
            raise ValueError(f"one letter from a to z, none of {', '.join(TAKEN)}")
        return key


class Spans(BaseModel):
    """Which parts of the text are marked: their types, and the answer (field: value) with which they go;
    a span that is marked gives that answer. `rating`: what is asked of each marked span, one after the other;
    its `field` stands in the span's own record.
    """

    model_config = RECORD
    asks: str
    types: tuple[SpanType, ...]
    when: dict[str, bool | int | str] = {}
    rating: Question | None = None

    @field_validator("types")
    @classmethod
    def _has_own_keys(cls, types: tuple[SpanType, ...]) -> tuple[SpanType, ...]:
        if not types or len({each.key for each in types}) < len(types):
            raise ValueError("at least one type, each with a key of its own")
        return types


class Kind(BaseModel):
    """How tasks of some kinds are labelled: `of` are their `kind` (empty: tasks without one). `shows` is what
    stands beside the `text` that is judged; `carries` are fields that a label row takes over, unseen.
    `instructions_by`: other instructions, by the `definition` that the settings of a board choose.
    """

    model_config = RECORD
    name: str
    of: tuple[str, ...] = ()
    instructions: tuple[str, ...]
    instructions_by: dict[str, tuple[str, ...]] = {}
    shows: tuple[Shown, ...]
    text: Shown
    carries: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    spans: Spans | None = None


class Labelling(BaseModel):
    """The kinds of tasks of a track."""

    model_config = RECORD
    kinds: tuple[Kind, ...]

    def by(self, definition: str | None) -> "Labelling":
        """Return the records with the instructions of a definition, where a kind has such."""
        kinds = (
            kind.model_copy(
                update={"instructions": kind.instructions_by.get(definition or "", kind.instructions)}
            )
            for kind in self.kinds
        )
        return Labelling(kinds=tuple(kinds))


def read_labelling(path: Path) -> Labelling:
    """Return the records of a `labelling.yaml`; raises TruerateError where it does not hold."""
    return read_data(path, lambda values: Labelling(**values))


def annotators_of(tasks: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names to whom tasks are given out, each once; empty where tasks name nobody."""
    return list(dict.fromkeys(name for task in tasks for name in task.get("annotators") or ()))


def tasks_for(
    tasks: Sequence[Mapping[str, Any]], labelling: Labelling, annotator: str | None
) -> list[dict[str, Any]]:
    """Return the tasks of one person: `task_id`, `lang`, the number of their `kind` and the fields that it
    shows, kind by kind, in a shuffled order that is the person's own. What is not shown (a screening item's
    known spans, a verifier's verdict, a model's name) is not in them.

    Raises SourceError for no task, an annotator to whom none is given, none named where tasks name theirs, and
    a task of a kind without a record or without the text that its kind judges.
    """
    if not tasks:
        raise SourceError("there is no task to label")
    if annotator is not None and not annotator.strip():
        raise SourceError(f"annotator {annotator!r} is no name")
    if names := annotators_of(tasks):
        if annotator not in names:
            whom = (
                "no annotator is named" if annotator is None else f"annotator {annotator!r} is given no task"
            )
            raise SourceError(f"{whom}; tasks are given out to: {listed(names)}")
        tasks = [task for task in tasks if annotator in task.get("annotators", ())]
    kind_of = {of: number for number, kind in enumerate(labelling.kinds) for of in kind.of or ("",)}
    shown = []
    for task in tasks:
        name, of = str(task.get("task_id")), str(task.get("kind") or "")
        if of not in kind_of:
            raise SourceError(f"task {name!r} is of kind {of!r}; kinds with a record: {listed(kind_of)}")
        kind = labelling.kinds[kind_of[of]]
        if not isinstance(task.get(kind.text.field), str):
            raise SourceError(f"task {name!r} has no text in field {kind.text.field!r}")
        row = {"task_id": name, "lang": task.get("lang"), "kind": kind_of[of], **_shown(task, kind)}
        shown.append(
            row | ({"carried": {key: task.get(key) for key in kind.carries}} if kind.carries else {})
        )
    order = lambda task: (task["kind"], draw(0, "page", annotator or "", task["task_id"]))  # noqa: E731
    return sorted(shown, key=order)


def _shown(task: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """The fields of a task that its kind shows, and which of its conditions hold."""
    fields = [shown.field for shown in (*kind.shows, kind.text) if task.get(shown.field)]
    questions = [*kind.questions, *([kind.spans.rating] if kind.spans and kind.spans.rating else [])]
    conditions = {question.when for question in questions}
    conditions |= {choice.when for question in questions for choice in question.choices}
    holds = sorted(name for name in conditions if name and task.get(name))
    return {"fields": {name: task[name] for name in fields}, "holds": holds}
