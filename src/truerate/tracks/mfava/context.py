"""What is asked about and what texts are checked against: an item joined with its reference, and which items
a board takes.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core import languages
from truerate.core.errors import TruerateError, listed
from truerate.core.keys import draw
from truerate.core.languages import LANGUAGES, Language
from truerate.core.tags import TYPES
from truerate.core.text import sentences
from truerate.llm.generation import facts


@dataclass(frozen=True, slots=True)
class Context:
    """One item with its reference (`knowledge`), what it is about (`subject`), and the attributes of its row."""

    item_id: str
    task: str
    group_id: str
    lang: str
    source: str
    document_ids: tuple[str, ...]
    knowledge: str
    question: str
    subject: str
    known: dict[str, str]

    @property
    def history(self) -> str:
        """Nothing was said before."""
        return ""


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """Every item by its id, with the texts of its documents joined by blank lines in the order of
    `document_ids`.
    """
    known = {
        row["document_id"]: row
        for row in documents.select("document_id", "title", "text").iter_rows(named=True)
    }
    return {row["item_id"]: _context(row, known) for row in items.iter_rows(named=True)}


def _context(row: dict, documents: dict[str, dict]) -> Context:
    found = [documents[name] for name in row["document_ids"] if name in documents]
    attributes = facts(row)
    titles = (
        attributes.get("subject"),
        attributes.get("title"),
        *(document["title"] for document in found),
        row["question"],
    )
    return Context(
        item_id=row["item_id"],
        task=row["task"],
        group_id=row["group_id"],
        lang=row["lang"],
        source=row["source"],
        document_ids=tuple(row["document_ids"]),
        knowledge="\n\n".join(document["text"] for document in found),
        question=row["question"],
        subject=next((title for title in titles if title), ""),
        known=attributes,
    )


def chosen(found: Iterable[Context], n: int, seed: int) -> list[Context]:
    """The first `n` of each language in a seeded order, sorted by id, so that a larger `n` keeps the earlier
    ones.
    """
    by_lang: dict[str, list[Context]] = {}
    for one in found:
        by_lang.setdefault(one.lang, []).append(one)
    kept = [
        one
        for group in by_lang.values()
        for one in sorted(group, key=lambda one: (draw(seed, one.item_id), one.item_id))[:n]
    ]
    return sorted(kept, key=lambda one: one.item_id)


# ---- The languages of the track: those that the house knows; English is the --------------------------------


__all__ = ["LANGUAGES", "SOURCE", "Language", "check_languages", "language"]

SOURCE = "en"  # training passages are written in it and translated from it


def language(code: str, where: str = "tracks.mfava.languages") -> Language:
    """A language by its code (`core.languages.language`), named as a setting of the track."""
    return languages.language(code, where)


def check_languages(board: str, declared: Iterable[str], held: Iterable[str], *, source: str) -> None:
    """Raise TruerateError for the first declared language that has no code here, or of which the board's
    source holds nothing.
    """
    held = set(held)
    for code in declared:
        language(code)
        if code not in held:
            hint = f"take {code!r} out of tracks.mfava.languages, or put texts of it there"
            raise TruerateError(
                f"board {board!r}: source {source!r} has nothing in language {code!r}; it has: {listed(held)}; {hint}"
            )


# ---- What is known of the languages of boards beyond their texts: figures w --------------------------------


@dataclass(frozen=True)
class LanguageFacts:
    """What is known of a language: its family and script, its share of Common Crawl's pages, its Wikipedia's
    articles; None: not known.
    """

    family: str
    script: str
    common_crawl_percent: float | None
    wikipedia_articles: float | None


@cache
def language_facts() -> dict[str, LanguageFacts]:
    """The figures of languages.csv, by code; each stands there with its source."""
    rows = csv.DictReader(Path(__file__).with_name("languages.csv").read_text("utf-8").splitlines())
    return {
        row["lang"]: LanguageFacts(
            row["family"],
            row["script"],
            _number(row["common_crawl_percent"]),
            _number(row["wikipedia_articles"]),
        )
        for row in rows
    }


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


# ---- A tagged text cut into what a translation model takes at a time: sente --------------------------------


_TAGS = re.compile(rf"<(/?)({'|'.join((*TYPES, 'delete', 'mark'))})>")


class Unit(NamedTuple):
    """A piece of a text, and the blank space behind it."""

    text: str
    gap: str


def units(marked: str) -> list[Unit]:
    """The sentences of a text with its tags, in order; sentences that one tag spans are one unit. Joined with
    their gaps they are the text, blank space at its ends left out.
    """
    found: list[Unit] = []
    start = 0
    for end in _ends(marked):
        if not _is_open(marked[start:end]) or end == len(marked):
            piece = marked[start:end]
            behind = piece[len(piece.rstrip()) :]
            found += [Unit(piece.strip(), behind)] if piece.strip() else []
            start = end
    return found


def _ends(marked: str) -> list[int]:
    """Where sentences end in a text with tags, the blank space behind them left in: found in the text without
    tags, a tag that closes there being part of the sentence.
    """
    tags = list(_TAGS.finditer(marked))
    plain = _TAGS.sub("", marked)
    ends, position = [], 0
    for sentence in sentences(plain):
        position = plain.index(sentence, position) + len(sentence)
        place = position
        for tag in tags:  # what stands before a place in the text with its tags
            is_before = tag.start() < place or (tag.start() == place and tag[1])
            place += len(tag[0]) if is_before else 0
        place += len(marked[place:]) - len(marked[place:].lstrip())
        ends.append(place)
    return [*ends[:-1], len(marked)] if ends else [len(marked)]


def joined(translations: Sequence[str], cut: Sequence[Unit]) -> str:
    """The translations of units as one text: a blank between them, or the break that stood there."""
    pieces = []
    for said, unit in zip(translations, cut, strict=True):
        pieces += [said.strip(), unit.gap if "\n" in unit.gap else " "]
    return "".join(pieces).strip()


def _is_open(text: str) -> bool:
    """Whether a tag opens in a text and does not close there."""
    return sum(-1 if tag[1] else 1 for tag in _TAGS.finditer(text)) > 0
