"""What the estimators of rates cost at mFAVA's size, 562,000 replies of 11 models in 30 languages, beside plain pandas
and a bootstrap by scikit-learn's `resample`.

    python benchmarks/rates_scale.py [--replies 562000] [--write benchmarks/RESULTS.md]

Invented replies, 30 labelled of each cell. Every line runs in a process of its own, from one saved table; CPU time is
the minimum of three rounds, memory the peak of the process with what it imports. Pandas makes the same rates (checked to 9 digits) and
each cell's own variance by a groupby; `resample` makes one cell's interval by 1,000 resamples of its articles, of SOME
cells, beside ours of the same cells. `--write` puts the table between the markers `<!-- bench:rates-scale -->` and
`<!-- /bench:rates-scale -->` of a file.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from truerate.metrics.estimators.registry import ESTIMATORS, PREDICTION_POWERED, estimate_board
from truerate.metrics.estimators.sample import Calibration, Cell, Cells, Key
from truerate.results.markers import write_between

N_MODELS, N_LANGS, N_LABELLED, N_RESAMPLES, SOME, ROUNDS = 11, 30, 30, 1000, 6, 3
Rates = dict[Key, float]


def invented(n: int, seed: int = 7) -> pl.DataFrame:
    """Rows of replies: `model`, `lang`, `article`, `total`, `flagged`, `gold` (null without a label), `both`."""
    rng = np.random.default_rng(seed)
    cell = np.arange(n) % (N_MODELS * N_LANGS)
    model, lang, place = cell % N_MODELS, cell // N_MODELS, np.arange(n) // (N_MODELS * N_LANGS)
    total = rng.integers(20, 120 + 10 * model, n)
    gold = rng.binomial(total, rng.beta(0.5, 4, n))
    both = rng.binomial(gold, 0.8)
    flagged = both + rng.binomial(total - gold, 0.2 + 0.02 * model)
    is_labelled = place < N_LABELLED
    return pl.DataFrame(
        {
            "model": [f"model-{one:02}" for one in model],
            "lang": [f"lang-{one:02}" for one in lang],
            "article": [f"{one:02}/{number // 2:05}" for one, number in zip(lang, place, strict=True)],
            "total": total,
            "flagged": flagged,
            "gold": pl.Series(gold).zip_with(pl.Series(is_labelled), pl.Series([None] * n, dtype=pl.Int64)),
            "both": both,
        }
    )


# ---- ours --------------------------------------------------------------------------------------------------


def cells_of(rows: pl.DataFrame) -> Cells:
    """The board's cells."""
    parts = rows.partition_by("model", "lang", as_dict=True, include_key=False)
    return {
        (str(model), str(lang)): Cell(
            *(part[name].cast(pl.Float64).to_numpy() for name in ("total", "flagged")),
            part["gold"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
            part["article"].to_numpy().astype(str),
        )
        for (model, lang), part in parts.items()
    }


def headline(rows: pl.DataFrame) -> Rates:
    """The headline's rate and interval of every cell and mean."""
    return told(estimate_board(cells_of(rows), confidence=0.95, names=[PREDICTION_POWERED]))


def headline_of_some(rows: pl.DataFrame) -> Rates:
    """The headline of SOME cells."""
    return headline(some(rows))


def every_estimator(rows: pl.DataFrame) -> Rates:
    """All estimators, those with external labels from the labelled replies."""
    known = rows.drop_nulls("gold")
    sums = known.select("total", "gold", "flagged", "both").to_numpy().astype(float)
    langs, models, names = (known[name].to_numpy().astype(str) for name in ("lang", "model", "article"))
    calibrated = {"natural": Calibration(sums, langs, models, names)}
    return told(
        estimate_board(cells_of(rows), confidence=0.95, calibrated=calibrated, names=list(ESTIMATORS))
    )


def told(board: dict) -> Rates:
    """The headline's values."""
    return {
        key: one.interval.value
        for key, each in board.items()
        for one in each
        if one.estimator == PREDICTION_POWERED
    }


def some(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of SOME models in one language."""
    models = rows["model"].unique().sort()[:SOME]
    return rows.filter(pl.col("lang") == "lang-00", pl.col("model").is_in(models.implode()))


# ---- peers -------------------------------------------------------------------------------------------------


def in_pandas(rows: pl.DataFrame) -> Rates:
    """The same rates and each cell's own variance, a groupby per cell."""
    import pandas

    table = pandas.DataFrame({name: rows[name].to_list() for name in rows.columns})
    products = squares = 0.0
    parts = {}
    for key, part in table.groupby(["model", "lang"]):
        known = part.dropna(subset=["gold"])
        n, gold, flagged = known["total"], known["gold"], known["flagged"]
        rate, share = gold.sum() / n.sum(), flagged.sum() / n.sum()
        left, right = (gold - rate * n) / n.mean(), (flagged - share * n) / n.mean()
        products, squares = products + (left * right).sum(), squares + (right**2).sum()
        parts[key] = (rate, part["flagged"].sum() / part["total"].sum() - share, left, right)
    slope = products / squares
    found = {key: rate + slope * gap for key, (rate, gap, _, _) in parts.items()}
    variances = {key: (left - slope * right).var() / len(left) for key, (_, _, left, right) in parts.items()}
    return {key: min(1.0, max(0.0, value)) for key, value in found.items() if variances[key] >= 0}


def by_resample(rows: pl.DataFrame) -> Rates:
    """The rate of SOME cells with a percentile interval over resampled articles; the slope is that of all."""
    from sklearn.utils import resample

    found = {}
    for key, cell in cells_of(some(rows)).items():
        names, place = np.unique(cell.clusters, return_inverse=True)
        members = [np.flatnonzero(place == one) for one in range(len(names))]
        rates = []
        for turn in range(N_RESAMPLES):
            drawn = np.concatenate([members[one] for one in resample(range(len(names)), random_state=turn)])
            rates.append(plain_rate(cell.only(drawn)))
        np.nanquantile(rates, [0.025, 0.975])
        found[key] = plain_rate(cell)
    return found


def plain_rate(cell: Cell) -> float:
    """θ with slope 1."""
    inside = cell.is_labelled
    labelled = (cell.gold[inside] - cell.flagged[inside]).sum() / cell.total[inside].sum()
    return float(cell.flagged.sum() / cell.total.sum() + labelled)


PARTS: dict[str, tuple[str, Callable[[pl.DataFrame], Rates]]] = {
    "headline": ("prediction-powered, intervals and means", headline),
    "pandas": ("pandas, a groupby per cell: the same rates, no intervals", in_pandas),
    "every": ("all eight estimators", every_estimator),
    "some": (f"prediction-powered of {SOME} cells", headline_of_some),
    "resample": (f"scikit-learn's resample, {N_RESAMPLES:,} times, of the same {SOME} cells", by_resample),
}


def measure(name: str, path: str) -> dict:
    """CPU seconds and peak memory of one part, and what it found, in this process."""
    rows = pl.read_parquet(path)
    seconds = []
    for _ in range(ROUNDS if name != "resample" else 1):
        start = time.process_time()
        found = PARTS[name][1](rows)
        seconds.append(time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "seconds": min(seconds),
        "mebibytes": peak,
        "found": {"|".join(key): one for key, one in found.items()},
    }


def table(n: int) -> str:
    """All parts as a Markdown table."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "replies.parquet")
        invented(n).write_parquet(path)
        for name in PARTS:
            command = [sys.executable, __file__, "--part", name, "--table", path]
            found[name] = json.loads(
                subprocess.run(command, check=True, capture_output=True, text=True).stdout
            )
    ours, theirs = found["headline"]["found"], found["pandas"]["found"]
    apart = max(abs(ours[key] - theirs[key]) for key in theirs)
    if apart > 1e-9:
        raise SystemExit(f"pandas finds other rates: {apart}")
    beside = {"pandas": "headline", "resample": "some"}
    lines = ["| what | CPU s | peak memory, MiB | times ours |", "| --- | ---: | ---: | ---: |"]
    for name, one in found.items():
        ratio = f"{one['seconds'] / found[beside[name]]['seconds']:.1f}" if name in beside else "–"
        lines.append(f"| {PARTS[name][0]} | {one['seconds']:.2f} | {one['mebibytes']:,.0f} | {ratio} |")
    words = f"{n:,} replies, {N_MODELS} models × {N_LANGS} languages, {N_LABELLED} labelled of a cell, one process each."
    return "\n".join([words, "", *lines])


def main() -> None:
    """Measure and print; with --write also into a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replies", type=int, default=562_000)
    parser.add_argument("--write", type=Path, help="file with the markers")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--table", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(measure(options.part, options.table)))
        return
    text = table(options.replies)
    print(text)
    if options.write:
        write_between(options.write, "bench:rates-scale", text)


if __name__ == "__main__":
    main()
