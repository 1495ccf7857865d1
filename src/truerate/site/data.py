"""The data page: the tables of the house, the sources with their rights, and what may be downloaded."""

from truerate.site.tables import Tables

RIGHTS = {
    "yes": "text may be republished",
    "ids-only": "ids only, no text",
    "no": "nothing may be republished",
}


def context(tables: Tables) -> dict:
    """What data.md.j2 shows."""
    cards = {board.source: board.source_card for board in tables.boards if board.source_card}
    sources = [
        {"name": name, "rights": RIGHTS.get(str(card.get("redistribution")), "rights not stated"), **card}
        for name, card in cards.items()
    ]
    return {
        "sources": sources,
        "schemas": tables.schema_docs,
        "downloads": [board.name for board in tables.boards],
    }
