"""Boards of figures that others published: counts and shares per model, whose rows nobody else has."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from truerate.config.data import PublishedTable
from truerate.core.errors import SourceError
from truerate.metrics.paired import two_shares
from truerate.results.files import load_result, save_result
from truerate.results.published_table import parts, result_of_table
from truerate.results.read import read_board
from truerate.results.recompute import differences

ROOT = Path(__file__).parents[2]
COUNTS = """model,maker,effort,base,bad,half,good,asked,day,size
a@none,mono,none,a,40,10,50,100,2025-01-01,7
a@high,mono,high,a,10,20,70,100,2025-01-01,7
b,duo,default,b,60,0,40,100,2025-03-01,
c,duo,default,c,0,0,99,99,2026-03-01,70
"""
ENTRY = {
    "folder": "somebody__table",
    "files": {"v2": "new.csv"},
    "title": "A published table",
    "dated": "2026-03-02",
    "set": {"name": "Table", "citation": "Somebody 2026", "licence": "MIT", "redistribution": "yes",
            "url": "https://example.org/table"},
    "subject": "model",
    "n": "asked",
    "metrics": {
        "accepted": {"counts": ["bad"], "label": "Accepted", "definition": "Accepted."},
        "at_most_half": {"counts": ["bad", "half"], "label": "Accepted or in part", "definition": "Or in part."},
        "pushed_back": {"counts": ["good"], "label": "Pushed back", "definition": "No.", "direction": "up"},
    },
    "attributes": {"maker": "maker", "effort": "effort", "base": "base", "launched": "day", "billions": "size"},
    "judge": "Judge 1",
    "judge_makers": ["duo"],
}  # fmt: skip


def result(folder, text=COUNTS, **changes):
    (folder / "new.csv").write_text(text, "utf-8")
    return result_of_table("table", PublishedTable.model_validate(ENTRY | changes), folder)


def board(folder, *texts, **changes):
    save_result(result(folder, *texts, **changes), folder / "table")
    return read_board(folder / "table")


def test_shares_are_of_the_published_counts_with_wilsons_interval_and_unpaired_rank_ranges(tmp_path):
    made = board(tmp_path)
    values = {score.subject: (score.value, score.n) for score in made.ranked}
    assert values == {"c": (0.0, 99), "a@high": (0.1, 100), "a@none": (0.4, 100), "b": (0.6, 100)}
    lead = next(score for score in made.ranked if score.subject == "a@high")
    assert (lead.low, lead.high) == (0.055229, 0.174366)  # Wilson, 10 of 100
    # by Yates' test c < a@high (p .0037), a@none < b (.0072) and all others are apart at Holm's .05
    assert [score.rank for score in made.ranked] == ["1", "2", "3", "4"]
    half = made.overall("at_most_half")["a@high"]
    assert half.value == 0.3
    assert made.judges_own == ("b", "c")


def test_two_independent_shares_are_tested_as_scipy_does_with_yates_correction():
    from scipy.stats import chi2_contingency

    k, other = np.array([2, 10, 40]), np.array([9, 12, 60])
    expected = [
        chi2_contingency([[a, 100 - a], [b, 100 - b]], correction=True).pvalue
        for a, b in zip(k, other, strict=True)
    ]
    n = np.full(3, 100)
    assert two_shares(k, n, other, n) == pytest.approx(expected, rel=1e-9)
    assert two_shares(np.array([0, 5]), np.array([9, 5]), np.array([0, 7]), np.array([7, 7])).tolist() == [
        1,
        1,
    ]


def test_the_committed_table_gives_the_scores_and_a_changed_count_is_found(tmp_path):
    board(tmp_path)
    folder = tmp_path / "table"
    assert differences(load_result(folder)) == []
    path = folder / "table.csv"
    path.write_text(path.read_text("utf-8").replace('a@high,"",100,10.0', 'a@high,"",100,11.0'), "utf-8")
    wrong = differences(load_result(folder))
    assert any("accepted of a@high: value 0.1 where the rows give 0.11" in line for line in wrong)


def test_shares_in_per_cent_of_the_answered_part_of_a_fixed_number(tmp_path):
    text = "model,rate,answers\nmono/x,1.8,99.5\nduo/y,3.3,50\n"
    metrics = {"rate": {"percent": "rate", "label": "Hallucinated", "definition": "Of those written."}}
    made = result(tmp_path, text, n=7700, answered="answers", metrics=metrics, attributes={})
    scores = {row["subject"]: row for row in made.scores.to_dicts()}
    assert (scores["mono/x"]["value"], scores["mono/x"]["n"]) == (0.018, 7662)  # .995 · 7,700 = 7,661.5
    assert (scores["duo/y"]["value"], scores["duo/y"]["n"]) == (0.033, 3850)
    assert made.card.judges_own == ("duo/y",)  # the maker is what stands before the stroke


def test_versions_are_slices_and_effort_is_compared_within_a_model(tmp_path):
    (tmp_path / "old.csv").write_text(
        COUNTS.replace("b,duo,default,b,60,0,40", "b,duo,default,b,50,0,50"), "utf-8"
    )
    made = board(tmp_path, files={"v2": "new.csv", "v1": "old.csv"})
    assert made.slice_keys == {"version": ["v1", "v2"]}
    assert made.overall("accepted", (("version", "v1"),))["b"].value == 0.5
    shown = parts(made, made.table)
    (line,) = shown["efforts"]
    assert (line["base"], line["least"], line["most"], round(line["gap"], 6)) == ("a", "none", "high", -0.3)
    # Newcombe's interval of 10 of 100 against 40 of 100, by hand from both Wilson intervals
    assert line["ends"] == pytest.approx((-0.406, -0.183), abs=0.002) and line["is_apart"]
    launched = shown["pictures"][0][3]
    assert [point["subject"] for point in launched["points"]] == [
        "a@high",
        "",
        "",
        "c",
    ]  # better than all before


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("asked", "n", "has no column ['asked']"),
        ("40,10,50", "-1,10,50", "bad '-1' is no number of at least 0"),
        ("40,10,50", "x,10,50", "bad 'x' is no number of at least 0"),
        ("40,10,50", ",10,50", "bad 'None' is no number of at least 0"),
        ("40,10,50", "140,10,50", "accepted of 'a@none' counts 140.0 of 100"),
        ("99,99", "99,0", "counts 0.0 of 0"),
        ("a@high", "a@none", "names a model twice"),
        ("a@high", " ", "holds a line without a model"),
        ("a@high", "a\u200bhigh", "with a line end or a character that is not seen"),
        (COUNTS.partition("\n")[2], "", "holds no model"),
    ],
)
def test_a_table_that_cannot_be_is_one_line(tmp_path, old, new, says):
    with pytest.raises(SourceError) as error:
        result(tmp_path, COUNTS.replace(old, new))
    assert says in str(error.value) and "\n" not in str(error.value)


def test_a_file_that_is_not_there_and_a_result_without_its_table_are_one_line(tmp_path):
    entry = PublishedTable.model_validate(ENTRY)
    with pytest.raises(SourceError, match="no such file"):
        result_of_table("table", entry, tmp_path)
    board(tmp_path)
    (tmp_path / "table" / "table.csv").unlink()
    with pytest.raises(SourceError, match="no file"):
        load_result(tmp_path / "table")


@pytest.mark.parametrize(
    ("name", "n_models", "most"), [("bullshitbench", 152, 100), ("vectara-summaries", 96, 7700)]
)
def test_committed_tables_are_those_that_were_published(name, n_models, most):
    made = read_board(ROOT / "results" / name)
    assert (len(made.models), made.card["n_units"]) == (n_models, most)
    counts = pl.read_csv(ROOT / "results" / name / "table.csv").fill_null("").filter(slice="")
    assert counts.height == n_models
    if name == "bullshitbench":  # every question is accepted, challenged in part or pushed back
        whole = counts["accepted_or_partial"] + counts["pushed_back"]
        assert whole.to_list() == [100.0] * n_models
