"""RefChecker's human labels (Hu et al. 2024): replies of seven models in three settings, cut into claims that
people labelled.

In `zero_context` a question stands alone; in `noisy_context` retrieved passages, in `accurate_context` one
document are given with it. The files hold neither questions nor passages.
"""

from functools import partial
from pathlib import Path

from truerate.core.errors import SettingsError, SourceError, listed
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, changed, matching
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines, json_list
from truerate.sources.public.unit_labels import FACTS, Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row, texts

FILE = "claims.jsonl"
CLONE = "benchmark/human_annotations_v1"  # below it <setting>/<source>_<model>_answers.json
ENDING = "_answers.json"
PARTS = SETTINGS = ("zero_context", "noisy_context", "accurate_context")
LABELS = ("Entailment", "Neutral", "Contradiction")
SUPPORTED = LABELS[0]
CARD = published_card("refchecker")

SET = PublicSet(
    repository="amazon-science/RefChecker",
    holds={setting: (f"{CLONE}/{setting}/*{ENDING}", FILE) for setting in SETTINGS},
    labelled_by="people (whether each claim follows from the reference)",
    by_part={setting: (setting,) for setting in SETTINGS},
)
Claim = tuple[str, str]  # its sentence and its label


def read(folder: Path, *, name: str, on_bad_row: str, part: str | None = None) -> SourceTables:
    """The replies of one setting (`part`) as samples of task `entity`, each of their claims as a sample of
    task `fact`.

    A reply is hallucinated where not all of its claims are entailed, so one without claims is not; a claim is
    where its label is not Entailment. Settings are never pooled: raises TruerateError where the file holds
    several and `part` names none of them.
    """
    if part is not None and part not in SETTINGS:
        raise SettingsError(f"source {name!r}: part {part!r} is not known; allowed: {listed(SETTINGS)}")
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    settings: set[str] = set()
    files = _files(collection)
    for file in files:
        cut = json_lines if file == FILE else changed(json_list, partial(_told_by_path, file))
        collection.read(file, cut, partial(_keep, collection, settings, part))
    if len(files) > 1:
        collection.fold_files(CLONE)
    if len(settings) > 1 and part is None:
        raise SourceError(
            f"source {name!r}: {FILE} holds several settings, which are never pooled; name one as `part`: {listed(settings)}"
        )
    if not collection.items and part is not None:
        raise SourceError(
            f"source {name!r}: {FILE} holds no reply of part {part!r}; settings in it: {listed(settings)}"
        )
    return collection.tables()


def _files(collection: Collection) -> list[str]:
    """The one file of this project's form where it is there, else the publisher's, of every setting."""
    return (
        [FILE]
        if collection.has(FILE)
        else matching(collection.folder, *(f"{CLONE}/{setting}/*{ENDING}" for setting in SETTINGS)) or [FILE]
    )


def _told_by_path(file: str, values: dict, number: int) -> dict:
    """A published row with what its path says: the setting, and `<source>_<model>`."""
    *_, setting, name = file.split("/")
    source, _, model = name.removesuffix(ENDING).partition("_")
    fields = {"setting": setting, "source": source, "model": model}
    return values | fields | {"claims": values.get("claude2_response_kg")}


def _keep(collection: Collection, settings: set[str], part: str | None, row: Row) -> None:
    setting, prompt, model = row.choice("setting", SETTINGS), row.text("id"), row.text("model")
    response, origin = row.text("response"), row.text("source")
    claims = [_claim(entry, index) for index, entry in enumerate(row.items("claims"), 1)]
    collection.once("the reply", setting, prompt, model, row=row)
    settings.add(setting)
    if part not in (None, setting):
        return
    item = collection.item(
        "entity",
        group=("prompt", setting, prompt),
        question=f"{origin} {prompt}",
        setting=setting,
        id=prompt,
        is_shared=True,
    )
    published = {"label_source": "published", "generator": model}
    is_entailed = all(label == SUPPORTED for _, label in claims)
    reply = collection.sample(
        item, response, is_hallucinated=not is_entailed, n_claims=len(claims), **published
    )
    for index, (sentence, label) in enumerate(claims):
        about = {"generation": reply["sample_id"], "place": index, "label": label}
        collection.sample(
            item, sentence, task="fact", is_hallucinated=label != SUPPORTED, **published, **about
        )
        collection.counts[f"n_{label.lower()}"] += 1
    collection.counts["n_without_claims"] += not claims


def _claim(entry: object, index: int) -> Claim:
    """A claim's triplet (subject, predicate, object) as a sentence, and its label."""
    claim = Row(entry, index)
    parts = [
        piece.strip()
        for piece in texts(claim.items("triplet"), f"claim {index}, its triplet")
        if piece.strip()
    ]
    if not parts:
        raise BadRow(Reason.EMPTY_FIELD, f"claim {index}: its triplet holds no text")
    return " ".join(parts).rstrip(".") + ".", claim.label("human_label", LABELS)


def labels(tables: Tables) -> list[dict]:
    """Whether any claim was taken out of each reply, and what people said of each of its claims."""
    rows = []
    for sample in tables.samples.to_dicts():
        attributes = attributes_of(sample)
        unit = Unit(sample["generator"], sample["item_id"], sample["item_id"], [])
        if sample["task"] == "fact":
            given = float(not sample["is_hallucinated"])
            rows.append(
                label_row(unit, "claim", attributes["label"], part=attributes["place"], of=FACTS, gives=given)
            )
        else:
            rows.append(label_row(unit, "has claims", yes_or_no(int(attributes["n_claims"]))))
    return rows
