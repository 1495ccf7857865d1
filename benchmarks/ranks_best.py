"""Does the set of those that may be the best hold the true best, and how large is it? Simulated outcomes, no model calls.

Run `python benchmarks/ranks_best.py` from the project's folder; `--write benchmarks/RESULTS.md` puts the table
between the markers `<!-- bench:ranks-best -->` and `<!-- /bench:ranks-best -->`. Beside comparisons with the best
(`metrics.ranking.may_be_best`) stands what paired tests of all pairs leave at rank 1. The best is named before the
draw: of equals the first one, so that a set which holds another of them does not count. With 500 draws a coverage of
.95 is measured within ± .02 (two standard errors).
"""

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from truerate.metrics.ranking import compare_all, compare_counts, leading, may_be_best, may_be_best_by_counts
from truerate.results.markers import write_between

ALPHA, N_RESAMPLES = 0.05, 1000
PAIRED, CLUSTERED, COUNTS = "paired", "paired, clusters of 5", "independent shares"
OF_UNIT, OF_CLUSTER = 0.4, 0.3  # shares of the latent variance: replies to one unit, to units of one cluster
WORLDS = ("all equal", "one clear best", "many near the best")


class Line(NamedTuple):
    """What `n_draws` draws of a world gave: how often each set holds the true best, and its mean size."""

    world: str
    design: str
    k: int
    n: int
    n_draws: int
    coverage: float
    size: float
    pairs_coverage: float
    pairs_size: float
    wrong_pair: float


def rates_of(world: str, k: int) -> np.ndarray:
    """The planted rates of hallucination of k subjects, the best (lowest) first."""
    if world == "all equal":
        return np.full(k, 0.2)
    if world == "one clear best":
        return np.array([0.08] + [0.25] * (k - 1))
    return np.linspace(0.15, 0.3, k)


def outcomes(rates: np.ndarray, n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Outcomes of 0 and 1, (subjects, n), each row of its planted rate: a latent normal of what units of one
    cluster, of `size`, share, of what all subjects meet in a unit, and of the reply itself.
    """
    from scipy.special import ndtri

    cluster, unit = rng.normal(size=n // size).repeat(size), rng.normal(size=n)
    of_cluster = OF_CLUSTER if size > 1 else 0.0
    shared = np.sqrt(of_cluster) * cluster + np.sqrt(OF_UNIT) * unit
    own = np.sqrt(1 - of_cluster - OF_UNIT) * rng.normal(size=(len(rates), n))
    return (shared + own < ndtri(rates)[:, None]).astype(float)


def drawn(world: str, design: str, k: int, n: int, seed: int) -> tuple[list[bool], list[bool], bool]:
    """Of one draw: who may be the best by comparisons with the best and by all pairs, and whether a pair is wrong."""
    rates, rng = rates_of(world, k), np.random.default_rng([seed, k, n])
    if design == COUNTS:
        counts, of = rng.binomial(n, rates), np.full(k, n)
        compared = compare_counts(counts, of)
        best = may_be_best_by_counts(counts, of, alpha=ALPHA, higher_is_better=False)
    else:
        size = 5 if design == CLUSTERED else 1
        values, clusters = outcomes(rates, n, size, rng), np.arange(n) // size
        compared = compare_all(values, clusters, n_resamples=N_RESAMPLES, alpha=ALPHA, seed=7)
        best = may_be_best(values, clusters, alpha=ALPHA, seed=7, higher_is_better=False)
    by_pairs = leading(k, compared, alpha=ALPHA, higher_is_better=False)
    decided = [c for c in compared if c.p_holm <= ALPHA]
    return best, by_pairs, any(c.difference * (rates[c.first] - rates[c.second]) <= 0 for c in decided)


def measure(n_draws: int) -> Iterator[Line]:
    """Yield the lines. Bootstraps of 1,225 pairs take seconds each: clusters stand with up to ten subjects."""
    designs = [(PAIRED, k, n) for k, n in product((2, 10, 50), (100, 1000))]
    designs += [(CLUSTERED, k, n) for k, n in product((2, 10), (100, 1000))]
    designs += [(COUNTS, 50, n) for n in (100, 1000)]
    for (design, k, n), world in product(designs, WORLDS):
        n_here = n_draws if k < 50 and n < 1000 else n_draws // 2
        draws = [drawn(world, design, k, n, seed) for seed in range(n_here)]
        best, by_pairs, wrong = (np.array(part) for part in zip(*draws, strict=True))
        yield Line(
            world, design, k, n, n_here, best[:, 0].mean(), best.sum(axis=1).mean(),
            by_pairs[:, 0].mean(), by_pairs.sum(axis=1).mean(), wrong.mean(),
        )  # fmt: skip


def table(lines: list[Line]) -> str:
    """The lines as a Markdown table."""
    head = [
        "| design | subjects | units | world | draws | best: true best in the set | best: size "
        "| pairs: true best in the set | pairs: size | pairs: a wrong one |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    body = [
        f"| {x.design} | {x.k} | {x.n:,} | {x.world} | {x.n_draws} | {x.coverage:.3f} | {x.size:.1f} "
        f"| {x.pairs_coverage:.3f} | {x.pairs_size:.1f} | {x.wrong_pair:.3f} |"
        for x in lines
    ]
    return "\n".join([f"Level {1 - ALPHA}; the size is a mean over draws.", "", *head, *body])


def main() -> None:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--draws", type=int, default=500, help="independent draws per line; half of large boards"
    )
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    text = table(list(measure(options.draws)))
    print(text)
    if options.write:
        write_between(options.write, "bench:ranks-best", text)


if __name__ == "__main__":
    main()
