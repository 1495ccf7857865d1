"""mFAVA's published files (ul Islam, Lauscher, Glavaš 2025): passages tagged by GPT-4 and by people; queries.

A folder may hold any of them, packed with Zstandard or not. Tags are read strictly: a passage whose tags are
malformed, or whose text without tags differs from the published one in more than blanks, is a reject; its
other labelling stays.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from truerate.core.schemas import pairs
from truerate.core.spans.tags import TYPES
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import (
    Cut,
    Cutter,
    changed,
    csv_records,
    json_lines,
    json_list,
    readable,
    zstd_lines,
)
from truerate.sources.downloads import matching, public_set
from truerate.sources.rows import BadRow, Reason, Row, span
from truerate.sources.tagged import spans_on

N_REFERENCES = 5  # columns of references of a wild article
# The languages by the names of their folders.
LANGUAGES = dict(
    pair.split("=")
    for pair in (
        "arabic=ar basque=eu bengali=bn cantonese=yue catalan=ca chinese=zh czech=cs danish=da dutch=nl "
        "english=en esperanto=eo estonian=et finnish=fi french=fr german=de greek=el hebrew=he hindi=hi "
        "hungarian=hu indonesian=id italian=it japanese=ja korean=ko latin=la latina=la lithuanian=lt "
        "malay=ms norwegian=no persian=fa polish=pl portuguese=pt romanian=ro russian=ru serbian=sr "
        "sindhi=sd spanish=es swedish=sv tamil=ta thai=th turkish=tr ukrainian=uk urdu=ur vietnamese=vi"
    ).split()
)
WRITER = "gpt-4"  # wrote the passages, the insertions and the silver tags
SET = public_set("mfava")
GOLD, SILVER, WILD = SET.holds.values()  # each: the publisher's files, this project's file, the same packed
_NUMBER = re.compile(r"\s*\d{1,2}\s*[.)．、]\s*")


@dataclass
class Passage:
    """A published text and its rows: silver spans (None if unreadable), and gold spans per readable row."""

    lang: str
    text: str
    reference: str
    rows: list[int] = field(default_factory=list)
    silver: list[dict] | None = None
    gold: dict[int, list[dict]] = field(default_factory=dict)


@reads("mfava")
def read(collection: Collection) -> None:
    """Read silver and gold samples on items of task `silver`, one per text, and queries on items of task
    `wild`.

    The gold file has a row per annotator: one gold sample by max-voting, and a judgement each. Rows of the
    silver file are aligned over languages, so its groups are row numbers; the gold file's are references. (By
    the numbers in their references both files are about the same questions, each in languages of its own.)
    """
    gold, silver, wild = (_present(collection, *names) for names in (GOLD, SILVER, WILD))
    looked_for = [names[rank] for rank in (0, 1) for names in (GOLD, SILVER, WILD)]
    collection.refuse_none(gold or silver or wild, "none of mFAVA's files (or .zst)", *looked_for)
    passages: dict[tuple, Passage] = {}
    for file, cut in gold.items():
        path = collection.folder / file
        copied = copies(contents_of(cut(path.read_bytes()))) if path.is_file() else set()
        collection.read(file, cut, partial(_label, collection, passages, file, is_gold=True, copied=copied))
    for file, cut in silver.items():
        collection.read(file, cut, partial(_label, collection, passages, file, is_gold=False))
    _keep_passages(collection, passages)
    categories: set[tuple[str, str]] = set()
    for file, cut in wild.items():
        collection.read(file, cut, partial(_keep_queries, collection, categories, file))
    collection.counts.update(f"n_categories_{lang}" for lang, _ in categories)


def _present(collection: Collection, published: str, ours: str, packed: str) -> dict[str, Cutter]:
    """The files of one kind with their cutters: this project's one, else the publisher's."""
    for file in collection.present(ours, packed):
        return {file: zstd_lines if file == packed else json_lines}
    return {file: _published_cut(file) for file in matching(collection.folder, published)}


def _published_cut(file: str) -> Cutter:
    """Return what cuts a published file: its rows get their folder's language, and their number from 0."""
    language = file.split("/")[-2].lower()
    fields = {"lang": LANGUAGES.get(language, language)}
    if file.endswith(".csv"):
        cut = partial(csv_records, columns=("Article Title", "query_1", "query_2"))
        return changed(cut, lambda values, number: _wild_row(values) | fields | {"row": number - 1})
    return changed(json_list, lambda values, number: values | fields | {"row": number - 1})


def _wild_row(record: dict) -> dict:
    """A published article: its columns of references and queries as lists, without the empty ones."""
    columns = ("references", *(f"reference_{number}" for number in range(1, N_REFERENCES + 1)))
    filled = {name: cell for name, cell in record.items() if cell and cell.strip()}
    return {
        "title": record["Article Title"],
        "category": record.get("Category"),
        "url": record.get("URL"),
        "references": [filled[name] for name in columns if name in filled],
        "queries": [filled[name] for name in ("query_1", "query_2") if name in filled],
    }


# ---- passages ----------------------------------------------------------------------------------------------
def _label(
    collection: Collection,
    passages: dict[tuple, Passage],
    file: str,
    row: Row,
    *,
    is_gold: bool,
    copied: Container[int] = (),
) -> None:
    """Note the labels of one row; an unreadable one is a reject. `copied`: gold rows that are copies."""
    lang, number, counts = row.language(), row.integer("row"), collection.counts
    text, reference = row.text("generated_text"), row.text("references")
    labels = {
        kind: row.text(f"{kind}_annotations") for kind in (("silver", "gold") if is_gold else ("silver",))
    }
    collection.once(f"the row of {file}", lang, number, row=row)
    if row.number in copied:
        raise BadRow(Reason.DUPLICATE, "the row was already read, with the same fields")
    if not is_gold:
        collection.once_said("the silver row", row, but=("row",))
    identity = ("gold", lang, text, reference) if is_gold else ("silver", lang, number)
    passage = passages.setdefault(identity, Passage(lang, text, reference))
    if passage.rows and number == passage.rows[-1] + 1:
        # repeated at once, so by the same person: the later row counts
        passage.gold.pop(passage.rows.pop(), None)
        counts[f"n_gold_repeated_{lang}"] += 1
    passage.rows.append(number)
    for kind, marked in labels.items():
        counts[f"n_{kind}_rows_{lang}"] += 1
        # of every row, read or not: what the paper's Tables 2 and 4 count as spans
        for tag in TYPES:
            counts[f"n_{kind}_tags-{tag}_{lang}"] += marked.count(f"<{tag}>")
        try:
            spans = spans_on(text, marked)
        except BadRow as bad:
            collection.reject(file, bad, row=row.number, target_id=f"{lang}/{number}/{kind}", text=marked)
            counts[f"n_{kind}_{bad.reason.value}_{lang}"] += 1
            continue
        counts[f"n_{kind}_clean_{lang}"] += 1
        if kind == "gold":
            passage.gold[number] = spans
        elif passage.silver is None:
            passage.silver = spans


def _keep_passages(collection: Collection, passages: dict[tuple, Passage]) -> None:
    """Items, samples and judgements of what could be read."""
    gold = [passage for (kind, *_), passage in passages.items() if kind == "gold"]
    who = annotators({(passage.lang, row): passage.text for passage in gold for row in passage.rows})
    for (lang, _), judge in who.items():
        if judge.endswith(NOT_INFERABLE):
            collection.counts[f"n_gold_not-inferable_{lang}"] += 1
    for (kind, *_), passage in passages.items():
        if passage.silver is None and not passage.gold:
            continue
        item = collection.item(
            "silver",
            group=("reference", passage.reference) if kind == "gold" else ("row", passage.rows[0]),
            lang=passage.lang,
            document_ids=[collection.document(passage.reference, lang=passage.lang)],
            row=passage.rows[0],
            origin=kind,
            is_shared=True,
        )
        if passage.silver is not None:
            _sample(collection, item, passage, "silver", passage.silver)
        if passage.gold:
            spans_of_all = settled(list(passage.gold.values()), passage.text)
            sample = _sample(collection, item, passage, "gold", spans_of_all, n_annotators=len(passage.gold))
            for row, spans in passage.gold.items():
                more = {"key": (row,), "spans": spans, "attributes": pairs(row=row, stage="raw")}
                collection.judgement(sample["sample_id"], who[passage.lang, row], bool(spans), **more)


def _sample(
    collection: Collection, item: dict, passage: Passage, labels: str, spans: list[dict], **more
) -> dict:
    about = {"label_source": labels, "labels": labels, "generator": WRITER, "spans": spans}
    return collection.sample(item, passage.text, is_hallucinated=bool(spans), **about, **more)


# ---- queries -----------------------------------------------------------------------------------------------
def _keep_queries(collection: Collection, categories: set[tuple[str, str]], file: str, row: Row) -> None:
    """Keep the queries about one article without leading numbers; its paragraphs are their reference. Its category
    joins `categories`, by language.
    """
    lang, title, number = row.language(), row.text("title"), row.values.get("row")
    reference = "\n\n".join(part for part in row.texts("references") if part.strip())
    queries = [bare for query in row.texts("queries") if (bare := _NUMBER.sub("", query, count=1).strip())]
    if not reference or not queries:
        raise BadRow(Reason.EMPTY_FIELD, f"field {'queries' if reference else 'references'!r} holds no text")
    collection.once(f"the row of {file}", lang, row.integer("row"), row=row)
    document_id = collection.document(reference, title=title, lang=lang, url=row.optional_text("url"))
    about = {"lang": lang, "title": title, "category": row.optional_text("category")}
    categories |= {(lang, about["category"])} if about["category"] else set()
    group = ("article", lang, title)
    collection.counts[f"n_articles_{lang}"] += 1
    for query in queries:
        try:
            collection.item("wild", group=group, question=query, document_ids=[document_id], **about)
        except BadRow as bad:
            collection.reject(file, bad, row=row.number, target_id=f"{lang}/{number}/wild", text=query)
            continue
        collection.counts[f"n_queries_{lang}"] += 1


# ---- whose rows are whose: the gold file names no annotators; and their vote --------------------------------
N_SHARED = 20  # texts that several rows of a language must share before their order tells whose they are
NOT_INFERABLE = "not inferable"
# a row that was repeated at once is counted by its later one, which leaves a hole in the numbers
N_REPEATED = 2
N_COMPARED = 30  # rows before and behind two equal ones that are held against each other
Content = tuple[object, str]  # of a row: its text, and all that it says but its number


def contents_of(cut: Cut) -> list[Content]:
    """Return what each row of a gold file says; of an unreadable row, nothing that another one says."""
    contents: list[Content] = []
    for number, values in readable(cut):
        if isinstance(values, dict):
            fields = {key: value for key, value in values.items() if key != "row"}
            contents.append((values.get("generated_text"), json.dumps(fields, sort_keys=True, default=str)))
        else:
            contents.append((number, f"unreadable {number}"))
    return contents


def copies(rows: Sequence[Content]) -> set[int]:
    """The numbers (from 1) of rows that are copies: they say all that an earlier row says, and are not
    another annotator's.

    Annotators of shared texts take them in one order: where two agree wholly on one text, the rows around
    both are of the same texts, and one of them says something else. A row that repeats the one before it is
    none here: see `Passage`.
    """
    first: dict[str, int] = {}
    copied = set()
    for index, (_, fields) in enumerate(rows):
        before = first.setdefault(fields, index)
        if index - before > 1 and not _is_of_another(rows, before, index):
            copied.add(index + 1)
    return copied


def _is_of_another(rows: Sequence[Content], before: int, index: int) -> bool:
    """Return whether rows around two equal ones, of the same texts in the same order, differ in what they
    say.
    """
    for step in (-1, 1):
        for gap in range(step, step * (N_COMPARED + 1), step):
            earlier, later = before + gap, index + gap
            if not (0 <= earlier and later < len(rows)) or rows[earlier][0] != rows[later][0]:
                break
            if rows[earlier][1] != rows[later][1]:
                return True
    return False


def annotators(texts: dict[tuple[str, int], str]) -> dict[tuple[str, int], str]:
    """Return who labelled each row (language, row number), as a name per language; inferred, not published.

    Shared texts stand in the file once per annotator, in one order: a run of neighbouring rows whose texts
    all stand elsewhere, too, and none twice in the run, is one annotator's. Rows whose text stands once are
    `single`. Where a language shares fewer than N_SHARED texts the order tells nothing (many "annotators" of
    one row): all those rows are `not inferable`, one name, so that no agreement is computed between them.
    """
    n_rows = Counter((lang, text) for (lang, _), text in texts.items())
    shared = {text for text, n in n_rows.items() if n > 1}
    n_shared = Counter(lang for lang, _ in shared)
    names, run, n_runs = {}, [], Counter()
    for lang, row in sorted(texts):
        if (lang, texts[lang, row]) not in shared:
            names[lang, row], run = f"{lang} single", []
            continue
        if n_shared[lang] < N_SHARED:
            names[lang, row] = f"{lang} {NOT_INFERABLE}"
            continue
        is_next = run and run[-1] >= (lang, row - N_REPEATED)
        if not is_next or texts[lang, row] in {texts[earlier] for earlier in run}:
            n_runs[lang] += 1
            run = []
        run.append((lang, row))
        names[lang, row] = f"{lang} annotator {n_runs[lang]}"
    return names


def settled(marked: list[list[dict]], text: str) -> list[dict]:
    """Return max-voting: the runs of characters that more than half of the annotators marked (of two both),
    cut where the type of most of them changes.

    Of types with equal votes the first by name is taken. Blanks at the edges of a run are left out. `p` is
    null.
    """
    changes: dict[int, Counter[str]] = defaultdict(Counter)  # votes that begin (+1) and end (-1) at a place
    for mark in (mark for spans in marked for mark in spans):
        changes[mark["start"]][mark["type"]] += 1
        changes[mark["end"]][mark["type"]] -= 1
    votes: Counter[str] = Counter()
    runs: list[dict] = []
    for start, end in pairwise(sorted(changes)):
        votes.update(changes[start])
        if 2 * votes.total() <= len(marked):
            continue
        kind = min((kind for kind in votes if votes[kind]), key=lambda kind: (-votes[kind], kind))
        if runs and runs[-1]["end"] == start and runs[-1]["type"] == kind:
            runs[-1]["end"] = end
        else:
            runs.append(span(start, end, kind))
    trimmed = []
    for run in runs:
        piece = text[run["start"] : run["end"]]
        if piece.strip():
            start = run["start"] + len(piece) - len(piece.lstrip())
            trimmed.append(run | {"start": start, "end": start + len(piece.strip())})
    return trimmed
