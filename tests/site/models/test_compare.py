"""Two models side by side: the differences that a board's script holds are those of the project's own functions."""

from html import unescape
from pathlib import Path

import numpy as np
import pytest
from opened_scripts import values_of
from tiny_results import write_results
from tiny_site import site_of

from truerate.leaderboard.rows import outcome_matrix
from truerate.metrics.paired import two_shares
from truerate.metrics.ranking import differences
from truerate.metrics.rates import Share, youden_interval
from truerate.results.pages import differences_script
from truerate.results.read import read_board, real_boards

RESULTS = Path(__file__).parents[3] / "results"


def pairs_of(board) -> dict:
    """By the names of both: difference, ends, p, common units and whether paired, as the script holds them."""
    ((_, made),) = values_of([("differences.js", differences_script(board))]).items()
    size, names = len(made["subjects"]), made["subjects"]
    rows = zip(made["at"], made["gap"], made["low"], made["high"], made["p"], strict=True)
    beside = list(zip(made["n"], made["paired"], strict=True)) or [(None, None)] * len(made["at"])
    return {
        (names[at // size], names[at % size]): (gap, low, high, p, *more)
        for (at, gap, low, high, p), more in zip(rows, beside, strict=True)
    }


@pytest.mark.parametrize("name", ["ragtruth", "factscore"])
def test_of_rows_they_are_paired_by_the_projects_own_function(name):
    board = read_board(RESULTS / name)
    rows = board.rows.filter(metric=board.headline.name, slice="")
    subjects, values, clusters = outcome_matrix(rows)
    card = board.card
    expected = {
        (subjects[one.first], subjects[one.second]): one
        for one in differences(
            values, clusters, n_resamples=card["n_bootstrap"], confidence=card["confidence"],
            alpha=card["alpha"], seed=card["seed"],
        )
    }  # fmt: skip
    shown = pairs_of(board)
    assert shown.keys() == expected.keys()
    for pair, (gap, low, high, p, n, is_paired) in shown.items():
        one = expected[pair]
        assert [gap, low, high] == [round(1000 * x) for x in (one.value, one.low, one.high)]
        assert p == (round(1000 * one.p) if one.p >= 0.001 else 0)
        assert (n, is_paired) == (one.n, 1)


def test_of_published_figures_they_are_unpaired_shares():
    board = read_board(RESULTS / "vectara-summaries")
    rows = {row["subject"]: row for row in board.table.to_dicts()}
    shown = pairs_of(board)
    assert len(shown) == 96 * 95 // 2
    pair = ("google/gemini-2.5-pro", "openai/gpt-4o-2024-08-06")
    first, second = (Share(rows[name]["hallucination_rate"], rows[name]["n"]) for name in pair)
    ends = youden_interval(first, second, confidence=0.95)
    (p,) = two_shares(*(np.array([number]) for share in (first, second) for number in share))
    expected = [round(1000 * x) for x in (first.rate - second.rate, *ends)]
    assert 0 < p < 0.001
    assert shown[pair] == (*expected, 0, None, None)


def test_the_page_stands_beside_a_script_of_all_models(tmp_path):
    write_results(tmp_path)
    write_results(tmp_path, "other", title="Other replies", gamma="delta")
    site = site_of(real=real_boards(tmp_path))
    assert 'src="models/compare.js"' in site["compare.md"]
    made = values_of([("models/compare.js", site["models/compare.js"])])["models/compare.js"]
    assert made["boards"]["judged"]["n"] == 4
    (beta,) = [model for model in made["models"] if model["name"] == "beta"]
    assert [line[:3] for line in beta["lines"]] == [["judged", "beta", ""], ["other", "beta", ""]]
    assert beta["lines"][0][3:] == ["25.0", "5.0 to 70.0", 4, "1–3"]
    assert "truerateDifferences(" in site["real/judged-differences.js"]


def test_the_way_to_it_leads_from_a_model_and_from_a_board(tmp_path):
    write_results(tmp_path)
    site = site_of(real=real_boards(tmp_path))
    assert "../../compare.html?a=beta" in unescape(site["models/real/beta.md"])
    assert "../compare.html?a=alpha&b=beta" in unescape(unescape(site["real/judged.md"]))


def test_without_real_boards_there_is_no_such_page():
    assert "compare.md" not in site_of()
