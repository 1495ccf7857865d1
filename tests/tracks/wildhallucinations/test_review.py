"""The error analysis: a planted review comes back, and both kinds of verdicts correct the score."""

import polars as pl
import pytest

from truerate.tracks.wildhallucinations.replies import (
    KINDS,
    error_rows,
    review_rows,
)

from .made_facts import WRITER, scores_of

# Table 7 of the paper, GPT-4o: 4 and 3 of 36 unsupported facts are errors of retrieval and entailment.
# Planted beside them: 9 that the web contradicts itself about; the model made the others up.
PLANTED = {"retrieval": 4, "entailment": 3, "contradictory-web": 9, "generation": 20}


def rows(counts: dict[str, int], verdict: str, subject: str = "a", weight: float = 1.0) -> list[dict]:
    labels = [kind for kind, n in counts.items() for _ in range(n)]
    values = {"verdict": verdict, "subject": subject, "weight": weight}
    return [
        values | {"label": kind, "fact_id": f"{subject}-{verdict}-{k}", "item_id": f"e{k}"}
        for k, kind in enumerate(labels)
    ]


def known_facts(
    reviewed: list[dict], n_supported: int, n_unsupported: int, subject: str = "a"
) -> pl.DataFrame:
    """All facts of a subject, each with the same share; the reviewed ones are among them."""
    names = {
        verdict: [task["fact_id"] for task in reviewed if task["verdict"] == verdict]
        for verdict in ("supported", "unsupported")
    }
    rows = []
    for verdict, n in (("supported", n_supported), ("unsupported", n_unsupported)):
        names_of = (names[verdict] + [f"{subject}-{verdict}-more-{k}" for k in range(n)])[:n]
        rows += [(name, subject, verdict == "supported", 0.1) for name in names_of]
    return pl.DataFrame(rows, schema=["fact_id", "subject", "is_supported", "share"], orient="row")


def test_the_planted_shares_come_back_exactly():
    scores = scores_of(error_rows("a", "unsupported", rows(PLANTED, "unsupported"), WRITER))
    shares = {kind: scores["error_rate", "a", kind, "unsupported"]["value"] for kind in KINDS}
    assert {kind: share for kind, share in shares.items() if share} == {
        "retrieval": pytest.approx(0.111111), "entailment": pytest.approx(0.083333), "contradictory-web": 0.25,
        "generation": pytest.approx(0.555556),
    }  # fmt: skip
    assert sum(shares.values()) == pytest.approx(1, abs=1e-5) and shares["outdated"] == 0.0


def test_both_kinds_correct_the_score():
    # 80 supported, 20 unsupported; 7 of 36-like shares: of 20 reviewed unsupported 5 were right, of 40
    # supported 2 were wrong
    wrong = rows({"retrieval": 3, "entailment": 2, "generation": 15}, "unsupported", weight=1.0)
    fine = rows({"entailment": 2, "correct": 38}, "supported", weight=2.0)
    reviewed = wrong + fine
    scores = scores_of(review_rows(reviewed, known_facts(reviewed, 80, 20), WRITER))
    # .2 · 5/20 − .8 · 2/40
    row = scores["review_correction", "a"]
    assert row["value"] == pytest.approx(0.2 * 0.25 - 0.8 * 0.05)
    assert row["low"] < row["value"] < row["high"]
    assert row["n"] == 60
    assert scores["review_correction", "all"]["value"] == row["value"]


def test_unsupported_facts_alone_correct_nothing():
    reviewed = rows(PLANTED, "unsupported")
    scores = scores_of(review_rows(reviewed, known_facts(reviewed, 80, 36), WRITER))
    assert scores["review_correction", "a"]["value"] is None
    assert scores["error_rate", "a", "correct", "supported"]["value"] is None


def test_replies_with_few_facts_weigh_more():
    # the wrong verdict stands in a reply of 2 facts (share .5), the other in one of 10: 5 of 6 by share
    reviewed = rows({"retrieval": 1, "generation": 1}, "unsupported") + rows({"correct": 2}, "supported")
    facts = known_facts(reviewed, 2, 2).with_columns(
        share=pl.when(pl.col("fact_id") == "a-unsupported-0").then(0.5).otherwise(0.1)
    )
    # score .2 / .8
    assert scores_of(review_rows(reviewed, facts, WRITER))["review_correction", "a"][
        "value"
    ] == pytest.approx(0.75 * 5 / 6, abs=1e-6)
