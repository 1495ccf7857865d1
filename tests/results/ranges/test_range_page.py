"""The page of the range behind each rate, the file of every combination, and the way there from the board."""

import csv
import json
from html import unescape
from io import StringIO

import polars as pl
import pytest
from test_site_render import Elements
from tiny_results import HOSTILE, write_results
from tiny_site import site_of

from truerate.cli import main
from truerate.core.errors import SourceError
from truerate.results.ranges import page
from truerate.results.read import read_board, real_boards


def write_silent(folder, name="judged"):
    """A board whose model beta has no verdict on u3: alpha 0, beta 1/3 (1/4 or 2/4), gamma 2/4, the last one 4/4."""
    path = write_results(folder, name)
    rows = pl.read_parquet(path / "rows.parquet")
    is_silent = (
        (pl.col("subject") == "beta") & (pl.col("unit_id") == "u3") & (pl.col("metric") == "made_up_rate")
    )
    rows = rows.with_columns(value=pl.when(~is_silent).then("value"))
    rows.write_parquet(path / "rows.parquet")
    return path


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_silent(folder)
    write_results(folder, "plain")
    return site_of(n=1, real=real_boards(folder), max_samples=1)


def test_two_sentences_say_how_far_counting_moves_a_rate_and_who_is_ever_first(pages):
    # without u3, gamma has 2 of 3 hallucinated, 66.7 %; beta goes from 1/4 to 2/4
    said = "Counting alone moves a rate by up to 25.0 points (beta: 25.0 to 50.0 %). alpha is first under each of 4 combinations"
    assert said in Elements(unescape(pages["real/judged-range.md"])).text
    assert said in Elements(unescape(pages["real/judged.md"])).text
    assert 'href="judged-range.html"' in pages["real/judged.md"]


def test_a_board_whose_rates_no_rule_moves_has_no_such_page(pages):
    assert "real/plain-range.md" not in pages
    assert "plain-range" not in pages["real/plain.md"]


def test_the_table_has_the_rate_least_and_greatest_and_what_gives_them(pages):
    text = Elements(unescape(pages["real/judged-range.md"])).text
    assert "Abstentions: counted as not hallucinated" in text
    assert "counted as hallucinated" in text
    assert "left out (the board’s own)" in text


def test_names_of_others_are_text_on_the_page(pages):
    whole = pages["real/judged-range.md"]
    assert "<script>alert" not in whole and "{{7*7}}" not in whole
    assert HOSTILE in unescape(whole)


def test_the_figure_says_that_its_bars_are_ranges(pages):
    figures = [
        of for tag, of in Elements(pages["real/judged-range.md"]).elements if tag == "svg" and of.get("role")
    ]
    assert "beta 33.3, range 25.0 to 50.0, rank 2" in unescape(figures[0]["aria-label"])


def test_the_file_has_a_line_for_each_model_under_each_combination(pages):
    lines = list(csv.DictReader(StringIO(pages["real/judged-range.csv"])))
    assert list(lines[0]) == ["Abstentions", "is_board", "subject", "value", "rank"]
    assert [(line["Abstentions"], line["is_board"], line["value"], line["rank"]) for line in lines if line["subject"] == "beta"] == [
        ("left out", "1", "0.333333", "2"),
        ("left out for all models", "0", "0.333333", "2"),
        ("counted as not hallucinated", "0", "0.25", "2"),
        ("counted as hallucinated", "0", "0.5", "2"),
    ]  # fmt: skip


def test_the_command_prints_the_ranges_of_a_committed_result(tmp_path, capsys):
    main(["real", "--range", str(write_silent(tmp_path))])
    printed = capsys.readouterr().out
    assert "Counting alone moves a rate by up to 25.0 points" in printed
    assert "| beta | 33.3 | 25.0 | 50.0 | 2 | 0 of 4 |" in printed
    main(["real", "--json", "--range", str(tmp_path / "judged")])
    rows = json.loads(capsys.readouterr().out)
    assert [row["rate"] for row in rows if row["subject"] == "beta"] == [0.333333]
    main(["real", "--range", str(write_results(tmp_path, "plain"))])
    assert capsys.readouterr().out == "no rule of counting changes a rate of plain\n"


def test_without_a_multiverse_there_are_no_rows(tmp_path):
    assert page.table_of(read_board(write_results(tmp_path, "plain"))) == []
    with pytest.raises(SourceError, match="no file 'card.json'"):
        read_board(tmp_path / "nothing")
