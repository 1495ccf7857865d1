"""Families of detectors, cross-fitted: every text is judged by members that learned from other groups' texts
alone.

Groups are dealt to folds by their id. Fold k's members learn from all other folds and judge fold k, so a
detector that needs no model call stands on the same texts as the models, none of which it has seen.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import polars as pl

from truerate.config import Entailer
from truerate.core.errors import TruerateError, listed
from truerate.core.keys import draw
from truerate.core.schemas import Judgement, frame
from truerate.detectors.entailment import Entailment
from truerate.detectors.interface import Detector, PerTask, Rule
from truerate.detectors.lexical import RULES as LEXICAL
from truerate.detectors.support import RULES as SUPPORT
from truerate.detectors.trivial import RULES as TRIVIAL

Networks = Mapping[str, Entailer]  # a family's `entailment`
NONE: Networks = MappingProxyType({})


def members() -> dict[str, Detector]:
    """Every unfitted detector without model call and weights by name: the members of params.yaml."""
    return {rule.name: PerTask(rule) for rules in rules_by_module().values() for rule in rules}


def rules_by_module() -> dict[str, tuple[Rule, ...]]:
    """The rules as data, with what each of them is, by the module that holds them."""
    return {"trivial": TRIVIAL, "lexical": LEXICAL, "support": SUPPORT}


def member(name: str, entailment: Networks = NONE) -> Detector | Entailment:
    """An unfitted rule or network of the family. Raises TruerateError with the allowed names."""
    rules = members()
    if name in rules and name in entailment:
        raise TruerateError(
            f"detector member {name!r} is a rule that needs no weights; rename it under `entailment`"
        )
    if name not in rules and name not in entailment:
        raise TruerateError(
            f"detector member {name!r} is not known; allowed: {listed([*rules, *entailment])}"
        )
    return rules[name] if name in rules else Entailment(name, entailment[name])


def fold_of(group_id: str, n_folds: int) -> int:
    """The fold of a group, 0 to n_folds − 1, whatever else is in the set."""
    return int(draw("fold", group_id) * n_folds)


def folds(samples: pl.DataFrame, n_folds: int) -> list[pl.Series]:
    """For each fold, which rows belong to it."""
    places = pl.Series([fold_of(group, n_folds) for group in samples["group_id"]], dtype=pl.Int64)
    return [places == fold for fold in range(n_folds)]


def fit_family(
    names: Sequence[str],
    samples: pl.DataFrame,
    contexts: pl.DataFrame,
    seed: int,
    *,
    folder: Path,
    n_folds: int,
    entailment: Networks = NONE,
) -> None:
    """Fit each member once per fold, on the texts of all other folds, and save it under `folder`/fold-k; files
    of members no longer named are removed. A family of no members, or without any sample, leaves empty folders.
    Raises TruerateError for an unknown member or where all samples are in one fold.
    """
    for fold, is_inside in enumerate(folds(samples, n_folds)):
        detectors = [member(name, entailment) for name in names]
        train, output = samples.filter(~is_inside).sort("sample_id"), Path(folder) / f"fold-{fold}"
        if detectors and train.is_empty() and not samples.is_empty():
            raise TruerateError(
                f"fitting {listed(names)}: no labelled texts to learn from; label more texts first"
            )
        output.mkdir(parents=True, exist_ok=True)
        for stale in output.glob("*.json"):
            stale.unlink()
        for detector in detectors if train.height else ():
            detector.fit(train, contexts, seed).save(output)


def judge_family(
    names: Sequence[str],
    samples: pl.DataFrame,
    contexts: pl.DataFrame,
    *,
    folder: Path,
    n_folds: int,
    entailment: Networks = NONE,
) -> pl.DataFrame:
    """Return what each member says of every sample, in the state that has not seen its group."""
    judged = [frame(Judgement)]
    for fold, is_inside in enumerate(folds(samples, n_folds)):
        output, part = Path(folder) / f"fold-{fold}", samples.filter(is_inside)
        asked = names if part.height else ()
        judged += [member(name, entailment).load(output).judge(part, contexts) for name in asked]
    return pl.concat(judged)
