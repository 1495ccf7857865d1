"""Agreement between raters: percent, Fleiss' κ, Krippendorff's α and Cohen's κ as statistics of sums, so that
units can be resampled; majority votes; and how often raters mark the same span.

A unit is what was rated once by each rater: a text, or a token of it. Where units have any number of raters
`agreement_sums` gives the columns whose totals the first three are made of. Two raters are a contingency
table.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

Span = tuple[int, int]
Unit = tuple[int, int, str]  # a span and its type
KAPPA = (-1.0, 1.0)  # between what κ and α lie
EVEN = 1e-12  # an agreement by chance that is no further from 1 than this is 1: only one label occurs


# ---- any number of raters ----------------------------------------------------------------------------------


def rating_counts(rows: pl.DataFrame) -> np.ndarray:
    """Raters per label of each unit, (units, labels), both sorted, from `unit_id`, `label`; no nulls."""
    table = rows.drop_nulls("label").group_by("unit_id", "label", maintain_order=True).len()
    if table.is_empty():
        return np.zeros((0, 0))
    wide = (
        table.pivot(on="label", index="unit_id", values="len", aggregate_function="sum", sort_columns=True)
        .sort("unit_id")
        .fill_null(0)
    )
    return wide.drop("unit_id").to_numpy().astype(float)


def agreement_sums(counts: np.ndarray) -> np.ndarray:
    """Return what agreement is made of, a row per unit: 1, the share of its rater pairs that agree, its pairs
    that disagree over its raters but one, and its ratings of each label; (units, 3 + labels). `counts`
    (units, labels): how many raters gave each label. A unit with fewer than two ratings holds no pair: its
    row is zeros.
    """
    counts = np.asarray(counts, dtype=float)
    n = counts.sum(axis=1)
    others = np.maximum(n - 1, 1)
    agreed = (counts * (counts - 1)).sum(axis=1) / np.maximum(n * others, 1)
    unlike = (n**2 - (counts**2).sum(axis=1)) / others
    return np.column_stack([np.ones(len(n)), agreed, unlike, counts]) * (n >= 2)[:, None]


def percent_agreement(sums: np.ndarray) -> np.ndarray:
    """Mean over units of the share of rater pairs that agree, in [0, 1], from totals (…, 3 + labels) of
    `agreement_sums`. NaN where no unit has two ratings.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[..., 1] / sums[..., 0]


def fleiss_kappa(sums: np.ndarray) -> np.ndarray:
    """Fleiss' κ (Fleiss 1971), from totals (…, 3 + labels) of `agreement_sums`, with a definition that also
    holds where units have different numbers of raters.

    Over the units with n_i ≥ 2 ratings: P_i = Σ_j n_ij (n_ij − 1) / (n_i (n_i − 1)), the share of agreeing
    rater pairs; P̄ the plain mean of P_i over units; p_j the share of label j among all ratings of these
    units; P_e = Σ p_j²; κ = (P̄ − P_e) / (1 − P_e). With one n for all units this is Fleiss' own formula. In
    [−1, 1]; NaN over no unit with two ratings, or where only one label occurs (P_e = 1).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        ratings = sums[..., 3:]
        by_chance = ((ratings / ratings.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
        return _beyond_chance(percent_agreement(sums), by_chance)


def krippendorff_alpha(sums: np.ndarray) -> np.ndarray:
    """Krippendorff's α for nominal labels: 1 − D_o / D_e from the coincidence matrix (Krippendorff 2011),
    from totals (…, 3 + labels) of `agreement_sums`. Units with one rating hold no pair and are left out;
    different numbers of raters are weighted by their ratings, unlike in `fleiss_kappa`. At most 1; NaN over
    no pair, or where only one label occurs (D_e = 0).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        of_label = sums[..., 3:]
        n = of_label.sum(axis=-1)
        observed = sums[..., 2] / n
        expected = (n**2 - (of_label**2).sum(axis=-1)) / (n * (n - 1))
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def max_voting(labels: Sequence[Hashable]) -> Hashable | None:
    """The label of most raters (HaluEval 2.2's max-voting); None for a tie at the top or no vote."""
    votes = Counter(label for label in labels if label is not None).most_common(2)
    if not votes or (len(votes) == 2 and votes[0][1] == votes[1][1]):
        return None
    return votes[0][0]


# ---- two raters --------------------------------------------------------------------------------------------


def contingency(first: np.ndarray, second: np.ndarray, n_labels: int) -> np.ndarray:
    """Return how often two raters gave each pair of labels 0 to `n_labels` − 1, (labels, labels)."""
    cells = np.bincount(first * n_labels + second, minlength=n_labels * n_labels)
    return cells.reshape(n_labels, n_labels).astype(float)


def weighted_cells(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """2×2 contingency of two yes/no columns, a row per unit with its weight, (units, 4)."""
    cells = [weights * (first == a) * (second == b) for a in (False, True) for b in (False, True)]
    return np.stack(cells, axis=1)


def marked_or_not(tables: np.ndarray) -> np.ndarray:
    """Contingency tables (…, k, k) with all labels but the first, "not marked", as one: (…, 2, 2)."""
    rows = np.stack([tables[..., :1, :].sum(axis=-2), tables[..., 1:, :].sum(axis=-2)], axis=-2)
    return np.stack([rows[..., :1].sum(axis=-1), rows[..., 1:].sum(axis=-1)], axis=-1)


def table_agreement(tables: np.ndarray) -> np.ndarray:
    """Share of units with equal labels, from contingency tables (…, k, k), in [0, 1]; NaN over nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))


def cohen_kappa(tables: np.ndarray) -> np.ndarray:
    """Cohen's κ of two raters: (p_o − p_e) / (1 − p_e) with each rater's own label shares (Cohen 1960), from
    contingency tables (…, k, k), whose cells may be weighted. In [−1, 1]; NaN over nothing, or where both
    always say the same one label (p_e = 1).
    """
    n = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        by_chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / n**2
        return _beyond_chance(table_agreement(tables), by_chance)


def marked_agreement(first: Iterable[np.ndarray], second: Iterable[np.ndarray]) -> float | None:
    """Of the tokens that either of two raters marks, the share that both mark, over aligned texts: arrays of
    token labels, 0 for not marked. mFAVA screens annotators against silver at 40 % and does not say of what;
    unmarked tokens are left out here, else they alone would pass anyone. In [0, 1]; None where neither marks
    any.
    """
    both = either = 0
    for mark, other in zip(first, second, strict=True):
        both += int(((mark > 0) & (other > 0)).sum())
        either += int(((mark > 0) | (other > 0)).sum())
    return both / either if either else None


# ---- marked spans ------------------------------------------------------------------------------------------


def marked_units(
    spans: Sequence[Span], units: Sequence[Span], *, rule: Literal["inside", "overlap"]
) -> np.ndarray:
    """Return which units (half-open offsets) a rater marked: `inside` one span, or `overlap`ping any."""
    unit, span = np.asarray(units, dtype=int).reshape(-1, 2), np.asarray(spans, dtype=int).reshape(-1, 2)
    if rule == "inside":
        overlaps = (span[None, :, 0] <= unit[:, None, 0]) & (unit[:, None, 1] <= span[None, :, 1])
    else:
        overlaps = (span[None, :, 0] < unit[:, None, 1]) & (unit[:, None, 0] < span[None, :, 1])
    return np.asarray(overlaps.any(axis=1))


def span_counts(
    raters: Sequence[Sequence[Span]], units: Sequence[Span], *, rule: Literal["inside", "overlap"]
) -> np.ndarray:
    """Ratings of each unit of one text as (units, 2) counts of unmarked and marked, one rater per list of
    spans (an empty list rates too). `agreement_sums` of them, added up over texts, are what `fleiss_kappa`
    and `krippendorff_alpha` read.
    """
    marks = sum(
        (marked_units(spans, units, rule=rule).astype(float) for spans in raters), np.zeros(len(units))
    )
    return np.stack([len(raters) - marks, marks], axis=1)


def unitizing(
    texts: Sequence[tuple[int, Sequence[Sequence[Unit]]]],
) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Return what Krippendorff's α_U is made of, a row per text of columns that add up, and the function of
    totals (…, columns) that is α_U. A text is its length in characters and the units (start, end, type) of
    each rater; units of one type by one rater that overlap are one.

    α_U = 1 − Σ_c D_oc / Σ_c D_ec over types c (Krippendorff 1995; 2004, whose example it reproduces). Of two
    raters, units that overlap differ by δ² = (b − b′)² + (e − e′)² of their beginnings and ends, and a unit
    that meets none by ℓ², its length squared. D_oc = Σ δ² over ordered pairs of the m raters / (m (m − 1) L²),
    L the length of the continuum. With n = m L and N_c units of lengths ℓ and gaps between them of lengths g,
    D_ec = (2 / L) Σ_units [(N_c − 1) / 3 · (2ℓ³ − 3ℓ² + ℓ) + ℓ² Σ_{g ≥ ℓ} (g − ℓ + 1)] / (n (n − 1) − Σ ℓ (ℓ − 1)).

    The continuum is the texts one behind the other, the raters of each in their order; where these differ in
    number each text has its own m, and n adds up m L. A gap across texts is shared out by what lies in each. A
    text with fewer than two raters is a row of zeros. At most 1; NaN where nobody marks a unit, or no text has
    two raters.
    """
    rated = [index for index, (_, raters) in enumerate(texts) if len(raters) > 1]
    types = sorted({unit[2] for index in rated for units in texts[index][1] for unit in units})
    marked = {  # by text, type and rater the disjoint units
        index: [
            [_merged(unit[:2] for unit in units if unit[2] == kind) for units in texts[index][1]]
            for kind in types
        ]
        for index in rated
    }
    lengths = {
        index: [[end - start for units in of_type for start, end in units] for of_type in of_text]
        for index, of_text in marked.items()
    }
    whole = [length for of_text in lengths.values() for of_type in of_text for length in of_type]
    sizes = np.unique(np.array(whole, dtype=float))
    heads, counts, ways = np.zeros((len(texts), 3)), *np.zeros((2, len(texts), len(types), len(sizes)))
    for index, of_text in marked.items():
        length, m = texts[index][0], len(texts[index][1])
        deltas = sum(_unlike(*both) for of_type in of_text for both in combinations(of_type, 2))
        heads[index] = length, m * length, 2 * deltas / (m * (m - 1))
        for number, values in enumerate(lengths[index]):
            np.add.at(counts[index, number], np.searchsorted(sizes, values), 1)
    for number, gap in _gaps_by_type(texts, marked, len(types)):
        for index, part in gap.items():
            in_all = sum(gap.values())
            ways[index, number] += part / in_all * np.maximum(in_all - sizes + 1, 0)
    columns = [table.reshape(len(texts), len(types) * len(sizes)) for table in (counts, ways)]
    return np.hstack([heads, *columns]), partial(krippendorff_alpha_u, sizes=sizes, n_types=len(types))


def krippendorff_alpha_u(totals: np.ndarray, *, sizes: np.ndarray, n_types: int) -> np.ndarray:
    """Return α_U (…,) of totals (…, columns) of the rows of `unitizing`: length, length times raters, Σ δ², then by
    type and length of a unit (`sizes`) how many there are, and in how many ways one fits into the gaps. NaN where
    nothing is expected to differ.
    """
    length, n, deltas = np.moveaxis(totals[..., :3], -1, 0)
    tables = totals[..., 3:].reshape(*totals.shape[:-1], 2, n_types, len(sizes))
    units, fits = np.moveaxis(tables, -3, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        in_units = (units.sum(axis=-1) - 1) / 3 * (units @ (2 * sizes**3 - 3 * sizes**2 + sizes))
        in_gaps = (units * fits) @ sizes**2
        places = (n * (n - 1))[..., None] - units @ (sizes * (sizes - 1))
        expected = 2 / length * ((in_units + in_gaps) / places).sum(axis=-1)
        return np.where(expected > 0, 1 - deltas / length**2 / expected, np.nan)


def _gaps_by_type(
    texts: Sequence[tuple[int, Sequence[Sequence[Unit]]]],
    marked: Mapping[int, list[list[list[Span]]]],
    n_types: int,
) -> Iterator[tuple[int, dict[int, int]]]:
    """Yield the number of a type and a gap between units of it by one rater, as its length in every text."""
    most = max((len(texts[index][1]) for index in marked), default=0)
    for number in range(n_types):
        for rater in range(most):
            rated = (index for index in marked if rater < len(texts[index][1]))
            for gap in _gaps((index, texts[index][0], marked[index][number][rater]) for index in rated):
                yield number, gap


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one; such as only touch stay apart."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _unlike(first: Sequence[Span], second: Sequence[Span]) -> int:
    """Σ δ² of two raters' units, each pair once."""
    pairs = [(a, b) for a in first for b in second if a[0] < b[1] and b[0] < a[1]]
    alone = [span for span in (*first, *second) if not any(span in pair for pair in pairs)]
    return sum((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for a, b in pairs) + sum(
        (end - start) ** 2 for start, end in alone
    )


def _gaps(parts: Iterable[tuple[int, int, Sequence[Span]]]) -> Iterator[dict[int, int]]:
    """Yield the gaps of one rater over texts in a row (number, length, units), each as its length in every text."""
    gap: dict[int, int] = {}
    for index, length, units in parts:
        last = 0
        for start, end in units:
            if start > last:
                gap[index] = start - last
            if gap:
                yield gap
            gap, last = {}, end
        if length > last:
            gap[index] = length - last
    if gap:
        yield gap


def _beyond_chance(observed: np.ndarray, by_chance: np.ndarray) -> np.ndarray:
    """(observed − by chance) / (1 − by chance); NaN where chance alone agrees on everything."""
    return np.where(by_chance < 1 - EVEN, (observed - by_chance) / (1 - by_chance), np.nan)


class Correlation(NamedTuple):
    """Pearson's r, its two-sided p-value against 0, and the points; None where not defined."""

    r: float | None
    p: float | None
    n: int


class Difference(NamedTuple):
    """Mean of the first group − mean of the second, its two-sided p-value against 0, and the points."""

    value: float | None
    p: float | None
    n: int


def pearson(
    first: Sequence[float | None], second: Sequence[float | None], *, n_fitted: int = 0
) -> Correlation:
    """Pearson's product-moment correlation, in [−1, 1], over the points that both lists have, its p-value from Student's t
    with n − 2 degrees. `n_fitted`: degrees that were spent before, as by taking group means off the points.
    It treats the points as independent. None where no degree is left (without `n_fitted`, over fewer than
    three points) or where one list is constant; p is 0 at |r| = 1.
    """
    points = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    x, y = np.array(points, dtype=float).reshape(-1, 2).T
    degrees = len(x) - 2 - n_fitted
    if degrees < 1 or np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return Correlation(None, None, len(x))
    from scipy.special import stdtr

    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))
    p = 0.0 if abs(r) == 1 else 2 * float(stdtr(degrees, -abs(r) * np.sqrt(degrees / (1 - r * r))))
    return Correlation(r, p, len(x))


def pearson_within(
    first: Sequence[float], second: Sequence[float], groups: Sequence[Hashable]
) -> Correlation:
    """`pearson` over all points once each list has lost its mean of every group, so that what differs between
    groups alone does not count; a degree is spent on each mean but the first.
    """
    names = list(dict.fromkeys(groups))
    group_index = np.array([names.index(group_name) for group_name in groups], dtype=int)
    sizes = np.bincount(group_index, minlength=len(names))
    centred = [
        np.asarray(each, dtype=float)
        - (np.bincount(group_index, each, minlength=len(names)) / sizes)[group_index]
        for each in (first, second)
    ]
    return pearson(*(each.tolist() for each in centred), n_fitted=max(0, len(names) - 1))


def t_test(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Student's two-sample t-test with pooled variance (Student 1908). It treats every value as independent
    of all others. p is None where a group has no value, fewer than three values are there in all, or nothing
    varies.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    n, degrees = len(a) + len(b), len(a) + len(b) - 2
    if not len(a) or not len(b):
        return Difference(None, None, n)
    gap = float(a.mean() - b.mean())
    spread = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    if degrees < 1 or spread <= 0:
        return Difference(gap, None, n)
    from scipy.special import stdtr

    error = np.sqrt(spread / degrees * (1 / len(a) + 1 / len(b)))
    return Difference(gap, 2 * float(stdtr(degrees, -abs(gap) / error)), n)


class Agreement(NamedTuple):
    """Kendall's τ-b of two orders (None where undefined), pairs of subjects, and discordant pairs."""

    tau: float | None
    n_pairs: int
    flips: tuple[tuple[int, int], ...]


def kendall(first: Sequence[float], second: Sequence[float]) -> Agreement:
    """Kendall's τ-b of two lists over the same subjects (Kendall 1945), in [−1, 1]: concordant less
    discordant pairs, over the root of the pairs untied in the first times those untied in the second. A flip
    is a discordant pair, as places (i, j) with i < j; a tie on either side is none. τ is None where one list
    is constant or has fewer than two values.
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    i, j = np.triu_indices(len(x), k=1)
    signs = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    product = signs[0] * signs[1]
    untied = math.sqrt(int(np.count_nonzero(signs[0])) * int(np.count_nonzero(signs[1])))
    flips = tuple((int(i[k]), int(j[k])) for k in np.flatnonzero(product < 0))
    return Agreement(float(product.sum()) / untied if untied else None, len(i), flips)
