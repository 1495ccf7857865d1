"""Answers as a network reads them: grouped by their reference, and joined again behind it.

A reference and its answers are tokenized apart (no pair template, no special token read out of a text) and
joined by ids: start, reference, between, answer. The rule of the window of `max_tokens`: the reference gives
way first, down to half of the window; an answer that needs more is cut into chunks of equal length. A
reference that does not stand whole beside an answer is read in overlapping windows, which together leave nothing
out: in learning beside the one that shares most with the answer, in judging beside each of them, or, where the
backbone has `windows`, beside as many that share most with it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import TypeVar

import numpy as np
import polars as pl

from truerate.config import Backbone
from truerate.detectors.tokens.encode import Coder
from truerate.detectors.tokens.features import token_features
from truerate.detectors.tokens.labels import token_labels
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.windows import borders

# a reference gives way in steps of this part of the window, so that answers of similar length share its windows
_N_CUTS = 8
_AT_ONCE = 512  # texts that are tokenized at a time
_MOST = 2_000  # answers of a group: more that share a reference, or have none, stand in several
_KEPT = (
    20_000  # texts of which groups that are taken again and again stay in memory; of more they are made anew
)

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """A text, or a chunk of one, in tokens. `offsets` are trimmed code points of the whole text; `labels`
    -100: does not count. It stands beside the window `window` of `n_windows` of its reference, and is read beside
    `n_read` of them in all.

    Shapes: ids, labels (tokens,); offsets (tokens, 2); features (tokens, features).
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
    """Answers that share a reference or a window of it, and its ids with those that stand before and after it.
    `group_id`, `lang`: of its first answer.
    """

    reference_ids: np.ndarray
    answers: tuple[Answer, ...]
    group_id: str
    lang: str

    @property
    def n_tokens(self) -> int:
        """Tokens of the reference and of every answer."""
        return len(self.reference_ids) + sum(len(answer.ids) for answer in self.answers)


# ---- from texts to groups ----------------------------------------------------------------------------------
def groups_of(
    passages: pl.DataFrame,
    coder: Coder,
    backbone: Backbone,
    labels: Sequence[str],
    *,
    is_training: bool = False,
) -> list[Group]:
    """All groups of passages at once, as training needs them; of those that are taught each answer stands beside
    one window of its reference, the nearest.
    """
    return list(stream_groups(passages, coder, backbone, labels, is_training=is_training))


class Repeated:
    """The groups of passages, as often as they are asked for: kept where texts are few, else made anew each time, as
    memory would not hold them.
    """

    def __init__(self, make: Callable[[], Iterator[Group]], n_texts: int):
        self._make, self._kept = make, list(make()) if n_texts <= _KEPT else None

    def __iter__(self) -> Iterator[Group]:
        return self._make() if self._kept is None else iter(self._kept)


def stream_groups(
    passages: pl.DataFrame,
    coder: Coder,
    backbone: Backbone,
    labels: Sequence[str],
    *,
    is_training: bool = False,
) -> Iterator[Group]:
    """Groups of passages one after the other, in the order in which references first stand; memory holds a
    few hundred texts at a time.

    Columns read: target_id, group_id, lang, text, spans, reference. A text without a token gives no answer.
    Answers beside which their reference is read in windows of another size stand in other groups, and so do answers
    that are more than a group may have.
    """
    by_reference = passages.select("target_id", "group_id", "lang", "text", "spans", "reference").group_by(
        "reference", maintain_order=True
    )
    rows = (
        (reference, row)
        for (reference,), part in by_reference
        for row in part.drop("reference").iter_rows(named=True)
    )
    kept: tuple[str, np.ndarray] | None = None
    waiting: list[tuple[dict, Answer]] = []
    while slab := list(islice(rows, _AT_ONCE)):
        for (reference, row), encoded in zip(
            slab, coder.encode([row["text"] for _, row in slab]), strict=True
        ):
            is_next = kept is None or kept[0] != reference
            if is_next or len(waiting) >= _MOST:
                yield from _grouped(kept, waiting, coder, backbone, is_training=is_training)
                waiting = []
            if is_next:
                kept = (reference, coder.encode([reference])[0][0])
            waiting += [(row, answer) for answer in _chunks(row, *encoded, kept, coder, backbone, labels)]
    yield from _grouped(kept, waiting, coder, backbone, is_training=is_training)


def _room(n_reference: int, coder: Coder, backbone: Backbone) -> int:
    """Tokens that a chunk of an answer may have: what the whole reference leaves, at least half of the window."""
    around = len(coder.start) + len(coder.between)
    return max(backbone.max_tokens - around - n_reference, (backbone.max_tokens - around) // 2, 1)


def _chunks(row, ids, offsets, kept, coder, backbone, labels) -> list[Answer]:
    """One answer, or its chunks of equal length where it is longer than the window allows."""
    if not len(ids):
        return []
    gold = token_labels(row["text"], offsets, row["spans"] or (), labels)
    features = token_features(row["text"], offsets, kept[0], backbone.features)
    n_chunks = -(-len(ids) // _room(len(kept[1]), coder, backbone))
    cut = np.linspace(0, len(ids), n_chunks + 1).round().astype(int)
    return [
        Answer(row["target_id"], ids[a:b], offsets[a:b], gold[a:b], features[a:b], chunk, n_chunks)
        for chunk, (a, b) in enumerate(zip(cut[:-1], cut[1:], strict=True))
    ]


def _grouped(
    kept, waiting: list[tuple[dict, Answer]], coder: Coder, backbone: Backbone, *, is_training: bool
) -> Iterator[Group]:
    """The answers to one reference, by the windows of it that they stand beside."""
    if kept is None or not waiting:
        return
    sizes: dict[int, list[tuple[dict, Answer]]] = {}
    for row, answer in waiting:
        sizes.setdefault(_piece(len(kept[1]), len(answer.ids), coder, backbone), []).append((row, answer))
    for size, beside in sizes.items():
        parts = [kept[1][start:end] for start, end in borders(len(kept[1]), size)] if size else []
        parts = parts or [kept[1][:0]]
        n_read = min(1 if is_training else backbone.windows or len(parts), len(parts))
        nearest = _nearest([answer for _, answer in beside], parts, n_read)
        for window, part in enumerate(parts):
            here = [pair for pair, near in zip(beside, nearest, strict=True) if window in near]
            if here:
                windows = {"window": window, "n_windows": len(parts), "n_read": n_read}
                yield _group(part, [(row, replace(answer, **windows)) for row, answer in here], coder)


def _group(part: np.ndarray, beside: Sequence[tuple[dict, Answer]], coder: Coder) -> Group:
    """Answers beside one window of their reference."""
    ids = np.concatenate([np.array(coder.start, np.int32), part, np.array(coder.between, np.int32)])
    row = beside[0][0]
    return Group(ids, tuple(answer for _, answer in beside), row["group_id"], row["lang"])


def _nearest(answers: Sequence[Answer], parts: Sequence[np.ndarray], n_read: int) -> list[set[int]]:
    """Of each answer the `n_read` windows that hold most of its different pairs of neighbouring tokens, of equals most
    of its tokens; the first of equals in both.
    """
    if len(parts) == n_read:
        return [set(range(n_read))] * len(answers)
    contents = [(_neighbours(part), set(part.tolist())) for part in parts]
    nearest = []
    for answer in answers:
        pairs, tokens = _neighbours(answer.ids), set(answer.ids.tolist())
        shared = [(len(pairs & in_pairs), len(tokens & in_tokens)) for in_pairs, in_tokens in contents]
        ranked = sorted(range(len(parts)), key=shared.__getitem__, reverse=True)  # equals keep their order
        nearest.append(set(ranked[:n_read]))
    return nearest


def _neighbours(ids: np.ndarray) -> set[tuple[int, int]]:
    return set(pairwise(ids.tolist()))


class Windowed:
    """Counts, of the groups that pass through it, the answers beside which their reference does not fit whole."""

    def __init__(self) -> None:
        self._n_read = self._n_windowed = Fraction(0)

    def counted(self, groups: Iterable[Group]) -> Iterator[Group]:
        """The same groups. An answer that is read beside several windows stands in as many, and counts once."""
        for group in groups:
            self._n_read += sum((Fraction(1, answer.n_read) for answer in group.answers), Fraction(0))
            self._n_windowed += sum(
                (Fraction(1, answer.n_read) for answer in group.answers if answer.n_windows > 1), Fraction(0)
            )
            yield group

    @property
    def rate(self) -> float | None:
        """Their share of all; None over no answer."""
        return float(self._n_windowed / self._n_read) if self._n_read else None


def windowed_rate(groups: Iterable[Group]) -> float | None:
    """The share of answers beside which their reference does not fit whole; None over no answer."""
    windowed = Windowed()
    for _ in windowed.counted(groups):
        pass
    return windowed.rate


def _piece(n_reference: int, n_answer: int, coder: Coder, backbone: Backbone) -> int:
    """How many tokens of a reference stand beside an answer: all that fit, else what an answer of up to the next
    eighth of the window leaves.
    """
    room = backbone.max_tokens - len(coder.start) - len(coder.between)
    if n_reference + n_answer <= room:
        return n_reference
    step = max(1, backbone.max_tokens // _N_CUTS)
    return max(0, min(n_reference, max(room - -(-n_answer // step) * step, 0)))


def over_windows(
    parts: Iterable[tuple[Answer, T]], least: Callable[[Sequence[T]], T]
) -> Iterator[tuple[Answer, T]]:
    """Each text or chunk once, with what is said of it by all windows that it is read beside as one by `least`, as soon
    as the last of them was read.
    """
    waiting: dict[tuple[str, int], list[T]] = {}
    for answer, reading in parts:
        if answer.n_read == 1:
            yield answer, reading
            continue
        readings = waiting.setdefault((answer.target_id, answer.chunk), [])
        readings.append(reading)
        if len(readings) == answer.n_read:
            yield answer, least(waiting.pop((answer.target_id, answer.chunk)))


def least_suspicious(read: Sequence[np.ndarray]) -> np.ndarray:
    """What several windows say of the same tokens, each (tokens, labels) shares of which the first label is none:
    each token as the window reads it that bears it out most.
    """
    p = np.stack(read)
    return np.asarray(p[p[:, :, 0].argmax(axis=0), np.arange(p.shape[1])])


def joined(chunks: Sequence[tuple[Answer, np.ndarray]]) -> Reading:
    """The reading of a whole text from its chunks' probabilities (tokens, labels), in the order of the text."""
    ordered = sorted(chunks, key=lambda chunk: chunk[0].chunk)
    offsets = np.concatenate([answer.offsets for answer, _ in ordered])
    p = np.concatenate([p_of_chunk for _, p_of_chunk in ordered])
    widest = max((answer for answer, _ in ordered), key=lambda answer: answer.n_windows)
    kinds = 1 + p[:, 1:].argmax(axis=1)
    return Reading(offsets, 1 - p[:, 0], kinds, widest.n_windows, widest.n_windows - widest.n_read)
