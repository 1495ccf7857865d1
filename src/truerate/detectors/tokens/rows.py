"""Rows of tensors, and who sees whom in them. A row holds one reference and one or more of its answers, each
as if it stood there alone.

Segments: 0 the reference, 1, 2, … an answer, -1 padding. Positions of every answer begin where the reference
ends. Masks: `full` every token sees every other (one answer per row); `causal` a token sees those before it;
`prefix` the reference sees itself, an answer the reference and itself, both ways. Under the latter two no
answer sees another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from truerate.detectors.tokens.groups import Answer, Group, in_room
from truerate.detectors.tokens.labels import IGNORED

PADDING = -1


@dataclass(frozen=True, slots=True)
class Row:
    """A reference and some of its answers: `ids` (tokens,) of both; `labels` (n,) and `features` (n,
    features) of the answers' n tokens, a byte each, as a training keeps hundreds of thousands; `lengths` of
    the answers.
    """

    name: str
    ids: np.ndarray
    labels: np.ndarray
    features: np.ndarray
    lengths: tuple[int, ...]

    @property
    def n_answers(self) -> int:
        """Answers in the row."""
        return len(self.lengths)

    @property
    def n_tokens(self) -> int:
        """Tokens of the row."""
        return len(self.ids)

    @property
    def n_targets(self) -> int:
        """Tokens with a label, which are learned."""
        return int((self.labels >= 0).sum())

    def columns(self) -> dict[str, np.ndarray]:
        """The columns of a Batch for this row, (tokens, …) each."""
        n = len(self.ids) - len(self.labels)
        before = np.zeros((n, self.features.shape[1]), np.int8)
        positions = [np.arange(n), *(np.arange(n, n + length) for length in self.lengths)]
        return {
            "ids": self.ids,
            "features": np.concatenate([before, self.features]),
            "positions": np.concatenate(positions),
            "segments": np.repeat(np.arange(len(self.lengths) + 1), [n, *self.lengths]),
            "labels": np.concatenate([np.full(n, IGNORED), self.labels]),
        }


@dataclass(frozen=True)
class Batch:
    """Rows as tensors (rows, tokens), features (rows, tokens, features), padded at their ends."""

    ids: torch.Tensor
    features: torch.Tensor
    positions: torch.Tensor
    segments: torch.Tensor
    labels: torch.Tensor

    def to(self, device: str | torch.device) -> "Batch":
        """The same batch on a device."""
        return Batch(
            *(getattr(self, name).to(device, non_blocking=True) for name in Batch.__dataclass_fields__)
        )


def row_of(reference_ids: np.ndarray, answers: Sequence[Answer]) -> Row:
    """A reference and some of its answers in one row, named after the first of them."""
    return Row(
        f"{answers[0].target_id} {answers[0].chunk} {len(answers)}",
        np.concatenate([reference_ids, *(answer.ids for answer in answers)]).astype(np.int32),
        np.concatenate([answer.labels for answer in answers]).astype(np.int8),
        np.concatenate([answer.features for answer in answers]).astype(np.int8),
        tuple(len(answer.ids) for answer in answers),
    )


def rows_of(group: Group, mask: str, *, max_answers: int = 8, max_tokens: int = 4096) -> Iterator[Row]:
    """A group in rows, answers in order: one per row under `full`, else up to `max_answers` while the row has
    at most `max_tokens`. A row has at least one answer, however long it is.
    """
    room, most = max_tokens - len(group.reference_ids), 1 if mask == "full" else max_answers
    for answers in in_room(group.answers, room, lambda answer: len(answer.ids), most=most):
        yield row_of(group.reference_ids, answers)


def collate(rows: Sequence[Row], pad: int) -> Batch:
    """Rows as one batch, padded to the longest."""
    columns = [row.columns() for row in rows]
    fills = {"ids": pad, "features": 0, "positions": 0, "segments": PADDING, "labels": IGNORED}
    return Batch(*(padded([row[name] for row in columns], fill) for name, fill in fills.items()))


def padded(rows: Sequence[np.ndarray], fill: int, *, side: str = "right") -> torch.Tensor:
    """Return arrays (tokens, …) as one tensor of integers (rows, tokens, …), filled up to the longest."""
    tensors = [torch.from_numpy(row.astype(np.int64)) for row in rows]
    return pad_sequence(tensors, batch_first=True, padding_value=fill, padding_side=side)


def side_by_side(rows: Sequence[Row]) -> Batch:
    """Rows of several references as one row, which only blocks (shared_attention.py) keep apart."""
    columns = [row.columns() for row in rows]
    whole = (np.concatenate([row[name] for row in columns])[None] for name in Batch.__dataclass_fields__)
    return Batch(*(torch.from_numpy(column.astype(np.int64)) for column in whole))


def attention(segments: torch.Tensor, mask: str) -> torch.Tensor:
    """Which token (third axis) sees which (fourth), (rows, 1, tokens, tokens); padding sees padding."""
    asks, asked = segments[:, :, None], segments[:, None, :]
    if mask == "full":
        sees = (asks == PADDING) == (asked == PADDING)
    else:
        sees = (asks == asked) | ((asked == 0) & (asks > 0))
    if mask == "causal":
        position = torch.arange(segments.shape[1], device=segments.device)
        sees = sees & (position[:, None] >= position[None, :])
    return sees[:, None]
