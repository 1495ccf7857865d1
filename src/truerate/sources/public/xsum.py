"""XSum hallucination annotations (Maynez et al. 2020): spans that three workers marked in summaries of BBC
articles.

Three layouts are read: the publisher's CSV (apostrophes written `\\'`, offsets from 1, `NULL` for no span),
the Parquet files of `google-research-datasets/xsum_factuality` on the Hub (configuration `xsum_faithfulness`:
no text of the span, types as numbers), and this project's (offsets from 0). Items have no documents: the
articles are not part of the data.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from truerate.core.text import find_span
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import SUFFIX, Cutter, changed, columns_of, csv_records, parquet_rows
from truerate.sources.downloads import matching, public_set
from truerate.sources.public.unit_labels import RATED, Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row, span
from truerate.sources.tagged import in_cleaned

COLUMNS = ("bbcid", "system", "worker_id", "summary_unescaped", "hallucination_type", "start", "end")
PUBLISHED = tuple(
    "bbcid system summary hallucination_type hallucinated_span_start hallucinated_span_end worker_id".split()
)
TYPES = ("intrinsic", "extrinsic", "NULL")
BREAK = "\\n"  # a line break, as spans have it at their edges
NUMBERS = {"0": "intrinsic", "1": "extrinsic", "-1": "NULL", "": "NULL"}  # of the types on the Hub
PEOPLE = "Gold"
WORD = re.compile(r"\S+")  # of a summary, as workers marked it
SET = public_set("xsum")
CLONE, FILE, _ = SET.patterns
Span = tuple[int, int, str]


@dataclass
class Summary:
    """A summary: its text, what each worker marked, and (`empty`) rows in which a worker marks nothing."""

    text: str
    marked: dict[str, set[Span]] = field(default_factory=dict)
    empty: dict[str, int] = field(default_factory=dict)


@reads("xsum")
def read(collection: Collection) -> None:
    """Read summaries as samples, hallucinated where most workers marked something; each worker's marks as a
    judgement.

    Where a worker also has a row without a mark, the spans stand and that row is a reject.
    """
    summaries: dict[tuple[str, str], Summary] = {}
    files = _files(collection)
    for file, cut in files.items():
        collection.read(file, cut, partial(_mark, summaries))
    file = next(iter(files))
    for (article, system), summary in summaries.items():
        for worker, number in summary.empty.items():
            if summary.marked[worker]:
                bad = BadRow(Reason.CONTRADICTION, f"{worker} marked spans in this summary, too; they stand")
                target_id = f"{article}/{system}/{worker}"
                collection.reject(file, bad, row=number, target_id=target_id, text=summary.text)
        try:
            _keep(collection, summary, article, system)
        except BadRow as bad:
            collection.reject(file, bad, text=summary.text)


def _files(collection: Collection) -> dict[str, Cutter]:
    """The files to read with their cutters: this project's, else the publisher's, else those of the Hub."""
    folder = collection.folder
    ours: dict[str, Cutter] = {FILE: partial(csv_records, columns=COLUMNS)}
    if collection.has(FILE):
        return ours
    if (folder / CLONE).is_file():
        return {CLONE: changed(partial(csv_records, columns=PUBLISHED), _from_zero)}
    of_hub = matching(folder, f"**/*{SUFFIX}")
    annotations = [file for file in of_hub if set(PUBLISHED) <= set(columns_of(folder / file))]
    return dict.fromkeys(annotations, changed(parquet_rows, _from_zero)) or ours


def _from_zero(values: dict, number: int) -> dict:
    """Return a published row in this project's shape: plain apostrophes, the type by its name, offsets from
    0.

    Where the words of a span do not stand at its place (start 0), they are searched for in the summary,
    without line breaks (`\\n`) at their edges. Raises BadRow: `unresolved` where they are not in it,
    `malformed` for a span with neither a place nor words.
    """
    text, kind, words = (values.get(name) for name in ("summary", "hallucination_type", "hallucinated_span"))
    text = text.replace("\\'", "'") if isinstance(text, str) else text
    kind = NUMBERS.get("" if kind is None else str(kind), kind)
    if isinstance(kind, str):
        kind = next((name for name in TYPES if name.casefold() == kind.casefold()), kind)
    start, end = (_one_less(values.get(f"hallucinated_span_{side}")) for side in ("start", "end"))
    if kind != "NULL" and start == -1 and words is None:
        raise BadRow(Reason.MALFORMED, "the span begins at 0, which is no place, and its words are not there")
    if isinstance(words, str) and isinstance(text, str) and kind != "NULL":
        words = words.replace("\\'", "'").removeprefix(BREAK).removesuffix(BREAK)
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start and text[start:end] == words):
            if (bounds := find_span(text, words)) is None:
                problem = f"the words of the span, {words[:40]!r}, do not stand in the summary"
                raise BadRow(Reason.UNRESOLVED, problem)
            start, end = bounds
    fields = {"bbcid": str(values.get("bbcid") or ""), "summary_unescaped": text, "hallucination_type": kind}
    return values | fields | {"start": start, "end": end}


def _one_less(offset: object) -> object:
    """An offset counted from 1 as one counted from 0; what is no whole number stays as it is."""
    try:
        return int(str(offset)) - 1
    except ValueError:
        return offset


def _mark(summaries: dict[tuple[str, str], Summary], row: Row) -> None:
    """Book one row: a marked span, or that a worker found nothing."""
    article, system, worker = row.text("bbcid"), row.text("system"), row.text("worker_id")
    text, published = row.text("summary_unescaped"), row.values["summary_unescaped"]
    kind, mark = row.choice("hallucination_type", TYPES), None
    if kind != "NULL":
        ((start, end),) = in_cleaned(published, [(row.integer("start"), row.integer("end"))])
        mark = (start, end, kind)
    summary = summaries.setdefault((article, system), Summary(text))
    if summary.text != text:
        problem = f"field 'summary_unescaped' differs from the text read before for {article}, {system}"
        raise BadRow(Reason.CONFLICT, problem)
    marked = summary.marked.setdefault(worker, set())
    if mark in marked or (mark is None and worker in summary.empty):
        raise BadRow(Reason.DUPLICATE, f"the same row of {worker} was already read for {article}, {system}")
    if mark:
        marked.add(mark)
    else:
        summary.empty[worker] = row.number


def _keep(collection: Collection, summary: Summary, article: str, system: str) -> None:
    marked = list(summary.marked.values())
    n_marking = sum(map(bool, marked))
    if 2 * n_marking == len(marked):
        problem = f"summary of {article} by {system}: {n_marking} of {len(marked)} workers marked something"
        raise BadRow(Reason.NO_MAJORITY, problem)
    item = collection.item("summarization", group=("article", article), article=article, is_shared=True)
    sample = collection.sample(
        item,
        summary.text,
        is_hallucinated=2 * n_marking > len(marked),
        label_source="published",
        generator=None if system == PEOPLE else system,
        spans=[span(*run) for run in majority_spans(marked, len(summary.text))],
        system=system,
    )
    for worker, spans in sorted(summary.marked.items()):
        # workers are seats (`wid_0` …), not persons
        marks = [span(*mark) for mark in sorted(spans)]
        collection.judgement(sample["sample_id"], worker, bool(spans), spans=marks)


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


def labels(tables: Tables) -> list[dict]:
    """Return what each worker marked in each summary, by kind, and whether a mark touches each word."""
    samples = {sample["sample_id"]: sample for sample in tables.samples.to_dicts()}
    rows = []
    for row in tables.judgements.to_dicts():
        sample, spans, rater = samples[row["target_id"]], row["spans"], row["judge"]
        unit = Unit(attributes_of(sample)["system"], row["target_id"], sample["group_id"], [])
        kinds = {mark["type"] for mark in spans}
        asked = {RATED: bool(kinds), **{kind: kind in kinds for kind in TYPES[:2]}}
        rows += [label_row(unit, name, yes_or_no(label), rater=rater) for name, label in asked.items()]
        for index, word in enumerate(WORD.finditer(sample["text"])):
            is_marked = any(mark["start"] < word.end() and mark["end"] > word.start() for mark in spans)
            rows.append(label_row(unit, "word", yes_or_no(is_marked), part=str(index), rater=rater))
    return rows
