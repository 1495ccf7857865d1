"""What the rows of a board say beyond its scores: by hand, and on the committed results."""

import csv
import io
from functools import cache
from html import unescape
from math import log2
from pathlib import Path

import polars as pl
import pytest
from tiny_results import HEADER, HOSTILE, outcomes, write_results
from tiny_site import site_of

from tests.cases import case_table
from truerate.core.schemas import pairs
from truerate.metrics.ranking import rank_ranges
from truerate.results.analyses import comparisons
from truerate.results.board import Swap
from truerate.results.pages import label_audit, swapped
from truerate.results.read import read_board

ROOT = Path(__file__).parents[2]


@cache
def committed(board):
    return read_board(ROOT / "results" / board)


ORDERED = [
    # over everything a < b < c; on qa c < b < a, the ranges of a and c apart; on chat one is missing
    *(f"made_up_rate,{name},model,,{value},0,1,4,{rank},{rank},x" for name, value, rank in
      (("a", 0.1, 1), ("b", 0.2, 2), ("c", 0.3, 3))),
    *(f"made_up_rate,{name},model,task=qa,{value},0,1,4,{rank},x" for name, value, rank in
      (("a", 0.9, "3,3"), ("b", 0.8, "1,3"), ("c", 0.7, "1,2"))),
    "made_up_rate,a,model,task=chat,0.1,0,1,4,1,1,x",
    "made_up_rate,b,model,task=chat,0.2,0,1,4,2,2,x",
]  # fmt: skip


def board_of_slices(folder):
    folder_of_board = write_results(folder)
    (folder_of_board / "scores.csv").write_text("\n".join([HEADER, *ORDERED]) + "\n", "utf-8")
    values = {name: [0, 0, 0, 1] for name in "abc"}
    outcomes(values).write_parquet(folder_of_board / "rows.parquet")
    return read_board(folder_of_board)


def test_an_order_turned_round_and_what_of_it_is_firm(tmp_path):
    (entry,) = board_of_slices(tmp_path).orders  # nothing is said of chat, which two models alone have
    assert (entry.key, entry.first, entry.second, entry.n) == ("task", "", "qa", 3)
    assert (entry.tau, entry.n_flips, entry.n_pairs) == (-1.0, 3, 3)
    # b's range on qa, 1–3, meets both others
    assert entry.apart == (("a", "c"),)


def test_ragtruth_puts_two_models_firmly_in_opposite_orders_on_two_tasks():
    """Answers with a span, on qa and summarization, in per cent: llama-2-7b-chat 60.4 and 38.7,
    mistral-7B-instruct 39.7 and 66.0.
    """
    orders = {(entry.first, entry.second): entry for entry in committed("ragtruth").orders}
    entry = orders["qa", "summarization"]
    assert entry.apart == (("llama-2-7b-chat", "mistral-7B-instruct"),)
    # 3 of 15 pairs turned round: (12 − 3) / 15
    assert (entry.tau, entry.n_flips, entry.n_pairs) == (pytest.approx(0.6), 3, 15)
    assert orders["", "evident"].tau == 1.0, "leaving out what is true in the world keeps the order"


# ---- other judges of the same replies

# by what leads a < b < c; x has c first, and its range apart from a's
JUDGED = [
    *(f"made_up_rate,{name},model,,{value},0,1,4,{rank},{rank},x" for name, value, rank in
      (("a", 0.0, 1), ("b", 0.25, 2), ("c", 0.5, 3))),
    *(f"made_up_rate,{name},model,judge=x,{value},0,1,4,{rank},x" for name, value, rank in
      (("a", 0.75, "3,3"), ("b", 0.5, "2,3"), ("c", 0.25, "1,1"))),
]  # fmt: skip


def board_of_judges(folder):
    folder_of_board = write_results(folder)
    (folder_of_board / "scores.csv").write_text("\n".join([HEADER, *JUDGED]) + "\n", "utf-8")
    led = outcomes({"a": [0, 0, 0, 0], "b": [1, 0, 0, 0], "c": [1, 1, 0, 0]})
    other = outcomes({"a": [1, 1, 1, 0], "b": [1, 1, 0, 0], "c": [1, None, 0, 0]})
    where = pl.Series("slice", [pairs(judge="x")] * other.height, dtype=other["slice"].dtype)
    pl.concat([led, other.with_columns(where)]).write_parquet(folder_of_board / "rows.parquet")
    return read_board(folder_of_board)


def test_an_order_by_another_judge_and_how_far_the_verdicts_agree(tmp_path):
    board = board_of_judges(tmp_path)
    (entry,) = board.swaps
    assert (entry.order.first, entry.order.second, entry.order.tau, entry.order.n_flips) == ("", "x", -1.0, 3)
    assert entry.order.apart == (("a", "c"), ("b", "c"))
    # 11 replies that both read: a agrees on 1 of 4, b on 3 of 4, c on all 3: 7 of 11
    assert (entry.n, entry.agreement) == (11, pytest.approx(7 / 11))
    # the one calls 2 of them hallucinated, the other 6: by chance (2·6 + 9·5) / 121
    by_chance = (2 * 6 + 9 * 5) / 121
    assert entry.kappa == pytest.approx((7 / 11 - by_chance) / (1 - by_chance))
    assert [cell["rank"] for _, cells in swapped(board)["lines"] for cell in cells] == [
        "1",
        "3",
        "2",
        "2–3",
        "3",
        "1",
    ]


def named(board: str) -> dict[tuple[str, str, str], Swap]:
    entries = committed(board).swaps
    return {(entry.order.key, entry.order.first, entry.order.second): entry for entry in entries}


def test_faithbench_by_its_eight_detectors():
    swaps = named("faithbench")
    assert len(swaps) == 36, "9 judges, people among them: 9 · 8 / 2 pairs"
    # 2 of 750 summaries have no verdict of true_nli
    assert (swaps["", "", "true_nli"].n, swaps["", "", "gpt_4o"].n) == (748, 750)


def test_evouna_by_word_match_turns_two_systems_round_on_one_part():
    """NQ accuracy by people and by word match, in per cent: FiD 68.94 and 59.1, ChatGPT-3.5 72.98 and 57.8,
    and no other pair turned round: 1 of 10 pairs.
    """
    swaps = named("evouna")
    assert swaps["", "", "word-match"].order.tau == 1.0
    entry = swaps["task: Natural Questions", "", "word-match"]
    assert (entry.order.n_flips, entry.order.tau) == (1, pytest.approx(0.8))


# ---- Judges of a committed board held against people's labels, by hand and against published figures

# FaithBench, Unwanted against Consistent, n = 614: TPR and TNR of each detector (Youden's J of .12 at most)
FAITHBENCH = case_table(__file__)["faithbench"]


def test_faithbench_by_the_rule_that_leaves_out_what_people_doubt():
    entries = {
        entry.judge: entry for entry in committed("faithbench").judge_errors if entry.name == "rule: clear"
    }
    assert set(entries) == set(FAITHBENCH)
    for judge, (tpr, tnr) in FAITHBENCH.items():
        entry = entries[judge]
        assert (entry.n_hallucinated, entry.n_right) == (439, 175)
        assert (entry.tpr.value, entry.tnr.value) == (
            pytest.approx(tpr, abs=5e-4),
            pytest.approx(tnr, abs=5e-4),
        )
        assert entry.tpr.low < entry.tpr.value < entry.tpr.high
        assert entry.youden < 0.1225


def test_evouna_word_match_errs_otherwise_on_each_system():
    """NQ: of FiD's right answers 85.4 % are found, of ChatGPT-3.5's 76.1 %; here over both parts, so between
    NQ's and TriviaQA's 90.1 and 90.8.
    """
    entries = {entry.name: entry for entry in committed("evouna").judge_errors}
    assert entries["task: nq"].tnr.value == pytest.approx(0.79, abs=0.01)
    assert 0.854 < entries["model: FiD"].tnr.value < 0.901
    assert 0.761 < entries["model: ChatGPT-3.5"].tnr.value < 0.908


def test_a_board_of_a_judges_verdicts_alone_holds_nobody_against_people():
    assert committed("faithjudge").judge_errors == ()


# ---- labels that judges contradict, and the board with and without corrections

LABELS = {"a": [1, 1, 0, 0], HOSTILE: [1, 1, 0, 0]}
AUDITED = [
    *(f'made_up_rate,"{name}",model,{where},0.5,0.1,0.9,4,{rank},{rank},x' for where, rank in
      (("", 1), ("judge=x", 1), ("rule=uncorrected", 2)) for name in LABELS),
]  # fmt: skip


def written(folder, name="judged", **card):
    """A board of people's labels with a judge x, which errs on one text of the second subject alone."""
    folder_of_board = write_results(folder, name, **{"labelled_by": "people", "judge": None} | card)
    (folder_of_board / "scores.csv").write_text("\n".join([HEADER, *AUDITED]) + "\n", "utf-8")
    led, judged = outcomes(LABELS), outcomes({"a": [1, 1, 0, 0], HOSTILE: [1, 0, 0, None]})
    tables = [led, *(_of(judged, judge="x"),), _of(led, rule="uncorrected")]
    pl.concat(tables).with_columns(board=pl.lit(name)).write_parquet(folder_of_board / "rows.parquet")
    return folder_of_board


def _of(table, **where):
    return table.with_columns(pl.Series("slice", [pairs(**where)] * table.height, dtype=table["slice"].dtype))


def test_a_label_that_the_judge_speaks_against_is_a_suspect_with_its_strength(tmp_path):
    (entry,) = read_board(written(tmp_path)).suspects
    assert (entry.id, entry.is_hallucinated, entry.n_against, entry.n_judges) == (f"{HOSTILE}/u1", True, 1, 1)
    # of 4 hallucinated it says so of 3: 3.5 / 5; of none of the 3 others that it read: .5 / 4
    assert entry.bits == pytest.approx(log2((3.5 / 4) / (1.5 / 5)), abs=0.001)


def test_the_page_has_suspects_and_ranks_with_and_without_and_a_file(tmp_path):
    board = read_board(written(tmp_path))
    pages = site_of(real=(board,))
    page = pages["real/judged.md"]
    assert 'id="suspects"' in page and 'id="errata"' in page and "<script>alert" not in page
    assert "1 of 8 labels are less likely" in unescape(page) and "changes 2 of 2 rank ranges" in unescape(
        page
    )
    lines = list(csv.reader(io.StringIO(pages["real/judged-suspects.csv"])))
    assert lines[0] == ["id", "label", "bits", "n_against", "n_judges"] and len(lines) == 2
    assert lines[1][1:] == ["hallucinated", str(board.suspects[0].bits), "1", "1"]


def test_where_a_judge_alone_labelled_there_is_nothing_to_audit(tmp_path):
    assert read_board(written(tmp_path, labelled_by="", judge="judge-1")).suspects == ()


@pytest.mark.parametrize("board", ["faithjudge", "ragtruth", "factscore", "xsum-hallucinations"])
def test_committed_boards_without_people_and_judges_on_the_same_replies_have_no_section(board):
    assert label_audit(committed(board)) is None


def test_faithbench_has_suspects_of_weak_evidence():
    """Youden's J of each of its eight detectors is at most .12: no label is spoken against by more than 4
    bits.
    """
    entries = committed("faithbench").suspects
    assert len(entries) > 100 and max(entry.bits for entry in entries) < 4
    assert [entry.bits for entry in entries] == sorted((entry.bits for entry in entries), reverse=True)


# ---- who may be the best


def best_board(folder, values, ranks, kinds=None):
    """A board of these values by subject, whose scores have these rank ranges."""
    folder_of_board = write_results(folder)
    lines = [
        f"made_up_rate,{name},{(kinds or {}).get(name, 'model')},,{sum(each) / len(each)},0,1,{len(each)},{rank},x"
        for (name, each), rank in zip(values.items(), ranks, strict=True)
    ]
    (folder_of_board / "scores.csv").write_text("\n".join([HEADER, *lines]) + "\n", "utf-8")
    outcomes(values).write_parquet(folder_of_board / "rows.parquet")
    return read_board(folder_of_board)


FIVE, NINE = [1] * 5 + [0] * 15, [1] * 9 + [0] * 11


def test_who_may_be_the_best_is_told_by_comparisons_with_the_best(tmp_path):
    # five units differ, all one way: 1/32 one-sided, though two-sided both may be first
    board = best_board(tmp_path, {"a": [0] * 20, "b": FIVE}, ["1,2", "1,2"])
    assert board.may_be_best == {(): frozenset("a")}
    page = site_of(real=(board,))["real/judged.md"]
    assert "a alone may be the best: comparisons with the best, 95 %." in page
    assert page.count('class="tie"') == 2, "one line in the wide figure and in the narrow one"


def test_who_loses_to_another_by_a_test_of_the_pair_is_not_named_though_the_best_was_not_told_from_it(
    tmp_path,
):
    assert best_board(tmp_path, {"a": [0] * 20, "b": FIVE[1:] + [0]}, ["1,1", "2,2"]).may_be_best[()] == {"a"}


def test_neither_a_rule_nor_a_model_that_a_rule_beats_is_named(tmp_path):
    kinds, values = {"rule": "baseline"}, {"a": NINE, "b": NINE, "rule": [0] * 20}
    board = best_board(tmp_path, values, ["1,2", "1,2", "1,1"], kinds)
    assert board.may_be_best[()] == frozenset()
    page = site_of(real=(board,))["real/judged.md"]
    assert (
        "No model may be the best, as each is worse than some other line" in page
        and 'class="tie"' not in page
    )


def test_one_model_alone_is_no_best_and_rules_alone_have_none(tmp_path):
    alone = best_board(tmp_path / "alone", {"a": NINE, "rule": FIVE}, [",", ","], {"rule": "baseline"})
    assert alone.may_be_best[()] == frozenset()
    assert "Nothing is ranked." in site_of(real=(alone,))["real/judged.md"]
    rules = best_board(
        tmp_path / "rules", {"a": NINE, "b": FIVE}, ["1,2", "1,2"], dict.fromkeys("ab", "baseline")
    )
    page = site_of(real=(rules,))["real/judged.md"]
    assert (
        rules.may_be_best[()] == frozenset()
        and "is-top" not in page
        and "Only baselines that ask no model" in page
    )


def test_the_committed_boards_name_those_at_the_top_by_value_and_fewer_than_tests_of_all_pairs():
    for name, n_best, n_by_pairs in (("faithjudge", 5, 10), ("bullshitbench", 20, 31), ("faithbench", 6, 6)):
        board = committed(name)
        of_best = board.may_be_best[()]
        assert board.models[0].subject in of_best
        assert len(of_best) == n_best
        assert sum(model.rank_low == 1 for model in board.models) == n_by_pairs


def test_the_board_by_another_judge_has_its_own_best(tmp_path):
    # by x, of four units each, nobody is told from c, which no test of a pair puts behind another
    assert board_of_judges(tmp_path).may_be_best == {(): {"a"}, (("judge", "x"),): {"c"}}


@pytest.mark.parametrize("name", ["faithjudge", "faithbench", "begin", "vectara-summaries"])
def test_the_tests_of_pairs_are_those_from_which_the_rank_ranges_follow(name):
    board = committed(name)
    names, compared = comparisons(board)
    assert len(compared) == len(names) * (len(names) - 1) // 2
    is_up = not board.headline.is_lower_better
    ranges = rank_ranges(len(names), compared, alpha=board.card["alpha"], higher_is_better=is_up)
    shown = {score.subject: (score.rank_low, score.rank_high) for score in board.ranked}
    assert dict(zip(names, ranges, strict=True)) == shown
