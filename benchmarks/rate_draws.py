"""How many labels does a draw by a judge's verdicts or scores save, and how do gates of `compare` decide?

    python benchmarks/rate_draws.py [--draws 1000] [--part draws|gate] [--write benchmarks/RESULTS.md]

Draws: planted worlds of `rate_peers` (1,000 answers; a judge of yes and no with Youden's J, or scores) at 60 to 200
labels. *alone*: drawn alike, the judge not used; *alike*: drawn alike, the judge used; *stratified*, *uncertain*:
as `truerate draw --score` draws; *filled up*: half of them stratified, then the other half with `--labels`. An interval
is that of `truerate rate` (nominal .95), held against the share of these very answers. Labels saved at equal width: of
those that *alone* and *alike* need for intervals as narrow, by the widths of seven numbers of labels. Beside it the most
that any draw by these scores can save in large samples, with the true rates known (Neyman 1934). Limits, set before:
coverage .94 in the mean and .90 in the worst cell; 30 % against *alone* where J is .6 or more, in the mean.

Gate: two files of 600 answers to the same items, 150 to 600 of each labelled, judges with J .5 or .8; the planted
difference −3 to +10 points, the margin 3. Said: not worse (0), worse (1), cannot tell (3). Limits: worse is said in 5 % at
most where the difference is 3 or less, and not worse in 20 % at most where it is above; where the gate cannot tell, as
many labels or answers as it asks for decide rightly in 80 % or more. `--write` puts the tables between the markers of a file.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rate_peers import SEED, N, World, planted

from truerate.answers.gating import FAILED, PASSED, UNDECIDED, decided
from truerate.metrics.estimators.designs import (
    Design,
    bands,
    drawn,
    remaining,
    stratified,
    uncertain,
    uniform,
)
from truerate.metrics.estimators.own_difference import Difference, difference_of
from truerate.metrics.estimators.own_rate import by_bands
from truerate.metrics.estimators.sample import Cell, verdicts
from truerate.results.markers import write_between

RATES, JUDGES, LABELLED = (0.05, 0.1, 0.3), (0.4, 0.6, 0.8, None), (60, 100, 200)
DESIGNS = ("alone", "alike", "stratified", "uncertain", "filled up")
LADDER = (40, 60, 90, 140, 200, 300, 450, 650)  # labels of `alone` and `alike` whose widths are compared
LEAST_MEAN, LEAST_WORST, LEAST_SAVED, CLAIMED_FROM = 0.94, 0.90, 0.3, 0.6


class Draw(NamedTuple):
    """What one design does in one world: the share of intervals that hold, their mean width, the mean error."""

    coverage: float
    width: float
    error: float


def labelled(whole: Cell, k: int, design: str, rng: np.random.Generator) -> Cell:
    """The answers with the labels of one draw; of `alone` without the judge."""
    score, label = whole.flagged, np.full(N, np.nan)
    plan, rows = _plan(design, score, k), np.zeros(0, dtype=int)
    if design == "filled up":
        first = drawn(stratified(bands(score), k // 2, score), rng)
        label[first] = whole.gold[first]
        plan = stratified(bands(score), k, score, label=label)
        rows = drawn(remaining(plan, ~np.isnan(label)), rng)
    else:
        rows = drawn(plan, rng)
    label[rows] = whole.gold[rows]
    flagged = np.zeros(N) if design == "alone" else score
    weight = None if design in ("alone", "alike") else 1 / plan.probability
    return Cell(whole.total, flagged, label, whole.clusters, None, weight)


def _plan(design: str, score: np.ndarray, k: int) -> Design:
    if design == "uncertain":
        return uncertain(score, k)
    return stratified(bands(score), k, score) if design == "stratified" else uniform(N, k)


def measured(world: World, design: str, n_draws: int) -> Draw:
    """Draw answers and labels `n_draws` times and hold each interval against the share of all labels."""
    rng, results = np.random.default_rng(SEED), []
    for _ in range(n_draws):
        whole = planted(world, rng)
        truth = float(whole.gold.mean())
        interval = by_bands([labelled(whole, world.k, design, rng)], confidence=0.95)
        assert interval is not None
        results.append(
            (interval.low <= truth <= interval.high, interval.high - interval.low, interval.value - truth)
        )
    return Draw(*map(float, np.mean(results, axis=0)))


def limits(world: World) -> tuple[float, float]:
    """The most that a draw by these scores saves against `alone` and `alike`, with the rates of scores known: of
    shares W and deviations s of 40 ranges of the score A = Σ W s and V = Σ W s². Intervals of k labels of the best
    draw, A² / k − V / N, of `alike`, V (1 / k − 1 / N), and of `alone`, r (1 − r) (1 / k − 1 / N), are held equal.
    """
    rng = np.random.default_rng(SEED + 1)
    wholes = [planted(world, rng) for _ in range(200)]
    score, gold = (np.concatenate([getattr(whole, name) for whole in wholes]) for name in ("flagged", "gold"))
    edges = np.unique(np.quantile(score, np.arange(1, 40) / 40))
    part = np.searchsorted(edges, score, side="left")
    share = np.bincount(part) / len(part)
    p = np.bincount(part, gold)[share > 0] / np.bincount(part)[share > 0]
    share = share[share > 0]
    best, within = float(share @ np.sqrt(p * (1 - p))) ** 2, float(share @ (p * (1 - p)))
    whole = gold.mean() * (1 - gold.mean())
    alone = whole / (best / world.k - within / N + whole / N)
    return 1 - world.k / alone, 1 - best / within


def needed(width: float, widths: dict[int, float]) -> float:
    """Return how many labels have a mean width, by straight lines between logarithms of those measured."""
    k = np.array(sorted(widths))
    log_width = np.log([widths[each] for each in k])
    return float(np.exp(np.interp(-np.log(width), -log_width, np.log(k))))


def lines_of_draws(n_draws: int) -> Iterator[tuple[World, str, Draw, float, float, tuple[float, float]]]:
    """Each world, number of labels and design: what it does, and the labels saved against `alone` and `alike`."""
    for rate in RATES:
        for judge in JUDGES:
            ladders = [
                {k: measured(World(rate, judge, k), design, max(100, n_draws // 2)).width for k in LADDER}
                for design in ("alone", "alike")
            ]
            for k in LABELLED:
                world = World(rate, judge, k)
                for design in DESIGNS:
                    draw = measured(world, design, n_draws)
                    saved = [1 - k / needed(draw.width, ladder) for ladder in ladders]
                    yield world, design, draw, saved[0], saved[1], limits(world)


def table_of_draws(n_draws: int) -> list[str]:
    """The table of draws, below what it comes to."""
    rows, text = [], []
    for row in lines_of_draws(n_draws):
        world, design, draw, alone, alike, most = row
        rows.append(row)
        judge = "scores" if world.youden is None else f"J {world.youden:g}"
        what = (
            f"| rate {world.rate:g}, {judge} | {world.k} | {design} | {draw.coverage:.3f} | {draw.width:.4f} "
        )
        saved = [f"{value:.0%} of {limit:.0%}" for value, limit in zip((alone, alike), most, strict=True)]
        if design in DESIGNS[:2]:
            saved = ["–" if design == "alone" else f"{alone:.0%}", "–"]
        text.append(f"{what}| {draw.error:+.4f} | {' | '.join(saved)} |")
        print(text[-1], flush=True)
    header = (
        "world",
        "labels",
        "drawn",
        "intervals that hold",
        "width",
        "mean error",
        "labels saved against alone",
        "against alike",
    )
    return [*_sums(rows), "", f"| {' | '.join(header)} |", f"|{' --- |' * len(header)}", *text]


def _sums(rows: list[tuple[World, str, Draw, float, float, tuple[float, float]]]) -> list[str]:
    text = []
    for design in DESIGNS[2:]:
        of = [row for row in rows if row[1] == design]
        coverage = [row[2].coverage for row in of]
        text.append(
            f"- *{design}*: coverage {np.mean(coverage):.3f} in the mean (limit {LEAST_MEAN}), {min(coverage):.3f} in "
            f"the worst of {len(of)} cells (limit {LEAST_WORST})."
        )
        groups: dict[str, Callable[[World], bool]] = {
            f"J {CLAIMED_FROM:g} or more (limit {LEAST_SAVED:.0%} against alone)": lambda world: (
                (world.youden or 0) >= CLAIMED_FROM
            ),
            "J 0.4": lambda world: world.youden == JUDGES[0],
            "scores": lambda world: world.youden is None,
        }
        for name, belongs in groups.items():
            inside = [row for row in of if belongs(row[0])]
            parts = []
            for against, index in (("alone", 3), ("alike", 4)):
                saved = [row[index] for row in inside]
                most = np.mean([row[5][index - 3] for row in inside])
                parts.append(
                    f"{np.mean(saved):.0%} against {against} ({min(saved):.0%} to {max(saved):.0%}; the most possible "
                    f"is {most:.0%} in the mean)"
                )
            text.append(f"  - {name}: labels saved {', '.join(parts)}.")
    return text


# ---- gate --------------------------------------------------------------------------------------------------
ITEMS, OLD, FALSE_ALARMS, MARGIN = 600, 0.1, 0.1, 0.03
DIFFERENCES, OF_JUDGES, OF_ITEMS = (-0.03, 0.0, 0.03, 0.06, 0.1), (0.5, 0.8), (150, 300, 600)
MOST_CHECKED, MOST_ANSWERS = (
    100,
    20_000,
)  # undecided draws of a cell that are labelled on; answers that are planted
Files = list[tuple[np.ndarray, np.ndarray]]  # of each file the truth and what the judge flags


def two_files(difference: float, youden: float, n: int, rng: np.random.Generator) -> Files:
    """Old and new answers to n items, half of which are as hard for both."""
    hardness = rng.random(n)
    own = np.where(rng.random(n) < 0.5, hardness, rng.random(n))
    truths = [(hardness < OLD).astype(float), (own < OLD + difference).astype(float)]
    return [(truth, (rng.random(n) < FALSE_ALARMS + youden * truth).astype(float)) for truth in truths]


def said(files: Files, is_labelled: np.ndarray) -> tuple[Difference, int]:
    """The difference of two files of which the same items are labelled, and the code of the decision."""
    names = np.arange(len(is_labelled))
    cells = [verdicts(flags, np.where(is_labelled, truth, np.nan), names) for truth, flags in files]
    difference = difference_of(*cells)
    assert difference is not None
    return difference, decided(difference.low, difference.high, MARGIN)


def labelled_on(
    files: Files, k: int, known: Difference, planted_in: tuple[float, float], rng: np.random.Generator
) -> int | None:
    """The decision with the labels, or the answers, that an undecided one asks for, items 0 to k being labelled; None
    where it asks for more than MOST_ANSWERS.
    """
    if (labels := known.labels_for(MARGIN)) is not None:
        return said(files, np.arange(ITEMS) < min(ITEMS, -(-labels // 2)))[1]
    n = known.answers_for(MARGIN)
    if n is None or n > MOST_ANSWERS:
        return None
    more = two_files(*planted_in, n - ITEMS, rng)
    longer = [tuple(map(np.concatenate, zip(*both, strict=True))) for both in zip(files, more, strict=True)]
    is_labelled = np.r_[np.arange(ITEMS) < k, np.arange(n - ITEMS) < k / ITEMS * (n - ITEMS)]
    return said(longer, is_labelled)[1]  # type: ignore[arg-type]


def table_of_gate(n_draws: int) -> list[str]:
    """The table of decisions, below what it comes to."""
    text, worse, not_worse, tells = [], [], [], []
    for youden in OF_JUDGES:
        for difference in DIFFERENCES:
            for k in OF_ITEMS:
                rng, codes, held, later = np.random.default_rng(SEED), [], 0, []
                for _ in range(n_draws):
                    files = two_files(difference, youden, ITEMS, rng)
                    known, code = said(files, np.arange(ITEMS) < k)
                    codes.append(code)
                    held += known.low <= difference <= known.high
                    if code == UNDECIDED and len(later) < MOST_CHECKED:
                        later.append(labelled_on(files, k, known, (difference, youden), rng))
                shares = [np.mean(np.array(codes) == code) for code in (PASSED, FAILED, UNDECIDED)]
                (worse if difference <= MARGIN else not_worse).append(shares[difference <= MARGIN])
                checked = [code for code in later if code is not None]
                right = (
                    np.mean(np.array(checked) == (FAILED if difference > MARGIN else PASSED))
                    if checked
                    else np.nan
                )
                is_counted = difference != MARGIN and len(checked) >= 20
                tells += [right] if is_counted else []
                cells = [
                    f"J {youden:g}",
                    f"{100 * difference:+.0f}",
                    k,
                    *(f"{share:.3f}" for share in shares),
                ]
                cells += [f"{held / n_draws:.3f}", len(later), len(later) - len(checked)]
                text.append(f"| {' | '.join(map(str, [*cells, f'{right:.2f}' if is_counted else '–']))} |")
                print(text[-1], flush=True)
    header = (
        "judge",
        "difference",
        "labels of each",
        "not worse",
        "worse",
        "cannot tell",
        "intervals that hold",
    )
    header += ("labelled on", f"asks for over {MOST_ANSWERS:,} answers", "then decided rightly")
    return [
        f"- Worse is said where the difference is 3 points or less: {np.mean(worse):.1%} in the mean, {max(worse):.1%} in "
        "the worst cell (limit 5%).",
        f"- Not worse is said where the difference is 6 or 10 points: {max(not_worse):.1%} in the worst cell (limit 20%).",
        f"- With as many labels or answers as an undecided gate asks for it decides rightly in {min(tells, default=np.nan):.0%} or more of "
        f"the draws of each cell, {np.mean(tells):.0%} in the mean (limit 80%; cells with 20 such draws or more, at "
        "differences other than the margin itself, where nothing can be right).",
        "",
        f"| {' | '.join(header)} |",
        f"|{' --- |' * len(header)}",
        *text,
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--draws", type=int, default=1000)
    options.add_argument("--part", choices=("draws", "gate"))
    options.add_argument("--write", metavar="FILE")
    given = options.parse_args()
    for part, table in {"draws": table_of_draws, "gate": table_of_gate}.items():
        if given.part in (None, part):
            text = table(given.draws)
            print(*text, sep="\n")
            if given.write:
                write_between(Path(given.write), f"bench:rate-{part}", "\n".join(text))


if __name__ == "__main__":
    main()
