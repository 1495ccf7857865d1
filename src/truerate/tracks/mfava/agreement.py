"""How well labels agree: annotators with silver (the screening), with one another, and the settled gold with silver; of
people who labelled tasks, and of those that a source came with.

All of it is over tokens. Typed agreement counts a token only where both give it one type (or both leave it unmarked).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from truerate.annotation.agreement import ANNOTATORS
from truerate.annotation.labels import Label
from truerate.core.tags import TYPES
from truerate.metrics.agreement import KAPPA, cohen_kappa, contingency, marked_or_not, table_agreement
from truerate.metrics.intervals import UNIT, cluster_sums
from truerate.metrics.means import mean_of_defined
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava.settling import SETTLEMENTS, Screened, Text, Tokens, row_types, settled

GOLD = "gold"  # the subject of what is settled
PEOPLE = ("gold", "published")  # label sources that are people
KINDS = len(TYPES) + 1  # of a token: unmarked, or one of the types
BOUNDS = (KAPPA, KAPPA, UNIT, UNIT)  # of `_pair_statistics`
MAX_PAIRED = 10  # annotators of one language of a source: more of them have hardly a text in common


def label_scores(
    labels: Sequence[Label], texts: Mapping[str, Text], screened: Screened, writer: ScoreWriter
) -> list[dict]:
    """Return screening, agreement of those who pass on shared texts, of gold with silver under both settlements, and
    plausibility.
    """
    lang_of = {name: text.lang for name, text in texts.items()}
    silver = {name: text.silver for name, text in texts.items() if text.silver is not None}
    n_of = Counter((lang_of[label.task_id], label.annotator) for label in labels if label.task_id in silver)
    scores = [
        writer.row("screening_agreement", annotator, {"lang": lang}, share, n_of[lang, annotator])
        for (lang, annotator), share in screened.agreement.items()
    ]
    for lang in sorted({lang for lang, _ in screened.agreement}):
        n, passed = (sum(name == lang for name, _ in keys) for keys in (screened.agreement, screened.passed))
        scores.append(writer.row("n_annotators_passed", ANNOTATORS, {"lang": lang}, float(passed), n))
    kept = [label for of_task in screened.labels.values() for label in of_task]
    shared = sorted(
        (label.task_id, label.annotator) for label in kept if len(screened.labels[label.task_id]) > 1
    )
    scores += agreement_rows({key: screened.tokens[key] for key in shared}, lang_of, writer)
    for settle in SETTLEMENTS:
        gold = {
            name: row_types(text.offsets, settled(of_task, text, screened.closest, settle=settle))
            for name, of_task in screened.labels.items()
            if (text := texts[name]).silver is not None
        }
        scores += silver_gold_rows(gold, silver, lang_of, {"settled": settle}, writer)
    ratings = [(lang_of[label.task_id], label.rating) for label in kept if label.rating is not None]
    return scores + plausibility_rows(ratings, writer)


def published_agreement(
    samples: pl.DataFrame, judgements: pl.DataFrame, tokenizer: str, writer: ScoreWriter
) -> list[dict]:
    """Return the agreement of the annotators that a source came with, where a language has few enough of them to be
    paired (MAX_PAIRED).
    """
    judged = samples.select("sample_id", "text", "lang").join(
        judgements, left_on="sample_id", right_on="target_id", maintain_order="left"
    )
    n_of_lang = judged.group_by("lang", maintain_order=True).agg(pl.col("judge").n_unique())
    is_few = pl.col("lang").is_in(n_of_lang.filter(pl.col("judge") <= MAX_PAIRED)["lang"].to_list())
    shared = judged.filter(is_few & (pl.len().over("sample_id") > 1)).sort("sample_id", "judge")
    cut, tokens, lang_of = offsets_by(tokenizer), {}, {}
    for (name,), part in shared.group_by("sample_id", maintain_order=True):
        offsets, lang_of[name] = cut(part["text"][0]), part["lang"][0]
        for judge, spans in part.select("judge", "spans").iter_rows():
            tokens[name, judge] = row_types(offsets, spans)
    return agreement_rows(tokens, lang_of, writer) if tokens else []


def published_rows(samples: pl.DataFrame, tokenizer: str, writer: ScoreWriter) -> list[dict]:
    """Return the agreement of the gold that a source came with and the silver of the same texts (settled: published)."""
    columns = ["item_id", "text", "lang", "label_source", "spans"]
    passages = samples.filter(pl.col("task") == "silver").select(columns)
    by_people = passages.filter(pl.col("label_source").is_in(PEOPLE))
    by_silver = passages.filter(pl.col("label_source") == "silver")
    both = by_people.join(by_silver, on=["item_id", "text"], suffix="_silver", maintain_order="left")
    cut, gold, silver = offsets_by(tokenizer), {}, {}
    for name, text, spans, silver_spans in both.select(
        "item_id", "text", "spans", "spans_silver"
    ).iter_rows():
        offsets = cut(text)
        gold[name], silver[name] = row_types(offsets, spans), row_types(offsets, silver_spans)
    lang_of = dict(both.select("item_id", "lang").iter_rows())
    return silver_gold_rows(gold, silver, lang_of, {"settled": "published"}, writer)


# ---- statistics over tokens ---------------------------------------------------------------------------------


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
