"""What the committed rows of a board say beyond its scores: whether its order holds from slice to slice and
from judge to judge, how often its judges err by people's labels, which labels they contradict, who may be the
best, how each two subjects compare, and how many units would separate neighbours.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import numpy as np
import polars as pl

from truerate.leaderboard.rows import outcome_matrix
from truerate.metrics.agreement import cohen_kappa, contingency, kendall, table_agreement
from truerate.metrics.intervals import share_within
from truerate.metrics.label_quantities import bits_against
from truerate.metrics.paired import more_units_to_separate
from truerate.metrics.ranking import (
    Comparison,
    Difference,
    compare_all,
    compare_counts,
    differences,
    may_be_best,
    may_be_best_by_counts,
)
from truerate.metrics.rates import Share as Count
from truerate.metrics.rates import youden_interval
from truerate.results.board import (
    JUDGE,
    JudgeErrors,
    Order,
    RealBoard,
    RealScore,
    Share,
    Slice,
    Suspect,
    Swap,
)
from truerate.sources.public.unit_labels import FIRST

UNIT = ["subject", "unit_id"]
RULE = "rule"  # the key of a slice that is another reading of the labels
WHOLE = ""  # the headline over everything
MODEL = "model"  # the key of a slice that is one subject's replies
KIND = "model"  # of those that are ranked
MANY = 6  # values of a key up to which each is compared with each other, beyond it with everything alone
Scores = Mapping[str, RealScore]


def orders(board: RealBoard) -> tuple[Order, ...]:
    """The orders of a board's models by its headline, compared: everything with each value of each slice key,
    then the values of a key with one another; those of fewer than three common subjects are left out.
    """
    compared = []
    for key, values in board.slice_keys.items():
        columns = {value: _headline(board, ((key, value),)) for value in values}
        pairs = [(WHOLE, value) for value in values]
        pairs += combinations(values, 2) if len(values) <= MANY else []
        columns[WHOLE] = _headline(board, ())
        compared += [order_of(key, pair, columns[pair[0]], columns[pair[1]]) for pair in pairs]
    return tuple(order for order in compared if order is not None)


def _headline(board: RealBoard, where: Slice) -> dict[str, RealScore]:
    """The headline of each model that was measured on a slice, in the order of the board."""
    scores = board.overall(board.headline.name, where)
    names = [model.subject for model in board.models if model.subject in scores]
    return {name: scores[name] for name in names if scores[name].value is not None}


def order_of(key: str, pair: tuple[str, str], first: Scores, second: Scores) -> Order | None:
    """Compare the orders of subjects that both have; None of fewer than three. `key`, `pair` name them."""
    names = [name for name in first if name in second]
    if len(names) < 3:
        return None
    comparison = kendall(*([side[name].value or 0.0 for name in names] for side in (first, second)))
    flips = [(names[i], names[j]) for i, j in comparison.flips]
    apart = [(a, b) for a, b in flips if _is_apart(first[a], first[b]) and _is_apart(second[a], second[b])]
    return Order(key, *pair, len(names), comparison.tau, comparison.n_pairs, len(flips), tuple(apart))


def _is_apart(first: RealScore, second: RealScore) -> bool:
    """Return whether two rank ranges share no rank; a score without a range is apart from none."""
    ends = (first.rank_low, first.rank_high, second.rank_low, second.rank_high)
    if None in ends:
        return False
    low, high, other_low, other_high = (end or 0 for end in ends)
    return high < other_low or other_high < low


def swaps(board: RealBoard) -> tuple[Swap, ...]:
    """Each two of a board's judges compared: over everything what leads the board with each further judge,
    then these with one another; then, on each slice of one key, what leads with each.

    Empty where one judge alone read the replies; a pair without three subjects in common is left out.
    """
    of_one_key = (((key, value),) for key, values in board.slice_keys.items() for value in values)
    slices: list[Slice] = [(), *of_one_key]
    pairs_of_judges = []
    for where in slices:
        judges = {WHOLE: _headline(board, where), **board.judges(where)}
        judges = {
            judge: {name: score for name, score in scores.items() if score.value is not None}
            for judge, scores in judges.items()
        }
        with_lead = ((WHOLE, name) for name in judges if name != WHOLE)
        for pair in with_lead if where else combinations(judges, 2):
            order = order_of(board.in_words(where) if where else "", pair, judges[pair[0]], judges[pair[1]])
            if order is not None:
                verdicts = (_verdicts(board, judge, where) for judge in pair)
                pairs_of_judges.append(Swap(order, *_agreement(*verdicts)))
    return tuple(pairs_of_judges)


def _verdicts(board: RealBoard, judge: str, where: Slice) -> pl.DataFrame:
    """Return the units of a judge's verdicts, or of the headline, on a slice, that have a value."""
    pairs = where if judge == WHOLE else tuple(sorted(((JUDGE, judge), *where)))
    wanted = pl.col("slice") == ";".join(f"{key}={value}" for key, value in pairs)
    if judge == WHOLE:
        wanted &= pl.col("metric") == board.headline.name
    return board.rows.filter(wanted).select(*UNIT, "value").drop_nulls("value")


def _agreement(first: pl.DataFrame, second: pl.DataFrame) -> tuple[int, float | None, float | None]:
    """Replies that both judged, the share of equal verdicts, and Cohen's κ; None where it is not defined."""
    both = first.join(second, on=UNIT, suffix="_other", maintain_order="left")
    verdicts = [(both[name] >= 0.5).to_numpy().astype(int) for name in ("value", "value_other")]
    table = contingency(verdicts[0], verdicts[1], 2)
    same, kappa = float(table_agreement(table)), float(cohen_kappa(table))
    return both.height, None if np.isnan(same) else same, None if np.isnan(kappa) else kappa


def judge_errors(board: RealBoard) -> tuple[JudgeErrors, ...]:
    """The errors of each further judge by people's labels: over everything, on each slice of one key (another
    rule of the labels is one), and of each subject's replies; by judge. Positive is hallucinated.

    Empty where nobody labelled the replies, or more hallucination is better. Replies that either side left
    open do not count.
    """
    if not board.card["labelled_by"] or not board.headline.is_lower_better:
        return ()
    errors = []
    for judge in board.judges():
        verdicts = board.rows.filter(pl.col("slice") == f"{JUDGE}={judge}")
        errors += [
            entry
            for where, labels in _labels(board)
            for entry in _errors(board, judge, where, labels, verdicts)
        ]
    return tuple(errors)


def _errors(
    board: RealBoard, judge: str, where: Slice, labels: pl.DataFrame, verdicts: pl.DataFrame
) -> Iterator[JudgeErrors]:
    """The errors of verdicts by labels of the same replies; none where no reply has both."""
    verdicts = verdicts.select(*UNIT, verdict="value")
    both = labels.join(verdicts, on=UNIT, maintain_order="left").drop_nulls(["value", "verdict"])
    if not both.is_empty():
        label, verdict = ((both[name] >= 0.5).to_numpy() for name in ("value", "verdict"))
        clusters, confidence = both["cluster_id"].to_list(), board.card["confidence"]
        tpr = _share(verdict, label, clusters, confidence)
        tnr = _share(~verdict, ~label, clusters, confidence)
        yield JudgeErrors(judge, where, int(label.sum()), int((~label).sum()), tpr, tnr)


def first_labels(board: RealBoard) -> tuple[JudgeErrors, ...]:
    """The errors of the labels that a set was published with (the slice of the rule FIRST) by those of its
    re-annotation, which lead: over everything, on each slice and of each model. Their TPR is the gold recall, the share
    of the replies that are hallucinated by the re-annotation which the first labels had. Empty without a re-annotation.
    """
    before = board.rows.filter(pl.col("slice") == f"{RULE}={FIRST}")
    slices = [(where, labels) for where, labels in _labels(board) if not where or where[0][0] != RULE]
    return (
        tuple(entry for where, labels in slices for entry in _errors(board, FIRST, where, labels, before))
        if not before.is_empty()
        else ()
    )


def _labels(board: RealBoard) -> Iterator[tuple[Slice, pl.DataFrame]]:
    """Yield people's labels of all replies, of each slice, and of each subject's replies."""
    rows = board.rows.filter(pl.col("metric") == board.headline.name)
    whole = rows.filter(pl.col("slice") == "")
    yield (), whole
    for key, values in board.slice_keys.items():
        for value in values:
            yield ((key, value),), rows.filter(pl.col("slice") == f"{key}={value}")
    for model in board.models:
        yield ((MODEL, model.subject),), whole.filter(pl.col("subject") == model.subject)


def _share(hits: np.ndarray, side: np.ndarray, clusters: list[str], confidence: float) -> Share:
    """The share of one side's replies that are hits, with its interval over clusters; None over nothing."""
    interval = share_within(hits, side, clusters, confidence=confidence)
    return Share(*interval) if interval else Share(None, None, None)


def suspects(board: RealBoard) -> tuple[Suspect, ...]:
    """The replies whose verdicts are likelier under the other label (`bits_against` above 0), strongest
    first; equal ones by subject and unit. None where nobody but a judge labelled the board, where no judge
    read it, or where what leads is no label.
    """
    judges = sorted(board.judges())
    whole = (pl.col("metric") == board.headline.name) & (pl.col("slice") == "")
    wide = board.rows.filter(whole).select(*UNIT, label="value").drop_nulls("label")
    if not judges or not board.card["labelled_by"] or not wide["label"].is_in([0.0, 1.0]).all():
        return ()
    for number, judge in enumerate(judges):
        verdicts = board.rows.filter(pl.col("slice") == f"{JUDGE}={judge}")
        verdicts = verdicts.select(*UNIT, pl.col("value").alias(str(number)))
        wide = wide.join(verdicts, on=UNIT, how="left", maintain_order="left")
    labels = wide["label"].to_numpy()
    by_judge = wide.select(map(str, range(len(judges)))).cast(pl.Float64).fill_null(np.nan).to_numpy()
    is_judged = ~np.isnan(by_judge)
    table = wide.select(UNIT).with_columns(
        is_hallucinated=wide["label"] == 1,
        n_against=pl.Series((is_judged & ((by_judge >= 0.5) != (labels == 1)[:, None])).sum(axis=1)),
        n_judges=pl.Series(is_judged.sum(axis=1)),
        bits=pl.Series(bits_against(labels, by_judge)).round(3),
    )
    table = table.filter(pl.col("bits").is_finite() & (pl.col("bits") > 0))
    table = table.sort("bits", *UNIT, descending=[True, False, False])
    return tuple(Suspect(*row) for row in table.iter_rows())


def more_units(board: RealBoard) -> dict[tuple[str, str], int | None]:
    """Of each two neighbours among a board's models the units to add until a paired test tells them apart, at
    the level that Bonferroni leaves each pair of them.
    """
    whole = board.rows.filter((pl.col("metric") == board.headline.name) & (pl.col("slice") == ""))
    if whole.is_empty():
        return {}
    wide = whole.pivot(on="subject", index=["unit_id", "cluster_id"], values="value")
    measured = [model.subject for model in board.models if model.value is not None]
    names = [name for name in measured if name in wide.columns]
    n_pairs, clusters = len(names) * (len(names) - 1) // 2, wide["cluster_id"].to_list()
    values = {name: wide[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in names}
    return {
        (first, second): more_units_to_separate(values[first], values[second], clusters, n_pairs=n_pairs)
        for first, second in pairwise(names)
    }


def best(board: RealBoard) -> dict[Slice, frozenset[str]]:
    """The models of a board that may be the best, over everything and by each further judge: by comparisons with
    the best among models (`metrics.ranking.may_be_best`), where nothing else on the board is better than they
    are, and no test of a pair puts another before them. None where fewer than two are ranked.
    """
    by_judge = {((JUDGE, judge),): scores for judge, scores in board.judges().items()}
    scores_by_slice: dict[Slice, Scores] = {(): board.overall(board.headline.name)} | by_judge
    return {where: _best(board, where, scores) for where, scores in scores_by_slice.items()}


def _best(board: RealBoard, where: Slice, scores: Scores) -> frozenset[str]:
    models = {name for name, score in scores.items() if score.kind == KIND}
    first = {name for name in models if scores[name].rank_low == 1}
    for rivals in (models, set(scores)) if models < set(scores) else (models,):
        first &= _best_of(board, where, rivals) if first else set()
    return frozenset(first)


def _best_of(board: RealBoard, where: Slice, rivals: set[str]) -> set[str]:
    is_up, alpha = not board.headline.is_lower_better, board.card["alpha"]
    if board.table is not None:
        table = board.table.filter(pl.col("subject").is_in(rivals), slice="")
        names, counts, n = (
            table["subject"].to_list(),
            table[board.headline.name].to_numpy(),
            table["n"].to_numpy(),
        )
        is_best = may_be_best_by_counts(counts, n, alpha=alpha, higher_is_better=is_up)
    else:
        rows = _outcomes(board, where).filter(pl.col("subject").is_in(rivals))
        names, values, clusters = outcome_matrix(rows)
        is_best = may_be_best(values, clusters, alpha=alpha, seed=board.card["seed"], higher_is_better=is_up)
    return {name for name, is_in in zip(names, is_best, strict=True) if is_in}


def _outcomes(board: RealBoard, where: Slice) -> pl.DataFrame:
    """The rows of the headline over everything, or by a further judge."""
    wanted = pl.col("slice") == ";".join(f"{key}={value}" for key, value in where)
    return board.rows.filter(wanted if where else wanted & (pl.col("metric") == board.headline.name))


def comparisons(board: RealBoard) -> tuple[list[str], list[Comparison]]:
    """The subjects of a board's headline, and the tests of their pairs from which their rank ranges follow."""
    card = board.card
    if board.table is not None:
        table = board.table.filter(slice="")
        return table["subject"].to_list(), compare_counts(
            table[board.headline.name].to_numpy(), table["n"].to_numpy()
        )
    rows = _outcomes(board, ()).filter(pl.col("value").is_not_null().any().over("subject"))
    names, values, clusters = outcome_matrix(rows)
    kinds = {score.subject: score.kind for score in board.ranked}
    how = {"n_resamples": card["n_bootstrap"], "alpha": card["alpha"], "seed": card["seed"]}
    return names, compare_all(values, clusters, is_model=[kinds.get(name) == KIND for name in names], **how)


def model_differences(board: RealBoard) -> tuple[list[str], list[Difference]]:
    """The models of a board, and the difference of the headline of every pair of them: on the units that both
    have (`metrics.ranking.differences`). Of published figures, whose rows nobody has, that of independent
    shares: Newcombe's interval (1998, method 10), and the test of the rank ranges (`compare_counts`).
    """
    names = {model.subject for model in board.models}
    if board.table is None:
        whole = (pl.col("metric") == board.headline.name) & (pl.col("slice") == WHOLE)
        rows = board.rows.filter(whole & pl.col("subject").is_in(sorted(names)))
        if rows.is_empty():
            return [], []
        how = {name: board.card[name] for name in ("confidence", "alpha", "seed")}
        subjects, values, clusters = outcome_matrix(rows)
        return subjects, differences(values, clusters, n_resamples=board.card["n_bootstrap"], **how)
    lead = board.table.filter(slice=WHOLE).filter(pl.col("subject").is_in(sorted(names)))
    counts, n = lead[board.headline.name].to_numpy(), lead["n"].to_numpy()
    shares = [Count(*share) for share in zip(counts.tolist(), n.tolist(), strict=True)]
    pairs = []
    for pair in compare_counts(counts, n):
        first, second = shares[pair.first], shares[pair.second]
        low, high = youden_interval(first, second, confidence=board.card["confidence"]) or (np.nan, np.nan)
        pairs.append(Difference(*pair[:3], float(low), float(high), pair.p, 0, is_paired=False))
    return lead["subject"].to_list(), pairs
