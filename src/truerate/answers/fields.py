"""Which field of a file of answers is which: by its name, other tools' names, or as the caller says."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from truerate.core.data_files import read_data
from truerate.core.errors import SettingsError, SourceError, listed
from truerate.core.text import n_words

_NAMES = read_data(Path(__file__).with_name("fields.yaml"), dict)
ROLES: Mapping[str, Sequence[str]] = _NAMES["roles"]
ALWAYS_EVIDENCE, GOLDEN, LABELS = (_NAMES[name] for name in ("always_evidence", "golden", "labels"))
LEAST_WORDS = 4  # of a text that is taken for evidence by its name
Record = Mapping[str, Any]
Records = Sequence[tuple[int, Record]]


@dataclass(frozen=True)
class Fields:
    """The field of each role, the fields to slice by, and notes on the choice, a line each."""

    by_role: Mapping[str, str]
    slices: Sequence[str]
    notes: Sequence[str] = field(default_factory=tuple)

    def value(self, record: Record, role: str) -> Any:
        """Return what a record says of a role; None where it says nothing."""
        return record.get(self.by_role[role]) if role in self.by_role else None


def given_fields(options: Iterable[str]) -> dict[str, str]:
    """The fields by role of options `ROLE=FIELD`. Raises SettingsError for another form or role."""
    given = {}
    for option in options:
        role, _, name = option.partition("=")
        if role not in ROLES or not name:
            raise SettingsError(f"--field {option!r}: allowed: ROLE=FIELD with a role of {listed(ROLES)}")
        given[role] = name
    return given


def fields_of(records: Records, given: Mapping[str, str]) -> Fields:
    """The fields of a file. Raises SourceError for no or several answers, or a given field that is absent."""
    columns = _columns(records)
    for role, name in given.items():
        if name not in columns:
            raise SourceError(
                f"--field {role}={name}: no line has {name!r}; the fields are {_quoted(columns)}"
            )
    by_role = dict(given)
    if "answer" not in by_role:
        by_role["answer"] = _answer(columns, records)
    golden, why = _reference(columns, by_role)
    for role in ("question", "system", "lang", "id", "group", "abstained"):
        if role not in by_role and (first := _first(columns, ROLES[role], role)) is not None:
            by_role[role] = first
    left_out = dict(_left_out(columns, by_role, golden))
    slices = [name for name in columns if name not in by_role.values() and name not in left_out]
    taken = [f"{role} is {name!r}" for role, name in by_role.items() if name != role]
    notes = [f"fields by other names: {', '.join(taken)}"] if taken else []
    notes += why
    if left_out:
        notes.append(
            f"left out, no slice: {', '.join(f'{name} ({what})' for name, what in left_out.items())}"
        )
    return Fields(by_role, slices, notes)


def _columns(records: Records) -> dict[str, list[Any]]:
    """The values of each field that are not null, in the order in which fields first stand."""
    columns: dict[str, list[Any]] = {}
    for _, record in records:
        for name, value in record.items():
            column = columns.setdefault(name, [])
            if value is not None:
                column.append(value)
    return columns


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _is_text(values: Sequence[Any]) -> bool:
    return bool(values) and all(isinstance(value, str) for value in values)


def _answer(columns: Mapping[str, Sequence[Any]], records: Records) -> str:
    names = [name for name in ROLES["answer"] if name in columns]
    texts = [name for name in names if name == "answer" or _is_text(columns[name])]
    if len(texts) == 1:
        return texts[0]
    if not texts:
        objects = f"; {names[0]!r} is no text" if names else ""
        raise SourceError(
            f"line {records[0][0]}: it has no 'answer'{objects}; its fields are {_quoted(records[0][1])}: "
            "name the one that is meant, --field answer=FIELD"
        )
    if all(len({record.get(name) for name in texts}) == 1 for _, record in records):
        return texts[0]
    raise SourceError(
        f"{_quoted(texts)} stand beside one another: which one did the system write? Say --field "
        f"answer={texts[1]} or "
        f"--field answer={texts[0]}"
    )


def _reference(columns: Mapping[str, Sequence[Any]], by_role: dict[str, str]) -> tuple[list[str], list[str]]:
    """Enter the field that holds the evidence; returns the fields that hold golden answers, and why so."""
    golden = [name for name in GOLDEN if name in columns]
    if "reference" in by_role:
        return golden, []
    has_reference = "reference" in columns
    least = _size(columns["reference"]) if has_reference else 0
    evidence = [
        name
        for name in ROLES["reference"][1:]
        if name in columns
        and _is_evidence(name, columns[name])
        and (name in ALWAYS_EVIDENCE or _size(columns[name]) > least)
    ]
    if evidence:
        by_role["reference"] = evidence[0]
        if has_reference:
            why = (
                f"'reference' stands beside {evidence[0]!r} and is taken for a golden answer, not for the "
                "evidence"
            )
            return [*golden, "reference"], [f"{why}; --field reference=reference takes it"]
    elif has_reference and "user_input" in columns:
        why = (
            "'reference' beside 'user_input' is a golden answer (RAGAS), no evidence; give "
            "'retrieved_contexts'"
        )
        return [*golden, "reference"], [f"{why}, or say --field reference=reference"]
    elif has_reference:
        by_role["reference"] = "reference"
    return golden, []


def _is_evidence(name: str, values: Sequence[Any]) -> bool:
    """Return whether a field that may hold passages does: lists of them, or mostly texts of LEAST_WORDS
    words.
    """
    if name in ALWAYS_EVIDENCE:
        return bool(values)
    n = sum(
        isinstance(value, list) or (isinstance(value, str) and n_words(value) >= LEAST_WORDS)
        for value in values
    )
    return 2 * n > len(values)


def _size(values: Sequence[Any]) -> float:
    """The median length of values, in characters: evidence is longer than a golden answer."""
    return median(len(str(value)) for value in values) if values else 0


def _first(columns: Mapping[str, Sequence[Any]], names: Sequence[str], role: str) -> str | None:
    """The field of a role: truerate's own name, whatever it holds, else the first other one of texts."""
    if names[0] in columns:
        return names[0]
    return next(
        (name for name in names[1:] if name in columns and (role == "group" or _is_text(columns[name]))), None
    )


def _left_out(
    columns: Mapping[str, Sequence[Any]], by_role: Mapping[str, str], golden: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Fields that are no slice, and what they are."""
    for name, values in columns.items():
        if name in by_role.values():
            continue
        kinds = Counter(type(value) for value in values)
        if name in golden:
            yield name, "a golden answer, no evidence"
        elif name in ROLES["answer"] and _is_text(values):
            yield name, f"{by_role['answer']!r} is the answer"
        elif name in LABELS or name.startswith("human_"):
            yield name, "labels or verdicts; give labels by --labels"
        elif name in ROLES["reference"] and _is_evidence(name, values):
            yield name, f"{by_role.get('reference')!r} is the reference"
        elif kinds[dict]:
            yield name, "objects"
        elif kinds[list]:
            yield name, "lists"
