"""WildFactScore and its kin: how much of what a model says about real-world entities is supported (Zhao et
al. 2024, WildHallucinations 3).

Columns of `replies`: `generation_id`, `subject`, `entity`, `is_abstained` (null where no reply came) and, of
a reply whose facts could not all be written, `is_whole` false. Columns of `facts`: `generation_id`,
`is_supported` (null: no verdict could be read), `is_duplicate`, `is_title`. A reply responds where it came
and does not abstain. Scores are in [0, 1].
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil, isnan, nan, sqrt
from typing import Literal, NamedTuple, cast

import numpy as np
import polars as pl

from truerate.metrics.cells import mean_of
from truerate.metrics.intervals import NARROW, Interval, cluster_sums, wilson_clustered
from truerate.metrics.rates import NOT_IDENTIFIED, Corrected, opened
from truerate.metrics.unread import all_supported

OTHER = "other"
KINDS = 12  # of facts: three verdicts (not supported, supported, none) × duplicate or not × title or not
# Facts of a reply: all, with a verdict, supported, these two without duplicates, duplicates, titles.
COUNTED = ("n_facts", "n_read", "n_supported", "n_own", "n_own_supported", "n_duplicate", "n_title")
# The scores of a reply, by metric.
SCORES = {
    "wildfactscore": "score",
    "wildfactscore_strict": "strict",
    "factscore_length": "length",
    "wildfactscore_dedup": "dedup",
}
# Of the replies that came those that can be a success of Strict, and of these the share that is.
STATING, ALL_SUPPORTED = "stating", "all_supported"
STRICT_PAPER = "wildfactscore_strict_paper"
PRODUCTS = {"wildfactscore_strict": (STATING, ALL_SUPPORTED)}  # scores that are a product of two of `ratios`
STRICT_RULES = Literal["readable", "paper"]  # what Strict makes of a reply with an unread verdict


def scored_replies(
    replies: pl.DataFrame, facts: pl.DataFrame, *, gamma: int, strict: STRICT_RULES = "readable"
) -> pl.DataFrame:
    """The replies with counts of their facts (`fact_counts`) and their scores: `is_responding`, `score`,
    `strict`, `is_stating`, `all_supported`, `strict_paper`, `length`, `dedup`.

    `score`: f(y) = Σ 1[a is supported] / |A_y| over the facts with a verdict, of replies that respond
    (WildFactScore, section 3). `strict`: 1 where every fact is supported, else 0; abstention is 0. A reply
    with a fact without verdict, or whose facts were not all written, is null and `is_unreadable`: dropping
    only those that the other facts leave open would lower the score. `strict_paper`: Strict as the paper
    prints it, 1 where a reply that came holds facts and every one is known to be supported, else 0: silence,
    a reply without a fact and one with an unread verdict are no success. `is_stating`: the reply responds and
    holds a fact, or may hold one that was not written; without one it is no success of Strict.
    `all_supported`: what a stating reply says of the share of these whose every fact is supported: `strict`
    where nothing is unread, else an estimate of it that may leave [0, 1] (`unread.all_supported`); null where
    facts were not all written. The score of a subject is the product of `PRODUCTS`, for abstentions are never
    null. With `strict` "paper" both are those of the paper: every responding reply is stating, and says its
    `strict_paper`. `length`: f(y) · exp(1 − γ/|A_y|) where |A_y| < γ (FActScore's length penalty). `dedup`:
    the share over facts that repeat no earlier one. A reply that responds and has no fact has `has_no_fact`
    and no score.
    """
    counted = replies.hstack(fact_counts(replies["generation_id"], facts)).with_columns(
        is_responding=(~pl.col("is_abstained")).fill_null(False)
    )
    n_facts, n_read, is_whole = pl.col("n_facts"), pl.col("n_read"), pl.col("is_whole")
    responds = pl.col("is_responding")
    score = pl.when(responds & (n_read > 0)).then(pl.col("n_supported") / n_read)
    penalty = pl.when(n_facts < gamma).then((1 - gamma / n_facts).exp()).otherwise(1.0)
    is_defined = responds & is_whole & (n_facts > 0)
    is_strict = (pl.col("n_supported") == n_facts).cast(pl.Float64)
    of_paper = (responds & is_defined.fill_null(False) & (pl.col("n_supported") == n_facts)).cast(pl.Float64)
    of_paper = pl.when(pl.col("is_abstained").is_not_null()).then(of_paper)
    is_empty = is_whole.fill_null(False) & (n_facts == 0)
    is_paper = strict == "paper"
    return counted.with_columns(
        pl.when(responds).then(of_paper).alias(ALL_SUPPORTED)
        if is_paper
        else _all_supported(counted, is_defined),
        is_stating=responds if is_paper else responds & ~is_empty,
        strict_paper=of_paper,
        score=score,
        strict=pl.when(pl.col("is_abstained"))
        .then(0.0)
        .when(is_defined & (n_read == n_facts))
        .then(is_strict),
        length=score * penalty,
        dedup=pl.when(responds & (pl.col("n_own") > 0)).then(pl.col("n_own_supported") / pl.col("n_own")),
        has_no_fact=pl.when(responds & is_whole).then(n_facts == 0),
        is_unreadable=pl.when(responds).then(~is_whole.fill_null(False) | (n_read < n_facts)),
    )


def _all_supported(counted: pl.DataFrame, is_defined: pl.Expr) -> pl.Series:
    """`unread.all_supported` of the replies that tell."""
    rows = counted.select(row=is_defined.fill_null(False).arg_true())["row"]
    counts = counted.select("subject", "n_facts", "n_read", "n_supported")[rows]
    subjects = counts["subject"].cast(pl.String).rank("dense").to_numpy()
    n_facts, n_read, n_supported = (counts[name].to_numpy() for name in counts.columns[1:])
    shares = np.full(counted.height, np.nan)
    shares[rows.to_numpy()] = all_supported(subjects, n_facts, n_read, n_read - n_supported)
    return pl.Series(ALL_SUPPORTED, shares).fill_nan(None)


def fact_counts(replies: pl.Series, facts: pl.DataFrame) -> pl.DataFrame:
    """Facts of each reply (by its id, in the order given): COUNTED's kinds of facts. Facts of other replies
    are left out. Every fact is one of twelve kinds (verdict, duplicate, title); their places are counted in
    one pass, without a group per reply.
    """
    verdict = pl.col("is_supported").cast(pl.Int32).fill_null(2)
    reply_row = pl.col("generation_id").cast(pl.Enum(replies), strict=False).to_physical().cast(pl.Int32)
    kind = verdict + 3 * pl.col("is_duplicate").cast(pl.Int32) + 6 * pl.col("is_title").cast(pl.Int32)
    cells = facts.select(cell=KINDS * reply_row + kind)["cell"].drop_nulls().to_numpy()
    counts = np.bincount(cells, minlength=KINDS * len(replies)).reshape(-1, KINDS)
    verdicts, is_own, is_title = np.arange(KINDS) % 3, np.arange(KINDS) % 6 < 3, np.arange(KINDS) >= 6
    is_read, is_supported = verdicts < 2, verdicts == 1
    belongs = (
        verdicts >= 0,
        is_read,
        is_supported,
        is_own & is_read,
        is_own & is_supported,
        ~is_own,
        is_title,
    )
    sums = zip(COUNTED, belongs, strict=True)
    return pl.DataFrame({name: counts[:, kinds].sum(axis=1) for name, kinds in sums})


def ratios() -> dict[str, tuple[pl.Expr, pl.Expr]]:
    """Numerators and denominators of all scores and shares of `scored_replies`, by metric name, for
    `cells.ratio_cells`.

    Strict is none of them but a product of two (`PRODUCTS`): the replies that respond and hold a fact, and of
    those that tell of all their facts (`all_supported`) the ones whose every fact is supported. So a reply
    that does not is as the others with facts, unread verdicts do not give silence more weight, and a reply
    without a fact is no success.
    """
    of_facts = {"unparsed_fact_rate": pl.col("n_facts") - pl.col("n_read")}
    of_facts |= {"duplicate_fact_rate": pl.col("n_duplicate"), "title_fact_rate": pl.col("n_title")}
    return {
        **{name: mean_of(column) for name, column in SCORES.items() if name not in PRODUCTS},
        STRICT_PAPER: mean_of("strict_paper"),
        STATING: (pl.col("is_stating"), pl.col("is_abstained").is_not_null()),
        ALL_SUPPORTED: (pl.col(ALL_SUPPORTED), pl.col(ALL_SUPPORTED).is_not_null()),
        "unreadable_rate": mean_of("is_unreadable"),
        "no_fact_rate": mean_of("has_no_fact"),
        **{
            name: (pl.col("is_responding") * part, pl.col("is_responding") * pl.col("n_facts"))
            for name, part in of_facts.items()
        },
    }


RECALL, F1 = "recall_at_k", "f1_at_k"


def median_supported(scored: pl.DataFrame) -> int:
    """Return the median number of supported facts of the replies that respond, of all subjects together,
    rounded up and at least 1: the K of F1@K where none is set (VeriScore, Song et al. 2024). 1 over no reply.
    """
    n_supported = scored.filter(pl.col("is_responding") & (pl.col("n_read") > 0))["n_supported"]
    return max(1, ceil(cast(float, n_supported.median() or 0)))


def at_k(scored: pl.DataFrame, k: int) -> pl.DataFrame:
    """`scored` with RECALL and F1 of each reply at `k` supported facts (LongFact, Wei et al. 2024).

    P = S / (S + N) over the facts with a verdict, R = min(S / k, 1), F1 = 2PR / (P + R), 0 where no fact is
    supported: so both are 0 for silence and for a reply without a fact. Null where no reply came, or none of
    its facts could be read.
    """
    n_supported, n_read = pl.col("n_supported"), pl.col("n_read")
    is_defined = pl.col("is_abstained") | (n_read > 0) | pl.col("has_no_fact").fill_null(False)
    counts = pl.col("is_responding").cast(pl.Int64) * n_supported
    recall = (counts / k).clip(0, 1)
    precision = counts / n_read
    f1 = pl.when(counts > 0).then(2 * precision * recall / (precision + recall)).otherwise(0.0)
    return scored.with_columns(
        **{name: pl.when(is_defined).then(value) for name, value in ((RECALL, recall), (F1, f1))}
    )


def strict_outcomes(scored: pl.DataFrame) -> pl.DataFrame:
    """`scored` with `outcome`: what each reply says of its subject's Strict, so that their mean is the score
    R · S itself.

    0 where it abstains or holds no fact; S where it states something and does not tell; S + A/C ·
    (all_supported − their mean) where it does, with S the mean of `all_supported` over the C replies that
    tell, cut to [0, 1], of A that are stating: their linearised values, whose spread is that of the estimate.
    They may leave [0, 1] where replies or verdicts cannot be read. Null where no reply came, and for a
    subject that states with none that tells.
    """
    subject, states, all_supported = pl.col("subject"), pl.col("is_stating"), pl.col(ALL_SUPPORTED)
    mean = all_supported.mean().over(subject)
    ratio = states.sum().over(subject) / all_supported.count().over(subject)
    share = mean.clip(0, 1)
    estimated = share + ratio * (all_supported - mean)
    is_defined = share.is_not_null() | (states.sum().over(subject) == 0)
    silent = pl.when(pl.col("is_abstained").is_not_null() & ~states & is_defined).then(0.0)
    return scored.with_columns(outcome=silent.when(states).then(pl.coalesce(estimated, share)))


# ---- sets and slices ---------------------------------------------------------------------------------------


def common_entities(replies: pl.DataFrame, panel: Collection[str]) -> pl.Series:
    """The entities of which every subject of the panel has a score, each time it is asked (Table 6's common
    subset): one and the same set for all. A reply that responds without a fact that can be read has none.
    `replies`: with `score` (`scored_replies`). Freeze the panel per release: one more model changes the set
    for all. No panel, no entity.
    """
    asked = replies.filter(pl.col("subject").is_in(list(panel))).group_by(
        "entity", "subject", maintain_order=True
    )
    each = asked.agg(has_score=pl.col("score").is_not_null().all())
    whole = (
        each.group_by("entity", maintain_order=True)
        .agg(pl.col("has_score").sum())
        .filter(pl.col("has_score") == len(set(panel)))
    )
    return whole["entity"].sort() if panel else whole["entity"].clear()


def pooled(entities: pl.DataFrame, column: str, *, above: int) -> pl.DataFrame:
    """`entities` with values of a column of at most `above` entities pooled as `other` (Table 5)."""
    return entities.with_columns(
        pl.when(pl.len().over(column) > above).then(pl.col(column)).otherwise(pl.lit(OTHER)).alias(column)
    )


def rank_changes(
    before: Mapping[str, float | None], after: Mapping[str, float | None]
) -> dict[str, int | None]:
    """Return how many places each subject gains from one score to another; negative where it falls, null
    where either score is. Rank is 1 + the number of subjects that are better, among those that have both
    scores.
    """
    names = [name for name, first in before.items() if first is not None and after.get(name) is not None]
    n_better = [
        {name: sum(scores[other] > scores[name] for other in names) for name in names}  # type: ignore[operator]
        for scores in (before, after)
    ]
    return {name: n_better[0][name] - n_better[1][name] if name in names else None for name in before}


# ---- the verifier's own error ------------------------------------------------------------------------------


def with_share(facts: pl.DataFrame) -> pl.DataFrame:
    """The facts with `share`, their weight: 1 over the facts of their reply with a verdict (else null)."""
    n_read = pl.col("is_supported").count().over("generation_id")
    return facts.with_columns(share=pl.when(pl.col("is_supported").is_not_null()).then(1 / n_read))


def supported_share(facts: pl.DataFrame) -> float | None:
    """WildFactScore: the share of supported facts, every reply counting as one, in [0, 1]; None over no verdict."""
    defined = facts.drop_nulls("share")
    if defined.is_empty():
        return None
    return float((defined["share"] * defined["is_supported"]).sum()) / float(defined["share"].sum())


class Verifier(NamedTuple):
    """What labels say of a verifier: `flagged`, the share of all facts that it calls unsupported; `right`,
    the share of those that are; `missed`, the share of those that it calls supported and are not. Labels
    drawn by verdict tell the last two, independently.
    """

    flagged: float
    right: Interval
    missed: Interval

    @property
    def rates(self) -> tuple[float, float]:
        """TPR and FPR of `not supported`; NaN over nothing."""
        return verifier_rates(self.flagged, self.right.value, self.missed.value)


def verifier_rates(flagged: float, right: float, missed: float) -> tuple[float, float]:
    """TPR = P·u / (P·u + m(1 − u)), FPR = (1 − P)u / ((1 − P)u + (1 − m)(1 − u)); NaN over nothing."""
    hits, alarms = right * flagged, (1 - right) * flagged
    wrong, sound = hits + missed * (1 - flagged), alarms + (1 - missed) * (1 - flagged)
    return hits / wrong if wrong else nan, alarms / sound if sound else nan


def measured(facts: pl.DataFrame, labelled: pl.DataFrame, *, confidence: float) -> Verifier | None:
    """A verifier's error on labelled facts, each weighted as in WildFactScore. None where either verdict has
    labels in one entity or none. `facts`: `is_supported`, `share` (1 over the facts of its reply with a
    verdict; null without one); all facts of the board. `labelled`: also `entity`, `is_unsupported` (the
    label) and `weight` (how many facts one stands for).
    """
    shares, checked = facts.drop_nulls("share"), labelled.drop_nulls(["share", "is_supported"])
    if shares.is_empty() or checked.is_empty():
        return None
    flagged = float((shares["share"] * ~shares["is_supported"]).sum()) / float(shares["share"].sum())
    rates = []
    for part in (checked.filter(~pl.col("is_supported")), checked.filter("is_supported")):
        w = (part["weight"] * part["share"]).to_numpy()
        parts = np.stack([w * part["is_unsupported"].to_numpy(), w], axis=1)
        sums = cluster_sums(part["entity"].to_list(), parts / (float(w.mean()) if len(w) else 1.0))
        rates.append(wilson_clustered(sums[:, 0], sums[:, 1], confidence=confidence))
    right, missed = rates
    return None if right is None or missed is None else Verifier(flagged, right, missed)


def corrected_score(score: Interval | None, verifier: Verifier | None) -> Corrected | None:
    """The score behind a verifier's errors: 1 − (u − FPR) / (TPR − FPR) with u = 1 − score (Rogan & Gladen
    1978).

    Its interval adds what each of `score`, `right` and `missed` moves it by within its own interval (square
    and add, Newcombe 1998). The rates of labels drawn by verdict move together: taken as independent, as in
    `rates.rogan_gladen`, they double its length. It holds where TPR and FPR are those of the replies scored,
    and not for Strict, a product over facts. Not identified where the interval of TPR − FPR holds 0, and
    where that of the score says that fewer are called unsupported than FPR, or more than TPR (they are not
    those of the replies). Value and bounds are cut to [0, 1], `raw` is not; an interval whole beyond an edge
    is opened (`rates.opened`). None where a part is over nothing.
    """
    if score is None or verifier is None:
        return None
    u, right, missed = verifier.flagged, verifier.right, verifier.missed
    gap = squared_and_added(lambda p, m: _gap(u, p, m), [right, missed])
    if gap is None or gap.low <= 0 <= gap.high:
        return NOT_IDENTIFIED
    # by how much the share called unsupported lies above FPR, and TPR above it, where TPR > FPR
    for of in (
        lambda s, p, m: 1 - s - verifier_rates(u, p, m)[1],
        lambda s, p, m: verifier_rates(u, p, m)[0] - 1 + s,
    ):
        room = squared_and_added(of, [score, right, missed])
        if room is not None and (room.high < 0 if gap.low > 0 else room.low > 0):
            return NOT_IDENTIFIED
    estimate = squared_and_added(
        lambda s, p, m: 1 - (1 - s - verifier_rates(u, p, m)[1]) / _gap(u, p, m), [score, right, missed]
    )
    if estimate is None:  # where two rates are equal, which a gap beyond 0 rules out
        return None
    value, low, high = (min(1.0, max(0.0, end)) for end in estimate)
    if high - low < NARROW:
        unsupported = Interval(1 - score.value, 1 - score.high, 1 - score.low)
        low, high = (1 - end for end in reversed(opened(1 - round(low), unsupported, *verifier.rates)))
    return Corrected(value, low, high, estimate.value, True)


def _gap(flagged: float, right: float, missed: float) -> float:
    tpr, fpr = verifier_rates(flagged, right, missed)
    return tpr - fpr


def squared_and_added(of: Callable[..., float], parts: Sequence[Interval]) -> Interval | None:
    """A function of independent estimates, by squared steps to the ends of each; None where one is NaN."""
    values = [part.value for part in parts]
    value, below, above = of(*values), 0.0, 0.0
    for index, part in enumerate(parts):
        ends = [of(*values[:index], end, *values[index + 1 :]) - value for end in (part.low, part.high)]
        below, above = below + min(0.0, *ends) ** 2, above + max(0.0, *ends) ** 2
    return None if isnan(value + below + above) else Interval(value, value - sqrt(below), value + sqrt(above))


def review_correction(
    score: float | None, unsupported: Interval | None, supported: Interval | None
) -> Interval | None:
    """Return what a review of both kinds of verdicts adds to a score: (1 − score) · e_u − score · e_s.
    `unsupported`, `supported`: e_u and e_s, the shares of such facts whose verdict was wrong, with their
    intervals. The interval recovers their variances (Zou & Donner 2008). None where one kind was not
    reviewed: unsupported facts alone can only raise a score.
    """
    if score is None or unsupported is None or supported is None:
        return None
    return squared_and_added(lambda e_u, e_s: (1 - score) * e_u - score * e_s, [unsupported, supported])
