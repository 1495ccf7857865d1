"""A person's own file of labelled answers as a source: named systems' replies with people's labels, or where nobody
labelled them the verdicts of one judge that stands beside them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.data import AnswerFields, Rights
from truerate.core.errors import SourceError, TruerateError, listed
from truerate.core.keys import content_id, files
from truerate.core.text import clean
from truerate.sources.answers.fields import VERDICT, given_fields
from truerate.sources.answers.label_spans import places_of
from truerate.sources.answers.labels import with_labels
from truerate.sources.answers.reading import STATED
from truerate.sources.answers.table import AnswerTable, read_table
from truerate.sources.cards import CARD_FIELDS
from truerate.sources.collection import Collection
from truerate.sources.downloads import matching
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tables import SourceTables
from truerate.sources.tagged import in_cleaned, joined

ABOUT = ("source.json", "LICENSE", "LICENSE.txt", "LICENSE.md", "README.md")  # beside the answers in a folder
TYPE = "hallucination"  # of every span: a file of answers names no types
LANGUAGE = re.compile(r"[a-z]{2,3}")
UNSAID = (
    "its licence is not stated; a board says under which terms its texts are: rights: {licence: …}, with name and "
    "citation, as `LicenseRef-own` of your own (redistribution: no keeps its texts here)"
)
UNNAMED = (
    "no field says which system wrote each answer; name it (map: system=FIELD), or if one system wrote all, that "
    "(system: NAME)"
)


@dataclass(frozen=True)
class _Labels:
    """Which column of the table labels answers, who said so, and the `label_source` of its samples."""

    column: str
    who: str
    kind: str
    judge: str | None = None

    def of(self, row: Mapping[str, Any], table: AnswerTable) -> bool:
        """The label of an answer. Raises BadRow where it has none, or people are divided evenly."""
        label = row[self.column]
        if label is None:
            is_tie = self.judge is None and row["n_labels"] > 0
            raise BadRow(
                Reason.NO_MAJORITY if is_tie else Reason.UNLABELLED, f"no label of {self.who} counts"
            )
        return bool(label if self.judge is None else label >= table.thresholds[self.judge])


def read(
    path: Path,
    *,
    name: str,
    on_bad_row: str,
    rights: Rights | None = None,
    answers: AnswerFields | None = None,
    is_published: bool = False,
) -> SourceTables:
    """Return the labelled answers of a file, or of the files in a folder, as samples by system, with the
    verdicts of the judges that `answers` names (of an export all of it) as judgements. The labels of a file that
    `answers` names stand in place of those beside the answers.

    An answer counts as it is labelled, one that abstains, too; those without a label are rejects with the
    reason. What several systems were asked is one item: the same id, else the same question, else the
    same reference. Raises SourceError, one line, for what `read_table` refuses, a file without a licence (but
    where `is_published`: a card of ours says that its publisher states none), without systems or without
    labels, and labels that were drawn with unequal chances.
    """
    chosen = answers or AnswerFields()
    beside = None if chosen.labels is None else Path(chosen.labels).expanduser()
    if beside is not None and not beside.is_file():
        raise SourceError(f"source {name!r}: no file {str(beside)!r} with labels")
    data = _data_of(path, name, beside, chosen.files)
    folder = path if path.is_dir() else path.parent
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=_card(name, rights), is_own=True)
    if collection.card["licence"] in (None, "", "not stated") and not is_published:
        raise SourceError(f"source {name!r}: {UNSAID}")
    try:
        fields = given_fields(f"{role}={field}" for role, field in chosen.map.items())
        table = read_table(data, fields=fields, verdicts=chosen.verdicts, threshold=chosen.threshold)
        table = table if beside is None else with_labels(table, beside)
        if (table.frame["system"] == "").all() and not chosen.system:
            raise SourceError(UNNAMED)
        labels = _labels(table)
    except TruerateError as error:
        raise SourceError(f"source {name!r}: {error}") from None
    collection.card["labelled_by"] = labels.who
    notes = (*table.notes, *_silent(table.frame, labels))
    collection.card["caveats"] = [*(collection.card.get("caveats") or ()), *map(clean, notes)]
    rows = [
        (number, partial(dict, row))
        for number, row in enumerate(_keyed(table.frame).iter_rows(named=True), 1)
    ]
    keep = partial(_keep, collection, table, labels, chosen.system or "")
    parts = data if isinstance(data, list) else files(data)
    for number, file in enumerate(parts):  # the rows of several files are read as one
        part = file.relative_to(folder).as_posix()
        cut = rows if not number else []
        collection.read(part, lambda _, cut=cut: cut, keep, may_be_empty=bool(number), in_parts=True)
    return collection.tables()


def _data_of(path: Path, name: str, labels: Path | None, patterns: Sequence[str]) -> Path | list[Path]:
    """The files that hold the answers: the path itself, or those of its folder that fit the patterns (of none all), but
    for the one of `labels`; a folder of `datasets` whole.
    """
    if not path.exists():
        raise SourceError(f"source {name!r}: no file or folder {str(path)!r}")
    if path.is_file() or any(path.glob("**/*.arrow")):
        return path
    present = [
        file
        for file in ([path / file for file in matching(path, *patterns)] if patterns else files(path))
        if file.name not in ABOUT and (labels is None or not file.samefile(labels))
    ]
    if not present:
        which = f" that fits {listed(patterns)}" if patterns else ""
        raise SourceError(f"source {name!r}: no file in {str(path)!r}{which}; put the answers there")
    return present[0] if len(present) == 1 else present


def _card(name: str, rights: Rights | None) -> dict[str, Any]:
    """The card of a file: what its settings say of it, and nothing that they do not."""
    stated = rights.model_dump(exclude_none=True, exclude={"tasks"}) if rights else {}
    return dict.fromkeys(CARD_FIELDS) | {"name": name, "redistribution": "no"} | stated


def _labels(table: AnswerTable) -> _Labels:
    """Who labels the answers. Raises SourceError where nobody does, or by chances that differ."""
    weights = table.frame["weight"].drop_nulls()
    if weights.n_unique() > 1:
        raise SourceError(
            "its labels were drawn with chances that differ ('weight'); a board counts each alike: `truerate rate` weights them"
        )
    if table.frame["label"].null_count() < table.frame.height:
        n = int(table.frame["n_labels"].max() or 1)
        return _Labels("label", f"people (up to {n} an answer)" if n > 1 else "people", "gold")
    if len(table.verdicts) == 1:
        judge = table.verdicts[0]
        return _Labels(VERDICT + judge, f"a judge ({judge}), not people", "silver", judge)
    has = (
        f"; several judges stand there ({listed(table.verdicts)}): name one in verdicts"
        if table.verdicts
        else ""
    )
    raise SourceError(
        f"none of its {table.frame.height} answers is labelled; name the field of people's labels (map: label=FIELD) "
        f"or of one judge's verdicts (verdicts: FIELD){has}"
    )


def _silent(frame: pl.DataFrame, labels: _Labels) -> list[str]:
    """A line on labelled answers that say nothing: they count as they are labelled."""
    silent = frame.filter(pl.col("state") != STATED, pl.col(labels.column).is_not_null())[labels.column]
    if silent.is_empty():
        return []
    wrong = f", {silent.sum()} of them as hallucinated" if silent.dtype == pl.Boolean else ""
    return [
        f"{len(silent)} answers that abstain or are empty are labelled{wrong}: they count as labelled here, and "
        "not in `truerate rate`"
    ]


def _keyed(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with `unit`, what several systems were asked in common (an id that they share, else the
    question, else the reference, else nothing but this answer), and `cluster`, what must not be split: the
    file's group, else the question or the reference.
    """
    asked, text, name = map(pl.col, ("question", "reference", "id"))
    # one question may be put about many texts ("Summarize this"): then its text is part of what was asked
    n_texts = text.n_unique().over("question", "system").max().over("question")
    about = pl.when(n_texts > 1).then(pl.concat_str(asked, text, separator="\n")).otherwise(asked)
    key = pl.when(asked != "").then(about).when(text != "").then(text).otherwise(name)
    is_shared = pl.col("system").n_unique().over("id").max() > 1
    group = pl.col("group")
    return frame.with_columns(
        unit=pl.when(is_shared).then(name).otherwise(key),
        cluster=pl.when(group != "").then(group).otherwise(key),
    )


def _keep(collection: Collection, table: AnswerTable, labels: _Labels, unnamed: str, answer: Row) -> None:
    """Keep an answer with its label and the verdicts on it. Raises BadRow for one that does not count."""
    row = answer.values
    system = clean(row["system"] or unnamed)
    if not system:
        raise BadRow(Reason.MISSING_FIELD, "nothing says which system wrote it")
    label = labels.of(row, table)
    written = row["answer"] or ""
    places = in_cleaned(written, places_of(row["spans"]))
    documents = [collection.document(clean(row["reference"]))] if row["reference"] else []
    task = "qa" if row["question"] else "summarization" if documents else "general"
    item = collection.item(
        task,
        group=("asked", row["cluster"]),
        question=clean(row["question"]),
        document_ids=documents,
        lang=lang if LANGUAGE.fullmatch(lang := row["lang"].lower()) else None,
        is_shared=True,
    )
    sample = collection.sample(
        item,
        clean(written),
        is_hallucinated=label,
        label_source=labels.kind,
        generator=system,
        spans=joined({"start": start, "end": end, "type": TYPE} for start, end in places),
        # committed results name units: a question is no id that may stand there
        unit=clean(row["id"]) if row["unit"] == row["id"] else content_id(collection.name, row["unit"]),
        id=clean(row["id"]),
        run=clean(row["run"]) or None,
        judge=labels.judge,
    )
    for judge in table.verdicts:
        score = row[VERDICT + judge]
        if judge != labels.judge and score is not None:
            p = score if 0 <= score <= 1 else None
            verdict = bool(score >= table.thresholds[judge])
            collection.judgement(sample["sample_id"], clean(judge), verdict, p=p)
