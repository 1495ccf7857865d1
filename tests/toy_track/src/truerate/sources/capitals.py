"""Capitals: a country and its capital per line, as JSON Lines."""

from pathlib import Path

from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines

FILE = "capitals.jsonl"
CARD = {
    "name": "Capitals",
    "citation": "A list of capitals, made by hand.",
    "licence": "CC0 1.0",
    "redistribution": "yes",
    "url": "https://example.org/capitals",
    "lang": "en",
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each line as an item of task `capital`; the sentence that says it is its document."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)

    def keep(row) -> None:
        country, capital = row.text("country"), row.text("capital")
        document = collection.document(f"The capital of {country} is {capital}.", title=country)
        collection.item(
            "capital",
            question=f"What is the capital of {country}?",
            right_answer=capital,
            document_ids=[document],
            continent=row.optional_text("continent"),
        )

    collection.read(FILE, json_lines, keep)
    return collection.tables()
