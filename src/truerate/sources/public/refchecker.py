"""RefChecker's human labels (Hu et al. 2024): replies of seven models in three settings, with labelled
claims.

A question stands alone in `zero_context`, with retrieved passages in `noisy_context`, with one document in
`accurate_context`. The files hold neither questions nor passages.
"""

from functools import partial

from truerate.core.errors import SettingsError, SourceError, listed
from truerate.sources.clone import matching, public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import changed, json_lines, json_list
from truerate.sources.public.unit_labels import FACTS, Tables, Unit, attributes_of, label_row, yes_or_no
from truerate.sources.rows import BadRow, Reason, Row, texts

FILE = "claims.jsonl"
CLONE = "benchmark/human_annotations_v1"  # below it <setting>/<source>_<model>_answers.json
ENDING = "_answers.json"
LABELS = ("Entailment", "Neutral", "Contradiction")
SUPPORTED = LABELS[0]
SET = public_set("refchecker")
PARTS = SETTINGS = tuple(SET.holds)


@reads("refchecker")
def read(collection: Collection, part: str | None = None) -> None:
    """Read the replies of one setting (`part`) as samples of task `entity`, their claims as samples of task
    `fact`.

    A claim is hallucinated where its label is not Entailment, a reply where one of its claims is. Settings
    are never pooled: raises TruerateError where the file holds several and `part` names none.
    """
    where = f"source {collection.name!r}"
    if part is not None and part not in SETTINGS:
        raise SettingsError(f"{where}: part {part!r} is not known; allowed: {listed(SETTINGS)}")
    settings: set[str] = set()
    # the one file of this project's form where it is there, else the publisher's, of every setting
    patterns = () if collection.has(FILE) else (SET.holds[name][0] for name in SETTINGS)
    clone = matching(collection.folder, *patterns)
    for file in clone or [FILE]:
        cut = json_lines if file == FILE else changed(json_list, partial(_with_path, file))
        collection.read(file, cut, partial(_keep, collection, settings, part))
    if len(clone) > 1:
        collection.fold_files(CLONE)
    if len(settings) > 1 and part is None:
        problem = f"{FILE} holds several settings, which are never pooled"
        raise SourceError(f"{where}: {problem}; name one as `part`: {listed(settings)}")
    if not collection.items and part is not None:
        problem = f"{FILE} holds no reply of part {part!r}"
        raise SourceError(f"{where}: {problem}; settings in it: {listed(settings)}")


def _with_path(file: str, values: dict, number: int) -> dict:
    """A published row with what its path says: the setting, and `<source>_<model>`."""
    *_, setting, name = file.split("/")
    source, _, model = name.removesuffix(ENDING).partition("_")
    fields = {"setting": setting, "source": source, "model": model}
    return values | fields | {"claims": values.get("claude2_response_kg")}


def _keep(collection: Collection, settings: set[str], part: str | None, row: Row) -> None:
    setting, prompt, model = row.choice("setting", SETTINGS), row.text("id"), row.text("model")
    response, origin = row.text("response"), row.text("source")
    claims = [_claim(claim) for claim in row.rows("claims")]
    collection.once("the reply", setting, prompt, model, row=row)
    settings.add(setting)
    if part not in (None, setting):
        return
    about = {"group": ("prompt", setting, prompt), "setting": setting, "id": prompt}
    item = collection.item("entity", question=f"{origin} {prompt}", is_shared=True, **about)
    facts = [(sentence, label != SUPPORTED, {"label": label}) for sentence, label in claims]
    collection.reply(item, response, facts, generator=model)
    collection.counts.update(f"n_{label.lower()}" for _, label in claims)
    collection.counts["n_without_claims"] += not claims


def _claim(claim: Row) -> tuple[str, str]:
    """A claim's triplet (subject, predicate, object) as a sentence, and its label."""
    triplet = texts(claim.items("triplet"), f"claim {claim.number}, its triplet")
    parts = [piece.strip() for piece in triplet if piece.strip()]
    if not parts:
        raise BadRow(Reason.EMPTY_FIELD, f"claim {claim.number}: its triplet holds no text")
    return " ".join(parts).rstrip(".") + ".", claim.label("human_label", LABELS)


def labels(tables: Tables) -> list[dict]:
    """Whether any claim was taken out of each reply, and what people said of each of its claims."""
    rows = []
    for sample in tables.samples.to_dicts():
        attributes = attributes_of(sample)
        unit = Unit(sample["generator"], sample["item_id"], sample["item_id"], [])
        if sample["task"] == "fact":
            about = {"of": FACTS, "gives": float(not sample["is_hallucinated"]), "part": attributes["place"]}
            rows.append(label_row(unit, "claim", attributes["label"], **about))
        else:
            rows.append(label_row(unit, "has claims", yes_or_no(int(attributes["n_claims"]))))
    return rows
