"""The records of an export: which field of a tool's metadata says what, and which way a score counts."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data
from truerate.core.text import n_words
from truerate.sources.answers.evidence import GOLDEN_WORDS
from truerate.sources.answers.exports.values import is_partial, passages_of, score_of, text_of
from truerate.sources.answers.names import ALWAYS_EVIDENCE, GOLDEN, ROLES

_PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in read_data(Path(__file__).with_name("names.yaml"), dict).items()
}
EVIDENCE = (
    *ALWAYS_EVIDENCE,
    *(name for name in ROLES["reference"] if name not in (*ALWAYS_EVIDENCE, "reference")),
)
EMPTY = ("question", "reference", "golden", "system", "id", "run", "lang", "group", "abstained")
LONGEST_SLICE, MOST_SLICES = 80, 20  # characters of a value to slice by, and how many of them


@dataclass(frozen=True)
class Export:
    """What another tool wrote: its name, a record per answer, and notes on how it was read. A record has
    answer, question, reference (passages), golden, system, id, run, lang, group, abstained, `labels`
    (annotator → True where hallucinated), `verdicts` (judge → 1 where hallucinated … 0), `slices`.
    """

    tool: str
    records: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)


def record_of(
    answer: Any,
    metadata: Mapping[str, Any] | None = None,
    *,
    scores: Mapping[str, Any] | None = None,
    labels: Mapping[str, bool | None] | None = None,
    of_task: bool = False,
    **given: Any,
) -> dict[str, Any]:
    """A record of an answer: what is given stands before what the metadata say by their names. `scores`: of
    the tool, as written; judgements in the metadata count where no record of the export has scores. `of_task`: the metadata are
    a data set's, whose labels are of its own texts, but for those that are said to be people's.
    """
    record: dict[str, Any] = dict.fromkeys(EMPTY) | {"answer": text_of(answer)}
    record |= {"labels": {}, "scores": dict(scores or {}), "judged": {}, "slices": {}, "unsure": set()}
    for name, value in (metadata or {}).items():
        if of_task and _PATTERNS["label"].search(name) and not _PATTERNS["people"].search(name):
            record["unsure"].add(name)
        else:
            _take(record, str(name), value)
    if (reference := (metadata or {}).get("reference")) not in (None, "", []):
        is_golden = record["reference"] or given.get("reference") or _is_short(reference)
        role = "golden" if is_golden else "reference"
        record[role] = record[role] or reference
    record |= {name: value for name, value in given.items() if value not in (None, "", [])}
    record["reference"] = passages_of(record["reference"])
    for name in ("question", "golden", "system", "id", "run", "lang", "group"):
        if record[name] is not None:
            record[name] = text_of(record[name]) or None
    record["labels"] |= labels or {}
    return record


def _is_short(reference: Any) -> bool:
    """Return whether a reference is so short that it is a golden answer."""
    return isinstance(reference, str) and n_words(reference) <= GOLDEN_WORDS


def _take(record: dict[str, Any], name: str, value: Any) -> None:
    """Put a field of a tool's metadata where its name says."""
    if value is None or value == "":
        return
    plain = name.lower().strip().replace(" ", "_")
    if _PATTERNS["label"].search(name):
        label, is_sure = label_of(name, value)
        if is_sure:
            record["labels"][name] = label
        else:
            record["unsure"].add(name)
    elif _PATTERNS["judge"].search(name):
        record["judged"][name] = value
    elif plain in EVIDENCE:
        record["reference"] = record["reference"] or value
    elif plain in GOLDEN:
        record["golden"] = value if isinstance(value, str) else text_of(value)
    elif role := next((r for r in ("question", "system", "id", "lang", "group") if plain in ROLES[r]), None):
        record[role] = value if record[role] is None else record[role]
    elif plain == "reference" or plain in ROLES["answer"] or _PATTERNS["no_slice"].search(plain):
        return
    elif isinstance(value, str | int | bool) and len(str(value)) <= LONGEST_SLICE:
        record["slices"][name] = str(value).lower() if isinstance(value, bool) else str(value)


def label_of(name: str, value: Any) -> tuple[bool | None, bool]:
    """A person's label (True: hallucinated, None: no or an even vote), and whether name or value say which
    way it counts.
    """
    number, direction = score_of(value)
    is_good = direction == "good" or (not direction and high_is_good(name))
    is_sure = bool(direction) or high_is_good(name) is not None
    if number is None or number == 0.5 or not 0 <= number <= 1:
        return None, is_sure or number is None
    return (number < 0.5) if is_good else (number > 0.5), is_sure


def high_is_good(name: str) -> bool | None:
    """Whether a high score of a name means faithful; None where the name does not say."""
    if _PATTERNS["high_is_bad"].search(name):
        return False
    return True if _PATTERNS["high_is_good"].search(name) else None


def export_of(
    tool: str,
    records: Sequence[dict[str, Any]],
    notes: Iterable[str] = (),
    *,
    good: Mapping[str, bool] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    takes_all: bool = False,
) -> Export:
    """The export of records from `record_of`, scores turned to verdicts, 1 where hallucinated. Of several
    scores those whose names speak of hallucination count, else all (`takes_all`: always). `good`: by name,
    whether the tool says that high is good, for names that do not say; `ranges`: of scores not in [0, 1].
    """
    lines = list(notes)
    if not any(record["scores"] for record in records):
        for record in records:
            record["scores"] = record["judged"]
    elif beside := dict.fromkeys(name for record in records for name in record["judged"]):
        lines.append(f"beside the tool's scores, left out: {', '.join(beside)}")
    names = list(dict.fromkeys(name for record in records for name in record["scores"]))
    about = [name for name in names if _PATTERNS["about_hallucination"].search(name)]
    chosen = names if takes_all or not about else about
    if (others := [n for n in chosen if not _PATTERNS["judge"].search(n)]) and not about and not takes_all:
        lines.append(f"no score's name speaks of hallucination; taken for it: {', '.join(others)}")
    if len(chosen) < len(names):
        lines.append(f"scores of something else, left out: {', '.join(n for n in names if n not in chosen)}")
    columns = {name: _verdicts(name, records, good or {}, (ranges or {}).get(name), lines) for name in chosen}
    for position, record in enumerate(records):
        record["verdicts"] = {
            name: column[position] for name, column in columns.items() if name in record["scores"]
        }
    unsure = sorted({name for record in records for name in record["unsure"]})
    if unsure and not any(record["labels"] for record in records):
        lines.append(
            f"labels that may be of something else, or do not say which value means hallucinated, left out: {', '.join(unsure)}"
        )
    _keep_slices(records, lines)
    gone = ("scores", "judged", "unsure")
    return Export(tool, [{k: v for k, v in record.items() if k not in gone} for record in records], lines)


def _verdicts(
    name: str,
    records: Sequence[dict[str, Any]],
    good: Mapping[str, bool],
    scale: tuple[float, float] | None,
    lines: list[str],
) -> list[float | None]:
    """A score of all records as verdicts, in [0, 1], 1 where hallucinated."""
    pairs = [score_of(record["scores"].get(name)) for record in records]
    stated = {direction for number, direction in pairs if direction}
    numbers = [number for number, direction in pairs if number is not None and not direction]
    is_good = high_is_good(name)
    if name in good and is_good is not None and good[name] != is_good and numbers:
        lines.append(
            f"{name!r}: its file says that high is {'good' if good[name] else 'bad'}, its name the opposite: the name holds"
        )
    if is_good is None:
        is_good = good.get(name)
    if is_good is None and numbers:
        is_good = "judge" not in name.lower() and "verdict" not in name.lower()
        lines.append(
            f"{name!r}: high or true is taken as {'faithful' if is_good else 'hallucinated'}, which nothing says; "
            f"--verdicts not:{name} turns it round"
        )
    elif is_good and not stated:
        lines.append(f"{name!r}: high or true means faithful")
    low, high = scale or (0.0, 1.0)
    if numbers and not (low <= min(numbers) and max(numbers) <= high):
        low, high = min(numbers), max(numbers)
        lines.append(f"{name!r} lies in {low:g} … {high:g}: taken as its share of that")
    width = (high - low) or 1.0
    verdicts = []
    for number, direction in pairs:
        if number is not None and not direction:
            number = (number - low) / width
        turned = direction == "good" or (not direction and bool(is_good))
        verdicts.append(None if number is None else 1 - number if turned else number)
    if n := sum(is_partial(record["scores"].get(name)) for record in records):
        lines.append(
            f"{name!r}: {n} of {len(verdicts)} grades are partial (P): each counts as .5 and is flagged; "
            "--threshold 0.6 flags only what is wrong"
        )
    if n := sum(verdict is None for verdict in verdicts):
        lines.append(f"{name!r}: {n} of {len(verdicts)} answers have no score that can be read")
    return verdicts


def _keep_slices(records: Sequence[dict[str, Any]], lines: list[str]) -> None:
    """Keep the fields that divide the answers into groups."""
    values: dict[str, Counter] = {}
    for record in records:
        for name, value in record["slices"].items():
            values.setdefault(name, Counter())[value] += 1
    kept = [
        name for name, of_name in values.items() if 1 < len(of_name) <= min(MOST_SLICES, len(records) / 3)
    ]
    for record in records:
        record["slices"] = {name: record["slices"].get(name, "") for name in kept}


def joined(exports: Sequence[tuple[str, Export]]) -> Export:
    """The answers of several files of one tool, with the files' names. An id that an earlier file has for the same
    system and run is a repeat of it if the same is asked, else another one.
    """
    questions: dict[tuple, Any] = {}
    records = []
    for name, export in exports:
        earlier = dict(questions)
        for record in export.records:
            key = (record["id"], record["system"], record["run"])
            if record["id"] is not None and key in earlier:
                role = "run" if earlier[key] == record["question"] else "id"
                record = record | {role: f"{name}: {record[role] or 1}"}
            questions.setdefault(key, record["question"])
            records.append(record)
    notes = list(dict.fromkeys(note for _, export in exports for note in export.notes))
    return Export(
        exports[0][1].tool, records, [f"{len(exports)} files", *notes] if len(exports) > 1 else notes
    )
