"""Do the boards' own intervals hold what was planted? Verdicts drawn from planted rates, scored by the track,
no model calls.

    python benchmarks/recover.py [--draws 1000] [--write benchmarks/RESULTS.md]

Every draw is a judge of its own on synthetic texts: `unparsed` of its replies give no verdict, the others
call a hallucinated text so with probability `tpr` and a right one with `fpr`. `score_recognition` makes the
Score rows, with the confidence and resamples of params.yaml. The target is the planted parameter (for
accuracy and F1 what follows from it over infinitely many texts), never the realised share. `--write` puts the
table between the markers `<!-- bench:recover -->` and `<!-- /bench:recover -->` of a file.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl

from truerate.config import Statistics, load_params
from truerate.core.schemas import PAIRS, Judgement, Sample, frame, pairs
from truerate.metrics.score_writer import ScoreWriter
from truerate.results.markers import write_between
from truerate.tracks.halueval.scores import score_recognition

METRICS = ("accuracy", "tpr", "tnr", "f1", "unparsed_rate")
JUDGES = 50  # draws that are scored in one call


@dataclass(frozen=True)
class Setting:
    """A board's texts and what is planted in its judge.

    `prevalence` None: pairs of a right and a hallucinated text; else single texts, hallucinated that often.
    `per_group`: how many pairs or texts a group holds at most (evenly drawn from 1). `likeness`: the
    intra-group correlation of what a judge says of texts of one label.
    """

    name: str
    n: int
    tpr: float
    fpr: float
    unparsed: float
    prevalence: float | None = None
    per_group: int = 1
    likeness: float = 0.0

    def targets(self) -> dict[str, float]:
        """What the metrics estimate: an unparsed reply is wrong in accuracy and no Yes in F1, and enters
        neither TPR nor TNR.
        """
        share, read = 0.5 if self.prevalence is None else self.prevalence, 1 - self.unparsed
        yes = read * (share * self.tpr + (1 - share) * self.fpr)
        return {
            "accuracy": read * (share * self.tpr + (1 - share) * (1 - self.fpr)),
            "tpr": self.tpr,
            "tnr": 1 - self.fpr,
            "f1": 2 * share * read * self.tpr / (share + yes),
            "unparsed_rate": self.unparsed,
        }


SETTINGS = (
    Setting("100 pairs, a good judge", 100, tpr=0.84, fpr=0.08, unparsed=0.01),
    Setting("60 pairs, a poor judge", 60, tpr=0.52, fpr=0.44, unparsed=0.10),
    Setting("30 pairs, a good judge", 30, tpr=0.84, fpr=0.08, unparsed=0.04),
    Setting("100 pairs, 1–4 of an entity", 100, tpr=0.62, fpr=0.14, unparsed=0.02, per_group=4, likeness=0.2),
    Setting("60 single texts, 30 % hallucinated", 60, tpr=0.72, fpr=0.08, unparsed=0.04, prevalence=0.3),
    Setting("300 single texts, 20 % hallucinated", 300, tpr=0.72, fpr=0.08, unparsed=0.04, prevalence=0.2),
)


# ---- drawing -----------------------------------------------------------------------------------------------
def texts(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, units (pairs or single texts) and groups of a setting's texts."""
    sizes = rng.integers(1, setting.per_group + 1, size=setting.n)
    group = np.repeat(np.arange(setting.n), sizes)[: setting.n]
    unit = np.arange(setting.n)
    if setting.prevalence is None:
        return np.tile([False, True], setting.n), np.repeat(unit, 2), np.repeat(group, 2)
    return rng.random(setting.n) < setting.prevalence, unit, group


def verdicts(
    setting: Setting, label: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> list[bool | None]:
    """What one judge says of each text. With `likeness` r each group has its own rates, beta-distributed
    around the planted ones: two draws of one group and label then have correlation r.
    """
    rates = np.where(label, setting.tpr, setting.fpr)
    if setting.likeness:
        strength = 1 / setting.likeness - 1
        own = {False: setting.fpr, True: setting.tpr}
        drawn = {
            which: rng.beta(p * strength, (1 - p) * strength, size=setting.n) for which, p in own.items()
        }
        rates = np.where(label, drawn[True][group], drawn[False][group])
    says = rng.random(len(label)) < rates
    is_read = rng.random(len(label)) >= setting.unparsed
    return [bool(yes) if read else None for yes, read in zip(says, is_read, strict=True)]


def tables(setting: Setting, rng: np.random.Generator) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Samples and judgements of `JUDGES` draws: each has texts and a judge of its own."""
    samples, judgements = [], []
    for place in range(JUDGES):
        label, unit, group = texts(setting, rng)
        names = [f"{place:03d}-{number:04d}" for number in range(len(label))]
        said = verdicts(setting, label, group, rng)
        samples += [_sample(setting, place, *one) for one in zip(names, label, unit, group, strict=True)]
        judgements += [
            _judgement(f"draw-{place:03d}", name, verdict) for name, verdict in zip(names, said, strict=True)
        ]
    return frame(Sample, samples), frame(Judgement, judgements)


def _sample(setting: Setting, place: int, name: str, label: bool, unit: int, group: int) -> dict:
    is_pair = setting.prevalence is None
    known = {
        "sample_id": name,
        "item_id": f"{place}-{unit}",
        "pair_id": f"{place}-{unit}" if is_pair else None,
    }
    known |= {
        "group_id": f"{place}-{group}",
        "task": "qa" if is_pair else "general",
        "lang": "en",
        "text": "",
        "spans": [],
    }
    return known | {
        "is_hallucinated": bool(label),
        "label_source": "silver",
        "split": "test",
        "attributes": [],
    }


def _judgement(judge: str, name: str, verdict: bool | None) -> dict:
    known = {
        "judgement_id": f"{judge}-{name}",
        "judge": judge,
        "judge_version": "",
        "target_id": name,
        "verdict": verdict,
        "spans": [],
    }
    return known | {"status": "unparsed" if verdict is None else "ok", "attributes": pairs(variant="plain")}


# ---- scoring -----------------------------------------------------------------------------------------------
def scored(asked: tuple[Setting, int, Statistics]) -> list[tuple[str, float, float | None, float | None]]:
    """Metric, value and interval of the Score rows of one batch of draws."""
    setting, seed, statistics = asked
    samples, judgements = tables(setting, np.random.default_rng(seed))
    scores, _ = score_recognition(samples, judgements, ScoreWriter("bench", "", statistics, seed))
    whole = scores.filter(pl.col("metric").is_in(METRICS), ~_has("pattern"))
    return whole.select("metric", "value", "low", "high").rows()


def _has(key: str) -> pl.Expr:
    return pl.col("slice").cast(PAIRS).list.eval(pl.element().struct.field("key") == key).list.any()


def lines(settings: tuple[Setting, ...], n_batches: int, statistics: Statistics, seed: int) -> Iterator[str]:
    """One row of the table per setting and metric."""
    roots = (
        np.random.SeedSequence(seed)
        .generate_state(len(settings) * n_batches)
        .reshape(len(settings), n_batches)
    )
    asked = [
        (setting, int(root), statistics) for setting, own in zip(settings, roots, strict=True) for root in own
    ]
    with get_context("spawn").Pool() as pool:
        came = pool.map(scored, asked, chunksize=1)
    for place, setting in enumerate(settings):
        rows = [row for part in came[place * n_batches : (place + 1) * n_batches] for row in part]
        for metric, target in setting.targets().items():
            yield line(setting, metric, target, [row[1:] for row in rows if row[0] == metric])


def line(setting: Setting, metric: str, target: float, found: list[tuple]) -> str:
    """Coverage with its Monte-Carlo error (one standard error), mean width and mean error of one metric. No
    interval holds nothing.
    """
    n = len(found)
    known = [one for one in found if one[1] is not None and one[2] is not None]
    share = (
        sum(low - 1e-6 <= target <= high + 1e-6 for _, low, high in known) / n
    )  # saved values have six digits
    error = sqrt(share * (1 - share) / n)
    width = np.mean([high - low for _, low, high in known])
    bias = np.mean([value for value, *_ in found if value is not None]) - target
    none = f"{1 - len(known) / n:.3f}" if len(known) < n else "–"
    return f"| {setting.name} | {metric} | {target:.3f} | {share:.3f} ± {error:.3f} | {width:.3f} | {bias:+.4f} | {none} |"


def table(body: list[str], n_draws: int, statistics: Statistics) -> str:
    """The rows as a Markdown table."""
    head = ["| texts and judge | metric | planted | coverage | mean width | mean error | no interval |"]
    head.append("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    told = f"{n_draws:,} draws per line, intervals of {statistics.confidence}, {statistics.n_bootstrap:,} resamples."
    return "\n".join([told, "", *head, *body])


def main() -> None:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--draws", type=int, default=1000, help=f"independent draws per line, in batches of {JUDGES}"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    statistics, n_batches = load_params("params.yaml").statistics, -(-options.draws // JUDGES)
    text = table(list(lines(SETTINGS, n_batches, statistics, options.seed)), n_batches * JUDGES, statistics)
    print(text)
    if options.write:
        write_between(options.write, "bench:recover", text)


if __name__ == "__main__":
    main()
