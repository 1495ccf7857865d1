"""FaithDial (Dziri et al. 2022): dialogues whose hallucinated responses people rewrote, and the audit before
it.

Rows of the data set are dialogues with `utterances`, as its files have them, or single turns, as `datasets`
shows them (`dialog_idx`, `history`, `knowledge`, `response`, `original_response`, `BEGIN`, `VRM`); rows of
the audit have `corpus`, `system`, `knowledge`, `history` (the turn before), `response`, `begin` and
`vrm_raw`. Only the audit's were at hand.

BEGIN's labels of the data set are of `original_response`, or of `response` where nothing was rewritten, as
its publishers' own critic reads it. A response with a label of hallucination, whole or partial, is
hallucinated.

A turn has the attributes `dialogue` (its number in the file, `3/2` for a second one of number 3) and `turn`
(the number of the response among the assistant's, from 0). A dialogue that the assistant begins has a first
turn without question.
"""

from functools import partial
from pathlib import Path

from truerate.core import keys
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import Cutter, changed, csv_records, json_lines, json_rows, numbered, tab_records
from truerate.sources.downloads import matching, public_set
from truerate.sources.raw.dialogue import CORPORA, Openings, item_on, taken_in_turns, turn_answered
from truerate.sources.rows import BadRow, Reason, Row, label_of

AUDIT = tuple(f"audit_{corpus}.jsonl" for corpus in CORPORA)
LABELS = {"hallucination": True, "partial_hallucination": True} | dict.fromkeys(
    ("entailment", "uncooperative", "generic"), False
)
PEOPLE = "gold"
CLONE = "data-audit/*/*.csv"  # a folder per system; the corpus stands in the file's name
IN_NAMES = {"cmu": "cmu", "topical": "topicalchat", "wow": "wow", "wizard": "wow"}  # words of a name → corpus
COLUMNS = {  # of a person's file and of a system's: knowledge, label, speech acts
    True: ("evidence", "BEGIN", "VRM"),
    False: ("knowledge", "begin_label", "vrm_label"),
}
SPELT = {"hallucinated": "hallucination", "partial hallucination": "partial_hallucination"}
TOGETHER = {  # labels that stand together in one cell → the one that they are
    frozenset({"entailment", "hallucination"}): "partial_hallucination",
    frozenset({"entailment", "uncooperative"}): "uncooperative",
}
SET = public_set("faithdial")
DATA = SET.holds["FaithDial's own dialogues"]


@reads("faithdial")
def read(collection: Collection, split: str | None = None) -> None:
    """Read each response of the audit and of the data set as a gold sample of an item of task `dialogue`.

    A turn whose hallucinated response was rewritten is a pair. Responses without text and turns without
    knowledge are rejects. `split`: of the data set this file alone, and no audit.
    """
    present = collection.present(*AUDIT) if split is None else []
    published = {} if present or split else _audit_files(collection.folder)
    by_stem: dict[str, str] = {}
    of_split = [file for file in DATA if split in (None, _split_of(file))]
    for file in collection.present(*of_split):
        by_stem.setdefault(Path(file).stem, file)
    of_audit = () if split else (CLONE, *AUDIT[:2])
    looked_for = (*of_audit, *dict.fromkeys(f"{Path(file).stem}.json" for file in of_split))
    missing = "none of FaithDial's files (.json, .jsonl or .parquet)"
    collection.refuse_none(present or published or by_stem, missing, *looked_for)
    for file in present:
        collection.read(file, json_rows, partial(_keep_audited, collection))
    for file, corpus in published.items():
        collection.read(file, _audit_cut(file, corpus), partial(_keep_audited, collection))
    for file in by_stem.values():
        openings = Openings()
        collection.read(file, json_rows, partial(_keep_row, collection, file, openings))
        if openings.n_shared:
            collection.counts["n_dialogues_of_one_number"] += openings.n_shared


def _split_of(file: str) -> str:
    """The split that a file of the data set is, in the words of a source's `split`."""
    return {"valid": "validation"}.get(stem := Path(file).stem, stem)


# ---- the audit ---------------------------------------------------------------------------------------------
def _audit_files(folder: Path) -> dict[str, str]:
    """The audit's files in a clone that name a corpus, each with it."""
    names = {file: Path(file).name.lower() for file in matching(folder, CLONE)}
    corpora = {file: [IN_NAMES[word] for word in IN_NAMES if word in name] for file, name in names.items()}
    return {file: named[0] for file, named in corpora.items() if named}


def _audit_cut(file: str, corpus: str) -> Cutter:
    """Return what cuts a system's file: its columns are called by the system, a person's otherwise."""
    system = file.split("/")[-2].lower()
    knowledge, label, acts = COLUMNS[system == PEOPLE]
    response = "response" if system == PEOPLE else system

    def in_rows(values: dict, number: int) -> dict:
        """A published row by the names that the audit's rows have here."""
        fields = {"corpus": corpus, "system": system, "row": number - 1, "knowledge": values[knowledge]}
        fields |= {"history": values["history"], "response": values[response]}
        return fields | {"begin": _one_label(values[label]), "vrm_raw": values[acts]}

    return changed(partial(csv_records, columns=(knowledge, "history", response, label, acts)), in_rows)


def _one_label(cell: str) -> str:
    """The one of LABELS that a cell means, however spelt or combined. Raises BadRow for an empty cell."""
    words = [" ".join(word.lower().split()) for word in cell.replace(".", ",").split(",")]
    labels = [SPELT.get(word, word) for word in words if word]
    if not labels:
        raise BadRow(Reason.UNLABELLED, "the cell of its label is empty")
    return TOGETHER.get(frozenset(labels), labels[0] if len(labels) == 1 else cell)


def _keep_audited(collection: Collection, row: Row) -> None:
    """A response of a model or of a person, with one label."""
    corpus, system, knowledge = row.choice("corpus", tuple(CORPORA)), row.text("system"), _knowledge(row)
    response, before = row.turn("response"), row.optional_text("history")
    label, vrm, number = row.label("begin", tuple(LABELS)), row.optional_text("vrm_raw"), row.integer("row")
    collection.once("the row", corpus, system, number, row=row)
    item = item_on(collection, knowledge, before, licence=CORPORA[corpus], corpus=corpus)
    attributes = {"system": system, "row": number, "begin": label, "vrm": vrm}
    attributes |= {"label_source": "gold", "generator": None if system == PEOPLE else system}
    collection.sample(item, response, is_hallucinated=LABELS[label], **attributes)
    collection.counts[f"n_{label}"] += 1


# ---- the data set ------------------------------------------------------------------------------------------
def _keep_row(collection: Collection, file: str, openings: Openings, row: Row) -> None:
    """Keep a turn, or the turns of a dialogue; a bad turn costs its dialogue no other."""
    split = Path(file).stem.replace("validation", "valid")
    if "utterances" not in row.values:
        _keep_turn(collection, split, row, openings, row.values.get("dialog_idx"))
        return
    number, n_turns = row.values.get("dialog_idx", row.number), 0
    for entry in row.items("utterances"):
        with collection.part(file, row, text=str(entry)):
            turn = Row(entry, row.number)
            if "history" in turn.values:
                n_turns += 1
                _keep_turn(collection, split, turn, openings, number)
    if not n_turns:
        raise BadRow(Reason.NO_EXCHANGE, "field 'utterances' holds no turn with a history")


def _keep_turn(collection: Collection, split: str, row: Row, openings: Openings, number: object) -> None:
    """Keep one turn of the dialogue of a number; None where its row has no number."""
    turns = row.texts("history")
    dialogue = None if number is None else openings.name(number, next(iter(turns), None))
    history, question = taken_in_turns(turns)
    knowledge, response = _knowledge(row), row.turn("response")
    original, labels = row.optional_text("original_response"), _labels(row)
    is_hallucinated, is_rewritten = any(LABELS[label] for label in labels), original not in (None, response)
    item = collection.item(
        "dialogue",
        group=("dialogue", split, dialogue) if dialogue is not None else ("knowledge", knowledge),
        history=history,
        question=question,
        right_answer=response if is_rewritten or not is_hallucinated else None,
        document_ids=[collection.document(knowledge, licence=CORPORA["wow"], is_wikipedia=True)],
        dialogue=dialogue,
        turn=turn_answered(turns),
        is_shared=True,
    )
    if not question:
        collection.counts["n_turns_without_question"] += 1
    is_pair = is_rewritten and is_hallucinated
    more = {
        "label_source": "gold",
        "published_split": split,
        "vrm": ",".join(row.texts("VRM")) if row.values.get("VRM") else None,
        "pair_id": keys.content_id(item["item_id"], original, response) if is_pair else None,
    }
    sides = ("hallucinated", "right") if is_pair else (None, None)
    about = more | {"begin": ",".join(labels), "side": sides[0]}
    collection.sample(item, original if is_rewritten else response, is_hallucinated=is_hallucinated, **about)
    if is_rewritten:
        collection.sample(item, response, is_hallucinated=False, side=sides[1], is_rewritten=True, **more)


def _labels(row: Row) -> list[str]:
    """The labels that a turn has; raises BadRow where it has none, or one that is not known."""
    is_labelled = row.values.get("BEGIN") is not None
    labels = ["_".join(label.lower().split()) for label in row.texts("BEGIN")] if is_labelled else []
    if not labels:
        raise BadRow(Reason.UNLABELLED, "field 'BEGIN' holds no label")
    for label in labels:
        label_of(label, tuple(LABELS), "a label of field 'BEGIN'")
    return labels


def _knowledge(row: Row) -> str:
    text = row.optional_text("knowledge") or ""
    if not text.strip():
        raise BadRow(Reason.NO_KNOWLEDGE, "field 'knowledge' holds no text")
    return text


# ---- BEGIN (Dziri et al. 2022): responses of models to knowledge, labelled by people ------------------------
BEGIN_COLUMNS = ("model_name", "data_source", "knowledge", "message", "response", "begin_label")
BEGIN_LABELS = {"Fully attributable": False, "Not fully attributable": True, "Generic": False}
BEGIN_CORPORA = {"cmu": "cmu", "tc": "topicalchat", "wow": "wow"}  # of the corpora in the rows, and here
BEGIN = public_set("begin")


@reads("begin")
def read_begin(collection: Collection) -> None:
    """Read each response as a gold sample of an item of task `dialogue`, hallucinated where it is not fully
    attributable to the knowledge; a generic one, which says nothing of the matter, is not.
    """
    clone, ours = zip(*BEGIN.holds.values(), strict=True)
    present = {file: file.partition("_")[0] for file in collection.present(*ours)}
    files = () if present else matching(collection.folder, *clone)
    published = {file: Path(file).name.split("_")[1] for file in files}
    collection.refuse_none(present or published, "none of BEGIN's files", *clone, *ours)
    for file, split in present.items():
        collection.read(file, json_lines, partial(_keep_begin, collection, split))
    for file, split in published.items():
        cut = numbered(partial(tab_records, columns=BEGIN_COLUMNS))
        collection.read(file, cut, partial(_keep_begin, collection, split))


def _keep_begin(collection: Collection, split: str, row: Row) -> None:
    corpus, model = row.choice("data_source", tuple(BEGIN_CORPORA)), row.text("model_name")
    knowledge = row.text("knowledge")
    label, number = row.label("begin_label", tuple(BEGIN_LABELS)), row.integer("row")
    response, before = row.turn("response"), row.optional_text("message")
    collection.once("the row", split, corpus, number, row=row)
    collection.once_said("the response", row, but=("row",))
    item = item_on(collection, knowledge, before, licence=CORPORA[BEGIN_CORPORA[corpus]], corpus=corpus)
    attributes = {"generator": model, "begin": label, "row": number, "published_split": split}
    collection.sample(item, response, is_hallucinated=BEGIN_LABELS[label], label_source="gold", **attributes)
    collection.counts[f"n_{label.lower().replace(' ', '-')}"] += 1
