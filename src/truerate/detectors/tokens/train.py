"""Teaching a network to mark tokens: the lesson that the training loop is given.

The loss is the cross-entropy over the answer tokens; no token of a reference or of padding is in it.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from truerate.config import Backbone
from truerate.detectors.tokens.groups import Group
from truerate.detectors.tokens.masks import Row, collate, rows_of
from truerate.detectors.tokens.network import Network
from truerate.detectors.tokens.packed_rows import PackedRow, PackedRows
from truerate.detectors.tokens.validate import agreement
from truerate.detectors.training import engine
from truerate.detectors.training.batches import Rows
from truerate.detectors.training.device import half_precision
from truerate.detectors.training.engine import Lesson, Trained

LOSS_DIGITS = 3  # of the log loss: what changes less is no fall


def train(
    network: Network,
    taught: Iterable[Group],
    held_out: Iterable[Group],
    *,
    backbone: Backbone,
    seed: int,
    folder: Path,
    graded: Iterable[Group] | None = None,
) -> Trained:
    """Teach a network on labelled groups, which are taken once, and measure it on others (`Agreement.facts`), which are
    taken again and again; `folder` holds its rows and its checkpoint.

    `graded`: the held-out texts as they are looked at while it learns, where that is not as they are judged: beside
    one window of a long reference.
    """
    rows = rows_to_learn(taught, backbone, folder)
    lesson = token_lesson(network, rows, held_out, backbone, graded)
    return engine.train(network, lesson, backbone, seed=seed, folder=folder)


def token_lesson(
    network: Network,
    rows: Rows,
    held_out: Iterable[Group],
    backbone: Backbone,
    graded: Iterable[Group] | None = None,
) -> Lesson:
    """Marking tokens as a lesson: graded by the log loss of held-out tokens (the larger the better: its negative),
    which needs no threshold; the facts are of the held-out texts as they are judged.
    """
    looked_at = held_out if graded is None else graded

    def grade() -> float | None:
        loss = agreement(network, looked_at, backbone).loss
        return None if loss is None else -round(loss, LOSS_DIGITS)

    return Lesson(
        rows,
        loss=lambda part: token_loss(network, part),
        grade=grade,
        facts=lambda: {"validation": agreement(network, held_out, backbone).facts()},
    )


def token_loss(network: Network, rows: Sequence[PackedRow]) -> torch.Tensor:
    """The summed cross-entropy over the labelled tokens of rows, a scalar."""
    batch = collate([row.whole for row in rows], network.coder.pad).to(network.device)
    chosen = batch.labels >= 0
    with half_precision(network.device):
        logits = network(batch, chosen=chosen)
    return cross_entropy(logits.float(), batch.labels[chosen], reduction="sum")


def rows_to_learn(groups: Iterable[Group], backbone: Backbone, folder: Path | None = None) -> Rows:
    """The rows of labelled groups under a backbone's mask, in a file of the folder: several answers of one reference
    share a row where the mask lets them. Groups are taken one after the other, and none is kept.
    """
    names: list[str] = []

    def named() -> Iterator[Row]:
        for group in groups:
            for row in rows_of(
                group, backbone.mask, max_tokens=max(backbone.token_budget, backbone.max_tokens)
            ):
                first = group.answers[row.answers[0]]
                names.append(f"{first.target_id} {first.chunk} {len(row.answers)}")
                yield row

    return Rows(PackedRows(named(), folder), names)
