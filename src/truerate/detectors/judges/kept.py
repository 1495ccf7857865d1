"""What a decoder keeps of a prompt that it has read, so that it writes behind it without reading it again."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch.nn.functional import pad
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer


class Kept(NamedTuple):
    """Keys and values of one prompt in each layer, (heads, tokens, width), without what filled it up in its batch."""

    layers: list[tuple[torch.Tensor, torch.Tensor]]


Keep = Callable[[int], Kept | None]  # of a prompt by its place in a batch; None where it has to be read again


def keeper(cache: Any, lengths: Sequence[int]) -> Keep:
    """Gives what was kept of each prompt of a batch, all of which end at one place; `lengths`: their tokens. None of
    any where a layer keeps something else than all its keys and values (a window of them, a state).

    What is given is a copy, so that a batch can be let go of with all its other prompts.
    """
    layers = getattr(cache, "layers", None)
    if not layers or any(type(layer) is not DynamicLayer for layer in layers):
        return lambda place: None

    def kept(place: int) -> Kept:
        n = lengths[place]
        return Kept(
            [(layer.keys[place, :, -n:].clone(), layer.values[place, :, -n:].clone()) for layer in layers]
        )

    return kept


def joined(kept: Sequence[Kept]) -> DynamicCache:
    """The cache of a batch of prompts, filled up at their beginnings to the longest (what stands there is masked)."""
    longest = max(one.layers[0][0].shape[-2] for one in kept)

    def filled(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
        return torch.stack([pad(tensor, (0, 0, longest - tensor.shape[-2], 0)) for tensor in tensors])

    by_layer = zip(*(one.layers for one in kept), strict=True)
    return DynamicCache([(filled([k for k, _ in own]), filled([v for _, v in own])) for own in by_layer])
