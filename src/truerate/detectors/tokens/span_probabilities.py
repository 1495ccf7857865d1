"""What a token detector says of a text: soft spans, and the Judgement rows that hold them.

Detectors cut texts into tokens of their own; what leaves them are characters. Every run of characters with
one probability (two digits) and one type is a span; runs below FLOOR are left out. A character is *marked*
where p is above the detector's threshold: that with the best token F1 on the passages that were held back
from its training, one half where it learned nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import NOT_FITTED, Judgement, of_columns, pairs

FLOOR = 0.05  # smallest probability that a span keeps
MARKED = 0.5  # a character is marked above it where nothing was learned that could tell better


class Reading(NamedTuple):
    """The tokens of a text: `offsets` (tokens, 2), `p` (tokens,) of being hallucinated, `kinds` (tokens,) the
    likeliest label but none. `n_windows`: in how many windows its reference was cut, `n_unread`: how many of them were
    not read.
    """

    offsets: np.ndarray
    p: np.ndarray
    kinds: np.ndarray
    n_windows: int = 1
    n_unread: int = 0

    @property
    def n_read(self) -> int:
        """How many windows of its reference were read."""
        return self.n_windows - self.n_unread


def written(p: np.ndarray) -> np.ndarray:
    """Probabilities as spans hold them: two digits, 0 below FLOOR."""
    rounded = np.round(np.asarray(p, dtype=float), 2)
    return np.where(rounded >= FLOOR, rounded, 0.0)


def soft_spans(text: str, reading: Reading, labels: Sequence[str]) -> list[dict]:
    """Spans {start, end, type, p} of a text, in order and disjoint; p has two digits and is at least FLOOR.
    `labels[0]` is none.

    A character that several tokens share (pieces of one emoji, overlapping chunks) takes the most suspicious
    of them. What lies between two neighbouring tokens of equal p and type belongs to their span. Tokens
    without characters say nothing.
    """
    p, kind = np.zeros(len(text)), np.zeros(len(text), dtype=int)
    rounded, offsets = (written(reading.p), np.asarray(reading.offsets, dtype=int).reshape(-1, 2).tolist())
    marked = [i for i, (start, end) in enumerate(offsets) if start < end and rounded[i] > 0]
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


class Spans(NamedTuple):
    """The soft spans of one text, in how many windows its reference was cut, and how many of them were not read."""

    target_id: str
    spans: list[dict]
    n_windows: int = 1
    n_unread: int = 0


class Said(NamedTuple):
    """What is kept of a text: `p`, the largest probability of its spans, 0 without any, `spans`, in how many windows
    its reference was cut, and how many of them were not read.
    """

    p: float
    spans: list[dict]
    n_windows: int = 1
    n_unread: int = 0


def said_of(text: Spans, *, is_labelled: bool, threshold: float = MARKED) -> Said:
    """The soft spans of a text that has labels to hold them against; of any other those that are marked.

    What is less probable counts for nothing there, and is most of what a board's replies would take in memory.
    """
    p = max((span["p"] for span in text.spans), default=0.0)
    kept = text.spans if is_labelled else [span for span in text.spans if span["p"] > threshold]
    return Said(p, kept, text.n_windows, text.n_unread)


def judgements(
    judge: str,
    version: str,
    targets: Sequence[str],
    texts: Sequence[Said] | None,
    *,
    threshold: float = MARKED,
    **attributes: object,
) -> pl.DataFrame:
    """One Judgement per text, by their `targets`: verdict = anything marked, p = the largest. Where nothing is said
    nothing was learned: null, `not-fitted`.

    `attributes` (seed, scope, labels, lang) tell the cells of the grid apart; they are part of the row's
    name. A `threshold` other than one half stands among them in the row, and so does the number of windows of its
    reference (`n_windows`), where these are several, and of those that were read (`n_read`), where some were not.
    """
    blank, is_fitted = [None] * len(targets), texts is not None
    largest = [text.p for text in texts] if is_fitted else blank
    cell = pairs(**attributes)
    more = {} if threshold == MARKED else {"threshold": threshold}
    pairs_by_windows = {
        pieces: pairs(**attributes, **more, **_windows(*pieces))
        for pieces in {(1, 0), *((text.n_windows, text.n_unread) for text in texts or ())}
    }
    rows = {
        "judgement_id": [content_id("judgement", judge, version, cell, target) for target in targets],
        "judge": judge,
        "judge_version": version,
        "target_id": targets,
        "verdict": [p > threshold for p in largest] if is_fitted else blank,
        "status": "ok" if is_fitted else "unparsed",
        "reason": None if is_fitted else NOT_FITTED,
        "spans": [text.spans for text in texts] if is_fitted else [[] for _ in blank],
        "p": largest,
        "rationale": None,
        "attributes": [pairs_by_windows[text.n_windows, text.n_unread] for text in texts]
        if is_fitted
        else [pairs_by_windows[1, 0]] * len(targets),
    }
    return of_columns(Judgement, rows)


def _windows(n_windows: int, n_unread: int) -> dict[str, int]:
    """What a row says of the windows of its reference."""
    if n_windows == 1:
        return {}
    return {"n_windows": n_windows} | ({"n_read": n_windows - n_unread} if n_unread else {})
