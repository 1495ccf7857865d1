"""Answers as a network reads them: grouped by their reference, and joined again behind it.

A reference and its answers are tokenized apart (no pair template, no special token read out of a text) and
joined by ids: start, reference, between, answer. The rule of the window of `max_tokens`: the reference gives
way first, down to half of the window; an answer that needs more is cut into chunks of equal length. A
reference that does not stand whole beside an answer is read in overlapping windows, which together leave
nothing out: in training beside the one that shares most with the answer, in judging beside each of them, or,
where the backbone has `windows`, beside as many that share most with it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TypeVar

import numpy as np
import polars as pl

from truerate.config import Backbone
from truerate.detectors.tokens.encode import Coder
from truerate.detectors.tokens.features import token_features
from truerate.detectors.tokens.span_probabilities import Reading, token_labels

# a reference gives way in such parts of the window, so that answers of similar length share its windows
SHARED = 4  # a window repeats the last quarter of the one before it
T = TypeVar("T")
N_CUTS = 8
N_ENCODED = 512  # texts that are tokenized at a time
N_ANSWERS = 2_000  # answers of a group: more that share a reference, or have none, stand in several
N_CACHED = 20_000  # texts of which groups that are read repeatedly stay in memory


@dataclass(frozen=True)
class Answer:
    """A text, or a chunk of one, in tokens: ids, labels (tokens,), offsets (tokens, 2), features (tokens,
    features). `offsets` are trimmed code points of the whole text; label -100 does not count. It stands
    beside the window `window` of `n_windows` of its reference, and is read beside `n_read` of them in all.
    """

    target_id: str
    ids: np.ndarray
    offsets: np.ndarray
    labels: np.ndarray
    features: np.ndarray
    chunk: int = 0
    n_chunks: int = 1
    window: int = 0
    n_windows: int = 1
    n_read: int = 1


@dataclass(frozen=True)
class Group:
    """Answers that share a reference or a window of it, and its ids with those around it."""

    reference_ids: np.ndarray
    answers: tuple[Answer, ...]

    @property
    def n_tokens(self) -> int:
        """Tokens of the reference and of every answer."""
        return len(self.reference_ids) + sum(len(answer.ids) for answer in self.answers)


class RepeatedGroups:
    """Groups that are iterated several times: cached where texts are few, else made anew each time."""

    def __init__(self, make: Callable[[], Iterator[Group]], n_texts: int):
        self._make, self._cached = make, list(make()) if n_texts <= N_CACHED else None

    def __iter__(self) -> Iterator[Group]:
        return self._make() if self._cached is None else iter(self._cached)


# ---- from texts to groups ----------------------------------------------------------------------------------
def stream_groups(
    passages: pl.DataFrame,
    coder: Coder,
    backbone: Backbone,
    labels: Sequence[str],
    *,
    is_training: bool = False,
) -> Iterator[Group]:
    """Groups of passages one after the other, in the order in which references first occur; memory holds a
    few hundred texts at a time. With `is_training` each answer stands beside one window of its reference, the
    nearest. Columns read: target_id, text, spans, reference. A text without a token gives no answer.
    """
    by_reference = passages.select("reference", "target_id", "text", "spans").group_by(
        "reference", maintain_order=True
    )
    rows = ((reference, row) for (reference,), part in by_reference for row in part.iter_rows(named=True))
    current, ids, answers = None, np.zeros(0, np.int32), list[Answer]()
    while some := list(islice(rows, N_ENCODED)):
        encoded_texts = coder.encode([row["text"] for _, row in some])
        for (reference, row), encoded in zip(some, encoded_texts, strict=True):
            if reference != current or len(answers) >= N_ANSWERS:
                yield from _groups(ids, answers, coder, backbone, is_training=is_training)
                answers = []
            if reference != current:
                current, ids = reference, coder.encode([reference])[0][0]
            answers += _chunks(row, *encoded, len(ids), coder, backbone, labels)
    yield from _groups(ids, answers, coder, backbone, is_training=is_training)


def _chunks(
    row: dict,
    ids: np.ndarray,
    offsets: np.ndarray,
    n_reference: int,
    coder: Coder,
    backbone: Backbone,
    labels: Sequence[str],
) -> list[Answer]:
    """One answer, or its chunks of equal length where it is longer than what the whole reference, and at
    least half of the window, leave.
    """
    if not len(ids):
        return []
    gold = token_labels(row["text"], offsets, row["spans"] or (), labels)
    features = token_features(row["text"], offsets, row["reference"], backbone.features)
    room = backbone.max_tokens - len(coder.start) - len(coder.between)
    n_chunks = -(-len(ids) // max(room - n_reference, room // 2, 1))
    cuts = np.linspace(0, len(ids), n_chunks + 1).round().astype(int)
    return [
        Answer(row["target_id"], ids[a:b], offsets[a:b], gold[a:b], features[a:b], chunk, n_chunks)
        for chunk, (a, b) in enumerate(pairwise(cuts))
    ]


def _groups(
    ids: np.ndarray, answers: Sequence[Answer], coder: Coder, backbone: Backbone, *, is_training: bool
) -> Iterator[Group]:
    """The answers to one reference (its ids), by the windows of it that they stand beside."""
    by_size: dict[int, list[Answer]] = {}
    for answer in answers:
        by_size.setdefault(_window_size(len(ids), len(answer.ids), coder, backbone), []).append(answer)
    start, between = (np.array(part, np.int32) for part in (coder.start, coder.between))
    for size, beside in by_size.items():
        parts = [ids[a:b] for a, b in borders(len(ids), size)] if size else []
        parts = parts or [ids[:0]]
        n_read = min(1 if is_training else backbone.windows or len(parts), len(parts))
        nearest = _nearest(beside, parts, n_read)
        for window, part in enumerate(parts):
            inside = tuple(
                replace(answer, window=window, n_windows=len(parts), n_read=n_read)
                for answer, near in zip(beside, nearest, strict=True)
                if window in near
            )
            if inside:
                yield Group(np.concatenate([start, part, between]), inside)


def _window_size(n_reference: int, n_answer: int, coder: Coder, backbone: Backbone) -> int:
    """Return how many tokens of a reference stand beside an answer: all that fit, else what an answer of up
    to the next eighth of the window leaves.
    """
    room = backbone.max_tokens - len(coder.start) - len(coder.between)
    if n_reference + n_answer <= room:
        return n_reference
    step = max(1, backbone.max_tokens // N_CUTS)
    return max(0, min(n_reference, room - -(-n_answer // step) * step))


def in_room(
    items: Iterable[T], room: int, size: Callable[[T], int], *, most: int | None = None
) -> Iterator[list[T]]:
    """Yield consecutive items in lists, each as long as it can be: sizes of `room` in all and `most` items at
    most; a larger item stands alone.
    """
    part, total = list[T](), 0
    for item in items:
        n = size(item)
        if part and (total + n > room or len(part) == most):
            yield part
            part, total = [], 0
        part.append(item)
        total += n
    if part:
        yield part


def borders(n: int, size: int) -> list[tuple[int, int]]:
    """Start and end of the windows of at most `size` units (at least 1) over `n` units, in their order: each
    begins a quarter of a window before the end of the one before it, and all together leave nothing out. One
    where all fits, none of nothing.
    """
    size = max(size, 1)
    if n <= size:
        return [(0, n)] if n else []
    step = max(size - size // SHARED, 1)
    return [(start, min(start + size, n)) for start in range(0, n - size + step, step) if start < n]


def _nearest(answers: Sequence[Answer], parts: Sequence[np.ndarray], n_read: int) -> list[set[int]]:
    """Of each answer the `n_read` windows that hold most of its distinct pairs of neighbouring tokens, of
    equals most of its tokens; the first of equals in both.
    """
    if len(parts) == n_read:
        return [set(range(n_read))] * len(answers)

    def contents(ids: np.ndarray) -> tuple[set, set]:
        return set(pairwise(ids.tolist())), set(ids.tolist())

    of_parts, nearest = [contents(part) for part in parts], []
    for answer in answers:
        pairs, tokens = contents(answer.ids)
        shared = [(len(pairs & some), len(tokens & others)) for some, others in of_parts]
        ranked = sorted(range(len(parts)), key=shared.__getitem__, reverse=True)  # equals keep their order
        nearest.append(set(ranked[:n_read]))
    return nearest


def joined(chunks: Sequence[tuple[Answer, np.ndarray]]) -> Reading:
    """The reading of a whole text from its chunks' probabilities (tokens, labels)."""
    ordered = sorted(chunks, key=lambda chunk: chunk[0].chunk)
    offsets = np.concatenate([answer.offsets for answer, _ in ordered])
    p = np.concatenate([p_of_chunk for _, p_of_chunk in ordered])
    widest = max((answer for answer, _ in ordered), key=lambda answer: answer.n_windows)
    kinds = 1 + p[:, 1:].argmax(axis=1)
    return Reading(offsets, 1 - p[:, 0], kinds, widest.n_windows, widest.n_windows - widest.n_read)
