"""Fitting one cell of the grid, in a scratch folder that its content names."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl

from truerate.core.keys import draw
from truerate.detectors.tokens.cells import Job, halves
from truerate.detectors.tokens.labels import labels_of
from truerate.detectors.tokens.passages import can_learn, passages_of
from truerate.detectors.tokens.rules import BY_NAME, save_state
from truerate.detectors.tokens.validate import of_readings
from truerate.detectors.training import processes
from truerate.detectors.training.scratch import made_once

MOST = 10_000  # passages that a rule learns from, and as many that validate it: 150 KB each while it learns


def fit(job: Job) -> None:
    """Fit a cell unless its state is there; of processes that work together, all fit networks and the first
    fits rules.
    """
    if job.backbone is not None or not processes.rank():
        made_once(job.scratch, partial(_fit, job))


def _fit(job: Job, folder: Path) -> tuple[dict, dict]:
    return (fit_rule if job.backbone is None else _by_network())(job, folder)


def _by_network() -> Callable[[Job, Path], tuple[dict, dict]]:
    # torch and transformers stand behind it, which a rule does without
    from truerate.detectors.tokens.networks import fit_network

    return fit_network


def fit_rule(job: Job, folder: Path) -> tuple[dict, dict]:
    """Learn a rule, or note that it has nothing to learn (a constant) or nothing to learn from. Of many passages it
    learns from MOST that are drawn by their ids, and is validated on as many of the others.
    """
    rule, labels = BY_NAME[job.cell.member], labels_of(job.cell.labels)
    if rule.learn is None:
        return {"is_fitted": True}, {}
    taught, held_out = (
        passages_of(drawn(half, MOST), labels, sees_reference=rule.sees_reference)
        for half in halves(job.passages, job.taught)
    )
    if not can_learn(taught):
        return {"is_fitted": False}, {}
    state = rule.learn(taught, len(labels) - 1)
    save_state(state, folder)
    agreement = of_readings(
        zip((passage.labels for passage in held_out), rule.read(state, held_out), strict=True)
    )
    return {
        "is_fitted": True,
        "validation": agreement.facts(),
        "n_parameters": sum(values.size for values in state.values()),
    }, {}


def drawn(passages: pl.DataFrame, most: int) -> pl.DataFrame:
    """At most so many of the passages (`target_id`), in their order: those whose ids draw the smallest numbers."""
    if passages.height <= most:
        return passages
    draws = pl.Series([draw("lesson", name) for name in passages["target_id"]])
    return passages.filter(draws.rank("ordinal") <= most)
