"""Do rates by Dawid and Skene's model cover the planted rate where the raters err? Simulated labels, no model calls.

Run `python benchmarks/raters.py` from the project's folder; `--write benchmarks/RESULTS.md` puts the table between the
markers `<!-- bench:raters -->` and `<!-- /bench:raters -->`. Three systems answer the same units, which are the
clusters; the target is each one's planted rate. Beside the model's interval (clusters resampled, the model fitted anew)
stand the vote's, and what imputation gives: labels drawn from the posterior with the errors of the raters taken as
known, combined by Rubin's rule. With 200 draws of three systems a coverage of .95 is measured within ± .018.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from truerate.metrics.estimators.dawid_skene import (
    Cells,
    cells_of,
    fit,
    is_identified,
    pooled,
    posterior,
    rated,
)
from truerate.metrics.intervals import z_of
from truerate.results.markers import write_between

CONFIDENCE, RATES, N_IMPUTED = 0.95, (0.1, 0.2, 0.4), 20
Errors = tuple[tuple[float, float], ...]  # TPR and TNR of each rater


class World(NamedTuple):
    """A planted world: the raters' errors, the share of a rater's labels that are there, whether raters are told apart,
    and the share of units on which all raters err as the first one does.
    """

    name: str
    raters: Errors
    present: float = 1.0
    is_pooled: bool = False
    together: float = 0.0


WORLDS = (
    World("three good raters", ((0.9, 0.9), (0.9, 0.9), (0.9, 0.9))),
    World("three unlike raters", ((0.95, 0.9), (0.8, 0.95), (0.7, 0.85))),
    World("three weak raters", ((0.7, 0.8), (0.75, 0.85), (0.8, 0.8))),
    World(
        "five raters, two of three labels given",
        ((0.9, 0.9), (0.8, 0.9), (0.85, 0.95), (0.7, 0.9), (0.9, 0.8)),
        0.67,
    ),
    World("three alike raters, not told apart", ((0.85, 0.9),) * 3, is_pooled=True),
    World("three good raters, a tenth of the units in common error", ((0.9, 0.9),) * 3, together=0.1),
)


def drawn(world: World, n: int, rng: np.random.Generator) -> Cells:
    """The cells of labels of n units that each of three systems of RATES answered."""
    groups = np.repeat(np.arange(len(RATES)), n)
    truth = rng.random(len(groups)) < np.array(RATES)[groups]
    tpr, tnr = np.array(world.raters).T
    chance = rng.random((len(groups), len(tpr)))
    labels = np.where(truth[:, None], chance < tpr, chance >= tnr).astype(float)
    in_common = rng.random(len(groups)) < world.together
    labels[in_common] = labels[in_common][:, :1]
    labels[rng.random(labels.shape) >= world.present] = np.nan
    cells = cells_of(groups, labels, np.tile(np.arange(n), len(RATES)))
    return pooled(cells) if world.is_pooled else cells


def imputed(cells: Cells, rng: np.random.Generator) -> list[tuple[float, float]]:
    """The ends of each system's interval by imputation with the fitted errors taken as known (Rubin 1987)."""
    weights = cells.sums.sum(axis=0)
    p, is_of = posterior(cells, fit(cells, weights)), cells.in_groups
    n = weights @ is_of
    rates = np.array([(rng.binomial(weights.astype(int), p) @ is_of) / n for _ in range(N_IMPUTED)])
    mean = rates.mean(axis=0)
    spread = np.sqrt((rates * (1 - rates) / n).mean(axis=0) + (1 + 1 / N_IMPUTED) * rates.var(axis=0, ddof=1))
    half = z_of(CONFIDENCE) * spread
    return list(zip(mean - half, mean + half, strict=True))


class Line(NamedTuple):
    """Of a world: coverage and mean width of the model, coverage of imputation and of the vote, mean errors of both."""

    world: str
    n: int
    n_draws: int
    coverage: float
    worst: float
    width: float
    imputed: float
    vote: float
    bias: float
    vote_bias: float


def measure(n_draws: int, n_resamples: int) -> Iterator[Line]:
    """Yield a line per world and number of units."""
    for world in WORLDS:
        for n in (100, 400):
            held, width, errors = np.zeros((n_draws, 3, 3)), [], np.zeros((n_draws, 3, 2))
            for draw in range(n_draws):
                rng = np.random.default_rng([draw, n])
                cells = drawn(world, n, rng)
                assert is_identified(cells)
                result = rated(cells, n_resamples=n_resamples, confidence=CONFIDENCE, alpha=0.05, seed=draw)
                by_imputation = imputed(cells, rng)
                for g, (rate, group) in enumerate(zip(RATES, result.groups, strict=True)):
                    ends = [group.model[1:], by_imputation[g], group.vote[1:]]
                    held[draw, g] = [low - 1e-9 <= rate <= high + 1e-9 for low, high in ends]
                    errors[draw, g] = group.model.value - rate, group.vote.value - rate
                    width.append(group.model.high - group.model.low)
            covers, bias = held.mean(axis=(0, 1)), errors.mean(axis=(0, 1))
            yield Line(
                world.name,
                n,
                n_draws,
                covers[0],
                held.mean(axis=0)[:, 0].min(),
                float(np.mean(width)),
                *covers[1:],
                *bias,
            )


def table(lines: list[Line]) -> str:
    """The lines as a Markdown table."""
    head = [
        "| raters | units a system | draws | model covers | its worst system | width | bias | imputation covers | vote covers | bias |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    body = [
        f"| {x.world} | {x.n} | {x.n_draws} | {x.coverage:.3f} | {x.worst:.3f} | {x.width:.3f} | {x.bias:+.3f} "
        f"| {x.imputed:.3f} | {x.vote:.3f} | {x.vote_bias:+.3f} |"
        for x in lines
    ]
    planted = ", ".join(f"{rate:g}" for rate in RATES)
    return "\n".join([f"Planted rates {planted}; intervals of {CONFIDENCE:g}.", "", *head, *body])


def main() -> None:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200, help="independent draws per line")
    parser.add_argument("--resamples", type=int, default=300, help="resamples of each interval")
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    text = table(list(measure(options.draws, options.resamples)))
    print(text)
    if options.write:
        write_between(options.write, "bench:raters", text)


if __name__ == "__main__":
    main()
