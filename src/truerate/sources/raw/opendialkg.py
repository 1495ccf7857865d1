"""OpenDialKG (Moon et al. 2019): dialogues whose assistant walks a path in a knowledge graph before it
speaks.
"""

from dataclasses import dataclass, field
from functools import partial

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import csv_records, parse
from truerate.sources.downloads import Download, read_download
from truerate.sources.rows import BadRow, Reason, Row, texts

DOWNLOAD = Download("OpenDialKG", {"opendialkg.csv": "", "data/opendialkg.csv": ""})  # the latter: in a clone
COLUMNS = ("Messages", "User Rating", "Assistant Rating")
WALK = "kgwalk/choose_path"
SPEAKERS = {"user": "[Human]", "assistant": "[Assistant]"}


@dataclass
class Dialogue:
    """The turns of a conversation, and for each path walked its turn, main entity and text."""

    turns: list[tuple[str, str]] = field(default_factory=list)
    paths: list[tuple[int, str, str]] = field(default_factory=list)


@reads("opendialkg")
def read(collection: Collection) -> None:
    """One item per conversation: the last answer of the assistant, on the knowledge walked up to it."""
    read_download(collection, DOWNLOAD, partial(csv_records, columns=COLUMNS), partial(_keep, collection))


def _keep(collection: Collection, row: Row) -> None:
    dialogue = _dialogue(row)
    index = _answer(dialogue.turns)
    walked = [(entity, text) for before, entity, text in dialogue.paths if before <= index]
    if not walked:
        raise BadRow(Reason.NO_KNOWLEDGE, "no knowledge path before the last answer")
    main, knowledge = walked[0][0], "\n".join(dict.fromkeys(text for _, text in walked))
    ratings = {f"{who}_rating": row.optional_text(f"{who.title()} Rating") for who in SPEAKERS}
    collection.item(
        "dialogue",
        history="\n".join(f"{SPEAKERS[sender]}: {text}" for sender, text in dialogue.turns[: index - 1]),
        question=dialogue.turns[index - 1][1],
        right_answer=dialogue.turns[index][1],
        document_ids=[collection.document(knowledge, title=main)],
        group=("entity", main),
        **ratings,
    )


def _dialogue(row: Row) -> Dialogue:
    """The turns and paths of a `Messages` cell; actions other than walks say nothing that is known."""
    cell = row.text("Messages")
    try:
        messages = parse(cell)
    except BadRow as bad:
        raise BadRow(bad.reason, f"field 'Messages' is {bad.detail}") from None
    if not isinstance(messages, list):
        raise BadRow(Reason.WRONG_TYPE, "field 'Messages' must be a JSON list")
    dialogue = Dialogue()
    for number, values in enumerate(messages, 1):
        try:
            message = Row(values, number)
            if message.choice("type", ("chat", "action")) == "chat":
                sender, text = message.choice("sender", tuple(SPEAKERS)), message.text("message")
                dialogue.turns.append((sender, " ".join(text.split())))
            elif message.optional_text("action_id") == WALK:
                dialogue.paths.append((len(dialogue.turns), *_path(message.row("metadata"))))
        except BadRow as bad:
            raise BadRow(bad.reason, f"field 'Messages', entry {number}: {bad.detail}") from None
    return dialogue


def _path(metadata: Row) -> tuple[str, str]:
    """Main entity and text of `[score, [[subject, relation, object], …], text]`, else its triples joined."""
    path = metadata.items("path")
    if len(path) < 2 or not isinstance(path[1], list) or not path[1]:
        problem = "field 'path' must be [score, [[subject, relation, object], …], text]"
        raise BadRow(Reason.WRONG_TYPE, problem)
    triples = [texts(triple, "field 'path', a triple") for triple in path[1]]
    if any(len(triple) != 3 for triple in triples):
        raise BadRow(Reason.WRONG_TYPE, "field 'path', a triple: must be [subject, relation, object]")
    rendered = "".join(texts(path[2:3], "field 'path', its text")).strip()
    return triples[0][0], rendered or ". ".join(" ".join(triple) for triple in triples)


def _answer(turns: list[tuple[str, str]]) -> int:
    """Place of the last assistant turn that follows a user turn."""
    for index in range(len(turns) - 1, 0, -1):
        if turns[index][0] == "assistant" and turns[index - 1][0] == "user":
            return index
    raise BadRow(Reason.NO_EXCHANGE, "no assistant turn follows a user turn")
