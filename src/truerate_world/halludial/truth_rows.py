"""Rows of planted scores before their board is named."""

from collections.abc import Mapping, Sequence

from truerate.core.schemas import pairs

DIGITS = 6


def mean_row(metric: str, subject: str, where: Mapping[str, str | None], values: Sequence[float]) -> dict:
    """The mean of values, of which there is at least one."""
    return named_row(metric, subject, where, sum(values) / len(values), len(values))


def named_row(metric: str, subject: str, where: Mapping[str, str | None], value: float, n: int) -> dict:
    """A value over `n` units; a place of a slice that is None is left out."""
    return {
        "metric": metric,
        "subject": subject,
        "slice": pairs(**where),
        "value": round(float(value), DIGITS),
        "n": n,
    }
