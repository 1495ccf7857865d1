"""WildChat (Zhao et al. 2024): conversations of users with assistants, in Parquet or JSON Lines.

The format is that of the data set's card, which has changed over its releases: only `conversation` must be
there. What says who the users are (addresses, countries, request headers) is not read.
"""

from functools import partial
from pathlib import Path

from truerate.core.keys import content_id
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import SUFFIX, json_rows, parquet_rows
from truerate.sources.downloads import matching
from truerate.sources.rows import BadRow, Reason, Row

COLUMNS = tuple(
    "conversation_hash conversation_id model conversation language toxic redacted openai_moderation".split()
)
ROLES = ("user", "assistant", "system")
ENGLISH = ("english", "en", "eng")


@reads("wildchat")
def read(collection: Collection) -> None:
    """Read each English user turn that is neither toxic nor redacted as an item of task `chat`, its
    conversation as its group. Attributes: `conversation`, `turn` (from 1, among the user's), `source_model`.

    Turns that are not used are rejects without their text, which should not be passed on.
    """
    patterns = ("*.parquet", "*.jsonl", "*.json")
    files = matching(collection.folder, *(f"**/{pattern}" for pattern in patterns))
    files = [file for file in files if Path(file).name != "source.json"]
    collection.refuse_none(files, "no conversations", *patterns)
    parquet = partial(parquet_rows, columns=COLUMNS, needed=("conversation",))
    for file in files:
        cut = parquet if file.endswith(SUFFIX) else json_rows
        collection.read(file, cut, partial(_keep, collection, file), in_parts=True)


def _keep(collection: Collection, file: str, row: Row) -> None:
    """Keep usable turns as items, the others as rejects; an unreadable conversation is one, without its text,
    too.
    """
    try:
        whole = {"language": row.optional_text("language"), "toxic": row.flag("toxic")}
        whole |= {"redacted": row.flag("redacted")}
        entries = enumerate(row.items("conversation"))
        turns = [_turn(turn, index, whole, _moderated(row, index)) for index, turn in entries]
        model, identity = row.optional_text("model"), _identity(row)
    except BadRow as bad:
        if collection.on_bad_row == "stop":
            raise
        collection.reject(file, bad, row=row.number)
        return
    collection.counts["n_conversations"] += 1
    for number, turn in enumerate((turn for turn in turns if turn["role"] == "user"), 1):
        collection.counts["n_user_turns"] += 1
        collection.counts["n_turns_toxicity_unknown"] += turn["toxic"] is None
        try:
            _refuse(turn, collection.card.get("lang"))
            about = {"conversation": identity, "turn": number, "source_model": model}
            group = ("conversation", identity)
            collection.item("chat", group=group, question=turn["text"], lang="en", **about)
        except BadRow as bad:
            collection.reject(file, bad, row=row.number, target_id=f"{identity}/{number}")
            collection.counts[f"n_turns_{bad.reason.value}"] += 1


def _identity(row: Row) -> str:
    """The conversation's name: its hash or id, else one made from its turns."""
    named = row.optional_text("conversation_hash") or row.optional_text("conversation_id")
    turns = [turn for turn in row.values["conversation"] if isinstance(turn, dict)]
    return named or content_id([(turn.get("role"), turn.get("content")) for turn in turns])


def _turn(turn: object, index: int, whole: dict, is_flagged: bool | None) -> dict:
    """One turn: role, text, language, and what its own fields, else those of its conversation, say of it."""
    try:
        fields = Row(turn, index + 1)
        language = fields.optional_text("language")
        toxic, redacted = fields.flag("toxic"), fields.flag("redacted")
        text, role = fields.optional_text("content"), fields.choice("role", ROLES)
    except BadRow as bad:
        raise BadRow(bad.reason, f"field 'conversation', turn {index + 1}: {bad.detail}") from None
    return {
        "role": role,
        "text": (text or "").strip(),
        "language": language or whole["language"],
        "toxic": next((flag for flag in (toxic, is_flagged, whole["toxic"]) if flag is not None), None),
        "redacted": whole["redacted"] if redacted is None else redacted,
    }


def _moderated(row: Row, index: int) -> bool | None:
    """Return whether OpenAI's moderation flagged a turn, by its place; None if nothing is said of it."""
    marks = row.values.get("openai_moderation")
    mark = marks[index] if isinstance(marks, list) and index < len(marks) else None
    flagged = mark.get("flagged") if isinstance(mark, dict) else None
    return flagged if isinstance(flagged, bool) else None


def _refuse(turn: dict, default: str | None) -> None:
    """Raise BadRow if a turn is not used. `default`: the language of turns that name none."""
    language = turn["language"] or default
    if not turn["text"]:
        raise BadRow(Reason.EMPTY_TURN, "the turn holds no text")
    if turn["toxic"]:
        raise BadRow(Reason.TOXIC, "the turn is marked as toxic")
    if turn["redacted"]:
        raise BadRow(Reason.REDACTED, "personal data were taken out of the turn")
    if language is None:
        raise BadRow(Reason.NOT_ENGLISH, "no language is stated")
    if language.casefold() not in ENGLISH:
        raise BadRow(Reason.NOT_ENGLISH, f"the language is {language[:40]!r}")
