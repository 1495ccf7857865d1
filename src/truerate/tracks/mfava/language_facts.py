"""What is known of the languages of boards beyond their texts: figures with their source."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Language:
    """What is known of a language: its family and script, its share of Common Crawl's pages, its Wikipedia's
    articles; None: not known.
    """

    family: str
    script: str
    common_crawl_percent: float | None
    wikipedia_articles: float | None


@cache
def languages() -> dict[str, Language]:
    """The figures of languages.csv, by code; each stands there with its source."""
    rows = csv.DictReader(Path(__file__).with_name("languages.csv").read_text("utf-8").splitlines())
    return {
        row["lang"]: Language(
            row["family"],
            row["script"],
            _number(row["common_crawl_percent"]),
            _number(row["wikipedia_articles"]),
        )
        for row in rows
    }


def _number(cell: str) -> float | None:
    return float(cell) if cell else None
