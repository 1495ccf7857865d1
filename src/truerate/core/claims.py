"""What printed figures must be of one another, so that a paper can be held against itself: records that a
track states of its published.csv, and the ledger checks.
"""

from dataclasses import dataclass
from typing import NamedTuple


class Cell(NamedTuple):
    """A printed figure of each model: the table, metric and slice under which published.csv has it."""

    table: str
    metric: str
    slice: str


class Weighted(NamedTuple):
    """A printed figure and how often it counts in a mixture."""

    weight: float
    cell: Cell


@dataclass(frozen=True)
class Mixture:
    """A printed figure that is a weighted sum of others, of each model that has them all.

    `is_`: the sum in words (`mean of both orders`). `tolerance`: the largest gap that rounding allows, in
    units of the figure. `beside`: a metric whose figure, where the same table has it for a model and slice,
    is named with a gap, since it may explain it.
    """

    source: str
    of: Cell
    parts: tuple[Weighted, ...]
    is_: str
    tolerance: float
    beside: str = ""


@dataclass(frozen=True)
class Counted:
    """Printed percents that are whole numbers of `n` texts: `cell`'s, of each model."""

    source: str
    cell: Cell
    n: int
    tolerance: float


@dataclass(frozen=True)
class HiddenSet:
    """A labelled set whose labels are hidden: `n` texts, `positives` of them hallucinated as the printed
    figures let one infer; its figures stand under `table` and `slice`.
    """

    n: int
    positives: int
    table: str
    slice: str


class Whole(NamedTuple):
    """Where the figures of all parts taken together stand."""

    table: str
    slice: str


@dataclass(frozen=True)
class Matrices:
    """Printed scores of verdicts on hidden labels, of each model: on each part, and on all parts together.

    They are consistent where a confusion matrix of whole numbers on each part gives its figures, and the sum
    of these matrices those of the whole, all within `tolerance` (percentage points).
    """

    source: str
    parts: tuple[HiddenSet, ...]
    whole: Whole
    tolerance: float


Claim = Mixture | Counted | Matrices
