"""The whole HalluDial track finds what was planted: responders, annotator, inducer, subjects, meta-judge,
people and detectors, each with errors of its own.

Everything but the detectors comes through the track's steps from simulated models (`halludial_board.py`); the
detectors' errors are planted here, so that what their verdicts should make of a rate is known. Intervals of a
family hold together with 99 %; those of shares are exact.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from truerate.metrics.intervals import Interval
from truerate.metrics.rates import mean_of_intervals
from truerate.tracks.halludial.judging import spans
from truerate_world.halludial import annotate
from truerate_world.halludial.models.judging import is_accurate
from truerate_world.halludial.models.profiles import PROFILES, Model

from .board import ROOT
from .cells import Cell, missed, pooled
from .halludial_board import BLINDER, CELLS, EVEN, MARKERS, SEEDS, SUBJECTS, Board, build_board, settings

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover-halludial")]
COLUMNS = {"board", "metric", "subject", "value", "low", "high", "method", "n", "inputs"}
RATE = "hallucination_rate"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(SEEDS[:1], id="one board"),
        pytest.param(SEEDS, id="all boards", marks=pytest.mark.proof),
    ],
)
def boards(request, tmp_path_factory):
    store = tmp_path_factory.mktemp("store") / "responses.sqlite"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(store))
        return [
            build_board(settings(seed), tmp_path_factory.mktemp(f"dialogues-{seed}"))
            for seed in request.param
        ]


@pytest.fixture(scope="module")
def scored(boards):
    """The Score rows of every board with every detector, by (marker, seed)."""
    return {(marker, board.at.p.seed): board.scores(marker) for marker, board in product(MARKERS, boards)}


def name_of(row: dict) -> tuple:
    """Metric, subject and place of a row, whatever made it."""
    where = {key: value for key, value in row.items() if key not in COLUMNS and value is not None}
    return row["metric"], row["subject"], tuple(sorted(where.items()))


def cells_of(board: Board, scores: list[dict], *metrics: str) -> list[Cell]:
    """The scores of these metrics that have a planted value, as counts."""
    planted = {name_of(row): row["value"] for row in board.planted}
    return [
        Cell(*name_of(row), board.at.p.seed, round(row["value"] * row["n"]), row["n"], planted[name_of(row)])
        for row in scores
        if row["metric"] in metrics and row["value"] is not None and name_of(row) in planted
    ]


def cell(board: Board, metric: str, subject: str, hits: list[bool], planted: float, **where: str) -> Cell:
    place = tuple(sorted(where.items()))
    return Cell(metric, subject, place, board.at.p.seed, sum(hits), len(hits), planted)


def model_of(board: Board, alias: str) -> Model:
    return PROFILES[board.at.p.models[alias].model]


def holds(interval: Interval, value: float) -> bool:
    return interval.low <= value <= interval.high


def all_of(boards, scored, *metrics: str) -> list[Cell]:
    return [one for board in boards for one in cells_of(board, scored[EVEN, board.at.p.seed], *metrics)]


# ---- judges ------------------------------------------------------------------------------------------------


def test_judges_find_and_pass_what_is_planted_in_every_scenario(boards, scored):
    cells = all_of(boards, scored, "tpr", "tnr", "unparsed_rate")
    cells = [one for one in cells if one.slice["variant"] != "compare"]
    places = {(one.slice["scenario"], one.slice["variant"]) for one in cells}
    assert {"spontaneous", "induced", "natural", "all"} == {scenario for scenario, _ in places}
    assert not missed(cells) and not missed(pooled(cells))


def test_natural_hallucinations_are_found_less_often_than_induced_ones(boards, scored):
    found = {
        (seed, row["subject"], row["scenario"]): row["value"]
        for (marker, seed), rows in scored.items()
        for row in rows
        if marker is EVEN
        and row["metric"] == "tpr"
        and row.get("variant") == "zero-shot"
        and "kind" not in row
    }
    for seed, subject in product([board.at.p.seed for board in boards], ("aster", "dogwood")):
        assert found[seed, subject, "spontaneous"] < found[seed, subject, "induced"] - 0.2


def test_judges_with_other_errors_are_missed(boards, scored):
    place = {"scenario": "all", "variant": "zero-shot"}
    cells = [one for one in all_of(boards, scored, "tpr") if one.slice == place]
    others = [replace(one, planted=max(0.01, one.planted - 0.15)) for one in cells]
    assert len(missed(pooled(others))) == len(pooled(cells)) > 0


def test_comparisons_and_their_bias_are_found(boards, scored):
    cells = all_of(boards, scored, "accuracy_both_orders")
    cells += [one for one in all_of(boards, scored, "accuracy") if "order" in one.slice]
    biased = [one for board in boards for one in bias_cells(board)]
    assert len(cells) == 3 * len(SUBJECTS) * len(boards) * 3 and len(biased) == len(SUBJECTS) * len(boards)
    assert not missed(cells) and not missed(pooled(cells))
    assert not missed(biased) and not missed(pooled(biased))


def bias_cells(board: Board) -> Iterator[Cell]:
    """Pairs of which the first is named in either order, of those with two choices."""
    named: dict[tuple, list[bool]] = {}
    for row in board.rows:
        if row["purpose"] == "compare" and row["status"] == "ok":
            key = (row["model"], row["kind"], *sorted((row["first"], row["second"])))
            named.setdefault(key, []).append(row["choice"] == row["first"])
    for alias in SUBJECTS:
        hits = [all(each) for key, each in named.items() if key[0] == alias and len(each) == 2]
        yield cell(board, "first_in_both", alias, hits, model_of(board, alias).position_bias)


def test_segments_are_right_as_often_as_planted(boards):
    cells = [one for board in boards for one in segment_cells(board)]
    assert len(cells) == len(boards) * (len(SUBJECTS) + 1)
    assert not missed(cells) and not missed(pooled(cells))


def segment_cells(board: Board) -> Iterator[Cell]:
    """Of the hallucinated texts that a judge says where of: whether it names all places that are."""
    texts = {row["generation_id"]: row for row in board.rows}
    texts |= {row["sample_id"]: row for row in board.made["samples"].to_dicts()}
    hits: dict[str, list[bool]] = {}
    for row in board.rows:
        if row["purpose"] in ("locate", "annotate") and row["status"] == "ok" and row["verdict"] == "yes":
            text = texts[row["target"]]
            finding = board.finding(text["item_id"], text["text"])
            if finding.is_hallucinated:
                marked = {(span["start"], span["end"]) for span in spans(row)}
                hits.setdefault(row["model"], []).append(marked == set(finding.spans))
    for alias, each in hits.items():
        yield cell(board, "located", alias, each, model_of(board, alias).locating)


# ---- annotator, meta-judge, people -------------------------------------------------------------------------


def test_the_annotator_errs_as_planted(boards, scored):
    cells = all_of(boards, scored, "annotator_accuracy", "annotator_tpr", "annotator_tnr")
    assert len(cells) == 3 * len(boards) and not missed(cells) and not missed(pooled(cells))


def test_the_meta_judge_errs_as_planted(boards, scored):
    cells = all_of(boards, scored, "meta_accuracy")
    assert len(cells) == 3 * len(SUBJECTS) * len(boards) and not missed(cells) and not missed(pooled(cells))


def people_cells(board: Board, people: dict[str, annotate.Annotator]) -> Iterator[Cell]:
    """How often each person calls responses hallucinated that are and that are not, and an evaluation the
    other way round.
    """
    tasks = {task["task_id"]: task for task in board.tasks}
    said: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    for judge, name, verdict in board.labelled.judgements.select("judge", "target_id", "verdict").iter_rows():
        task, person = tasks[name], people[judge]
        if task["kind"] == annotate.META:
            is_right = is_accurate(board.known, annotate.asked_of(task))
            said.setdefault((judge, "confusing"), []).append((verdict != is_right, person.confusing))
        else:
            finding = annotate.finding_of(board.known, task)
            error = "hit" if finding.is_hallucinated else "alarm"
            said.setdefault((judge, error), []).append((verdict, person.p_yes(finding)))
    for (judge, error), each in said.items():
        planted = float(np.mean([rate for _, rate in each]))
        yield cell(board, error, judge, [hit for hit, _ in each], planted)


def people_of(board: Board) -> dict[str, annotate.Annotator]:
    return annotate.people([name for task in board.tasks for name in task["annotators"]])


def test_people_err_as_planted(boards):
    cells = [one for board in boards for one in people_cells(board, people_of(board))]
    assert len(cells) == len(boards) * 3 * 3 and not missed(cells) and not missed(pooled(cells))


def test_their_vote_is_nearly_always_the_truth(boards):
    """Two of three would have to err at once."""
    for board in boards:
        tasks = {task["task_id"]: task for task in board.tasks}
        told = board.labelled.samples.select("is_hallucinated", "attributes").iter_rows(named=True)
        wrong = []
        for row in told:
            name = next(one["value"] for one in row["attributes"] if one["key"] == "generation")
            finding = annotate.finding_of(board.known, tasks[name])
            wrong.append(row["is_hallucinated"] != finding.is_hallucinated)
        assert len(wrong) > 150 and sum(wrong) / len(wrong) < 0.03


# ---- writers -----------------------------------------------------------------------------------------------


def test_broken_rules_and_lost_replies_are_as_frequent_as_planted(boards, scored):
    metrics = ("unread_rate", "too_long_rate", "continued_rate", "restated_rate", "not_located_rate")
    cells = all_of(boards, scored, *metrics)
    assert {one.metric for one in cells} == set(metrics)
    assert {one.subject for one in cells} == {*SUBJECTS, "quill"}
    assert not missed(cells) and not missed(pooled(cells))


# ---- rates -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def estimates(scored) -> dict[tuple, Interval]:
    """Every estimate by (marker, seed, estimator, calibration, unit, model, history, temperature)."""
    return {(*key, *place): found for key, rows in scored.items() for place, found in rates_of(rows)}


@pytest.fixture(scope="module")
def usual(boards) -> dict[tuple, Interval]:
    """The same of the detector that sees less in nature, with intervals of 95 % each."""
    rows = {board.at.p.seed: board.scores(BLINDER, 0.95) for board in boards}
    return {(BLINDER, seed, *place): found for seed in rows for place, found in rates_of(rows[seed])}


def rates_of(rows: list[dict]) -> Iterator[tuple[tuple, Interval]]:
    """The place of each estimate of a rate, and its interval."""
    for row in rows:
        if row["metric"] == RATE and "turns" not in row:
            place = (row["unit"], row["subject"], row["history"], row["temperature"])
            interval = Interval(row["value"], row["low"], row["high"])
            yield (row["estimator"], row.get("calibration"), *place), interval


@pytest.fixture(scope="module")
def planted(boards) -> dict[tuple, float]:
    """The rates of the very responses, by (seed, unit, model, history, temperature)."""
    return {
        (board.at.p.seed, row["unit"], row["subject"], row["history"], row["temperature"]): row["value"]
        for board in boards
        for row in board.planted
        if row["metric"] == RATE and "turns" not in row
    }


def over_all(
    estimates, planted, marker, estimator: str, calibration: str | None, *, unit: str = "turn"
) -> tuple[Interval, float]:
    """The mean of an estimate over models, histories, temperatures and seeds, and of the planted rates. Those
    of one seed share their calibration: the ends of their intervals are averaged as if they were one
    estimate.
    """
    each, seeds = [], sorted({seed for seed, *_ in planted})
    for seed in seeds:
        places = [(unit, alias, *where) for alias, where in product(SUBJECTS, CELLS)]
        some = [estimates[marker, seed, estimator, calibration, *place] for place in places]
        each.append(Interval(*np.mean(np.array(some), axis=0)))
    rates = [planted[seed, unit, alias, *where] for seed, alias, where in product(seeds, SUBJECTS, CELLS)]
    return mean_of_intervals(each), float(np.mean(rates))


every_marker = pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: marker.name)


@every_marker
def test_planted_rates_lie_in_the_intervals_corrected_on_natural_labels(estimates, planted, marker):
    n = 0
    for (seed, *place), rate in planted.items():
        found = estimates[marker, seed, "rogan-gladen", "natural", *place]
        # of few dialogues nothing can be told where the detector misses half
        assert holds(found, rate) if found.value is not None else place[0] == "dialogue"
        n += found.value is not None
    assert n >= len(planted) / 2
    assert holds(*over_all(estimates, planted, marker, "rogan-gladen", "natural"))


@every_marker
def test_planted_rates_lie_in_the_intervals_from_labels_of_some_of_them(estimates, planted, marker):
    for (seed, *place), rate in planted.items():
        if place[2:] == ["gold", "1"]:
            assert holds(estimates[marker, seed, "prediction-powered", "natural", *place], rate), place


def predicted(marker, rate: float) -> float:
    """What the correction on induced texts makes of a rate, from the detector's planted errors:
    (π·hit + (1 − π)·alarm of natural ones − alarm) / (hit − alarm) of induced ones, not below 0.
    """
    flagged = rate * marker.hit[1] + (1 - rate) * marker.alarm[1]
    return max(0.0, (flagged - marker.alarm[0]) / (marker.hit[0] - marker.alarm[0]))


@every_marker
def test_corrected_on_induced_a_rate_fails_as_the_planted_shift_predicts(estimates, planted, marker):
    for (seed, unit, *place), rate in planted.items():
        if unit == "turn":
            found = estimates[marker, seed, "rogan-gladen", "induced", unit, *place]
            assert holds(found, predicted(marker, rate)), place


def test_a_detector_that_sees_less_in_nature_tells_too_little_on_induced_labels(usual, planted):
    found, rate = over_all(usual, planted, BLINDER, "rogan-gladen", "induced")
    assert found.value < 0.6 * rate and found.high < rate
    raw, _ = over_all(usual, planted, BLINDER, "raw", None)
    assert raw.value < 0.8 * rate
    assert holds(*over_all(usual, planted, BLINDER, "rogan-gladen", "natural"))


def test_rates_rise_with_the_temperature_and_after_own_falsehoods(planted):
    """As planted: at temperature 0 two fifths of the rate at 1; falsehoods of the own history spread."""
    seeds = {seed for seed, *_ in planted}
    told = {
        place: np.mean([planted[seed, "turn", alias, *place] for seed, alias in product(seeds, SUBJECTS)])
        for place in CELLS
    }
    assert told["gold", "0"] < 0.6 * told["gold", "1"]
    assert told["gold", "0"] < told["gold", "0.5"] < told["gold", "1"] < told["self", "1"]


def test_dialogues_hallucinate_more_often_than_turns(planted):
    for (seed, unit, *place), rate in planted.items():
        if unit == "dialogue":
            assert rate >= planted[seed, "turn", *place]
