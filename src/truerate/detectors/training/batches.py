"""The order in which rows are learned from: length buckets, so that little of a batch is padding.

Rows are ordered by a draw from seed, epoch and their own content; every SHARD batches of them are sorted by
length, cut into batches of `batch` answers, and the batches are ordered by another draw. A batch is cut into
parts whose padded size keeps the token budget. The plan of an epoch depends on nothing else, so a run that
was killed finds its place again by the number of steps it has made.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from truerate.config import Backbone
from truerate.core.keys import draw

SHARD = 50  # batches whose rows are sorted by length together
Part = list[int]  # places of rows that make one padded tensor
Step = list[Part]  # parts whose gradients are summed before the weights move


class Row(Protocol):
    """Something to learn from, as one line of a tensor; a batch has `batch` answers."""

    @property
    def answers(self) -> Sequence[int]:
        """The answers that it holds."""
        ...

    @property
    def n_tokens(self) -> int:
        """Its length."""
        ...

    @property
    def n_targets(self) -> int:
        """How many of its tokens are learned."""
        ...


class Rows(NamedTuple):
    """Rows to learn from and their names, which decide their order."""

    rows: Sequence[Any]  # each a Row
    names: list[str]


def steps_of(rows: Rows, backbone: Backbone, seed: int, epoch: int) -> list[Step]:
    """The steps of an epoch: `accumulation` batches of `batch` answers in parts within the token budget."""
    drawn = sorted(range(len(rows.rows)), key=lambda i: draw("row", seed, epoch, rows.names[i]))
    shards = [
        sorted(shard, key=lambda i: rows.rows[i].n_tokens)
        for shard in cut(drawn, rows, SHARD * backbone.batch)
    ]
    batches = [batch for shard in shards for batch in cut(shard, rows, backbone.batch)]
    batches.sort(key=lambda batch: draw("batch", seed, epoch, rows.names[batch[0]]))
    groups = [batches[i : i + backbone.accumulation] for i in range(0, len(batches), backbone.accumulation)]
    return [
        [part for batch in group for part in parts(batch, rows, backbone.token_budget)] for group in groups
    ]


def cut(indices: Sequence[int], rows: Rows, n_answers: int) -> list[list[int]]:
    """Consecutive rows in lists of at least `n_answers` answers (the last may hold fewer)."""
    lists: list[list[int]] = []
    room = 0
    for index in indices:
        if room <= 0:
            lists.append([])
            room = n_answers
        lists[-1].append(index)
        room -= len(rows.rows[index].answers)
    return lists


def parts(batch: Sequence[int], rows: Rows, token_budget: int) -> list[Part]:
    """A batch in parts of at most `token_budget` tokens with padding; a longer row is a part by itself."""
    places = within([rows.rows[i].n_tokens for i in batch], token_budget)
    return [[batch[index] for index in part] for part in places]


def within(lengths: Sequence[int], token_budget: int) -> list[Part]:
    """Rows by length, shortest first, in parts of at most `token_budget` padded tokens (or one row)."""
    split: list[Part] = []
    for index in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if not split or lengths[index] * (len(split[-1]) + 1) > token_budget:
            split.append([])
        split[-1].append(index)
    return split


def padding_waste(steps: Sequence[Step], rows: Rows) -> float | None:
    """Share of the tensors' places that hold padding; None over no step."""
    lengths = [[rows.rows[i].n_tokens for i in part] for step in steps for part in step]
    places = sum(max(part) * len(part) for part in lengths)
    return 1 - sum(map(sum, lengths)) / places if places else None
