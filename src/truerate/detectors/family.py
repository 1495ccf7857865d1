"""Families of detectors, cross-fitted: every text is judged by members that learned from other groups' texts alone.

Groups are dealt to folds by their id. Fold k's members learn from all other folds and judge fold k, so a detector that needs no model
call stands on the same texts as the models, none of which it has seen.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from truerate.detectors import lexical, trivial
from truerate.detectors.interface import Detector
from truerate.detectors.per_task import PerTask
from truerate.errors import TruerateError, listed
from truerate.keys import draw
from truerate.schemas import Judgement, frame


def members() -> dict[str, Detector]:
    """Every detector that needs no model call, by name, unfitted: what params.yaml may list as a member."""
    return {rule.name: PerTask(rule) for module in (trivial, lexical) for rule in module.RULES}


def member(name: str) -> Detector:
    """An unfitted detector; TruerateError with the allowed names where there is none of this name."""
    if name not in members():
        raise TruerateError(f"detector member {name!r} is not known; allowed: {listed(members())}")
    return members()[name]


def fold_of(group_id: str, n_folds: int) -> int:
    """The fold of a group, 0 to n_folds − 1, whatever else is in the set."""
    return int(draw("fold", group_id) * n_folds)


def folds(samples: pl.DataFrame, n_folds: int) -> list[pl.Series]:
    """For each fold, which rows belong to it."""
    places = pl.Series([fold_of(group, n_folds) for group in samples["group_id"]], dtype=pl.Int64)
    return [places == fold for fold in range(n_folds)]


def fit_family(names: Sequence[str], samples: pl.DataFrame, contexts: pl.DataFrame, seed: int, *, folder: Path, n_folds: int) -> None:
    """Fit each member once per fold, on the texts of all other folds, and save it under `folder`/fold-k."""
    for fold, is_inside in enumerate(folds(samples, n_folds)):
        fit_members(names, samples.filter(~is_inside), contexts, seed, Path(folder) / f"fold-{fold}")


def judge_family(names: Sequence[str], samples: pl.DataFrame, contexts: pl.DataFrame, *, folder: Path, n_folds: int) -> pl.DataFrame:
    """What each member says of every sample, asked in the state that has not seen the sample's group."""
    places = enumerate(folds(samples, n_folds))
    return pl.concat([judge_members(names, Path(folder) / f"fold-{fold}", samples.filter(part), contexts) for fold, part in places])


def fit_members(names: Sequence[str], samples: pl.DataFrame, contexts: pl.DataFrame, seed: int, folder: Path) -> None:
    """Fit each member on these samples and save it in `folder`; files of members no longer named are removed.

    A family of no members leaves an empty folder. Raises TruerateError for an unknown member or where there are no samples.
    """
    fitted = [member(name) for name in names]
    train = samples.sort("sample_id")
    if fitted and train.is_empty():
        raise TruerateError(f"fitting {listed(names)}: no labelled texts to learn from; label more texts first")
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.json"):
        stale.unlink()
    for detector in fitted:
        detector.fit(train, contexts, seed).save(folder)


def judge_members(names: Sequence[str], folder: Path, samples: pl.DataFrame, contexts: pl.DataFrame) -> pl.DataFrame:
    """What each saved member says of every sample, as one Judgement frame; empty for a family of no members."""
    judged = [member(name).load(folder).judge(samples, contexts) for name in names]
    return pl.concat([frame(Judgement), *judged])
