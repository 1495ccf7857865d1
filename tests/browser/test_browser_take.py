"""What a table gives to other programs: every CSV, JSON and Markdown holds what the page's table shows."""

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest

BOARDS = (
    "real/judged",
    "boards/halueval-closed-world",
    "boards/mfava-closed-world",
    "boards/wildhallucinations-closed-world",
    "boards/halueval-published",
)
# Read by other means than the page's own script: the row's words and each visible cell as its text is laid out.
SEEN = """() => [...document.querySelectorAll("table[data-table]")].map((table) => {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const isThere = (node) => getComputedStyle(node).display !== "none";
  const cells = (row) => [...row.cells].flatMap((cell, i) => isThere(heads[i]) && heads[i].dataset.csv !== "none" ? [{
    text: cell.textContent.replace(/\\s+/g, " "), value: cell.dataset.v || "", n: cell.dataset.n || "",
    ends: cell.dataset.interval || "", isWord: heads[i].dataset.kind === "text", isPercent: heads[i].textContent.includes("%"),
    isPart: ["ends", "n", "rank"].includes(heads[i].dataset.csv) || heads[i].classList.contains("tr-rank"),
  }] : []);
  return {
    name: table.dataset.name, csv: truerate.take.csv(table), json: truerate.take.json(table), markdown: truerate.take.markdown(table),
    rows: [...table.tBodies[0].rows].filter((row) => !row.hidden).map(cells),
  };
})"""


@pytest.mark.parametrize("board", BOARDS)
def test_every_csv_of_a_board_holds_the_values_that_its_table_shows(visit, board):
    tables = visit(f"{board}.html").evaluate(SEEN)
    assert tables
    for table in tables:
        lines = list(csv.DictReader(StringIO(table["csv"])))
        cells = [
            (row, cell) for row in table["rows"] for cell in row if not (cell["isWord"] or cell["isPart"])
        ]
        if not cells:
            assert len(lines) == len(table["rows"]), table["name"]
            continue
        assert len(lines) == len(cells), table["name"]
        for line, (row, cell) in zip(lines, cells, strict=True):
            assert next(iter(line.values())).lstrip("'") in row[0]["text"], table["name"]
            shown = re.sub(r"(?<=\d) (?=\d{3})", "", cell["text"].replace("−", "-"))
            assert line["value"].replace("−", "-") in shown and line.get("mark", "") in shown, table["name"]
            if cell["ends"] and cell["ends"] != "–":
                assert f"{line['low']} to {line['high']}" == cell["ends"].replace("−", "-"), table["name"]
            if cell["n"]:
                assert line["n"] == cell["n"]
            if line["unit"] == "percent" and line["value"] and cell["value"]:
                digits = len(line["value"].partition(".")[2])
                assert float(line["value"]) == pytest.approx(
                    100 * float(cell["value"]), abs=0.51 * 10**-digits
                )


@pytest.mark.parametrize("board", BOARDS)
def test_json_holds_the_lines_of_the_csv_and_markdown_the_rows(visit, board):
    for table in visit(f"{board}.html").evaluate(SEEN):
        lines = list(csv.DictReader(StringIO(table["csv"])))
        whole = json.loads(table["json"])
        assert whole["table"] == table["name"]
        assert [line.get("column") for line in whole["rows"]] == [line.get("column") for line in lines]
        for line, other in zip(lines, whole["rows"], strict=True):
            values = (line.get("value", ""), other.get("value"))
            assert (
                values[1] is None
                and not values[0]
                or str(values[1]) == values[0]
                or float(values[0]) == values[1]
            )
        shown = table["markdown"].splitlines()
        assert len(shown) == len(table["rows"]) + 2
        assert len({line.replace("\\|", "").count("|") for line in shown}) == 1, (
            "a name's own | parts no cell"
        )


def test_the_columns_beside_a_value_go_with_it(visit):
    page = visit("real/judged.html")
    table = next(table for table in page.evaluate(SEEN) if table["name"] == "Judged replies")
    lines = [line for line in csv.DictReader(StringIO(table["csv"])) if line["Subject"] == "beta"]
    assert lines[0] == {
        "Subject": "beta", "kind": "model", "column": "Made-up rate", "value": "25.0", "low": "5.0", "high": "70.0",
        "n": "4", "rank_low": "1", "rank_high": "3", "unit": "percent",
    }  # fmt: skip
    assert [line["column"] for line in lines] == ["Made-up rate", "Responding rate", "Units needed"]
    assert (lines[1]["value"], lines[1]["low"], lines[1]["n"], lines[1]["rank_low"]) == (
        "100.0",
        "60.0",
        "4",
        "",
    )
    assert "| beta | 1–3 | 25.0 | 5.0 to 70.0 | 4 | 100.0 (60.0 to 100.0) |" in table["markdown"]


def test_the_buttons_take_what_the_filter_leaves(visit):
    page = visit("real/judged.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#the-table ~ * .tr-tools input").first.fill("beta")
    bar = page.get_by_role("group", name="Take along: Judged replies", exact=True)
    with page.expect_download() as caught:
        bar.get_by_role("button", name="CSV").click()
    saved = Path(caught.value.path()).read_text("utf-8-sig")
    assert caught.value.suggested_filename == "judged-replies.csv"
    assert {line["Subject"] for line in csv.DictReader(StringIO(saved))} == {"beta"}
    with page.expect_download() as caught:
        bar.get_by_role("button", name="JSON").click()
    rows = json.loads(Path(caught.value.path()).read_text("utf-8"))["rows"]
    assert (rows[0]["Subject"], rows[0]["value"], rows[0]["rank_high"]) == ("beta", 25, 3)
    bar.get_by_role("button", name="Copy as Markdown").focus()
    page.keyboard.press("Enter")
    bar.get_by_text("Copied", exact=True).wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("| Subject | rank | Made-up rate % | Interval | n |")
    assert len(text.splitlines()) == 3


def test_bibtex_and_the_snippets_of_the_figure_are_copied_with_the_sites_own_address(visit):
    page = visit("real/judged.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#cite-this summary").click()
    page.get_by_role("button", name="Copy BibTeX").click()
    page.get_by_text("Copied", exact=True).wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert (
        text.startswith("@misc{truerate-judged,\n  title = {Judged replies},\n") and text.count("@misc{") == 1
    )
    page.locator("#embed-its-figure summary").click()
    page.get_by_role("button", name="Copy the image").click()
    page.locator("#embed-its-figure").get_by_text("Copied", exact=True).wait_for()
    snippet = page.evaluate("navigator.clipboard.readText()")
    assert snippet.startswith('<a href="real/judged.html"><img src="real/judged.svg" alt="Judged replies"')


def test_the_figure_draws_on_its_own_in_light_and_dark(visit):
    inks = []
    for scheme in ("light", "dark"):
        page = visit("real/judged.svg", scheme=scheme)
        colour = "one => getComputedStyle(one).fill"
        inks.append(
            (page.locator("rect.paper").evaluate(colour), page.locator("text.title").evaluate(colour))
        )
        assert page.locator("circle.dot").count() == 4
    assert inks[0][0] == "rgb(252, 251, 248)" and len({*inks[0], *inks[1]}) == 4
