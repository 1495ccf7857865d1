"""Factcheck-GPT (Wang et al. 2023): claims of ChatGPT's replies with retrieved evidence, labelled by people.

The lists of a sentence run parallel to its claims. Values differ in type from row to row: a label is true,
false or the word "unknown".
"""

from pathlib import Path

from truerate.core.text import clean, passage_name, passage_of
from truerate.sources.cards import is_of_wikipedia, published_card
from truerate.sources.clone import PublicSet, changed, matching
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines
from truerate.sources.rows import BadRow, Reason, Row, texts

FILE, CLONE = "responses.jsonl", "factcheck-GPT-benchmark.jsonl"
MODEL = "ChatGPT"
PARALLEL = tuple(
    ("claim_checkworthiness if_automatic_evidence_enough_to_verify auto_evidence auto_evidence_url").split()
)
CARD = published_card("factcheckgpt")
SET = PublicSet(
    repository="yuxiaw/Factcheck-GPT",
    holds={"claims with evidence": (CLONE, FILE)},
    labelled_by="people (whether each claim is right; some they could not settle)",
)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Claims as samples of task `fact` (hallucinated: labelled false), their retrieved passages as documents.

    A sample's `evidence` names the passages that were retrieved for it; those of all claims of a reply are
    its item's documents. People's own evidence is left out: it was written with the label in mind. Claims
    that people could not settle (`unknown`) are rejects.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    file = next(iter(matching(folder, FILE, CLONE)), FILE)
    collection.read(file, changed(json_lines, _in_rows), lambda row: _keep(collection, file, row))
    return collection.tables()


def _in_rows(values: dict, number: int) -> dict:
    """A published line with its number (from 0), and its sentences, an object `sentence1`, `sentence2` …, as a list."""
    sentences = values.get("sentences")
    listed = list(sentences.values()) if isinstance(sentences, dict) else sentences
    return {"row": number - 1, **values, "sentences": listed}


def _keep(collection: Collection, file: str, row: Row) -> None:
    prompt, number = row.text("prompt"), row.integer("row")
    row.text("response")
    claims = [
        claim for index, entry in enumerate(row.items("sentences"), 1) for claim in _claims(Row(entry, index))
    ]
    collection.once("the row", number, row=row)
    collection.once_said(
        "the reply", row, but=("row",)
    )  # a copy of the published line has a number of its own
    collection.once("the prompt", prompt, row=row)
    for claim in claims:
        claim["evidence"] = [_passage(collection, text, url) for text, url in claim.pop("passages")]
    documents = list(
        dict.fromkeys(passage_of(evidence)[0] for claim in claims for evidence in claim["evidence"])
    )
    item = collection.item(
        "entity", group=("prompt", prompt), question=prompt, document_ids=documents, row=number
    )
    for index, claim in enumerate(claims):
        _sample(collection, item, file, row, claim, index)


def _sample(collection: Collection, item: dict, file: str, row: Row, claim: dict, index: int) -> None:
    """One claim; a reject where it has no label, or one that is none of the three."""
    try:
        collection.sample(
            item,
            claim["text"],
            task="fact",
            is_hallucinated=not _truth(claim["label"]),
            label_source="published",
            generator=MODEL,
            place=index,
            sentence=claim["sentence"],
            evidence=" ".join(claim["evidence"]),
            is_evidence_enough=claim["is_evidence_enough"],
            checkworthiness=claim["checkworthiness"],
        )
    except BadRow as bad:
        if collection.stops(bad):
            raise
        collection.reject(
            file, bad, row=row.number, target_id=f"{row.values['row']}/{index}", text=claim["text"]
        )
        collection.counts["n_unknown"] += bad.reason is Reason.UNLABELLED


def _claims(sentence: Row) -> list[dict]:
    """The claims of one sentence, each with what stands at its place in the parallel lists."""
    claims, labels = sentence.texts("claims"), sentence.items("claims_factuality_label")
    lists = [sentence.items(field) for field in PARALLEL]
    if any(len(values) != len(claims) for values in (labels, *lists)):
        raise BadRow(
            Reason.CONTRADICTION, f"sentence {sentence.number}: its lists are not as long as its claims"
        )
    where = f"sentence {sentence.number}"
    return [
        {
            "text": text,
            "label": label,
            "sentence": sentence.number - 1,
            "passages": _passages(passages, urls, where),
        }
        | {"checkworthiness": clean(str(kind)), "is_evidence_enough": clean(str(is_enough))}
        for text, label, kind, is_enough, passages, urls in zip(claims, labels, *lists, strict=True)
    ]


def _passages(passages: object, urls: object, where: str) -> list[tuple[str, str | None]]:
    """The passages of one claim that hold text, with their addresses where there is one for each."""
    passage_texts = texts(passages, f"{where}, field 'auto_evidence'")
    addresses = texts(urls, f"{where}, field 'auto_evidence_url'")
    pages = addresses if len(addresses) == len(passage_texts) else [None] * len(passage_texts)
    return [(text, url or None) for text, url in zip(passage_texts, pages, strict=True) if text.strip()]


def _passage(collection: Collection, text: str, url: str | None) -> str:
    """A passage as evidence: its document, and all of it."""
    document = collection.document(text, url=url, is_wikipedia=is_of_wikipedia(url))
    return passage_name(document, 0, len(text))


def _truth(label: object) -> bool:
    """A published label as a boolean. Raises BadRow for "unknown" (`unlabelled`) and any other word."""
    truths, shown = {"true": True, "false": False}, clean(str(label))[:40]
    word = str(label).strip().lower() if isinstance(label, bool | str) else None
    if word == "unknown":
        raise BadRow(
            Reason.UNLABELLED, f"field 'claims_factuality_label' is {shown!r}: people could not settle it"
        )
    if word not in truths:
        allowed = "which is no label; allowed: true, false, unknown"
        raise BadRow(Reason.UNKNOWN_LABEL, f"field 'claims_factuality_label' holds {shown!r}, {allowed}")
    return truths[word]
