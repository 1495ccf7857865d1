"""Does each estimate of a hallucination rate find the planted rate, and how does each fail where detectors err
differently from model to model (first table) and where calibration and wild texts differ (second)?

Run `python benchmarks/rates.py` from the project's folder; `--write benchmarks/RESULTS.md` puts the tables
between the markers `<!-- bench:rates -->` and `<!-- /bench:rates -->`. Simulated texts, no model calls, the
estimators of the boards. The first table is of the boards of `rate_boards.py`. In the second a text has sentences
of twelve tokens; a sentence is hallucinated as a whole, more likely in some articles than in others, and a
detector marks all of it or nothing; of a true sentence it marks half in a false alarm; the target is the planted
rate of the wild replies. With 1,000 draws a true coverage of .95 is measured within ± .014 (two standard errors).
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rate_boards import (
    SAMPLES,
    Found,
    Place,
    Sample,
    World,
    draw_world,
    foretold,
    found_of,
    kendall,
    mean_rates,
    told_apart,
)

from truerate.metrics.estimators.registry import ESTIMATORS, HR_EST, PREDICTION_POWERED, estimate_board
from truerate.metrics.estimators.sample import Calibration, Cell
from truerate.metrics.rates import RAW, ROGAN_GLADEN, Estimate
from truerate.results.markers import write_between

SENTENCES, TOKENS = 5, 12
ALARM_TOKENS = TOKENS // 2
WORLDS = 4  # draws of all replies of a board; the draws of labels are shared out among them
CONCENTRATION = 8.0  # of the beta distribution of an article's own rate around the planted one
EASY, HARD = (
    0.9,
    0.3,
)  # TPR of a sentence whose hallucination is easy or hard to see (inserted invention, swapped name)


@dataclass(frozen=True)
class Kind:
    """Texts of one kind: the share of hallucinated sentences, the share of hard ones among them, false alarms
    per true one.
    """

    rate: float
    hard: float
    alarms: float


@dataclass(frozen=True)
class Setting:
    """Inserted (silver) and wild texts, and how many of each: passages, articles of two replies, labelled
    replies.
    """

    name: str
    silver: Kind
    wild: Kind
    n_silver: int = 60
    n_articles: int = 60
    n_natural: int = 60


SAME = Kind(rate=0.10, hard=0.3, alarms=0.03)
FEW = {"n_silver": 24, "n_articles": 20, "n_natural": 24}
SETTINGS = (
    Setting("no shift", SAME, SAME),
    Setting("no shift, few texts", SAME, SAME, **FEW),
    Setting("prevalence: inserted .35, wild .10", replace(SAME, rate=0.35), SAME),
    Setting("type: hard ones .1 of inserted, .7 of wild", replace(SAME, hard=0.1), replace(SAME, hard=0.7)),
    Setting("grounding: false alarms .03 of inserted, .15 of wild", SAME, replace(SAME, alarms=0.15)),
    Setting("all three", replace(SAME, rate=0.35, hard=0.1), Kind(rate=0.10, hard=0.7, alarms=0.15)),
    Setting(
        "all three, few texts",
        replace(SAME, rate=0.35, hard=0.1),
        Kind(rate=0.10, hard=0.7, alarms=0.15),
        **FEW,
    ),
)


def sums(kind: Kind, groups: np.ndarray, own: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """n, gold, detected, both of texts (texts, 4), each in an article with its own rate."""
    shape = (len(groups), SENTENCES)
    is_gold = rng.random(shape) < own[groups][:, None]
    seen = rng.random(shape) < np.where(rng.random(shape) < kind.hard, HARD, EASY)
    alarm = rng.random(shape) < kind.alarms
    both = TOKENS * (is_gold & seen).sum(axis=1)
    return np.stack(
        [
            np.full(len(groups), TOKENS * SENTENCES),
            TOKENS * is_gold.sum(1),
            both + ALARM_TOKENS * (~is_gold & alarm).sum(1),
            both,
        ],
        1,
    )


def own_rates(rate: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """The rates of `n` articles."""
    return rng.beta(CONCENTRATION * rate, CONCENTRATION * (1 - rate), size=n)


def draw(setting: Setting, rng: np.random.Generator) -> tuple[Cell, dict[str, Calibration]]:
    """One model's replies, passages with inserted hallucinations, and labelled replies of other models to the
    same articles.
    """
    own = own_rates(setting.wild.rate, setting.n_articles, rng)
    groups = np.repeat(np.arange(setting.n_articles), 2)
    wild = sums(setting.wild, groups, own, rng)
    labelled = rng.permutation(
        np.tile(np.arange(setting.n_articles), -(-setting.n_natural // setting.n_articles))
    )[: setting.n_natural]
    natural = sums(setting.wild, labelled, own, rng)
    passages = np.arange(setting.n_silver)
    silver = sums(setting.silver, passages, own_rates(setting.silver.rate, setting.n_silver, rng), rng)
    replies = Cell(wild[:, 0], wild[:, 2], np.full(len(groups), np.nan), groups.astype(str))
    names = np.array([f"passage {place}" for place in passages])
    return replies, {"silver": texts(silver, names), "natural": texts(natural, labelled.astype(str))}


def texts(sums: np.ndarray, clusters: np.ndarray) -> Calibration:
    """Labelled texts of one language."""
    return Calibration(sums, np.full(len(sums), "x"), np.full(len(sums), "other"), clusters)


def found(setting: Setting, n_draws: int, seed: int) -> Iterator[list[Estimate]]:
    """Every estimate of each draw that rests on labels of other texts, or on none."""
    rng = np.random.default_rng(seed)
    for _ in range(n_draws):
        replies, calibrated = draw(setting, rng)
        names = (RAW, HR_EST, ROGAN_GLADEN)
        each = estimate_board({("m", "x"): replies}, confidence=0.95, calibrated=calibrated, names=names)
        yield sorted(each["m", "x"], key=lambda one: one.calibration != "silver" and one.calibration or "")


def lines(setting: Setting, n_draws: int, seed: int) -> list[str]:
    """One line of the table per estimator and what it was calibrated on."""
    by_key: dict[tuple, list] = {}
    for each in found(setting, n_draws, seed):
        for one in each:
            by_key.setdefault((one.estimator, one.calibration), []).append(one.interval)
    return [line(setting, *key, intervals) for key, intervals in by_key.items()]


def line(setting: Setting, estimator: str, calibration: str | None, intervals: list) -> str:
    """Mean error, coverage and width of the estimates that could be told."""
    target = setting.wild.rate
    known = [one for one in intervals if one is not None and one.value is not None and not np.isnan(one.low)]
    bias = np.mean([one.value - target for one in known])
    share = np.mean([one.low <= target <= one.high for one in known])
    width = np.mean([one.high - one.low for one in known])
    untold = 1 - len(known) / len(intervals)
    cells = (
        f"{bias:+.3f} | {share:.3f} | {width:.3f} | {untold:.3f}" if known else f"– | – | – | {untold:.3f}"
    )
    return f"| {setting.name} | {estimator} | {calibration or '–'} | {cells} |"


def shift_table(n_draws: int, seed: int) -> str:
    """All settings as a Markdown table."""
    head = [
        "| calibration against wild | estimator | calibrated on | mean error | coverage | mean width | not told |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    body = [one for setting in SETTINGS for one in lines(setting, n_draws, seed)]
    return "\n".join(
        [f"{n_draws:,} draws per setting, planted rate {SAME.rate}, intervals of 0.95.", "", *head, *body]
    )


# ---- boards ------------------------------------------------------------------------------------------------

HEAD = (
    "| labelled of 40 replies a cell | labels | estimator | calibrated on | cells: coverage | worst cell | below .85 "
    "| not told | mean error | MAE | width | means: coverage | MAE | width | τ |",
    "| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)


def board_table(n_draws: int, seed: int) -> str:
    """Every estimator on boards of which few replies are labelled, and what the headline tells apart."""
    worlds = [draw_world(seed + place) for place in range(WORLDS)]
    each, rows, notes = max(1, n_draws // WORLDS), [], []
    for sample in SAMPLES:
        drawn = [found_of(world, sample, n_draws=each, seed=seed) for world in worlds]
        rows += [board_row(sample, place, [one[place] for one in drawn], worlds) for place in drawn[0]]
        notes.append(note(sample, worlds, n_draws=max(1, each // 4), seed=seed))
    words = (
        f"{WORLDS} worlds of 5 models × 6 languages, {each * WORLDS:,} draws of labels per sample, intervals of 0.95, "
        "errors and widths in points of percent. `below .85`: cells of all worlds with less coverage. `not told`: estimates of "
        "cells that cannot be told, which hold nothing; errors and widths are those of the others. The detector's false "
        "alarms differ by the place of a sentence, and with the replies' lengths by model."
    )
    return "\n".join([words, "", *HEAD, *rows, "", *notes])


def board_row(sample: Sample, place: Place, drawn: list[Found], worlds: list[World]) -> str:
    """One estimator on all worlds."""
    cells = [
        summed(np.array(one.cells), np.array([replies.rate for replies in world.values()]))
        for one, world in zip(drawn, worlds, strict=True)
    ]
    means = [
        summed(np.array(one.means), np.array(mean_rates(world)))
        for one, world in zip(drawn, worlds, strict=True)
    ]
    held, untold, bias, error, width = (np.concatenate(part) for part in zip(*cells, strict=True))
    mean_held, mean_untold, _, mean_error, mean_width = (
        np.concatenate(part) for part in zip(*means, strict=True)
    )
    taus = [
        kendall(values, np.array(mean_rates(world)))
        for one, world in zip(drawn, worlds, strict=True)
        for values in np.array(one.means)[..., 0]
    ]
    numbers = [f"{held.mean():.3f}", f"{held.min():.2f}", f"{(held < 0.85).sum()} of {len(held)}"]
    numbers += [f"{untold.mean():.3f}", points(bias, "+.1f"), points(error), points(width)]
    if (mean_untold == 1).all():
        numbers += ["–"] * 4
    else:
        numbers += [f"{mean_held.mean():.3f}", points(mean_error), points(mean_width)]
        numbers.append("–" if np.isnan(taus).all() else f"{np.nanmean(taus):.2f}")
    name = f"**{place[0]}**" if place[0] == PREDICTION_POWERED else place[0]
    where = [sample.name, str(sample.n_labels), name, place[1] or "–"]
    return "| " + " | ".join([*where, *numbers]) + " |"


def points(values: np.ndarray, form: str = ".1f") -> str:
    """The mean of shares in points of percent over the places that have one, – where none has."""
    known = values[~np.isnan(values)]
    return format(100 * known.mean(), form) if len(known) else "–"


def summed(estimates: np.ndarray, truth: np.ndarray) -> list[np.ndarray]:
    """Coverage, share not told, mean error, mean absolute error and mean width of each place, (places,), from estimates
    (draws, places, 3). One that is not told covers nothing and has no error; NaN where none of a place is told.
    """
    value, low, high = np.moveaxis(estimates, -1, 0)
    is_told = ~np.isnan(value)
    n_told = np.where(is_told.any(axis=0), is_told.sum(axis=0), np.nan)
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    errors = (value - truth, abs(value - truth), high - low)
    return [held, 1 - is_told.mean(axis=0), *(np.nansum(one, axis=0) / n_told for one in errors)]


def note(sample: Sample, worlds: list[World], *, n_draws: int, seed: int) -> str:
    """What the headline tells apart, and how the language without labels is foretold."""
    apart = np.array([told_apart(world, sample, n_draws=n_draws, seed=seed) for world in worlds]).mean(axis=0)
    held = np.array([one for world in worlds for one in foretold(world, sample, n_draws=n_draws, seed=seed)])
    return (
        f"- {sample.name}: `{PREDICTION_POWERED}` tells {apart[0]:.1f} of 10 pairs of models apart, in {apart[1]:.3f} of "
        f"draws one of them the wrong way round. A language in which nobody labelled is foretold with coverage "
        f"{held[:, 0].mean():.3f}, width {100 * held[:, 1].mean():.1f}."
    )


def main() -> None:
    """Print the tables, and write them into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000, help="independent draws per setting")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    told = [f"- `{one.name}` ({one.labels} labels): {one.assumes}" for one in ESTIMATORS.values()]
    tables = (
        board_table(options.draws, options.seed),
        "\n".join(told),
        shift_table(options.draws, options.seed),
    )
    text = "\n\n".join(tables)
    print(text)
    if options.write:
        write_between(options.write, "bench:rates", text)


if __name__ == "__main__":
    main()
