"""Mu-SHROOM (SemEval-2025 task 3): answers of language models in many languages, with the characters that
people marked as hallucinated.

Soft spans hold the share of annotators; what more than half of them marked is hard. Several languages come
with the text of the page that the annotators used.
"""

from pathlib import Path
from typing import Any

from truerate.core import keys
from truerate.core.errors import SourceError
from truerate.core.schemas import judgement_row, pairs
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.rows import BadRow, Reason, Row, json_lines, zstd_lines
from truerate.sources.tagged import in_cleaned, refuse_overlap

ANSWERS = ("val.jsonl", "test.jsonl", "train.jsonl")
TYPE = "hallucination"
HARD = 0.5  # a character is hallucinated where more than this share marked it (the task's rule)
WIKIPEDIA = "CC BY-SA 4.0"
CARD = {
    "name": "Mu-SHROOM",
    "citation": "R. Vázquez, T. Mickus, E. Zosa, et al. SemEval-2025 Task 3: Mu-SHROOM, the Multilingual Shared-task on Hallucinations and "
    "Related Observable Overgeneration Mistakes. 2025. Pages: authors of the Wikipedia pages at their addresses and revisions.",
    "licence": "CC BY 4.0 (answers and labels); CC BY-SA 4.0 (Wikipedia pages)",
    "redistribution": "yes",
    "url": "https://helsinki-nlp.github.io/shroom/",
    "lang": None,
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each answer as a gold sample of an item of task `wild`, with its page as document, and each annotator's
    raw marks as a judgement.

    Raw marks are those before the organisers' clean-up: the soft spans cannot be computed from them.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = [file for file in ANSWERS if collection.has(file)]
    if not present:
        raise SourceError(
            f"source {name!r}: none of Mu-SHROOM's files in {str(folder)!r}; looked for: {', '.join(ANSWERS)}"
        )
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
    return collection.tables()


def _book(collection: Collection, file: str, pages: dict[str, dict], row: Row) -> None:
    """Note a page under its id, as the columns of its document."""
    url, revision = row.text("url"), row.integer("revision_id")
    lang, address = row.language(), f"{url}?oldid={revision}"
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
        judgement = _judgement(sample["sample_id"], judge, marked)
        collection.judgements[judgement["judgement_id"]] = judgement
    collection.counts[f"n_answers_{lang}"] += 1
    collection.counts[f"n_answers_with_page_{lang}"] += bool(page)


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
        is_pair = isinstance(value, list) and len(value) == 2 and all(type(place) is int for place in value)
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


def _judgement(target_id: str, judge: str, spans: list[dict]) -> dict:
    return judgement_row(
        judgement_id=keys.content_id(target_id, judge),
        judge=judge,
        judge_version="published",
        target_id=target_id,
        verdict=bool(spans),
        spans=spans,
        attributes=pairs(stage="raw"),
    )
