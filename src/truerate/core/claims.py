"""What printed figures must be of one another, so that a paper can be held against itself: records that a
track states of its published.csv, and the ledger checks.
"""

from collections.abc import Mapping
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
    """A printed figure that is a weighted sum of others. `is_`: the sum in words; `tolerance`: the largest
    rounding gap; `beside`: a metric that is named with a gap, as it may explain it.
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
    """A set with hidden labels: `n` texts, `positives` inferred to be hallucinated; figures under `table`,
    `slice`.
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
    """Printed scores of each model on hidden labels, by part and over all: consistent if whole-number
    confusion matrices give them within `tolerance` (percentage points).
    """

    source: str
    parts: tuple[HiddenSet, ...]
    whole: Whole
    tolerance: float


@dataclass(frozen=True)
class FileCounts:
    """Printed figures that are counts of public files: of `source` and `table`, by metric, how the names of the
    counts begin that a card of a source of `reader` has by language (`n_articles` of `n_articles_de`). `rows`: the
    same of what they are counted in; `n_langs`: over how many languages a figure of all of them is; `note`: what
    else speaks for a gap.
    """

    source: str
    reader: str
    table: str
    by: Mapping[str, str]
    rows: str
    n_langs: int
    note: str = ""


Claim = Mixture | Counted | Matrices
