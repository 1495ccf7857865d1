"""Replies whose claims people labelled: FActScore, RefChecker, FacTool's knowledge questions, Factcheck-GPT."""

import hashlib
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError, listed
from truerate.core.schemas import pairs
from truerate.core.text import clean, passage_name
from truerate.sources.cards import is_of_wikipedia
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import changed, json_lines, json_list, numbered
from truerate.sources.downloads import PublicSet, matching, public_set
from truerate.sources.public.unit_labels import (
    FACTS,
    RESPONDING,
    YES,
    Tables,
    Unit,
    attributes_of,
    label_row,
    yes_or_no,
)
from truerate.sources.rows import BadRow, Reason, Row, texts

# ---- FActScore (Min et al. 2023): biographies of 183 people, cut into atomic facts --------------------------
FACT_LABELS = {"S": "supported", "NS": "not supported", "IR": "irrelevant"}
SUPPORTED, ASIDE = "supported", "in an irrelevant sentence"
FACTSCORE = public_set("factscore")


@reads("factscore")
def read_factscore(collection: Collection) -> None:
    """Read replies as samples of task `entity`, their facts as samples of task `fact`, on an item per person.

    A fact is hallucinated where people did not call it supported; of a wholly irrelevant sentence a model's
    facts count, none of them supported: that gives the paper's scores. People say whether a reply answers
    (attribute `responds`).
    """
    files = matching(collection.folder, *FACTSCORE.patterns)
    collection.refuse_none(files, "none of FActScore's labelled files", *FACTSCORE.patterns)
    read_from: dict[str, str] = {}
    for file in sorted(files, key=lambda path: (len(path), path)):  # the plain name before `name (1)`
        digest = hashlib.sha256((collection.folder / file).read_bytes()).hexdigest()
        first = read_from.setdefault(digest, file)
        if first != file:
            collection.reject(file, BadRow(Reason.DUPLICATE, f"the file is {first} again, byte for byte"))
            continue
        collection.read(file, json_lines, partial(_keep_biography, collection, Path(file).stem))


def _keep_biography(collection: Collection, system: str, row: Row) -> None:
    topic, classes = row.text("topic"), row.texts("cat")
    if len(classes) != 2:
        problem = f"field 'cat' must be a pair [rarity, region], has {len(classes)} entries"
        raise BadRow(Reason.WRONG_TYPE, problem)
    reply, responds = row.text("output", may_be_empty=True), row.values.get("annotations") is not None
    sentences = row.rows("annotations") if responds else []
    facts = [
        (text, label != SUPPORTED, {"label": label, "sentence": sentence.number - 1})
        for sentence in sentences
        for text, label in _facts(sentence)
    ]
    collection.once("the reply", system, topic, row=row)
    about = {"group": ("topic", topic), "rarity_group": classes[0], "region": classes[1]}
    item = collection.item("entity", question=topic, is_shared=True, **about)
    collection.reply(item, reply, facts, generator=system, responds="yes" if responds else "no")
    collection.counts.update(f"n_{str(fact['label']).replace(' ', '-')}" for _, _, fact in facts)
    collection.counts[f"n_responding_{system}"] += responds


def _facts(sentence: Row) -> list[tuple[str, str]]:
    """The facts of a sentence with people's labels; a model's facts where the sentence is irrelevant."""
    if sentence.values.get("human-atomic-facts") is None:
        return [(fact.text("text"), ASIDE) for fact in sentence.rows("model-atomic-facts")]
    people = sentence.rows("human-atomic-facts")
    return [(fact.text("text"), FACT_LABELS[fact.label("label", tuple(FACT_LABELS))]) for fact in people]


# ---- RefChecker (Hu et al. 2024): replies of seven models in three settings ---------------------------------
CLAIMS = "claims.jsonl"
ANNOTATIONS = "benchmark/human_annotations_v1"  # below it <setting>/<source>_<model>_answers.json
ENDING = "_answers.json"
CLAIM_LABELS = ("Entailment", "Neutral", "Contradiction")
ENTAILED = CLAIM_LABELS[0]
REFCHECKER = public_set("refchecker")
SETTINGS = tuple(REFCHECKER.holds)


@reads("refchecker", parts=SETTINGS)
def read_refchecker(collection: Collection, part: str | None = None) -> None:
    """Read the replies of one setting (`part`) as samples of task `entity`, their claims as samples of task
    `fact`.

    A claim is hallucinated where its label is not Entailment, a reply where one of its claims is. Settings
    are never pooled: raises TruerateError where the file holds several and `part` names none.
    """
    where = f"source {collection.name!r}"
    settings: set[str] = set()
    # the one file of this project's form where it is there, else the publisher's, of every setting
    patterns = () if collection.has(CLAIMS) else (REFCHECKER.holds[name][0] for name in SETTINGS)
    clone = matching(collection.folder, *patterns)
    for file in clone or [CLAIMS]:
        cut = json_lines if file == CLAIMS else changed(json_list, partial(_with_path, file))
        collection.read(file, cut, partial(_keep_reply, collection, settings, part))
    if len(clone) > 1:
        collection.fold_files(ANNOTATIONS)
    if len(settings) > 1 and part is None:
        problem = f"{CLAIMS} holds several settings, which are never pooled"
        raise SourceError(f"{where}: {problem}; name one as `part`: {listed(settings)}")
    if not collection.items and part is not None:
        problem = f"{CLAIMS} holds no reply of part {part!r}"
        raise SourceError(f"{where}: {problem}; settings in it: {listed(settings)}")


def _with_path(file: str, values: dict, number: int) -> dict:
    """A published row with what its path says: the setting, and `<source>_<model>`."""
    *_, setting, name = file.split("/")
    source, _, model = name.removesuffix(ENDING).partition("_")
    fields = {"setting": setting, "source": source, "model": model}
    return values | fields | {"claims": values.get("claude2_response_kg")}


def _keep_reply(collection: Collection, settings: set[str], part: str | None, row: Row) -> None:
    setting, prompt, model = row.choice("setting", SETTINGS), row.text("id"), row.text("model")
    response, origin = row.text("response"), row.text("source")
    claims = [_claim(claim) for claim in row.rows("claims")]
    collection.once("the reply", setting, prompt, model, row=row)
    settings.add(setting)
    if part not in (None, setting):
        return
    about = {"group": ("prompt", setting, prompt), "setting": setting, "id": prompt}
    item = collection.item("entity", question=f"{origin} {prompt}", is_shared=True, **about)
    facts = [(sentence, label != ENTAILED, {"label": label}) for sentence, label in claims]
    collection.reply(item, response, facts, generator=model)
    collection.counts.update(f"n_{label.lower()}" for _, label in claims)
    collection.counts["n_without_claims"] += not claims


def _claim(claim: Row) -> tuple[str, str]:
    """A claim's triplet (subject, predicate, object) as a sentence, and its label."""
    triplet = texts(claim.items("triplet"), f"claim {claim.number}, its triplet")
    parts = [piece.strip() for piece in triplet if piece.strip()]
    if not parts:
        raise BadRow(Reason.EMPTY_FIELD, f"claim {claim.number}: its triplet holds no text")
    return " ".join(parts).rstrip(".") + ".", claim.label("human_label", CLAIM_LABELS)


def labels(tables: Tables) -> list[dict]:
    """Return what people said of each fact or claim; of a reply whether it answers (FActScore), and whether
    any claim was taken out of it (RefChecker).
    """
    items = {item["item_id"]: attributes_of(item) for item in tables.items.to_dicts()}
    rows = []
    for sample in tables.samples.to_dicts():
        attributes, item_id = attributes_of(sample), sample["item_id"]
        rarity, region = (items[item_id].get(name) for name in ("rarity_group", "region"))
        unit = Unit(sample["generator"], item_id, item_id, pairs(rarity=rarity, region=region))
        if sample["task"] == "fact":
            about = {"of": FACTS, "gives": float(not sample["is_hallucinated"]), "part": attributes["place"]}
            rows.append(label_row(unit, "fact" if rarity else "claim", attributes["label"], **about))
        elif rarity:
            given = float(attributes["responds"] == YES)
            rows.append(label_row(unit, "answers", attributes["responds"], of=RESPONDING, gives=given))
        else:
            rows.append(label_row(unit, "has claims", yes_or_no(int(attributes["n_claims"]))))
    return rows


# ---- FacTool (Chern et al. 2023): labelled claims of ChatGPT's replies, no evidence -------------------------
CHATGPT = "ChatGPT"
FACTOOL = public_set("factool")


@reads("factool")
def read_factool(collection: Collection) -> None:
    """Claims as samples of task `fact`, hallucinated if labelled false, on an item per question."""
    file = _file_of(FACTOOL, collection)
    collection.read(file, numbered(json_lines), partial(_keep_factool, collection))


def _file_of(public: PublicSet, collection: Collection) -> str:
    """The one file of a set: this project's where it is there, else the publisher's."""
    clone, ours = public.patterns
    return next(iter(matching(collection.folder, ours, clone)), ours)


def _once(collection: Collection, row: Row) -> None:
    """Note a row by its number, its content (a copy of the published line has a number of its own), and its
    prompt.
    """
    collection.once("the row", row.integer("row"), row=row)
    collection.once_said("the reply", row, but=("row",))
    collection.once("the prompt", row.text("prompt"), row=row)


def _keep_factool(collection: Collection, row: Row) -> None:
    prompt, number, _ = row.text("prompt"), row.integer("row"), row.text("response")
    claims = [(claim.text("claim"), claim.truth("label")) for claim in row.rows("claims")]
    if row.truth("label") != all(is_true for _, is_true in claims):
        raise BadRow(Reason.CONTRADICTION, "field 'label' is not whether all of the claims are true")
    _once(collection, row)
    item = collection.item("entity", group=("prompt", prompt), question=prompt, row=number)
    for index, (text, is_true) in enumerate(claims):
        about = {"label_source": "published", "generator": CHATGPT, "task": "fact", "place": index}
        collection.sample(item, text, is_hallucinated=not is_true, **about)


# ---- Factcheck-GPT (Wang et al. 2023): labelled claims with retrieved evidence ------------------------------
LABEL = "claims_factuality_label"
PARALLEL = tuple(
    "claim_checkworthiness if_automatic_evidence_enough_to_verify auto_evidence auto_evidence_url".split()
)
FACTCHECKGPT = public_set("factcheckgpt")


@reads("factcheckgpt")
def read_factcheckgpt(collection: Collection) -> None:
    """Read claims as samples of task `fact` (hallucinated: labelled false), their retrieved passages as
    documents.

    A sample's `evidence` names its passages; those of all claims of a reply are its item's documents.
    People's own evidence is left out: it was written with the label in mind. Claims labelled `unknown` are
    rejects.
    """
    file = _file_of(FACTCHECKGPT, collection)
    collection.read(file, changed(json_lines, _in_rows), partial(_keep_factcheckgpt, collection, file))


def _in_rows(values: dict, number: int) -> dict:
    """A published line with its number (from 0), and its sentences, an object `sentence1`, `sentence2` …, as
    a list.
    """
    sentences = values.get("sentences")
    listed = list(sentences.values()) if isinstance(sentences, dict) else sentences
    return {"row": number - 1, **values, "sentences": listed}


def _keep_factcheckgpt(collection: Collection, file: str, row: Row) -> None:
    prompt, number, _ = row.text("prompt"), row.integer("row"), row.text("response")
    claims = [claim for sentence in row.rows("sentences") for claim in _claims_of(sentence)]
    _once(collection, row)
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
            about = {"label_source": "published", "generator": CHATGPT, "task": "fact", "place": index}
            is_true = _truth(collection, label)
            collection.sample(item, text, is_hallucinated=not is_true, **about, **claim)


def _claims_of(sentence: Row) -> list[dict]:
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
