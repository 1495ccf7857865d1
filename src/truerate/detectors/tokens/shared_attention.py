"""Attention over a row of one reference and many answers that computes no pair of tokens which the mask
forbids.

Every backbone runs with the attention function `truerate`: PyTorch's own, and, where a row comes with
`Blocks`, the same for the reference, for all answers over the reference, and for each answer over itself. All
else works on the row as it is, so a reference is computed once for all of its answers, in any model that
takes its attention by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from truerate.core.errors import TruerateError

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
    of `blocks` where one is given: they stand side by side in the row, and none sees another. Raises
    TruerateError where a backbone asks for more than a mask: leaving that out would be another model.
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
