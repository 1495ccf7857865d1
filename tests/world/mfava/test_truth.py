"""The planted rate of a board: hallucinated tokens over tokens of the very replies, counted by hand on a few
of them.
"""

import polars as pl
import pytest

from truerate.core.schemas import Score, frame, pairs, validate
from truerate_world.mfava.models import realiser
from truerate_world.mfava.truth import planted_scores


@pytest.fixture(scope="module")
def replies(table):
    """A town's year of foundation told right and wrong, in English and Chinese, and a flawed reply."""
    town = table.groups["articles", "town"][0]
    right = realiser.fact(table, town, "t_founded", "key")._replace(
        name=realiser.Name("told", "t_founded", 0)
    )
    wrong = right._replace(value=("y", 333))
    rows = [
        ("a", "en", [right, wrong], {}),
        ("a", "en", [wrong], {"repeats": "yes"}),
        ("a", "zh", [right], {}),
        ("b", "en", [right], {}),
    ]
    rows.append(("stranger", "en", [wrong], {}))
    made = [
        {
            "generation_id": str(place),
            "purpose": "answer",
            "status": "ok",
            "model": model,
            "text": realiser.write(table, code, said),
        }
        | {"attributes": pairs(lang=code, **facts)}
        for place, (model, code, said, facts) in enumerate(rows)
    ]
    other = {**made[0], "generation_id": "x", "purpose": "query"}
    return pl.DataFrame([*made, other, {**made[1], "generation_id": "y", "status": "dead"}])


def value(rows, metric, subject, **where):
    [row] = [
        row
        for row in rows
        if (row["metric"], row["subject"], row["slice"])
        == (metric, subject, pairs(estimator="planted", **where))
    ]
    return row["value"], row["n"]


def test_rates_are_the_realised_shares_of_tokens(replies):
    rows = planted_scores(
        "board", seed=7, models=["a", "b"], generations=replies, tokenizer="words", inputs="abc"
    )
    validate(Score, frame(Score, rows), where="test")
    # "X was founded in 1234" has 5 tokens, one of them wrong: 1 of 10 in the first reply, 1 of 5 in the
    # flawed one.
    assert value(rows, "hallucination_rate", "a", lang="en", replies="kept") == (0.1, 1)
    assert value(rows, "hallucination_rate", "a", lang="en", replies="all") == (
        pytest.approx(2 / 15, abs=1e-6),
        2,
    )
    assert value(rows, "hallucination_rate", "a", lang="zh", replies="all") == (0.0, 1)
    assert value(rows, "hallucination_rate", "a", lang="all", replies="kept") == (0.05, 2)
    assert value(rows, "hallucination_rate", "b", lang="all", replies="all") == (0.0, 1)
    assert value(rows, "n_spans", "a", lang="en", replies="all", type="entity") == (2, 2)
    assert {row["subject"] for row in rows} == {"a", "b"} and {row["method"] for row in rows} == {"planted"}


def test_no_replies_no_rows(replies):
    assert planted_scores("board", seed=7, models=["a"], generations=replies.clear(), tokenizer="words") == []
