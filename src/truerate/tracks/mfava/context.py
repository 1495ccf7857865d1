"""What is asked about and what texts are checked against: an item joined with its reference; which items a
board takes, in which languages, and what is known of these.
"""

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.core import languages
from truerate.core.errors import TruerateError, listed
from truerate.core.keys import draw
from truerate.core.languages import Language
from truerate.llm.generation import facts

SOURCE = "en"  # training passages are written in it and translated from it


@dataclass(frozen=True, slots=True)
class Context:
    """One item with its reference (`knowledge`), its subject, and the attributes of its row."""

    item_id: str
    task: str
    group_id: str
    lang: str
    source: str
    question: str
    document_ids: tuple[str, ...]
    knowledge: str
    subject: str
    attributes: dict[str, str]
    history: str = ""  # no turns come before the question


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """Return every item by its id; the texts of its documents are joined by blank lines in their order."""
    rows = documents.select("document_id", "title", "text").iter_rows(named=True)
    document_of = {row["document_id"]: row for row in rows}
    by_id = {}
    for row in items.iter_rows(named=True):
        references = [document_of[name] for name in row["document_ids"] if name in document_of]
        attributes = facts(row)
        titles = [attributes.get("subject"), attributes.get("title")]
        titles += [reference["title"] for reference in references]
        by_id[row["item_id"]] = Context(
            **{name: row[name] for name in ("item_id", "task", "group_id", "lang", "source", "question")},
            document_ids=tuple(row["document_ids"]),
            knowledge="\n\n".join(reference["text"] for reference in references),
            subject=next(filter(None, [*titles, row["question"]]), ""),
            attributes=attributes,
        )
    return by_id


def chosen(candidates: Iterable[Context], n: int, seed: int) -> list[Context]:
    """Return the first `n` of each language in a seeded order, by id: a larger `n` keeps the earlier ones."""
    taken: Counter[str] = Counter()
    kept = []
    for context in sorted(candidates, key=lambda context: (draw(seed, context.item_id), context.item_id)):
        kept += [context] if taken[context.lang] < n else []
        taken[context.lang] += 1
    return sorted(kept, key=lambda context: context.item_id)


# ---- languages ---------------------------------------------------------------------------------------------


def language(code: str, where: str = "tracks.mfava.languages") -> Language:
    """Return a language by its code (`core.languages.language`), named as a setting of the track."""
    return languages.language(code, where)


def check_languages(board: str, declared: Iterable[str], available: Iterable[str], *, source: str) -> None:
    """Raise TruerateError for the first declared language that is unknown or missing from the source."""
    available = set(available)
    for code in declared:
        language(code)
        if code not in available:
            hint = f"take {code!r} out of tracks.mfava.languages, or put texts of it there"
            lacks = f"source {source!r} has nothing in language {code!r}; it has: {listed(available)}"
            raise TruerateError(f"board {board!r}: {lacks}; {hint}")


class LanguageFacts(NamedTuple):
    """A language's family and script, its share of Common Crawl's pages, its Wikipedia's articles; None: not
    known.
    """

    family: str
    script: str
    common_crawl_percent: float | None
    wikipedia_articles: float | None


@cache
def language_facts() -> dict[str, LanguageFacts]:
    """Return the figures of languages.csv, by code; each stands there with its source."""
    rows = csv.DictReader(Path(__file__).with_name("languages.csv").read_text("utf-8").splitlines())
    figures = ("common_crawl_percent", "wikipedia_articles")
    return {
        row["lang"]: LanguageFacts(
            row["family"], row["script"], *(float(row[name]) if row[name] else None for name in figures)
        )
        for row in rows
    }
