"""OpenDialKG (Moon et al. 2019): dialogues whose assistant walks a path in a knowledge graph before it speaks."""

from dataclasses import dataclass, field
from pathlib import Path

from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import csv_records, parse
from truerate.sources.downloads import Download, Found, downloaded_forms, one_of
from truerate.sources.rows import BadRow, Reason, Row, texts

DOWNLOAD = Download("OpenDialKG", {"opendialkg.csv": "", "data/opendialkg.csv": ""})  # the latter: in a clone
COLUMNS = ("Messages", "User Rating", "Assistant Rating")
WALK = "kgwalk/choose_path"
SPEAKERS = {"user": "[Human]", "assistant": "[Assistant]"}
CARD = published_card("opendialkg")


@dataclass
class Dialogue:
    """The turns of a conversation, and for each path walked its turn, main entity and text."""

    turns: list[tuple[str, str]] = field(default_factory=list)
    paths: list[tuple[int, str, str]] = field(default_factory=list)


def forms(folder: Path) -> list[Found]:
    """What a folder holds of it."""
    return downloaded_forms(folder, DOWNLOAD)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """One item per conversation: the last answer of the assistant, on the knowledge walked up to it."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    for file in one_of(forms(folder), DOWNLOAD, folder, name=name, split=None):
        collection.read(file, lambda raw: csv_records(raw, COLUMNS), lambda row: _keep(collection, row))
    return collection.tables()


def _keep(collection: Collection, row: Row) -> None:
    dialogue = _dialogue(row)
    index = _answer(dialogue.turns)
    walked = [(entity, text) for before, entity, text in dialogue.paths if before <= index]
    if not walked:
        raise BadRow(Reason.NO_KNOWLEDGE, "no knowledge path before the last answer")
    attributes = {
        "user_rating": row.optional_text("User Rating"),
        "assistant_rating": row.optional_text("Assistant Rating"),
    }
    main = walked[0][0]
    document_id = collection.document("\n".join(dict.fromkeys(text for _, text in walked)), title=main)
    collection.item(
        "dialogue",
        history="\n".join(f"{SPEAKERS[sender]}: {text}" for sender, text in dialogue.turns[: index - 1]),
        question=dialogue.turns[index - 1][1],
        right_answer=dialogue.turns[index][1],
        document_ids=[document_id],
        group=("entity", main),
        **attributes,
    )


def _dialogue(row: Row) -> Dialogue:
    """The turns and paths of a `Messages` cell."""
    try:
        messages = parse(row.text("Messages"))
    except BadRow as bad:
        raise BadRow(
            bad.reason, bad.detail if bad.reason != Reason.UNPARSABLE else f"field 'Messages' is {bad.detail}"
        ) from None
    if not isinstance(messages, list):
        raise BadRow(Reason.WRONG_TYPE, "field 'Messages' must be a JSON list")
    dialogue = Dialogue()
    for number, values in enumerate(messages, 1):
        _hear(dialogue, _message(values, number), f"field 'Messages', entry {number}")
    return dialogue


def _message(values: object, number: int) -> Row:
    try:
        return Row(values, number)
    except BadRow as bad:
        raise BadRow(bad.reason, f"field 'Messages', entry {number}: {bad.detail}") from None


def _hear(dialogue: Dialogue, message: Row, what: str) -> None:
    """Add one message: a chat turn or a walk; other actions say nothing that is known."""
    try:
        kind = message.choice("type", ("chat", "action"))
        if kind == "chat":
            dialogue.turns.append(
                (message.choice("sender", tuple(SPEAKERS)), " ".join(message.text("message").split()))
            )
        elif message.optional_text("action_id") == WALK:
            dialogue.paths.append((len(dialogue.turns), *_path(Row(message.get("metadata"), message.number))))
    except BadRow as bad:
        raise BadRow(bad.reason, f"{what}: {bad.detail}") from None


def _path(metadata: Row) -> tuple[str, str]:
    """Main entity and text of `[score, [[subject, relation, object], …], text]`, else its triples joined."""
    path = metadata.items("path")
    if len(path) < 2 or not isinstance(path[1], list) or not path[1]:
        raise BadRow(
            Reason.WRONG_TYPE, "field 'path' must be [score, [[subject, relation, object], …], text]"
        )
    triples = [texts(triple, "field 'path', a triple") for triple in path[1]]
    if any(len(triple) != 3 for triple in triples):
        raise BadRow(Reason.WRONG_TYPE, "field 'path', a triple: must be [subject, relation, object]")
    rendered = texts(path[2:3], "field 'path', its text")
    return triples[0][0], (rendered[0].strip() if rendered else "") or ". ".join(
        " ".join(triple) for triple in triples
    )


def _answer(turns: list[tuple[str, str]]) -> int:
    """Place of the last assistant turn that follows a user turn."""
    for index in range(len(turns) - 1, 0, -1):
        if turns[index][0] == "assistant" and turns[index - 1][0] == "user":
            return index
    raise BadRow(Reason.NO_EXCHANGE, "no assistant turn follows a user turn")
