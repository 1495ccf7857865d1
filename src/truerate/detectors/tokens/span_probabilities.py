"""What a token detector says of a text: soft spans, and the Judgement rows that hold them.

Detectors cut texts into tokens of their own; what leaves them are characters. Every run of characters with
one probability (two digits) and one type is a span; runs below FLOOR are left out. A character is *marked*
where p > 0.5 (Mu-SHROOM's rule for hard spans).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, pairs, schema

FLOOR = 0.05  # smallest probability that a span keeps
MARKED = 0.5  # a character is marked above it
NOT_FITTED = "not-fitted"


class Reading(NamedTuple):
    """The tokens of a text: `offsets` (tokens, 2), `p` (tokens,) of being hallucinated, `kinds` (tokens,) the
    likeliest label but none.
    """

    offsets: np.ndarray
    p: np.ndarray
    kinds: np.ndarray


def soft_spans(text: str, reading: Reading, labels: Sequence[str]) -> list[dict]:
    """Spans {start, end, type, p} of a text, in order and disjoint; p has two digits and is at least FLOOR.
    `labels[0]` is none.

    A character that several tokens share (pieces of one emoji, overlapping chunks) takes the most suspicious
    of them. What lies between two neighbouring tokens of equal p and type belongs to their span. Tokens
    without characters say nothing.
    """
    p, kind = np.zeros(len(text)), np.zeros(len(text), dtype=int)
    rounded, offsets = (
        np.round(np.asarray(reading.p, dtype=float), 2),
        np.asarray(reading.offsets, dtype=int).reshape(-1, 2).tolist(),
    )
    marked = [i for i, (start, end) in enumerate(offsets) if start < end and rounded[i] >= FLOOR]
    for i in marked:
        start, end = offsets[i]
        is_more = rounded[i] > p[start:end]
        p[start:end][is_more], kind[start:end][is_more] = rounded[i], reading.kinds[i]
    for i, j in zip(marked, marked[1:], strict=False):
        start, end = offsets[i][1], offsets[j][0]
        if j == i + 1 and start < end and (p[start - 1], kind[start - 1]) == (p[end], kind[end]):
            p[start:end], kind[start:end] = p[end], kind[end]
    return [
        {"start": a, "end": b, "type": labels[kind[a]], "p": float(p[a])} for a, b in runs(p, kind) if kind[a]
    ]


def runs(*columns: np.ndarray) -> list[tuple[int, int]]:
    """Longest half-open ranges over which every column (n,) keeps its value; none where n is 0."""
    n = len(columns[0])
    if not n:
        return []
    turns = np.flatnonzero(np.any([column[1:] != column[:-1] for column in columns], axis=0)) + 1
    borders = [0, *turns.tolist(), n]
    return list(zip(borders, borders[1:], strict=False))


def hard_spans(spans: Sequence[Mapping]) -> list[dict]:
    """The marked runs {start, end, type} of soft spans: p > 0.5; touching ones of one type are joined."""
    joined: list[dict] = []
    for span in sorted(
        (one for one in spans if one["p"] is None or one["p"] > MARKED), key=lambda one: one["start"]
    ):
        if joined and joined[-1]["end"] == span["start"] and joined[-1]["type"] == span["type"]:
            joined[-1]["end"] = span["end"]
        else:
            joined.append({name: span[name] for name in ("start", "end", "type")})
    return joined


def judgements(
    judge: str, version: str, passages: pl.DataFrame, spans: Sequence[list[dict]] | None, **attributes: object
) -> pl.DataFrame:
    """One Judgement per passage: verdict = anything marked, p = the largest. Without spans nothing was
    learned: null, `not-fitted`.

    `attributes` (seed, scope, labels, lang) tell the cells of the grid apart; they are part of the row's
    name.
    """
    blank, is_fitted = [None] * passages.height, spans is not None
    largest = (
        [max((span["p"] for span in text_spans), default=0.0) for text_spans in spans] if is_fitted else blank
    )
    cell = pairs(**attributes)
    rows = {
        "judgement_id": [
            content_id("judgement", judge, version, cell, target) for target in passages["target_id"]
        ],
        "judge": judge,
        "judge_version": version,
        "target_id": passages["target_id"],
        "verdict": [p > MARKED for p in largest] if is_fitted else blank,
        "status": "ok" if is_fitted else "unparsed",
        "reason": None if is_fitted else NOT_FITTED,
        "spans": list(spans) if is_fitted else [[] for _ in blank],
        "p": largest,
        "rationale": None,
        "attributes": [cell] * passages.height,
    }
    return pl.DataFrame(rows, schema=schema(Judgement))
