"""A folder of seed files in their public formats, whichever of them it holds, as one source."""

from pathlib import Path

import polars as pl

from truerate.errors import TruerateError
from truerate.sources import alpaca, cnn_dailymail, hotpotqa, opendialkg, probes
from truerate.sources.collection import REDISTRIBUTION, SourceTables

FORMATS = {
    hotpotqa.FILE: hotpotqa,
    opendialkg.FILE: opendialkg,
    cnn_dailymail.FOLDER: cnn_dailymail,
    alpaca.FILE: alpaca,
    probes.FILE: probes,
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """The tables of every format found, one below the other."""
    found = [module for file, module in FORMATS.items() if (folder / file).exists()]
    if not found:
        raise TruerateError(f"source {name!r}: no seed file in {str(folder)!r}; looked for: {', '.join(FORMATS)}")
    parts = [module.read(folder, name=name, on_bad_row=on_bad_row) for module in found]
    tables = {table: pl.concat([part.tables[table] for part in parts]) for table in parts[0].tables}
    return SourceTables(**{table: _once(data) for table, data in tables.items()}, card=_card([part.card for part in parts]))


def _once(data: pl.DataFrame) -> pl.DataFrame:
    """Rows of equal id, kept once: a text may stand in two formats (rejects have no id and all stay)."""
    identity = data.columns[0]
    return data.unique(identity, keep="first", maintain_order=True) if identity.endswith("_id") else data


def _card(cards: list[dict]) -> dict:
    """One card of many: names joined, the strictest redistribution, counts added."""
    joined = {
        field: "; ".join(dict.fromkeys(card[field] for card in cards if card[field])) or None
        for field in ("name", "citation", "licence", "url")
    }
    counts: dict[str, int] = {}
    for card in cards:
        for what, count in card["counts"].items():
            counts[what] = counts.get(what, 0) + count
    return {
        **joined,
        "redistribution": min((card["redistribution"] for card in cards), key=REDISTRIBUTION.index),
        "lang": cards[0]["lang"],
        "files": [file for card in cards for file in card["files"]],
        "counts": dict(sorted(counts.items())),
    }
