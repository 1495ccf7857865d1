"""What a token detector says of a text: soft spans, and the Judgement rows that hold them.

Detectors cut texts into tokens of their own; what leaves them are characters. Every run of characters with
one probability (two digits) and one type is a span; runs below FLOOR are left out. A character is *marked*
where p is above the detector's threshold: that with the best token F1 on the passages that were held back
from its training, one half where it learned nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.schemas import NOT_FITTED, pairs
from truerate.core.spans.tags import TYPES
from truerate.detectors.interface import judgements

FLOOR = 0.05  # smallest probability that a span keeps
MARKED = 0.5  # a character is marked above it where nothing was learned that could tell better


class Reading(NamedTuple):
    """The tokens of a text: `offsets` (tokens, 2), `p` (tokens,) of being hallucinated, `kinds` (tokens,) the
    likeliest label but none. `n_windows`: in how many windows its reference was cut, `n_unread`: how many of
    them were not read.
    """

    offsets: np.ndarray
    p: np.ndarray
    kinds: np.ndarray
    n_windows: int = 1
    n_unread: int = 0

    @property
    def n_read(self) -> int:
        """Return how many windows of its reference were read."""
        return self.n_windows - self.n_unread


def written(p: np.ndarray) -> np.ndarray:
    """Probabilities as spans hold them: two digits, 0 below FLOOR."""
    rounded = np.round(np.asarray(p, dtype=float), 2)
    return np.where(rounded >= FLOOR, rounded, 0.0)


def soft_spans(text: str, reading: Reading, labels: Sequence[str]) -> list[dict]:
    """Spans {start, end, type, p} of a text, in order and disjoint; p has two digits and is at least FLOOR.
    `labels[0]` is none. A character that several tokens share (pieces of one emoji, overlapping chunks) takes
    the most suspicious of them. What lies between two neighbouring tokens of equal p and type belongs to
    their span. Tokens without characters say nothing.
    """
    p, kind = np.zeros(len(text)), np.zeros(len(text), dtype=int)
    rounded, offsets = written(reading.p), np.asarray(reading.offsets, dtype=int).reshape(-1, 2).tolist()
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
    """The soft spans of one text, the windows of its reference, and how many were not read."""

    target_id: str
    spans: list[dict]
    n_windows: int = 1
    n_unread: int = 0


def judged_spans(
    judge: str,
    version: str,
    texts: Sequence[Spans],
    *,
    labelled: Collection[str],
    threshold: float = MARKED,
    **attributes: object,
) -> pl.DataFrame:
    """One Judgement per text: verdict = anything marked, p = the largest of its spans, 0 without any. A text
    among the `labelled` keeps its soft spans; of any other those that are marked stay, as the others count
    for nothing there.

    `attributes` (seed, scope, labels, lang) tell the cells of the grid apart; they are part of the row's
    name. A `threshold` other than one half stands among them in the row, and so does the number of windows of
    its reference (`n_windows`), where these are several, and of those that were read (`n_read`), where some
    were not.
    """
    p = [max((span["p"] for span in text.spans), default=0.0) for text in texts]
    more = {} if threshold == MARKED else {"threshold": threshold}
    pairs_by_windows = {}
    for n_windows, n_unread in {(text.n_windows, text.n_unread) for text in texts}:
        windows = {"n_windows": n_windows} if n_windows > 1 else {}
        windows |= {"n_read": n_windows - n_unread} if n_windows > 1 and n_unread else {}
        pairs_by_windows[n_windows, n_unread] = pairs(**attributes, **more, **windows)
    return judgements(
        judge,
        version,
        [text.target_id for text in texts],
        verdict=[share > threshold for share in p],
        p=p,
        spans=[
            text.spans
            if text.target_id in labelled
            else [span for span in text.spans if span["p"] > threshold]
            for text in texts
        ],
        attributes=[pairs_by_windows[text.n_windows, text.n_unread] for text in texts],
        slice_pairs=pairs(**attributes),
    )


def not_fitted(
    judge: str, version: str, targets: Sequence[str], *, threshold: float = MARKED, **attributes: object
) -> pl.DataFrame:
    """One Judgement per text of a cell that had nothing to learn from: null, `not-fitted`."""
    more = {} if threshold == MARKED else {"threshold": threshold}
    blank = [None] * len(targets)
    return judgements(
        judge,
        version,
        targets,
        verdict=blank,
        p=blank,
        reason=[NOT_FITTED] * len(targets),
        attributes=[pairs(**attributes, **more)] * len(targets),
        slice_pairs=pairs(**attributes),
    )


# ---- labels of tokens --------------------------------------------------------------------------------------
NONE = "none"
BINARY = (NONE, "hallucination")
CATEGORY = (NONE, *TYPES)
IGNORED = -100


def labels_of(kind: str) -> tuple[str, ...]:
    """The labels of a detector, `binary` or `category`; the first means not hallucinated."""
    return {"binary": BINARY, "category": CATEGORY}[kind]


def is_hard(span: Mapping) -> bool:
    """Return whether a span counts as marked: without p, or above one half (Mu-SHROOM's rule)."""
    return span.get("p") is None or span["p"] > 0.5


def trimmed(text: str, offsets: Sequence[tuple[int, int]]) -> np.ndarray:
    """Offsets (tokens, 2) without surrounding blanks; a blank token becomes empty at its start."""
    bounds = np.array(offsets, dtype=np.int32).reshape(-1, 2)
    blank = np.fromiter(map(str.isspace, text), dtype=bool, count=len(text))
    for _ in range(len(text) if blank.any() else 0):
        leads = bounds[:, 0] < bounds[:, 1]
        leads[leads] = blank[bounds[leads, 0]]
        trails = (bounds[:, 0] < bounds[:, 1]) & ~leads
        trails[trails] = blank[bounds[trails, 1] - 1]
        if not (leads.any() or trails.any()):
            break
        bounds[:, 0] += leads
        bounds[:, 1] -= trails
    return bounds


def filled(text: str, offsets: np.ndarray) -> np.ndarray:
    """Trimmed offsets (tokens, 2) in which characters that the tokenizer dropped belong to the token right
    before them. Uncased vocabularies drop accents and vowel signs that are characters of their own (Hindi,
    pointed Arabic and Hebrew), many drop joiners and soft hyphens: a span would have holes there, or end
    inside a letter. What is dropped behind a blank belongs to no token.
    """
    edges = np.zeros(len(text) + 1, dtype=np.int32)
    np.add.at(edges, offsets[:, 0], 1)
    np.add.at(edges, offsets[:, 1], -1)
    bounds = offsets.copy()
    for index in np.flatnonzero(edges.cumsum()[:-1] == 0).tolist():
        if not text[index].isspace():
            bounds[(bounds[:, 0] < bounds[:, 1]) & (bounds[:, 1] == index), 1] = index + 1
    return bounds


def token_labels(
    text: str, offsets: np.ndarray, spans: Iterable[Mapping], labels: Sequence[str]
) -> np.ndarray:
    """The label of each token (tokens,): that of the first span it shares a character with, by trimmed
    offsets. With two labels any span is the second. Tokens of blank space, and tokens of a type that the
    labels do not know, are IGNORED.
    """
    classes = np.zeros(len(offsets), dtype=np.int32)
    for span in sorted(filter(is_hard, spans), key=lambda item: item["start"], reverse=True):
        if len(labels) == 2:
            label = 1
        else:
            label = labels.index(span["type"]) if span["type"] in labels else IGNORED
        classes[(offsets[:, 0] < span["end"]) & (span["start"] < offsets[:, 1])] = label
    classes[offsets[:, 0] == offsets[:, 1]] = IGNORED
    return classes
