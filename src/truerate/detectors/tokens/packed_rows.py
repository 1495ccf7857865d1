"""Rows to learn from, in a file: what a training holds in memory of each is where it stands and how long it is.

A row of 1,200 tokens is 22 KB as arrays, and 630,000 of them (thirty languages of 30,000 passages, seven tenths
learned from) are 14 GB. What lengths do not tell is 4 bytes a token, and of an answer's tokens a byte more for the
label and each feature; it lies in an unnamed file of the scratch folder and is read when a batch is made.
"""

import os
import tempfile
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

import numpy as np

from truerate.detectors.tokens.labels import IGNORED
from truerate.detectors.tokens.masks import Row


class PackedRow:
    """A row that lies in a file: its lengths (as batches.Row), and `whole`, which reads it."""

    def __init__(self, rows: "PackedRows", place: int):
        self._rows, self._place = rows, place

    @property
    def answers(self) -> range:
        """Places of its answers in their group."""
        return self._rows.answers_of(self._place)

    @property
    def n_tokens(self) -> int:
        """Tokens of the row."""
        return self._rows.n_tokens[self._place]

    @property
    def n_targets(self) -> int:
        """Tokens that are learned: those that have a label."""
        return self._rows.n_targets[self._place]

    @property
    def whole(self) -> Row:
        """The row itself, equal to the one that was written."""
        return self._rows.read(self._place)


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
    def __getitem__(self, place: int) -> PackedRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[PackedRow]: ...
    def __getitem__(self, place: int | slice) -> PackedRow | list[PackedRow]:
        if isinstance(place, slice):
            return [PackedRow(self, one) for one in range(len(self))[place]]
        return PackedRow(self, range(len(self))[place])

    @property
    def n_bytes(self) -> int:
        """The size of the file."""
        return self._at[-1]

    def answers_of(self, place: int) -> range:
        """Places of a row's answers in their group."""
        first = self._first[place]
        return range(first, first + self._ends[place + 1] - self._ends[place])

    def read(self, place: int) -> Row:
        """A row as it was written."""
        n, n_all = self._n_reference[place], self.n_tokens[place]
        lengths = self._lengths[self._ends[place] : self._ends[place + 1]]
        data = os.pread(self._file.fileno(), self._at[place + 1] - self._at[place], self._at[place])
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
            tuple(self.answers_of(place)),
        )
