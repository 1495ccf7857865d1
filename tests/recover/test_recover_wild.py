"""The whole WildHallucinations track finds what was planted: models that know, invent and abstain, a web with
errors, a verifier, people.

The truth is what the board's own replies state, held against the world. Intervals hold together with 99 %
(Bonferroni).
"""

from itertools import product

import numpy as np
import polars as pl
import pytest

from truerate.core.schemas import pair
from truerate.metrics.intervals import Interval
from truerate.metrics.rates import mean_of_intervals
from truerate.metrics.wildfact import corrected_score, with_share
from truerate.tracks.wildhallucinations import labels
from truerate.tracks.wildhallucinations import names as abstention
from truerate.tracks.wildhallucinations import replies as verifier
from truerate.tracks.wildhallucinations.replies import calibration, labelled_facts, verdicts_of
from truerate.tracks.wildhallucinations.verifying import SINGLE
from truerate_world.models import COVERAGE
from truerate_world.wildhallucinations.annotate import entity_of
from truerate_world.wildhallucinations.annotator_noise import kind_of
from truerate_world.wildhallucinations.truth import read_replies

from .board import ROOT
from .mfava_board import flat
from .misreading import readings
from .wild_board import BOARD, SEEDS, SIZES, SUBJECTS, build_board

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover-wild")]
SLICES = (
    ("wikipedia", "yes"),
    ("wikipedia", "no"),
    ("rarity", "10^0"),
    ("rarity", "10^1"),
    ("rarity", "10^2"),
)
SETS = ("all", "common")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((SEEDS[:1], SIZES | {"chats": 600, "labelled": 240}), id="one small board"),
        pytest.param((SEEDS, SIZES), id="all boards", marks=pytest.mark.proof),
    ],
)
def boards(request, tmp_path_factory):
    seeds, sizes = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        return [build_board(seed, tmp_path_factory.mktemp(f"wild-{seed}"), sizes=sizes) for seed in seeds]


def found(rows: list[dict], metric: str, subject: str, **where: str) -> Interval | None:
    """The one Score row of a metric and subject in a slice; what `where` does not name is not sliced by. None
    where it is null.
    """
    named = (
        "estimator",
        "set",
        "rule",
        "wikipedia",
        "rarity",
        "domain",
        "split",
        "kind",
        "verdict",
        "stage",
        "step",
    )
    wanted = {name: where.get(name) for name in named}
    (row,) = [
        row
        for row in rows
        if (row["metric"], row["subject"]) == (metric, subject)
        and all(row.get(k) == v for k, v in wanted.items())
    ]
    return None if row["value"] is None else Interval(row["value"], row["low"], row["high"])


def planted(board, metric: str, subject: str, **where: str) -> float:
    if metric in ("wildfactscore", "wildfactscore_strict"):
        where["estimator"] = "planted"
    return found(board.planted, metric, subject, **where).value


def holds(interval: Interval, value: float) -> bool:
    return interval.low <= value <= interval.high


def over_subjects(each: list[list[Interval]]) -> Interval:
    """The mean over boards of what its subjects come to; these share their calibration: ends are averaged as
    if they were one estimate.
    """
    return mean_of_intervals([Interval(*np.mean(np.array(intervals), axis=0)) for intervals in each])


# ---- how the board comes about -----------------------------------------------------------------------------


def test_every_prompt_was_understood(boards):
    for board in boards:
        assert board.purposes == {
            "extract",
            "verify",
            "disambiguate",
            "domain",
            "generate",
            "write_facts",
            "verify_facts",
        }


def test_the_funnel_keeps_what_ought_to_be_kept(boards):
    for board in boards:
        assert planted(board, "funnel_precision", "entities") >= 0.95
        assert planted(board, "funnel_recall", "entities") >= 0.95


def test_calls_are_an_eighth_of_one_per_fact_at_verdicts_that_agree(boards):
    for board in boards:
        asked = (
            board.made["generations"]
            .filter(purpose="verify_facts")
            .filter(pair("attributes", "stage").is_null())
        )
        assert 8 * asked.height <= board.made["facts"].height
        assert asked.filter(pair("attributes", "stage") == SINGLE).is_empty()
        agreed = found(board.scores, "batch_agreement", "quill")
        assert agreed.value >= 0.95 and agreed.low >= 0.85  # at an interval of which a hundred hold together


def _holds(whole: tuple, part: tuple) -> bool:
    """Whether every fact of one list stands in another."""
    return all(fact in whole[0] for fact in part[0])


def test_no_reply_is_misread(boards):
    """A tenth of the prompts of the boards, put to every model: what is read is what a careful person reads."""
    found = [one for board in boards for one in readings(board.world, board.prompts[::10], COVERAGE)]
    names = {"extract", "verify", "disambiguate", "domain", "write_facts", "verify_facts"}
    assert {one.purpose for one in found} == names and len({one.manner for one in found}) > 10
    wrong = [one for one in found if one.kind in ("turned", "invented")]
    # strict readers may lose some: of a list the fact before a line without a number, which may be the rest of it
    lost = [one for one in wrong if one.purpose == "write_facts" and _holds(one.truth, one.read)]
    assert wrong == lost and len(lost) + sum(one.kind == "lost" for one in found) <= 0.001 * len(found)


# ---- scores ------------------------------------------------------------------------------------------------


def corrected(board, **where: str) -> list[Interval]:
    return [
        found(board.scores, "wildfactscore", subject, estimator="corrected", **where) for subject in SUBJECTS
    ]


def raw(board, **where: str) -> list[Interval]:
    return [found(board.scores, "wildfactscore", subject, estimator="raw", **where) for subject in SUBJECTS]


def truth(board, **where: str) -> list[float]:
    return [planted(board, "wildfactscore", subject, **where) for subject in SUBJECTS]


@pytest.mark.parametrize("set_", SETS)
def test_corrected_scores_hold_the_planted_ones(boards, set_):
    for board in boards:
        assert all(map(holds, corrected(board, set=set_), truth(board, set=set_)))
    whole = over_subjects([corrected(board, set=set_) for board in boards])
    assert holds(whole, np.mean([truth(board, set=set_) for board in boards]))


@pytest.mark.parametrize("estimator", ["labels-alone", "ppi", "prediction-powered", "rogan-gladen-between"])
def test_estimates_from_own_labels_hold_the_planted_scores(boards, estimator):
    for board in boards:
        told = [found(board.scores, "wildfactscore", one, estimator=estimator, set="all") for one in SUBJECTS]
        assert all(map(holds, told, truth(board, set="all")))
        assert np.mean(np.abs([one.value for one in told] - np.array(truth(board, set="all")))) < 0.05


def test_the_best_estimate_holds_and_misses_by_less_than_raw(boards):
    for board in boards:
        best = [found(board.scores, "wildfactscore", one, estimator="chosen", set="all") for one in SUBJECTS]
        assert all(map(holds, best, truth(board, set="all")))
        misses = [
            np.mean(np.abs(np.array([one.value for one in each]) - truth(board, set="all")))
            for each in (best, raw(board, set="all"))
        ]
        assert misses[0] < min(0.03, misses[1])


def verifier_of(board, samples: pl.DataFrame | None = None):
    """The verifier's error as the track takes it from the labels."""
    track = board.at.p.track(BOARD)
    facts = with_share(verdicts_of(board.made["facts"], board.made["judgements"], track.verifier))
    labelled = labelled_facts(board.labelled.samples if samples is None else samples)
    return calibration(labelled, facts, confidence=board.at.p.statistics.confidence)


def test_slices_hold_the_planted_scores_once_they_are_corrected(boards):
    """The track leaves slices raw, for its labels are few; here those of all subjects and slices correct each
    of them.
    """
    for board in boards:
        verifier = verifier_of(board)
        for name, value in SLICES:
            scores = [corrected_score(one, verifier) for one in raw(board, set="all", **{name: value})]
            assert all(map(holds, scores, truth(board, set="all", **{name: value}))), (
                board.at.p.seed,
                name,
                value,
            )


def test_raw_scores_lie_below_the_planted_ones_as_the_verifiers_error_predicts(boards):
    """Raw = s · (1 − FPR) + (1 − s) · (1 − TPR): lower by as much as the verifier's alarms outweigh what it
    passes.
    """
    for board in boards:
        tpr, fpr = (planted(board, name, "quill") for name in ("verifier_tpr", "verifier_fpr"))
        told = raw(board, set="all")
        expected = [s * (1 - fpr) + (1 - s) * (1 - tpr) for s in truth(board, set="all")]
        assert all(map(holds, told, expected))
        assert np.mean([one.value for one in told]) == pytest.approx(np.mean(expected), abs=0.02)
    whole = over_subjects([raw(board, set="all") for board in boards])
    assert whole.high < np.mean([truth(board, set="all") for board in boards])


def test_labels_that_pass_what_is_false_lead_astray(boards):
    """As if people were to pass two in five of the unsupported facts: the corrected scores are too high."""
    each = []
    for board in boards:
        is_passed = pl.int_range(pl.len()) % 5 < 2
        samples = board.labelled.samples.with_columns(is_hallucinated=pl.col("is_hallucinated") & ~is_passed)
        verifier = verifier_of(board, samples)
        each.append([Interval(*corrected_score(one, verifier)[:3]) for one in raw(board, set="all")])
    assert over_subjects(each).low > np.mean([truth(board, set="all") for board in boards])


def test_strict_stands_beside_its_planted_value_uncorrected(boards):
    for board, subject, set_ in product(boards, SUBJECTS, SETS):
        strict = found(board.scores, "wildfactscore_strict", subject, estimator="raw", set=set_)
        assert (
            0
            < planted(board, "wildfactscore_strict", subject, set=set_)
            <= planted(board, "wildfactscore", subject, set=set_)
        )
        assert strict.value <= found(board.scores, "wildfactscore", subject, estimator="raw", set=set_).value
    for board in boards:  # an alarm at one fact of five is enough to lose a reply
        rows = [
            row
            for row in board.scores
            if row["metric"] == "wildfactscore_strict"
            and row["set"] == "all"
            and row["estimator"] == "raw"
            and not any(row.get(part) for part in ("domain", "wikipedia", "rarity", "region"))
        ]
        assert len(rows) == len(SUBJECTS)
        whole = [planted(board, "wildfactscore_strict", subject, set="all") for subject in SUBJECTS]
        assert np.mean([row["value"] for row in rows]) < np.mean(whole) - 0.05


@pytest.mark.parametrize("estimator", ["labels-alone", "ppi", "prediction-powered", "chosen"])
def test_strict_by_labels_of_whole_replies_holds_the_planted_one(boards, estimator):
    for board in boards:
        strict = [
            found(board.scores, "wildfactscore_strict", one, estimator=estimator, set="all")
            for one in SUBJECTS
        ]
        whole = [planted(board, "wildfactscore_strict", one, set="all") for one in SUBJECTS]
        assert all(map(holds, strict, whole))
        assert np.mean([one.value for one in strict]) == pytest.approx(np.mean(whole), abs=0.04)


def test_responding_rates_hold_the_planted_ones(boards):
    for board, subject in product(boards, SUBJECTS):
        rate = found(board.scores, "responding_rate", subject, rule="measured")
        assert holds(rate, planted(board, "responding_rate", subject, rule="planted"))


def test_the_verifiers_rates_on_labels_hold_those_of_all_facts(boards):
    for board, metric in product(boards, ("verifier_tpr", "verifier_fpr", "verifier_accuracy")):
        assert holds(found(board.scores, metric, "quill"), planted(board, metric, "quill"))


# ---- abstention --------------------------------------------------------------------------------------------


def errors_of(board, rule: str) -> tuple[int, int]:
    """False alarms and misses of a rule on the board's replies."""
    models = {alias: board.at.p.models[alias].model for alias in SUBJECTS}
    replies = read_replies(board.world, models, board.made["generations"], board.made["items"])
    said = board.made["generations"].filter(purpose="generate").select("model", "item_id", "text").rows()
    texts = {(model, item): text for model, item, text in said}
    wrong = [
        one.is_abstention
        for one in replies
        if abstention.abstains(texts[one.model, one.item_id], rule) != one.is_abstention
    ]
    return len(wrong) - sum(wrong), sum(wrong)


def test_our_rule_errs_less_than_the_papers_on_the_models_replies(boards):
    for board in boards:
        ours, theirs = (errors_of(board, rule) for rule in ("measured", "paper"))
        assert ours[0] < theirs[0] and ours[1] < theirs[1]


@pytest.mark.parametrize("metric", ["probe_false_alarm_rate", "probe_miss_rate"])
@pytest.mark.parametrize("split", ["dev", "held"])
def test_and_on_the_probe_set(boards, metric, split):
    ours, theirs = (found(boards[0].scores, metric, rule, split=split) for rule in ("measured", "paper"))
    assert ours.value < theirs.value


# ---- the review --------------------------------------------------------------------------------------------


def test_the_review_gives_back_the_kinds_that_people_without_error_name(boards):
    for board in boards:
        reviews = [task for task in board.tasks if task["kind"] == "review"]
        kinds = {task["task_id"]: kind(board, task) for task in reviews}
        rows = [{"task_id": name, "labeller": "nobody-errs", "label": label} for name, label in kinds.items()]
        known = (board.at, BOARD, board.tables, board.made, board.tasks, list(enumerate(rows, start=1)))
        told = flat(labels.label(*known, where="labels.jsonl", inputs="").scores)
        for verdict, label in product(verifier.VERDICTS, verifier.KINDS):
            of_verdict = [task for task in reviews if task["verdict"] == verdict]
            hits = sum(task["weight"] for task in of_verdict if kinds[task["task_id"]] == label)
            rate = found(told, "error_rate", "all", verdict=verdict, kind=label)
            assert rate.value == pytest.approx(hits / sum(task["weight"] for task in of_verdict), abs=1e-6)
        assert {"generation", "entailment", "unverifiable", "correct"} <= set(kinds.values())


def kind(board, task: dict) -> str:
    """The kind of error behind a verdict, as the world has it."""
    is_unsupported = task["verdict"] == "unsupported"
    return kind_of(
        board.world,
        entity_of(board.world, task),
        task["text"],
        task["passages"],
        is_unsupported=is_unsupported,
    )
