"""Real boards open the home page; each has a page with figure, table, slices and the rows behind its numbers."""

import csv
import json
import re
from html import unescape
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_site_render import Elements
from tiny_results import HOSTILE, VALUES, outcomes, write_results
from tiny_site import site_of, tiny_site

import truerate
from truerate.results.read import read_board, real_boards


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("results")
    write_results(folder)
    write_results(
        folder, "labelled", labelled_by="people", judge=None, judges_own=[], title="Labelled replies"
    )
    return site_of(n=1, real=real_boards(folder), max_samples=1)


def test_home_lists_real_boards_and_the_closed_world_stands_on_a_page_of_its_own(pages):
    home, checks = (unescape(pages[name]) for name in ("index.md", "checks.md"))
    text = Elements(home).text
    assert "3 of 4 may be the best" in text and "comparisons with the best" not in text
    assert "judged by judge-1" in text
    assert text.count("judge error unknown") == 1, "people labelled the other board"
    assert "labelled by people" in text
    assert "tr-banner" not in home and "boards/halueval-closed-world" not in home
    assert 'href="checks.html"' in home
    assert checks.index("tr-banner") < checks.index("boards/halueval-closed-world")


def test_subjects_of_the_judges_own_maker_are_flagged_in_figure_table_and_words(pages):
    page, home = (unescape(pages[name]) for name in ("real/judged.md", "index.md"))
    assert "1 of 4 are from the judge’s maker ⚑" in Elements(page).text
    assert "1 of 4 are from the judge’s maker ⚑" in Elements(home).text
    assert page.count('<tspan class="own">') == 2, "beta, in the wide figure and in the narrow one"
    assert page.count('aria-label="of the judge’s own maker, judge-1"') == 1, "beta, in the table"
    assert "own maker" not in unescape(pages["real/labelled.md"])


def test_boards_of_rules_alone_stand_behind_those_of_models_and_say_so(tmp_path):
    board_folder = write_results(tmp_path, "a-rules")
    scores = (board_folder / "scores.csv").read_text("utf-8").replace(",model,", ",baseline,")
    (board_folder / "scores.csv").write_text(scores, "utf-8")
    write_results(tmp_path, "b-models")
    home = site_of(real=real_boards(tmp_path))["index.md"]
    home = unescape(home)
    assert home.index("real/b-models.html") < home.index("real/a-rules.html")
    assert Elements(home).text.count("Only baselines that ask no model") == 1


def test_home_is_as_before_where_there_are_no_results(pages):
    home = tiny_site()["index.md"]
    assert "tr-strip" not in home
    assert "checks.md" not in tiny_site()
    assert home.index("tr-banner") < home.index("<h1")


def test_the_figure_says_in_words_what_it_draws(pages):
    figures = [
        of for tag, of in Elements(pages["real/judged.md"]).elements if tag == "svg" and of.get("role")
    ]
    assert "beta 25.0, interval 5.0 to 70.0, rank 1 to 3" in figures[0]["aria-label"]


def test_an_interval_that_spans_the_scale_is_hatched_and_a_dash_in_the_table(pages):
    page = pages["real/judged.md"]
    assert page.count('fill="url(#hatch-') == 2, (
        "gamma's .02 to .98, in the wide figure and in the narrow one"
    )
    assert "spans the scale" in Elements(page).text
    assert page.count('class="tr-open"') == 2, "in the table, and of alpha's chat, 0 to .95, in the map"


def test_the_table_says_what_would_tell_neighbours_apart_and_what_else_is_measured(pages):
    text = unescape(pages["real/judged.md"])
    assert "+ 45" in text
    assert "Responding" in text


def test_the_rows_are_beside_the_page_and_give_the_scores(pages):
    packed = pages["real/judged-rows.js"]
    packed_rows = json.loads(packed.removeprefix("truerateRows(").rstrip().removesuffix(");"))
    assert packed_rows["units"] == ["u0", "u1", "u2", "u3"]
    assert {entry["subject"]: entry["v"] for entry in packed_rows["sets"]} == VALUES
    assert "<" not in packed
    lines = pages["real/judged-scores.csv"].splitlines()
    assert "made_up_rate,alpha,model,task=qa,0.0,0.0,0.66,2,,,aa" in lines
    assert json.loads(pages["real/judged-card.json"])["command"] == "truerate real DATA"


def test_the_json_of_a_board_holds_its_card_and_the_scores_of_its_csv(pages):
    whole = json.loads(pages["real/judged.json"])
    assert whole["card"] == json.loads(pages["real/judged-card.json"])
    rows = [dict(zip(whole["columns"], row, strict=True)) for row in whole["rows"]]
    lines = list(csv.DictReader(StringIO(pages["real/judged-scores.csv"])))
    assert [row["subject"] for row in rows] == [line["subject"] for line in lines]
    assert [str(row["value"]) for row in rows] == [line["value"] for line in lines]
    assert {"task": "chat"} in [row["slice"] for row in rows]
    index = json.loads(pages["tables.json"])["boards"]
    entry = next(board for board in index if board["name"] == "judged")
    assert (entry["licence"], entry["n"], entry["page"]) == ("MIT", 4, "real/judged.html")
    made = {file for file in entry["files"] if not file.endswith(".parquet")}  # rows are copied from results/
    assert made <= pages.keys() and "real/judged-rows.parquet" in entry["files"]
    links = {of.get("href") for tag, of in Elements(pages["real/judged.md"]).elements if tag == "a"}
    assert {file.removeprefix("real/") for file in entry["files"]} <= links


def test_a_board_is_cited_under_the_authors_of_its_data_and_with_its_measures_paper(tmp_path):
    title = "50 % of } \\input{x} ``` & <b>it</b>"
    card = {"citation": "A. One, B. C. Two. Some set. 2024.", "name": "Set", "licence": "MIT"}
    write_results(
        tmp_path,
        title=title,
        track="halueval",
        dated="2025-03-01",
        set=card | {"url": "https://example.org/set", "redistribution": "yes"},
    )
    page = site_of(real=real_boards(tmp_path))["real/judged.md"]
    block = re.search(r'<pre class="tr-copied"[^>]*BibTeX[^>]*>(.*?)</pre>', page)
    text = unescape(block[1])
    assert "<" not in block[1]
    board, paper = text.split("\n\n")
    assert board.splitlines()[:7] == [
        "@misc{truerate-judged,",
        "  author = {A. One and B. C. Two},",
        "  title = {50 \\% of inputx \\& <b>it</b>},",
        "  year = {2025},",
        "  date = {2025-03-01},",
        "  url = {https://example.org/set},",
        f"  version = {{truerate {truerate.__version__}, rows aa}},",
    ]
    assert paper.startswith("@misc{halueval,") and "eprint = {2305.11747}" in paper


def test_the_figure_is_a_file_of_its_own_with_title_description_and_source(tmp_path, pages):
    write_results(tmp_path, title=f"A & B {HOSTILE}", dated="2025-03-01")
    svg = site_of(real=real_boards(tmp_path))["real/judged.svg"]
    root = ElementTree.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    assert "beta 25.0, interval 5.0 to 70.0" in root.find(f"{name}desc").text
    assert root.find(f"{name}title").text.startswith("A   B evil")
    assert "1 March 2025 · n up to 4 · Set · truerate" in "".join(root.itertext())
    assert {node.tag.removeprefix(name) for node in root.iter()} <= (
        {"svg", "title", "desc", "style", "rect", "text", "tspan", "g", "defs", "pattern", "line", "circle"}
    )
    assert "url(http" not in svg and "href" not in svg and "@import" not in svg
    style = (ROOT / "site/assets/style.css").read_text("utf-8")
    assert {*re.findall(r"#[0-9a-f]{3,8}\b", root.find(f"{name}style").text)} <= {
        *re.findall(r"#[0-9a-f]{3,8}\b", style)
    }
    shown = re.findall(r'id="embed-\w+"[^>]*>(.*?)</pre>', unescape(pages["real/judged.md"]))
    assert [re.match(r"<(a|iframe) (?:href|src)=.real/judged\.", text)[1] for text in shown] == [
        "a",
        "iframe",
    ]


def test_the_data_page_names_licence_citation_rights_and_files_of_every_set(pages):
    page = Elements(pages["data.md"])
    for words in ("MIT", "ids only, no text", "Somebody 2025", "https://example.org/set", "Labelled replies"):
        assert words in page.text
    links = {of.get("href") for tag, of in page.elements if tag == "a"}
    index = json.loads(pages["tables.json"])["boards"]
    assert {file for board in index for file in board["files"]} <= links
    assert {board["page"] for board in index} <= links
    assert [of["id"] for _, of in page.elements if (of.get("id") or "").startswith("set-")] == ["set-set"]


def test_the_tests_of_pairs_are_beside_the_page_in_the_order_of_the_table(pages):
    packed = pages["real/judged-pairs.js"]
    pairs = json.loads(packed.removeprefix("truerateRanks(").rstrip().removesuffix(");"))
    assert pairs["names"] == ["alpha", "beta", "gamma", HOSTILE] and pairs["alpha"] == 0.05
    # 1 and 4 of 4 differ between the first and the last: 2/2^4, times 6 pairs; two or three are 1 after Holm
    assert pairs["p"] == [1, 1, 0.75, 1, 1, 1]
    assert pairs["how"] == "p: paired tests of all 6 pairs, corrected by Holm."
    assert "<" not in packed


def test_a_pair_that_is_told_apart_the_other_way_round_has_its_p_below_0(tmp_path):
    """Of ten units that differ all go one way: 2/2^10, to three digits; the score of the better is above the other's."""
    board_folder = write_results(tmp_path)
    outcomes({"alpha": [1] * 10, "beta": [0] * 10}).write_parquet(board_folder / "rows.parquet")
    scores = (board_folder / "scores.csv").read_text("utf-8").splitlines()
    kept = [
        line
        for line in scores
        if line.startswith(("metric", "made_up_rate,alpha,model,,", "made_up_rate,beta,model,,"))
    ]
    (board_folder / "scores.csv").write_text("\n".join(kept) + "\n", "utf-8")
    packed = site_of(real=real_boards(tmp_path))["real/judged-pairs.js"]
    assert json.loads(packed.removeprefix("truerateRanks(").rstrip().removesuffix(");"))["p"] == [-0.00195]


def test_hostile_names_stay_text(pages):
    for name in ("index.md", "real/judged.md"):
        elements = Elements(pages[name])
        assert not [of for tag, of in elements.elements if tag == "script" and not of.get("src")]
        assert not [of for tag, of in elements.elements if (of.get("href") or "").startswith("javascript:")]
    assert HOSTILE in Elements(pages["real/judged.md"]).text


def test_published_figures_stand_beside_ours_what_differs_first_and_in_the_ledger(tmp_path):
    board_folder = write_results(tmp_path)
    lines = ["made_up_rate,beta,,25.0,Somebody 2025", "made_up_rate,gamma,,49.0,Somebody <b>2025</b>"]
    (board_folder / "published.csv").write_text(
        "\n".join(["metric,subject,slice,printed,source", *lines]), "utf-8"
    )
    pages = site_of(real=real_boards(tmp_path))
    page = pages["real/judged.md"]
    part = page[page.index("{ #published }") :]
    text = Elements(unescape(part)).text
    assert "1 of 2 published figures reproduced to the digits printed." in text
    assert text.index("gamma") < text.index("beta") and "50.00" in text and "differs" in text
    assert "<b>2025" not in part
    assert "1 of 2 published figures reproduced" in Elements(unescape(pages["ledger.md"])).text
    assert 'href="#published"' in page


def test_a_published_figure_says_what_is_to_be_told_of_it_and_slices_stand_in_words(tmp_path):
    board_folder = write_results(tmp_path, track="labelled_replies")
    lines = [
        "made_up_rate,beta,task=qa,>60,Somebody 2025,Another <i>set</i>.",
        "unit_share,beta,question=q;label=no|unsure;task=nq,12,Somebody 2025,",
    ]
    (board_folder / "published.csv").write_text(
        "\n".join(["metric,subject,slice,printed,source,note", *lines]), "utf-8"
    )
    pages = site_of(real=real_boards(tmp_path))
    part = pages["real/judged.md"][pages["real/judged.md"].index("{ #published }") :]
    text = Elements(unescape(part)).text
    assert "Another <i>set</i>." in Elements(part).text and "<i>set" not in part
    assert "inconsistent" in text and "task: Questions" in text
    assert "Share of units" in text and "task: Natural Questions, q: no or unsure" in text
    assert "task: qa" not in text


def test_the_page_says_whether_the_order_holds_and_names_what_is_firmly_turned_round(tmp_path, pages):
    board_folder = write_results(tmp_path)
    turned = [
        f'made_up_rate,"{name}",model,task=sums,{value},0,1,2,{rank},{rank},aa'
        for name, value, rank in (("alpha", 1, 4), ("beta", 0.5, 2), (HOSTILE, 0, 1))
    ]
    path = board_folder / "scores.csv"
    path.write_text(path.read_text("utf-8") + "\n".join(turned) + "\n", "utf-8")
    page = site_of(real=real_boards(tmp_path))["real/judged.md"]
    part = page[page.index("{ #order }") : page.index("{ #rows }")]
    text = Elements(part).text
    assert "task: the whole board / sums" in text and "-1.00" in text
    # alpha 1–3 and the last 4–4 over everything, 4 and 1 on sums; beta, 1–3 and 2, too
    assert f"alpha and {HOSTILE}: firmly in one order on the whole board, in the reverse on sums." in text
    assert "<script>alert" not in part
    assert "{ #order }" not in pages["real/judged.md"], "no slice there has three models"


# ---- the page of a board that several judges read

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def judged_pages() -> dict[str, str]:
    board = read_board(ROOT / "results" / "faithbench")
    return site_of(real=(board,))


def test_rates_by_judge_lead_to_their_rows(judged_pages):
    elements = [attributes for _, attributes in Elements(judged_pages["real/faithbench.md"]).elements]
    hrefs = [entry["href"] for entry in elements if entry.get("class") == "tr-num"]
    of_judges = [href for href in hrefs if "#metric=judged_rate&" in href]
    assert len(of_judges) == 80, "ten summarizers by eight judges"
    assert (
        "../real/faithbench.html#metric=judged_rate&subject=openai%2Fgpt-4o&slice=judge%3Dtrue_nli"
        in of_judges
    )


def test_judges_have_links_in_rows_and_none_in_heads_where_a_button_sorts(judged_pages):
    page = unescape(judged_pages["real/faithbench.md"])
    assert "../detectors/hhem-2-1.html" in page
    assert not any("<a" in head for head in re.findall(r"<thead>.*?</thead>", page))


def test_the_pages_regions_have_names_of_their_own(judged_pages):
    for name in ("real/faithbench.md", "detectors/hhem-2-1.md", "detectors.md"):
        regions = [
            entry.get("aria-label")
            for _, entry in Elements(judged_pages[name]).elements
            if entry.get("role") == "region"
        ]
        assert len(set(regions)) == len(regions) > 0, name


@pytest.mark.parametrize(
    ("dated", "words"), [("2023", "2023"), ("2023-05", "May 2023"), ("2026-04-07", "7 April 2026"), ("", "")]
)
def test_a_board_says_when_it_was_published_beside_its_title(dated, words, tmp_path):
    write_results(tmp_path, dated=dated)
    page = unescape(site_of(n=1, real=real_boards(tmp_path), max_samples=1)["real/judged.md"])
    line = f'<span class="tr-dated" data-dated="{dated}">{words}</span>'
    assert line in page if dated else "tr-dated" not in page
