"""Whether a rate of HalluDial that is corrected by labels of natural responses holds what was planted, and by labels
of induced texts visibly not, or a board's seed decides: the board of the default build, made of other closed worlds.

    python benchmarks/halludial_seeds.py [--seeds 1001 1002 ...] [--write benchmarks/RESULTS.md]

Each board is made by the track's own steps from simulated models that are asked in this process
(`tests/recover/halludial_board.py`; of seed 7 it gives the very rows of the committed board). Of every judge that was
asked, the rate of the same responses (`rate_by_judge`) stands against the planted one: an interval of 95 % *holds* it,
or *misses* it; a rate without an interval tells nothing. `--write` puts the table between the markers
`<!-- bench:halludial-seeds -->` and `<!-- /bench:halludial-seeds -->` of a file.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.recover.halludial_board import BOARD, EVEN, build_board  # noqa: E402
from truerate.config import Params, load_params  # noqa: E402
from truerate.config.layout import Layout  # noqa: E402
from truerate.results.markers import write_between  # noqa: E402

METRIC, KINDS = "rate_by_judge", ("natural", "induced")
SEEDS = tuple(range(1001, 1021))
HEAD = (
    "| judge | planted rate | corrected on natural labels | holds it | corrected on induced labels | misses it | below it |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
)


class Told(NamedTuple):
    """The rate by one judge on one board: what is planted, and what is told by each calibration (value, low, high)."""

    seed: int
    judge: str
    planted: float
    by: dict[str, tuple[float, float, float] | None]

    def is_held(self, kind: str) -> bool | None:
        """Whether an interval holds the planted rate, None without one."""
        if self.by[kind] is None:
            return None
        _, low, high = self.by[kind]
        return low <= self.planted <= high

    def is_below(self, kind: str) -> bool:
        """Whether the whole interval lies below the planted rate."""
        return self.by[kind] is not None and self.by[kind][2] < self.planted


def layout(seed: int) -> Layout:
    """The project's own settings for one seed; only what marks tokens is not asked, for no judge here needs it."""
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    values["tracks"]["halludial"] |= {"detector": "planted"}
    return Layout(Params.model_validate(values | {"profile": "demo", "seed": seed, "n_shards": 1})).on(BOARD)


def told_of(seed: int) -> list[Told]:
    """What a board tells of every judge."""
    with tempfile.TemporaryDirectory() as folder:
        board = build_board(layout(seed), Path(folder))
    planted = {row["subject"]: row["value"] for row in board.planted if row["metric"] == METRIC}
    by: dict[tuple[str, str], tuple[float, float, float] | None] = {
        (row["subject"], row["calibration"]): None
        if row["low"] is None
        else (row["value"], row["low"], row["high"])
        for row in board.scores(EVEN)
        if row["metric"] == METRIC and row.get("calibration")
    }
    return [
        Told(seed, judge, rate, {kind: by.get((judge, kind)) for kind in KINDS})
        for judge, rate in planted.items()
    ]


def _count(values: Sequence[bool | None], *, of: bool) -> str:
    """How many of those that tell something do so."""
    told = [value for value in values if value is not None]
    return f"{sum(value is of for value in told)} of {len(told)}"


def _mean(values: Sequence[tuple[float, float, float] | None]) -> str:
    told = [value[0] for value in values if value is not None]
    return f"{np.mean(told):.3f}" if told else "–"


def line(name: str, rows: Sequence[Told]) -> str:
    """One line of the table."""
    natural, induced = ([row.by[kind] for row in rows] for kind in KINDS)
    cells = [
        name,
        f"{np.mean([row.planted for row in rows]):.3f}",
        _mean(natural),
        _count([row.is_held("natural") for row in rows], of=True),
        _mean(induced),
        _count([row.is_held("induced") for row in rows], of=False),
        str(sum(row.is_below("induced") for row in rows)),
    ]
    return f"| {' | '.join(cells)} |"


def table(rows: Sequence[Told]) -> str:
    """The table, and on how many boards most judges are visibly off."""
    judges = list(dict.fromkeys(row.judge for row in rows))
    seeds = list(dict.fromkeys(row.seed for row in rows))
    lines = [line(judge, [row for row in rows if row.judge == judge]) for judge in judges]
    n_off = [sum(row.is_held("induced") is False for row in rows if row.seed == seed) for seed in seeds]
    n_lost = [sum(row.is_held("natural") is False for row in rows if row.seed == seed) for seed in seeds]
    most = len(judges) // 2 + 1
    n_most, n_any = sum(n >= most for n in n_off), sum(n > 0 for n in n_off)
    told = (
        f"{len(seeds)} boards, seeds {min(seeds)} to {max(seeds)}. Corrected on induced labels at least {most} of "
        f"{len(judges)} judges miss the planted rate on {n_most} boards, at least one on {n_any}; corrected on natural "
        f"labels at least one misses it on {sum(n > 0 for n in n_lost)}. On natural labels "
        f"{sum(row.by['natural'] is None for row in rows)} of {len(rows)} rates are not identified: so few responses are labelled that "
        f"the judge might flag faithful ones as often."
    )
    return "\n".join([HEAD, *lines, line("all", rows), "", told])


def main() -> None:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    with get_context("spawn").Pool(2) as pool:
        rows = [row for told in pool.imap(told_of, options.seeds) for row in told]
    text = table(rows)
    print(text)
    if options.write:
        write_between(options.write, "bench:halludial-seeds", text)


if __name__ == "__main__":
    main()
