"""Capitals: a country and its capital per line, as JSON Lines."""

from truerate.sources.collection import Collection, reads
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


@reads(CARD)
def read(collection: Collection) -> None:
    """Each line as an item of task `capital`; the sentence that says it is its document."""

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
