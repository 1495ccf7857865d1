"""What GPU hours are reckoned with on every track: operations that a network takes, and how many a GPU does.

A network of N parameters (embeddings left out) takes 2N operations per token to read.
"""

from typing import NamedTuple

from truerate.config import Backbone

READ = 2.0  # operations per parameter and token
# Operations per second that a training reaches on one H200: 8,300 tokens/s of an 8B, about half of 700
# TFLOP/s (reckoned, not measured).
REACHED = 3.57e14
SECONDS = 3_600


class GridCell(NamedTuple):
    """A detector on the grid of a board: its member, whether it is of one language, and whether it is asked
    of texts that nobody labelled.
    """

    member: str
    is_mono: bool
    is_everywhere: bool


class GpuHours(NamedTuple):
    """One network on one board: how many detectors it is, and the hours of all of them together."""

    member: str
    n_detectors: int
    train: float
    judge: float


def parameters(backbone: Backbone) -> float:
    """The parameters of a network that says its size (`resources.size_b`), 0 of one that does not."""
    return (backbone.resources.size_b or 0.0) * 1e9


def hours(backbone: Backbone, operations_per_parameter: float) -> float:
    """Return the hours of one GPU for so many operations per parameter (per token, times tokens)."""
    return operations_per_parameter * parameters(backbone) / REACHED / SECONDS
