"""What all pictures share: values on an axis, a frame with ticks, and labels that do not overlap."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerate.core.metric import ABSENT

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # between ticks of shares
N_TICKS = 5  # at most, beside the one at zero
Ticks = Iterable[tuple[float, str]]  # values with their words


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` on positions from `start` to `end`, in units of the picture."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The position of a value; one beyond the axis stands at its end."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + min(max(share, 0.0), 1.0) * (self.end - self.start), 1)

    def ends(self, low: float | None, high: float | None) -> tuple[float, float] | None:
        """The positions of both ends of an interval; None where one is missing."""
        return None if low is None or high is None else (self.at(low), self.at(high))


def frame(size: tuple[float, float], across: Axis, up: Axis, *, across_ticks: Ticks, up_ticks: Ticks) -> dict:
    """The frame of a picture of two axes as the macro `figure` draws it: its size, its corners, its ticks."""
    return {
        "size": size,
        "frame": (across.start, up.end, across.end - across.start, up.start - up.end),
        "across": [(across.at(value), text) for value, text in across_ticks],
        "up": [(up.at(value), text) for value, text in up_ticks],
    }


def in_percent(shares: Iterable[float]) -> list[tuple[float, str]]:
    """Ticks at these shares, in per cent without the sign."""
    return [(share, f"{100 * share:g}") for share in shares]


def ticks(high: float) -> list[float]:
    """Round shares from 0 to the first that is no smaller than `high`, at most six."""
    step = next((step for step in STEPS if high <= step * N_TICKS + 1e-9), STEPS[-1])
    n = max(1, -(-(high - 1e-9) // step))
    return [round(k * step, 4) for k in range(int(n) + 1)]


def apart(points: Sequence[tuple[float, float]], *, width: float, height: float) -> list[float]:
    """Return the y of each label at (x, y) below every label before it that it would overlap."""
    heights = [y for _, y in points]
    labels: list[tuple[float, float]] = []
    for k in sorted(range(len(points)), key=lambda k: (points[k][1], points[k][0])):
        x, y = points[k]
        for other_x, other_y in sorted(labels, key=lambda other: other[1]):
            if abs(x - other_x) < width and abs(y - other_y) < height:
                y = other_y + height
        labels.append((x, y))
        heights[k] = round(y, 1)
    return heights


def numbered(subjects: Iterable[tuple[str, str]]) -> dict[str, int]:
    """A number from 1 for each subject, given with its kind: models first, all by name."""
    order = sorted({(kind != "model", name) for name, kind in subjects})
    return {name: number for number, (_, name) in enumerate(order, 1)}


def percent(share: float | None) -> str:
    """A share in per cent with its sign, as pictures are described in words."""
    return ABSENT if share is None else f"{100 * share:.1f} %"


def shortened(name: str, most: int) -> str:
    """A name in `most` characters: without the organisation that stands before a slash, then cut."""
    last = name.rsplit("/", 1)[-1] if len(name) > most else name
    return last if len(last) <= most else f"{last[: most - 1]}…"
