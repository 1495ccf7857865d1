"""What a reply of which some verdicts are unread says of whether all its facts are supported, without bias.

Assumed: of replies with about as many facts, how many verdicts of one are unread does not depend on what they
would have said, and any of its facts may be the unread ones. Single verdicts, whole calls (whose facts are in
the order of their hashes) and the ends of calls may be lost, in any mixture; a verifier that leaves out what
it finds wrong would break it. How verdicts are lost is told of all replies of a subject together: of a slice
of which more is lost than of the others (a domain, say) the values are right but in part.

A reply of n facts, K of them unsupported, r with a verdict, shows k unsupported ones with the probability T(k
| K) = C(K, k) · r^(k) · m^(K − k) / n^(K), m = n − r and x^(j) = x(x − 1)…(x − j + 1), averaged over the
replies of as many facts. The values f with f(0) = 1 and Σ_k T(k | K) f(k) = 0 for each K ≥ 1 have the mean 1
where all facts are supported and 0 elsewhere. f(1) = −u/(1 − u) where a share u of a reply is unread in the
mean; f(k) = f(1)^k where each verdict is lost by itself, f(1) for every k where replies are lost whole. So
the mean of f(k) over replies is the share that is all supported, and nobody has to know which call asked
what. (Goodman 1949, Annals of Mathematical Statistics 20:572, has them for one sample of known size.)
"""

from collections.abc import Iterator
from math import comb

import numpy as np

MOST = 8  # unsupported facts seen, from which on they say the same
FEW = 30  # replies that tell how verdicts are lost
WILD = (
    1.5  # a value beyond it would let single replies decide: half of the verdicts are lost, or 3 replies of 5
)


def all_supported(
    subjects: np.ndarray, n_facts: np.ndarray, n_read: np.ndarray, n_unsupported: np.ndarray
) -> np.ndarray:
    """Return what each reply says of its being all supported, (replies,): 1 or 0 where nothing is unread in
    any reply of its group, else by how many of its read facts are unsupported (`values`, `_level`). Its mean
    over a subject is the share.

    A group are a subject's replies of 2^(i−1) < n ≤ 2^i facts, joined with the next longer ones until it has
    FEW. Replies of a smaller group, or of one whose values are wild, speak for themselves alone: NaN where
    one has an unread verdict. Every reply has a fact.
    """
    supported = np.where(n_read == n_facts, (n_unsupported == 0).astype(float), np.nan)
    is_short = n_read < n_facts
    for subject in np.unique(subjects[is_short]):
        for rows in _groups(np.flatnonzero(subjects == subject), n_facts):
            by_count = values(n_facts[rows], n_read[rows], n_most=int(n_unsupported[rows].max()))
            if is_short[rows].any() and by_count is not None:
                values_read = by_count[np.minimum(n_unsupported[rows], len(by_count) - 1)]
                supported[rows] = _level(values_read, n_read[rows] / n_facts[rows])
    return supported


def _level(values_read: np.ndarray, read: np.ndarray) -> np.ndarray:
    """Return what replies say, level in the share of their facts that was read: the least squares line is
    taken out, about the mean. That some replies lost more than others is no error of the mean, for the values
    follow from what was lost; so the spread is that of the mean: where replies are lost whole, what it is
    over those that are read.
    """
    gap = read - read.mean()
    squares = float(gap @ gap)
    return values_read - gap * (float(gap @ values_read) / squares) if squares > 0 else values_read


def _groups(rows: np.ndarray, n_facts: np.ndarray) -> Iterator[np.ndarray]:
    """Rows of about as many facts: at least FEW in each, if there are."""
    octave = np.ceil(np.log2(n_facts[rows]))
    names, counts = np.unique(octave, return_counts=True)
    starts, size = [0], 0
    for index, count in enumerate(counts):
        size += count
        if size >= FEW and counts[index + 1 :].sum() >= FEW:
            starts.append(index + 1)
            size = 0
    for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
        yield rows[np.isin(octave, names[start:end])]


def values(n_facts: np.ndarray, n_read: np.ndarray, *, n_most: int) -> np.ndarray | None:
    """f(0), f(1), … up to `n_most` unsupported facts seen (1 at least) or MOST; of more, each is as the last.

    A K of which fewer than FEW replies have as many facts, or none as many verdicts, takes the value of K −
    1. None of fewer than FEW replies, where nothing is read, and where a value is beyond ±WILD.
    """
    if len(n_facts) < FEW or not n_read.any():
        return None
    pairs, counts = np.unique(np.stack([n_facts, n_read]), axis=1, return_counts=True)
    facts, read, unread = (_falling(numbers) for numbers in (pairs[0], pairs[1], pairs[0] - pairs[1]))
    solution = [1.0]
    for k in range(1, min(max(n_most, 1), MOST) + 1):
        is_long = pairs[0] >= k
        if counts[is_long].sum() < FEW or pairs[1].max() < k:
            solution.append(solution[-1])
            continue
        weights = counts[is_long] / facts[k, is_long]
        ways = [float(weights @ (read[j, is_long] * unread[k - j, is_long])) for j in range(k + 1)]
        diagonal = [comb(k, j) * n for j, n in enumerate(ways)]
        earlier = sum(n * value for n, value in zip(diagonal[:k], solution, strict=True))
        solution.append(-earlier / diagonal[k])
    result = np.array(solution)
    return None if np.abs(result).max() > WILD else result


def _falling(n: np.ndarray) -> np.ndarray:
    """n(n − 1)…(n − j + 1) for j of 0 to MOST, (MOST + 1, rows)."""
    factors = np.maximum(0, n.astype(float) - np.arange(MOST)[:, None])
    return np.concatenate([np.ones((1, len(n))), np.cumprod(factors, axis=0)])
