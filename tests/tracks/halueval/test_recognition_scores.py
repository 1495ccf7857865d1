"""Scores against fractions derived by hand."""

import polars as pl
import pytest

from tests.records import records
from truerate.config import Statistics
from truerate.core.schemas import Judgement, Outcome, Sample, Score, frame, pairs, validate
from truerate.core.schemas.rows import judgement_row
from truerate.leaderboard.rows import rows
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval.scores import score_recognition, score_wording

from .builders import sample

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


def verdict_of(judge: str, target: str, verdict: bool | None, **attributes) -> dict:
    name = f"{judge}-{target}-{sorted(attributes.items())}"
    named = {"judgement_id": name, "judge": judge, "judge_version": "1", "target_id": target}
    status = "unparsed" if verdict is None else "ok"
    return judgement_row(**named, verdict=verdict, status=status, attributes=pairs(**attributes))


def paired(n: int) -> list[dict]:
    """n pairs; hallucinated sides of even number are `inference`, the others `specificity`."""
    rows = []
    for k in range(n):
        pattern = "specificity" if k % 2 else "inference"
        rows.append(sample(f"h{k}", f"i{k}", True, pair_id=f"p{k}", pattern=pattern))
        rows.append(sample(f"r{k}", f"i{k}", False, pair_id=f"p{k}"))
    return rows


# Four pairs. Hallucinated sides: Yes, No, Yes, unread. Right sides: No, No, Yes, No.
VERDICTS = {
    "h0": True,
    "h1": False,
    "h2": True,
    "h3": None,
    "r0": False,
    "r1": False,
    "r2": True,
    "r3": False,
}


def scored(judgements: list[dict], samples: list[dict]) -> tuple[dict, pl.DataFrame]:
    scores, outcomes = score_recognition(frame(Sample, samples), frame(Judgement, judgements), WRITER)
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    return {
        (row["metric"], tuple(p["value"] for p in row["slice"])): row for row in scores.iter_rows(named=True)
    }, outcomes


def plain() -> tuple[dict, pl.DataFrame]:
    return scored(
        [verdict_of("judge", name, verdict, variant="plain") for name, verdict in VERDICTS.items()], paired(4)
    )


# TP 2, FN 1, FP 1, TN 3, unread 1 (hallucinated)
EXPECTED = {
    "accuracy": (5 / 8, 8),
    "accuracy_parsed": (5 / 7, 7),
    "precision": (2 / 3, 3),
    "recall": (2 / 4, 4),
    "f1": (2 * 2 / (4 + 3), 5),
    "precision_right": (3 / 4, 4),
    "recall_right": (3 / 4, 4),
    "f1_right": (2 * 3 / (4 + 4), 5),
    "macro_f1": ((4 / 7 + 6 / 8) / 2, 8),
    "tpr": (2 / 3, 3),
    "tnr": (3 / 4, 4),
    "unparsed_rate": (1 / 8, 8),
}


@pytest.mark.parametrize("metric", EXPECTED)
def test_recognition(metric):
    row = plain()[0][metric, ("qa", "plain")]
    assert row["value"] == pytest.approx(EXPECTED[metric][0], abs=1e-6) and row["n"] == EXPECTED[metric][1]
    assert row["low"] is None or row["low"] <= row["value"] <= row["high"]


def test_failures_by_pattern_are_over_read_verdicts():
    scores_of = plain()[0]
    # inference: h0 and h2 were seen. specificity: h1 was missed, h3 not read
    assert (
        scores_of["tpr", ("inference", "qa", "plain")]["value"],
        scores_of["failure_rate", ("inference", "qa", "plain")]["value"],
    ) == (1, 0)
    row = scores_of["failure_rate", ("specificity", "qa", "plain")]
    assert (row["value"], row["n"]) == (1, 1)


def test_outcomes_hold_every_unit_with_its_cluster():
    outcomes = plain()[1]
    assert outcomes["value"].sum() == 5 and outcomes.height == 8 and outcomes["cluster_id"].n_unique() == 4
    assert set(outcomes["metric"]) == {"accuracy"} and set(outcomes["unit_id"]) == set(VERDICTS)


def test_contrast_over_both_orders_in_both_and_by_place():
    first, second = "right-first", "hallucinated-first"
    named = {"h0": (True, True), "h1": (True, False), "h2": (False, False), "h3": (True, None)}
    rows = []
    for name, both in named.items():
        for order, verdict in zip((first, second), both, strict=True):
            of_other = None if verdict is None else not verdict
            for side, of_side in ((name, verdict), (name.replace("h", "r"), of_other)):
                rows.append(verdict_of("judge", side, of_side, variant="contrast", order=order))
    scores_of, outcomes = scored(rows, paired(4))
    values = {name: (row["value"], row["n"]) for (name, _), row in scores_of.items()}
    # of eight choices h0 has two right, h1 and h3 one each
    assert values["accuracy"] == (4 / 8, 8) and values["accuracy_both_orders"] == (1 / 4, 4)
    assert values["unparsed_rate"] == (1 / 8, 8)
    # seven were read. Right first: h0, h1, h3 name the second, h2 the first. Hallucinated first: h0 names the
    # first, h1 and h2 the second
    assert values["first_position_rate"] == (pytest.approx(2 / 7, abs=1e-6), 7)
    assert outcomes.sort("unit_id")["value"].to_list() == [1, 0.5, 0, 0.5]
    assert set(outcomes["unit_id"]) == {"p0", "p1", "p2", "p3"}
    assert scores_of["accuracy_one_side", ("qa", "contrast")]["value"] in (0.25, 0.5, 0.75)


def test_length_and_full_stop_tell_nothing_in_matched_pairs():
    # hallucinated sides: eight of ten are longer, by one word and a full stop; the other two are shorter so
    samples = []
    for k, (wrong, right) in enumerate(
        [("of old Porto.", "in Lisbon")] * 8 + [("in Porto", "of old Lisbon.")] * 2
    ):
        samples.append(sample(f"h{k}", f"i{k}", True, pair_id=f"p{k}") | {"text": wrong})
        samples.append(sample(f"r{k}", f"i{k}", False, pair_id=f"p{k}") | {"text": right})
    by_length = [
        verdict_of("length", row["sample_id"], row["text"].endswith("."), variant="plain") for row in samples
    ]
    scores_of, _ = scored(by_length, samples)
    row = scores_of["accuracy_matched", ("qa", "plain")]
    assert scores_of["accuracy", ("qa", "plain")]["value"] == 0.8 and (row["value"], row["n"]) == (0.5, 8)


# ---- who never answered ------------------------------------------------------------------------------------


def dead(judge: str, target: str, **attributes) -> dict:
    return verdict_of(judge, target, None, **attributes) | {"status": "dead", "reason": "rejected"}


def test_who_never_answered_has_no_value_and_is_no_rival():
    """A wrong model name: each request is a dead letter. It stood in rank 2 with accuracy 0.0 (0-.324)."""
    judgements = [verdict_of("judge", name, verdict, variant="plain") for name, verdict in VERDICTS.items()]
    judgements += [dead("nobody", name, variant="plain") for name in VERDICTS]
    judged_rows = frame(Judgement, judgements)
    scores, outcomes = score_recognition(frame(Sample, paired(4)), judged_rows, WRITER)
    silent = scores.filter(subject="nobody")
    counted = silent.filter(metric="no_answers")
    assert counted.select("value", "n").rows() == [(8.0, 8)]
    assert silent.height == scores.filter(subject="judge").height + 1  # every line stands there, empty
    empty = silent.filter(pl.col("metric") != "no_answers")
    assert empty.select("value", "low", "high").null_count().row(0) == (empty.height,) * 3
    assert empty["n"].sum() == 0
    kinds = {"judge": "model", "nobody": "model"}
    table = rows("board", scores, outcomes, WRITER.statistics, 7, kinds, records("halueval"))
    of_metric = table.filter(metric="accuracy").to_dicts()
    ranks = {row["subject"]: (row["rank_low"], row["rank_high"]) for row in of_metric}
    assert ranks == {"judge": (None, None), "nobody": (None, None)}  # one alone has no rank


def test_a_task_or_variant_without_answers_is_empty_and_the_others_stand():
    judgements = [verdict_of("judge", name, verdict, variant="plain") for name, verdict in VERDICTS.items()]
    judgements += [dead("judge", name, variant="knowledge") for name in VERDICTS]
    judgements += [
        dead("judge", name, variant="contrast", order=order)
        for name in VERDICTS
        for order in ("right-first", "hallucinated-first")
    ]
    scores_of, outcomes = scored(judgements, paired(4))
    assert scores_of["accuracy", ("qa", "plain")]["value"] == 5 / 8
    for variant in ("knowledge", "contrast"):
        assert scores_of["accuracy", ("qa", variant)]["value"] is None
        assert scores_of["unparsed_rate", ("qa", variant)]["value"] is None
        assert ("no_answers", ("qa", variant)) in scores_of
    assert outcomes["value"].null_count() == 8 + 4


# ---- what the wording costs --------------------------------------------------------------------------------

# What the same judge says in the authors' words: h1 and h3 seen, h2 unread, r1 flagged, r2 passed.
THEIRS = VERDICTS | {"h1": True, "h2": None, "h3": True, "r1": True, "r2": False}


def wording(judgements: list[dict], samples: list[dict]) -> dict[str, tuple]:
    scores = score_wording(frame(Sample, samples), frame(Judgement, judgements), WRITER)
    validate(Score, scores, where="scores")
    return {row["metric"]: (row["value"], row["n"], row["low"], row["high"]) for row in scores.to_dicts()}


def in_both(ours: dict, theirs: dict) -> list[dict]:
    asked = (("plain", ours), ("authors", theirs))
    return [verdict_of("judge", name, of[name], variant=variant) for variant, of in asked for name in of]


def test_the_wording_is_compared_on_the_same_texts():
    judgements = in_both(VERDICTS, {name: verdict for name, verdict in THEIRS.items() if name != "h0"})
    of = wording(judgements, paired(4))
    # of the seven texts in both: ours right on h2, r0, r1, r3; theirs on h1, h3, r0, r2, r3
    value, n, low, high = of["wording_difference"]
    assert (value, n) == (pytest.approx(5 / 7 - 4 / 7, abs=1e-6), 7) and low < value < high
    # by question the differences are 0, 1 - 1, -1 + 1 and 1: one cluster alone differs, which could be a coin
    assert of["wording_p"][:2] == (1.0, 7)
    # read in both: h1, r0 to r3; other verdicts on h1, r1, r2
    assert of["wording_changed_rate"][:2] == (pytest.approx(3 / 5, abs=1e-6), 5)


def test_texts_that_stand_alone_are_tested_exactly():
    samples = [sample(f"g{k}", f"i{k}", True, task="general") for k in range(8)]
    ours = {f"g{k}": k < 2 for k in range(8)}
    of = wording(in_both(ours, {f"g{k}": k < 7 for k in range(8)}), samples)
    # theirs alone right on five: McNemar 2 / 2^5
    assert of["wording_difference"][0] == 5 / 8 and of["wording_p"][0] == pytest.approx(2 / 32)


def test_a_wording_that_was_not_asked_or_answered_is_compared_with_none():
    plain = [verdict_of("judge", name, verdict, variant="plain") for name, verdict in VERDICTS.items()]
    assert wording(plain, paired(4)) == {}
    assert wording(plain + [dead("judge", name, variant="authors") for name in VERDICTS], paired(4)) == {}


def of_seeds(verdicts: dict[str, tuple[bool | None, bool | None]]) -> list[dict]:
    """What a detector with the seeds 42 and 47 says of each text."""
    both = zip(("42", "47"), zip(*verdicts.values(), strict=True), strict=True)
    return [
        verdict_of("network", name, verdict, seed=seed)
        for seed, of_seed in both
        for name, verdict in zip(verdicts, of_seed, strict=True)
    ]


# Two pairs. Right in both seeds: h0, r0; in one: h1 (42), r1 (47).
BY_SEED = {"h0": (True, True), "h1": (True, False), "r0": (False, False), "r1": (True, False)}


def test_a_text_counts_once_whatever_the_number_of_seeds():
    scores_of, outcomes = scored(of_seeds(BY_SEED), paired(2))
    alone, _ = scored(
        [verdict_of("network", name, is_flagged, seed="42") for name, (is_flagged, _) in BY_SEED.items()],
        paired(2),
    )
    accuracy = scores_of["accuracy", ("qa", "plain")]
    assert (accuracy["value"], accuracy["n"]) == (pytest.approx((1 + 0.5 + 1 + 0.5) / 4), 4)
    # TP 1 + 1/2, FP 1/2 (42: h0, h1, r1 flagged; 47: h0): precision 1.5 / 2, recall 1.5 / 2
    assert scores_of["precision", ("qa", "plain")]["value"] == pytest.approx(1.5 / 2)
    assert scores_of["recall", ("qa", "plain")]["value"] == pytest.approx(1.5 / 2)
    assert scores_of["f1", ("qa", "plain")]["value"] == pytest.approx(2 * 1.5 / (2 + 2))
    # of each seed 3 of 4 are right, so that the seeds do not differ; one seed alone has no spread
    assert scores_of["accuracy_std", ("qa", "plain")]["value"] == pytest.approx(0)
    assert ("accuracy_std", ("qa", "plain")) not in alone
    width, of_one = (row["high"] - row["low"] for row in (accuracy, alone["accuracy", ("qa", "plain")]))
    assert width == pytest.approx(of_one, rel=0.1)  # as of four texts, not of eight
    assert dict(outcomes.select("unit_id", "value").rows()) == {"h0": 1.0, "h1": 0.5, "r0": 1.0, "r1": 0.5}


def test_seeds_that_differ_show_their_spread_and_an_unread_one_is_wrong():
    scores_of, _ = scored(of_seeds({"h0": (True, None), "r0": (False, True)}), paired(1))
    # seed 42 has both right, seed 47 none: 1/2 in the mean, 1 / √2 apart; one of four verdicts could not be
    # read
    assert scores_of["accuracy", ("qa", "plain")]["value"] == pytest.approx(1 / 2)
    assert scores_of["accuracy_std", ("qa", "plain")]["value"] == pytest.approx(2**-0.5)
    assert scores_of["unparsed_rate", ("qa", "plain")]["value"] == pytest.approx(1 / 4)
    assert scores_of["accuracy_parsed", ("qa", "plain")]["value"] == pytest.approx(1 / 1.5)


def test_two_seeds_are_ranked_beside_judges_with_one():
    judgements = of_seeds(BY_SEED) + [verdict_of("rule", name, True) for name in BY_SEED]
    scores, outcomes = score_recognition(frame(Sample, paired(2)), frame(Judgement, judgements), WRITER)
    ranked = rows("board", scores, outcomes, WRITER.statistics, 7, {}, records("halueval"))
    ranges = ranked.filter(metric="accuracy").drop_nulls("rank_low")
    assert ranges["subject"].to_list() == ["network", "rule"]
