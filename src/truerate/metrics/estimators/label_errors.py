"""What one person's label is worth beside the vote of several, from texts that several people labelled.

Where most replies of a cell are labelled, chance no longer hides what people overlook: an interval that counts
labels as true covers less the more labels there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truerate.metrics.intervals import cluster_sums


@dataclass(frozen=True)
class LabelError:
    """`ratio`: hallucinated things by the vote per thing that one person marks, by which counts of one person are
    multiplied; `relative_variance`: the variance of that ratio over its square; `noise`: the variance of one
    person's multiplied count about the vote, per thing that is hallucinated by the vote.
    """

    ratio: float = 1.0
    relative_variance: float = 0.0
    noise: float = 0.0


EXACT = LabelError()  # labels count as they are


def label_error(votes: np.ndarray, each: np.ndarray, clusters: Sequence[object]) -> LabelError | None:
    """The error of one person's labels on texts that several labelled.

    `votes` (texts,): hallucinated things of each text by the vote; `each` (texts, people): by each person, NaN
    for who did not label it; `clusters` (texts,). With m the mean over people, ratio = Σ votes / Σ m (a ratio
    estimate over texts; two-phase sampling, Cochran 1977, 12), its variance linearised over clusters; noise =
    Σ mean (ratio · each − votes)² / Σ votes. A person is a part of the vote, which makes both a little small. The
    vote itself counts as true. None with votes or marks of nothing, or fewer than two clusters.
    """
    votes, each = np.asarray(votes, dtype=float), np.asarray(each, dtype=float)
    is_told = ~np.isnan(each).all(axis=1) if each.size else np.zeros(0, dtype=bool)
    votes, each = votes[is_told], each[is_told]
    means = np.nanmean(each, axis=1) if len(each) else votes
    if not means.sum() or not votes.sum():
        return None
    ratio = float(votes.sum() / means.sum())
    names = np.asarray(clusters)[is_told].tolist()
    left = cluster_sums(names, votes - ratio * means)[:, 0]
    if len(left) < 2:
        return None
    variance = len(left) / (len(left) - 1) * float((left**2).sum()) / float(means.sum()) ** 2
    noise = np.nanmean((ratio * each - votes[:, None]) ** 2, axis=1).sum() / votes.sum()
    return LabelError(ratio, variance / ratio**2, float(noise))
