import polars as pl
import pytest

from truerate.config import Statistics
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.metric import Metric
from truerate.core.schemas import Outcome, Row, Score, frame, pairs, schema, validate
from truerate.leaderboard import rows as room
from truerate.leaderboard.rows import board_rows, headline, slice_key, slice_keys

STATISTICS = Statistics(confidence=0.95, n_bootstrap=500, alpha=0.05)
QA = pairs(task="qa", variant="plain")
METRICS = {
    "accuracy": Metric("accuracy", "Accuracy", "Share judged rightly.", "recognition", direction="up"),
    "unparsed_rate": Metric("unparsed_rate", "Unparsed", "Share not read.", "recognition", direction="down"),
    "accuracy_seen": Metric("accuracy_seen", "Seen", "Of a table of its own.", "replies"),
}


def rows(*given, metrics=METRICS, **more):
    return room.rows(*given, metrics, **more)


def score(subject, value, *, metric="accuracy", method="estimator", slice_=QA, board="b"):
    known = {
        "board": board,
        "metric": metric,
        "subject": subject,
        "slice": slice_,
        "value": value,
        "low": None,
        "high": None,
    }
    return known | {"method": method, "n": 100, "inputs": "abc"}


def outcomes(subject, values, *, metric="accuracy", board="b"):
    return [
        {
            "board": board,
            "metric": metric,
            "subject": subject,
            "slice": QA,
            "unit_id": f"u{i}",
            "cluster_id": f"c{i}",
            "value": value,
        }
        for i, value in enumerate(values)
    ]


GOOD, BAD = [1.0] * 90 + [0.0] * 10, [1.0] * 50 + [0.0] * 50
SCORES = frame(
    Score,
    [score("good", 0.9), score("bad", 0.5), score("length", 0.9), score("good", 0.88, method="planted")],
)
OUTCOMES = frame(Outcome, outcomes("good", GOOD) + outcomes("bad", BAD) + outcomes("length", GOOD))


def by(table, *keys):
    return {tuple(row[key] for key in keys): row for row in table.to_dicts()}


def test_rows_have_kinds_and_rank_ranges():
    table = validate(
        Row, rows("b", SCORES, OUTCOMES, STATISTICS, 7, {"good": "model", "bad": "model"}), where="rows"
    )
    found = by(table, "subject", "kind")
    ranks = {
        name: (row["rank_low"], row["rank_high"]) for (name, kind), row in found.items() if kind != "planted"
    }
    # models among models; `length` is not told apart from the better one, and better than the other
    assert ranks == {"good": (1, 1), "bad": (2, 2), "length": (1, 2)}
    planted = found["good", "planted"]
    assert planted["rank_low"] is None and planted["value"] == 0.88 and planted["provenance"] == "abc"


def leading(said, models):
    """Whether each subject may be first, and its rank range, by the values it has on 100 units."""
    scores = frame(Score, [score(name, sum(values) / 100) for name, values in said.items()])
    made = frame(Outcome, [row for name, values in said.items() for row in outcomes(name, values)])
    found = rows("b", scores, made, STATISTICS, 7, dict.fromkeys(models, "model")).to_dicts()
    return {row["subject"]: (row["is_leading"], row["rank_low"], row["rank_high"]) for row in found}


def test_no_row_that_loses_to_another_may_be_first():
    perfect = [1.0] * 100
    assert leading({"good": GOOD, "twin": GOOD, "bad": BAD, "length": BAD}, ["good", "twin", "bad"]) == {
        "good": (True, 1, 2),
        "twin": (True, 1, 2),
        "bad": (False, 3, 3),
        "length": (False, 3, 4),
    }
    beaten = leading({"good": BAD, "bad": BAD[::-1], "length": perfect}, ["good", "bad"])
    assert beaten == {"good": (False, 1, 2), "bad": (False, 1, 2), "length": (False, 1, 1)}
    level = leading({"good": GOOD, "bad": GOOD, "length": GOOD}, ["good", "bad"])
    assert level == {"good": (True, 1, 2), "bad": (True, 1, 2), "length": (False, 1, 3)}


def test_one_model_alone_has_no_rank_and_leads_nothing():
    none = (False, None, None)
    assert leading({"good": GOOD, "length": BAD, "never": BAD}, ["good"]) == {
        "good": none,
        "length": none,
        "never": none,
    }
    assert leading({"length": BAD}, []) == {"length": none}
    assert leading({"length": GOOD, "never": BAD}, []) == {"length": (True, 1, 1), "never": (False, 2, 2)}


def test_less_is_better_for_failures():
    scores = frame(Score, [score(name, 0.5, metric="unparsed_rate") for name in ("few", "many")])
    made = frame(
        Outcome,
        outcomes("few", [0.0] * 100, metric="unparsed_rate") + outcomes("many", BAD, metric="unparsed_rate"),
    )
    found = by(rows("b", scores, made, STATISTICS, 7, {}), "subject")
    assert found[("few",)]["rank_high"] == 1 and found[("many",)]["rank_low"] == 2


def test_a_subject_that_misses_units_is_tested_on_the_common_ones():
    made = frame(Outcome, outcomes("good", GOOD) + outcomes("bad", BAD) + outcomes("length", GOOD[:40]))
    found = by(rows("b", SCORES, made, STATISTICS, 7, {}), "subject", "kind")
    assert (found["length", "baseline"]["rank_low"], found["length", "baseline"]["rank_high"]) == (1, 3)


def test_scores_without_outcomes_have_no_rank_and_other_boards_no_rows():
    scores = frame(Score, [score("good", 0.9), score("other", 0.1, board="elsewhere")])
    table = rows("b", scores, frame(Outcome), STATISTICS, 7, {})
    assert table.height == 1 and table["rank_low"].to_list() == [None]
    assert rows("b", frame(Score), frame(Outcome), STATISTICS, 7, {}).is_empty()


def test_row_order_does_not_depend_on_input_order():
    first = rows("b", SCORES, OUTCOMES, STATISTICS, 7, {})
    assert first.equals(rows("b", SCORES.reverse(), OUTCOMES.reverse(), STATISTICS, 7, {}))


def test_a_record_says_the_table_by_its_whole_name():
    """No beginning of a name decides: `accuracy_seen` stands elsewhere than `accuracy`."""
    scores = frame(Score, [score("good", 0.9, metric=name) for name in METRICS])
    table = rows("b", scores, frame(Outcome), STATISTICS, 7, {})
    assert dict(table.select("metric", "table").rows()) == {
        "accuracy": "recognition",
        "unparsed_rate": "recognition",
        "accuracy_seen": "replies",
    }


def test_a_score_without_a_record_is_refused_by_name():
    scores = frame(Score, [score("good", 0.9), score("good", 0.9, metric="noise")])
    with pytest.raises(
        TruerateError,
        match="board 'b': metric 'noise' has no record; .* recorded: accuracy, accuracy_seen, unparsed",
    ):
        rows("b", scores, frame(Outcome), STATISTICS, 7, {})
    assert rows("elsewhere", scores, frame(Outcome), STATISTICS, 7, {}).is_empty()


def test_who_has_a_score_of_the_asked_metric_is_a_model():
    scores = frame(
        Score, [score("theirs", 0.9, metric="accuracy_seen"), score("theirs", 0.8), score("length", 0.7)]
    )
    table = rows("b", scores, frame(Outcome), STATISTICS, 7, {}, asked="accuracy_seen")
    assert dict(table.select("subject", "kind").rows()) == {"theirs": "model", "length": "baseline"}


def test_headline_holds_the_ranked_values():
    table = rows("b", SCORES, OUTCOMES, STATISTICS, 7, {})
    assert headline(table) == {
        "b": {"accuracy": {"task=qa variant=plain": {"bad": 0.5, "good": 0.9, "length": 0.9}}}
    }
    assert slice_key([]) == ""
    told = pl.DataFrame(
        {"slice": [[], pairs(task="qa", variant="plain")]}, schema={"slice": schema(Outcome)["slice"]}
    )
    assert told.select(slice_keys("slice")).to_series().to_list() == ["", "task=qa variant=plain"]


def test_models_of_params_are_models():
    at = Layout.load("params.yaml")
    name = next(iter(at.p.models))
    table = board_rows(
        at, "b", frame(Score, [score(name, 0.9), score("length", 0.8)]), frame(Outcome), METRICS
    )
    assert dict(table.select("subject", "kind").rows()) == {name: "model", "length": "baseline"}
    assert table.schema["slice"] == pl.List(pl.Struct({"key": pl.String, "value": pl.String}))


def test_who_has_no_value_on_any_unit_widens_nobodys_range():
    scores = frame(Score, [score("good", 0.9), score("bad", 0.5), score("silent", None)])
    made = frame(Outcome, outcomes("good", GOOD) + outcomes("bad", BAD) + outcomes("silent", [None] * 100))
    found = by(rows("b", scores, made, STATISTICS, 7, {}), "subject")
    assert {name: (row["rank_low"], row["rank_high"]) for (name,), row in found.items()} == {
        "good": (1, 1),
        "bad": (2, 2),
        "silent": (None, None),
    }
