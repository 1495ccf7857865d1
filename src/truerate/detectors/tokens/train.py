"""Teaching a network to mark tokens: the lesson that the training loop is given.

The loss is the cross-entropy over the answer tokens; no token of a reference or of padding is in it.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from truerate.config import Backbone
from truerate.detectors.tokens.groups import Group
from truerate.detectors.tokens.masks import Row, collate, rows_of
from truerate.detectors.tokens.network import Network
from truerate.detectors.tokens.validate import agreement
from truerate.detectors.training import engine
from truerate.detectors.training.batches import Rows
from truerate.detectors.training.device import half_precision
from truerate.detectors.training.engine import Lesson, Trained

LOSS_DIGITS = 3  # of the log loss: what changes less is no fall


def train(
    network: Network,
    taught: Sequence[Group],
    held_out: Sequence[Group],
    *,
    backbone: Backbone,
    seed: int,
    folder: Path,
) -> Trained:
    """Teach a network on labelled groups and measure it on others (`Agreement.facts`); `folder` holds its checkpoint."""
    lesson = token_lesson(network, rows_to_learn(taught, backbone), held_out, backbone)
    return engine.train(network, lesson, backbone, seed=seed, folder=folder)


def token_lesson(network: Network, rows: Rows, held_out: Sequence[Group], backbone: Backbone) -> Lesson:
    """Marking tokens as a lesson: graded by the log loss of the held-out tokens (the larger the better: its
    negative), which needs no threshold.
    """

    def grade() -> float | None:
        loss = agreement(network, held_out, backbone).loss
        return None if loss is None else -round(loss, LOSS_DIGITS)

    return Lesson(
        rows,
        loss=lambda part: token_loss(network, part),
        grade=grade,
        facts=lambda: {"validation": agreement(network, held_out, backbone).facts()},
    )


def token_loss(network: Network, rows: Sequence[Row]) -> torch.Tensor:
    """The summed cross-entropy over the labelled tokens of rows, a scalar."""
    batch = collate(rows, network.coder.pad).to(network.device)
    chosen = batch.labels >= 0
    with half_precision(network.device):
        logits = network(batch, chosen=chosen)
    return cross_entropy(logits.float(), batch.labels[chosen], reduction="sum")


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
