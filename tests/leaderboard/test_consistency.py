"""What a paper's figures say of one another: totals, mixtures, percents of whole texts, hidden labels."""

import polars as pl
import pytest

from truerate.core.claims import Cell, Counted, HiddenSet, Matrices, Mixture, Weighted, Whole
from truerate.leaderboard.consistency import check_claims, check_totals, printed_in
from truerate.leaderboard.ledger import COLUMNS, ledger_of
from truerate.tracks.halueval.protocol import PROTOCOL

SCHEMA = dict.fromkeys(COLUMNS, pl.String) | {"value": pl.Float64}


def printed(*rows):
    """Figures of one paper from (table, model, metric, slice, value)."""
    return pl.DataFrame([("paper", *row, None) for row in rows], schema=SCHEMA, orient="row")


def test_totals_that_do_not_add_up_are_inconsistent():
    parts = [("n_failed", 9.0), ("n_failed_type1", 4.0), ("n_failed_type2", 4.0)]
    rows = [("helma", "7", "m", name, "qa", value, None) for name, value in parts]
    (line,) = check_totals(pl.DataFrame(rows, schema=SCHEMA, orient="row"), PROTOCOL.totals)
    assert (line["verdict"], line["published"], line["ours"]) == ("inconsistent", 9, 8)
    assert line["reason"] == "sum of 2 printed parts: 1 below the printed figure"


MEAN = Mixture(
    "paper",
    Cell("1", "avg", "s"),
    (Weighted(0.5, Cell("1", "first", "s")), Weighted(0.5, Cell("1", "last", "s"))),
    "mean of both orders",
    0.01,
    beside="invalid_rate",
)


def test_a_mixture_is_held_against_its_parts_model_by_model():
    rows = printed(
        *(("1", "a", name, "s", value) for name, value in (("avg", 50.01), ("first", 60.0), ("last", 40.0))),
        *(("1", "b", name, "s", value) for name, value in (("avg", 50.5), ("first", 60.0), ("last", 40.0))),
        ("1", "b", "invalid_rate", "s", 9.5),
        ("1", "c", "avg", "s", 50.0),  # lacks its parts
    )
    good, bad = check_claims(rows, [MEAN])
    assert (good["verdict"], good["quantity"], good["reason"]) == (
        "consistent",
        "a · avg · s",
        "mean of both orders",
    )
    assert bad["verdict"] == "inconsistent" and bad["ours"] == 50
    assert bad["reason"] == "mean of both orders: 0.5 below the printed figure; invalid rate 9.5"


@pytest.mark.parametrize(("value", "verdict"), [(66.67, "consistent"), (66.5, "inconsistent")])
def test_a_percent_of_whole_texts(value, verdict):
    # 2 of 3 is 66.67 %; nothing of 3 is 66.5 %
    (line,) = check_claims(
        printed(("1", "-", "share", "all", value)), [Counted("paper", Cell("1", "share", "all"), 3, 0.005)]
    )
    assert line["verdict"] == verdict and line["quantity"] == "share · all"


HIDDEN = Matrices(
    "paper", (HiddenSet(10, 4, "2", "x"), HiddenSet(10, 5, "2", "y")), Whole("3", "all"), tolerance=0.005
)


def scored(tp, tn, *, n, positives):
    """Printed scores of one matrix, by hand from their definitions."""
    yes, no = tp + n - positives - tn, tn + positives - tp
    figures = {
        "accuracy": (tp + tn) / n,
        "avg_recall": (tp / positives + tn / (n - positives)) / 2,
        "avg_precision": (tp / yes + tn / no) / 2,
        "macro_f1": tp / (yes + positives) + tn / (no + n - positives),
    }
    return {name: round(100 * value, 2) for name, value in figures.items()}


def figures(whole_right=(7, 9)):
    """TP, TN = 3, 5 on the first part, 4, 4 on the second, balanced one."""
    tables = {
        ("2", "x"): scored(3, 5, n=10, positives=4),
        ("2", "y"): scored(4, 4, n=10, positives=5),
        ("3", "all"): scored(*whole_right, n=20, positives=9),
    }
    return printed(
        *(
            (table, "m", name, part, value)
            for (table, part), figures in tables.items()
            for name, value in figures.items()
        )
    )


def test_scores_of_whole_matrices_are_consistent():
    model, first, second = check_claims(figures(), [HIDDEN])
    assert model["verdict"] == "consistent" and model["published"] is None
    assert "all 12 printed figures" in model["reason"]
    assert "x 75.0 / 83.3, y 80.0 / 80.0" in model["reason"]  # 3 of 4 and 5 of 6; 4 of 5 and 4 of 5
    assert [line["verdict"] for line in (first, second)] == ["inferred"] * 2
    assert [(line["published"], line["ours"], line["low"], line["high"]) for line in (first, second)] == [
        (None, 4, 4, 4),
        (None, 5, 5, 5),
    ]


def test_matrices_that_do_not_sum_to_the_whole_are_inconsistent():
    model = check_claims(figures(whole_right=(8, 8)), [HIDDEN])[0]
    assert model["verdict"] == "inconsistent" and "none sum to those of all" in model["reason"]


def test_figures_without_any_matrix_name_their_part():
    rows = figures().with_columns(value=pl.when(slice="x", metric="macro_f1").then(10.0).otherwise("value"))
    assert check_claims(rows, [HIDDEN])[0]["reason"].endswith("gives the figures of x")


def test_a_model_without_all_figures_has_no_line():
    assert not check_claims(figures().filter(pl.col("slice") != "y"), [HIDDEN])


def test_claims_of_another_paper_say_nothing(tmp_path):
    path = tmp_path / "published.csv"
    figures().with_columns(source=pl.lit("other")).write_csv(path)
    assert {line["verdict"] for line in ledger_of([path], (), {}, [HIDDEN, MEAN])} == {"cannot be checked"}


def test_where_a_figure_is_printed():
    assert printed_in("helma", "6") == "helma Table 6" and printed_in("mfava", "Fig4") == "mfava Table Fig4"
    assert printed_in("halludial", "README") == "halludial README"
