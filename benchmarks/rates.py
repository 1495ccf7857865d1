"""Does each estimate of a hallucination rate find the planted rate, and how does each fail where calibration
and wild texts differ?

Run `python benchmarks/rates.py` from the project's folder; `--write benchmarks/RESULTS.md` puts the table
between the markers `<!-- bench:rates -->` and `<!-- /bench:rates -->`. Simulated texts, no model calls, the
estimators of the boards. A text has sentences of twelve tokens; a sentence is hallucinated as a whole, more
likely in some articles than in others, and a detector marks all of it or nothing; of a true sentence it marks
half in a false alarm. The target is always the planted rate of the wild replies. With 1,000 draws a true
coverage of .95 is measured within ± .014 (two standard errors).
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from truerate.config import Statistics
from truerate.metrics.score_writer import ScoreWriter
from truerate.real.markers import write_between
from truerate.tracks.mfava.rates import FLAWS, Calibration, Estimate, Replies, estimates

SENTENCES, TOKENS = 5, 12
ALARM_TOKENS = TOKENS // 2
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


def draw(setting: Setting, rng: np.random.Generator) -> tuple[Replies, dict[str, Calibration]]:
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
    names = groups.astype(str)
    flaws = {name: np.zeros(len(groups), dtype=bool) for name in FLAWS}
    replies = Replies(
        names,
        names,
        np.full(len(groups), "42"),
        np.ones(len(groups), dtype=bool),
        wild[:, :1],
        wild[:, 2:3],
        flaws,
    )
    passage_names = np.array([f"passage {place}" for place in passages])
    return replies, {
        "silver": Calibration(passage_names, silver[:, None]),
        "natural": Calibration(labelled.astype(str), natural[:, None]),
    }


def found(setting: Setting, n_draws: int, seed: int) -> Iterator[list[Estimate]]:
    """Every estimate of each draw."""
    rng = np.random.default_rng(seed)
    for place in range(n_draws):
        writer = ScoreWriter("", "", Statistics(confidence=0.95, n_bootstrap=500, alpha=0.05), place)
        yield estimates(*draw(setting, rng), writer)


def lines(setting: Setting, n_draws: int, seed: int) -> list[str]:
    """One line of the table per estimator and what it was calibrated on."""
    by_key: dict[tuple, list] = {}
    for each in found(setting, n_draws, seed):
        for one in each:
            by_key.setdefault((one.estimator, one.calibration), []).append(one.found)
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


def table(n_draws: int, seed: int) -> str:
    """All settings as a Markdown table."""
    head = [
        "| calibration against wild | estimator | calibrated on | mean error | coverage | mean width | not told |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    body = [one for setting in SETTINGS for one in lines(setting, n_draws, seed)]
    return "\n".join(
        [f"{n_draws:,} draws per setting, planted rate {SAME.rate}, intervals of 0.95.", "", *head, *body]
    )


def main() -> None:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000, help="independent draws per setting")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    text = table(options.draws, options.seed)
    print(text)
    if options.write:
        write_between(options.write, "bench:rates", text)


if __name__ == "__main__":
    main()
