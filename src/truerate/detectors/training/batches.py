"""The order in which rows are learned from: length buckets, so that little of a batch is padding.

Rows are ordered by a draw from seed, epoch and their names; every SHARD batches of them are sorted by length,
cut into batches of `batch` answers, and the batches are ordered by another draw. A batch is cut into parts
whose padded size keeps the token budget. The plan of an epoch depends on nothing else, so a run that was
killed finds its place again by the number of steps it has done.
"""

from collections.abc import Sequence
from typing import Protocol

from truerate.config import Backbone
from truerate.core.keys import draw

SHARD = 50  # batches whose rows are sorted by length together
Part = list[int]  # places of rows that make one padded tensor
Step = list[Part]  # parts whose gradients are summed before the weights move


class Row(Protocol):
    """A line of a tensor: its name, which decides its order, answers, tokens, learned tokens."""

    @property
    def name(self) -> str: ...
    @property
    def n_answers(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_targets(self) -> int: ...


def steps_of(rows: Sequence[Row], backbone: Backbone, seed: int, epoch: int) -> list[Step]:
    """The steps of an epoch: `accumulation` batches of `batch` answers in parts within the token budget."""
    order = sorted(range(len(rows)), key=lambda i: draw("row", seed, epoch, rows[i].name))
    shards = _cut(order, rows, SHARD * backbone.batch)
    batches = [
        batch
        for shard in shards
        for batch in _cut(sorted(shard, key=lambda i: rows[i].n_tokens), rows, backbone.batch)
    ]
    batches.sort(key=lambda batch: draw("batch", seed, epoch, rows[batch[0]].name))
    parts = [
        [
            [batch[i] for i in part]
            for part in within([rows[i].n_tokens for i in batch], backbone.token_budget)
        ]
        for batch in batches
    ]
    n = backbone.accumulation
    return [[part for batch in parts[i : i + n] for part in batch] for i in range(0, len(parts), n)]


def _cut(indices: Sequence[int], rows: Sequence[Row], n_answers: int) -> list[list[int]]:
    """Consecutive rows in lists of at least `n_answers` answers (the last may hold fewer)."""
    lists: list[list[int]] = []
    room = 0
    for index in indices:
        if room <= 0:
            lists.append([])
            room = n_answers
        lists[-1].append(index)
        room -= rows[index].n_answers
    return lists


def within(lengths: Sequence[int], token_budget: int) -> list[Part]:
    """Rows by length, shortest first, in parts of at most `token_budget` padded tokens (or one row)."""
    split: list[Part] = []
    for index in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if not split or lengths[index] * (len(split[-1]) + 1) > token_budget:
            split.append([])
        split[-1].append(index)
    return split


def padding_waste(steps: Sequence[Step], rows: Sequence[Row]) -> float | None:
    """Share of the tensors' places that hold padding; None over no step."""
    lengths = [[rows[i].n_tokens for i in part] for step in steps for part in step]
    places = sum(max(part) * len(part) for part in lengths)
    return 1 - sum(map(sum, lengths)) / places if places else None
