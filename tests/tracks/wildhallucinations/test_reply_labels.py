"""Strict from labels of whole replies: tasks, hand-derived rates, and the planted share found again."""

import numpy as np
import polars as pl
import pytest

from truerate.core.keys import content_id
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.wildhallucinations.label_rates import (
    estimates_of_replies,
    strict_rows,
)
from truerate.tracks.wildhallucinations.replies import readable_replies
from truerate.tracks.wildhallucinations.tasks import reply_tasks

from .made_facts import PAGES, Params, facts, item, reply, tables

ITEMS = [item(f"e{k}") for k in range(4)]
# of a: all supported, one of two not, one fact without a verdict; of b one that is wholly supported
GIVEN = [facts("a", "e0", "++"), facts("a", "e1", "+-"), facts("a", "e2", "+?"), facts("b", "e0", "+")]
MADE = tables(ITEMS, [*(reply("a", f"e{k}") for k in range(3)), reply("b", "e0")], GIVEN)
READ = readable_replies(
    *(MADE[name] for name in ("items", "generations", "facts", "judgements")), verifier="judge"
)


def tasks(n_replies: int) -> list[dict]:
    return reply_tasks(READ, MADE["facts"], MADE["items"], PAGES, n_replies=n_replies, seed=7)


def test_whole_replies_that_can_be_read_are_drawn_with_all_their_facts():
    selected = {task["generation_id"]: task for task in tasks(5)}
    verdicts = sorted((task["subject"], task["item_id"], task["verdict"]) for task in selected.values())
    assert verdicts == [("a", "e0", "supported"), ("a", "e1", "unsupported"), ("b", "e0", "supported")]
    assert {task["weight"] for task in selected.values()} == {1.0}
    (of_b,) = (task for task in selected.values() if task["subject"] == "b")
    whole = MADE["facts"].filter(generation_id=of_b["generation_id"])["text"].to_list()
    assert of_b["text"].split("\n") == whole and of_b["kind"] == "reply" and of_b["passages"] == ["Text"]
    assert of_b["task_id"] == content_id("task", "reply", of_b["generation_id"])


def replies(rows) -> pl.DataFrame:
    """Replies of one entity each: subject, whether it abstains, strict."""
    columns = ("subject", "is_abstained", "strict")
    selected = pl.DataFrame(
        rows, schema=dict(zip(columns, (pl.String, pl.Boolean, pl.Float64), strict=True)), orient="row"
    )
    return selected.with_row_index("n").select(
        *columns,
        generation_id=pl.format("g{}", "n"),
        entity=pl.format("e{}", "n"),
        is_responding=~pl.col("is_abstained"),
        is_stating=~pl.col("is_abstained"),
    )


SOME = replies(
    [("m", False, 1.0), ("m", False, 0.0), ("m", False, 0.0), ("m", False, None), ("m", True, 0.0)]
)


def by_estimator(rows: list[dict], metric: str = "wildfactscore_strict") -> dict[str, dict]:
    rows_of_metric = [row for row in rows if row["metric"] == metric]
    return {
        dict((pair["key"], pair["value"]) for pair in row["slice"]).get("estimator", ""): row
        for row in rows_of_metric
    }


def test_strict_is_the_share_that_responds_times_that_of_people():
    writer = ScoreWriter("board", "", Params().statistics, 1)
    rows = strict_rows(SOME, {"g0": False, "g1": True, "g2": False}, writer)
    selected = by_estimator(rows)
    # all three that can be read are labelled, two of them as supported; four of five respond
    for name in ("labels-alone", "ppi", "prediction-powered", "chosen"):
        assert selected[name]["value"] == pytest.approx(4 / 5 * 2 / 3, abs=1e-6)
        assert selected[name]["low"] < selected[name]["value"] < selected[name]["high"]
    assert by_estimator(rows, "n_labelled_replies")[""]["value"] == 3
    assert strict_rows(SOME, {}, writer) == []


# ---- the planted share -------------------------------------------------------------------------------------


def planted(seed: int) -> tuple[pl.DataFrame, dict[str, bool]]:
    """60 replies of each of six models, all false ones seen; a true one is lost by alarms at one of its
    facts, of which models write from two to seven: false alarms at replies differ by length. And what is
    planted.
    """
    rng, rows, truth = np.random.default_rng(seed), [], []
    for model in range(6):
        is_false = rng.random(60) < rng.uniform(0.3, 0.7)
        is_lost = is_false | (rng.random(60) < 1 - 0.9 ** (2 + model))
        rows += [(f"m{model}", False, float(not lost)) for lost in is_lost]
        truth += is_false.tolist()
    selected = replies(rows)
    return selected, dict(zip(selected["generation_id"], truth, strict=True))


def test_labels_of_whole_replies_hold_the_planted_share():
    """Over 100 seeds with 20 labels a model PPI++ held .99 and missed by .051, labels alone by .066, the
    pooled correction with what models differ by .99 and .099; the verifier's own word .27 and .186.
    """
    truths: dict[str, list[bool]] = {}
    for seed in range(12):
        selected, truth = planted(seed)
        drawn = np.random.default_rng(seed).permutation(60)[:20]
        label = {
            name: truth[name]
            for model in range(6)
            for name in (f"g{60 * model + number}" for number in drawn)
        }
        for subject, each in estimates_of_replies(selected, label, confidence=0.95).items():
            rows_of_metric = [truth[name] for name in selected.filter(subject=subject)["generation_id"]]
            for number in each:
                truths.setdefault(number.estimator, []).append(
                    number.interval.low <= np.mean(rows_of_metric) <= number.interval.high
                )
    assert {"labels-alone", "ppi", "prediction-powered", "rogan-gladen-between"} == set(truths)
    assert all(np.mean(each) >= 0.93 for each in truths.values())
