"""How the answers to one reference are scored: the same probabilities by every strategy, at different cost.

`one_by_one` reads the reference again for every answer. `packed` reads it once: answers stand in rows behind
it that are computed block by block. `kv_cache` reads it once into the cache of the backbone, for batches of
padded answers. With K answers of A tokens to a reference of R tokens, sharing reads R + KA tokens in place of
K(R + A). It saves at least as much of the products of attention: R² + KA(R + A) in place of K(R + A)². Under
the mask `full` the reference sees the answer, so nothing can be shared.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from transformers import DynamicCache

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.groups import Answer, Group, least_suspicious, over_windows
from truerate.detectors.tokens.masks import attention, collate, row_of, side_by_side
from truerate.detectors.tokens.network import Network
from truerate.detectors.tokens.shared_attention import Blocks
from truerate.detectors.training.device import half_precision

CACHE_BYTES = 1_000_000_000  # where there is no GPU
_GPU_SHARE = 4  # on one: this part of what is free
_ROW = {"cpu": 1024}  # tokens of a row: beyond that the states of a layer leave the processor's caches
_LONG_ROW = 8192  # elsewhere
_SLACK = 1.1  # a batch of answers is closed before padding would exceed a tenth


def chosen_strategy(network: Network, n_answers: int, strategy: str = "auto") -> str:
    """What is run for `n_answers` to one reference. `auto` is one by one where nothing can be shared, else
    packed.

    Packed reads the same tokens as a cache does, without padding and without copies of the reference's keys
    for every answer. Raises TruerateError for a strategy that is unknown, or that the mask or the backbone
    does not allow.
    """
    if strategy != "auto" and strategy not in STRATEGIES:
        raise TruerateError(f"scoring strategy {strategy!r}: allowed are auto, {', '.join(STRATEGIES)}")
    network.check_strategy(strategy)
    if strategy == "auto":
        return "one_by_one" if network.mask == "full" or n_answers == 1 else "packed"
    return strategy


def score_group(
    network: Network, group: Group, strategy: str = "auto", cache_bytes: int | None = None
) -> list[np.ndarray]:
    """Probabilities (tokens, labels) of each answer of a group, in the order of `group.answers`."""
    return [torch.softmax(one, dim=-1).numpy() for one in logits_of(network, group, strategy, cache_bytes)]


def logits_of(
    network: Network, group: Group, strategy: str = "auto", cache_bytes: int | None = None
) -> list[torch.Tensor]:
    """Logits (tokens, labels) of each answer of a group, in the order of `group.answers`, on the CPU.

    `cache_bytes` bounds what one batch of `kv_cache`, or one row of `packed` with what it was left, holds
    (None: 1 GB, on a GPU a quarter of its free memory); one answer is always scored. On a GPU all but the
    head computes in bf16, as in training.
    """
    if not group.answers:
        return []
    room = room_on(network.device) if cache_bytes is None else cache_bytes
    with _scoring(network):
        hidden = STRATEGIES[chosen_strategy(network, len(group.answers), strategy)](network, group, room)
        return [network.logits(states).float().cpu() for states in hidden]


def room_on(device: torch.device) -> int:
    """Bytes that scoring may hold beside the weights where nobody says so."""
    return CACHE_BYTES if device.type != "cuda" else torch.cuda.mem_get_info(device)[0] // _GPU_SHARE


def score_groups(
    network: Network,
    groups: Iterable[Group],
    strategy: str = "auto",
    cache_bytes: int | None = None,
    *,
    is_shared: bool = False,
) -> Iterator[tuple[Group, list[np.ndarray]]]:
    """Groups with the probabilities of their answers, one group at a time, so that memory does not grow with
    their number.

    With `is_shared` small groups that come one after the other share a row (strategy `auto`): several are
    taken before the first is given. Measured on the default's network and one CPU core: a row of 100 tokens
    is read at 0.6 of the tokens per second of a long one, of 200 at 0.85, of 300 at 0.95; between 500 and
    8,000 nothing changes.
    """
    for run in (
        _runs(network, groups, cache_bytes)
        if is_shared and strategy == "auto"
        else ([group] for group in groups)
    ):
        if len(run) == 1:
            yield run[0], score_group(network, run[0], strategy, cache_bytes)
        else:
            yield from zip(run, _together(network, run), strict=True)


def scored_answers(
    network: Network, groups: Iterable[Group], backbone: Backbone
) -> Iterator[tuple[Answer, np.ndarray]]:
    """Each text or chunk of groups with its probabilities (tokens, labels), those by several windows of a
    reference as one.
    """
    parts = (
        pair
        for group, scored in score_groups(
            network, groups, backbone.strategy, backbone.cache_bytes, is_shared=True
        )
        for pair in zip(group.answers, scored, strict=True)
    )
    return over_windows(parts, least_suspicious)


def _runs(network: Network, groups: Iterable[Group], cache_bytes: int | None) -> Iterator[list[Group]]:
    """Groups in order, in lists that fit into a row; a larger one is a list by itself."""
    room = room_on(network.device) if cache_bytes is None else cache_bytes
    room = min(room // _row_bytes(network), _ROW.get(network.device.type, _LONG_ROW))
    run, used = [], 0
    for group in groups:
        n_tokens = sum(piece.blocks.n_tokens for piece in _pieces(network, group))
        if run and used + n_tokens > room:
            yield run
            run, used = [], 0
        run.append(group)
        used += n_tokens
    if run:
        yield run


def _together(network: Network, groups: Sequence[Group]) -> list[list[np.ndarray]]:
    """Probabilities of the answers of several groups, which are read side by side in one row."""
    with _scoring(network):
        hidden = _row(network, [piece for group in groups for piece in _pieces(network, group)])
        found = (torch.softmax(network.logits(one).float(), dim=-1).cpu().numpy() for one in hidden)
        return [[next(found) for _ in group.answers] for group in groups]


@contextmanager
def _scoring(network: Network) -> Iterator[None]:
    """Without gradients and dropout, in bf16 on a GPU; the network's mode is put back."""
    was_training = network.training
    if was_training:  # setting it anew in every module costs more than a layer
        network.eval()
    try:
        with torch.inference_mode(), half_precision(network.device):
            yield
    finally:
        if was_training:
            network.train()


class Piece(NamedTuple):
    """What a row holds of one group: the answers at `places`, behind their reference unless their blocks take
    it from an earlier row.
    """

    group: Group
    places: Sequence[int]
    blocks: Blocks


def _pieces(network: Network, group: Group) -> list[Piece]:
    """A whole group for one row; under the mask `full` each answer brings its own copy of the reference."""
    if network.mask == "full":
        return [_alone(network, group, place) for place in range(len(group.answers))]
    lengths = tuple(len(answer.ids) for answer in group.answers)
    return [
        Piece(
            group, range(len(lengths)), Blocks(len(group.reference_ids), lengths, network.mask, network.reach)
        )
    ]


def _alone(network: Network, group: Group, index: int) -> Piece:
    """One answer behind its reference."""
    n, length = len(group.reference_ids), len(group.answers[index].ids)
    parts = (n + length, ()) if network.mask == "full" else (n, (length,))
    return Piece(group, [index], Blocks(*parts, network.mask, network.reach))  # type: ignore[call-arg]


def one_by_one(network: Network, group: Group, cache_bytes: int) -> list[torch.Tensor]:
    """Hidden states of each answer behind its own copy of the reference."""
    return [
        one for place in range(len(group.answers)) for one in _row(network, [_alone(network, group, place)])
    ]


def packed(network: Network, group: Group, cache_bytes: int) -> list[torch.Tensor]:
    """Hidden states of answers in rows, the first of which holds the reference and leaves its keys and values
    to the others.

    Where these do not fit into the byte budget beside a row, every row reads the reference anew.
    """
    n, lengths = len(group.reference_ids), [len(answer.ids) for answer in group.answers]
    per_token = _row_bytes(network)
    room_beside = (
        cache_bytes - n * _bytes_per_token(network)
    ) // per_token  # tokens, next to what the reference leaves
    is_left = room_beside > n
    room = (
        min(room_beside, _ROW.get(network.device.type, _LONG_ROW))
        if is_left
        else cache_bytes // per_token - n
    )
    left, logits = [], []
    for places in _slabs(lengths, room - n if is_left else room, room):
        row_lengths = tuple(lengths[index] for index in places)
        own = (
            {"n_reference": 0, "takes": iter(left)}
            if left
            else {"n_reference": n, "leaves": left if is_left else None}
        )
        logits += _row(
            network,
            [
                Piece(
                    group, places, Blocks(lengths=row_lengths, mask=network.mask, reach=network.reach, **own)
                )
            ],
        )
    return logits


def _row(network: Network, pieces: Sequence[Piece]) -> list[torch.Tensor]:
    """Hidden states of the answers of each piece in turn, in one row that holds the pieces side by side."""
    rows, sizes = [], []
    for group, places, blocks in pieces:
        n = len(group.reference_ids) if blocks.takes is None else 0
        row = row_of(group.reference_ids[:n], group.answers, places)
        rows.append(replace(row, positions=row.positions + len(group.reference_ids) - n))
        sizes.append([n, *(len(group.answers[index].ids) for index in places)])
    batch = collate([side_by_side(rows)], network.coder.pad).to(network.device)
    hidden = network.hidden(
        batch.ids, batch.features, batch.positions, None, blocks=[piece.blocks for piece in pieces]
    )[0]
    outputs = iter(hidden.split([size for own in sizes for size in own]))
    return [output for size in sizes for output in list(islice(outputs, len(size)))[1:]]


def _row_bytes(network: Network) -> int:
    """Bytes that are alive at a time in a layer, per token of a row; generously."""
    return network.body.config.hidden_size * 64


def _slabs(lengths: Sequence[int], first_limit: int, next_limit: int) -> Iterator[list[int]]:
    """Places in order, in runs of at most `first_limit`, then `next_limit` tokens, at least one place each."""
    slab, used, room = [], 0, first_limit
    for index, length in enumerate(lengths):
        if slab and used + length > room:
            yield slab
            slab, used, room = [], 0, next_limit
        slab.append(index)
        used += length
    yield slab


def kv_cache(network: Network, group: Group, cache_bytes: int) -> list[torch.Tensor]:
    """Hidden states of answers in batches of similar length that read the kept keys and values of the reference."""
    n, logits = len(group.reference_ids), [None] * len(group.answers)
    kept = _read(network, group) if n else DynamicCache()
    for places in _batches(
        [len(answer.ids) for answer in group.answers], n, cache_bytes // _bytes_per_token(network)
    ):
        rows = [row_of(group.reference_ids[:0], group.answers, [index]) for index in places]
        batch = collate(rows, network.coder.pad).to(network.device)
        own = attention(batch.segments, network.mask)
        before = (batch.segments > 0)[:, None, :, None].expand(-1, -1, -1, n)
        cache = DynamicCache(config=network.body.config)
        for index, layer in enumerate(kept.layers if n else ()):
            cache.update(
                layer.keys.expand(len(places), -1, -1, -1),
                layer.values.expand(len(places), -1, -1, -1),
                index,
            )
        hidden = network.hidden(
            batch.ids, batch.features, batch.positions + n, torch.cat([before, own], dim=3), cache=cache
        )
        for index, states, row in zip(places, hidden, rows, strict=True):
            logits[index] = states[: row.n_tokens]
    return logits


def _read(network: Network, group: Group) -> DynamicCache:
    """Keys and values of the reference."""
    row = row_of(group.reference_ids, group.answers, [])
    batch = collate([row], network.coder.pad).to(network.device)
    features = torch.zeros((*batch.shape, len(network.told)), dtype=torch.long, device=network.device)
    cache = DynamicCache(config=network.body.config)
    sees = None if network.mask == "prefix" else attention(batch.segments, network.mask)
    network.hidden(batch.ids, features, batch.positions, sees, cache=cache)
    return cache


def _bytes_per_token(network: Network) -> int:
    """Bytes of one token's keys and values in all layers."""
    config = network.body.config
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return 2 * config.num_hidden_layers * heads * size * torch.finfo(network.body.dtype).bits // 8


def _batches(lengths: Sequence[int], n_before: int, room: int) -> Iterator[list[int]]:
    """Places by falling length, in batches whose kept and padded tokens fit into `room`, with little padding."""
    batch: list[int] = []
    used = 0
    for index in sorted(range(len(lengths)), key=lambda one: (-lengths[one], one)):
        longest = lengths[batch[0]] if batch else 0
        is_full = (len(batch) + 1) * (n_before + longest) > room
        if batch and (is_full or (len(batch) + 1) * longest > _SLACK * (used + lengths[index])):
            yield batch
            batch, used = [], 0
        batch.append(index)
        used += lengths[index]
    yield batch


STRATEGIES = {"one_by_one": one_by_one, "kv_cache": kv_cache, "packed": packed}
