"""How strongly several verdicts speak against a label: what a label audit ranks by."""

import numpy as np

PRIOR = 0.5  # added to each count of a table of label by verdict (Jeffreys), so that no verdict is proof


def bits_against(labels: np.ndarray, verdicts: np.ndarray) -> np.ndarray:
    """log2 of how many times likelier the verdicts on each text are under the other label than under its own, (texts,).

    The likelihood ratio of naive Bayes: Σ log2 P(verdict | other label) / P(verdict | label), the rates of each judge
    being those against these very labels, each count with PRIOR added. Judges that err together are counted as though
    they did not, and wrong labels make a judge look worse than it is: it orders texts to look at, and is no probability.
    A judge whose Youden's J on these texts is not above 0 tells nothing and counts for nothing.

    `labels`: 0 or 1; `verdicts`: (texts, judges), NaN where there is none. NaN for a text without a verdict that counts.
    """
    known = ~np.isnan(verdicts)
    says = np.where(known, verdicts, 0.0) >= 0.5
    total = np.full(len(labels), np.nan)
    for judge in range(verdicts.shape[1]):
        rate = [_rate(says[:, judge], known[:, judge] & (labels == label)) for label in (0, 1)]
        if rate[1] <= rate[0]:
            continue
        # of each label the probability of what the judge said, on every text
        told = [np.where(says[:, judge], one, 1 - one) for one in rate]
        ratio = np.where(labels == 1, np.log2(told[0] / told[1]), np.log2(told[1] / told[0]))
        total = np.where(known[:, judge], np.where(np.isnan(total), 0.0, total) + ratio, total)
    return total


def _rate(says: np.ndarray, of: np.ndarray) -> float:
    """The share of some texts that a judge calls hallucinated, PRIOR added to both counts."""
    return float((says[of].sum() + PRIOR) / (of.sum() + 2 * PRIOR))
