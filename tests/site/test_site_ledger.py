"""The ledger's page: what was compared stands by itself, whole printed tables that cannot be checked fold away."""

from types import SimpleNamespace

from tests.records import ALL
from truerate.site.ledger import MANY, context


def line(quantity, published, *, source="mfava Table Fig4", verdict="cannot be checked", reason="not public"):
    row = {"board": None, "quantity": quantity, "published": published}
    return row | {"verdict": verdict, "reason": reason, "source": source}


def shown(*lines):
    return context(SimpleNamespace(ledger=lines, boards=(), real=(), vocabulary=ALL))


def test_a_long_table_that_cannot_be_checked_opens_as_it_was_printed():
    values = [line(f"{model} · HR_est · {lang}", 10.5) for model in ("a", "b") for lang in ("ar", "de", "sd")]
    spreads = [line(f"a · HR_est_std · {lang}", 1.25) for lang in ("ar", "de", "sd")]
    total = line("total · ru", 5, source="mfava Table 2", verdict="consistent", reason="sum")
    found = shown(total, *values, *spreads)
    (table,) = found["folded"]
    assert len(values + spreads) > MANY and [one["quantity"] for one in found["lines"]] == ["total · ru"]
    assert (table["where"], table["n"], table["heads"], table["same"]) == (
        "mFAVA Figure 4",
        9,
        ["a", "b"],
        "HR_est",
    )
    of, cells = table["rows"][0]
    assert of == "Arabic" and [(value, spread) for value, _, spread in cells] == [
        (10.5, "1.25"),
        (10.5, None),
    ]
    assert ("Cannot be checked", "9", "") in found["tally"]


def test_short_tables_and_those_that_are_no_grid_stay_lines():
    few = [line(f"a · HR_est · {lang}", 1.0) for lang in ("ar", "de")]
    plain = [line(f"quantity {k}", 1.0, source="x") for k in range(MANY + 1)]
    twice = [line("a · f1 · de", 1.0, source="mfava Table 3")] * (MANY + 1)
    found = shown(*few, *plain, *twice)
    assert not found["folded"] and len(found["lines"]) == len(few) + len(plain) + len(twice)


def test_a_grid_with_holes_has_none_in_them():
    lines = [
        line(f"m{k} · f1 · {lang}", k) for k in range(MANY) for lang in ("ar", "de") if (k, lang) != (0, "de")
    ]
    rows = dict(shown(*lines)["folded"][0]["rows"])
    assert rows["German"][0] == (None, "–", None) and rows["Arabic"][0][0] == 0


def test_a_table_wider_than_a_screen_has_its_models_down():
    lines = [line(f"m{k} · {metric} · test", k) for k in range(9) for metric in ("f1", "recall")]
    (table,) = shown(*lines)["folded"]  # 18 columns over one row, or 2 over 9
    assert len(table["heads"]) == 2 and [of for of, _ in table["rows"]] == [f"m{k}" for k in range(9)]
    assert [value for value, *_ in table["rows"][3][1]] == [3, 3] and table["same"] == "Test set"


def test_what_is_consistent_folds_and_what_is_not_stays_a_line():
    agreed = {"verdict": "consistent", "reason": "mean of both"}
    fine = [line(f"m{k} · macro_f1 · test", k, **agreed) for k in range(MANY + 1)]
    bad = line("x · macro_f1 · test", 1, verdict="inconsistent", reason="mean of both: 1 below")
    hidden = line("hallucinated of 10 · x", None, verdict="inferred") | {"ours": 4, "low": 3, "high": 5}
    found = shown(*fine, bad, hidden)
    assert [table["verdict"] for table in found["folded"]] == ["consistent"]
    assert [one["verdict"] for one in found["lines"]] == ["inconsistent", "inferred"]
    assert [name for name, *_ in found["tally"]] == ["Consistent", "Inconsistent", "Inferred"]
    assert found["is_inferred"] and found["lines"][1]["figures"]["published"] == "–"


def test_a_single_line_of_many_columns_is_turned():
    lines = [line(f"m{k} · {metric} · test", k) for k in range(5) for metric in ("f1", "recall")]
    (table,) = shown(*lines)["folded"]  # ten columns of one line, or two of five
    assert [of for of, _ in table["rows"]] == ["m0", "m1", "m2", "m3", "m4"]


def test_numbers_of_a_column_stand_under_one_point_and_counts_as_they_are():
    values = (9, 0.25, 1.5, 2, 3, 4, 5, 6, 7)
    lines = [line(f"{name} · {k}", value) for name in ("a", "b") for k, value in enumerate(values)]
    lines[-1]["published"] = 1234.5
    (table,) = shown(*lines)["folded"]
    first, second = zip(*([text for _, text, _ in cells] for _, cells in table["rows"]), strict=True)
    assert first == ("9.00", "0.25", "1.50", "2.00", "3.00", "4.00", "5.00", "6.00", "7.00")
    assert second[:3] == ("9", "0.25", "1.5") and second[-1] == "1234.5"


def test_a_tally_above_a_thousand_has_its_thin_space():
    fine = [line(f"{k} · total", k, verdict="consistent") for k in range(1613)]
    tally = [("Consistent", "1\u2009613", ""), ("Cannot be checked", "1", "")]
    assert shown(*fine, line("x · total", 1))["tally"] == tally


def test_each_paper_s_samples_are_called_what_they_are_there():
    samples = ((10_000, "helma Table 5"), (91_785, "halludial Table 1"))
    found = shown(*(line("n_samples", n, source=source) for n, source in samples))
    assert [one["title"] for one in found["lines"]] == ["Hallucinated texts", "Samples"]
