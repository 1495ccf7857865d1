"""Whether labels are spread over answers as a draw would spread them."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from truerate.metrics.estimators.sample import Cell

BY_CHANCE = 0.001  # below it labels were not drawn alike from the values of a field
MOST_PARTS, LEAST_OF_PART = 10, 5  # of a file by length or order, and labels for each
ROWS, LENGTHS = "the order of the rows", "the length of answers"


def uneven_fields(
    cell: Cell,
    fields: Mapping[str, np.ndarray],
    *,
    lengths: np.ndarray,
    within: np.ndarray,
    is_by_group: bool,
) -> list[str]:
    """The fields over whose values labels are not spread as by chance (`is_uneven`); the number of the value of each
    answer, (answers,), by field. Where there is none, LENGTHS or ROWS, if parts of the answers by these are labelled
    unlike `within` the same number, (answers,): short ones, or the first of a file, are no draw. None where labels have
    weights, which say how they were drawn.
    """
    if cell.weight is not None or not cell.k:
        return []
    labelled, clusters = cell.is_labelled, cell.clusters if is_by_group else None
    uneven = [name for name, numbers in fields.items() if is_uneven(*_drawn(numbers, labelled, clusters))]
    if uneven:
        return uneven
    insides = [np.flatnonzero(within == number) for number in range(int(within.max()) + 1)]
    return [
        name
        for name, values in ((LENGTHS, lengths), (ROWS, np.arange(cell.n, dtype=np.int32)))
        if values.any()  # lengths of texts that were read
        and any(
            is_uneven(
                *_drawn(
                    _parts(values[rows], int(labelled[rows].sum())),
                    labelled[rows],
                    None if clusters is None else clusters[rows],
                )
            )
            for rows in insides
        )
    ]


def _parts(values: np.ndarray, k: int) -> np.ndarray:
    """The number of the part of values, (answers,): parts of equal numbers, LEAST_OF_PART of `k` labels each."""
    n_parts = max(2, min(MOST_PARTS, k // LEAST_OF_PART))
    return np.searchsorted(np.quantile(values, np.arange(1, n_parts) / n_parts), values)


def _drawn(
    numbers: np.ndarray, labelled: np.ndarray, clusters: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return what was drawn to be labelled, by the values of a field, and whether it was: answers, or where
    labels were given group by group (`clusters`, else None) the answers of a group that have one value.
    """
    if clusters is None:
        return numbers, labelled
    pairs, row = np.unique(np.stack([numbers, clusters], axis=1), axis=0, return_inverse=True)
    return pairs[:, 0], np.bincount(row.ravel(), labelled) > 0


def is_uneven(group: np.ndarray, labelled: np.ndarray) -> bool:
    """Return whether the labelled share differs between the values of a field by more than chance lets it in
    one of a thousand files: Pearson's chi-squared test of independence. Never where all or none is labelled.
    """
    from scipy.special import chdtrc

    if labelled.all() or not labelled.any():
        return False
    n, share = np.bincount(group), np.mean(labelled)
    k = np.bincount(group, weights=labelled.astype(float))[n > 0]
    n = n[n > 0]
    statistic = ((k - n * share) ** 2 / (n * share * (1 - share))).sum()
    return len(n) > 1 and bool(chdtrc(len(n) - 1, statistic) < BY_CHANCE)


def picked_by_verdict(frame: pl.DataFrame) -> list[str]:
    """A line where answers that are flagged were labelled in another share than those that are not, by more than chance
    explains; none where labels have weights.
    """
    is_judged = pl.col("verdict").is_not_null()
    judged = frame.select("verdict", is_labelled=pl.col("label").is_not_null()).filter(is_judged)
    flagged, labelled = (judged[name].to_numpy() for name in judged.columns)
    has_weights = frame.select((is_judged & pl.col("weight").is_not_null()).any()).item()
    if has_weights or not is_uneven(flagged.astype(int), labelled):
        return []
    shares = [f"{labelled[flagged == side].mean():.0%}" for side in (True, False)]
    return [
        f"labelled are {shares[0]} of the flagged answers and {shares[1]} of the others: each kind counts by its number; "
        "within it labels must be drawn by chance, not picked"
    ]
