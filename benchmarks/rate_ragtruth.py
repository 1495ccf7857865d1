"""`truerate rate` on real answers with a known share: do its intervals hold what they say?

    python benchmarks/rate_ragtruth.py [--data ../shared/data_original] [--draws 400] [--write benchmarks/RESULTS.md]

RAGTruth's test slice (2,617 replies of six models to 439 sources, people marked the hallucinated words) is taken as a
user's own answers, of which those count that say something. Of these 60, 120 or 240 are drawn by chance to be
labelled, again and again, and the rate that `truerate rate` would tell, of all answers, of each task and of each model,
is held against the share of all labels.
Detectors: word support, which has learned nothing; and trees on words (`detectors.tokens.trees`), which learned from
the replies to one half of the sources and are asked about the other half. Units: answers, and tokens (`spans`).

Per cell: how many of the intervals hold the truth (nominal .95; twice the standard error of a share of .95 over 200
draws is .03), their mean width, the mean error of the point, and how many draws have no point. An interval of labels
alone stands beside. `--write` puts the table between the markers of a file.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.answers.grouping import grouping_of
from truerate.answers.judging import detector_of
from truerate.answers.rating import cell_of, overall, seen_by
from truerate.answers.rules import WORD_SUPPORT
from truerate.detectors.tokens.rules import learn_trees, read_trees
from truerate.detectors.tokens.span_probabilities import labels_of
from truerate.detectors.tokens.word_features import passages_of
from truerate.metrics.estimators.label_groups import are_by_group
from truerate.metrics.estimators.own_rate import Rate, groups, rate_of
from truerate.metrics.estimators.sample import Cell
from truerate.sources.answers.fields import COLUMNS
from truerate.sources.answers.label_spans import as_spans
from truerate.sources.answers.reading import BREAK
from truerate.sources.answers.table import is_stated, table_of_records
from truerate.sources.public import ragtruth

ROOT = Path(__file__).parents[1]
FOLDER = "vectara__FaithJudge"
SPANS = COLUMNS["spans"]
LABELLED, CONFIDENCE, SEED = (60, 120, 240), 0.95, 11
TREES = "trees on words"
HEADER = (
    *("detector", "unit", "labels", "of", "intervals that hold", "width", "mean error", "no point"),
    "labels alone: hold, width",
)


class Told(NamedTuple):
    """What one draw says of one group: whether its interval holds the truth, its width, the point's error (None:
    no point), and the same of the labels alone.
    """

    holds: bool
    width: float
    error: float | None
    alone_holds: bool | None
    alone_width: float | None


def read(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The slice as a user's answers: those to one source share a question; and as rows to learn from."""
    tables = ragtruth.read(folder, name="ragtruth", on_bad_row="keep")
    texts = dict(tables.documents.select("document_id", "text").iter_rows())
    rows = tables.items.select("item_id", "document_ids").iter_rows()
    items = {item: BREAK.join(texts[one] for one in ids) for item, ids in rows}
    samples = tables.samples.sort("sample_id")
    records = [
        {
            "id": row["sample_id"],
            "answer": row["text"],
            "reference": items[row["item_id"]],
            "question": row["item_id"],
            "system": row["generator"],
            "lang": "en",
            "slices": {"task": row["task"]},
        }
        for row in samples.iter_rows(named=True)
    ]
    spans = [as_spans((span["start"], span["end"]) for span in row) for row in samples["spans"].to_list()]
    frame = table_of_records(records, "RAGTruth", ()).frame.with_columns(
        spans=pl.Series(spans, dtype=SPANS), label=pl.Series(list(map(bool, spans)))
    )
    return frame, samples.with_columns(reference=pl.col("item_id").replace_strict(items))


def by_trees(answers: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Trees learned from the replies to every second source; what they say of the answers to
    the others.
    """
    sources = {name: place % 2 for place, name in enumerate(sorted(set(answers["question"])))}
    is_asked = np.array([sources[name] == 1 for name in answers["question"]])
    passages = passages_of(rows, labels_of("binary"))
    taught, asked = (
        [one for one, is_so in zip(passages, side, strict=True) if is_so] for side in (~is_asked, is_asked)
    )
    state = learn_trees(taught, 1)
    p = np.concatenate([one.p for one in read_trees(state, taught)])
    labels = np.concatenate([one.labels for one in taught])
    least = float(np.quantile(p, 1 - (labels > 0).mean()))  # marks as many words as people did
    seen = []
    for one in read_trees(state, asked):
        spans = tuple((int(a), int(b)) for (a, b), p in zip(one.offsets, one.p, strict=True) if p > least)
        seen.append(as_spans(spans))
    verdict = pl.Series("verdict", list(map(bool, seen)))
    return answers.filter(is_asked).with_columns(verdict, marked=pl.Series(seen, dtype=SPANS))


def draws_of(cell: Cell, fields: dict[str, Sequence[str]], k: int, n_draws: int) -> dict[str, list[Told]]:
    """What `n_draws` draws of `k` labels say, of all answers and of the groups of each field."""
    draw = np.random.default_rng([SEED, k])
    inside = {field: groups(values) for field, values in fields.items()}
    told: dict[str, list[Told]] = {
        name: [] for name in ("all answers", *(f"each {field}" for field in fields))
    }
    for _ in range(n_draws):
        is_labelled = np.isin(np.arange(cell.n), draw.choice(cell.n, k, replace=False))
        drawn = Cell(cell.total, cell.flagged, np.where(is_labelled, cell.gold, np.nan), cell.clusters)
        by_system = {name: drawn.only(some) for name, some in inside["model"].items()}
        is_by_group = are_by_group(drawn)
        told["all answers"].append(_told(overall(drawn, by_system, drawn), cell))
        for field, some in inside.items():
            told[f"each {field}"] += [
                _told(rate_of(name, drawn.only(one), is_by_group=is_by_group), cell.only(one))
                for name, one in some.items()
            ]
    return told


def _told(rate: Rate, cell: Cell) -> Told:
    truth = float(cell.gold.sum() / cell.total.sum())
    low, high = (0.0, 1.0) if rate.low is None or rate.high is None else (rate.low, rate.high)
    alone = rate.alone
    return Told(
        low <= truth <= high,
        high - low,
        None if rate.value is None else rate.value - truth,
        None if alone is None else alone.low <= truth <= alone.high,
        None if alone is None else alone.high - alone.low,
    )


def rows_of(detector: str, unit: str, k: int, told: dict[str, list[Told]]) -> list[tuple[str, ...]]:
    """A line of the table per group."""
    return [
        (
            *(detector, unit, str(k), name),
            _share([one.holds for one in found]),
            _share([one.width for one in found]),
            _signed([one.error for one in found if one.error is not None]),
            _share([one.error is None for one in found]),
            f"{_share([one.alone_holds for one in found if one.alone_holds is not None])}, "
            f"{_share([one.alone_width for one in found if one.alone_width is not None])}",
        )
        for name, found in told.items()
    ]


def _share(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f}" if len(values) else "–"


def _signed(values: Sequence[float]) -> str:
    return f"{np.mean(values):+.3f}" if len(values) else "–"


def measure(folder: Path, n_draws: int) -> str:
    """The table."""
    answers, rows = read(folder)
    lines = [HEADER]
    seen = {WORD_SUPPORT: seen_by(detector_of(WORD_SUPPORT), answers), TREES: by_trees(answers, rows)}
    for name, answers_seen in seen.items():
        asked = answers_seen.filter(is_stated(answers_seen))
        clusters = grouping_of(asked.with_columns(label=pl.lit(None, pl.Boolean))).clusters
        fields = {"task": asked["slice:task"].to_list(), "model": asked["system"].to_list()}
        for unit in ("answers", "tokens"):
            cell = cell_of(asked, unit=unit, clusters=clusters)
            for k in LABELLED:
                lines += rows_of(name, unit, k, draws_of(cell, fields, k, n_draws))
            flagged, gold = (one.sum() / cell.total.sum() for one in (cell.flagged, cell.gold))
            print(
                f"{name}, {unit}: {cell.n} answers, {gold:.3f} hallucinated, {flagged:.3f} flagged",
                file=sys.stderr,
            )
    shown = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([shown[0], "| --- | --- | ---: | --- |" + " ---: |" * 5, *shown[1:]])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--data", type=Path, default=ROOT / "../shared/data_original", help="folder of published sets"
    )
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    folder = options.data / FOLDER
    if not folder.is_dir():
        print(f"{folder} is not there; name the folder of published sets with --data", file=sys.stderr)
        return 2
    text = measure(folder, options.draws)
    print(text)
    if options.write:
        from truerate.results.markers import write_between

        write_between(options.write, "bench:rate-ragtruth", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
