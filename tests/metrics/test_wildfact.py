"""Scores of replies by hand, sets and views, and the verifier's own error."""

from math import exp

import numpy as np
import polars as pl
import pytest

from truerate.metrics.cells import mean_of, moments, product_cells, ratio_cells
from truerate.metrics.intervals import Interval
from truerate.metrics.rates import Share, rogan_gladen
from truerate.metrics.wildfact import (
    Verifier,
    at_k,
    common_entities,
    corrected_score,
    measured,
    median_supported,
    pooled,
    rank_changes,
    ratios,
    review_correction,
    scored_replies,
    strict_outcomes,
    verifier_rates,
)
from truerate.tracks.wildhallucinations.replies import reply_scores, score_cells

NAMES = ("full", "half", "open", "none", "silent", "lost", "cut")


def replies_of(names, is_abstained, is_whole) -> pl.DataFrame:
    """Replies of one subject, each about an entity of its own."""
    columns = {"generation_id": names, "subject": "m", "entity": names}
    return pl.DataFrame(columns | {"is_abstained": is_abstained, "is_whole": is_whole})


def facts_of(names, is_supported, is_duplicate=False, is_title=False) -> pl.DataFrame:
    """Facts of replies by their names."""
    verdicts = pl.Series(is_supported, dtype=pl.Boolean)
    columns = {"generation_id": names, "is_supported": verdicts}
    return pl.DataFrame(columns | {"is_duplicate": is_duplicate, "is_title": is_title})


def product(rows: pl.DataFrame, parts: dict, *, cluster: str) -> dict:
    """The product of two shares of one subject (column `subject`)."""
    products = {"product": tuple(parts)}
    sums = moments(rows, parts, by=["subject"], cluster=["subject", cluster], products=products)
    return product_cells(sums, products, by=["subject"], confidence=0.95).row(0, named=True)


REPLIES = replies_of(NAMES, [False, False, False, False, True, None, False], [True] * 6 + [False])
FACTS = facts_of(
    ["full"] * 2 + ["half"] * 4 + ["open"] * 2 + ["silent", "cut", "stranger"],
    [True, True, True, True, False, False, True, None, False, True, True],
    [k in (1, 3) for k in range(11)],
    [k == 3 for k in range(11)],
)
SCORED = {row["generation_id"]: row for row in scored_replies(REPLIES, FACTS, gamma=4).iter_rows(named=True)}


def test_scores_of_replies():
    # full 2 of 2; half 2 of 4; open 1 of the 1 that has a verdict; nothing of those without facts, in silence
    # or lost
    assert [SCORED[name]["score"] for name in NAMES] == [1.0, 0.5, 1.0, None, None, None, 1.0]


def test_f1_at_k_asks_how_much_is_told_and_counts_silence_as_nothing():
    scored = scored_replies(REPLIES, FACTS, gamma=4)
    # supported of read: full 2/2, half 2/4, open 1/1, cut 1/1; the median of 2, 2, 1, 1 is 1.5, rounded up
    assert median_supported(scored) == 2
    rows = {row["generation_id"]: row for row in at_k(scored, 3).iter_rows(named=True)}
    # R = S/3; F1: full 2·1·(2/3)/(5/3), half 2·(1/2)·(2/3)/(7/6), open and cut 2·1·(1/3)/(4/3)
    assert [rows[name]["recall_at_k"] for name in NAMES] == pytest.approx(
        [2 / 3, 2 / 3, 1 / 3, 0.0, 0.0, None, 1 / 3]
    )
    assert [rows[name]["f1_at_k"] for name in NAMES] == pytest.approx([0.8, 4 / 7, 0.5, 0.0, 0.0, None, 0.5])
    # no more than K is asked for: at K 1 recall is full, and F1 of half is 2·(1/2)·1/(3/2)
    few = {row["generation_id"]: row for row in at_k(scored, 1).iter_rows(named=True)}
    assert (few["half"]["recall_at_k"], few["half"]["f1_at_k"]) == pytest.approx((1.0, 2 / 3))


def test_strict_counts_abstention_as_0_and_leaves_open_replies_out():
    assert [SCORED[name]["strict"] for name in NAMES] == [1.0, 0.0, None, None, 0.0, None, None]


def test_a_reply_without_a_fact_is_no_success_of_strict_and_an_unread_one_by_the_rule_that_is_chosen():
    by_paper = scored_replies(REPLIES, FACTS, gamma=4, strict="paper")
    # full is all supported; half, open, none, silent and cut are not known to be, and lost did not come
    assert [SCORED[name]["strict_paper"] for name in NAMES] == [1.0, 0.0, 0.0, 0.0, 0.0, None, 0.0]
    assert by_paper["strict_paper"].to_list() == [SCORED[name]["strict_paper"] for name in NAMES]
    # of six that came four state something; of full, half, open and cut the two that tell are 1 and 0
    assert [SCORED[name]["is_stating"] for name in NAMES] == [True, True, True, False, False, False, True]
    assert mean_strict(scored_replies(REPLIES, FACTS, gamma=4)) == pytest.approx(4 / 6 * 1 / 2)
    assert mean_strict(by_paper) == pytest.approx(1 / 6)


def mean_strict(scored) -> float:
    """Strict of one subject, which its outcomes have as their mean."""
    result = strict_cell(scored)["value"]
    assert strict_outcomes(scored)["outcome"].mean() == pytest.approx(result)
    return result


def strict_cell(scored) -> dict:
    """Strict of one subject with its interval, from the parts that it is a product of."""
    return product(scored, {name: ratios()[name] for name in ("stating", "all_supported")}, cluster="entity")


def test_the_length_penalty_below_gamma():
    # γ 4: 2 facts cost exp(1 − 4/2), 4 none, 1 fact exp(1 − 4/1); all facts count, with a verdict or not
    assert SCORED["full"]["length"] == pytest.approx(exp(-1)) and SCORED["half"]["length"] == 0.5
    assert SCORED["open"]["length"] == pytest.approx(exp(-1))
    assert SCORED["cut"]["length"] == pytest.approx(exp(-3))


def test_duplicates_are_left_out():
    # half without its duplicate: 1 of 3
    assert SCORED["half"]["dedup"] == pytest.approx(1 / 3) and SCORED["full"]["dedup"] == 1.0
    assert SCORED["half"]["n_duplicate"] == SCORED["half"]["n_title"] == 1 and SCORED["half"]["n_own"] == 3


def test_replies_without_facts_are_counted_apart():
    assert [SCORED[name]["has_no_fact"] for name in NAMES] == [False, False, False, True, None, None, None]


def test_no_facts_at_all():
    result = scored_replies(REPLIES, FACTS.clear(), gamma=4)
    assert result["score"].null_count() == len(NAMES) and result["n_facts"].sum() == 0
    assert scored_replies(REPLIES.clear(), FACTS, gamma=4).is_empty()


def test_the_common_entities_are_those_of_which_everybody_has_a_score():
    # b has no score on y (it is silent, did not come, or holds no fact), was never asked about z, and one of
    # its two replies on w has none
    rows = [("a", "x", 0.5), ("b", "x", 0.0), ("a", "y", 1.0), ("b", "y", None), ("a", "z", 1.0)]
    rows += [("a", "w", 0.5), ("b", "w", 1.0), ("b", "w", None), ("a", "v", 1.0), ("b", "v", None)]
    rows += [("c", "x", None)]
    replies = pl.DataFrame(rows, schema=["subject", "entity", "score"], orient="row")
    assert common_entities(replies, ("a", "b")).to_list() == ["x"]
    assert common_entities(replies, ("a",)).to_list() == ["v", "w", "x", "y", "z"]
    assert common_entities(replies, ("a", "b", "c")).is_empty() and common_entities(replies, ()).is_empty()


def test_small_domains_are_pooled():
    entities = pl.DataFrame({"domain": ["a", "a", "a", "b", "b", "c"]})
    assert pooled(entities, "domain", above=2)["domain"].to_list() == ["a"] * 3 + ["other"] * 3


def test_rank_changes():
    # a, b, c by the first score; b, c, a by the second, and d has none
    first, second = dict(a=0.9, b=0.8, c=0.7, d=0.99), dict(a=0.1, b=0.5, c=0.2, d=None)
    assert rank_changes(first, second) == dict(a=-2, b=1, c=1, d=None)
    # equals share a place
    assert rank_changes(dict(a=0.9, b=0.9), dict(a=0.2, b=0.1)) == dict(a=0, b=-1)


# ---- Strict where something is unread ----------------------------------------------------------------------


def losing(rng: np.random.Generator, manner: str, lost: float, n: int) -> np.ndarray:
    """Which of `n` verdicts in calls of ten are unread: each by itself, whole calls, or half of them in
    either way.
    """
    by_itself, calls = rng.random(n), (rng.random(n // 10 + 1))[np.arange(n) // 10]
    if manner == "both":
        return (by_itself < lost / 2) | (calls < lost / 2)
    return (by_itself if manner == "single" else calls) < lost


def strict_of(
    lost: float, *, seed: int, n: int = 4000, n_facts: int | None = 28, manner: str = "single"
) -> tuple[float, dict, dict, pl.DataFrame]:
    """The true Strict of drawn replies of so many facts (28 % abstain), the cells of Strict and of the
    unreadable where verdicts are lost, and the scored replies. None: half of the replies have 2 to 8 facts,
    half 15 to 44. As in the closed world: half of the responding replies are all supported (of mixed length
    .8 of the short ones and .25 of the long ones), of the others one fact in ten is not, and at least one.
    """
    rng = np.random.default_rng(seed)
    is_long = rng.random(n) < 0.5
    of_any = np.where(is_long, rng.integers(15, 45, n), rng.integers(2, 9, n))
    sizes = of_any if n_facts is None else np.full(n, n_facts)
    chance = np.where(is_long, 0.25, 0.8) if n_facts is None else np.full(n, 0.507)
    is_silent, is_right = rng.random(n) < 0.28, rng.random(n) < chance
    index = np.repeat(np.arange(n), np.where(is_silent, 0, sizes))
    is_supported = is_right[index] | (rng.random(len(index)) < 0.9)
    is_supported[np.flatnonzero(np.diff(index, prepend=-1))] &= is_right[~is_silent]
    # a call has any of a reply's facts
    is_supported = is_supported[np.lexsort((rng.random(len(index)), index))]
    names = pl.Series([f"{k:05}" for k in range(n)])
    replies = replies_of(names, is_silent, True).with_columns(
        domain=pl.lit("d"), wikipedia=pl.lit("yes"), rarity=pl.lit("10^1"), region=pl.lit("r")
    )
    verdict = pl.select(
        pl.when(pl.Series(~losing(rng, manner, lost, len(index)))).then(pl.Series(is_supported))
    ).to_series()
    facts = facts_of(names.gather(index), verdict)
    scored = reply_scores(replies, facts, gamma=10, domains_above=0)
    cells = score_cells(scored, panel=["m"], confidence=0.95, sliced=["wildfactscore"])
    strict, unreadable = (
        cells.filter(metric=name, set="all").row(0, named=True)
        for name in ("wildfactscore_strict", "unreadable_rate")
    )
    return float((~is_silent & is_right).mean()), strict, unreadable, scored


LOSSES = [(0.01, 4), (0.03, 4), (0.1, 8)]


@pytest.mark.parametrize("manner", ["single", "calls", "both"])
@pytest.mark.parametrize("n_facts", [5, 28, None])
@pytest.mark.parametrize(("lost", "n_draws"), LOSSES)
def test_unread_verdicts_do_not_move_strict(lost, n_draws, n_facts, manner):
    """One verdict in a hundred, three or ten, by themselves or with their calls, of few facts a reply, many,
    or both: of 28 facts and one in ten by itself only 5 % of the replies can be read.
    """
    drawn = [strict_of(lost, seed=seed, n_facts=n_facts, manner=manner) for seed in range(n_draws)]
    gaps = [strict["value"] - true for true, strict, *_ in drawn]
    assert abs(np.mean(gaps)) < 0.003
    assert np.mean([strict["low"] <= true <= strict["high"] for true, strict, *_ in drawn]) >= 0.95
    width = np.mean([strict["high"] - strict["low"] for _, strict, *_ in drawn])
    assert width < 1.2 * 2 * 1.96 * (0.24 / 4000) ** 0.5  # hardly wider than where each verdict is read
    if manner == "single" and n_facts:
        assert drawn[0][2]["value"] == pytest.approx(1 - (1 - lost) ** n_facts, abs=0.02)


@pytest.mark.parametrize("n_facts", [5, 28, None])
def test_where_each_verdict_is_read_strict_is_the_share_itself(n_facts):
    true, strict, unreadable, scored = strict_of(0.0, seed=0, n_facts=n_facts)
    assert strict["value"] == pytest.approx(true, abs=1e-15) and unreadable["value"] == 0
    own_values = scored.filter("is_responding")
    assert own_values["all_supported"].equals(own_values["strict"], check_names=False)


@pytest.mark.parametrize("manner", ["single", "calls"])
def test_outcomes_have_strict_as_their_mean_where_verdicts_are_unread(manner):
    """Also of a subject with few replies, and of one whose facts were not all written."""
    *_, strict, _, scored = strict_of(0.1, seed=3, n_facts=None, manner=manner)
    outcomes = strict_outcomes(scored)["outcome"]
    assert outcomes.null_count() == 0 and outcomes.mean() == pytest.approx(strict["value"], abs=1e-12)
    spread = outcomes.std() / len(outcomes) ** 0.5  # that of the estimate: the interval is about as wide
    assert strict["high"] - strict["low"] == pytest.approx(2 * 1.96 * spread, rel=0.05)


def test_a_share_estimated_below_0_is_none_supported():
    """38 replies of one fact and 12 of two, of which one is unread; all others are unsupported. Of two
    replies of the one fact not all facts were written.
    """
    names = [f"{k:02}" for k in range(50)]
    facts = facts_of(names + names[:12], [False] * 50 + [None] * 12)
    scored = scored_replies(replies_of(names, False, [True] * 48 + [False] * 2), facts, gamma=1)
    # of 36 replies of one fact and 12 of two u = 12 · (1/2) / 48 is unread: f(1) = −(1/8) / (7/8)
    assert scored["all_supported"].to_list() == [pytest.approx(-1 / 7)] * 48 + [None] * 2
    assert strict_outcomes(scored)["outcome"].to_list() == pytest.approx([0.0] * 50)
    result = strict_cell(scored)
    assert (result["value"], result["low"], result["n"]) == (0, 0, 48) and 0.05 < result["high"] < 0.2


def test_a_product_of_shares_keeps_a_width_where_one_of_them_is_sure():
    # 40 entities respond, 3 can be read and all are supported: that says little of the others (Wilson of 3 in
    # 3: .44)
    columns = {"subject": "m", "c": [str(k) for k in range(40)], "r": True, "q": [True] * 3 + [None] * 37}
    result = product(pl.DataFrame(columns), {"r": mean_of("r"), "q": mean_of("q")}, cluster="c")
    assert (result["value"], result["high"], result["n"], result["n_clusters"]) == (1, 1, 3, 3)
    assert result["low"] < 0.44


def test_what_both_shares_have_in_common_widens_their_product():
    """Entities that are known are answered, and rightly: the two shares rise and fall together."""
    rng = np.random.default_rng(2)
    entity, expected = np.repeat(np.arange(80), 5), np.repeat(rng.random(80) < 0.5, 5)
    responds, right = (rng.random(400) < np.where(expected, 0.9, other) for other in (0.4, 0.2))
    drawn = pl.DataFrame({"subject": "m", "c": entity.astype(str), "r": responds}).with_columns(
        q=pl.when("r").then(pl.Series(right))
    )
    parts = {"r": mean_of("r"), "q": mean_of("q")}
    together = product(drawn, parts, cluster="c")
    apart = product(drawn.with_columns(pl.col("q").shuffle(3)), parts, cluster="c")
    assert together["value"] == pytest.approx((responds & right).mean())
    assert together["high"] - together["low"] > 1.1 * (apart["high"] - apart["low"])


# ---- the verifier's own error ------------------------------------------------------------------------------


def test_the_verifier_is_measured_by_verdict_and_weight():
    # flagged: 2 of 4 facts at share .5, 1 of 1 at share 1: (.5 + .5 + 1) / 3; of the flagged labels weights 2
    # and 1 · 1/2 are right
    facts = pl.DataFrame(
        {"is_supported": [True, True, False, False, False, None], "share": [0.5, 0.5, 0.5, 0.5, 1.0, None]}
    )
    rows = [("a", False, 0.5, True, 4.0), ("b", False, 0.5, True, 2.0), ("b", False, 1.0, False, 1.0)]
    rows += [("a", True, 0.5, False, 2.0), ("c", True, 0.5, True, 6.0), ("c", None, None, True, 9.0)]
    labelled = pl.DataFrame(
        rows, schema=["entity", "is_supported", "share", "is_unsupported", "weight"], orient="row"
    )
    result = measured(facts, labelled, confidence=0.95)
    assert result.flagged == pytest.approx(2 / 3)
    assert result.right.value == pytest.approx((2 + 1) / (2 + 1 + 1))
    assert result.missed.value == pytest.approx(3 / (1 + 3))
    assert measured(facts, labelled.clear(), confidence=0.95) is None
    assert measured(facts, labelled.filter("is_supported"), confidence=0.95) is None


def test_rates_of_a_verifier_by_hand():
    # of 100 facts 20 are flagged, 16 of them rightly; of the other 80 it missed 4: TPR 16/20, FPR 4/80
    assert verifier_rates(0.2, 0.8, 0.05) == pytest.approx((0.8, 0.05))
    assert np.isnan(verifier_rates(0.0, 0.5, 0.0)[0]) and np.isnan(verifier_rates(1.0, 1.0, 0.3)[1])


SURE = Verifier(0.2, Interval(0.8, 0.75, 0.84), Interval(0.05, 0.03, 0.08))


def test_the_corrected_score_is_rogan_gladens():
    # a subject with .3 flagged: (.3 − .05) / .75 = 1/3
    result = corrected_score(Interval(0.7, 0.68, 0.72), SURE)
    other = rogan_gladen(Share(300, 1000), Share(800, 1000), Share(50, 1000), confidence=0.95)
    assert result.value == pytest.approx(2 / 3) == 1 - other.raw and result.low < 0.66 < 0.68 < result.high


def test_each_part_widens_the_interval():
    whole = corrected_score(Interval(0.8, 0.78, 0.82), SURE)
    exact = Verifier(0.2, Interval(0.8, 0.8, 0.8), Interval(0.05, 0.05, 0.05))
    sampling = corrected_score(Interval(0.8, 0.78, 0.82), exact)
    # only the score moves: ± .02 / .75
    assert (sampling.low, sampling.high) == pytest.approx((0.8 - 0.02 / 0.75, 0.8 + 0.02 / 0.75))
    assert whole.low < sampling.low and whole.high > sampling.high


def test_not_identified_and_over_nothing():
    # of the flagged .25 are wrong facts, of the others .2: TPR − FPR may be 0
    equal = Verifier(0.2, Interval(0.25, 0.1, 0.4), Interval(0.2, 0.1, 0.3))
    blind = corrected_score(Interval(0.8, 0.7, 0.9), equal)
    assert not blind.is_identified and blind.value is blind.low is None
    nothing = Verifier(0.2, Interval(0.0, 0.0, 0.2), Interval(0.0, 0.0, 0.1))
    assert not corrected_score(Interval(0.8, 0.7, 0.9), nothing).is_identified
    assert corrected_score(None, SURE) is None and corrected_score(Interval(0.8, 0.7, 0.9), None) is None


def test_estimates_outside_the_unit_interval_are_cut_and_kept():
    # fewer flagged than false alarms alone would give, but not beyond chance: 1 − (.02 − .05) / .75
    result = corrected_score(Interval(0.98, 0.9, 1.0), SURE)
    assert result.value == result.high == 1.0 and result.raw == pytest.approx(1.04)
    # beyond chance: the calibration is not of these texts
    assert not corrected_score(Interval(0.98, 0.97, 0.99), SURE).is_identified


def test_the_review_corrects_both_ways():
    # of .2 unsupported a quarter was right, of .8 supported a tenth was wrong: + .05 − .08
    result = review_correction(0.8, Interval(0.25, 0.15, 0.4), Interval(0.1, 0.05, 0.2))
    assert result.value == pytest.approx(-0.03)
    assert result.low == pytest.approx(-0.03 - ((0.2 * 0.1) ** 2 + (0.8 * 0.1) ** 2) ** 0.5)
    assert result.high == pytest.approx(-0.03 + ((0.2 * 0.15) ** 2 + (0.8 * 0.05) ** 2) ** 0.5)
    assert review_correction(0.8, Interval(0.25, 0.15, 0.4), None) is None
    assert review_correction(None, result, result) is None


N_ENTITIES, N_FACTS, N_LABELLED = 150, 10, 100


def drawn(rng, tpr: float, fpr: float):
    """The score of one board with its interval, and its verifier as labels of facts drawn by verdict tell it."""
    own_values = rng.beta(4, 16, N_ENTITIES)  # the share of wrong facts of a reply: .2 on average
    is_wrong = rng.random((N_ENTITIES, N_FACTS)) < own_values[:, None]
    is_flagged = rng.random(is_wrong.shape) < np.where(is_wrong, tpr, fpr)
    names = np.repeat(np.arange(N_ENTITIES).astype(str), N_FACTS)
    facts = pl.DataFrame(
        {"entity": names, "is_supported": ~is_flagged.ravel(), "is_unsupported": is_wrong.ravel()}
    )
    facts = facts.with_columns(share=pl.lit(1 / N_FACTS), s=pl.lit("m"))
    parts = []
    for verdict in (False, True):
        part = facts.filter(pl.col("is_supported") == verdict)
        taken = rng.choice(part.height, N_LABELLED, replace=False)
        parts.append(part[taken].with_columns(weight=pl.lit(part.height / N_LABELLED)))
    each = facts.group_by("entity").agg(pl.col("is_supported").mean()).with_columns(s=pl.lit("m"))
    sums = moments(each, {"score": mean_of("is_supported")}, by=["s"], cluster=["s", "entity"])
    cell = ratio_cells(sums, ["score"], by=["s"], confidence=0.95)
    score = Interval(*cell.select("value", "low", "high").row(0))
    return score, measured(facts, pl.concat(parts), confidence=0.95)


@pytest.mark.parametrize(("tpr", "fpr"), [(0.8, 0.05), (0.9, 0.125), (0.95, 0.01)])
def test_the_corrected_intervals_cover(tpr, fpr):
    """300 boards: entities of differing difficulty, a verifier that errs, facts labelled by strata of its
    verdict.
    """
    rng = np.random.default_rng(5)
    result = [corrected_score(*drawn(rng, tpr, fpr)) for _ in range(300)]
    assert all(item.is_identified for item in result)
    covered = np.mean([item.low <= 0.8 <= item.high for item in result])
    width = np.mean([item.high - item.low for item in result])
    # two standard errors of a share of .95 over 300 draws: .025; taken as independent, TPR and FPR give .13
    assert 0.925 <= covered <= 0.99 and width < 0.11
    assert np.mean([item.value for item in result]) == pytest.approx(0.8, abs=0.004)


def test_the_raw_score_does_not_cover_where_the_verifier_leans():
    # flagged .2 · .9 + .8 · .125 = .28: the raw score is .72 on average and the planted one .8
    rng = np.random.default_rng(5)
    raw = [drawn(rng, 0.9, 0.125)[0] for _ in range(50)]
    assert not any(item.low <= 0.8 <= item.high for item in raw)
    assert np.mean([item.value for item in raw]) == pytest.approx(0.72, abs=0.01)
