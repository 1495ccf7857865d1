"""The order in which rows are learned from: length buckets, so that little of a batch is padding.

Rows are ordered by a draw from seed, epoch and their own content; every SHARD batches of them are sorted by
length, cut into batches of `batch` answers, and the batches are ordered by another draw. A batch is cut into
parts whose padded size keeps the token budget. The plan of an epoch depends on nothing else, so a run that
was killed finds its place again by the number of steps it has made.
"""

from collections.abc import Sequence
from typing import NamedTuple

from truerate.config import Backbone
from truerate.core.keys import draw
from truerate.detectors.tokens.encode import Group
from truerate.detectors.tokens.masks import Row, rows_of

SHARD = 50  # batches whose rows are sorted by length together
Part = list[int]  # places of rows that make one padded tensor
Step = list[Part]  # parts whose gradients are summed before the weights move


class Rows(NamedTuple):
    """Rows to learn from and their names, which decide their order."""

    rows: list[Row]
    names: list[str]


def rows_to_learn(groups: Sequence[Group], backbone: Backbone) -> Rows:
    """The rows of labelled groups under a backbone's mask: several answers of one reference share a row where
    the mask lets them.
    """
    rows, names = [], []
    for group in groups:
        for row in rows_of(group, backbone.mask, max_tokens=max(backbone.token_budget, backbone.max_tokens)):
            first = group.answers[row.answers[0]]
            rows.append(row)
            names.append(f"{first.target_id} {first.chunk} {len(row.answers)}")
    return Rows(rows, names)


def steps_of(known: Rows, backbone: Backbone, seed: int, epoch: int) -> list[Step]:
    """The steps of one epoch: each holds `accumulation` batches of `batch` answers, cut into parts that keep
    the token budget.
    """
    drawn = sorted(range(len(known.rows)), key=lambda i: draw("row", seed, epoch, known.names[i]))
    shards = [
        sorted(shard, key=lambda i: known.rows[i].n_tokens)
        for shard in cut(drawn, known, SHARD * backbone.batch)
    ]
    batches = [batch for shard in shards for batch in cut(shard, known, backbone.batch)]
    batches.sort(key=lambda batch: draw("batch", seed, epoch, known.names[batch[0]]))
    groups = [batches[i : i + backbone.accumulation] for i in range(0, len(batches), backbone.accumulation)]
    return [
        [part for batch in group for part in parts(batch, known, backbone.token_budget)] for group in groups
    ]


def cut(places: Sequence[int], known: Rows, n_answers: int) -> list[list[int]]:
    """Consecutive rows in lists of at least `n_answers` answers (the last may hold fewer)."""
    lists: list[list[int]] = []
    room = 0
    for place in places:
        if room <= 0:
            lists.append([])
            room = n_answers
        lists[-1].append(place)
        room -= len(known.rows[place].answers)
    return lists


def parts(batch: Sequence[int], known: Rows, token_budget: int) -> list[Part]:
    """A batch in parts of at most `token_budget` tokens with padding; a longer row is a part by itself."""
    found: list[Part] = []
    for place in sorted(batch, key=lambda i: known.rows[i].n_tokens):
        if not found or known.rows[place].n_tokens * (len(found[-1]) + 1) > token_budget:
            found.append([])
        found[-1].append(place)
    return found


def padding_waste(steps: Sequence[Step], known: Rows) -> float | None:
    """Share of the tensors' places that hold padding; None over no step."""
    lengths = [[known.rows[i].n_tokens for i in part] for step in steps for part in step]
    places = sum(max(part) * len(part) for part in lengths)
    return 1 - sum(map(sum, lengths)) / places if places else None
