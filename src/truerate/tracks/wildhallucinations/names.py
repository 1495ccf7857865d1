"""What replies say: the names of things in users' messages, told apart by their keys and counted over
conversations, the 20 domains of entities (WildHallucinations, section 2), and whether a reply abstains.

What is counted is conversations, not mentions: a user who comes back to one thing twenty times asks about it
once.

Abstention has two rules, and a probe set says how often each is wrong. **paper** (appendix B: 26 phrases and
six substrings, matched by two functions of FActScore's): a substring anywhere in the reply; a reply that
begins with a phrase; or paragraphs of which the first is empty or holds one. **measured** (ours):
`llm.replies.texts.abstaining`.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import regex

from truerate.core.data_files import read_data
from truerate.core.keys import content_id
from truerate.core.schemas import pairs, reject_row
from truerate.core.text import clean, folded, name_fault, name_key
from truerate.llm.generation import Read, facts
from truerate.llm.replies.lists import names as listed_names
from truerate.llm.replies.lists.single_word import plain, read_word
from truerate.llm.replies.reading import Parsed
from truerate.llm.replies.texts.abstaining import is_abstention

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
    """Return the domain that a reply names, by its name or by words that belong to it alone, else None and
    the reason (`single_word.read_word`): what is outside the list is `absent`.
    """
    return read_word(text, "Domain", SPELLINGS, is_partial=True)


def domain_named(text: str | None) -> str | None:
    """Return the domain of a spelling, as of a list of entities; None where it is none of the 20."""
    return SPELLINGS.get(plain(text or ""))


def read_names(text: str, message: str) -> Read:
    """Return the names that a reply lists of a message (`replies.lists.names.read_names`), one per line, each once;
    no line for `none`. `n_malformed`: lines that were not read, of which `detail` shows the first.
    """
    reading = listed_names.read_names(text, message, "Proper Nouns")
    cuts = {"cuts": " ".join(reading.cuts) or None}
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cuts)
    if lost := reading.value.unread:
        cuts |= {"n_malformed": str(len(lost)), "detail": f"not read: {clean(lost[0])[:N_SHOWN]!r}"}
    return Read("\n".join(reading.value.names), attributes=cuts)


def names_in_chats(chats: pl.DataFrame, extracted: pl.DataFrame) -> tuple[list[Name], list[dict]]:
    """Return the names in the chats' messages, sorted by id, and Reject rows of what cannot be one or does
    not stand in its message.

    `chats` are Item rows, `extracted` Generation rows of purpose `extract`; those of no given chat are passed
    over.
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
    """One name from all its mentions: its commonest spelling, without a possessive, with most capitals."""
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


# ---- abstention --------------------------------------------------------------------------------------------

HERE = Path(__file__).parent
PROBE = HERE / "probe.csv"  # text, lang, is_abstention, why, split: written for this, in our words
RULES = ("measured", "paper")
_ABSTENTION = read_data(HERE / "abstention.yaml", dict)
PHRASES, SUBSTRINGS = _ABSTENTION["phrases"], _ABSTENTION["substrings"]
_CITATION = re.compile(r"\s*\[\d+\]\s*")


def abstains(text: str, rule: str) -> bool:
    """Return whether a reply abstains by one of RULES. An empty one does."""
    return {"paper": is_paper_abstention, "measured": is_abstention}[rule](text)


def is_paper_abstention(text: str) -> bool:
    """Return whether a reply abstains by FActScore's matching: its first paragraph is empty or holds a
    phrase, or the reply holds a substring anywhere.

    Case does not count; marks of citation are taken out first. (A later paragraph with a phrase only ends
    what is valid.)
    """
    plain = _CITATION.sub("", text).lower()
    first = plain.split("\n\n")[0]
    has_phrase = any(phrase in first for phrase in PHRASES)
    return not first.strip() or has_phrase or any(part in plain for part in SUBSTRINGS)


def probe_scores(rows: Iterable[dict] | None = None, *, confidence: float) -> list[dict]:
    """Return how often both rules are wrong, per split: `metric`, `subject` (the rule), `slice` {split},
    `value`, `low`, `high` (Wilson), `n`.

    `probe_false_alarm_rate`: share of the answers that are taken for abstentions; `probe_miss_rate`: share of
    the abstentions that are not. The rule was written on split `dev`; the rows of `held` were written before
    it and not touched since. None over no row.
    """
    from truerate.metrics.intervals import wilson

    rows, scores = list(probe() if rows is None else rows), []
    for rule in RULES:
        for split in ("dev", "held"):
            for metric, label in (("probe_false_alarm_rate", "false"), ("probe_miss_rate", "true")):
                texts = [
                    row["text"] for row in rows if row["split"] == split and row["is_abstention"] == label
                ]
                wrong = sum(abstains(text, rule) != (label == "true") for text in texts)
                value, low, high = wilson(wrong, len(texts), confidence=confidence) or (None, None, None)
                where = {"metric": metric, "subject": rule, "slice": pairs(split=split)}
                scores.append({**where, "value": value, "low": low, "high": high, "n": len(texts)})
    return scores


def probe() -> list[dict[str, str]]:
    """Return the rows of the probe set."""
    with PROBE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
