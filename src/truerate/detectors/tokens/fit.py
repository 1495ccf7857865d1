"""Fitting one cell of the grid, in a scratch folder that its content names: an equal cell is never fitted
twice, a killed one goes on.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from truerate.detectors.tokens import processes
from truerate.detectors.tokens.cells import CHECKPOINT, FACTS, STATE, Job, halves
from truerate.detectors.tokens.labels import labels_of
from truerate.detectors.tokens.rules import BY_NAME, can_learn, passages_of, save_state
from truerate.detectors.tokens.validate import of_readings


def fit(job: Job) -> None:
    """Fit a cell unless its state is there. The state appears whole, by a rename; then the checkpoint goes."""
    if (job.scratch / STATE).is_dir() or (job.backbone is None and processes.rank()):
        return
    aside = job.scratch / f"{STATE}.{os.getpid()}.tmp"
    shutil.rmtree(aside, ignore_errors=True)
    facts, run = (fit_rule if job.backbone is None else _by_network())(job, aside)
    if processes.rank():
        return
    write(aside / FACTS, facts)
    write(job.scratch / "run.json", run)
    os.replace(aside, job.scratch / STATE)
    (job.scratch / CHECKPOINT).unlink(missing_ok=True)


def _by_network() -> Callable[[Job, Path], tuple[dict, dict]]:
    # torch and transformers stand behind it, which a rule does without
    from truerate.detectors.tokens.networks import fit_network

    return fit_network


def write(path: Path, values: dict) -> None:
    """Values as JSON, the same bytes for the same values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")


def fit_rule(job: Job, folder: Path) -> tuple[dict, dict]:
    """Learn a rule, or note that it has nothing to learn (a constant) or nothing to learn from."""
    rule, labels = BY_NAME[job.cell.member], labels_of(job.cell.labels)
    if rule.learn is None:
        return {"is_fitted": True}, {}
    taught, held_out = (
        passages_of(half, labels, sees_reference=rule.sees_reference) for half in halves(job.passages)
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
        "n_parameters": int(state["coefficients"].size),
    }, {}
