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


def rows(scores, outcomes, kinds=None, *, board="b", **more):
    return room.rows(board, scores, outcomes, STATISTICS, 7, kinds or {}, METRICS, **more)


def score(subject, value, *, metric="accuracy", method="estimator", board="b"):
    row = {"board": board, "metric": metric, "subject": subject, "slice": QA, "value": value, "low": None}
    row |= {"high": None}
    return row | {"method": method, "n": 100, "inputs": "abc"}


def outcomes(subject, values, *, metric="accuracy"):
    row = {"board": "b", "metric": metric, "subject": subject, "slice": QA}
    return [
        row | {"unit_id": f"u{i}", "cluster_id": f"c{i}", "value": value} for i, value in enumerate(values)
    ]


def scored(values, **more):
    """Scores by subject."""
    return frame(Score, [score(name, value, **more) for name, value in values.items()])


def judged(values, **more):
    """The units of each subject."""
    return frame(Outcome, [row for name, units in values.items() for row in outcomes(name, units, **more)])


def ranges(table):
    """The rank range of each subject."""
    return {name: ends for name, *ends in table.select("subject", "rank_low", "rank_high").iter_rows()}


GOOD, BAD = [1.0] * 90 + [0.0] * 10, [1.0] * 50 + [0.0] * 50
SCORES = pl.concat(
    [scored({"good": 0.9, "bad": 0.5, "length": 0.9}), scored({"good": 0.88}, method="planted")]
)
OUTCOMES = judged({"good": GOOD, "bad": BAD, "length": GOOD})


def test_rows_have_kinds_and_rank_ranges():
    table = validate(Row, rows(SCORES, OUTCOMES, {"good": "model", "bad": "model"}), where="rows")
    # models among models; `length` is not told apart from the better one, and better than the other
    assert ranges(table.filter(pl.col("kind") != "planted")) == {
        "good": [1, 1],
        "bad": [2, 2],
        "length": [1, 2],
    }
    (planted,) = table.filter(kind="planted").to_dicts()
    assert planted["rank_low"] is None and planted["value"] == 0.88 and planted["provenance"] == "abc"


def leading(message, models):
    """Whether each subject may be the best, and its rank range, by the values it has on 100 units."""
    scores = scored({name: sum(values) / 100 for name, values in message.items()})
    table = rows(scores, judged(message), dict.fromkeys(models, "model"))
    return {
        row["subject"]: (row["is_leading"], row["rank_low"], row["rank_high"]) for row in table.to_dicts()
    }


def test_no_row_that_loses_to_another_may_be_first():
    perfect = [1.0] * 100
    first, last = (True, 1, 2), {"bad": (False, 3, 3), "length": (False, 3, 4)}
    leaders = leading({"good": GOOD, "twin": GOOD, "bad": BAD, "length": BAD}, ["good", "twin", "bad"])
    assert leaders == {"good": first, "twin": first} | last
    beaten = leading({"good": BAD, "bad": BAD[::-1], "length": perfect}, ["good", "bad"])
    assert beaten == {"good": (False, 1, 2), "bad": (False, 1, 2), "length": (False, 1, 1)}
    level = leading({"good": GOOD, "bad": GOOD, "length": GOOD}, ["good", "bad"])
    assert level == {"good": (True, 1, 2), "bad": (True, 1, 2), "length": (False, 1, 3)}


def test_who_leads_is_told_by_comparisons_with_the_best():
    """Five units differ, all one way: 1/32 one-sided, so that the worse is no best, though its range is 1–2."""
    best, worse = [1.0] * 100, [0.0] * 5 + [1.0] * 95
    assert leading({"a": best, "b": worse}, "ab") == {"a": (True, 1, 2), "b": (False, 1, 2)}


def test_one_model_alone_has_no_rank_and_leads_nothing():
    none = (False, None, None)
    leaders = leading({"good": GOOD, "length": BAD, "never": BAD}, ["good"])
    assert leaders == {"good": none, "length": none, "never": none}
    assert leading({"length": BAD}, []) == {"length": none}
    assert leading({"length": GOOD, "never": BAD}, []) == {"length": (False, 1, 1), "never": (False, 2, 2)}


def test_less_is_better_for_failures():
    of = {"metric": "unparsed_rate"}
    table = rows(scored({"few": 0.5, "many": 0.5}, **of), judged({"few": [0.0] * 100, "many": BAD}, **of))
    assert ranges(table) == {"few": [1, 1], "many": [2, 2]}


def test_a_subject_that_misses_units_is_tested_on_the_common_ones():
    table = rows(SCORES, judged({"good": GOOD, "bad": BAD, "length": GOOD[:40]}))
    assert ranges(table.filter(kind="baseline"))["length"] == [1, 3]


def test_scores_without_outcomes_have_no_rank_and_other_boards_no_rows():
    scores = pl.concat([scored({"good": 0.9}), scored({"other": 0.1}, board="elsewhere")])
    assert ranges(rows(scores, frame(Outcome))) == {"good": [None, None]}
    assert rows(frame(Score), frame(Outcome)).is_empty()


def test_row_order_does_not_depend_on_input_order():
    assert rows(SCORES, OUTCOMES).equals(rows(SCORES.reverse(), OUTCOMES.reverse()))


def test_a_record_says_the_table_by_its_whole_name():
    """No beginning of a name decides: `accuracy_seen` stands elsewhere than `accuracy`."""
    table = rows(frame(Score, [score("good", 0.9, metric=name) for name in METRICS]), frame(Outcome))
    tables = {"accuracy": "recognition", "unparsed_rate": "recognition", "accuracy_seen": "replies"}
    assert dict(table.select("metric", "table").rows()) == tables


def test_a_score_without_a_record_is_refused_by_name():
    scores = pl.concat([scored({"good": 0.9}), scored({"good": 0.9}, metric="noise")])
    message = "board 'b': metric 'noise' has no record; .* recorded: accuracy, accuracy_seen, unparsed"
    with pytest.raises(TruerateError, match=message):
        rows(scores, frame(Outcome))
    assert rows(scores, frame(Outcome), board="elsewhere").is_empty()


def test_who_has_a_score_of_the_asked_metric_is_a_model():
    scores = pl.concat(
        [scored({"theirs": 0.9}, metric="accuracy_seen"), scored({"theirs": 0.8, "length": 0.7})]
    )
    table = rows(scores, frame(Outcome), asked="accuracy_seen")
    assert dict(table.select("subject", "kind").rows()) == {"theirs": "model", "length": "baseline"}


def test_headline_holds_the_ranked_values():
    values = {"bad": 0.5, "good": 0.9, "length": 0.9}
    assert headline(rows(SCORES, OUTCOMES)) == {"b": {"accuracy": {"task=qa variant=plain": values}}}
    assert slice_key([]) == ""
    slices = pl.DataFrame({"slice": [[], QA]}, schema={"slice": schema(Outcome)["slice"]})
    assert slices.select(slice_keys("slice")).to_series().to_list() == ["", "task=qa variant=plain"]


def test_models_of_params_are_models():
    at = Layout.load("params.yaml")
    name = next(iter(at.p.models))
    table = board_rows(at, "b", scored({name: 0.9, "length": 0.8}), frame(Outcome), METRICS)
    assert dict(table.select("subject", "kind").rows()) == {name: "model", "length": "baseline"}
    assert table.schema["slice"] == pl.List(pl.Struct({"key": pl.String, "value": pl.String}))


def test_who_has_no_value_on_any_unit_widens_nobodys_range():
    units = judged({"good": GOOD, "bad": BAD, "silent": [None] * 100})
    table = rows(scored({"good": 0.9, "bad": 0.5, "silent": None}), units)
    assert ranges(table) == {"good": [1, 1], "bad": [2, 2], "silent": [None, None]}
