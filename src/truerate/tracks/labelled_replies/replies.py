"""The replies of a board as its scores read them: whose they are, to what, labelled by whom."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from truerate.core.schemas import pair

CALIBRATION = "calibration"  # the purpose of labelled answers that no subject of the board wrote
PEOPLE = ("gold", "published")  # sources of labels that are people's
RULE = "rule_"  # how attributes begin that hold a label by another rule than the headline
ATTRIBUTES = ("part", "unit", "label", "judge", "own_judge", "files", "purpose")


def replies(samples: pl.DataFrame) -> pl.DataFrame:
    """A row per reply: `sample_id`, `item_id`, `subject` (who wrote it), `cluster` (its source), `unit` (what
    all subjects were asked; the publishers' id where there is one), `task` (the publishers' part where a set
    has parts), `is_hallucinated`, `is_people` (whether people said so), `label`, `judge`, `own_judge` (True
    where its maker is the subject's), `files`, `is_calibration`, and a column per further rule. Replies of
    nobody are left out.
    """
    columns = [pair("attributes", key).alias(key) for key in (*ATTRIBUTES, *_rule_keys(samples))]
    of_generators = samples.filter(pl.col("generator").is_not_null()).select(
        "sample_id",
        "item_id",
        "is_hallucinated",
        pl.col("lang"),
        pl.col("task").alias("_task"),
        *columns,
        subject="generator",
        cluster="group_id",
        is_people=pl.col("label_source").is_in(PEOPLE),
    )
    rules = [(pl.col(key) == "True").alias(key) for key in _rule_keys(samples)]
    named = of_generators.with_columns(
        *rules,
        task=pl.coalesce("part", "_task"),
        unit=pl.coalesce("unit", "item_id"),
        is_calibration=pl.col("purpose").fill_null("") == CALIBRATION,
    )
    rows = named.drop("_task", "part", "purpose").sort("subject", "unit", "sample_id")
    # where a subject replied twice to the same, its second reply is a unit of its own
    number = pl.int_range(pl.len()).over("subject", "unit")
    numbered = pl.concat_str("unit", pl.lit("/"), number + 1)
    return rows.with_columns(unit=pl.when(number > 0).then(numbered).otherwise("unit"))


def _rule_keys(samples: pl.DataFrame) -> list[str]:
    keys = samples.select(
        pl.col("attributes").list.explode().struct.field("key").unique(maintain_order=True)
    ).to_series()
    return sorted(key for key in keys.drop_nulls() if key.startswith(RULE))


def rules_of(rows: pl.DataFrame) -> list[str]:
    """The names of the rules beside the headline by which replies are labelled, too."""
    return sorted(name.removeprefix(RULE) for name in rows.columns if name.startswith(RULE))


def by_rule(rows: pl.DataFrame, rule: str) -> pl.DataFrame:
    """The replies that a rule labels, with its label in the place of the headline's."""
    return rows.with_columns(is_hallucinated=pl.col(RULE + rule)).drop_nulls("is_hallucinated")


def tasks_of(rows: pl.DataFrame) -> list[str]:
    """The tasks of a board that stand beside the whole: none where there is one alone."""
    tasks: list[str] = sorted(rows["task"].unique())
    return tasks if len(tasks) > 1 else []


def slices(rows: pl.DataFrame) -> Iterator[tuple[Mapping[str, Any], pl.DataFrame]]:
    """The whole, then each task where there are several."""
    yield {}, rows
    for task in tasks_of(rows):
        yield {"task": task}, rows.filter(task=task)


def by_subject(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each subject, by name."""
    for (subject,), rows_of in rows.group_by("subject", maintain_order=True):
        yield str(subject), rows_of
