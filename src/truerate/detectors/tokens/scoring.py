"""Logits of answers, by one path: rows of references with their answers, computed block by block.

Strategy `one_by_one` reads the reference again for every answer; `packed` reads it once, its answers behind
it. With K answers of A tokens to a reference of R tokens, packing reads R + KA tokens in place of K(R + A),
and saves at least as much of the products of attention. Under the mask `full` the reference sees the answer,
so nothing can be shared.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
import torch

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.groups import Answer, Group, in_room
from truerate.detectors.tokens.network import Network
from truerate.detectors.tokens.rows import Blocks, Row, row_of, side_by_side
from truerate.detectors.training.trainable import half_precision

STRATEGIES = ("one_by_one", "packed")
CPU_BYTES = 1_000_000_000  # that a row may take where there is no GPU
GPU_SHARE = 4  # on one: this part of what is free
# Tokens of a row that several small groups share. On one CPU core a row of 100 tokens is read at 0.6 of the
# tokens per second of a long one, of 200 at 0.85, of 300 at 0.95; between 500 and 8,000 nothing changes.
ROW, LONG_ROW = {"cpu": 1024}, 8192

T = TypeVar("T")


class Part(NamedTuple):
    """Answers of one group that are read together behind their reference."""

    answers: Sequence[Answer]
    row: Row
    blocks: Blocks


def chosen_strategy(network: Network, n_answers: int, strategy: str = "auto") -> str:
    """Return what is run for `n_answers` to one reference: `auto` is one by one where nothing can be shared,
    else packed. Raises TruerateError for a strategy that is unknown, or that the mask does not allow.
    """
    if strategy != "auto" and strategy not in STRATEGIES:
        raise TruerateError(f"scoring strategy {strategy!r}: allowed are auto, {', '.join(STRATEGIES)}")
    network.check_strategy(strategy)
    if strategy == "auto":
        return "one_by_one" if network.mask == "full" or n_answers == 1 else "packed"
    return strategy


def logits_of(
    network: Network, groups: Iterable[Group], strategy: str = "auto", cache_bytes: int | None = None
) -> Iterator[tuple[Answer, torch.Tensor]]:
    """Yield each answer of groups, in order, with its logits (tokens, labels) on the CPU. Memory does not
    grow with the groups; small ones share a row. `cache_bytes` bounds what a row takes (None: 1 GB, on a GPU
    a quarter of its free memory); one answer is always scored. On a GPU all but the head computes in bf16, as
    in training.
    """
    room = _room(network, cache_bytes)
    limit = min(room, ROW.get(network.device.type, LONG_ROW))
    parts = (part for group in groups for part in _parts(network, group, strategy, room))
    for row in in_room(parts, limit, lambda part: part.row.n_tokens):  # a longer part stands alone
        with _inference(network):
            logits = _logits(network, row)
        yield from zip((answer for part in row for answer in part.answers), logits, strict=True)


def answer_logits(
    network: Network, groups: Iterable[Group], backbone: Backbone
) -> Iterator[tuple[Answer, torch.Tensor]]:
    """Yield each text or chunk once with its logits, those by several windows combined."""
    return over_windows(logits_of(network, groups, backbone.strategy, backbone.cache_bytes), least_suspicious)


def scored_answers(
    network: Network, groups: Iterable[Group], backbone: Backbone
) -> Iterator[tuple[Answer, np.ndarray]]:
    """Yield each text or chunk of groups once with its probabilities (tokens, labels)."""
    for answer, logits in answer_logits(network, groups, backbone):
        yield answer, torch.softmax(logits, dim=-1).numpy()


# ---- windows of a reference --------------------------------------------------------------------------------
def over_windows(
    parts: Iterable[tuple[Answer, T]], combine: Callable[[Sequence[T]], T]
) -> Iterator[tuple[Answer, T]]:
    """Yield each text or chunk once, its readings beside several windows combined after the last of them."""
    waiting: dict[tuple[str, int], list[T]] = {}
    for answer, reading in parts:
        readings = waiting.setdefault((answer.target_id, answer.chunk), [])
        readings.append(reading)
        if len(readings) == answer.n_read:
            del waiting[answer.target_id, answer.chunk]
            yield answer, reading if answer.n_read == 1 else combine(readings)


def least_suspicious(readings: Sequence[torch.Tensor]) -> torch.Tensor:
    """The logits (tokens, labels) of each token by the window that gives the first label, none, most."""
    logits = torch.stack(list(readings))
    window = torch.softmax(logits, dim=-1)[:, :, 0].argmax(dim=0)
    return logits[window, torch.arange(logits.shape[1])]


# ---- rows --------------------------------------------------------------------------------------------------
@contextmanager
def _inference(network: Network) -> Iterator[None]:
    """Without gradients and dropout, in bf16 on a GPU; the network's mode is restored."""
    was_training = network.training
    if was_training:  # setting it anew in every module costs more than a layer
        network.eval()
    try:
        with torch.inference_mode(), half_precision(network.device):
            yield
    finally:
        if was_training:
            network.train()


def _room(network: Network, cache_bytes: int | None) -> int:
    """Tokens of a row that the byte budget allows, by what is alive at a time in a layer; generously."""
    device = network.device
    if cache_bytes is None:
        is_gpu = device.type == "cuda"
        cache_bytes = torch.cuda.mem_get_info(device)[0] // GPU_SHARE if is_gpu else CPU_BYTES
    return int(cache_bytes // (network.body.config.hidden_size * 64))


def _parts(network: Network, group: Group, strategy: str, room: int) -> Iterator[Part]:
    """A group in as few parts as strategy and room allow, each with the reference and at least one answer."""
    if not group.answers:
        return
    is_packed = chosen_strategy(network, len(group.answers), strategy) == "packed"
    left, most = room - len(group.reference_ids), None if is_packed else 1
    for answers in in_room(group.answers, left, lambda answer: len(answer.ids), most=most):
        row, n = row_of(group.reference_ids, answers), len(group.reference_ids)
        # under the mask `full` it is one answer, and both are one block
        n, lengths = (row.n_tokens, ()) if network.mask == "full" else (n, row.lengths)
        yield Part(answers, row, Blocks(n, lengths, network.mask, network.reach))


def _logits(network: Network, row: Sequence[Part]) -> list[torch.Tensor]:
    """The logits of each answer of a row of parts, in order."""
    batch = side_by_side([part.row for part in row]).to(network.device)
    blocks = [part.blocks for part in row]
    hidden = network.hidden(batch.ids, batch.features, batch.positions, None, blocks=blocks)[0]
    sizes = [(part.row.n_tokens - sum(part.row.lengths), *part.row.lengths) for part in row]
    parts = iter(network.logits(hidden).float().cpu().split([n for part in sizes for n in part]))
    return [logits for n_segments in map(len, sizes) for logits in list(islice(parts, n_segments))[1:]]
