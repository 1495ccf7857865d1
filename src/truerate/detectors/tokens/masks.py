"""Rows and who sees whom in them. A row holds one reference and one or more of its answers, each as if it
stood there alone.

Segments say what a token belongs to: 0 the reference, 1, 2, … an answer, -1 padding. Positions of every
answer start again where the reference ends. Masks: `full` every token sees every other (one answer per row);
`causal` a token sees those before it; `prefix` the reference sees itself, an answer the reference and itself,
both ways. Under the latter two an answer never sees another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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
        found = np.full((len(rows), longest, *getattr(rows[0], name).shape[1:]), fills[name], dtype=np.int64)
        for place, row in enumerate(rows):
            found[place, : row.n_tokens] = getattr(row, name)
        return torch.from_numpy(found)

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
