"""FaithBench (Bao et al. 2025): summaries of ten models whose spans people labelled, with what eight detectors say.

`data_for_release/batch_<n>.json`, an object whose `samples` are summaries. A summary's label is the worst over
all annotations of all annotators, Unwanted being hallucinated. The texts were chosen because detectors disagree
on them. Annotators are named in the files; their names and notes are not read.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import Cut, csv_records, parse, refuse_encoding
from truerate.sources.public.unit_labels import WRONG, Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row, label_of
from truerate.sources.tagged import in_cleaned, joined

# From the worst to the best. `Unwanted.Intrinsic` and `Unwanted.Extrinsic` are kinds of Unwanted, however the part
# behind the point is spelled; a summary without annotations is consistent.
LABELS = ("Unwanted", "Questionable", "Benign", "Consistent")
UNWANTED, QUESTIONABLE, BENIGN, CONSISTENT = LABELS
FOLDER = "data_for_release"
FILE = re.compile(r"batch_(\d+)\.json")
TABLE, COLUMNS = "FaithBench.csv", ("source", "summary", "LLM", "worst-label")
Labels = dict[tuple[str, ...], str]  # worst labels by summarizer, source and summary
DETECTORS = tuple(
    ("hhemv1 hhem-2.1 hhem-2.1-english trueteacher true_nli gpt-3.5-turbo gpt-4-turbo gpt_4o").split()
)
CUT = 0.5  # of a detector's value, 1 being consistent: below it the summary is called hallucinated
CARD = published_card("faithbench")
SET = PublicSet(
    repository="vectara/FaithBench",
    holds={"labelled summaries": (f"{FOLDER}/batch_[0-9].json", f"{FOLDER}/batch_[0-9][0-9].json")},
    labelled_by="people (experts, two or three a summary)",
)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Summaries as gold samples of task `summarization`, each detector's value as a judgement.

    Source texts that differ in a digit or a blank are one group. The attribute `label` is the worst label,
    `rule_clear` and `rule_strict` the two pairs by which detectors are held against it
    (`rules`). Where FaithBench.csv is there, its labels are compared: those that differ are
    rejects, and the annotations stand.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    files = batches(folder)
    if not files:
        raise SourceError(
            f"source {name!r}: no {FOLDER}/batch_<n>.json in {str(folder)!r}; name the folder of the repository"
        )
    labels: Labels = {}
    for number, file in files:
        collection.read(file, samples_in, partial(_keep, collection, labels, file, number, {}))
    if collection.has(TABLE):
        collection.read(TABLE, lambda raw: csv_records(raw, COLUMNS), partial(_compare, collection, labels))
    return collection.tables()


def batches(folder: Path) -> list[tuple[int, str]]:
    """The batches of a folder by their number."""
    matches = ((FILE.fullmatch(path.name), path) for path in (folder / FOLDER).glob("batch_*.json"))
    return sorted((int(named[1]), f"{FOLDER}/{path.name}") for named, path in matches if named)


def samples_in(raw: bytes) -> Cut:
    """The `samples` of a batch as rows; a file that is no such object makes BadRow at once."""
    refuse_encoding(raw)
    batch = Row(parse(raw.removeprefix(b"\xef\xbb\xbf")), 1)
    for number, values in enumerate(batch.items("samples"), 1):
        yield number, lambda values=values: values


def group_key(source: str) -> str:
    """A source text without digits and blanks: texts that differ in nothing else are one group."""
    return re.sub(r"[\d\s]", "", source)


def _keep(
    collection: Collection, labels: Labels, file: str, batch: int, places: dict[str, int], row: Row
) -> None:
    """Keep a summary with label, spans and detectors' values. `places`: the batch's sources in order."""
    about = Row(row.get("metadata"), row.number)
    source, summarizer, published = row.text("source"), about.text("summarizer"), row.get("summary")
    text = row.text("summary")
    unit = f"{batch}-{places.setdefault(source, len(places))}"
    annotations = [Row(entry, index) for index, entry in enumerate(row.items("annotations"), 1)]
    labelled = [
        (annotation, label) for annotation in annotations if (label := label_in(annotation)) is not None
    ]
    marks = spans_in(labelled, str(published))
    collection.once("the summary", batch, row.integer("sample_id"), row=row)
    collection.once_said("the summary", row, but=())
    label = worst(label for _, label in labelled)
    item = collection.item(
        "summarization",
        group=("source", group_key(source)),
        document_ids=[collection.document(source, licence="not stated (of the text's publisher)")],
        is_shared=True,
    )
    places_of = in_cleaned(str(published), [mark[:2] for mark in marks])
    sample = collection.sample(
        item,
        text,
        is_hallucinated=label == UNWANTED,
        label_source="gold",
        generator=summarizer,
        spans=joined(
            {"start": start, "end": end, "type": mark[2]}
            for (start, end), mark in zip(places_of, marks, strict=True)
        ),
        unit=unit,
        label=label,
        **rules(label),
    )
    labels[summarizer, source.strip(), text.strip()] = label
    collection.counts["n_spans"] += len(marks)
    collection.counts["n_annotations_without_label"] += len(annotations) - len(labelled)
    for detector, value in _values(about):
        with collection.part(file, row, text=f"{detector}: {value}"):
            _judge(collection, sample, detector, value)


def _values(about: Row) -> Iterator[tuple[str, object]]:
    """What the metadata hold of each detector."""
    return ((name, about.values[name]) for name in DETECTORS if name in about.values)


def _judge(collection: Collection, sample: dict, detector: str, value: object) -> None:
    """A detector's value as a judgement: hallucinated below one half; `p` is one less the value."""
    if value is None:
        raise BadRow(Reason.UNLABELLED, f"no value of {detector!r} on this summary")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadRow(
            Reason.OUT_OF_RANGE, f"the value of {detector!r} is {str(value)[:40]!r}; it lies between 0 and 1"
        )
    collection.judgement(sample["sample_id"], detector, value < CUT, p=round(1 - value, 6))


def _compare(collection: Collection, labels: Labels, row: Row) -> None:
    """Hold a line of the table against the annotations; raises BadRow where its label differs."""
    # a table that was saved with other line ends has them inside of its cells, too
    texts = (row.text(field).replace("\r\n", "\n").strip() for field in ("source", "summary"))
    ours = labels.get((row.text("LLM"), *texts))
    if ours is None:
        collection.counts["n_in_table_alone"] += 1
    elif (table_label := row.text("worst-label").partition(".")[0]).casefold() != ours.casefold():
        collection.counts["n_labels_that_differ_in_table"] += 1
        raise BadRow(
            Reason.ALTERED,
            f"the table's worst label is {table_label[:40]!r}, the annotations' {ours!r}; these stand",
        )


# ---- annotations ---------------------------------------------------------------------------------------------
def label_in(annotation: Row) -> str | None:
    """The worst of an annotation's labels; None where its list is empty. Raises BadRow for a label that is none."""
    words = annotation.items("label")
    names = [
        label_of(
            word.partition(".")[0] if isinstance(word, str) else word, LABELS[:-1], "a label of an annotation"
        )
        for word in words
    ]
    return worst(names) if names else None


def worst(labels: Iterable[str]) -> str:
    """The worst of some labels; Consistent where there are none."""
    return min(labels, key=LABELS.index, default=CONSISTENT)


def rules(label: str) -> dict[str, bool | None]:
    """A worst label by the rules beside the headline (Unwanted is hallucinated): `rule_clear` counts Unwanted
    against Consistent and no other summary, `rule_strict` Questionable as hallucinated, too.
    """
    is_clear = label in (UNWANTED, CONSISTENT)
    return {
        "rule_clear": label == UNWANTED if is_clear else None,
        "rule_strict": label in (UNWANTED, QUESTIONABLE),
    }


def spans_in(annotations: Iterable[tuple[Row, str]], published: str) -> list[tuple[int, int, str]]:
    """Where annotations stand in the summary as it was published (code points, half-open), with their label;
    those without a place are left out. Raises BadRow where a place does not hold the words that were marked.
    """
    spans = []
    for annotation, label in annotations:
        if annotation.values.get("summary_start") is None:
            continue
        start, end = annotation.integer("summary_start"), annotation.integer("summary_end")
        marked = annotation.values.get("summary_span")
        if marked is not None and published[start:end] != marked:
            what = f"annotation {annotation.number}: its words are not what stands at {start}–{end}"
            raise BadRow(Reason.CONTRADICTION, what)
        spans.append((start, end, label))
    return spans


def labels(tables: Tables) -> list[dict]:
    """Whether each summary's worst label is Unwanted, which it is, and whether each detector calls it hallucinated."""
    units, rows = {}, []
    for sample in tables.samples.to_dicts():
        attributes, wrong = attributes_of(sample), sample["is_hallucinated"]
        unit = units[sample["sample_id"]] = Unit(
            sample["generator"], attributes["unit"], sample["group_id"], []
        )
        rows.append(label_row(unit, "unwanted", yes_or_no(wrong), of=WRONG, gives=float(wrong)))
        rows.append(label_row(unit, "worst label", attributes["label"]))
    for row in tables.judgements.to_dicts():
        rows.append(label_row(units[row["target_id"]], row["judge"], yes_or_no(row["verdict"])))
    return rows
