"""Rows of tensors, and who sees whom in them. A row holds one reference and one or more of its answers, each
as if it stood there alone: by a mask in training, by attention over its `Blocks` in scoring.

Segments: 0 the reference, 1, 2, … an answer, -1 padding. Positions of every answer begin where the reference
ends. Masks: `full` every token sees every other (one answer per row); `causal` a token sees those before it;
`prefix` the reference sees itself, an answer the reference and itself, both ways. Under the latter two no
answer sees another.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from truerate.core.errors import TruerateError
from truerate.detectors.tokens.groups import Answer, Group, in_room
from truerate.detectors.tokens.span_probabilities import IGNORED

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
    """Rows of several references as one row, which only blocks keep apart."""
    columns = [row.columns() for row in rows]
    whole = (np.concatenate([row[name] for row in columns])[None] for name in Batch.__dataclass_fields__)
    return Batch(*(torch.from_numpy(column.astype(np.int64)) for column in whole))


def attention(segments: torch.Tensor, mask: str) -> torch.Tensor:
    """Return which token (third axis) sees which (fourth), (rows, 1, tokens, tokens); padding sees padding."""
    asks, asked = segments[:, :, None], segments[:, None, :]
    if mask == "full":
        sees = (asks == PADDING) == (asked == PADDING)
    else:
        sees = (asks == asked) | ((asked == 0) & (asks > 0))
    if mask == "causal":
        position = torch.arange(segments.shape[1], device=segments.device)
        sees = sees & (position[:, None] >= position[None, :])
    return sees[:, None]


# ---- attention over a row ----------------------------------------------------------------------------------
NAME = "truerate"
CHUNK = 256  # queries of a sliding layer that are computed at a time, over the keys within their reach
UNSUPPORTED = ("position_bias", "softcap", "s_aux")  # what some backbones ask of attention beyond a mask


@dataclass(frozen=True)
class Blocks:
    """A row's parts: tokens of the reference, lengths of answers, mask, reach of sliding layers."""

    n_reference: int
    lengths: tuple[int, ...]
    mask: str
    reach: int | None = None

    @property
    def n_tokens(self) -> int:
        """Tokens of the row, or of this part of it."""
        return self.n_reference + sum(self.lengths)


@lru_cache(maxsize=8)
def band(reach: int, is_causal: bool, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return who sees whom within reach, as 0 or -inf (chunk, chunk + 2 · reach); the first key stands
    `reach` before the first query.
    """
    places = torch.arange(CHUNK + 2 * reach, device=device)
    apart = places[:CHUNK, None] + reach - places
    sees = (apart <= reach) & (apart >= (0 if is_causal else -reach))
    return torch.zeros(sees.shape, dtype=dtype, device=device).masked_fill(~sees, -torch.inf)


def attend(module, query, key, value, attention_mask, scaling=None, dropout=0.0, blocks=None, **more):
    """Scaled dot-product attention (rows, heads, tokens, size) → (rows, tokens, heads, size), over a sequence
    of `blocks` where one is given: they stand side by side in the row, and none sees another. Then no pair of
    tokens is computed which the mask forbids: the reference over itself, all answers over the reference, each
    answer over itself. All else of a model that takes its attention by name (NAME) works on the row as it is,
    so that a reference is computed once for all of its answers. Raises TruerateError where a backbone asks for
    more than a mask: leaving that out would be another model.
    """

    def whole(q, k, v, mask=None, *, is_causal=False):
        return sdpa_attention_forward(
            module, q, k, v, mask, dropout=dropout, scaling=scaling, is_causal=is_causal
        )[0]

    if asked := [name for name in UNSUPPORTED if more.get(name) is not None]:
        raise TruerateError(
            f"{type(module).__name__} asks its attention for {', '.join(asked)}, which is not heeded; use "
            "another backbone"
        )
    if blocks is None:
        return whole(query, key, value, attention_mask), None
    # under autocast rotated queries and keys come in full precision
    sizes = [block.n_tokens for block in blocks]
    parts = zip(*(states.to(value.dtype).split(sizes, dim=2) for states in (query, key, value)), strict=True)
    is_sliding = more.get("sliding_window") is not None
    outputs = [
        output
        for part, block in zip(parts, blocks, strict=True)
        for output in _over(whole, part, block, is_sliding and block.reach is not None)
    ]
    return torch.cat(outputs, dim=1), None


def _over(
    whole: Callable, row: Sequence[torch.Tensor], blocks: Blocks, is_sliding: bool
) -> list[torch.Tensor]:
    """Attention over the query, key and value of one reference and its answers, part by part."""
    n, is_causal = blocks.n_reference, blocks.mask == "causal"
    reference, *answers = zip(*(states.split((n, *blocks.lengths), dim=2) for states in row), strict=True)
    if is_sliding:
        reach, before = blocks.reach or 0, [states[:, :, -blocks.reach :] for states in reference[1:]]
        outputs = _near(whole, *reference, reach=reach, is_causal=is_causal)
        for query, *pair in answers:
            outputs += _near(whole, query, *_joined(before, pair), reach=reach, is_causal=is_causal)
        return outputs
    outputs = [whole(*reference, is_causal=is_causal)] if n else []
    for query, *pair in answers:
        key, value = _joined(reference[1:], pair)
        n_queries, n_keys = query.shape[2], key.shape[2]
        sees = torch.ones((n_queries, n_keys), dtype=torch.bool, device=key.device).tril(n_keys - n_queries)
        outputs.append(whole(query, key, value, sees[None, None] if is_causal else None))
    return outputs


def _near(whole: Callable, query, key, value, *, reach: int, is_causal: bool) -> list[torch.Tensor]:
    """Attention of a sliding layer, in chunks over the keys within reach; both end with one token."""
    n, n_keys, outputs = query.shape[2], key.shape[2], []
    sees = band(reach, is_causal, query.dtype, query.device)
    for start in range(0, n, CHUNK):
        stop, first = min(start + CHUNK, n), n_keys - n + start - reach  # first: where the band begins
        low, high = max(0, first), min(n_keys, n_keys - n + stop + reach)
        part = sees[None, None, : stop - start, low - first : high - first]
        outputs.append(whole(query[:, :, start:stop], key[:, :, low:high], value[:, :, low:high], part))
    return outputs


def _joined(before: Sequence[torch.Tensor], pair: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Keys and values (1, heads, tokens, size) of the reference and, behind them, of an answer."""
    return [torch.cat(both, dim=2) for both in zip(before, pair, strict=True)]


AttentionInterface.register(NAME, attend)
