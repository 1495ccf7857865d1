"""FActScore's labelled biographies (Min et al. 2023): replies of three systems about 183 people, cut into
atomic facts that people labelled against Wikipedia.

A file per system has the same people in another order. `annotations` are the sentences of a reply, null where
it does not answer; a sentence has facts that people labelled (supported, not supported, irrelevant) or, where
all of it is irrelevant, the facts of a model alone.
"""

import hashlib
from functools import partial
from pathlib import Path

from truerate.core.schemas import pairs
from truerate.sources.clone import matching, public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines
from truerate.sources.public.unit_labels import FACTS, RESPONDING, YES, Tables, Unit, attributes_of, label_row
from truerate.sources.rows import BadRow, Reason, Row

LABELS = {"S": "supported", "NS": "not supported", "IR": "irrelevant"}
SUPPORTED, ASIDE = "supported", "in an irrelevant sentence"
SET = public_set("factscore")


@reads("factscore")
def read(collection: Collection) -> None:
    """Read replies as samples of task `entity`, their facts as samples of task `fact`, on an item per person.

    A fact is hallucinated where people did not call it supported; of a wholly irrelevant sentence a model's
    facts count, none of them supported: that gives the paper's scores. People say whether a reply answers
    (attribute `responds`).
    """
    files = matching(collection.folder, *SET.patterns)
    collection.refuse_none(files, "none of FActScore's labelled files", *SET.patterns)
    read_from: dict[str, str] = {}
    for file in sorted(files, key=lambda path: (len(path), path)):  # the plain name before `name (1)`
        digest = hashlib.sha256((collection.folder / file).read_bytes()).hexdigest()
        first = read_from.setdefault(digest, file)
        if first != file:
            collection.reject(file, BadRow(Reason.DUPLICATE, f"the file is {first} again, byte for byte"))
            continue
        collection.read(file, json_lines, partial(_keep, collection, Path(file).stem))


def _keep(collection: Collection, system: str, row: Row) -> None:
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
    return [(fact.text("text"), LABELS[fact.label("label", tuple(LABELS))]) for fact in people]


def labels(tables: Tables) -> list[dict]:
    """Whether each reply answers, and what people said of each of its facts."""
    classes = {item["item_id"]: attributes_of(item) for item in tables.items.to_dicts()}
    rows = []
    for sample in tables.samples.to_dicts():
        attributes, item_id = attributes_of(sample), sample["item_id"]
        where = pairs(rarity=classes[item_id]["rarity_group"], region=classes[item_id]["region"])
        unit = Unit(sample["generator"], item_id, item_id, where)
        if sample["task"] == "fact":
            about = {"of": FACTS, "gives": float(not sample["is_hallucinated"]), "part": attributes["place"]}
            rows.append(label_row(unit, "fact", attributes["label"], **about))
        else:
            given = float(attributes["responds"] == YES)
            rows.append(label_row(unit, "answers", attributes["responds"], of=RESPONDING, gives=given))
    return rows
