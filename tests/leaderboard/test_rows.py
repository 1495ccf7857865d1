import polars as pl

from truerate.config import Statistics
from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, Row, Score, frame, pairs, validate
from truerate.leaderboard.rows import board_rows, headline, is_lower_better, rows, slice_key, table_of

STATISTICS = Statistics(confidence=0.95, n_bootstrap=500, alpha=0.05)
QA = pairs(task="qa", variant="plain")


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
    assert (found["good", "model"]["rank_low"], found["good", "model"]["rank_high"]) == (
        1,
        2,
    )  # not told apart from `length`
    assert (found["length", "baseline"]["rank_low"], found["length", "baseline"]["rank_high"]) == (1, 2)
    assert (found["bad", "model"]["rank_low"], found["bad", "model"]["rank_high"]) == (3, 3)
    planted = found["good", "planted"]
    assert planted["rank_low"] is None and planted["value"] == 0.88 and planted["provenance"] == "abc"


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


def test_tables_by_metric():
    expected = {
        "accuracy": "recognition",
        "tpr": "recognition",
        "failure_rate": "failures",
        "candidate_failure_rate": "candidates",
    }
    expected |= {
        "shortcut_auroc": "audit",
        "flagged_rate_after": "refinement",
        "fleiss_kappa": "labels",
        "n_samples": "dataset",
    }
    assert {metric: table_of(metric) for metric in expected} == expected


def test_a_tracks_card_names_its_tables_before_the_shared_ones():
    tables = {"token_": "detection", "hallucination_rate": "rates", "n_": "counts", "n_spans": "spans"}
    assert {table_of(metric, tables) for metric in ("token_f1", "token_f1_std")} == {"detection"}
    assert [table_of(metric, tables) for metric in ("n_tokens", "n_spans", "n_samples", "cohen_kappa")] == [
        "counts",
        "spans",
        "counts",
        "labels",
    ]
    table = rows(
        "b",
        frame(Score, [score("good", 0.9, metric="token_f1")]),
        frame(Outcome),
        STATISTICS,
        7,
        {},
        {"tables": tables},
    )
    assert table["table"].to_list() == ["detection"]


def test_a_card_says_which_way_is_better():
    assert is_lower_better("hallucination_rate") and not is_lower_better("token_f1")
    assert is_lower_better("noise", {"ranks": {"metric": "noise", "higher_is_better": False}})
    assert not is_lower_better(
        "hallucination_rate", {"ranks": {"metric": "hallucination_rate", "higher_is_better": True}}
    )
    assert is_lower_better("token_noise", {"lower_is_better": ["noise"]}) and is_lower_better(
        "fpr", {"lower_is_better": ["noise"]}
    )
    made = frame(
        Outcome, outcomes("few", [0.0] * 100, metric="noise") + outcomes("many", BAD, metric="noise")
    )
    scores = frame(Score, [score(name, 0.5, metric="noise") for name in ("few", "many")])
    card = {"ranks": {"metric": "noise", "higher_is_better": False}}
    assert by(rows("b", scores, made, STATISTICS, 7, {}, card), "subject")[("few",)]["rank_high"] == 1


def test_headline_holds_the_ranked_values():
    table = rows("b", SCORES, OUTCOMES, STATISTICS, 7, {})
    assert headline(table) == {
        "b": {"accuracy": {"task=qa variant=plain": {"bad": 0.5, "good": 0.9, "length": 0.9}}}
    }
    assert slice_key([]) == ""


def test_models_of_params_are_models():
    at = Layout.load("params.yaml")
    name = next(iter(at.p.models))
    table = board_rows(at, "b", frame(Score, [score(name, 0.9), score("length", 0.8)]), frame(Outcome))
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
