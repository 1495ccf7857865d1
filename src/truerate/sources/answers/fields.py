"""Which field of a file of answers is which: by its name, other tools' names, or as the caller says."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from truerate.core.errors import SettingsError, SourceError, listed
from truerate.sources.answers.answer_fields import (
    LONGEST_VALUE,
    Record,
    Records,
    answer_field,
    quoted,
    shape_of,
)
from truerate.sources.answers.evidence import enter_evidence, is_evidence, is_text
from truerate.sources.answers.names import (
    LABELS,
    ROLES,
    VERDICTS,
    canonical_names,
    is_annotator,
    is_good_if_high,
)
from truerate.sources.answers.reading import IS_SO, NOTHING, each_label, says_by_itself

NOT = "not:"  # before a field whose true or high values mean faithful
MOST_SHOWN = 10  # values of a field in a message
# of the table of answers
VERDICT, SLICE = "verdict:", "slice:"  # before the name of a column
SPAN = pl.Struct({"start": pl.Int64, "end": pl.Int64})
TEXTS = ("id", "run", "answer", "written", "reference", "question", "system", "lang", "group", "state")
COLUMNS: dict[str, Any] = dict.fromkeys(TEXTS, pl.String) | {
    "label": pl.Boolean,
    "spans": pl.List(SPAN),
    "n_labels": pl.Int64,
    "weight": pl.Float64,
}


@dataclass(frozen=True)
class Fields:
    """The field of each role, the fields to slice by, those of people's labels, and notes on the choice."""

    by_role: Mapping[str, str]
    slices: Sequence[str]
    labels: Sequence[str] = ()
    notes: Sequence[str] = field(default_factory=tuple)

    def value(self, record: Record, role: str) -> Any:
        """Return what a record says of a role; None where it says nothing."""
        return value_at(record, self.by_role[role]) if role in self.by_role else None


def given_fields(options: Iterable[str]) -> dict[str, str]:
    """The fields by role of options `ROLE=FIELD`. Raises SettingsError for another form or role."""
    given = {}
    for option in options:
        role, _, name = option.partition("=")
        if role not in ROLES or not name:
            raise SettingsError(f"--map {option!r}: allowed: ROLE=FIELD with a role of {listed(ROLES)}")
        given[role] = name
    return given


def value_at(record: Record, name: str) -> Any:
    """The value of a field, or at a dotted path through objects and lists (`output.0.text`, -1: the last); None if
    absent. Of `FIELD=WORD|WORD` whether the field's value is one of the words.
    """
    if "=" in name and name not in record:
        field_name, _, words = name.partition("=")
        word = value_at(record, field_name)
        return None if word in (None, "") else str(word).strip() in words.split("|")
    if name in record or "." not in name:
        return record.get(name)
    value: Any = record
    for step in name.split("."):
        if isinstance(value, list) and step.removeprefix("-").isdecimal():
            value = value[int(step)] if -len(value) <= int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def column_of(name: str) -> str:
    """The field that a name of a verdict or a label means, without the `not:` that turns it round."""
    return name.removeprefix(NOT)


def is_turned(name: str) -> bool:
    """Return whether a field's high or true values say *faithful*: as `not:` or the field's own name has it;
    words that are named (`FIELD=WORD`) are those of a hallucination.
    """
    return name.startswith(NOT) != ("=" not in name and is_good_if_high(column_of(name)))


def fields_of(
    records: Records,
    given: Mapping[str, str],
    verdicts: Sequence[str] = (),
    slices: Collection[str] = (),
) -> Fields:
    """The fields of a file. `verdicts`: fields that hold a judge's verdicts or scores; `slices`: fields to
    slice by, whatever they are called. Raises SourceError for no or several answers, or a given field that is
    absent.
    """
    fields = _columns(records)
    canonical = {
        as_written: name
        for as_written, name in canonical_names(fields).items()
        if name != "id"
        or len(set(map(str, fields[as_written]))) == len(fields[as_written])  # else a number only
    }
    written = {name: as_written for as_written, name in canonical.items()}
    columns = {canonical.get(name, name): values for name, values in fields.items()}
    given = {
        role: ",".join(_renamed(name, canonical) for name in names.split(",")) if "=" not in names else names
        for role, names in given.items()
    }
    verdicts = [_renamed(name, canonical) for name in verdicts]
    slices = [canonical.get(name, name) for name in slices]
    paths = {
        f"--map {role}={name}": column_of(name)
        for role, names in given.items()
        for name in ([names] if "=" in names else names.split(","))
    }
    paths |= {f"--verdicts {name}": column_of(name) for name in verdicts}
    for option, name in paths.items():
        if name not in columns:
            columns[name] = [value for _, record in records if (value := value_at(record, name)) is not None]
            if not columns[name]:
                names = shape_of(dict.fromkeys(fields))
                raise SourceError(f"{option}: no line has {name!r}; the fields are {names}")
        if "=" in name and not any(columns[name]):
            raise SourceError(f"{option}: no line has such a value; it has {_values(columns, name)}")
    by_role = {role: name for role, name in given.items() if role != "label"}
    taken_verdicts = {column_of(name) for name in verdicts}
    if "spans" not in by_role and (marked := _spans(columns)) is not None:
        by_role["spans"] = marked
    labels, unsure = _labels(columns, given, {*taken_verdicts, by_role.get("spans", "")})
    if "answer" not in by_role:
        by_role |= answer_field(columns, records, can_lack=bool(verdicts or labels))
    golden, why = enter_evidence(columns, by_role)
    for role in ("question", "system", "lang", "id", "run", "group", "abstained", "weight"):
        if role not in by_role and (first := _first(columns, ROLES[role], role)) is not None:
            by_role[role] = first
    used = {*by_role.values(), *map(column_of, labels), *taken_verdicts}
    used |= {re.split("[.=]", name, maxsplit=1)[0] for name in used}
    left_out = dict(_left_out(columns, by_role, golden, used=used)) | unsure
    left_out = {name: why for name, why in left_out.items() if name not in slices}
    slices = [name for name in columns if name in slices or (name not in used and name not in left_out)]
    by_role = {role: written.get(name, name) for role, name in by_role.items()}
    labels = [_renamed(name, written) for name in labels]
    verdicts = [_renamed(name, written) for name in verdicts]
    slices = [written.get(name, name) for name in slices]
    left_out = {
        written.get(name, name): why.replace(name, written.get(name, name)) for name, why in left_out.items()
    }
    taken = [f"{role} is {name!r}" for role, name in by_role.items() if name != role]
    notes = [f"fields by other names: {', '.join(taken)}"] if taken else []
    if (marked := by_role.get("spans", "spans")) != "spans":
        notes.append(f"people's labels: spans in {marked!r}")
    if labels:
        by_word = "" if "=" in labels[0] else f" (if a judge's, say --verdicts {column_of(labels[0])})"
        notes.append(f"people's labels: {quoted(labels)}{by_word}")
    if turned := [column_of(name) for name in (*labels, *verdicts) if is_turned(name)]:
        notes.append(f"high or true values mean faithful: {quoted(turned)} (not:FIELD turns that round)")
    notes += why
    if left_out:
        notes.append(
            f"left out, no slice: {', '.join(f'{name} ({what})' for name, what in left_out.items())}"
        )
    return Fields(by_role, slices, labels, notes)


def _renamed(name: str, names: Mapping[str, str]) -> str:
    """A name of a verdict or a label, with its `not:`, as the field is called by `names`."""
    column = column_of(name)
    return name.removesuffix(column) + names.get(column, column)


def _spans(columns: Mapping[str, Sequence[Any]]) -> str | None:
    """The field of spans: `spans`, or one that may hold them and has lists of objects with a start."""
    for name in ROLES["spans"]:
        if name == "spans" and name in columns:
            return name
        spans = [span for value in columns.get(name, ()) if isinstance(value, list) for span in value]
        if spans and all(isinstance(span, dict) and "start" in span for span in spans):
            return name
    return None


def _labels(
    columns: Mapping[str, Sequence[Any]], given: Mapping[str, str], verdicts: Collection[str]
) -> tuple[list[str], dict[str, str]]:
    """The fields of people's labels, and those that may be some and do not say which value is which."""
    if "label" in given:
        return given["label"].split(",") if "=" not in given["label"] else [given["label"]], {}
    names = [
        name
        for name in columns
        if name not in verdicts
        and name not in given.values()
        and (name in ROLES["label"] or LABELS.fullmatch(name))
    ]
    unsure = {
        name: f"nothing says which value means hallucinated; say --map label={name}, or --map label=not:{name}"
        for name in names
        if not _says_which(name, columns[name])
        and not (is_annotator(name) and {str(value).lower() for value in columns[name]} - IS_SO.keys())
    }
    if {"label", "score", "explanation"} <= set(columns):  # as judges write; Phoenix's evaluations
        unsure["label"] = "a judge's, by its explanation: --verdicts label, or of people --map label=label"
    names = [name for name in names if name not in unsure and _says_which(name, columns[name])]
    return names, unsure


def _says_which(name: str, values: Sequence[Any]) -> bool:
    """Return whether a field of labels says which of its values means hallucinated: by its name or by theirs."""
    flat = [label for value in values for label in each_label(value) if label is not None]
    if "halluc" in name.lower() or is_good_if_high(name):
        return True  # what is no label in it is refused with its line
    words = [value for value in flat if str(value).strip().lower() not in NOTHING]
    return bool(flat) and all(says_by_itself(value) is not None for value in words)


def _columns(records: Records) -> dict[str, list[Any]]:
    """The values of each field that are not null, in the order in which fields first stand."""
    columns: dict[str, list[Any]] = {}
    for _, record in records:
        for name, value in record.items():
            column = columns.setdefault(name, [])
            if value is not None:
                column.append(value)
    return columns


def _values(columns: Mapping[str, Sequence[Any]], name: str) -> str:
    """The first values of the field whose words `FIELD=WORD` names."""
    values = dict.fromkeys(str(value).strip() for value in columns.get(name.partition("=")[0], ()))
    return quoted(list(values)[:MOST_SHOWN])


def _first(columns: Mapping[str, Sequence[Any]], names: Sequence[str], role: str) -> str | None:
    """The field of a role: truerate's own name, whatever it holds, else the first other one of texts."""
    if names[0] in columns:
        return names[0]
    is_any = role in ("group", "run")
    return next((name for name in names[1:] if name in columns and (is_any or is_text(columns[name]))), None)


def _left_out(
    columns: Mapping[str, Sequence[Any]],
    by_role: Mapping[str, str],
    golden: Sequence[str],
    *,
    used: Collection[str],
) -> Iterator[tuple[str, str]]:
    """Fields that are no slice, and what they are."""
    for name, values in columns.items():
        if name in used:
            continue
        kinds = Counter(type(value) for value in values)
        if name in golden:
            yield name, "a golden answer, no evidence"
        elif name in ROLES["answer"] and is_text(values):
            yield name, f"{by_role['answer']!r} is the answer"
        elif (
            VERDICTS.fullmatch(name)
            or is_good_if_high(name)
            or name in ROLES["label"]
            or (bool(values) and all(says_by_itself(value) is not None for value in values))
        ):
            yield name, f"verdicts or labels: --verdicts {name} or --map label={name} takes them"
        elif name in ROLES["reference"] and is_evidence(name, values):
            yield name, f"{by_role.get('reference')!r} is the reference"
        elif kinds[dict] or (kinds[str] and all(str(value).startswith('{"') for value in values)):
            yield name, "objects"
        elif kinds[list]:
            yield name, "lists"
        elif others := [kind.__name__ for kind in kinds if not issubclass(kind, str | int | float)]:
            yield name, f"values of {others[0]}"
        elif any(len(value) > LONGEST_VALUE for value in values if isinstance(value, str)):
            yield name, "long texts"
