"""How well labels agree: annotators with silver (the screening), with one another, and the settled gold with
silver.

All of it is over tokens. Typed agreement counts a token only where both give it one type (or both leave it
unmarked).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from truerate.core.tags import TYPES
from truerate.metrics.agreement import (
    KAPPA,
    cohen_kappa,
    contingency,
    marked_or_not,
    table_agreement,
)
from truerate.metrics.intervals import UNIT, cluster_sums
from truerate.metrics.means import mean_of_defined
from truerate.metrics.score_writer import ALL, ScoreWriter

KINDS = len(TYPES) + 1  # of a token: unmarked, or one of the types
ANNOTATORS, GOLD = "annotators", "gold"
BOUNDS = (KAPPA, KAPPA, UNIT, UNIT)  # of `_pair_statistics`
Tokens = Mapping[tuple[str, str], np.ndarray]  # token types by (task, annotator)


def pair_tables(tokens: Tokens) -> dict[str, np.ndarray]:
    """Per task with several annotators: the contingency tables (pairs, 7, 7) of all pairs of annotators that
    share any task.

    Pairs are in the order of their names; zeros where one of a pair did not label the task.
    """
    by_task: dict[str, set[str]] = {}
    for task, annotator in tokens:
        by_task.setdefault(task, set()).add(annotator)
    pairs = sorted({pair for found in by_task.values() for pair in combinations(sorted(found), 2)})
    empty = np.zeros((KINDS, KINDS))
    return {
        task: np.stack(
            [
                contingency(tokens[task, a], tokens[task, b], KINDS) if {a, b} <= found else empty
                for a, b in pairs
            ]
        )
        for task, found in sorted(by_task.items())
        if len(found) > 1
    }


def agreement_rows(tokens: Tokens, lang_of: Mapping[str, str], writer: ScoreWriter) -> list[dict]:
    """`cohen_kappa`, `cohen_kappa_typed`, `percent_agreement` (typed as well) of annotators on shared texts,
    per language.

    Each is the mean over the pairs of annotators that share a text; texts are resampled.
    """
    made = []
    for lang in [*sorted({lang_of[task] for task, _ in tokens}), ALL]:
        tables = pair_tables({key: value for key, value in tokens.items() if lang in (ALL, lang_of[key[0]])})
        if not tables:
            continue
        whole = np.stack(list(tables.values()))
        n_pairs = whole.shape[1]
        found = writer.intervals(
            whole.reshape(len(whole), -1),
            lambda totals, n=n_pairs: _pair_statistics(totals, n),
            bounds=BOUNDS,
        )
        has_types = (
            whole[..., 2:, :].any() or whole[..., 2:].any()
        )  # a source may mark spans and name no type
        for name, one in zip(
            ("cohen_kappa", "cohen_kappa_typed", "percent_agreement", "percent_agreement_typed"),
            found,
            strict=True,
        ):
            if has_types or not name.endswith("_typed"):
                made.append(writer.row(name, ANNOTATORS, {"lang": lang}, one, len(whole)))
    return made


def _pair_statistics(totals: np.ndarray, n_pairs: int) -> np.ndarray:
    """κ and agreement, types as one and types apart, each the mean over pairs of raters: (draws, 4)."""
    tables = totals.reshape(-1, n_pairs, KINDS, KINDS)
    flat = marked_or_not(tables)
    values = (cohen_kappa(flat), cohen_kappa(tables), table_agreement(flat), table_agreement(tables))
    return np.stack([mean_of_defined(one) for one in values], axis=1)


def silver_gold_rows(
    gold: Mapping[str, np.ndarray],
    silver: Mapping[str, np.ndarray],
    lang_of: Mapping[str, str],
    where: dict,
    writer: ScoreWriter,
) -> list[dict]:
    """`silver_gold_kappa`, `silver_gold_kappa_typed`, `silver_gold_agreement` over the texts that have both,
    per language and over all.
    """
    both = sorted(set(gold) & set(silver))
    made = []
    for lang in [*sorted({lang_of[task] for task in both}), ALL] if both else []:
        tasks = [task for task in both if lang in (ALL, lang_of[task])]
        tables = np.stack([contingency(gold[task], silver[task], KINDS) for task in tasks])
        sums = cluster_sums(tasks, tables.reshape(len(tables), -1))
        found = writer.intervals(
            sums, lambda totals: _pair_statistics(totals, 1)[:, [0, 1, 3]], bounds=(KAPPA, KAPPA, UNIT)
        )
        names = ("silver_gold_kappa", "silver_gold_kappa_typed", "silver_gold_agreement")
        made += [
            writer.row(name, GOLD, {**where, "lang": lang}, one, len(tasks))
            for name, one in zip(names, found, strict=True)
        ]
    return made


def plausibility_rows(ratings: Sequence[tuple[str, int]], writer: ScoreWriter) -> list[dict]:
    """`plausibility_rate` of each rating 1–5 per language and over all, from (language, rating) of single
    ratings (mFAVA Table 1).
    """
    made = []
    for lang in [*sorted({lang for lang, _ in ratings}), ALL] if ratings else []:
        found = np.array([rating for name, rating in ratings if lang in (ALL, name)])
        for rating in range(1, 6):
            row = writer.row(
                "plausibility_rate",
                ANNOTATORS,
                {"lang": lang, "rating": rating},
                float((found == rating).mean()),
                len(found),
            )
            made.append(row)
    return made
