"""Names of things in users' messages: read out of replies, told apart by their keys, counted over conversations.

What is counted is conversations, not mentions: a user who comes back to one thing twenty times asks about it
once.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl
import regex

from truerate.core.keys import content_id
from truerate.core.schemas import reject_row
from truerate.core.text import clean, folded, name_fault, name_key
from truerate.llm.generation import Read, facts
from truerate.llm.replies import lists

EXTRACT = "extract"
UNUSABLE, NOT_IN_MESSAGE = "unusable-name", "not-in-message"
N_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Name:
    """A name with what it is called most often (`text`), how many conversations hold it, and the messages
    that do, sorted by id.
    """

    item_id: str
    key: str
    text: str
    source: str
    n_chats: int
    messages: tuple[str, ...]


def entity_id(source: str, key: str) -> str:
    """The id of the item that asks about the entity of this name."""
    return content_id("entity", source, key)


def read_names(text: str, message: str) -> Read:
    """The names that a reply lists of a message (`replies.lists.read_names`), one per line, each once; no
    line for `none`. `n_malformed`: lines that were not read, of which `detail` shows the first.
    """
    found = lists.read_names(text, message, "Proper Nouns")
    cuts = {"cuts": " ".join(found.cuts) or None}
    if found.value is None:
        return Read(text, "unparsed", found.reason, cuts)
    if lost := found.value.unread:
        cuts |= {"n_malformed": str(len(lost)), "detail": f"not read: {clean(lost[0])[:N_SHOWN]!r}"}
    return Read("\n".join(found.value.names), attributes=cuts)


def names_in_chats(chats: pl.DataFrame, extracted: pl.DataFrame) -> tuple[list[Name], list[dict]]:
    """The names in the chats' messages, sorted by id, and Reject rows of what cannot be one or does not stand
    in its message.

    `chats` are Item rows, `extracted` Generation rows of purpose `extract`; those of no given chat are passed
    over.
    """
    rows = extracted.filter((pl.col("purpose") == EXTRACT) & (pl.col("status") == "ok")).sort(
        "item_id", "generation_id"
    )
    held = chats.filter(pl.col("item_id").is_in(rows["item_id"].implode()))
    known = {row["item_id"]: row for row in held.iter_rows(named=True)}
    met: dict[str, list[tuple[str, dict]]] = {}
    rejects = []
    for row in rows.iter_rows(named=True):
        chat = known.get(row["item_id"])
        message = folded(chat["question"]) if chat else ""
        for name in row["text"].split("\n") if chat and row["text"] else ():
            if (why := _unfit(name, message)) is not None:
                reason, detail = why
                rejects.append(
                    reject_row(
                        where=EXTRACT,
                        target_id=row["item_id"],
                        reason=reason,
                        detail=detail,
                        text=clean(name)[:N_SHOWN],
                    )
                )
            else:
                met.setdefault(name_key(name), []).append((name, chat))
    return sorted((_name(key, found) for key, found in met.items()), key=lambda name: name.item_id), rejects


def _unfit(name: str, message: str) -> tuple[str, str] | None:
    if (fault := name_fault(name)) is not None:
        return UNUSABLE, fault
    is_held = regex.search(rf"(?<!\w){regex.escape(name_key(name))}(?!\w)", message)
    return None if is_held else (NOT_IN_MESSAGE, "the message holds no such name")


def _name(key: str, met: list[tuple[str, dict]]) -> Name:
    """One name from all its mentions; of equally frequent spellings that without a possessive, then that with
    more capitals.
    """
    surfaces = Counter({(surface, _conversation(chat)) for surface, chat in met})
    spelled = Counter(surface.strip('"“”„«»` ') for surface, _ in surfaces)
    text = min(spelled, key=lambda one: (-spelled[one], len(folded(one)), -sum(map(str.isupper, one)), one))
    source = met[0][1]["source"]
    messages = tuple(sorted({chat["item_id"] for _, chat in met}))
    return Name(
        entity_id(source, key), key, text, source, len({_conversation(chat) for _, chat in met}), messages
    )


def _conversation(chat: dict) -> str:
    return facts(chat).get("conversation", chat["group_id"])


def texts_of(chats: pl.DataFrame, names: Iterable[Name]) -> dict[str, str]:
    """The texts of the messages that hold the names, by item id."""
    wanted = pl.Series(sorted({message for name in names for message in name.messages}), dtype=pl.String)
    return dict(
        chats.filter(pl.col("item_id").is_in(wanted.implode())).select("item_id", "question").iter_rows()
    )
