"""WildChat (Zhao et al. 2024): conversations of users with assistants, in Parquet or JSON Lines; each user
turn is a row of a list.

The format is that of the data set's card, which has changed over its releases (`conversation_id` or
`conversation_hash`, with and without moderation scores): only `conversation` must be there. What says who the
users are (addresses, countries, request headers) is not read.
"""

from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.keys import content_id
from truerate.core.text import clean
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_rows
from truerate.sources.parquet import SUFFIX as PARQUET
from truerate.sources.parquet import parquet_rows
from truerate.sources.rows import BadRow, Reason, Row

COLUMNS = tuple(
    ("conversation_hash conversation_id model conversation language toxic redacted openai_moderation").split()
)
ROLES = ("user", "assistant", "system")
ENGLISH = ("english", "en", "eng")
CARD = published_card("wildchat")


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each English user turn that is neither toxic nor redacted as an item of task `chat`, its conversation
    as its group.

    Attributes: `conversation`, `turn` (from 1, among the user's), `source_model`. Files are those below the
    folder that end in .parquet, .jsonl or .json. Turns that are not used are rejects without their text,
    which is just what should not be passed on.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and _is_chat(path)
    )
    if not present:
        raise SourceError(
            f"source {name!r}: no conversations in {str(folder)!r}; looked for: *.parquet, *.jsonl, *.json"
        )
    for file in present:
        cut = (
            partial(parquet_rows, columns=COLUMNS, needed=("conversation",))
            if file.endswith(PARQUET)
            else json_rows
        )
        collection.read(file, cut, lambda row, file=file: _book(collection, file, row), in_parts=True)
    return collection.tables()


def _is_chat(path: Path) -> bool:
    return (
        path.suffix in (PARQUET, ".jsonl", ".json")
        and path.name != "source.json"
        and not path.name.startswith(".")
    )


def _book(collection: Collection, file: str, row: Row) -> None:
    """Keep a conversation; one that cannot be read is a reject without its text, too."""
    try:
        _keep(collection, file, row)
    except BadRow as bad:
        if collection.on_bad_row == "stop":
            raise
        collection.reject(file, bad, row=row.number)


def _keep(collection: Collection, file: str, row: Row) -> None:
    """Items of usable turns, rejects of the others; an unreadable conversation gives neither."""
    turns = row.items("conversation")
    whole = {
        "language": row.optional_text("language"),
        **{field: _flag(row, field) for field in ("toxic", "redacted")},
    }
    model, identity = row.optional_text("model"), _identity(row)
    read = [_turn(turn, index, whole, _moderated(row, index)) for index, turn in enumerate(turns)]
    users = [turn for turn in read if turn["role"] == "user"]
    collection.counts["n_conversations"] += 1
    for number, turn in enumerate(users, 1):
        collection.counts["n_user_turns"] += 1
        collection.counts["n_turns_toxicity_unknown"] += turn["toxic"] is None
        try:
            _refuse(turn, collection.card.get("lang"))
            attributes = {"conversation": identity, "turn": number, "source_model": model}
            collection.item(
                "chat", group=("conversation", identity), question=turn["text"], lang="en", **attributes
            )
        except BadRow as bad:
            collection.reject(file, bad, row=row.number, target_id=f"{identity}/{number}")
            collection.counts[f"n_turns_{bad.reason.value}"] += 1


def _identity(row: Row) -> str:
    """The conversation's name: its hash or id, else one made from its turns."""
    named = row.optional_text("conversation_hash") or row.optional_text("conversation_id")
    return named or content_id(
        [
            (turn.get("role"), turn.get("content"))
            for turn in row.values["conversation"]
            if isinstance(turn, dict)
        ]
    )


def _turn(turn: object, index: int, whole: dict, is_flagged: bool | None) -> dict:
    """One turn: role, text, language, and what its own fields, else those of its conversation, say of it."""
    try:
        fields = Row(turn, index + 1)
        language = fields.optional_text("language")
        toxic, redacted = _flag(fields, "toxic"), _flag(fields, "redacted")
        text = None if fields.values.get("content") is None else fields.text("content", may_be_empty=True)
        role = fields.choice("role", ROLES)
    except BadRow as bad:
        raise BadRow(bad.reason, f"field 'conversation', turn {index + 1}: {bad.detail}") from None
    return {
        "role": role,
        "text": (text or "").strip(),
        "language": language or whole["language"],
        "toxic": next((flag for flag in (toxic, is_flagged, whole["toxic"]) if flag is not None), None),
        "redacted": next((flag for flag in (redacted, whole["redacted"]) if flag is not None), False),
    }


def _flag(row: Row, field: str) -> bool | None:
    """True, false, or None where the field is absent or null."""
    value = row.values.get(field)
    if value is not None and not isinstance(value, bool):
        raise BadRow(
            Reason.WRONG_TYPE, f"field {field!r} must be true, false or null, not {clean(str(value))[:40]!r}"
        )
    return value


def _moderated(row: Row, index: int) -> bool | None:
    """Whether OpenAI's moderation flagged a turn, by its place; None if nothing is said of it."""
    marks = row.values.get("openai_moderation")
    mark = marks[index] if isinstance(marks, list) and index < len(marks) else None
    flagged = mark.get("flagged") if isinstance(mark, dict) else None
    return flagged if isinstance(flagged, bool) else None


def _refuse(turn: dict, default: str | None) -> None:
    """Raise BadRow if a turn is not used. `default`: the language of turns that name none."""
    if not turn["text"]:
        raise BadRow(Reason.EMPTY_TURN, "the turn holds no text")
    if turn["toxic"]:
        raise BadRow(Reason.TOXIC, "the turn is marked as toxic")
    if turn["redacted"]:
        raise BadRow(Reason.REDACTED, "personal data were taken out of the turn")
    language = turn["language"] or default
    if language is None or language.casefold() not in ENGLISH:
        raise BadRow(
            Reason.NOT_ENGLISH, f"the language is {language[:40]!r}" if language else "no language is stated"
        )
