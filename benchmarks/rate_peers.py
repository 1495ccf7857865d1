"""Does the interval of `truerate rate` hold the planted rate, how wide is it, and what do its peers say of the same?

    python benchmarks/rate_peers.py [--draws 1000] [--peers FOLDER] [--write benchmarks/RESULTS.md]

Planted worlds of 1,000 answers whose detector of yes and no has Youden's index J (false alarms .1) at 20 to 200 labels
drawn by chance; and worlds of documents labelled whole, and of scores. In each draw
the answers and the labels are new, and what each estimator says (nominal .95) is held against the share of these very
answers. Limits that were set before the first run: coverage .94 to .97 in the mean of all cells and .90 or more in the
worst; 50 ms for one estimate of 1,000 answers. What draws with a score save: `rate_draws.py`.

`--peers`: the site-packages of an environment with ppi-python, judgy, evalstats and cje-eval (`pip install` them into
one of their own); those that are absent are left out. ppi-python has 300 draws at most; the
last three resample and have 40 in fewer cells.
glide-py needs Python 3.12. A peer that raises gives no interval: coverage and width are of the others, `raises` of all.
`--write` puts the tables between the markers of a file.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from truerate.metrics.estimators.designs import drawn, uniform
from truerate.metrics.estimators.own_rate import rate_of
from truerate.metrics.estimators.sample import Cell
from truerate.results.markers import write_between

N, FALSE_ALARMS, SEED = 1000, 0.1, 5
RATES, YOUDEN, LABELLED = (0.02, 0.1, 0.3), (0.1, 0.4, 0.8), (20, 60, 200)
LEAST_MEAN, MOST_MEAN, LEAST_WORST, MOST_MS = 0.94, 0.97, 0.90, 50.0
SLOW_DRAWS, SLOW_LABELS = 40, (60, 200)
PPI_DRAWS = 300
HEADER = (
    "world",
    "labels",
    "estimator",
    "draws",
    "intervals that hold",
    "width",
    "mean error",
    "raises",
    "ms",
)
Interval = tuple[float, float, float]


class World(NamedTuple):
    """What is planted: the rate, the detector's J (None: it gives scores), labels, how these are drawn, and
    answers per document (of intraclass correlation .5)."""

    rate: float
    youden: float | None
    k: int
    design: str = "alike"
    size: int = 1

    @property
    def name(self) -> str:
        detector = "scores" if self.youden is None else f"J {self.youden:g}"
        documents = f", documents of {self.size}" if self.size > 1 else ""
        return f"rate {self.rate:g}, {detector}{documents}, drawn {self.design}"


GRID = [World(rate, youden, k) for rate in RATES for youden in YOUDEN for k in LABELLED]
OTHERS = [
    *(World(rate, 0.4, 100, "alike", 5) for rate in (0.1, 0.3)),
    *(World(rate, 0.4, k, "by document", 5) for rate in (0.1, 0.3) for k in (100, 200)),
    *(World(rate, None, 100) for rate in (0.05, 0.1, 0.3)),
]


def planted(world: World, rng: np.random.Generator) -> Cell:
    """Answers, what the detector says of them, and all their labels."""
    clusters = np.arange(N) // world.size
    own = np.full(N, world.rate)
    if world.size > 1:  # 1 / (a + b + 1) = .5
        own = rng.beta(world.rate, 1 - world.rate, N // world.size)[clusters]
    if world.youden is None:  # the chance of a hallucination, known but for noise
        own = rng.beta(0.35, 0.35 * (1 - world.rate) / world.rate, N)
        truth = (rng.random(N) < own).astype(float)
        return Cell(np.ones(N), np.clip(own + rng.normal(0, 0.05, N), 0, 1), truth, clusters)
    truth = (rng.random(N) < own).astype(float)
    chance = np.where(truth > 0, FALSE_ALARMS + world.youden, FALSE_ALARMS)
    return Cell(np.ones(N), (rng.random(N) < chance).astype(float), truth, clusters)


def labelled(world: World, whole: Cell, rng: np.random.Generator) -> Cell:
    """The answers with the labels of one draw."""
    is_labelled = np.zeros(N, dtype=bool)
    if world.design == "by document":
        n = N // world.size
        is_labelled = np.isin(whole.clusters, rng.choice(n, world.k // world.size, replace=False))
    else:
        is_labelled[drawn(uniform(N, world.k), rng)] = True
    return replace(whole, gold=np.where(is_labelled, whole.gold, np.nan))


# ---- estimators --------------------------------------------------------------------------------------------
def ours(cell: Cell) -> Interval:
    """What `truerate rate` says."""
    rate = rate_of("", cell)
    return np.nan if rate.value is None else rate.value, rate.low, rate.high  # type: ignore[return-value]


def by_ppi_python(cell: Cell) -> Interval:
    """PPI++ of ppi-python."""
    from ppi_py import ppi_mean_ci

    inside = cell.is_labelled
    ends = ppi_mean_ci(cell.gold[inside], cell.flagged[inside], cell.flagged[~inside], alpha=0.05)
    low, high = (float(np.ravel(end)[0]) for end in ends)
    return (low + high) / 2, low, high


def by_judgy(cell: Cell) -> Interval:
    """Rogan–Gladen with a bootstrap, of judgy; of failures as the rate of success."""
    from judgy import estimate_success_rate

    inside = cell.is_labelled
    value, low, high = estimate_success_rate(
        1 - cell.gold[inside], 1 - cell.flagged[inside], 1 - cell.flagged, bootstrap_iterations=2000
    )
    return 1 - value, 1 - high, 1 - low


def by_evalstats(cell: Cell) -> Interval:
    """`judge_debias_mean_ci` of evalstats."""
    from evalstats import judge_debias_mean_ci

    result = judge_debias_mean_ci(cell.flagged, cell.gold, rng=np.random.default_rng(0))
    low, high = (getattr(result, name) for name in ("ci_low", "ci_high"))
    return (low + high) / 2, low, high


def by_cje(cell: Cell) -> Interval:
    """`analyze_dataset` of cje-eval, one policy."""
    from cje import analyze_dataset

    records = [
        {"prompt_id": str(name), "response": "", "judge_score": score}
        | ({} if np.isnan(gold) else {"oracle_label": gold})
        for name, (score, gold) in enumerate(zip(cell.flagged.tolist(), cell.gold.tolist(), strict=True))
    ]
    result = analyze_dataset(fresh_draws_data={"rate": records})
    low, high = result.confidence_interval()
    return float(result.estimates[0]), float(low[0]), float(high[0])


FAST = {"truerate": ours, "ppi-python": by_ppi_python}
SLOW = {"judgy": by_judgy, "evalstats": by_evalstats, "cje-eval": by_cje}
MODULES = {"ppi-python": "ppi_py", "judgy": "judgy", "evalstats": "evalstats", "cje-eval": "cje"}


class Line(NamedTuple):
    """What one estimator does in one world."""

    world: World
    estimator: str
    n_draws: int
    coverage: float
    width: float
    error: float
    raises: float
    ms: float

    def row(self) -> str:
        cells = (self.world.name, self.world.k, self.estimator, f"{self.n_draws:,}", f"{self.coverage:.3f}")
        more = (f"{self.width:.4f}", f"{self.error:+.4f}", f"{self.raises:.0%}", f"{self.ms:.1f}")
        return f"| {' | '.join(map(str, (*cells, *more)))} |"


def line(world: World, name: str, estimate: Callable[[Cell], Interval], n_draws: int) -> Line:
    """Draw answers and labels `n_draws` times and hold each interval against the share of all labels."""
    rng = np.random.default_rng(SEED)
    results, seconds = [], 0.0
    for _ in range(n_draws):
        whole = planted(world, rng)
        cell = labelled(world, whole, rng)
        start = time.perf_counter()
        with (
            suppress(Exception),
            warnings.catch_warnings(),
            redirect_stdout(StringIO()),
            redirect_stderr(StringIO()),
        ):
            warnings.simplefilter("ignore")
            value, low, high = estimate(cell)
            if np.isfinite([low, high]).all():
                truth = float(whole.gold.mean())
                results.append((low <= truth <= high, high - low, value - truth))
        seconds += time.perf_counter() - start
    means = np.nanmean(results, axis=0) if results else (np.nan,) * 3
    return Line(world, name, n_draws, *means, 1 - len(results) / n_draws, 1000 * seconds / n_draws)


def lines(n_draws: int) -> Iterator[Line]:
    """All lines: ours and ppi-python's in every world of labels drawn alike, the slow peers' in some."""
    present = {name for name, module in MODULES.items() if _is_there(module)}
    for world in [*GRID, *OTHERS]:
        for name, estimate in FAST.items():
            if name == "truerate" or name in present:
                yield line(world, name, estimate, n_draws if name == "truerate" else min(n_draws, PPI_DRAWS))
        if world in GRID and world.k in SLOW_LABELS and world.youden != YOUDEN[0]:
            yield from (line(world, name, each, SLOW_DRAWS) for name, each in SLOW.items() if name in present)


def _is_there(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def summary(rows: list[Line]) -> list[str]:
    """The limits beside what was measured."""
    of_ours = [row for row in rows if row.estimator == "truerate"]
    coverage = np.array([row.coverage for row in of_ours])
    worst = of_ours[int(coverage.argmin())]
    text = [
        f"- Coverage in the mean of {len(of_ours)} cells: {coverage.mean():.3f} (limit {LEAST_MEAN} to {MOST_MEAN}); "
        f"in the worst {worst.coverage:.3f} (limit {LEAST_WORST}): {worst.world.name}, {worst.world.k} labels.",
        f"- One estimate of {N:,} answers: {max(row.ms for row in of_ours):.1f} ms in the slowest cell "
        f"(limit {MOST_MS:g}).",
    ]
    by_world = {row.world: row.width for row in of_ours}
    for name in MODULES:
        pairs = [(row.width, by_world[row.world], row.coverage) for row in rows if row.estimator == name]
        wins = sum(own <= width for width, own, holds in pairs if holds >= LEAST_WORST)
        n = sum(holds >= LEAST_WORST for *_, holds in pairs)
        if pairs:
            text.append(
                f"- {name} holds {LEAST_WORST} or more in {n} of {len(pairs)} cells; of these ours is no wider in {wins}."
            )
    return text


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--draws", type=int, default=1000)
    options.add_argument("--peers", help="site-packages with the peers")
    options.add_argument("--write", metavar="FILE")
    given = options.parse_args()
    if given.peers:
        sys.path.append(given.peers)
        sys.modules["coverage"] = None  # type: ignore[assignment]  # numba asks for a newer one than tests may have
    rows = []
    for row in lines(given.draws):
        rows.append(row)
        print(row.row(), flush=True)
    table = [f"| {' | '.join(HEADER)} |", f"|{' --- |' * len(HEADER)}", *(row.row() for row in rows)]
    text = "\n".join([*summary(rows), "", *table])
    print(*summary(rows), sep="\n")
    if given.write:
        write_between(Path(given.write), "bench:rate-peers", text)


if __name__ == "__main__":
    main()
