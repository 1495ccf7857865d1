"""XSum hallucination annotations (Maynez et al. 2020): spans that three workers marked in summaries of BBC
articles.

Three layouts are read: the publisher's CSV (apostrophes written `\\'`, offsets from 1, `NULL` for no span), the Parquet files
of `google-research-datasets/xsum_factuality` on the Hub (configuration `xsum_faithfulness`: no text of the span, types as
numbers), and this project's (offsets from 0). The articles themselves are not part of the data, so items have no documents.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from truerate.core.text import clean, find_span
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, changed, matching
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import Cut, csv_records
from truerate.sources.parquet import SUFFIX, columns_of, parquet_rows
from truerate.sources.public.unit_labels import Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tagged import in_cleaned

FILE = "hallucination_spans.csv"
COLUMNS = ("bbcid", "system", "worker_id", "summary_unescaped", "hallucination_type", "start", "end")
CLONE = "hallucination_annotations_xsum_summaries.csv"
PUBLISHED = tuple(
    (
        "bbcid system summary hallucination_type hallucinated_span_start hallucinated_span_end worker_id"
    ).split()
)
TYPES = ("intrinsic", "extrinsic", "NULL")
BREAK = "\\n"  # a line break, as spans have it at their edges
NUMBERS = {"0": "intrinsic", "1": "extrinsic", "-1": "NULL", "": "NULL"}  # of the types on the Hub
PEOPLE = "Gold"
WORD = re.compile(r"\S+")  # of a summary, as workers marked it
CARD = published_card("xsum")

SET = PublicSet(
    repository="google-research-datasets/xsum_hallucination_annotations",
    holds={"spans of three workers": (CLONE, FILE, f"xsum_faithfulness/*{SUFFIX}")},
    labelled_by="people (three workers a summary)",
)
Span = tuple[int, int, str]


@dataclass
class Summary:
    """One annotated summary: its text, and what each worker marked in it (nothing, where only NULL rows stand).

    `empty`: the rows in which a worker says that there is nothing to mark.
    """

    text: str
    marked: dict[str, set[Span]] = field(default_factory=dict)
    empty: dict[str, int] = field(default_factory=dict)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Summaries as samples, hallucinated where most workers marked something; each worker's marks as a
    judgement.

    Where a worker both marked spans and said that there is nothing to mark, the spans stand and the other row
    is a reject.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    summaries: dict[tuple[str, str], Summary] = {}
    files = _files(collection)
    for file, cut in files.items():
        collection.read(file, cut, lambda row: _mark(summaries, row))
    file = next(iter(files))
    for (article, system), summary in summaries.items():
        for worker in [worker for worker in summary.empty if summary.marked[worker]]:
            bad = BadRow(Reason.CONTRADICTION, f"{worker} marked spans in this summary, too; they stand")
            collection.reject(
                file,
                bad,
                row=summary.empty[worker],
                target_id=f"{article}/{system}/{worker}",
                text=summary.text,
            )
        try:
            _keep(collection, summary, article, system)
        except BadRow as bad:
            collection.reject(file, bad, text=summary.text)
    return collection.tables()


def _files(collection: Collection) -> dict[str, Callable[[bytes], Cut]]:
    """The files to read with what cuts them: this project's where it is there, else the publisher's, else those of the Hub."""
    if collection.has(FILE):
        return {FILE: partial(csv_records, columns=COLUMNS)}
    if (collection.folder / CLONE).is_file():
        return {CLONE: changed(partial(csv_records, columns=PUBLISHED), _from_zero)}
    matches = matching(collection.folder, f"**/*{SUFFIX}")
    ours = [file for file in matches if set(PUBLISHED) <= set(columns_of(collection.folder / file))]
    return {file: changed(parquet_rows, _from_zero) for file in ours} or {
        FILE: partial(csv_records, columns=COLUMNS)
    }


def _from_zero(values: dict, number: int) -> dict:
    """A published row in this project's shape: plain apostrophes, the type by its name, offsets from 0.

    Where the words of a span do not stand at its place (start 0), they are searched for in the summary; line breaks at
    their edges, written `\\n`, are none of them. Raises BadRow: `unresolved` where they are not in it, `malformed` where
    a span has neither a place nor words.
    """
    published = values.get("summary")
    text = published.replace("\\'", "'") if isinstance(published, str) else published
    fields = {"bbcid": str(values.get("bbcid") or ""), "summary_unescaped": text}
    kind = values.get("hallucination_type")
    kind = NUMBERS.get("" if kind is None else str(kind), kind)
    if isinstance(kind, str):
        kind = next((name for name in TYPES if name.casefold() == kind.casefold()), kind)
    places = (values.get("hallucinated_span_start"), values.get("hallucinated_span_end"))
    start, end = (_one_less(offset) for offset in places)
    words = values.get("hallucinated_span")
    if kind != "NULL" and start == -1 and words is None:
        raise BadRow(Reason.MALFORMED, "the span begins at 0, which is no place, and its words are not there")
    if isinstance(words, str) and isinstance(text, str) and kind != "NULL":
        words = words.replace("\\'", "'").removeprefix(BREAK).removesuffix(BREAK)
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start and text[start:end] == words):
            bounds = find_span(text, words)
            if bounds is None:
                raise BadRow(
                    Reason.UNRESOLVED, f"the words of the span, {words[:40]!r}, do not stand in the summary"
                )
            start, end = bounds
    return values | fields | {"hallucination_type": kind, "start": start, "end": end}


def _one_less(offset: object) -> object:
    """An offset counted from 1 as one counted from 0; what is no whole number stays as it is."""
    try:
        return int(str(offset)) - 1
    except ValueError:
        return offset


def _mark(summaries: dict[tuple[str, str], Summary], row: Row) -> None:
    """Book one row: a marked span, or that a worker found nothing."""
    article, system, worker = row.text("bbcid"), row.text("system"), row.text("worker_id")
    row.text("summary_unescaped")
    published, kind = row.values["summary_unescaped"], row.choice("hallucination_type", TYPES)
    span = None if kind == "NULL" else _span(row, published, kind)
    summary = summaries.setdefault((article, system), Summary(clean(published)))
    if summary.text != clean(published):
        raise BadRow(
            Reason.CONFLICT,
            f"field 'summary_unescaped' differs from the text read before for {article}, {system}",
        )
    marked = summary.marked.setdefault(worker, set())
    if span in marked or (span is None and worker in summary.empty):
        raise BadRow(Reason.DUPLICATE, f"the same row of {worker} was already read for {article}, {system}")
    if span:
        marked.add(span)
    else:
        summary.empty[worker] = row.number


def _span(row: Row, published: str, kind: str) -> Span:
    """A marked span, its code points moved to where they stand in the cleaned text."""
    ((start, end),) = in_cleaned(published, [(row.integer("start"), row.integer("end"))])
    return start, end, kind


def _keep(collection: Collection, summary: Summary, article: str, system: str) -> None:
    n_workers, n_marking = len(summary.marked), sum(bool(spans) for spans in summary.marked.values())
    if 2 * n_marking == n_workers:
        raise BadRow(
            Reason.NO_MAJORITY,
            f"summary of {article} by {system}: {n_marking} of {n_workers} workers marked something",
        )
    item = collection.item("summarization", group=("article", article), article=article, is_shared=True)
    sample = collection.sample(
        item,
        summary.text,
        is_hallucinated=2 * n_marking > n_workers,
        label_source="published",
        generator=None if system == PEOPLE else system,
        spans=_as_rows(majority_spans(list(summary.marked.values()), len(summary.text))),
        system=system,
    )
    for worker, spans in sorted(summary.marked.items()):
        # workers are seats (`wid_0` …), not persons
        collection.judgement(sample["sample_id"], worker, bool(spans), spans=_as_rows(sorted(spans)))


def majority_spans(marked: list[set[Span]], n_characters: int) -> list[Span]:
    """The character runs that most workers marked; the type is theirs if they agree, else `mixed`."""
    kinds: list[Counter[str]] = [Counter() for _ in range(n_characters)]
    for spans in marked:
        covered = {index: kind for start, end, kind in sorted(spans) for index in range(start, end)}
        for index, kind in covered.items():
            kinds[index][kind] += 1
    runs: list[Span] = []
    for index, counts in enumerate(kinds):
        if 2 * counts.total() <= len(marked):
            continue
        kind = next(iter(counts)) if len(counts) == 1 else "mixed"
        if runs and runs[-1][1] == index:
            start, _, before = runs.pop()
            runs.append((start, index + 1, kind if kind == before else "mixed"))
        else:
            runs.append((index, index + 1, kind))
    return runs


def _as_rows(spans: list[Span]) -> list[dict]:
    return [{"start": start, "end": end, "type": kind, "p": None} for start, end, kind in spans]


def labels(tables: Tables) -> list[dict]:
    """What each worker marked in each summary, by kind, and whether a mark touches each word."""
    units, words = {}, {}
    for sample in tables.samples.to_dicts():
        identity = sample["sample_id"]
        units[identity] = Unit(attributes_of(sample)["system"], identity, sample["group_id"], [])
        words[identity] = [match.span() for match in WORD.finditer(sample["text"])]
    rows = []
    for row in tables.judgements.to_dicts():
        unit, spans = units[row["target_id"]], row["spans"]
        kinds = {span["type"] for span in spans}
        asked = {"hallucinated": bool(kinds), **{kind: kind in kinds for kind in ("intrinsic", "extrinsic")}}
        rows += [
            label_row(unit, question, yes_or_no(label), rater=row["judge"])
            for question, label in asked.items()
        ]
        for index, (start, end) in enumerate(words[row["target_id"]]):
            is_marked = any(span["start"] < end and span["end"] > start for span in spans)
            rows.append(label_row(unit, "word", yes_or_no(is_marked), part=str(index), rater=row["judge"]))
    return rows
