"""Rows and who sees whom in them. A row holds one reference and one or more of its answers, each as if it
stood there alone.

Segments say what a token belongs to: 0 the reference, 1, 2, … an answer, -1 padding. Positions of every
answer start again where the reference ends. Masks: `full` every token sees every other (one answer per row);
`causal` a token sees those before it; `prefix` the reference sees itself, an answer the reference and itself,
both ways. Under the latter two an answer never sees another.
"""

import os
import tempfile
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
import torch

from truerate.detectors.tokens.groups import Answer, Group
from truerate.detectors.tokens.labels import IGNORED

MASKS = ("full", "causal", "prefix")
PADDING = -1


@dataclass(frozen=True)
class Row:
    """One reference and some of its answers: all arrays (tokens,), features (tokens, features); `answers` are
    places in the group.

    Features take a byte each and all else four; a batch has eight of each, as torch wants them. The rows of a training
    lie in a file (packed_rows.py).
    """

    ids: np.ndarray
    features: np.ndarray
    positions: np.ndarray
    segments: np.ndarray
    labels: np.ndarray
    answers: tuple[int, ...]

    @property
    def n_tokens(self) -> int:
        """Tokens of the row."""
        return len(self.ids)

    @property
    def n_targets(self) -> int:
        """Tokens that are learned: those that have a label."""
        return int((self.labels >= 0).sum())


@dataclass(frozen=True)
class Batch:
    """Rows as tensors (rows, tokens), features (rows, tokens, features), filled up with padding."""

    ids: torch.Tensor
    features: torch.Tensor
    positions: torch.Tensor
    segments: torch.Tensor
    labels: torch.Tensor

    @property
    def shape(self) -> torch.Size:
        """Rows and tokens, padding with them."""
        return self.ids.shape

    @property
    def n_tokens(self) -> int:
        """Tokens without padding."""
        return int((self.segments != PADDING).sum())

    def to(self, device: str | torch.device) -> "Batch":
        """The same batch on a device."""
        return Batch(
            *(getattr(self, name).to(device, non_blocking=True) for name in Batch.__dataclass_fields__)
        )


def row_of(reference_ids: np.ndarray, answers: Sequence[Answer], places: Sequence[int]) -> Row:
    """One row of a reference and those of its answers that stand at `places`."""
    chosen = [answers[index] for index in places]
    n, lengths = len(reference_ids), [len(answer.ids) for answer in chosen]
    n_features = chosen[0].features.shape[1] if chosen else 0
    return Row(
        np.concatenate([reference_ids, *(answer.ids for answer in chosen)]).astype(np.int32),
        np.concatenate([np.zeros((n, n_features), np.int8), *(answer.features for answer in chosen)]),
        np.concatenate([np.arange(n), *(np.arange(n, n + length) for length in lengths)]).astype(np.int32),
        np.repeat(np.arange(len(chosen) + 1, dtype=np.int32), [n, *lengths]),
        np.concatenate([np.full(n, IGNORED), *(answer.labels for answer in chosen)]).astype(np.int32),
        tuple(places),
    )


def side_by_side(rows: Sequence[Row]) -> Row:
    """Rows of several references side by side in one, which only blocks can tell apart (shared_attention.py):
    segments begin anew.
    """
    names = ("ids", "features", "positions", "segments", "labels")
    return Row(  # type: ignore[call-arg]
        *(np.concatenate([getattr(row, name) for row in rows]) for name in names),
        tuple(i for row in rows for i in row.answers),
    )


def rows_of(group: Group, mask: str, *, max_answers: int = 8, max_tokens: int = 4096) -> list[Row]:
    """A group in rows, answers in their order: one per row under `full`, else up to `max_answers` while the
    row has at most `max_tokens`.

    A row has at least one answer, however long it is.
    """
    rows, row, length = [], [], len(group.reference_ids)
    for index, answer in enumerate(group.answers):
        if row and (mask == "full" or len(row) == max_answers or length + len(answer.ids) > max_tokens):
            rows.append(row_of(group.reference_ids, group.answers, row))
            row, length = [], len(group.reference_ids)
        row.append(index)
        length += len(answer.ids)
    return [*rows, row_of(group.reference_ids, group.answers, row)] if row else rows


def collate(rows: Sequence[Row], pad: int) -> Batch:
    """Rows as one batch, filled up at their ends to the longest."""
    longest = max(row.n_tokens for row in rows)
    fills = {"ids": pad, "features": 0, "positions": 0, "segments": PADDING, "labels": IGNORED}

    def whole(name: str) -> torch.Tensor:
        padded = np.full((len(rows), longest, *getattr(rows[0], name).shape[1:]), fills[name], dtype=np.int64)
        for number, row in enumerate(rows):
            padded[number, : row.n_tokens] = getattr(row, name)
        return torch.from_numpy(padded)

    return Batch(*map(whole, fills))


def attention(segments: torch.Tensor, mask: str) -> torch.Tensor:
    """Which token (third axis) sees which (fourth): bool (rows, 1, tokens, tokens). Padding sees padding
    alone, and nothing sees it.
    """
    asks, asked = segments[:, :, None], segments[:, None, :]
    if mask == "full":
        sees = (asks == PADDING) == (asked == PADDING)
    else:
        sees = (asks == asked) | ((asked == 0) & (asks > 0))
    if mask == "causal":
        position = torch.arange(segments.shape[1], device=segments.device)
        sees = sees & (position[:, None] >= position[None, :])
    return sees[:, None]


class PackedRow:
    """A row that lies in a file: its lengths (as batches.Row), and `whole`, which reads it."""

    def __init__(self, rows: "PackedRows", number: int):
        self._rows, self._number = rows, number

    @property
    def answers(self) -> range:
        """Places of its answers in their group."""
        return self._rows.answers_of(self._number)

    @property
    def n_tokens(self) -> int:
        """Tokens of the row."""
        return self._rows.n_tokens[self._number]

    @property
    def n_targets(self) -> int:
        """Tokens that are learned: those that have a label."""
        return self._rows.n_targets[self._number]

    @property
    def whole(self) -> Row:
        """The row itself, equal to the one that was written."""
        return self._rows.read(self._number)


class PackedRows(Sequence[PackedRow]):
    """Rows in the order in which they came. All have as many features a token; answers of a row are neighbours in
    their group.
    """

    def __init__(self, rows: Iterable[Row], folder: Path | None = None):
        """`folder`: where the file lies, which has no name and goes with the last use of it."""
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  it lives as long as the rows
        self.n_tokens, self.n_targets = array("i"), array("i")
        self._n_reference, self._first, self._n_features = array("i"), array("i"), 0
        self._lengths, self._ends, self._at = array("i"), array("q", [0]), array("q", [0])
        for row in rows:
            self._append(row)
        self._file.flush()

    def _append(self, row: Row) -> None:
        n = int((row.segments == 0).sum())
        parts = (row.ids.astype(np.int32), row.labels[n:].astype(np.int8), row.features[n:].astype(np.int8))
        self._at.append(self._at[-1] + sum(self._file.write(part.tobytes()) for part in parts))
        self.n_tokens.append(row.n_tokens)
        self.n_targets.append(row.n_targets)
        self._n_reference.append(n)
        self._first.append(row.answers[0])
        self._lengths.extend(np.bincount(row.segments[n:], minlength=1)[1:].tolist())
        self._ends.append(len(self._lengths))
        self._n_features = row.features.shape[1]

    def __len__(self) -> int:
        return len(self.n_tokens)

    @overload
    def __getitem__(self, number: int) -> PackedRow: ...
    @overload
    def __getitem__(self, number: slice) -> list[PackedRow]: ...
    def __getitem__(self, number: int | slice) -> PackedRow | list[PackedRow]:
        if isinstance(number, slice):
            return [PackedRow(self, index) for index in range(len(self))[number]]
        return PackedRow(self, range(len(self))[number])

    @property
    def n_bytes(self) -> int:
        """The size of the file."""
        return self._at[-1]

    def answers_of(self, number: int) -> range:
        """Places of a row's answers in their group."""
        first = self._first[number]
        return range(first, first + self._ends[number + 1] - self._ends[number])

    def read(self, number: int) -> Row:
        """A row as it was written."""
        n, n_all = self._n_reference[number], self.n_tokens[number]
        lengths = self._lengths[self._ends[number] : self._ends[number + 1]]
        data = os.pread(self._file.fileno(), self._at[number + 1] - self._at[number], self._at[number])
        m, width = n_all - n, self._n_features
        labels = np.frombuffer(data, np.int8, m, 4 * n_all)
        features = np.frombuffer(data, np.int8, m * width, 4 * n_all + m).reshape(m, width)
        return Row(
            np.frombuffer(data, np.int32, n_all),
            np.concatenate([np.zeros((n, width), np.int8), features]),
            np.concatenate([np.arange(n), *(np.arange(n, n + length) for length in lengths)]).astype(
                np.int32
            ),
            np.repeat(np.arange(len(lengths) + 1, dtype=np.int32), [n, *lengths]),
            np.concatenate([np.full(n, IGNORED), labels]).astype(np.int32),
            tuple(self.answers_of(number)),
        )
