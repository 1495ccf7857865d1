"""Mu-SHROOM (SemEval-2025 task 3): answers of language models in many languages, with the characters that
people marked as hallucinated.

Soft spans hold the share of annotators; what more than half of them marked is hard. Several languages come
with the text of the page that the annotators used.
"""

import io
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from truerate.core.errors import SourceError, listed
from truerate.core.schemas import pairs
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, changed, matching
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import Cut, json_lines, zstd_lines
from truerate.sources.raw.wiki_pages import article, canonical, plain_address
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tagged import in_cleaned, refuse_overlap

ANSWERS = ("val.jsonl", "test.jsonl", "train.jsonl")
PARTS = ("val", "test")
CLONE = {  # labelled answers, a file per language; other versions and unlabelled files lie beside them
    "val": ("splits/val/v2/mushroom.*-val.v2.extra.jsonl", "splits/val/v2/mushroom.*-val.v2.jsonl"),
    "test": (
        "splits/test_labeled/v1/mushroom.*-tst.v1.extra.jsonl",
        "splits/test_labeled/v1/mushroom.*-tst.v1.jsonl",
    ),
}
REVISION = "?oldid="  # in the address of a page as it stood then
PAGES = "data/url-pages/*.tar.gz"
TYPE = "hallucination"
ANSWERED, WITH_PAGE = "n_answers_", "n_answers_with_page_"  # counts by language
HARD = 0.5  # a character is hallucinated where more than this share marked it (the task's rule)
WIKIPEDIA = "CC BY-SA 4.0"
CARD = published_card("mushroom")


SET = PublicSet(
    repository="Helsinki-NLP/mu-shroom",
    holds={
        "val": (*CLONE["val"], "val.jsonl"),
        "test": (*CLONE["test"], "test.jsonl"),
        "pages": (PAGES, "pages_*.jsonl.zst"),
    },
    labelled_by="people (3 to 12 an answer, spans)",
    unproven=("test",),
    by_part={"val": ("val",), "test": ("test",)},
)


def read(folder: Path, *, name: str, on_bad_row: str, part: str | None = None) -> SourceTables:
    """Each answer as a gold sample of an item of task `wild`, with its page as document, and each annotator's
    raw marks as a judgement.

    Raw marks are those before the organisers' clean-up: the soft spans cannot be computed from them. `part`: the split
    that is read, `val` or `test`; all that are there where none is named.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = [file for file in ANSWERS if collection.has(file) and part in (None, Path(file).stem)]
    published = [] if present else _published(folder, part)
    if not present and not published:
        looked = ", ".join([*(CLONE[split][0] for split in PARTS if part in (None, split)), *ANSWERS])
        raise SourceError(
            f"source {name!r}: none of Mu-SHROOM's files in {str(folder)!r}; looked for: {looked}"
        )
    _read_published(collection, published)
    for file in present:
        pages: dict[str, dict] = {}
        packed = f"pages_{file}.zst"  # pages_val.jsonl.zst beside val.jsonl
        if (folder / packed).is_file():
            collection.read(
                packed, zstd_lines, lambda row, file=packed, pages=pages: _book(collection, file, pages, row)
            )
        collection.read(
            file, json_lines, lambda row, file=file, pages=pages: _keep(collection, file, pages, row)
        )
    collection.card["caveats"] = without_page(collection.counts)
    return collection.tables()


def without_page(counts: Mapping[str, int]) -> list[str]:
    """The sentence on answers without a page: how many, and languages in which all are."""
    answers = {name.removeprefix(ANSWERED): n for name, n in counts.items() if _is_of_language(name)}
    bare = {lang: n - counts.get(f"{WITH_PAGE}{lang}", 0) for lang, n in sorted(answers.items())}
    if not (n := sum(bare.values())):
        return []
    whole = [lang for lang, missing in bare.items() if missing == answers[lang]]
    detail = f", among them all in {listed(whole)}" if whole else ""
    return [
        f"For {n:,} of {sum(answers.values()):,} answers no page is among the files that were read{detail}. A detector that looks "
        "words up has nothing to look in there; whoever reads no reference is not touched by it."
    ]


def _is_of_language(name: str) -> bool:
    return name.startswith(ANSWERED) and not name.startswith(WITH_PAGE)


def _published(folder: Path, part: str | None) -> list[str]:
    """The files of a clone that hold labelled answers; of a language the one with the fields added later."""
    by_name: dict[str, str] = {}
    for split in PARTS if part is None else (part,):
        for pattern in CLONE[split]:
            for file in matching(folder, pattern):
                by_name.setdefault(file.replace(".extra.", "."), file)
    return sorted(by_name.values())


def _read_published(collection: Collection, files: list[str]) -> None:
    """Read the answers of a clone, and before them the pages that they name, of which a clone holds more."""
    if not files:
        return
    named = {
        plain_address(url) for file in files for url in _addresses((collection.folder / file).read_bytes())
    }
    pages: dict[str, dict] = {}
    for archive in matching(collection.folder, PAGES):
        collection.read(archive, partial(_archived, named=named), partial(_book, collection, archive, pages))
    by_url = {pages[name]["url"].partition(REVISION)[0]: name for name in sorted(pages, reverse=True)}
    cut = changed(json_lines, lambda values, number: values | {"page_id": _page_of(values, by_url)})
    for file in files:
        collection.read(file, cut, partial(_keep, collection, file, pages))


def _addresses(raw: bytes) -> Iterator[str]:
    """The pages that the answers of a file name; none where it cannot be cut, which ends the run when it is read."""
    try:
        yield from (url for _, make in json_lines(raw) if (url := _url(make)))
    except BadRow:
        return


def _url(make: Callable[[], object]) -> str | None:
    """The page that an unread row names; None for a row that cannot be read, which is booked when it is."""
    try:
        values = make()
    except BadRow:
        return None
    url = values.get("wikipedia_url") if isinstance(values, dict) else None
    return url if isinstance(url, str) else None


def _page_of(values: dict, by_url: dict[str, str]) -> str | None:
    url = values.get("wikipedia_url")
    return by_url.get(plain_address(url)) if isinstance(url, str) else None


def _archived(raw: bytes, *, named: set[str]) -> Cut:
    """The pages of an archive, each as a row of this project's form; of those that no answer names the id alone."""
    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:gz") as archive:
            for number, member in enumerate(archive, 1):
                file = archive.extractfile(member) if member.isfile() else None
                if file:
                    content = file.read()
                    is_named = canonical(content) in named
                    yield number, partial(_page_row, member.name, content if is_named else None)
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise BadRow(Reason.UNPARSABLE, f"not a gzip tar: {str(error)[:80]}") from None


def _page_row(name: str, content: bytes | None) -> dict:
    return (article(content) if content else {}) | {"page_id": name.removesuffix(".html")}


def _book(collection: Collection, file: str, pages: dict[str, dict], row: Row) -> None:
    """Note a page under its id, as the columns of its document; one without a text, which no answer names, is not."""
    if set(row.values) == {"page_id"}:
        return
    url, revision = row.text("url"), row.integer("revision_id")
    lang, address = row.language(), f"{url}{REVISION}{revision}"
    page = {"text": row.text("text"), "title": row.text("title"), "lang": lang, "url": address}
    identity = row.text("page_id")
    collection.once(f"the page of {file}", identity, row=row)
    pages[identity] = {**page, "licence": WIKIPEDIA, "is_wikipedia": True}


def _keep(collection: Collection, file: str, pages: dict[str, dict], row: Row) -> None:
    lang, question, text = row.language(), row.text("model_input"), row.text("model_output_text")
    published, identity = row.values["model_output_text"], row.text("id")
    spans = _soft(row, published)
    marks = _marks(row)
    url, page, model = row.optional_text("wikipedia_url"), _page(row, pages), row.text("model_id")
    collection.once("the answer", identity, row=row)
    item = collection.item(
        "wild",
        group=("page", url or question),
        question=question,
        lang=lang,
        document_ids=[collection.document(**page)] if page else [],
        url=url,
        is_shared=True,
    )
    sample = collection.sample(
        item,
        text,
        is_hallucinated=any(span["p"] > HARD for span in spans),
        label_source="gold",
        generator=model,
        spans=spans,
        id=identity,
        n_annotators=len(marks) or None,
    )
    for judge, raw in sorted(marks.items()):
        try:
            marked = [_row(start, end, None) for start, end in in_cleaned(published, raw)]
        except BadRow as bad:  # before the clean-up a mark may leave the text: the answer's own spans stand
            collection.reject(file, bad, row=row.number, target_id=f"{identity}/{judge}", text=text)
            continue
        raw_stage = pairs(stage="raw")
        collection.judgement(sample["sample_id"], judge, bool(marked), spans=marked, attributes=raw_stage)
    collection.counts[f"{ANSWERED}{lang}"] += 1
    collection.counts[f"{WITH_PAGE}{lang}"] += bool(page)


def _page(row: Row, pages: dict[str, dict]) -> dict | None:
    """The page of an answer, None where it names none."""
    page_id = row.optional_text("page_id")
    if page_id is not None and page_id not in pages:
        raise BadRow(Reason.UNRESOLVED, f"field 'page_id' is {page_id[:40]!r}; no page of that id was read")
    return None if page_id is None else pages[page_id]


def _soft(row: Row, published: str) -> list[dict]:
    """The soft spans, held against the hard ones: those are the characters above one half."""
    soft_spans = [_span(entry) for entry in row.items("soft_labels")]
    places = in_cleaned(published, [span[:2] for span in soft_spans])
    spans = [_row(start, end, p) for (start, end), (_, _, p) in zip(places, soft_spans, strict=True)]
    refuse_overlap(spans)
    hard = _pairs(row.items("hard_labels"), "hard_labels")
    in_cleaned(published, hard)  # refuses those that leave the text
    if _runs(hard) != _runs([(start, end) for start, end, p in soft_spans if p > HARD]):
        raise BadRow(
            Reason.CONTRADICTION, "field 'hard_labels' is not what more than half of the annotators marked"
        )
    return sorted(spans, key=lambda span: span["start"])


def _span(entry: object) -> tuple[int, int, float]:
    if not isinstance(entry, dict):
        raise BadRow(Reason.WRONG_TYPE, "field 'soft_labels' must hold objects with start, end and prob")
    start: Any = entry.get("start")
    end: Any = entry.get("end")
    p = entry.get("prob")
    _pairs([[start, end]], "soft_labels")
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        raise BadRow(
            Reason.OUT_OF_RANGE,
            f"field 'soft_labels': prob is {str(p)[:40]!r}; it must be a share from 0 to 1",
        )
    return start, end, float(p)


def _pairs(values: list, where: str) -> list[tuple[int, int]]:
    for value in values:
        is_pair = isinstance(value, list) and len(value) == 2 and all(type(offset) is int for offset in value)
        if not is_pair:
            raise BadRow(
                Reason.WRONG_TYPE,
                f"field {where!r} holds {str(value)[:40]!r}; it must hold pairs of whole numbers",
            )
    return [(start, end) for start, end in values]


def _runs(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The characters that spans cover, as runs in order; spans that touch or overlap are one."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if runs and start <= runs[-1][1]:
            start, end = runs[-1][0], max(end, runs.pop()[1])
        runs.append((start, end))
    return runs


def _marks(row: Row) -> dict[str, list[tuple[int, int]]]:
    """What each annotator marked; a mark without a character is none."""
    marks = row.values.get("annotations") or {}
    if not isinstance(marks, dict) or not all(isinstance(spans, list) for spans in marks.values()):
        raise BadRow(
            Reason.WRONG_TYPE, "field 'annotations' must be an object with a list of spans per annotator"
        )
    return {
        judge: sorted({(start, end) for start, end in _pairs(spans, "annotations") if start != end})
        for judge, spans in marks.items()
    }


def _row(start: int, end: int, p: float | None) -> dict:
    return {"start": start, "end": end, "type": TYPE, "p": p}
