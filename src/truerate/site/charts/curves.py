"""What a detector's probabilities are worth: its bins of p, and what another threshold would give."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bin:
    """Texts whose p lies in [low, high): n, mean p, share hallucinated with interval; None without one."""

    low: float
    high: float
    n: int
    mean_p: float | None
    rate: float | None
    rate_low: float | None
    rate_high: float | None


@dataclass(frozen=True)
class Cut:
    """What a threshold gives: `n_flagged` texts have a p of `cut` or more."""

    cut: float
    n_flagged: int
    precision: float | None
    recall: float | None


@dataclass(frozen=True)
class Curve:
    """The bins and thresholds of one detector on one slice of a board (`where`: sorted key–value pairs)."""

    board: str
    subject: str
    where: tuple[tuple[str, str], ...]
    bins: Sequence[Bin]
    cuts: Sequence[Cut]

    @property
    def n(self) -> int:
        """How many texts have a p."""
        return sum(each.n for each in self.bins)
