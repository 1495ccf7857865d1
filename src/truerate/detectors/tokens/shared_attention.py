"""Attention over a row of one reference and many answers that computes no pair of tokens which the mask forbids.

Every backbone runs with the attention function `truerate`: PyTorch's own, and, where a row comes with
`Blocks`, the same for the reference, for all answers over the reference, and for each answer over itself. All
else works on the row as it is, so a reference is computed once for all of its answers, in any model that
takes its attention by name. What layers have of a reference can be kept for rows of further answers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import torch
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from truerate.core.errors import TruerateError

NAME = "truerate"
_CHUNK = 256  # queries of a sliding layer that are computed at a time, over the keys within their reach
_UNHEEDED = ("position_bias", "softcap", "s_aux")  # what some backbones ask of their attention beyond a mask

Pair = Sequence[torch.Tensor]  # keys and values (1, heads, tokens, size)


@dataclass
class Blocks:
    """A row's parts: tokens of the reference, lengths of the answers behind it, its mask, the reach of
    sliding layers.

    The first of several rows `leaves` what its layers have of the reference, in their order; the others,
    answers alone, each `takes` that. Not by layer: some backbones use one layer several times. `made` holds
    the mask that sliding layers share.
    """

    n_reference: int
    lengths: tuple[int, ...]
    mask: str
    reach: int | None = None
    leaves: list[Pair] | None = None
    takes: Iterator[Pair] | None = None
    made: list[torch.Tensor] = field(default_factory=list)

    @property
    def n_tokens(self) -> int:
        """Tokens of the row, or of this part of it."""
        return self.n_reference + sum(self.lengths)

    def before(self, reference: Pair, *, is_sliding: bool) -> Pair:
        """What the answers can see of the reference in the layer that asks: from this row, or as the first
        one left it.
        """
        if self.takes is not None:
            return next(self.takes)
        found = [one[:, :, -self.reach :] if is_sliding else one for one in reference]
        if self.leaves is not None:
            self.leaves.append([one.clone(memory_format=torch.contiguous_format) for one in found])
        return found

    def band(self, like: torch.Tensor) -> torch.Tensor:
        """Who sees whom within reach, as 0 or -inf (chunk, chunk + 2 · reach); the first key stands `reach`
        before the first query.
        """
        if not self.made:
            places = torch.arange(_CHUNK + 2 * self.reach, device=like.device)
            apart = places[:_CHUNK, None] + self.reach - places
            sees = (apart <= self.reach) & (apart >= (0 if self.mask == "causal" else -self.reach))
            self.made.append(
                torch.zeros(sees.shape, dtype=like.dtype, device=like.device).masked_fill(~sees, -torch.inf)
            )
        return self.made[0]


def attend(
    module,
    query,
    key,
    value,
    attention_mask,
    scaling=None,
    dropout=0.0,
    blocks: Blocks | Sequence[Blocks] | None = None,
    **given,
):
    """Scaled dot-product attention (rows, heads, tokens, size) → (rows, tokens, heads, size), over blocks
    where they are given.

    Several blocks stand side by side in the row, none of which sees another. Raises TruerateError where a
    backbone asks for more than a mask: leaving that out would be another model.
    """

    def whole(q, k, v, mask=None, *, is_causal=False):
        return sdpa_attention_forward(
            module, q, k, v, mask, dropout=dropout, scaling=scaling, is_causal=is_causal
        )[0]

    if asked := [name for name in _UNHEEDED if given.get(name) is not None]:
        raise TruerateError(
            f"{type(module).__name__} asks its attention for {', '.join(asked)}, which is not heeded; use another backbone"
        )
    if blocks is None:
        return whole(query, key, value, attention_mask), None
    block_list = [blocks] if isinstance(blocks, Blocks) else blocks
    query, key = (
        query.to(value.dtype),
        key.to(value.dtype),
    )  # under autocast rotated ones come in full precision
    parts = zip(
        *(one.split([each.n_tokens for each in block_list], dim=2) for one in (query, key, value)),
        strict=True,
    )
    has_window = given.get("sliding_window") is not None
    done = [
        one
        for part, each in zip(parts, block_list, strict=True)
        for one in _over(whole, part, each, has_window, scaling)
    ]
    return torch.cat(done, dim=1), None


def _over(
    whole: Callable, row: Sequence[torch.Tensor], blocks: Blocks, has_window: bool, scaling: float | None
) -> list[torch.Tensor]:
    """Attention over the query, key and value of one reference and its answers, piece by piece."""
    n, is_causal = blocks.n_reference, blocks.mask == "causal"
    is_sliding = blocks.reach is not None and has_window
    reference, *answers = zip(*(one.split((n, *blocks.lengths), dim=2) for one in row), strict=True)
    before = blocks.before(reference[1:], is_sliding=is_sliding)
    if is_sliding:
        done = _near(whole, *reference, blocks)  # type: ignore[call-arg]
        return done + [part for q, *own in answers for part in _near(whole, q, *_joined(before, own), blocks)]  # type: ignore[call-arg]
    done = [whole(*reference, is_causal=is_causal)] if n else []
    if answers and before[0].shape[2] and row[0].device.type == "cpu":
        return [*done, _in_two_parts(row[0][:, :, n:], before, answers, is_causal=is_causal, scaling=scaling)]
    return done + _in_one_part(whole, before, answers, is_causal=is_causal)


def _near(
    whole: Callable, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, blocks: Blocks
) -> list[torch.Tensor]:
    """Attention of a sliding layer, chunk by chunk over the keys within reach; the last query and the last
    key are one token.
    """
    n, n_keys, outputs = query.shape[2], key.shape[2], []
    for start in range(0, n, _CHUNK):
        stop, first = (
            min(start + _CHUNK, n),
            n_keys - n + start - blocks.reach,
        )  # the key that the band begins with
        low, high = max(0, first), min(n_keys, n_keys - n + stop + blocks.reach)
        sees = blocks.band(query)[None, None, : stop - start, low - first : high - first]
        outputs.append(whole(query[:, :, start:stop], key[:, :, low:high], value[:, :, low:high], sees))
    return outputs


def _in_one_part(
    whole: Callable, before: Pair, answers: Sequence[Pair], *, is_causal: bool
) -> list[torch.Tensor]:
    """Attention of each answer over the reference and itself, put together for it."""
    outputs = []
    for query, *own in answers:
        key, value = _joined(before, own)
        shape = (query.shape[2], key.shape[2])
        sees = (
            torch.ones(shape, dtype=torch.bool, device=key.device).tril(shape[1] - shape[0])[None, None]
            if is_causal
            else None
        )
        outputs.append(whole(query, key, value, sees))
    return outputs


def _in_two_parts(
    query, before: Pair, answers: Sequence[Pair], *, is_causal: bool, scaling: float | None
) -> torch.Tensor:
    """The same on a CPU without copies: all answers at once over the reference, each over itself, and the
    mean of both.

    Exact: a softmax over two sets of keys is the mean of the softmax over each, weighed by their sums of
    exponentials.
    """
    summed = (
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    )  # what PyTorch runs there; says the logarithm of the sum as well
    apart = [summed(*answer, is_causal=is_causal, scale=scaling) for answer in answers if answer[0].shape[2]]
    own, own_log = (
        torch.cat([part.transpose(1, 2) for part in parts], dim=1) for parts in zip(*apart, strict=True)
    )
    shared, shared_log = (part.transpose(1, 2) for part in summed(query, *before, scale=scaling))
    return torch.lerp(shared, own, torch.sigmoid(own_log - shared_log)[..., None].to(own.dtype))


def _joined(before: Pair, own: Pair) -> list[torch.Tensor]:
    """Keys and values of the reference and, behind them, of an answer."""
    return [torch.cat(both, dim=2) for both in zip(before, own, strict=True)]


AttentionInterface.register(NAME, attend)
