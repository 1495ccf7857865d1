"""Whether a board's order of models holds from slice to slice, by hand and on the committed results."""

from pathlib import Path

import pytest
from tiny_results import HEADER, outcomes, write_results

from truerate.results.read import read_board

ROOT = Path(__file__).parents[2]
LINES = [
    # over everything a < b < c; on qa c < b < a, the ranges of a and c apart; on chat one is missing
    *(f"made_up_rate,{name},model,,{value},0,1,4,{rank},{rank},x" for name, value, rank in
      (("a", 0.1, 1), ("b", 0.2, 2), ("c", 0.3, 3))),
    *(f"made_up_rate,{name},model,task=qa,{value},0,1,4,{rank},x" for name, value, rank in
      (("a", 0.9, "3,3"), ("b", 0.8, "1,3"), ("c", 0.7, "1,2"))),
    "made_up_rate,a,model,task=chat,0.1,0,1,4,1,1,x",
    "made_up_rate,b,model,task=chat,0.2,0,1,4,2,2,x",
]  # fmt: skip


def board(folder):
    place = write_results(folder)
    (place / "scores.csv").write_text("\n".join([HEADER, *LINES]) + "\n", "utf-8")
    values = {name: [0, 0, 0, 1] for name in "abc"}
    outcomes(values).write_parquet(place / "rows.parquet")
    return read_board(place)


def test_an_order_turned_round_and_what_of_it_is_firm(tmp_path):
    (one,) = board(tmp_path).orders  # nothing is said of chat, which two models alone have
    assert (one.key, one.first, one.second, one.n) == ("task", "", "qa", 3)
    assert (one.tau, one.n_flips, one.n_pairs) == (-1.0, 3, 3)
    # b's range on qa, 1–3, meets both others
    assert one.apart == (("a", "c"),)


def test_ragtruth_puts_two_models_firmly_in_opposite_orders_on_two_tasks():
    """Answers with a span, on qa and summarization, in per cent: llama-2-7b-chat 60.4 and 38.7, mistral-7B-instruct 39.7 and 66.0."""
    orders = {(one.first, one.second): one for one in read_board(ROOT / "results" / "ragtruth").orders}
    one = orders["qa", "summarization"]
    assert one.apart == (("llama-2-7b-chat", "mistral-7B-instruct"),)
    # 3 of 15 pairs turned round: (12 − 3) / 15
    assert (one.tau, one.n_flips, one.n_pairs) == (pytest.approx(0.6), 3, 15)
    assert orders["", "evident"].tau == 1.0, "leaving out what is true in the world keeps the order"
