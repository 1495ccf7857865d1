"""Mu-SHROOM (SemEval-2025 task 3): answers of language models in many languages, with hallucinated characters
marked.

Soft spans hold the share of annotators; what more than half of them marked is hard. Several languages come
with the text of the page that the annotators used.
"""

import io
import tarfile
import zlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from truerate.core.errors import listed
from truerate.core.schemas import pairs
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import Cut, changed, json_lines, readable, zstd_lines
from truerate.sources.downloads import matching, public_set
from truerate.sources.raw.wiki_pages import article, canonical, plain_address
from truerate.sources.rows import BadRow, Reason, Row, span
from truerate.sources.tagged import in_cleaned, refuse_overlap

ANSWERS = ("val.jsonl", "test.jsonl", "train.jsonl")
PARTS = ("val", "test")
REVISION = "?oldid="  # in the address of a page as it stood then
TYPE = "hallucination"
ANSWERED, WITH_PAGE = "n_answers_", "n_answers_with_page_"  # counts by language
HARD = 0.5  # a character is hallucinated where more than this share marked it (the task's rule)
WIKIPEDIA = "CC BY-SA 4.0"
SET = public_set("mushroom")
CLONE = {part: SET.holds[part][:2] for part in PARTS}
ARCHIVES = SET.holds["pages"][0]


@reads("mushroom", parts=PARTS)
def read(collection: Collection, part: str | None = None) -> None:
    """Read each answer as a gold sample of an item of task `wild`, with its page as document, and each
    annotator's marks as a judgement: raw ones, before the organisers' clean-up, from which the soft spans
    cannot be computed.

    `part`: the split to read, `val` or `test`; all that are there where none is named.
    """
    parts = PARTS if part is None else (part,)
    present = [file for file in collection.present(*ANSWERS) if part in (None, Path(file).stem)]
    published = [] if present else _published(collection.folder, parts)
    looked_for = (*(CLONE[split][0] for split in parts if split in CLONE), *ANSWERS)
    collection.refuse_none(present or published, "none of Mu-SHROOM's files", *looked_for)
    _read_published(collection, published)
    for file in present:
        pages: dict[str, dict] = {}
        packed = f"pages_{file}.zst"  # pages_val.jsonl.zst beside val.jsonl
        if (collection.folder / packed).is_file():
            collection.read(packed, zstd_lines, partial(_book, collection, packed, pages))
        collection.read(file, json_lines, partial(_keep, collection, file, pages))
    collection.card["caveats"] = without_page(collection.counts)


def without_page(counts: Mapping[str, int]) -> list[str]:
    """The sentence on answers without a page: how many, and languages in which all are."""
    names = (name for name in counts if name.startswith(ANSWERED) and not name.startswith(WITH_PAGE))
    languages = sorted(name.removeprefix(ANSWERED) for name in names)
    answers = {lang: counts[f"{ANSWERED}{lang}"] for lang in languages}
    bare = {lang: n - counts.get(f"{WITH_PAGE}{lang}", 0) for lang, n in answers.items()}
    if not (n := sum(bare.values())):
        return []
    whole = [lang for lang in languages if bare[lang] == answers[lang]]
    detail = f", among them all in {listed(whole)}" if whole else ""
    return [
        f"For {n:,} of {sum(answers.values()):,} answers no page is among the files that were read{detail}. "
        "A detector that looks words up has nothing to look in there; whoever reads no reference is not "
        "touched by it."
    ]


# ---- a clone -----------------------------------------------------------------------------------------------
def _published(folder: Path, parts: tuple[str, ...]) -> list[str]:
    """The files of a clone that hold labelled answers; of a language the one with the fields added later."""
    by_name: dict[str, str] = {}
    for pattern in (pattern for part in parts for pattern in CLONE.get(part, ())):
        for file in matching(folder, pattern):
            by_name.setdefault(file.replace(".extra.", "."), file)
    return sorted(by_name.values())


def _read_published(collection: Collection, files: list[str]) -> None:
    """Read the answers of a clone, and before them the pages that they name, of which a clone holds more."""
    if not files:
        return
    answers = (
        row for file in files for _, row in readable(json_lines((collection.folder / file).read_bytes()))
    )
    urls = {answer.get("wikipedia_url") for answer in answers if isinstance(answer, dict)}
    addresses = {plain_address(url) for url in urls if isinstance(url, str)}
    pages: dict[str, dict] = {}
    for archive in matching(collection.folder, ARCHIVES):
        cut = partial(_archived, named=addresses)
        collection.read(archive, cut, partial(_book, collection, archive, pages))
    by_url = {pages[name]["url"].partition(REVISION)[0]: name for name in sorted(pages, reverse=True)}

    def with_page(values: dict, number: int) -> dict:
        """A published row with the page that its address names."""
        url = values.get("wikipedia_url")
        return values | {"page_id": by_url.get(plain_address(url)) if isinstance(url, str) else None}

    for file in files:
        collection.read(file, changed(json_lines, with_page), partial(_keep, collection, file, pages))


def _archived(raw: bytes, *, named: set[str]) -> Cut:
    """The pages of an archive as rows of this project's form; of those that no answer names the id alone."""
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


# ---- rows --------------------------------------------------------------------------------------------------
def _book(collection: Collection, file: str, pages: dict[str, dict], row: Row) -> None:
    """Note a page that an answer names, under its id, as the columns of its document."""
    if set(row.values) == {"page_id"}:
        return
    url, revision = row.text("url"), row.integer("revision_id")
    page: dict[str, object] = {
        "lang": row.language(),
        "url": f"{url}{REVISION}{revision}",
        "licence": WIKIPEDIA,
    }
    page |= {"is_wikipedia": True, "text": row.text("text"), "title": row.text("title")}
    identity = row.text("page_id")
    collection.once(f"the page of {file}", identity, row=row)
    pages[identity] = page


def _keep(collection: Collection, file: str, pages: dict[str, dict], row: Row) -> None:
    lang, question, text = row.language(), row.text("model_input"), row.text("model_output_text")
    published, identity = row.values["model_output_text"], row.text("id")
    spans, marks = _soft(row, published), _marks(row)
    url, page_id = row.optional_text("wikipedia_url"), row.optional_text("page_id")
    model = row.text("model_id")
    if page_id is not None and page_id not in pages:
        raise BadRow(Reason.UNRESOLVED, f"field 'page_id' is {page_id[:40]!r}; no page of that id was read")
    collection.once("the answer", identity, row=row)
    item = collection.item(
        "wild",
        group=("page", url or question),
        question=question,
        lang=lang,
        document_ids=[] if page_id is None else [collection.document(**pages[page_id])],
        url=url,
        is_shared=True,
    )
    sample = collection.sample(
        item,
        text,
        is_hallucinated=any(soft["p"] > HARD for soft in spans),
        label_source="gold",
        generator=model,
        spans=spans,
        id=identity,
        n_annotators=len(marks) or None,
    )
    for judge, raw in sorted(marks.items()):
        try:
            marked = [span(start, end, TYPE) for start, end in in_cleaned(published, raw)]
        except BadRow as bad:  # before the clean-up a mark may leave the text: the answer's own spans stand
            collection.reject(file, bad, row=row.number, target_id=f"{identity}/{judge}", text=text)
            continue
        stage = pairs(stage="raw")
        collection.judgement(sample["sample_id"], judge, bool(marked), spans=marked, attributes=stage)
    collection.counts[f"{ANSWERED}{lang}"] += 1
    collection.counts[f"{WITH_PAGE}{lang}"] += page_id is not None


def _soft(row: Row, published: str) -> list[dict]:
    """The soft spans, held against the hard ones: those are the characters above one half."""
    soft = [_soft_label(entry) for entry in row.items("soft_labels")]
    places = in_cleaned(published, [bounds for bounds, _ in soft])
    spans = [span(start, end, TYPE, p) for (start, end), (_, p) in zip(places, soft, strict=True)]
    refuse_overlap(spans)
    hard = _pairs(row.items("hard_labels"), "hard_labels")
    in_cleaned(published, hard)  # refuses those that leave the text
    if _runs(hard) != _runs([bounds for bounds, p in soft if p > HARD]):
        problem = "field 'hard_labels' is not what more than half of the annotators marked"
        raise BadRow(Reason.CONTRADICTION, problem)
    return sorted(spans, key=lambda soft_span: soft_span["start"])


def _soft_label(entry: object) -> tuple[tuple[int, int], float]:
    if not isinstance(entry, dict):
        raise BadRow(Reason.WRONG_TYPE, "field 'soft_labels' must hold objects with start, end and prob")
    (bounds,) = _pairs([[entry.get("start"), entry.get("end")]], "soft_labels")
    p = entry.get("prob")
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        problem = f"field 'soft_labels': prob is {str(p)[:40]!r}; it must be a share from 0 to 1"
        raise BadRow(Reason.OUT_OF_RANGE, problem)
    return bounds, float(p)


def _pairs(values: list, where: str) -> list[tuple[int, int]]:
    for value in values:
        is_pair = isinstance(value, list) and len(value) == 2 and all(type(offset) is int for offset in value)
        if not is_pair:
            problem = f"field {where!r} holds {str(value)[:40]!r}; it must hold pairs of whole numbers"
            raise BadRow(Reason.WRONG_TYPE, problem)
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
    """Return what each annotator marked; a mark without a character is none."""
    marks = row.values.get("annotations") or {}
    if not isinstance(marks, dict) or not all(isinstance(spans, list) for spans in marks.values()):
        problem = "field 'annotations' must be an object with a list of spans per annotator"
        raise BadRow(Reason.WRONG_TYPE, problem)
    bounds = {judge: _pairs(spans, "annotations") for judge, spans in marks.items()}
    return {judge: sorted({each for each in of if each[0] != each[1]}) for judge, of in bounds.items()}
