"""A page per model over all boards, with the slices in which it is worse than its own figure."""

from html import unescape

import polars as pl
import pytest
from test_site_render import Elements
from tiny_results import write_results
from tiny_site import site_of, tables_of
from tiny_tables import tiny_tables

from truerate.results.read import real_boards
from truerate.site.models.pages import listing
from truerate.site.overview import models_of, weak_slices


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("results")
    write_results(folder)
    return site_of(n=1, real=real_boards(folder), max_samples=1)


def test_each_model_has_a_page_that_leads_to_its_boards(pages):
    names = models_of(tables_of(n=1))
    assert names
    for name in names:
        assert f"models/{name}.md" in pages
    page = unescape(pages[f"models/{names[0]}.md"])
    assert "boards/halueval-closed-world.html" in page
    assert names[0] in Elements(page).text


def test_the_list_of_models_has_each_once_with_all_its_names_and_its_best_ranks(pages):
    page = Elements(pages["models.md"])
    assert "1–3 of 4" in page.text
    links = [of.get("href") for tag, of in page.elements if tag == "a"]
    assert links.count("models/real/beta.html") == 1


def test_rules_that_measure_texts_are_no_models(tmp_path):
    write_results(tmp_path)
    place = write_results(tmp_path, "rules", title="Rules alone")
    scores = (place / "scores.csv").read_text("utf-8")
    (place / "scores.csv").write_text(
        scores.replace(",model,", ",baseline,").replace("alpha", "always"), "utf-8"
    )
    rows = pl.read_parquet(place / "rows.parquet")
    rows.with_columns(pl.col("subject").replace("alpha", "always")).write_parquet(place / "rows.parquet")
    shown = listing(tables_of(real=real_boards(tmp_path)))
    names = [line["model"].name for line in shown["lines"]]
    assert shown["n_boards"] == 1
    assert "alpha" in names and "always" not in names


def test_a_slice_is_strong_where_its_whole_interval_is_better():
    board = tiny_tables().boards[0]
    whole, part = row(0.6, 0.5, 0.7, task="qa"), row(0.9, 0.8, 0.95, task="qa", pattern="a")
    assert weak_slices(board, [whole, part], [whole]) == []
    assert weak_slices(board, [whole, part], [whole], is_better=True) == [(part, whole)]


def row(value, low, high, **slices):
    return {"metric": "accuracy", "value": value, "low": low, "high": high, "slice": slices}


def test_a_slice_of_all_is_the_whole():
    board = tiny_tables().boards[0]
    whole, part = row(0.8, 0.7, 0.9, lang="all"), row(0.5, 0.4, 0.6, lang="ar")
    assert weak_slices(board, [whole, part], [whole]) == [(part, whole)]


def test_a_slice_is_weak_where_its_whole_interval_is_worse():
    board = tiny_tables().boards[0]
    whole = row(0.8, 0.7, 0.9, task="qa")
    weak, unsure, other = (
        row(0.5, 0.4, 0.6, task="qa", pattern="a"),
        row(0.6, 0.4, 0.81, task="qa", pattern="b"),
        row(0.1, 0.0, 0.2, task="dialogue", pattern="a"),
    )
    assert board.measures["accuracy"].direction == "up"
    assert weak_slices(board, [whole, weak, unsure, other], [whole]) == [(weak, whole)]
