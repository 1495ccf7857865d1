"""The worst answers of a real model that can be read: from each board that has its texts, in turn."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from truerate.site.models.catalogue import Line
from truerate.site.samples.index import in_turn
from truerate.site.tables import CommittedBoard

N_WORST = 5  # answers on a page
LONGEST, BEFORE = 700, 160  # characters that are shown of one, and of these before its first mark
N_PARTS = 5  # facts that do not hold, named of one answer
ELLIPSIS = "…"


def worst(lines: Sequence[tuple[CommittedBoard, Line]]) -> list[dict]:
    """Return at most N_WORST answers of a model as models/worst.html.j2 shows them, from each of its boards in turn:
    `pieces` of the text with what is marked in each (empty: nothing), the facts that do not hold, the question, the
    right answer, whose texts these are, and `address`, where the whole record stands.
    """
    by_line = {
        (board.name, line.subject): [
            _shown(board, record)
            for record in board.records[0]
            if record["by"] == line.subject and record["drawn"] == "worst" and record["wrong"]
        ]
        for board, line in lines
    }
    return list(in_turn(by_line))[:N_WORST]


def _shown(board: CommittedBoard, record: dict) -> dict:
    wrong = [text for text, _, is_wrong in record["parts"] if is_wrong]
    choices = urlencode({"board": board.name, "id": record["id"]}, quote_via=quote)
    return {
        "board": board,
        "question": record["question"],
        "lang": record["lang"],
        "right": record["right"],
        "pieces": list(pieces(record["text"])),
        "wrong": wrong[:N_PARTS],
        "n_wrong": len(wrong),
        "n_parts": len(record["parts"]),
        "place": board.records[1]["place"],
        "address": f"samples.html#{choices}",
    }


def pieces(segments: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield a text that was cut at its spans (`layers.segments`) as strings with the type that the label marks there,
    empty where it marks nothing: LONGEST characters of it, which begin at most BEFORE ones before the first mark.
    """
    cut = [(part, "") if isinstance(part, str) else (part[0], _label(part[1])) for part in segments]
    first = next((number for number, (_, kind) in enumerate(cut) if kind), 0)
    before = "".join(text for text, _ in cut[:first])
    if len(before) > BEFORE and sum(len(text) for text, _ in cut) > LONGEST:
        cut = [(ELLIPSIS + before[-BEFORE:].partition(" ")[2], ""), *cut[first:]]
    left = LONGEST
    for text, kind in cut:
        if left <= 0:
            return
        yield (text, kind) if len(text) <= left else (text[:left] + ELLIPSIS, kind)
        left -= len(text)


def _label(marks: Sequence[Sequence]) -> str:
    """The types that the label, the first layer, marks."""
    return ", ".join(dict.fromkeys(kind.replace("_", " ") for layer, kind, _ in marks if layer == 0))
