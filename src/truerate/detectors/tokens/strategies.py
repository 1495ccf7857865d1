"""How the answers to one reference are scored: the same probabilities by either strategy, at different cost.

`one_by_one` reads the reference again for every answer. `packed` reads it once: its answers stand in one row
behind it and are computed block by block. With K answers of A tokens to a reference of R tokens, packing reads
R + KA tokens in place of K(R + A), and saves at least as much of the products of attention. Under the mask `full`
the reference sees the answer, so nothing can be shared.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.groups import Answer, Group, least_suspicious, over_windows
from truerate.detectors.tokens.masks import collate, row_of, side_by_side
from truerate.detectors.tokens.network import Network
from truerate.detectors.tokens.shared_attention import Blocks
from truerate.detectors.training.trainable import half_precision

STRATEGIES = ("one_by_one", "packed")
CPU_BYTES = 1_000_000_000  # that a row may take where there is no GPU
_GPU_SHARE = 4  # on one: this part of what is free
_ROW = {"cpu": 1024}  # tokens of a row that several small groups share; elsewhere _LONG_ROW
_LONG_ROW = 8192


def chosen_strategy(network: Network, n_answers: int, strategy: str = "auto") -> str:
    """Return what is run for `n_answers` to one reference: `auto` is one by one where nothing can be shared, else
    packed. Raises TruerateError for a strategy that is unknown, or that the mask does not allow.
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
    """Return the probabilities (tokens, labels) of each answer of a group, in the order of `group.answers`."""
    return [
        torch.softmax(logits, dim=-1).numpy() for logits in logits_of(network, group, strategy, cache_bytes)
    ]


def logits_of(
    network: Network, group: Group, strategy: str = "auto", cache_bytes: int | None = None
) -> list[torch.Tensor]:
    """Return the logits (tokens, labels) of each answer of a group, in the order of `group.answers`, on the CPU.

    `cache_bytes` bounds what a row of `packed` takes (None: 1 GB, on a GPU a quarter of its free memory); one answer
    is always scored. On a GPU all but the head computes in bf16, as in training.
    """
    if not group.answers:
        return []
    with _scoring(network):
        if chosen_strategy(network, len(group.answers), strategy) == "packed":
            rows = [[piece] for piece in _packed(network, group, cache_bytes)]
        else:
            rows = [[_alone(network, group, index)] for index in range(len(group.answers))]
        return [network.logits(states).float().cpu() for row in rows for states in _hidden(network, row)]


def room_on(device: torch.device) -> int:
    """Return the bytes that scoring may take beside the weights where params.yaml does not set them."""
    return CPU_BYTES if device.type != "cuda" else torch.cuda.mem_get_info(device)[0] // _GPU_SHARE


def score_groups(
    network: Network,
    groups: Iterable[Group],
    strategy: str = "auto",
    cache_bytes: int | None = None,
    *,
    is_shared: bool = False,
) -> Iterator[tuple[Group, list[np.ndarray]]]:
    """Yield groups with the probabilities of their answers, one group at a time: memory does not grow with their
    number.

    With `is_shared` small groups that come one after the other share a row (strategy `auto`): several are
    taken before the first is given. Measured on the default's network and one CPU core: a row of 100 tokens
    is read at 0.6 of the tokens per second of a long one, of 200 at 0.85, of 300 at 0.95; between 500 and
    8,000 nothing changes.
    """
    is_shared = is_shared and strategy == "auto"
    for run in _runs(network, groups, cache_bytes) if is_shared else ([group] for group in groups):
        if len(run) == 1:
            yield run[0], score_group(network, run[0], strategy, cache_bytes)
        else:
            yield from zip(run, _together(network, run), strict=True)


def scored_answers(
    network: Network, groups: Iterable[Group], backbone: Backbone
) -> Iterator[tuple[Answer, np.ndarray]]:
    """Yield each text or chunk of groups with its probabilities (tokens, labels); those by several windows of a
    reference are combined into one.
    """
    scored = score_groups(network, groups, backbone.strategy, backbone.cache_bytes, is_shared=True)
    parts = (pair for group, p in scored for pair in zip(group.answers, p, strict=True))
    return over_windows(parts, least_suspicious)


# ---- rows --------------------------------------------------------------------------------------------------
class Piece(NamedTuple):
    """What a row holds of one group: the reference and the answers at `places`."""

    group: Group
    places: Sequence[int]
    blocks: Blocks


def _runs(network: Network, groups: Iterable[Group], cache_bytes: int | None) -> Iterator[list[Group]]:
    """Groups in order, in lists that fit into a row; a larger one is a list by itself."""
    room = min(_room(network, cache_bytes), _ROW.get(network.device.type, _LONG_ROW))
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
        hidden = _hidden(network, [piece for group in groups for piece in _pieces(network, group)])
        scored = (torch.softmax(network.logits(states).float(), dim=-1).cpu().numpy() for states in hidden)
        return [[next(scored) for _ in group.answers] for group in groups]


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


def _pieces(network: Network, group: Group) -> list[Piece]:
    """A whole group for one row; under the mask `full` each answer brings its own copy of the reference."""
    if network.mask == "full":
        return [_alone(network, group, index) for index in range(len(group.answers))]
    return [_behind_reference(network, group, range(len(group.answers)))]


def _packed(network: Network, group: Group, cache_bytes: int | None) -> Iterator[Piece]:
    """A group in as few rows as the byte budget allows, each with the reference and at least one answer."""
    room, places, used = _room(network, cache_bytes), [], len(group.reference_ids)
    for index, answer in enumerate(group.answers):
        if places and used + len(answer.ids) > room:
            yield _behind_reference(network, group, places)
            places, used = [], len(group.reference_ids)
        places.append(index)
        used += len(answer.ids)
    yield _behind_reference(network, group, places)


def _behind_reference(network: Network, group: Group, places: Sequence[int]) -> Piece:
    lengths = tuple(len(group.answers[index].ids) for index in places)
    return Piece(group, places, Blocks(len(group.reference_ids), lengths, network.mask, network.reach))


def _alone(network: Network, group: Group, index: int) -> Piece:
    """One answer behind its reference; under the mask `full` both are one block."""
    if network.mask != "full":
        return _behind_reference(network, group, [index])
    n = len(group.reference_ids) + len(group.answers[index].ids)
    return Piece(group, [index], Blocks(n, (), network.mask, network.reach))


def _hidden(network: Network, pieces: Sequence[Piece]) -> list[torch.Tensor]:
    """Hidden states of the answers of each piece in turn, in one row that holds the pieces side by side."""
    row = side_by_side([row_of(group.reference_ids, group.answers, places) for group, places, _ in pieces])
    batch = collate([row], network.coder.pad).to(network.device)
    blocks = [piece.blocks for piece in pieces]
    hidden = network.hidden(batch.ids, batch.features, batch.positions, None, blocks=blocks)[0]
    sizes = [
        [len(group.reference_ids), *(len(group.answers[index].ids) for index in places)]
        for group, places, _ in pieces
    ]
    parts = iter(hidden.split([size for piece in sizes for size in piece]))
    return [part for piece in sizes for part in list(islice(parts, len(piece)))[1:]]


def _room(network: Network, cache_bytes: int | None) -> int:
    """Tokens of a row that the byte budget allows, by what is alive at a time in a layer; generously."""
    room = room_on(network.device) if cache_bytes is None else cache_bytes
    return int(room // (network.body.config.hidden_size * 64))
