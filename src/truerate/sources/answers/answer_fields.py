"""Which of a file's fields holds the answer, by their names and by what stands in them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from truerate.core.errors import SourceError
from truerate.sources.answers.names import ROLES

CHATS = (
    "messages",
    "conversation",
    "conversations",
    "chat",
)  # lists of messages, the last of them the answer
SHOWN = 30  # fields that a message names
LONGEST_VALUE = 80  # characters of a value to slice by
Record = Mapping[str, Any]
Records = Sequence[tuple[int, Record]]


def answer_field(columns: Mapping[str, Sequence[Any]], records: Records, *, can_lack: bool) -> dict[str, str]:
    """The field of the answer by its role; beside `answer` another name of it is the model's; of a chat it is the
    last message, the question the one before. Empty where there is none and it can lack, as what is judged or
    labelled already needs no text.
    """
    names = [name for name in ROLES["answer"] if name in columns]
    texts = [name for name in names if name == "answer" or _is_answer(columns[name])]
    if len(texts) == 2 and texts[0] == "answer":
        return {"answer": texts[1]}
    if len(texts) == 1:
        return {"answer": texts[0]}
    for chat in CHATS if not texts else ():
        if (content := _content_of(columns.get(chat, ()))) is not None:
            return {"answer": f"{chat}.-1.{content}", "question": f"{chat}.-2.{content}"}
    if not texts and can_lack and not names:
        return {}
    if not texts:
        objects = f"; {names[0]!r} is no text" if names else ""
        raise SourceError(
            f"line {records[0][0]}: it has no 'answer'{objects}; its fields are {shape_of(records[0][1])}: "
            "name the one that is meant, --map answer=FIELD"
        )
    if all(columns[name] == columns[texts[0]] for name in texts):
        return {"answer": texts[0]}
    raise SourceError(
        f"{quoted(texts)} stand beside one another: which one did the system write? Say --map "
        f"answer={texts[1]} or "
        f"--map answer={texts[0]}"
    )


def _is_answer(values: Sequence[Any]) -> bool:
    """Return whether values are texts; some may be numbers, as `datasets` makes of the text "1412"."""
    return any(isinstance(value, str) for value in values) and all(
        isinstance(value, str | int | float) for value in values
    )


def _content_of(values: Sequence[Any]) -> str | None:
    """The field of a message's text where values are lists of messages, the last of them the model's, the one before a
    person's; None where they are not.
    """
    for role, content, person, model in (
        ("role", "content", ("user",), ("assistant",)),
        ("from", "value", ("human", "user"), ("gpt", "assistant")),
    ):
        ends = [value[-2:] if isinstance(value, list) else [] for value in values]
        roles = [[message.get(role) for message in end if isinstance(message, dict)] for end in ends]
        if roles and all(len(end) == 2 and end[0] in person and end[1] in model for end in roles):
            return content
    return None


def shape_of(record: Record) -> str:
    """The fields of a record, an object's as dotted paths."""
    paths = [
        path if len(path) <= LONGEST_VALUE else f"{path[: LONGEST_VALUE - 1]}…"
        for name, value in record.items()
        for path in ([f"{name}.{inner}" for inner in value] if isinstance(value, dict) and value else [name])
    ]
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return quoted(paths[:SHOWN]) + more


def quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
