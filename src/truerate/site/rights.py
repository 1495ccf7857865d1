"""Which texts of a board may be shown, and how much of a web page may be quoted."""

from dataclasses import replace

from truerate.core.rights import KEYS, is_open, open_tables
from truerate.site.tables import Board

QUOTED = 240  # characters of a page whose licence allows no more than to quote it


def open_part(board: Board) -> Board:
    """Return the board with the texts that may be shown: its `open_texts`, else by
    `truerate.core.rights.open_tables`.
    """
    if board.open_texts:
        return replace(board, **board.open_texts)
    tables = {name: getattr(board, name) for name in KEYS}
    return replace(board, **open_tables(tables, card=board.source_card, source=board.source))


def in_parts(board: Board) -> list[Board]:
    """Return the boards of the sample browser that a board is: itself, and where only some of its tasks may be
    shown, a second one of the labelled texts of the others, as ids.
    """
    if not board.open_texts:
        return [board]
    shown = open_part(board).samples.select("sample_id")
    rest = board.samples.join(shown, on="sample_id", how="anti", maintain_order="left")
    if rest.is_empty():
        return [board]
    words = {
        key: "; ".join(dict.fromkeys(str(task[key]) for task in board.withheld if task.get(key)))
        for key in ("name", "licence", "url")
    }
    card = {**board.source_card, **words, "title": words["name"], "redistribution": "ids-only"}
    named = {"name": f"{board.name}-ids", "title": f"{board.title}: texts that are ids", "source_card": card}
    return [board, replace(board, **named, samples=rest, open_texts={})]


def has_texts(board: Board) -> bool:
    """Return whether the board has texts to read one by one: labelled ones, or replies that were cut into
    facts.
    """
    return bool(board.n_texts)


def may_name(board: Board) -> bool:
    """Return whether there are texts, labelled or facts of replies, of which the rights allow the ids."""
    rights = board.source_card
    return has_texts(board) and "ids-only" in (
        rights.get("redistribution"),
        rights.get("own_redistribution"),
    )


def has_records(board: Board) -> bool:
    """Return whether the sample browser shows anything of a board: its texts, or at least their ids."""
    return has_texts(open_part(board)) or may_name(board)


def quoted(text: str, licence: str) -> tuple[str, bool]:
    """Return a passage as it may be shown and whether it was cut: whole if open, else `QUOTED` characters."""
    if is_open(licence) or len(text) <= QUOTED:
        return text, False
    return text[:QUOTED].rsplit(" ", 1)[0], True
