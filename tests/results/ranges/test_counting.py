"""The rules of counting that rows, labels and published figures leave open, with fractions made by hand; and that the
board's own rules give what is committed.
"""

from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import polars as pl
import pytest

from truerate.results.board import RealBoard, RealScore
from truerate.results.files import load_result
from truerate.results.ranges.counting import multiverse_of
from truerate.results.ranges.multiverse import effects, ranges
from truerate.results.ranges.page import sentences
from truerate.results.read import read_board
from truerate.site.measures import Measure

RESULTS = Path(__file__).parents[3] / "results"
BOARDS = sorted(path.name for path in RESULTS.iterdir() if path.is_dir())
NOTHING_OPEN = {"faithdial-audit"}
CARD = {
    "board": "made",
    "unit": "reply",
    "labelled_by": "people",
    "judge": None,
    "n_units": 100,
    "judges_own": (),
}
LABELS = ["subject", "unit_id", "question", "label"]


def board_of(slices, *, direction="down", table=None, metric="rate", **card) -> RealBoard:
    """A board of `slices`: by slice (`""`, `task=qa`, `judge=j`) and model a value per unit, None where it has none."""
    rows, scores = [], []
    for where, values in slices.items():
        name = "judged" if where.startswith("judge=") else metric
        pairs = (tuple(where.split("=")),) if where else ()
        for subject, of_units in values.items():
            rows += [(name, subject, where, unit, "c", value) for unit, value in of_units.items()]
            counted = [value for value in of_units.values() if value is not None]
            value = sum(counted) / len(counted)
            scores.append(
                RealScore(name, subject, "model", pairs, value, None, None, len(counted), None, None, "")
            )
    columns = ["metric", "subject", "slice", "unit_id", "cluster_id", "value"]
    measures = {
        name: Measure(name, name, name, "rates", "share", direction) for name in (metric, "judged", "widely")
    }
    table_rows = pl.DataFrame(rows, schema=columns, orient="row", schema_overrides={"value": pl.Float64})
    return RealBoard(
        CARD | {"headline": {"metric": metric}} | card, tuple(scores), table_rows, measures, table=table
    )


def units(*values):
    return {f"u{number}": value for number, value in enumerate(values)}


def rates_of(board, labels=None):
    """Return the rates of each combination, in the order of the board's models, by its choices."""
    multiverse = multiverse_of(board, labels)
    return {
        tuple(multiverse.departures(number).values()): pytest.approx([float(rate) for rate in rates])
        for number, rates in enumerate(multiverse.rates)
    }


def test_replies_without_a_verdict_are_left_out_for_one_or_for_all_or_counted_either_way():
    board = board_of({"": {"a": units(1, 0, None, None), "b": units(0, 0, 1, None)}})
    assert [model.subject for model in board.models] == ["b", "a"]
    assert rates_of(board) == {
        (): [F(1, 3), F(1, 2)],
        ("left out for all models",): [F(0, 2), F(1, 2)],  # u0 and u1 alone have a verdict on both
        ("counted as not hallucinated",): [F(1, 4), F(1, 4)],
        ("counted as hallucinated",): [F(2, 4), F(3, 4)],
    }


def test_tasks_of_different_size_may_weigh_the_same():
    whole = units(1, 1, 0, 1)
    qa, chat = {name: whole[name] for name in ("u0", "u1", "u2")}, {"u3": 1}
    board = board_of({"": {"a": whole}, "task=qa": {"a": qa}, "task=chat": {"a": chat}})
    assert rates_of(board) == {(): [F(3, 4)], ("each task counts the same",): [F(2, 3) / 2 + F(1, 2)]}


def test_tasks_that_do_not_hold_every_reply_are_no_weight():
    board = board_of(
        {"": {"a": units(1, 1, 0, 1)}, "task=qa": {"a": units(1, 1)}, "task=chat": {"a": {"u2": 0}}}
    )
    assert multiverse_of(board) is None


def test_another_judge_and_another_version_of_the_labels_count_in_place_of_the_boards():
    board = board_of({
        "": {"a": units(1, 0, 0)}, "judge=j": {"a": units(1, 1, 0)}, "rule=strict": {"a": units(1, 1, None)},
    })  # fmt: skip
    assert rates_of(board) == {(): [F(1, 3)], ("strict",): [F(2, 2)], ("j",): [F(2, 3)]}


def test_neutral_claims_are_read_three_ways_and_replies_weigh_by_their_claims():
    # u0: one of two entailed; u1: contradicted; u2 makes no claim
    rows = [("a", "u0", "Entailment"), ("a", "u0", "Neutral"), ("a", "u1", "Contradiction")]
    labels = pl.DataFrame([(*row[:2], "claim", row[2]) for row in rows], schema=LABELS, orient="row")
    board = board_of({"": {"a": units(0.5, 0, None)}}, direction="up")
    out, yes, wrong, right, claim = (
        "left out", "counted as supported", "counted as wrong", "counted as right", "each claim counts the same",
    )  # fmt: skip
    assert rates_of(board, labels) == {
        (): [F(1, 4)], (claim,): [F(1, 3)], (wrong,): [F(1, 6)], (right,): [F(3, 2) / 3],
        (out,): [F(1, 2)], (out, claim): [F(1, 2)], (out, wrong): [F(1, 3)], (out, right): [F(2, 3)],
        (yes,): [F(1, 2)], (yes, claim): [F(2, 3)], (yes, wrong): [F(1, 3)], (yes, right): [F(2, 3)],
    }  # fmt: skip


def test_labels_that_do_not_give_the_rows_are_not_read_otherwise():
    labels = pl.DataFrame([("a", "u0", "claim", "Neutral")], schema=LABELS, orient="row")
    assert multiverse_of(board_of({"": {"a": units(1)}}, direction="up"), labels) is None


def test_a_partial_verdict_of_published_figures_is_counted_not_half_and_fully():
    table = pl.DataFrame(
        {"subject": ["a"], "slice": [""], "n": [100], "accepted": [20.0], "accepted_or_partial": [50.0]}
    )
    board = board_of({"": {"a": units(0.2)}}, table=table, metric="accepted")
    assert rates_of(board) == {
        (): [F(20, 100)],
        ("counted as half",): [F(35, 100)],
        ("counted",): [F(50, 100)],
    }


def test_articles_that_a_model_did_not_summarize_are_left_out_or_counted_either_way():
    table = pl.DataFrame({"subject": ["a"], "slice": [""], "n": [7000], "rate": [700.0]})
    board = board_of({"": {"a": units(0.1)}}, table=table, board="vectara-summaries")
    assert rates_of(board) == {
        (): [F(1, 10)],
        ("counted as not hallucinated",): [F(700, 7700)],
        ("counted as hallucinated",): [F(1400, 7700)],
    }
    other = board_of({"": {"a": units(0.1)}}, table=table, board="other")
    assert multiverse_of(other) is None, "whose n may be what it was asked"


def test_most_any_or_all_annotators_must_say_so_or_split_texts_are_left_out():
    # a: yes from 3, 2, 1 and 0 of three; b: 3 of three
    labels = pl.DataFrame(
        [
            (subject, f"u{unit}", "hallucinated", "yes" if rater < n else "no", "", f"r{rater}")
            for subject, votes in {"a": (3, 2, 1, 0), "b": (3,)}.items()
            for unit, n in enumerate(votes)
            for rater in range(3)
        ],
        schema=[*LABELS, "part", "rater"],
        orient="row",
    )
    board = rules_alone(board_of({"": {"rule": units(1, 0)}}))
    assert multiverse_of(board, labels).subjects == ("a", "b")
    assert rates_of(board, labels) == {
        (): [F(2, 4), 1],
        ("any must say so",): [F(3, 4), 1],
        ("all must say so",): [F(1, 4), 1],
    }, "left out: 1 of the 2 that are not split, as by most"
    assert multiverse_of(board, labels.filter(rater="r0")) is None
    assert multiverse_of(board) is None


def rules_alone(board):
    scores = tuple(replace(score, kind="baseline") for score in board.scores)
    return replace(board, scores=scores)


def test_systems_whose_summaries_are_labelled_have_the_shares_that_stand_beside_the_published_ones():
    board = read_board(RESULTS / "xsum-hallucinations")
    rates = dict(zip(board.multiverse.subjects, 100 * board.multiverse.rates[0], strict=True))
    asked = [
        line
        for line in board.published
        if line.asked == "hallucinated: yes" and line.measure.name == "unit_share"
    ]
    shares = {line.subject: float(line.ours) for line in asked}
    assert {name: rates[name] for name in shares if name in rates} == pytest.approx(
        {name: share for name, share in shares.items() if name in rates}, abs=0.006
    )
    assert set(shares) & set(rates) == {"BERTS2S", "PtGen"}


@pytest.fixture(scope="module", params=BOARDS)
def committed(request):
    return read_board(RESULTS / request.param)


def test_the_boards_own_rules_give_the_committed_scores(committed):
    multiverse, committed_rates = committed.multiverse, {one.subject: one.value for one in committed.models}
    if multiverse is None or multiverse.measure is not None:
        assert committed.name in NOTHING_OPEN or not committed.has_models
        return
    rates = dict(zip(multiverse.subjects, multiverse.rates[0].round(6).tolist(), strict=True))
    assert rates == committed_rates


@pytest.mark.parametrize(
    ("name", "metric", "where", "choices"),
    [
        ("factscore", "wildfactscore", "estimator=raw;set=common", {"Replies without facts": "left out for all models"}),
        ("refchecker-noisy-context", "wildfactscore", "estimator=raw;set=common", {"Replies without claims": "left out for all models"}),
        ("faithbench", "hallucination_rate", "rule=strict", {"Questionable summaries": "counted as hallucinated"}),
        ("faithbench", "hallucination_rate", "rule=clear", {"Questionable summaries": "left out", "Benign hallucinations": "left out"}),
        ("faithbench", "judged_rate", "judge=hhemv1", {"Judge": "HHEM 1"}),
        ("ragtruth", "hallucination_rate", "rule=evident", {"Labels": "Evident spans only"}),
        ("evouna", "judged_rate", "judge=word-match", {"Judge": "Golden answer in the answer"}),
        ("bullshitbench", "accepted_or_partial", "", {"Partial acceptance": "counted"}),
    ],
)  # fmt: skip
def test_other_rules_give_the_scores_that_are_committed_of_them(name, metric, where, choices):
    multiverse = read_board(RESULTS / name).multiverse
    number = next(i for i in range(len(multiverse.combinations)) if multiverse.departures(i) == choices)
    scores = load_result(RESULTS / name).scores.filter(metric=metric, slice=where)
    values = dict(scores.select("subject", "value").iter_rows())
    rates = dict(zip(multiverse.subjects, multiverse.rates[number].round(6).tolist(), strict=True))
    assert rates == {name: value for name, value in values.items() if name in rates}


@pytest.mark.parametrize(
    ("name", "subject", "rate", "low", "high", "ranks"),
    [
        ("vectara-summaries", "snowflake/snowflake-arctic-instruct", "4.3", "2.7", "40.0", (5, 2, 95)),
        ("factscore", "PerplexityAI", "71.6", "65.0", "87.5", (1, 1, 1)),
        ("refchecker-zero-context", "claude2", "36.2", "28.6", "97.8", (4, 1, 4)),
        ("bullshitbench", "openai/gpt-5.2@reasoning=high", "22.0", "22.0", "72.0", (29, 29, 68)),
        ("faithbench", "cohere/command-r-08-2024", "70.7", "0.0", "89.3", (9, 1, 10)),
    ],
)
def test_how_far_a_rate_moves_on_the_committed_boards(name, subject, rate, low, high, ranks):
    """The figures of the guide's page on real data; the widest range of each board."""
    listed = ranges(read_board(RESULTS / name).multiverse)
    of_subject = next(bounds for bounds in listed if bounds.subject == subject)
    assert [f"{100 * value:.1f}" for value in (of_subject.rate, of_subject.low, of_subject.high)] == [
        rate,
        low,
        high,
    ]
    assert (of_subject.rank, of_subject.rank_low, of_subject.rank_high) == ranks


def test_neutral_claims_left_out_change_who_is_first_on_refcheckers_closed_book():
    listed = effects(read_board(RESULTS / "refchecker-zero-context").multiverse)
    first = {(effect.rule, effect.choice): effect.first for effect in listed}
    assert first["Neutral claims", "counted as not supported"] == ("gpt4",)
    assert first["Neutral claims", "left out"] == ("claude2",)


def test_faithbench_is_moved_less_by_counting_than_by_judges():
    board = read_board(RESULTS / "faithbench")
    said = sentences(board, board.multiverse)
    assert "29.3 points (Anthropic/claude-3-5-sonnet-20240620: 54.7 to 84.0 %)" in said
    assert "the choice of the judge by up to 89.3 points (cohere/command-r-08-2024: 0.0 to 89.3 %)" in said
