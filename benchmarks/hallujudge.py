"""How well the small judge of dialogues finds hallucinations of entities that it never saw, beside judges that see
less, learn in another way, or learn from more, and what its training costs.

    python benchmarks/hallujudge.py [--seeds 2001 2002 2003] [--write benchmarks/RESULTS.md]
    python benchmarks/hallujudge.py --board DIR [--write benchmarks/RESULTS.md]
    python benchmarks/hallujudge.py --causal [--write benchmarks/RESULTS.md]

The first makes its texts from closed worlds (`hallujudge_texts.py`), one per seed. The last line is the *oracle*: the
same trees over the same numbers, taught by five times as many dialogues of another world, so that what it misses
is what these numbers do not tell. The second reads a built project in which both commented families of params.yaml
that stand below `hallujudge` are on, trained and judged: what it is worth to have seen other texts of the same
context (HalluDial's published split), and what the judge says of HaluEval's texts (HalluDial section 3.3). The third
holds texts that a decoder judges together against one at a time (`hallujudge_causal.py`).

`--write` puts a table between the markers `<!-- bench:hallujudge -->`, `<!-- bench:hallujudge-board -->`, or
`<!-- bench:hallujudge-causal -->`.
"""

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import torch
from hallujudge_board import board_tables
from hallujudge_causal import causal_table
from hallujudge_texts import table

from truerate.config import Backbone, Judging
from truerate.config.layout import Layout
from truerate.core.keys import split_of
from truerate.detectors.judges.decision import balanced_accuracy
from truerate.detectors.judges.family import fit, jobs_of, judge_texts
from truerate.detectors.training.jobs import fit_all
from truerate.metrics.thresholds import bin_sums, expected_calibration_error
from truerate.results.markers import write_between
from truerate_world.encyclopedia import build

ORACLE = 9000  # the seed of the world that teaches the oracle
TIMES = 5  # as many dialogues as the others learn from
COLUMNS = ("judge", "training, CPU-s", "induced against matched", "natural", "F1 of characters", "ECE")
HEAD = f"| {' | '.join(COLUMNS)} |\n| --- |{' ---: |' * (len(COLUMNS) - 1)}"


class Way(NamedTuple):
    """A judge: its form and backbone, what it learns from and what it is asked of."""

    form: str
    backbone: Backbone | None
    taught: pl.DataFrame
    asked: pl.DataFrame


def main() -> None:
    """Measure and print; with --write also into a file."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", type=Path, help="file whose marked block is replaced")
    options.add_argument("--dialogues", type=int, default=60)
    options.add_argument("--folds", type=int, default=5)
    options.add_argument("--seeds", type=int, nargs="+", default=[2001, 2002, 2003])
    options.add_argument("--board", type=Path, help="a built project")
    options.add_argument("--causal", action="store_true", help="a judge that writes, alone and in batches")
    given = options.parse_args()
    torch.set_num_threads(1)
    name, text = "bench:hallujudge", ""
    if given.board:
        name, text = "bench:hallujudge-board", board_tables(given.board)
    elif given.causal:
        rows = table(build(given.seeds[0], ("en",)), given.dialogues)
        name, text = "bench:hallujudge-causal", causal_table(rows)
    else:
        text = learned(given.seeds, given.dialogues, given.folds)
    print(text)
    if given.write:
        write_between(given.write, name, text)


def learned(seeds: Sequence[int], n: int, folds: int) -> str:
    """The table of judges that learn here, each figure the mean over worlds with the smallest and largest."""
    more = table(build(ORACLE, ("en",)), TIMES * n)
    found: dict[str, list[list[float]]] = {}
    sizes = []
    scratch = tempfile.mkdtemp()  # of all: the oracle learns once
    for seed in seeds:
        ways = ways_of(table(build(seed, ("en",)), n), more)
        sizes.append([ways["trees"].taught.height, ways["trees"].asked.height])
        for name, way in ways.items():
            found.setdefault(name, []).append(figures(way, Path(scratch), folds=folds))
            print(seed, name, *(f"{value:.3f}" for value in found[name][-1]), flush=True)
    taught, asked = np.mean(sizes, axis=0).round().astype(int)
    lines = [
        f"| {name} | {' | '.join(map(_shown, zip(*rows, strict=True)))} |" for name, rows in found.items()
    ]
    note = (
        f"Means over {len(seeds)} worlds (seeds {', '.join(map(str, seeds))}), in brackets the smallest and the "
        f"largest; per world about {taught} texts to learn from and {asked} of other entities to judge; training "
        "is the most of them, on one thread. Balanced accuracy; F1 over the characters of hallucinated texts, "
        "those of missed ones counted as missed."
    )
    return "\n".join([HEAD, *lines, "", note])


def _shown(values: Sequence[float]) -> str:
    if max(values) > 1:  # seconds: who learned already has none
        return f"{max(values):.1f}"
    return f"{np.mean(values):.3f} ({min(values):.3f}–{max(values):.3f})"


def ways_of(rows: pl.DataFrame, more: pl.DataFrame) -> Mapping[str, Way]:
    """The judges that are held against one another on one world's texts."""
    network = Layout.load().p.backbones["hallujudge-tiny"]
    is_taught = pl.Series([split_of(group, train=0.6) for group in rows["group_id"]]) == "train"
    taught, asked = rows.filter(is_taught).drop("kind"), rows.filter(~is_taught)
    return {
        "trees": Way("trees", None, taught, asked),
        "trees, without the conversation": Way("trees", None, *map(_alone, (taught, asked))),
        "trees, the answer alone": Way("trees", None, *map(_blind, (taught, asked))),
        "network of `hallujudge-tiny`": Way("tiny", network, taught, asked),
        f"oracle: trees taught by {TIMES} times as much": Way("trees", None, more.drop("kind"), asked),
    }


def _alone(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(history=pl.lit(""), question=pl.lit(""))


def _blind(rows: pl.DataFrame) -> pl.DataFrame:
    return _alone(rows).with_columns(knowledge=pl.lit(""))


def figures(way: Way, scratch: Path, *, folds: int) -> list[float]:
    """CPU seconds of training, balanced accuracy on induced against matched and on natural texts, F1 of
    characters, and ECE of what a judge says of texts that it did not learn from.
    """
    judges = {"judge": Judging(form=way.form, backbone="one" if way.backbone else None, folds=folds)}
    known = {"one": way.backbone} if way.backbone else {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "out")
        began = time.process_time()
        jobs = jobs_of(judges, way.taught, known, seeds=[42], scratch=scratch)
        fit_all(jobs, fit, folder)
        cost = time.process_time() - began
        said = judge_texts(judges, way.asked.drop("kind"), known, folder=folder)
    rows = way.asked.join(said.rename({"spans": "said"}), on="target_id")
    kind = pl.col("kind")
    induced = rows.filter(kind.is_in(["factuality", "faithfulness", "matched"]))
    sums = bin_sums(rows["p"].to_numpy(), rows["is_hallucinated"].to_numpy())
    ece = float(expected_calibration_error(sums.sum(axis=0)))
    return [cost, *map(_accuracy, (induced, rows.filter(kind == "natural"))), _f1(rows), ece]


def _accuracy(rows: pl.DataFrame) -> float:
    return balanced_accuracy(rows["verdict"].to_numpy(), rows["is_hallucinated"].to_numpy())


def _f1(rows: pl.DataFrame) -> float:
    both = labelled = marked = 0
    for spans, said in rows.filter("is_hallucinated").select("spans", "said").iter_rows():
        gold, found = ({i for one in part for i in range(one["start"], one["end"])} for part in (spans, said))
        both, labelled, marked = both + len(gold & found), labelled + len(gold), marked + len(found)
    return 2 * both / (labelled + marked)


if __name__ == "__main__":
    main()
