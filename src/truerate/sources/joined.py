"""Tables of several formats or folders as those of one source."""

import polars as pl

from truerate.sources.cards import REDISTRIBUTION
from truerate.sources.collection import SourceTables

BETWEEN = "; "  # two sources' facts, in one card


def join(parts: list[SourceTables]) -> SourceTables:
    """Concatenate the tables of all parts; a row of equal id is kept once, all rejects stay."""
    whole = {
        table: pl.concat([part.tables[table].lazy() for part in parts]).collect() for table in parts[0].tables
    }
    tables = {table: _once(data) for table, data in whole.items()}
    return SourceTables(**tables, card=joined_card([part.card for part in parts]), own=parts[0].own)


def _once(data: pl.DataFrame) -> pl.DataFrame:
    identity = data.columns[0]
    return data.unique(identity, keep="first", maintain_order=True) if identity.endswith("_id") else data


def joined_card(cards: list[dict]) -> dict:
    """One card of many: names joined, the strictest redistribution, counts added, caveats of all."""
    joined = {
        field: BETWEEN.join(dict.fromkeys(card[field] for card in cards if card[field])) or None
        for field in ("name", "citation", "licence", "url")
    }
    counts: dict[str, int] = {}
    for card in cards:
        for what, count in card["counts"].items():
            counts[what] = counts.get(what, 0) + count
    caveats = [one for card in cards for one in card.get("caveats") or filter(None, [card.get("note")])]
    return {
        **joined,
        **({"caveats": list(dict.fromkeys(caveats))} if caveats else {}),
        "redistribution": min((card["redistribution"] for card in cards), key=REDISTRIBUTION.index),
        "lang": cards[0]["lang"],
        "files": [file for card in cards for file in card["files"]],
        "counts": dict(sorted(counts.items())),
    }
