"""FaithBench (Bao et al. 2025): summaries of ten models whose spans people labelled, with scores of eight
detectors.

`data_for_release/batch_<n>.json` is an object whose `samples` are summaries. A summary's label is the worst
over all annotations of all annotators, Unwanted being hallucinated. The texts were chosen because detectors
disagree on them. Names and notes of annotators are not read.

A batch has annotators of its own, two or three. Who found nothing in a summary left no trace on it: whoever marked at
least LEAST of what the busiest one of the batch marked is taken to have read all of it.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import Cut, csv_records, parse, readable, refuse_encoding, values_as_rows
from truerate.sources.downloads import public_set
from truerate.sources.public.unit_labels import (
    RATED,
    WRONG,
    Tables,
    Unit,
    attributes_of,
    label_row,
    yes_or_no,
)
from truerate.sources.rows import BadRow, Reason, Row, label_of
from truerate.sources.tagged import in_cleaned, joined

# From the worst to the best. `Unwanted.Intrinsic` and `Unwanted.Extrinsic` are kinds of Unwanted, however the
# part behind the point is spelled; a summary without annotations is consistent.
LABELS = ("Unwanted", "Questionable", "Benign", "Consistent")
UNWANTED, QUESTIONABLE, BENIGN, CONSISTENT = LABELS
FOLDER = "data_for_release"
FILE = re.compile(r"batch_(\d+)\.json")
TABLE, COLUMNS = "FaithBench.csv", ("source", "summary", "LLM", "worst-label")
Labels = dict[tuple[str, ...], str]  # worst labels by summarizer, source and summary
DETECTORS = "hhemv1 hhem-2.1 hhem-2.1-english trueteacher true_nli gpt-3.5-turbo gpt-4-turbo gpt_4o".split()
CUT = 0.5  # of a detector's value, 1 being consistent: below it the summary is called hallucinated
LEAST = 0.25  # of the summaries that the busiest annotator of a batch marked
RATERS = "raters"  # the attribute that holds what each annotator of the batch says of a summary: `10-1=yes;10-2=no`
SET = public_set("faithbench")


@reads("faithbench")
def read(collection: Collection) -> None:
    """Read summaries as gold samples of task `summarization`, each detector's value as a judgement.

    Source texts that differ in a digit or a blank are one group. The attribute `label` is the worst label,
    `rule_clear` and `rule_strict` are its other readings (`rules`). Labels of FaithBench.csv, where it is
    there, that differ from the annotations are rejects.
    """
    files, labels = batches(collection.folder), Labels()
    collection.refuse_none(files, "none of FaithBench's files", f"{FOLDER}/batch_<n>.json")
    for number, file in files:
        raters = raters_in((collection.folder / file).read_bytes(), number)
        collection.read(file, samples_in, partial(_keep, collection, labels, file, number, {}, raters))
    if collection.has(TABLE):
        collection.read(TABLE, partial(csv_records, columns=COLUMNS), partial(_compare, collection, labels))


def batches(folder: Path) -> list[tuple[int, str]]:
    """The batches of a folder by their number."""
    names = [path.name for path in (folder / FOLDER).glob("batch_*.json") if FILE.fullmatch(path.name)]
    return sorted((int(FILE.fullmatch(name)[1]), f"{FOLDER}/{name}") for name in names)


def samples_in(raw: bytes) -> Cut:
    """The `samples` of a batch as rows; a file that is no such object makes BadRow at once."""
    refuse_encoding(raw)
    return values_as_rows(Row(parse(raw.removeprefix(codecs.BOM_UTF8)), 1).items("samples"))


def _keep(
    collection: Collection,
    labels: Labels,
    file: str,
    batch: int,
    places: dict[str, int],
    raters: dict[str, str],
    row: Row,
) -> None:
    """Keep a summary with label, spans and detectors' values. `places`: the batch's sources in order; `raters`: the
    names here of those who read the batch.
    """
    about, source, text = row.row("metadata"), row.text("source"), row.text("summary")
    summarizer, published = about.text("summarizer"), row.values["summary"]
    unit = f"{batch}-{places.setdefault(source, len(places))}"
    annotations = row.rows("annotations")
    named = [(annotation, label_in(annotation)) for annotation in annotations]
    labelled = [(annotation, label) for annotation, label in named if label is not None]
    marks = spans_in(labelled, published)
    collection.once("the summary", batch, row.integer("sample_id"), row=row)
    collection.once_said("the summary", row, but=())
    label = worst(label for _, label in labelled)
    item = collection.item(
        "summarization",
        group=("source", re.sub(r"[\d\s]", "", source)),
        document_ids=[collection.document(source, licence="not stated (of the text's publisher)")],
        is_shared=True,
    )
    bounds = in_cleaned(published, [(start, end) for start, end, _ in marks])
    in_text = zip(bounds, marks, strict=True)
    sample = collection.sample(
        item,
        text,
        is_hallucinated=label == UNWANTED,
        label_source="gold",
        generator=summarizer,
        spans=joined({"start": start, "end": end, "type": kind} for (start, end), (*_, kind) in in_text),
        unit=unit,
        label=label,
        **rules(label),
        **(
            {RATERS: ";".join(f"{name}={answer}" for name, answer in rated_by(labelled, raters))}
            if raters
            else {}
        ),
    )
    labels[summarizer, source.strip(), text.strip()] = label
    collection.counts["n_spans"] += len(marks)
    collection.counts["n_annotations_without_label"] += len(annotations) - len(labelled)
    for detector in (detector for detector in DETECTORS if detector in about.values):
        with collection.part(file, row, text=f"{detector}: {about.values[detector]}"):
            _judge(collection, sample["sample_id"], detector, about.values[detector])


def _judge(collection: Collection, sample_id: str, detector: str, value: object) -> None:
    """A detector's value as a judgement: hallucinated below one half; `p` is one less the value."""
    if value is None:
        raise BadRow(Reason.UNLABELLED, f"no value of {detector!r} on this summary")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        problem = f"the value of {detector!r} is {str(value)[:40]!r}; it lies between 0 and 1"
        raise BadRow(Reason.OUT_OF_RANGE, problem)
    collection.judgement(sample_id, detector, value < CUT, p=round(1 - value, 6))


def _compare(collection: Collection, labels: Labels, row: Row) -> None:
    """Hold a line of the table against the annotations; raises BadRow where its label differs."""
    # a table that was saved with other line ends has them inside of its cells, too
    texts = (row.text(field).replace("\r\n", "\n").strip() for field in ("source", "summary"))
    ours = labels.get((row.text("LLM"), *texts))
    theirs = row.text("worst-label").partition(".")[0]
    if ours is None:
        collection.counts["n_in_table_alone"] += 1
    elif theirs.casefold() != ours.casefold():
        collection.counts["n_labels_that_differ_in_table"] += 1
        problem = f"the table's worst label is {theirs[:40]!r}, the annotations' {ours!r}; these stand"
        raise BadRow(Reason.ALTERED, problem)


# ---- annotations -------------------------------------------------------------------------------------------
def label_in(annotation: Row) -> str | None:
    """The worst of an annotation's labels; None where its list is empty. Raises BadRow for a label that is
    none.
    """
    words = [word.partition(".")[0] if isinstance(word, str) else word for word in annotation.items("label")]
    names = [label_of(word, LABELS[:-1], "a label of an annotation") for word in words]
    return worst(names) if names else None


def raters_in(raw: bytes, batch: int) -> dict[str, str]:
    """The annotators of a batch who read all of it, each by the number of the batch and its place among them; none of a
    file that is no batch, or whose annotators have no ids.
    """
    marked: Counter[str] = Counter()
    try:
        samples = list(readable(samples_in(raw)))
    except BadRow:  # which is said where the rows are read
        return {}
    for _, values in samples:
        annotations = values.get("annotations") if isinstance(values, dict) else None
        rows = annotations if isinstance(annotations, list) else []
        marked.update(
            {str(row["annotator_id"]) for row in rows if isinstance(row, dict) and row.get("annotator_id")}
        )
    least = LEAST * max(marked.values(), default=0)
    names = sorted(name for name, n in marked.items() if n >= least)
    return {name: f"{batch}-{number}" for number, name in enumerate(names, 1)}


def rated_by(labelled: Iterable[tuple[Row, str]], raters: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return whether each of the raters marked something Unwanted in a summary, by their names here."""
    wrong = {str(row.values.get("annotator_id")) for row, label in labelled if label == UNWANTED}
    return [(name, yes_or_no(identity in wrong)) for identity, name in raters.items()]


def worst(labels: Iterable[str]) -> str:
    """The worst of some labels; Consistent where there are none."""
    return min(labels, key=LABELS.index, default=CONSISTENT)


def rules(label: str) -> dict[str, bool | None]:
    """A worst label by the rules beside the headline (Unwanted is hallucinated): `rule_clear` counts Unwanted
    against Consistent and no other summary, `rule_strict` Questionable as hallucinated, too.
    """
    clear = label == UNWANTED if label in (UNWANTED, CONSISTENT) else None
    return {"rule_clear": clear, "rule_strict": label in (UNWANTED, QUESTIONABLE)}


def spans_in(annotations: Iterable[tuple[Row, str]], published: str) -> list[tuple[int, int, str]]:
    """The places (code points, half-open) of annotations in the published summary, with their label, if they
    have one.

    Raises BadRow where a place does not hold the words that were marked.
    """
    spans = []
    for annotation, label in annotations:
        if annotation.values.get("summary_start") is None:
            continue
        start, end = annotation.integer("summary_start"), annotation.integer("summary_end")
        marked = annotation.values.get("summary_span")
        if marked is not None and published[start:end] != marked:
            problem = f"annotation {annotation.number}: its words are not what stands at {start}–{end}"
            raise BadRow(Reason.CONTRADICTION, problem)
        spans.append((start, end, label))
    return spans


def labels(tables: Tables) -> list[dict]:
    """Return whether each summary's worst label is Unwanted, which it is, whether each annotator of its batch marked
    something Unwanted, and whether each detector calls it hallucinated.
    """
    units, rows = {}, []
    for sample in tables.samples.to_dicts():
        attributes, wrong = attributes_of(sample), sample["is_hallucinated"]
        unit = Unit(sample["generator"], attributes["unit"], sample["group_id"], [])
        units[sample["sample_id"]] = unit
        rows.append(label_row(unit, "unwanted", yes_or_no(wrong), of=WRONG, gives=float(wrong)))
        rows.append(label_row(unit, "worst label", attributes["label"]))
        for name, _, answer in (
            part.partition("=") for part in attributes.get(RATERS, "").split(";") if part
        ):
            rows.append(label_row(unit, RATED, answer, rater=name))
    for row in tables.judgements.to_dicts():
        rows.append(label_row(units[row["target_id"]], row["judge"], yes_or_no(row["verdict"])))
    return rows
