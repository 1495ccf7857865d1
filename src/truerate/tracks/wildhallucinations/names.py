"""Names of things in users' messages: read out of replies, told apart by their keys, counted over conversations; and the 20
domains of entities (WildHallucinations, section 2).

What is counted is conversations, not mentions: a user who comes back to one thing twenty times asks about it once.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import regex

from truerate.core.data_files import read_data
from truerate.core.keys import content_id
from truerate.core.schemas import reject_row
from truerate.core.text import clean, folded, name_fault, name_key
from truerate.llm.generation import Read, facts
from truerate.llm.replies import lists
from truerate.llm.replies.lists import plain, read_word
from truerate.llm.replies.reading import Parsed

EXTRACT = "extract"
UNUSABLE, NOT_IN_MESSAGE = "unusable-name", "not-in-message"
N_SHOWN = 80
WORDS = read_data(Path(__file__).with_name("names.yaml"), dict)
DOMAINS = tuple(WORDS["domains"])
# spelling as compared → domain: with and without `-related`, a plural, a noun in place of the adjective
SPELLINGS = {plain(domain): domain for domain in DOMAINS}
SPELLINGS |= {plain(domain.removesuffix("-related")): domain for domain in DOMAINS} | WORDS["spellings"]


@dataclass(frozen=True, slots=True)
class Name:
    """A name as most conversations spell it (`text`), their number, and the messages that hold it, by id."""

    item_id: str
    key: str
    text: str
    source: str
    n_chats: int
    messages: tuple[str, ...]


def entity_id(source: str, key: str) -> str:
    """Return the id of the item that asks about the entity of this name."""
    return content_id("entity", source, key)


def parse_domain(text: str) -> Parsed:
    """Return the domain that a reply names, by its name or by words that belong to it alone, else None and the reason
    (`lists.read_word`): what is outside the list is `absent`.
    """
    return read_word(text, "Domain", SPELLINGS, is_partial=True)


def domain_named(text: str | None) -> str | None:
    """Return the domain of a spelling (that of a list of entities, say), None where it names none of the 20."""
    return SPELLINGS.get(plain(text or ""))


def read_names(text: str, message: str) -> Read:
    """Return the names that a reply lists of a message (`replies.lists.read_names`), one per line, each once; no line for
    `none`. `n_malformed`: lines that were not read, of which `detail` shows the first.
    """
    reading = lists.read_names(text, message, "Proper Nouns")
    cuts = {"cuts": " ".join(reading.cuts) or None}
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cuts)
    if lost := reading.value.unread:
        cuts |= {"n_malformed": str(len(lost)), "detail": f"not read: {clean(lost[0])[:N_SHOWN]!r}"}
    return Read("\n".join(reading.value.names), attributes=cuts)


def names_in_chats(chats: pl.DataFrame, extracted: pl.DataFrame) -> tuple[list[Name], list[dict]]:
    """Return the names in the chats' messages, sorted by id, and Reject rows of what cannot be one or does not stand in
    its message.

    `chats` are Item rows, `extracted` Generation rows of purpose `extract`; those of no given chat are passed over.
    """
    is_read = (pl.col("purpose") == EXTRACT) & (pl.col("status") == "ok")
    rows = extracted.filter(is_read).sort("item_id", "generation_id")
    of_rows = chats.filter(pl.col("item_id").is_in(rows["item_id"].implode()))
    chat_of = {row["item_id"]: row for row in of_rows.iter_rows(named=True)}
    mentions: dict[str, list[tuple[str, dict]]] = {}
    rejects = []
    for row in rows.iter_rows(named=True):
        chat = chat_of.get(row["item_id"])
        message = folded(chat["question"]) if chat else ""
        for name in row["text"].split("\n") if chat and row["text"] else ():
            fault, key = name_fault(name), name_key(name)
            if fault is None and regex.search(rf"(?<!\w){regex.escape(key)}(?!\w)", message):
                mentions.setdefault(key, []).append((name, chat))
                continue
            reason, detail = (
                (NOT_IN_MESSAGE, "the message holds no such name") if fault is None else (UNUSABLE, fault)
            )
            how = {"reason": reason, "detail": detail, "text": clean(name)[:N_SHOWN]}
            rejects.append(reject_row(where=EXTRACT, target_id=row["item_id"], **how))
    return sorted((_name(key, of) for key, of in mentions.items()), key=lambda name: name.item_id), rejects


def _name(key: str, mentions: list[tuple[str, dict]]) -> Name:
    """One name from all its mentions; of equally frequent spellings that without a possessive, then that with more capitals."""
    of_chat = {(text, facts(chat).get("conversation", chat["group_id"])) for text, chat in mentions}
    n_of = Counter(text.strip('"“”„«»` ') for text, _ in of_chat)
    text = min(n_of, key=lambda name: (-n_of[name], len(folded(name)), -sum(map(str.isupper, name)), name))
    source = mentions[0][1]["source"]
    messages = tuple(sorted({chat["item_id"] for _, chat in mentions}))
    return Name(entity_id(source, key), key, text, source, len({chat for _, chat in of_chat}), messages)


def texts_of(chats: pl.DataFrame, names: Iterable[Name]) -> dict[str, str]:
    """Return the texts of the messages that hold the names, by item id."""
    wanted = pl.Series(sorted({message for name in names for message in name.messages}), dtype=pl.String)
    rows = chats.filter(pl.col("item_id").is_in(wanted.implode()))
    return dict(rows.select("item_id", "question").iter_rows())
