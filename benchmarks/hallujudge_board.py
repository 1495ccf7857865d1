"""What the small judge is worth elsewhere, read from a built project: on texts whose context it learned from, and
on HaluEval's, which it never learned from (HalluDial section 3.3).
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from truerate.core.schemas import Sample, load, pair
from truerate.metrics.recognition import (
    COUNTED,
    balanced_accuracy,
    class_columns,
    counted,
    parts,
    recall,
    recall_right,
)

DIALOGUES, HALUEVAL = "halludial-closed-world", "halueval-closed-world"
GROUPED, BY_SAMPLE = "hallujudge-tiny", "hallujudge-by-sample"
PARTS = {
    "spontaneous": pl.col("scenario") == "spontaneous",
    "induced against matched": (pl.col("scenario") == "induced")
    & ((pl.col("kind") == "matched") | pl.col("is_hallucinated")),
    "labelled by people": pl.col("scenario") == "natural",
}


def board_tables(folder: Path) -> str:
    """Both tables as Markdown."""
    return f"{_splits(folder)}\n\n{_elsewhere(folder)}"


def _judged(folder: Path, board: str, family: str) -> pl.DataFrame:
    """Labelled texts with what the judges of a family say of them."""
    data = folder / "data"
    samples = load(Sample, str(data / "labels" / board / "samples.parquet"))
    said = pl.read_parquet(data / "judgements" / board / f"{family}.parquet").select(
        "judge", "target_id", "verdict", "status"
    )
    target = pair("attributes", "generation").fill_null(pl.col("sample_id"))
    told = [pair("attributes", name).alias(name) for name in ("scenario", "kind", "split_by_sample")]
    return samples.with_columns(*told, target_id=target).join(said, on="target_id")


def _figures(rows: pl.DataFrame) -> str:
    """Texts, balanced accuracy, and the shares of hallucinated ones found and of others let pass, as cells."""
    sums = counted(rows).select(COUNTED).to_numpy().sum(axis=0)
    both = class_columns(*(parts(sums[None], of) for of in (recall, recall_right)))[0]
    recalls = f"{both[0] / both[1]:.3f} | {both[2] / both[3]:.3f}"
    return f"{int(sums.sum())} | {float(balanced_accuracy(both)):.3f} | {recalls}"


def _table(head: str, lines: Iterator[str]) -> str:
    return "\n".join(
        [
            f"{head} texts | balanced accuracy | TPR | TNR |",
            "| --- | --- | ---: | ---: | ---: | ---: |",
            *lines,
        ]
    )


def _splits(folder: Path) -> str:
    rows = _judged(folder, DIALOGUES, "hallujudge")
    unlearned = rows.filter(judge=BY_SAMPLE)["sample_id"].implode()
    both = rows.filter(pl.col("sample_id").is_in(unlearned))

    def lines() -> Iterator[str]:
        for part, inside in PARTS.items():
            for judge, taught in ((GROUPED, "dialogues, 6:4"), (BY_SAMPLE, "samples, 6:4, as published")):
                yield f"| {part} | {taught} | {_figures(both.filter(inside, judge=judge))} |"

    return _table("| the same texts of test dialogues | split by |", lines())


def _elsewhere(folder: Path) -> str:
    own, baselines = (_judged(folder, HALUEVAL, name) for name in ("hallujudge-abroad", "baselines"))

    def lines() -> Iterator[str]:
        for task in ("dialogue", "qa", "summarization"):
            for rows, judge, taught in (
                (own, GROUPED, "the judge, from dialogues alone"),
                (baselines, "lexical-lr", "`lexical-lr`, from the task's other folds"),
                (baselines, "overlap", "`overlap`, from the task's other folds"),
            ):
                yield f"| {task} | {taught} | {_figures(rows.filter(task=task, judge=judge))} |"

    return _table("| HaluEval's task | what judges, and learned from |", lines())
