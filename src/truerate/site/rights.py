"""Which texts of a board may be shown, and how much of a web page may be quoted."""

from dataclasses import replace

import polars as pl

from truerate.site.tables import Board

OPEN = ("CC0", "CC-BY", "CC BY", "PUBLIC DOMAIN", "PDDL", "ODC-BY", "ODC BY", "MIT", "APACHE")  # how licences begin that allow showing
QUOTED = 240  # characters of a page whose licence allows no more than to quote it


def open_part(board: Board) -> Board:
    """The board with the texts whose rights allow that they are shown: all, none, or all but those that its detectors learned from.

    Unknown rights allow nothing. Texts to learn from may be another source's: where the rights of all together are stricter than the
    source's own (`own_redistribution`), what stands under another source's name, and all of task `train`, is left out.
    """
    rights = board.source_card
    if rights.get("redistribution") == "yes":
        return board
    if rights.get("own_redistribution") != "yes":
        return replace(board, samples=board.samples.clear(), generations=board.generations.clear(), facts=board.facts.clear())
    own = board.items.filter(pl.col("source") == board.source, pl.col("task") != "train")
    return replace(
        board,
        items=own,
        documents=board.documents.filter(pl.col("source") == board.source),
        samples=board.samples.filter(pl.col("task") != "train").join(own, on="item_id", how="semi", maintain_order="left"),
        generations=board.generations.join(own, on="item_id", how="semi", maintain_order="left"),
        facts=board.facts.join(own, on="item_id", how="semi", maintain_order="left"),
    )


def has_texts(board: Board) -> bool:
    """Whether the board has texts to read one by one: labelled ones, or replies that were cut into facts."""
    return bool(board.samples.height or board.facts.height)


def quoted(text: str, licence: str) -> tuple[str, bool]:
    """A passage as it may be shown, and whether it was cut: all of it under an open licence, else its first `QUOTED` characters."""
    if licence.upper().startswith(OPEN) or len(text) <= QUOTED:
        return text, False
    return text[:QUOTED].rsplit(" ", 1)[0], True
