"""The rendered pages: complete tables without a script, inert texts, nothing from another host, the same bytes twice."""

import dataclasses
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from opened_scripts import values_of
from tiny_halueval import DIGEST, HOSTILE, MODELS
from tiny_site import site_of, tiny_site
from tiny_tables import tiny_tables

from truerate.core.errors import TruerateError
from truerate.site import render_site
from truerate.site.docs import function_docs, schema_docs
from truerate.site.samples.browser import BROWSER, LAST

SITE = Path(__file__).parents[2] / "site"
BOARD = "boards/halueval-closed-world.md"
SCRIPTS = {  # of the tracks, on the pages that hold their parts or their records
    "index.md": ("mfava/heatmap.js",),
    "boards/mfava-closed-world.md": ("mfava/heatmap.js",),
    "samples.md": (*BROWSER, "mfava/samples.js", "wildhallucinations/samples.js", LAST),
}


@pytest.fixture
def pages() -> dict[str, str]:
    return tiny_site()


class Elements(HTMLParser):
    """Collects every element with its attributes, and the text."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.elements, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_every_page_is_there(pages):
    names = (
        "index",
        "boards/halueval-published",
        "detectors",
        "methods",
        "data",
        "samples",
        "ledger",
        "about",
    )
    assets = ("style.css", "table.js", "samples.js", "iframe-worker.js")
    wanted = {BOARD, "tables.json", *(f"{name}.md" for name in names), *(f"assets/{name}" for name in assets)}
    assert wanted <= set(pages)
    assert all(page.startswith("---\n") for name, page in pages.items() if name.endswith(".md"))


def test_two_renderings_are_the_same_bytes(pages):
    assert render_site(dataclasses.replace(tiny_tables(), schema_docs=schema_docs()), SITE) == pages


def test_no_template_folder_is_said_in_one_line(tmp_path):
    with pytest.raises(TruerateError, match="no templates"):
        render_site(tiny_tables(), tmp_path)


def test_the_table_is_complete_without_a_script(pages):
    found = Elements(pages["index.md"])
    text = found.text
    for model in MODELS:
        assert model in text
    assert "1–2" in text and "baseline" in text and "published figure" in text
    heads = [attrs for tag, attrs in found.elements if tag == "th" and attrs.get("scope") == "col"]
    assert {"QA rank", "QA Accuracy", "General Unparsed"} <= {attrs.get("data-head") for attrs in heads}


def test_a_number_carries_n_rows_slice_interval_and_planted_value(pages):
    """On its cell, or once for all cells on their table or column."""
    elements = Elements(pages[BOARD]).elements
    place = next(i for i, (tag, attrs) in enumerate(elements) if tag == "td" and "data-planted" in attrs)
    table = next(attrs for tag, attrs in reversed(elements[:place]) if tag == "table")
    cell = elements[place][1]
    assert cell["data-n"] == "200" and "task: " in f"{table.get('data-slice')} {cell.get('data-slice')}"
    assert DIGEST in {attrs.get("data-rows") for tag, attrs in elements if tag in ("table", "td")}
    heads = [attrs for tag, attrs in elements if tag == "th" and "data-measure" in attrs]
    assert heads and all("methods" in attrs["data-href"] for attrs in heads)
    assert re.search(r", interval \d+\.\d to \d+\.\d, planted \d+\.\d</span></a>", pages[BOARD])


def test_the_page_says_what_a_reader_must_know(pages):
    text = Elements(pages[BOARD]).text
    for sentence in (
        "ranks recognition, not hallucination rates",
        "Demonstration on a closed, fictional world",
        "same family (quill) as the generator (quill) and the filter judge (quill)",
        "The number of words alone picks the hallucinated side of a pair in 93.0\xa0% of 200 pairs",
        "Much of a score here can be reached without checking a fact",
    ):
        assert sentence in text
    assert "Ranks recognition, not hallucinating" in Elements(pages["index.md"]).text
    assert "tr-banner" not in pages["boards/halueval-published.md"]


def test_planted_misses_stand_beside_the_measured_ones(pages):
    cells = [attrs for tag, attrs in Elements(pages[BOARD]).elements if tag == "td"]
    slices = [cell.get("data-slice", "") for cell in cells if "data-planted" in cell]
    assert any("pattern: inference" in slice_ and "scheme" not in slice_ for slice_ in slices)


def test_hostile_text_makes_no_element_and_stays_exact(pages):
    for name, page in pages.items():
        if not name.endswith(".md") or name == "about.md" or name.startswith("guide/"):  # prose by hand
            continue
        elements = Elements(page).elements
        assert not [tag for tag, _ in elements if tag in ("img", "iframe")], name
        assert not [key for _, attrs in elements for key in attrs if key.startswith("on")], name
        root = ".." if "/" in name else "."
        wanted = [{"src": f"{root}/assets/{script}", "defer": None} for script in SCRIPTS.get(name, ())]
        assert [attrs for tag, attrs in elements if tag == "script"] == wanted, name
        assert "{{" not in page and "--8<--" not in page and "javascript:" not in page
    assert HOSTILE[0] in Elements(pages["ledger.md"]).text


def test_source_and_page_addresses_stay_here(pages):
    for name in [name for name in pages if name.endswith(".md")]:
        links = [
            attrs.get(key) or "" for _, attrs in Elements(pages[name]).elements for key in ("src", "href")
        ]
        assert not [link for link in links if ":" in link.split("#")[0]], name


def test_texts_whose_rights_are_closed_stay_out(pages):
    shown = [value for name, value in pages.items() if name.startswith("samples/halueval-published/")]
    records = values_of(enumerate(shown))[0]
    told = {"id", "item", "lang", "task", "wrong", "source", "by", "where"}
    assert {key for record in records for key in record} == told
    assert "its records are ids" in Elements(pages["samples.md"]).text


def test_the_json_of_each_board_holds_every_row_and_tables_json_lists_its_files(pages):
    index = json.loads(pages["tables.json"])["boards"]
    assert [board["name"] for board in index] == [board.name for board in tiny_tables().boards]
    assert all(file in pages for board in index for file in board["files"])
    rows = []
    for board in index:
        whole = json.loads(pages[f"boards/{board['name']}.json"])
        assert whole["board"] == board
        rows += [dict(zip(whole["columns"], row, strict=True)) for row in whole["rows"]]
    assert len(rows) == tiny_tables().rows.height
    wanted = tiny_tables().rows.to_dicts()
    names = ("table", "subject", "metric", "value", "low", "high", "n", "rank_low", "rank_high", "provenance")
    assert sorted([[str(row[name]) for name in names] for row in rows]) == (
        sorted([[str(row[name]) for name in names] for row in wanted])
    )


def test_no_boards_give_a_site_that_says_so():
    assert "No board has been built yet" in site_of(rows=tiny_tables().rows.clear(), ledger=())["index.md"]


def test_docs_are_read_from_the_code(tmp_path):
    code = 'def shown():\n    """What it is."""\n\ndef _hidden():\n    """Not."""\n'
    (tmp_path / "one.py").write_text(code)
    assert function_docs(tmp_path) == [{"name": "shown", "module": "one", "doc": "What it is."}]
    row = next(table for table in schema_docs() if table["name"] == "Row")
    assert {"name": "board", "dtype": "text", "is_nullable": False, "rule": ""} in row["columns"]


def test_the_prompts_of_a_board_stand_on_its_page_and_act_nowhere():
    """Ours beside the maintainer's, of which only the digest is shown."""
    theirs = {
        "by": "own",
        "licence": "",
        "sha256": "ab" * 32,
        "n_characters": 1234,
        "messages": [],
        "notice": "",
    }
    prompts = [
        {"name": "detect", "ours": [("system", "Judge."), ("user", " ".join(HOSTILE))], "theirs": theirs},
        {"name": "meta", "ours": [("user", "{{ text | fence }}")], "theirs": None},
    ]
    board = replace(tiny_tables().boards[0], prompts=prompts)
    page = Elements(site_of(board)[f"boards/{board.name}.md"])
    assert (
        "2 templates" in page.text
        and "1\u2009234 characters" in page.text
        and "{{ text | fence }}" in page.text
    )
    assert "no licence allows" in page.text and "Ours, not asked here" in page.text
    plain = Elements(site_of(n=1)[f"boards/{board.name}.md"])
    assert [tag for tag, _ in page.elements if tag in ("script", "img", "iframe")] == [
        tag for tag, _ in plain.elements if tag in ("script", "img", "iframe")
    ]


def test_the_datasheet_of_a_board_is_a_page_of_its_own_and_inert():
    """Linked from the board; what an author says acts nowhere; what nobody answers says so."""
    name = tiny_tables().boards[0].name
    questions = [("Why?", ("Because.",), " ".join(HOSTILE)), ("Who paid?", (), None)]
    answers = [dict(zip(("question", "lines", "author"), each, strict=True)) for each in questions]
    pages = site_of(n=1, datasheets={name: [{"name": "Motivation", "answers": answers}]})
    assert f"../datasheets/{name}.html" in unescape(pages[f"boards/{name}.md"])
    page = Elements(pages[f"datasheets/{name}.md"])
    assert "Because." in page.text and "Not said by the author." in page.text
    assert not [tag for tag, _ in page.elements if tag in ("script", "img", "iframe")]
    assert not site_of(n=1).keys() & {f"datasheets/{name}.md"}
