"""The shortcut audit: how far do classifiers that check no fact tell the labels of a set?

A set whose length, format or wording gives its labels away measures that, and not recognition. Every shortcut
is learned on training folds (grouped by `group_id`) and measured on the fold left out; intervals respect the
groups (`score_writer.RULES`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from truerate.config import Audit, Statistics
from truerate.core.keys import content_id_of_rows
from truerate.core.schemas import Score, frame, pair, score_row
from truerate.core.text import words
from truerate.metrics import recognition
from truerate.metrics.intervals import (
    Interval,
    bootstrap_interval,
    cluster_bootstrap,
    resample_weights,
    share_interval,
)
from truerate.metrics.ngrams import (
    absent_rate,
    fit_counts,
    form,
    ngram_counts,
    probabilities_of_counts,
)
from truerate.metrics.thresholds import best_threshold, grouped_auroc, grouped_folds, weighted_auroc

SHORTCUTS = ("majority", "words", "characters", "final-stop", "trailing-space", "overlap", "answer-ngrams")
METRICS = ("shortcut_accuracy", "shortcut_balanced_accuracy", "shortcut_auroc", "shortcut_pairwise")
# what a finding is made of; accuracy and AUROC stand beside them
DECIDING = ("shortcut_balanced_accuracy", "shortcut_pairwise")
AT_ONCE = 32  # rows with whole pages that are read out together
# Texts from which the n-grams of a fold are learned, at most: what so many do not give away no trivial rule
# finds, and the regression takes more and more passes the more there are (of 30,000 it was two thirds of an
# audit).
LEARNED_FROM = 10_000
# What of a sample the audit looks at, and what finds its context.
LOOKED_AT = ("sample_id", "item_id", "task", "text", "is_hallucinated", "pair_id", "group_id", "attributes")


@dataclass(frozen=True)
class Labelled:
    """A slice of a labelled set as columns. `sides`: row pairs (hallucinated, right) of whole pairs."""

    texts: list[str]
    labels: np.ndarray
    groups: np.ndarray
    folds: np.ndarray
    sides: np.ndarray
    features: dict[str, np.ndarray]


@dataclass(frozen=True)
class Told:
    """What a shortcut said of each row and pair, always by what it learned on the other folds.

    `scores` rise with suspicion; `pair_scores` are 1 where the hallucinated side of a pair was picked, .5 on
    a tie, else 0.
    """

    verdicts: np.ndarray
    scores: np.ndarray
    pair_scores: np.ndarray


def audit(
    samples: pl.DataFrame, contexts: pl.DataFrame, *, board: str, p: Audit, statistics: Statistics, seed: int
) -> pl.DataFrame:
    """The Score rows of the audit: every shortcut × metric per task, and per task and `scheme` where samples
    name one.

    `samples`: columns of `schemas.Sample`; `contexts`: `item_id`, `knowledge`. Metrics, all in [0, 1],
    subject = the shortcut's name: `shortcut_accuracy` (against `majority`, the more frequent label),
    `shortcut_balanced_accuracy` (mean recall of both classes), `shortcut_auroc` (over the scores of all
    left-out folds together), `shortcut_pairwise` (share of pairs whose hallucinated side the feature alone
    picks, direction learned on the training pairs, ties half). Null where a slice has no pair or too few
    groups; no row where all its texts have one label: there is nothing to tell apart.
    """
    return audit_of([joined(samples, contexts)], board=board, p=p, statistics=statistics, seed=seed)


def audit_of(
    parts: Iterable[pl.DataFrame], *, board: str, p: Audit, statistics: Statistics, seed: int
) -> pl.DataFrame:
    """`audit` of samples that are `joined` with their contexts, part by part in the order of `sample_id`: no
    two parts' knowledge is in memory together.
    """
    read: list[pl.DataFrame] = []
    inputs, rows = inputs_of(_read_through(parts, read)), []
    for part, where in slices(pl.concat(read)):
        labelled = _labelled(part, n_folds=p.folds, seed=seed)
        for shortcut in SHORTCUTS:
            predictions = tell(labelled, shortcut)
            for metric, (interval, n) in _measure(labelled, predictions, statistics, seed).items():
                rows.append(score_row(metric, shortcut, where, interval, n, board=board, inputs=inputs))
    return frame(Score, rows)


def inputs_of(parts: Iterable[pl.DataFrame]) -> str:
    """Twelve hex digits over what the audit looks at, in parts as `audit_of` takes it: an audit whose rows
    name others is of another set.
    """
    named = ("sample_id", "text", "is_hallucinated", "knowledge")
    return content_id_of_rows(
        row for part in parts for row in part.select(named).iter_rows(buffer_size=AT_ONCE)
    )[:12]


def _read_through(parts: Iterable[pl.DataFrame], read: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The parts themselves; `read` is given each with `absent_rate` in the place of its knowledge."""
    for part in parts:
        yield part
        absent = [
            rows.select("sample_id", absent_rate=pl.Series(_absent_rates(rows["text"], knowledge or "")))
            for (knowledge,), rows in part.group_by("knowledge", maintain_order=True)
        ]
        rates = pl.concat([pl.DataFrame(schema={"sample_id": pl.String, "absent_rate": pl.Float64}), *absent])
        read.append(part.drop("knowledge").join(rates, on="sample_id", how="left", maintain_order="left"))


def _absent_rates(texts: Iterable[str], knowledge: str) -> list[float]:
    """Of each text the share of its content words that are not in its knowledge."""
    unigrams = {word.lower() for word in words(knowledge)}
    return [absent_rate(words(text), unigrams) for text in texts]


def joined(samples: pl.DataFrame, contexts: pl.DataFrame) -> pl.DataFrame:
    """Return what the audit looks at: LOOKED_AT of each sample, and the `knowledge` of its item."""
    knowledge = contexts.select("item_id", "knowledge")
    rows = samples.select(LOOKED_AT).join(knowledge, on="item_id", how="left", maintain_order="left")
    return rows.sort("sample_id")


def slices(samples: pl.DataFrame) -> list[tuple[pl.DataFrame, dict[str, str]]]:
    """The parts that are audited, in a fixed order: each task, and each scheme within it where samples name
    one; both labels in each. A sample of several schemes (`a+b`) is in the part of each.
    """
    with_scheme = samples.with_columns(schemes=pair("attributes", "scheme").str.split("+"))
    parts = []
    for (task,), part in with_scheme.sort("task", maintain_order=True).group_by("task", maintain_order=True):
        parts.append((part, {"task": task}))
        named = part["schemes"].explode().drop_nulls().unique().sort().to_list()
        parts += [
            (part.filter(pl.col("schemes").list.contains(scheme)), {"task": task, "scheme": scheme})
            for scheme in named
        ]
    return [(part, where) for part, where in parts if part["is_hallucinated"].n_unique() == 2]


def _labelled(part: pl.DataFrame, *, n_folds: int, seed: int) -> Labelled:
    texts = part["text"].to_list()
    labels, groups = part["is_hallucinated"].to_numpy().astype(bool), part["group_id"].to_numpy()
    forms = np.array([form(text) for text in texts]).reshape(-1, 4)
    columns = (np.zeros(len(texts)), *forms.T, part["absent_rate"].to_numpy())
    features = dict(zip(SHORTCUTS[:-1], columns, strict=True))
    folds = grouped_folds(groups, n_folds=n_folds, seed=seed)
    return Labelled(texts, labels, groups, folds, _sides(part["pair_id"].to_list(), labels), features)


def _sides(pair_ids: list[str | None], labels: np.ndarray) -> np.ndarray:
    """Row numbers (hallucinated, right) of every pair with exactly one row of each: shape (pairs, 2)."""
    members: dict[str, list[int]] = {}
    for row, name in enumerate(pair_ids):
        if name is not None:
            members.setdefault(name, []).append(row)
    whole = [
        sorted(rows, key=lambda row: not labels[row])
        for rows in members.values()
        if len(rows) == 2 and labels[rows].sum() == 1
    ]
    return np.array(whole, dtype=int).reshape(-1, 2)


def tell(data: Labelled, shortcut: str) -> Told:
    """A shortcut learned on each fold's complement and applied to the fold."""
    verdicts, scores = np.zeros(len(data.labels), dtype=bool), np.zeros(len(data.labels))
    pair_scores = np.full(len(data.sides), np.nan)
    learn = _ngrams(data) if shortcut == "answer-ngrams" else _feature(data, shortcut)
    for fold in range(int(data.folds.max(initial=-1)) + 1):
        test = data.folds == fold
        verdicts[test], scores[test], ordered = learn(~test, test)
        whole_pairs = test[data.sides].all(axis=1)
        gap = ordered[data.sides[whole_pairs, 0]] - ordered[data.sides[whole_pairs, 1]]
        pair_scores[whole_pairs] = (np.sign(gap) + 1) / 2
    return Told(verdicts, scores, pair_scores)


Learner = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


def _feature(data: Labelled, name: str) -> Learner:
    """One number: a threshold for verdicts, and its direction for scores and pairs."""
    x, y = data.features[name], data.labels

    def learn(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        threshold = best_threshold(x[train], y[train])
        is_common = bool(train.any()) and float(y[train].mean()) >= 0.5
        verdicts = threshold.verdicts(x[test]) if threshold else np.full(int(test.sum()), is_common)
        sign = 1.0 if threshold is None or threshold.is_above else -1.0
        trained_on = data.sides[train[data.sides].all(axis=1)]
        votes = np.sign(x[trained_on[:, 0]] - x[trained_on[:, 1]]).sum()
        return verdicts, sign * x[test], x * (np.sign(votes) or 1.0)

    return learn


def _ngrams(data: Labelled) -> Learner:
    """Learn from the answer's n-grams, by logistic regression: its probability is score and verdict."""
    counts = ngram_counts(data.texts)

    def learn(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = evenly(np.flatnonzero(train), LEARNED_FROM)
        y = data.labels[rows]
        p = np.full(len(data.texts), float(y.mean()) if len(y) else 0.5)
        if counts is not None and len(y) and 0 < y.mean() < 1:
            p[test] = probabilities_of_counts(counts[test], **fit_counts(counts[rows], y))
        return p[test] >= 0.5, p[test], p

    return learn


def evenly(rows: np.ndarray, most: int) -> np.ndarray:
    """Return at most so many rows (rows,), at even steps: they lie in the order of content ids, by chance."""
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


def _measure(
    data: Labelled, predictions: Told, s: Statistics, seed: int
) -> dict[str, tuple[Interval | None, int]]:
    """The four metrics with intervals and the number of rows or pairs behind each."""
    settings = {"n_resamples": s.n_bootstrap, "confidence": s.confidence, "seed": seed}
    names, index = np.unique(data.groups, return_inverse=True)
    verdicts = recognition.Verdicts(data.labels, predictions.verdicts, ~predictions.verdicts)
    recalls = recognition.class_columns(recognition.recall(verdicts), recognition.recall_right(verdicts))
    columns = np.column_stack([*recognition.accuracy(verdicts), recalls]).astype(float)
    sums = _summed(columns, index, len(names))
    accuracy = share_interval(*sums[:, :2].T, confidence=s.confidence)
    statistic = lambda totals: recognition.balanced_accuracy(totals)[:, None]  # noqa: E731
    balanced = cluster_bootstrap(sums[:, 2:], statistic, **settings)
    measured = ~np.isnan(predictions.pair_scores)
    of_pair = index[data.sides[:, 0]] if len(data.sides) else np.zeros(0, dtype=int)
    scores = np.stack([predictions.pair_scores, measured], axis=1)[measured]
    picked = _summed(scores, of_pair[measured], len(names))
    pairwise = share_interval(*picked.T, confidence=s.confidence)
    n = len(data.labels)
    return {
        "shortcut_accuracy": (accuracy, n),
        "shortcut_balanced_accuracy": ((balanced[0] if balanced else None), n),
        "shortcut_auroc": (_auroc(predictions.scores, data.labels, index, settings), n),
        "shortcut_pairwise": (pairwise, int(measured.sum())),
    }


def _summed(rows: np.ndarray, index: np.ndarray, n_groups: int) -> np.ndarray:
    sums = np.zeros((n_groups, rows.shape[1]))
    np.add.at(sums, index, rows)
    return sums


def _auroc(scores: np.ndarray, labels: np.ndarray, index: np.ndarray, settings: dict) -> Interval | None:
    """AUROC with its interval from a bootstrap over groups."""
    n_groups = int(index.max(initial=-1)) + 1
    if n_groups < 2:
        return None
    value = weighted_auroc(scores, labels, np.ones((1, len(labels))))[0]
    blocks = resample_weights(n_groups, n_resamples=settings["n_resamples"], seed=settings["seed"])
    draws = grouped_auroc(scores, labels, index, blocks)
    # the rarer class says how much is known
    n_defined = min(len(np.unique(index[labels == side])) for side in (True, False))
    counts = {"n_clusters": n_groups, "n_defined": n_defined}
    return bootstrap_interval(value, draws, **counts, confidence=settings["confidence"])


def findings(scores: pl.DataFrame, threshold: float) -> list[str]:
    """One line per shortcut and slice that reaches the threshold, the strongest first; empty where none does.

    Decided on balanced accuracy and on pairs: plain accuracy is high wherever one label is rare, and
    `majority` says by how much.
    """
    reached = scores.filter(pl.col("metric").is_in(DECIDING) & (pl.col("value") >= threshold))
    kinds = {"shortcut_pairwise": "of pairs", "shortcut_balanced_accuracy": "of texts (balanced)"}
    lines = []
    for row in reached.sort("value", descending=True, maintain_order=True).to_dicts():
        share = f"{row['subject']} alone tells {row['value']:.3f} {kinds[row['metric']]}"
        where = ", ".join(pair["value"] for pair in row["slice"])
        lines.append(f"{share} in {where} (threshold {threshold})")
    return lines
