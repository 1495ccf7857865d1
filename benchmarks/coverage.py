"""Do the intervals cover, and do the rank tests keep their family-wise error? Simulated counts, no model calls.

Run `python benchmarks/coverage.py` from the project's folder; `--write benchmarks/RESULTS.md` puts the table
between the markers `<!-- bench:coverage -->` and `<!-- /bench:coverage -->`. The target is always the planted
parameter. With 1,000 draws a true coverage of .95 is measured within ± .014 (two standard errors).
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from truerate.metrics.intervals import Interval, ratio_intervals, share_interval, wilson
from truerate.metrics.ranking import compare_all, rank_ranges
from truerate.metrics.rates import Share, rogan_gladen
from truerate.results.markers import write_between

CONFIDENCE, ALPHA = 0.95, 0.05
Line = tuple[str, str, float, float, str]  # what, setting, share, mean width, remark


def covering(found: list[Interval | None], target: float) -> tuple[float, float]:
    """Share of the intervals that hold the target, and their mean width; a missing interval holds nothing and
    has no width.
    """
    known = [one for one in found if one is not None]
    held = sum(one.low - 1e-12 <= target <= one.high + 1e-12 for one in known)
    return held / len(found), float(np.mean([one.high - one.low for one in known])) if known else float("nan")


def wilson_lines(n_draws: int, rng: np.random.Generator) -> Iterator[Line]:
    """Wilson on independent rows."""
    for n in (30, 100, 1000):
        for p in (0.02, 0.1, 0.5):
            found = [wilson(k, n, confidence=CONFIDENCE) for k in rng.binomial(n, p, size=n_draws)]
            yield "Wilson, independent rows", f"n = {n}, rate {p}", *covering(found, p), ""


def clustered(n_clusters: int, p: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Successes and sizes of clusters of one to six rows whose own rates vary around p (beta, intra-cluster
    correlation .3).
    """
    spread = 1 / 0.3 - 1
    sizes = rng.integers(1, 7, size=n_clusters)
    return rng.binomial(sizes, rng.beta(p * spread, (1 - p) * spread, size=n_clusters)).astype(
        float
    ), sizes.astype(float)


def opposed(n_clusters: int, share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Successes and sizes of pairs, of a given share of which exactly one row is right, of the others both by
    chance: rate one half.
    """
    first, second = rng.random((2, n_clusters)) < 0.5
    second = np.where(rng.random(n_clusters) < share, ~first, second)
    return first.astype(float) + second, np.full(n_clusters, 2.0)


def pair_lines(n_draws: int, rng: np.random.Generator) -> Iterator[Line]:
    """The same for pairs whose rows tend to differ, as of a judge that always says the same."""
    for n_clusters in (20, 60):
        for share in (0.5, 0.9):
            drawn = [opposed(n_clusters, share, rng) for _ in range(n_draws)]
            setting = f"{n_clusters} pairs, {share} of them one right and one wrong, rate 0.5"
            for name, way in {"Cluster bootstrap": bootstrap, "Wilson with effective n": effective}.items():
                found = [way(top, size, seed) for seed, (top, size) in enumerate(drawn)]
                yield name, setting, *covering(found, 0.5), ""


def cluster_lines(n_draws: int, rng: np.random.Generator) -> Iterator[Line]:
    """The cluster bootstrap and the clustered Wilson interval on the same draws; Wilson that ignores clusters
    beside them.
    """
    for n_clusters in (20, 60, 200):
        for p in (0.05, 0.1, 0.5):
            drawn = [clustered(n_clusters, p, rng) for _ in range(n_draws)]
            setting = f"{n_clusters} clusters of 1–6, rate {p}"
            ways = {
                "Cluster bootstrap": bootstrap,
                "Wilson with effective n": effective,
                "Wilson, clusters ignored": naive,
            }
            for name, way in ways.items():
                found = [way(top, size, seed) for seed, (top, size) in enumerate(drawn)]
                yield name, setting, *covering(found, p), "shown for contrast" if way is naive else ""


def sliced(n_groups: int, twice: float, p: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Successes and sizes of a pattern's slice: groups with one row of the class or (a share `twice`) two, each
    row of one of four patterns by chance; rates of groups vary around p (intra-cluster correlation .3).
    """
    spread = 1 / 0.3 - 1
    sizes = rng.binomial(1 + (rng.random(n_groups) < twice), 0.25)
    rates = rng.beta(p * spread, (1 - p) * spread, size=n_groups)
    return rng.binomial(sizes, rates).astype(float), sizes.astype(float)


def slice_lines(n_draws: int, rng: np.random.Generator) -> Iterator[Line]:
    """The interval of a slice by pattern, of whose groups most have one row or none in it, beside the bootstrap."""
    for n_groups in (32, 80):
        for twice in (0.0, 0.1):
            for p in (0.5, 0.8, 0.95):
                drawn = [sliced(n_groups, twice, p, rng) for _ in range(n_draws)]
                setting = f"a quarter of {n_groups} groups, {twice} of them with two rows, rate {p}"
                found = [effective(top, size, 0) for top, size in drawn]
                yield "Slice by pattern, as on boards", setting, *covering(found, p), ""
                found = [bootstrap(top, size, seed) for seed, (top, size) in enumerate(drawn)]
                yield (
                    "Slice by pattern, cluster bootstrap",
                    setting,
                    *covering(found, p),
                    "shown for contrast",
                )


def bootstrap(top: np.ndarray, size: np.ndarray, seed: int) -> Interval | None:
    """The bootstrap of the boards' other statistics, with 1,000 resamples."""
    return ratio_intervals(top[:, None], size[:, None], n_resamples=1000, confidence=CONFIDENCE, seed=seed)[0]


def effective(top: np.ndarray, size: np.ndarray, seed: int) -> Interval | None:
    """The interval of the boards' shares: Wilson's with the effective number of rows."""
    return share_interval(top, size, confidence=CONFIDENCE)


def naive(top: np.ndarray, size: np.ndarray, seed: int) -> Interval | None:
    """Wilson's interval as if all rows were independent."""
    return wilson(top.sum(), size.sum(), confidence=CONFIDENCE)


def rogan_gladen_lines(n_draws: int, rng: np.random.Generator) -> Iterator[Line]:
    """Rogan–Gladen with TPR and FPR measured on calibration texts, half of each class; not identified draws
    are left out and counted.
    """
    for tpr, fpr in ((0.8, 0.03), (0.6, 0.2), (0.3, 0.1)):
        for n_calibration in (100, 1000):
            for rate in (0.08, 0.3):
                half, n = n_calibration // 2, 1000
                q = rate * tpr + (1 - rate) * fpr
                draws = zip(
                    rng.binomial(n, q, n_draws),
                    rng.binomial(half, tpr, n_draws),
                    rng.binomial(half, fpr, n_draws),
                    strict=True,
                )
                found = [
                    rogan_gladen(Share(k, n), Share(hit, half), Share(alarm, half), confidence=CONFIDENCE)
                    for k, hit, alarm in draws
                ]
                known = [Interval(one.value, one.low, one.high) for one in found if one.is_identified]
                setting = f"TPR {tpr}, FPR {fpr}, {n_calibration} calibrating, 1000 judged, rate {rate}"
                remark = f"not identified: {1 - len(known) / n_draws:.3f}" if len(known) < n_draws else ""
                yield "Rogan–Gladen", setting, *covering(known, rate), remark


def rank_lines(n_draws: int, rng: np.random.Generator) -> Iterator[Line]:
    """Rank ranges of subjects that are all equally good: the share of boards where any two are told apart."""
    for n_subjects, n_clusters in ((3, 30), (6, 30), (6, 120), (12, 120)):
        wrong, widths = 0, []
        for seed in range(n_draws):
            difficulty = np.repeat(rng.normal(size=n_clusters), 2)
            values = (rng.random((n_subjects, 2 * n_clusters)) < 1 / (1 + np.exp(-difficulty - 0.8))).astype(
                float
            )
            clusters = np.repeat(np.arange(n_clusters), 2)
            compared = compare_all(values, clusters, n_resamples=1000, alpha=ALPHA, seed=seed)
            ranges = rank_ranges(n_subjects, compared, alpha=ALPHA)
            wrong += any(one != (1, n_subjects) for one in ranges)
            widths.append(np.mean([one.rank_high - one.rank_low for one in ranges]))
        setting = f"{n_subjects} equal subjects, {n_clusters} clusters of 2"
        yield (
            "Rank ranges, family-wise error",
            setting,
            wrong / n_draws,
            float(np.mean(widths)),
            f"at most {ALPHA}",
        )


def family_lines(n_draws: int, rng: np.random.Generator) -> Iterator[Line]:
    """Rank ranges of the best of five models: the share of boards where it is not 1–1, without and with baselines
    beside the models, and with all in one family.
    """
    rates = np.array([[0.93], [0.82], [0.8], [0.7], [0.62]])
    for n_baselines, is_split in ((0, True), (8, True), (8, False)):
        lost, widths = 0, []
        for seed in range(n_draws):
            models, others = rng.random((5, 120)) < rates, rng.random((n_baselines, 120)) < 0.5
            values = np.array([*models, *others], dtype=float)
            is_model = [True] * 5 + [not is_split] * n_baselines
            compared = compare_all(
                values, range(120), n_resamples=1000, alpha=ALPHA, seed=seed, is_model=is_model
            )
            ranges = rank_ranges(len(values), compared, alpha=ALPHA, is_model=is_model)
            lost += ranges[0] != (1, 1)
            widths.append(np.mean([one.rank_high - one.rank_low for one in ranges[:5]]))
        beside = f"{n_baselines} baselines in {'a second' if is_split else 'the same'} family"
        setting = f"5 models on 120 texts, .93 against .82 and less, {beside if n_baselines else 'alone'}"
        yield "Rank ranges, first not 1–1", setting, lost / n_draws, float(np.mean(widths)), ""


def table(lines: list[Line], n_draws: int) -> str:
    """The lines as a Markdown table."""
    head = [
        "| what | setting | coverage (error for ranks) | mean width | remark |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    body = [
        f"| {what} | {setting} | {share:.3f} | {width:.3f} | {remark} |"
        for what, setting, share, width, remark in lines
    ]
    return "\n".join([f"{n_draws:,} draws per line, intervals of {CONFIDENCE}.", "", *head, *body])


def main() -> None:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000, help="independent draws per line")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    makers = (
        wilson_lines,
        cluster_lines,
        rogan_gladen_lines,
        rank_lines,
        pair_lines,
        slice_lines,
        family_lines,
    )
    text = table([line for maker in makers for line in maker(options.draws, rng)], options.draws)
    print(text)
    if options.write:
        write_between(options.write, "bench:coverage", text)


if __name__ == "__main__":
    main()
