"""Factcheck-GPT (Wang et al. 2023): claims of ChatGPT's replies with retrieved evidence, labelled by people.

The lists of a sentence run parallel to its claims. A label is true, false or the word "unknown".
"""

from functools import partial

from truerate.core.text import clean, passage_name
from truerate.sources.cards import is_of_wikipedia
from truerate.sources.clone import matching, public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import changed, json_lines
from truerate.sources.rows import BadRow, Reason, Row, texts

MODEL = "ChatGPT"
LABEL = "claims_factuality_label"
PARALLEL = tuple(
    "claim_checkworthiness if_automatic_evidence_enough_to_verify auto_evidence auto_evidence_url".split()
)
SET = public_set("factcheckgpt")
CLONE, FILE = SET.patterns


@reads("factcheckgpt")
def read(collection: Collection) -> None:
    """Read claims as samples of task `fact` (hallucinated: labelled false), their retrieved passages as
    documents.

    A sample's `evidence` names its passages; those of all claims of a reply are its item's documents.
    People's own evidence is left out: it was written with the label in mind. Claims labelled `unknown` are
    rejects.
    """
    file = next(iter(matching(collection.folder, FILE, CLONE)), FILE)
    collection.read(file, changed(json_lines, _in_rows), partial(_keep, collection, file))


def _in_rows(values: dict, number: int) -> dict:
    """A published line with its number (from 0), and its sentences, an object `sentence1`, `sentence2` …, as
    a list.
    """
    sentences = values.get("sentences")
    listed = list(sentences.values()) if isinstance(sentences, dict) else sentences
    return {"row": number - 1, **values, "sentences": listed}


def _keep(collection: Collection, file: str, row: Row) -> None:
    prompt, number = row.text("prompt"), row.integer("row")
    row.text("response")
    claims = [claim for sentence in row.rows("sentences") for claim in _claims(sentence)]
    collection.once("the row", number, row=row)
    # a copy of the published line has a number of its own
    collection.once_said("the reply", row, but=("row",))
    collection.once("the prompt", prompt, row=row)
    documents: dict[str, None] = {}
    for claim in claims:
        evidence = []
        for text, url in claim.pop("passages"):
            document = collection.document(text, url=url, is_wikipedia=is_of_wikipedia(url))
            documents[document] = None
            evidence.append(passage_name(document, 0, len(text)))
        claim["evidence"] = " ".join(evidence)
    about = {"group": ("prompt", prompt), "document_ids": list(documents), "row": number}
    item = collection.item("entity", question=prompt, **about)
    for index, claim in enumerate(claims):
        text, label = claim.pop("text"), claim.pop("label")
        with collection.part(file, row, target_id=f"{row.values['row']}/{index}", text=text):
            about = {"label_source": "published", "generator": MODEL, "task": "fact", "place": index}
            is_true = _truth(collection, label)
            collection.sample(item, text, is_hallucinated=not is_true, **about, **claim)


def _claims(sentence: Row) -> list[dict]:
    """The claims of one sentence, each with what stands at its place in the parallel lists."""
    where = f"sentence {sentence.number}"
    claims = sentence.texts("claims")
    lists = [sentence.items(field) for field in (LABEL, *PARALLEL)]
    if any(len(values) != len(claims) for values in lists):
        raise BadRow(Reason.CONTRADICTION, f"{where}: its lists are not as long as its claims")
    return [
        {
            "text": text,
            "label": label,
            "sentence": sentence.number - 1,
            "checkworthiness": clean(str(kind)),
            "is_evidence_enough": clean(str(is_enough)),
            "passages": _passages(passages, urls, where),
        }
        for text, label, kind, is_enough, passages, urls in zip(claims, *lists, strict=True)
    ]


def _passages(passages: object, urls: object, where: str) -> list[tuple[str, str | None]]:
    """The passages of one claim that hold text, with their addresses where there is one for each."""
    passage_texts = texts(passages, f"{where}, field 'auto_evidence'")
    addresses = texts(urls, f"{where}, field 'auto_evidence_url'")
    pages = addresses if len(addresses) == len(passage_texts) else [None] * len(passage_texts)
    return [(text, url or None) for text, url in zip(passage_texts, pages, strict=True) if text.strip()]


def _truth(collection: Collection, label: object) -> bool:
    """A published label as a boolean. Raises BadRow for "unknown" (`unlabelled`) and any other word."""
    truths, shown = {"true": True, "false": False}, clean(str(label))[:40]
    word = str(label).strip().lower() if isinstance(label, bool | str) else None
    if word in truths:
        return truths[word]
    collection.counts["n_unknown"] += word == "unknown"
    if word == "unknown":
        raise BadRow(Reason.UNLABELLED, f"field {LABEL!r} is {shown!r}: people could not settle it")
    problem = f"field {LABEL!r} holds {shown!r}, which is no label; allowed: true, false, unknown"
    raise BadRow(Reason.UNKNOWN_LABEL, problem)
