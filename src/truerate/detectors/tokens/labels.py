"""Token labels, inside–outside: characters to tokens and back, no character lost."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from truerate.core.spans.tags import TYPES

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
