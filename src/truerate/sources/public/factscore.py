"""FActScore's labelled biographies (Min et al. 2023): replies of three systems about 183 people, cut into atomic facts that
people labelled against Wikipedia.

A file per system, the same people in each in another order. `annotations` are the sentences of a reply, null where it
does not answer; a sentence has facts that people labelled (supported, not supported, irrelevant), or, where all of it is
irrelevant, the facts of a model alone.
"""

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import SourceError
from truerate.core.schemas import pairs
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, matching
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines
from truerate.sources.public.unit_labels import FACTS, RESPONDING, YES, Tables, Unit, attributes_of, label_row
from truerate.sources.rows import BadRow, Reason, Row

FILES = (
    "third_party/factscore/labeled_data/*.jsonl",
    "labeled_data/*.jsonl",
    "factscore/labeled_data/*.jsonl",
)
LABELS = {"S": "supported", "NS": "not supported", "IR": "irrelevant"}
SUPPORTED, ASIDE = "S", "in an irrelevant sentence"
CARD = published_card("factscore")
SET = PublicSet(
    repository="google-deepmind/long-form-factuality",
    holds={"labelled biographies": FILES},
    labelled_by="people (whether Wikipedia supports each fact; whether a reply answers)",
)


class Fact(NamedTuple):
    """An atomic fact of a reply: its text, what people said of it, and the place of its sentence."""

    text: str
    label: str
    sentence: int


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Replies as samples of task `entity`, each of their facts as a sample of task `fact`, on an item per person.

    A fact is hallucinated where people did not call it supported. Where a whole sentence is irrelevant, its facts are those
    that a model took out of it, and none is supported: that gives the paper's scores. Whether a reply answers is said by
    people (attribute `responds`), not by a rule on its text.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    files = matching(folder, *FILES)
    if not files:
        raise SourceError(
            f"source {name!r}: none of FActScore's labelled files in {str(folder)!r}; looked for: {', '.join(FILES)}"
        )
    read_from: dict[str, str] = {}
    for file in sorted(files, key=lambda path: (len(path), path)):  # the plain name before `name (1)`
        first = read_from.setdefault(hashlib.sha256((folder / file).read_bytes()).hexdigest(), file)
        if first != file:
            collection.reject(file, BadRow(Reason.DUPLICATE, f"the file is {first} again, byte for byte"))
            continue
        collection.read(file, json_lines, partial(_keep, collection, Path(file).stem))
    return collection.tables()


def _keep(collection: Collection, system: str, row: Row) -> None:
    topic, (rarity, region) = row.text("topic"), _classes(row)
    reply = row.text("output", may_be_empty=True)
    sentences = None if row.values.get("annotations") is None else row.items("annotations")
    facts = [
        fact
        for index, sentence in enumerate(sentences or [])
        for fact in _facts(Row(sentence, index + 1), index)
    ]
    collection.once("the reply", system, topic, row=row)
    item = collection.item(
        "entity", group=("topic", topic), question=topic, rarity_group=rarity, region=region, is_shared=True
    )
    published = {"label_source": "published", "generator": system}
    sample = collection.sample(
        item,
        reply,
        is_hallucinated=any(fact.label != SUPPORTED for fact in facts),
        n_claims=len(facts),
        responds="no" if sentences is None else "yes",
        **published,
    )
    for index, fact in enumerate(facts):
        about = {"generation": sample["sample_id"], "place": index, "sentence": fact.sentence}
        about |= {"label": LABELS.get(fact.label, fact.label)}
        collection.sample(
            item, fact.text, task="fact", is_hallucinated=fact.label != SUPPORTED, **published, **about
        )
        collection.counts[f"n_{about['label'].replace(' ', '-')}"] += 1
    collection.counts[f"n_responding_{system}"] += sentences is not None


def _classes(row: Row) -> list[str]:
    """How rare a person is, and of which region."""
    classes = row.texts("cat")
    if len(classes) != 2:
        raise BadRow(
            Reason.WRONG_TYPE, f"field 'cat' must be a pair [rarity, region], has {len(classes)} entries"
        )
    return classes


def _facts(sentence: Row, index: int) -> Iterator[Fact]:
    """The facts of a sentence: people's; a model's where people wrote none because the sentence is irrelevant."""
    people = sentence.values.get("human-atomic-facts")
    if people is None:
        for fact in sentence.items("model-atomic-facts"):
            yield Fact(Row(fact, sentence.number).text("text"), ASIDE, index)
        return
    for entry in sentence.items("human-atomic-facts"):
        fact = Row(entry, sentence.number)
        yield Fact(fact.text("text"), fact.label("label", tuple(LABELS)), index)


def labels(tables: Tables) -> list[dict]:
    """Whether each reply answers, and what people said of each of its facts."""
    classes = {item["item_id"]: attributes_of(item) for item in tables.items.to_dicts()}
    rows = []
    for sample in tables.samples.to_dicts():
        attributes, of_item = attributes_of(sample), classes[sample["item_id"]]
        where = pairs(rarity=of_item["rarity_group"], region=of_item["region"])
        unit = Unit(sample["generator"], sample["item_id"], sample["item_id"], where)
        if sample["task"] == "fact":
            given = float(not sample["is_hallucinated"])
            rows.append(
                label_row(unit, "fact", attributes["label"], part=attributes["place"], of=FACTS, gives=given)
            )
        else:
            given = float(attributes["responds"] == YES)
            rows.append(label_row(unit, "answers", attributes["responds"], of=RESPONDING, gives=given))
    return rows
