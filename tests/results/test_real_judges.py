"""Whether a board keeps its order when another judge reads the same replies, by hand and on the committed results."""

from pathlib import Path

import polars as pl
import pytest
from tiny_results import HEADER, outcomes, write_results

from truerate.core.schemas import pairs
from truerate.results.board import Swap
from truerate.results.pages import swapped
from truerate.results.read import read_board

ROOT = Path(__file__).parents[2]
# by what leads a < b < c; x has c first, and its range apart from a's
LINES = [
    *(f"made_up_rate,{name},model,,{value},0,1,4,{rank},{rank},x" for name, value, rank in
      (("a", 0.0, 1), ("b", 0.25, 2), ("c", 0.5, 3))),
    *(f"made_up_rate,{name},model,judge=x,{value},0,1,4,{rank},x" for name, value, rank in
      (("a", 0.75, "3,3"), ("b", 0.5, "2,3"), ("c", 0.25, "1,1"))),
]  # fmt: skip


def board(folder):
    place = write_results(folder)
    (place / "scores.csv").write_text("\n".join([HEADER, *LINES]) + "\n", "utf-8")
    led = outcomes({"a": [0, 0, 0, 0], "b": [1, 0, 0, 0], "c": [1, 1, 0, 0]})
    other = outcomes({"a": [1, 1, 1, 0], "b": [1, 1, 0, 0], "c": [1, None, 0, 0]})
    where = pl.Series("slice", [pairs(judge="x")] * other.height, dtype=other["slice"].dtype)
    pl.concat([led, other.with_columns(where)]).write_parquet(place / "rows.parquet")
    return read_board(place)


def test_an_order_by_another_judge_and_how_far_the_verdicts_agree(tmp_path):
    made = board(tmp_path)
    (one,) = made.swaps
    assert (one.order.first, one.order.second, one.order.tau, one.order.n_flips) == ("", "x", -1.0, 3)
    assert one.order.apart == (("a", "c"), ("b", "c"))
    # 11 replies that both read: a agrees on 1 of 4, b on 3 of 4, c on all 3: 7 of 11
    assert (one.n, one.agreement) == (11, pytest.approx(7 / 11))
    # the one calls 2 of them hallucinated, the other 6: by chance (2·6 + 9·5) / 121
    by_chance = (2 * 6 + 9 * 5) / 121
    assert one.kappa == pytest.approx((7 / 11 - by_chance) / (1 - by_chance))
    assert [cell["rank"] for _, cells in swapped(made)["lines"] for cell in cells] == [
        "1",
        "3",
        "2",
        "2–3",
        "3",
        "1",
    ]


def named(board: str) -> dict[tuple[str, str, str], Swap]:
    found = read_board(ROOT / "results" / board).swaps
    return {(one.order.key, one.order.first, one.order.second): one for one in found}


def test_faithbench_by_its_eight_detectors():
    swaps = named("faithbench")
    assert len(swaps) == 36, "9 judges, people among them: 9 · 8 / 2 pairs"
    # 2 of 750 summaries have no verdict of true_nli
    assert (swaps["", "", "true_nli"].n, swaps["", "", "gpt_4o"].n) == (748, 750)


def test_evouna_by_word_match_turns_two_systems_round_on_one_part():
    """NQ accuracy by people and by word match, in per cent: FiD 68.94 and 59.1, ChatGPT-3.5 72.98 and 57.8, and no
    other pair turned round: 1 of 10 pairs.
    """
    swaps = named("evouna")
    assert swaps["", "", "word-match"].order.tau == 1.0
    one = swaps["task: Natural Questions", "", "word-match"]
    assert (one.order.n_flips, one.order.tau) == (1, pytest.approx(0.8))
