"""Attention over a row of one reference and many answers that computes no pair of tokens which the mask forbids.

Every backbone runs with the attention function `truerate`: PyTorch's own, and, where a row comes with `Blocks`, the same called once for
the reference and once per answer over the reference's keys and its own. All else works on the row as it is, so a reference is computed
once for all of its answers, in any model that takes its attention by name, with nothing kept from layer to layer.
"""

from dataclasses import dataclass, field

import torch
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

NAME = "truerate"


@dataclass
class Blocks:
    """A row's parts: tokens of the reference, lengths of the answers behind it, its mask (causal, prefix), the reach of sliding layers.

    `made` keeps the masks that layers share.
    """

    n_reference: int
    lengths: tuple[int, ...]
    mask: str
    reach: int | None = None
    made: dict = field(default_factory=dict)

    def sees(self, n_before: int, n: int, reach: int | None, device: torch.device) -> torch.Tensor | None:
        """Who sees whom in a block of `n` tokens that follow `n_before`: bool (1, 1, n, n_before + n); None where all see all."""
        if self.mask != "causal" and (reach is None or n_before + n <= reach + 1):
            return None
        key = (n_before, n, reach)
        if key not in self.made:
            apart = torch.arange(n_before, n_before + n, device=device)[:, None] - torch.arange(n_before + n, device=device)[None, :]
            sees = apart >= 0 if self.mask == "causal" else torch.ones_like(apart, dtype=torch.bool)
            self.made[key] = (sees if reach is None else sees & (apart.abs() <= reach))[None, None]
        return self.made[key]


def attend(module, query, key, value, attention_mask, scaling=None, dropout=0.0, blocks: Blocks | None = None, **given):
    """Scaled dot-product attention (rows, heads, tokens, size) → (rows, tokens, heads, size), over blocks where they are given."""

    def whole(q, k, v, mask):
        return sdpa_attention_forward(module, q, k, v, mask, dropout=dropout, scaling=scaling, is_causal=False)[0]

    if blocks is None:
        return whole(query, key, value, attention_mask), None
    reach = blocks.reach if given.get("sliding_window") is not None else None
    n = blocks.n_reference
    far = 0 if reach is None else max(0, n - reach)  # what of the reference a sliding layer of an answer can see
    sees = blocks.sees(0, n, reach, query.device)
    done = [whole(query[:, :, :n], key[:, :, :n], value[:, :, :n], sees)] if n else []
    at = n
    for length in blocks.lengths:
        own = slice(at, at + length)
        keys = torch.cat([key[:, :, far:n], key[:, :, own]], dim=2)
        values = torch.cat([value[:, :, far:n], value[:, :, own]], dim=2)
        done.append(whole(query[:, :, own], keys, values, blocks.sees(n - far, length, reach, query.device)))
        at += length
    return torch.cat(done, dim=1), None


AttentionInterface.register(NAME, attend)
