"""The whole mFAVA track finds what was planted: writer, translator, subjects, people and detectors, each with
errors of its own.

Everything but the detectors comes through the track's steps from simulated models behind an endpoint; the
detectors' errors are planted here, so that what their counts should make of a rate is known. Intervals of a
family hold together with 99 %; those of shares are exact. The target of a rate is never the share of the very
replies but that of many others of the same models to the same queries.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from truerate.core.schemas import Score, frame, pair
from truerate.core.tags import REPLACED, TYPES
from truerate.leaderboard.rows import outcome_matrix
from truerate.metrics.intervals import Interval
from truerate.metrics.ranking import compare_all
from truerate.metrics.rates import mean_of_intervals
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.scores import rejected_rows
from truerate_world.encyclopedia import build as build_world
from truerate_world.manners import manners_of
from truerate_world.mfava import annotate
from truerate_world.mfava.models.planted import PROFILES, rates
from truerate_world.models import COVERAGE

from .board import ROOT
from .cells import Cell, missed, pooled
from .mfava_board import (
    BLINDER,
    BOARD,
    EVEN,
    LANGS,
    MARKERS,
    PARTIAL,
    REPLIES,
    SEEDS,
    SHIER,
    SUBJECTS,
    build_board,
    expected_kappa,
    flat,
    p_marked,
)
from .misreading import readings, recorded

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover-mfava")]
WRONG_LANGUAGE = {
    "tr": 1.7,
    "zh": 1.3,
}  # how much oftener a language with less is left; English is left for languages not declared here
FLAWS = ("repeats", "dont_know", "cut", "wrong_language")
PLACES = list(product(SUBJECTS, LANGS))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store") / "responses.sqlite"


@pytest.fixture(scope="module")
def boards(tmp_path_factory, store):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(store))
        return [build_board(seed, tmp_path_factory.mktemp(f"wiki-{seed}")) for seed in SEEDS]


@pytest.fixture(scope="module")
def scored(boards):
    """The Score rows and the outcomes of every board with every detector, by (marker, seed)."""
    both = product((*MARKERS, PARTIAL), boards)
    return {(marker, board.at.p.seed): board.scores(marker) for marker, board in both}


def cell(board, metric: str, subject: str, k: int, n: int, planted: float, **where: str) -> Cell:
    return Cell(metric, subject, tuple(sorted(where.items())), board.at.p.seed, k, n, planted)


def holds(interval, value: float) -> bool:
    return interval.low <= value <= interval.high


# ---- replies in the wild -----------------------------------------------------------------------------------


def sentence_cells(board) -> list[Cell]:
    """Hallucinated sentences of replies without a flaw, by model and language, and of each type, by model."""
    made, of_type = [], {}
    for alias, lang in PLACES:
        rows = [
            row
            for row in board.answers
            if (row["model"], row["lang"]) == (alias, lang) and not any(row.get(f) for f in FLAWS)
        ]
        claims = [claim for row in rows for claim in board.known.read(row["text"], lang)]
        types = [
            board.known.false_in(claim)[0]["type"] if board.known.false_in(claim) else None
            for claim in claims
        ]
        known = rates(board.at.p.models[alias].model, lang)
        made.append(
            cell(
                board,
                "false_sentences",
                alias,
                len(types) - types.count(None),
                len(types),
                sum(known.values()),
                lang=lang,
            )
        )
        for kind in TYPES:
            of_type.setdefault((alias, kind), []).append((types.count(kind), len(types), known[kind]))
    for (alias, kind), found in of_type.items():
        k, n = sum(one[0] for one in found), sum(one[1] for one in found)
        made.append(
            cell(
                board, "sentences_of_type", alias, k, n, sum(one[1] * one[2] for one in found) / n, type=kind
            )
        )
    return made


def flaw_cells(board, scores: list[dict]) -> list[Cell]:
    """Flaws that the track counts, by model and language, beside what is planted."""
    made = []
    for row in scores:
        flaw, lang = row["metric"].removesuffix("_rate"), row.get("lang")
        factor = WRONG_LANGUAGE.get(lang) if flaw == "wrong_language" else 1.0
        if flaw in FLAWS and lang in LANGS and factor:
            planted = getattr(PROFILES[board.at.p.models[row["subject"]].model], flaw) * factor
            made.append(
                cell(
                    board, flaw, row["subject"], round(row["value"] * row["n"]), row["n"], planted, lang=lang
                )
            )
    return made


def test_replies_hold_the_planted_sentences(boards):
    cells = [one for board in boards for one in sentence_cells(board)]
    assert (
        len(cells) == len(SEEDS) * (len(PLACES) + len(SUBJECTS) * len(TYPES))
        and not missed(cells)
        and not missed(pooled(cells))
    )


def test_flaws_are_found_as_often_as_planted(boards, scored):
    cells = [one for board in boards for one in flaw_cells(board, scored[EVEN, board.at.p.seed][0])]
    assert (
        len(cells) == len(SEEDS) * len(SUBJECTS) * (3 * len(LANGS) + len(WRONG_LANGUAGE))
        and not missed(cells)
        and not missed(pooled(cells))
    )


def test_flaws_that_are_not_looked_for_are_missed(boards, scored):
    cells = [
        replace(one, k=0) for board in boards for one in flaw_cells(board, scored[EVEN, board.at.p.seed][0])
    ]
    assert {line.split(" of ")[0] for line in missed(pooled(replace(one, where=()) for one in cells))} == set(
        FLAWS
    )


# ---- writer and translator ---------------------------------------------------------------------------------


def reject_cells(board) -> list[Cell]:
    """Replies of the writer and the translator that were rejected, by reason, beside the faults that lead there.

    A fault of a translation changes nothing where there is nothing to spoil: of passages without tags, or
    tags of one type to swap.
    """
    generations = board.made["generations"].with_columns(
        *(pair("attributes", name).alias(name) for name in ("lang", "type", "sample")),
        bad=pl.col("reason").fill_null(""),
    )
    spans = {
        name: [one["type"] for one in found]
        for name, found in board.tables.samples.select("sample_id", "spans").iter_rows()
    }
    profile, made = PROFILES["sim-quill"], []
    for lang in LANGS:
        inserts = generations.filter(purpose="insert", lang=lang)
        added = inserts.filter(
            ~pl.col("type").is_in(REPLACED)
        )  # a name or words to replace may be lacking, too
        planted = {
            "malformed": (added, profile.unclosed),
            "nothing-inserted": (added, profile.nothing),
            "altered": (inserts, profile.altered),
            "refusal": (inserts, profile.refuses),
            "thought_only": (inserts, manners_of("sim-quill").unfinished),
        }
        for reason, (rows, rate) in planted.items():
            made.append(
                cell(
                    board,
                    "insert",
                    "quill",
                    (rows["bad"] == reason).sum(),
                    rows.height,
                    rate,
                    lang=lang,
                    reason=reason,
                )
            )
        passages = generations.filter(purpose="translate", lang=lang).select("bad", "sample").rows()
        for reason, least, rate in (
            ("tag-count", 1, profile.dropped + profile.doubled),
            ("tag-order", 2, profile.swapped),
        ):
            rows = [
                bad for bad, name in passages if len(spans[name] if least == 1 else set(spans[name])) >= least
            ]
            made.append(
                cell(
                    board, "translate", "quill", rows.count(reason), len(rows), rate, lang=lang, reason=reason
                )
            )
    return [one for one in made if one.n]


def test_faults_of_writer_and_translator_become_rejects(boards):
    cells = [one for board in boards for one in reject_cells(board)]
    assert (
        len(cells) == len(SEEDS) * (5 * len(LANGS) + 2 * (len(LANGS) - 1))
        and not missed(cells)
        and not missed(pooled(cells))
    )


def test_the_boards_rejected_rates_are_those_counts(boards):
    for board in boards:
        writer = ScoreWriter(BOARD, "", board.at.p.statistics, board.at.p.seed)
        rows = flat(frame(Score, rejected_rows(board.made["generations"], writer)))
        told = {
            (row["step"], row["lang"], row["reason"]): row["value"]
            for row in rows
            if row["metric"] == "n_rejected"
        }
        found = [one for one in reject_cells(board) if one.metric == "translate"]
        assert found and all(
            told.get(("translate", one.slice["lang"], one.slice["reason"]), 0) == one.k for one in found
        )


def test_faults_that_pass_are_missed(boards):
    cells = [replace(one, k=0) for board in boards for one in reject_cells(board)]
    by_step = pooled(replace(one, where=()) for one in cells)
    assert len(missed(by_step)) == len(by_step) == 2


# ---- people ------------------------------------------------------------------------------------------------


def people_of(board) -> dict[str, annotate.Annotator]:
    return annotate.profiles({name for task in board.tasks for name in task["annotators"]})


def people_cells(board, people) -> list[Cell]:
    """Spans that an annotator passes or gives another type, and true sentences that they mark, in the labels
    as they were read.
    """
    texts = {task["task_id"]: annotate.text_of(board.known, task) for task in board.tasks}
    counts: dict[tuple[str, str], list[bool]] = {}
    for judge, name, spans in board.labelled.judgements.select("judge", "target_id", "spans").iter_rows():
        for false in texts[name].spans:
            found = [one for one in spans if one["start"] < false["end"] and false["start"] < one["end"]]
            counts.setdefault((judge, "missing"), []).append(not found)
            if found:
                counts.setdefault((judge, "mistyping"), []).append(
                    all(one["type"] != false["type"] for one in found)
                )
        for start, end in texts[name].true:
            inside = any(
                start <= one["start"] and one["end"] <= end for one in spans
            )  # a border that was shifted comes from outside
            counts.setdefault((judge, "alarm"), []).append(inside)
    return [
        cell(board, error, judge, sum(said), len(said), getattr(people[judge], error))
        for (judge, error), said in counts.items()
    ]


def kappas(board, people) -> list[tuple[float, Interval]]:
    """Cohen's κ that the annotators who are heard should have in each language, and what the track found,
    with its interval.
    """
    rows = [
        row for row in flat(board.labelled.scores) if row["metric"] == "cohen_kappa" and row["lang"] in LANGS
    ]
    heard = sorted(people)[:-1]
    found = []
    for row in rows:
        shared = [task for task in board.tasks if task["lang"] == row["lang"] and len(task["annotators"]) > 1]
        texts = [annotate.text_of(board.known, task) for task in shared]
        expected = expected_kappa([[p_marked(text, people[name]) for name in heard] for text in texts])
        found.append((expected, Interval(row["value"], row["low"], row["high"])))
    return found


def test_people_err_as_planted(boards):
    cells = [one for board in boards for one in people_cells(board, people_of(board))]
    assert len(cells) == len(SEEDS) * 5 * 3 and not missed(cells) and not missed(pooled(cells))


def test_agreement_is_what_their_errors_make_it(boards):
    found = [one for board in boards for one in kappas(board, people_of(board))]
    assert len(found) == len(SEEDS) * len(LANGS)
    assert all(holds(interval, expected) for expected, interval in found)
    assert holds(
        mean_of_intervals([interval for _, interval in found]), np.mean([expected for expected, _ in found])
    )


def test_worse_people_are_seen_in_agreement(boards):
    """As if all of them were to pass a tenth more of what is false than they do."""
    worse = [
        {name: replace(one, missing=one.missing + 0.1) for name, one in people_of(board).items()}
        for board in boards
    ]
    found = [one for board, people in zip(boards, worse, strict=True) for one in kappas(board, people)]
    assert not holds(
        mean_of_intervals([interval for _, interval in found]), np.mean([expected for expected, _ in found])
    )


def test_the_careless_one_is_not_heard(boards):
    for board in boards:
        careless = sorted(people_of(board))[-1]
        rejected = board.labelled.rejects.filter(reason="screened_out")
        assert rejected["target_id"].unique().to_list() == [careless] and rejected.height == len(LANGS)


# ---- rates -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def estimates(scored):
    """Every estimate by (marker, seed, estimator, calibration, model, language, replies)."""
    found = {}
    for key, (rows, _) in scored.items():
        for row in (row for row in rows if row["metric"] == "hallucination_rate"):
            where = (row["estimator"], row.get("calibration"), row["subject"], row["lang"], row["replies"])
            found[*key, *where] = Interval(row["value"], row["low"], row["high"])
    return found


def predicted(board, marker, estimator: str, alias: str, lang: str) -> float:
    """What an estimate on silver comes to, from the detector's planted error, the planted rate and how much
    is inserted into silver.

    H = π·hit + (1 − π)·alarm of the wild texts. HR_est = P·H/R, and P/R = s / (s·hit + (1 − s)·alarm) where s
    of silver is inserted. Rogan–Gladen = (H − alarm) / (hit − alarm) with silver's hit and alarm.
    """
    rate, share = board.planted[alias, lang, "all"], board.inserted[lang]
    flagged = rate * marker.hit[1] + (1 - rate) * marker.alarm[1]
    hit, alarm = marker.hit[0], marker.alarm[0]
    if estimator == "hr_est":
        return share * flagged / (share * hit + (1 - share) * alarm)
    return (flagged - alarm) / (hit - alarm)


def over_all(
    boards, estimates, marker, estimator: str, calibration: str, subjects=SUBJECTS
) -> tuple[Interval, float]:
    """The mean of an estimate over models, languages and seeds, and of the planted rates.

    Models of one language and seed share their calibration: the ends of their intervals are averaged as if
    they were one estimate.
    """
    each, planted = [], []
    for board, lang in product(boards, LANGS):
        found = [
            estimates[marker, board.at.p.seed, estimator, calibration, alias, lang, "all"]
            for alias in subjects
        ]
        each.append(Interval(*np.mean(np.array(found), axis=0)))
        planted += [board.planted[alias, lang, "all"] for alias in subjects]
    return mean_of_intervals(each), float(np.mean(planted))


every_marker = pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: marker.name)


@every_marker
def test_planted_rates_lie_in_rogan_gladens_natural_intervals(boards, estimates, marker):
    for board, (alias, lang), replies in product(boards, PLACES, REPLIES):
        found = estimates[marker, board.at.p.seed, "rogan-gladen", "natural", alias, lang, replies]
        assert found.value is not None and holds(found, board.planted[alias, lang, replies])
    assert holds(*over_all(boards, estimates, marker, "rogan-gladen", "natural"))


@every_marker
@pytest.mark.parametrize("estimator", ["hr_est", "rogan-gladen"])
def test_estimates_on_silver_fail_as_the_planted_shift_predicts(boards, estimates, marker, estimator):
    expected = {}
    for board, (alias, lang) in product(boards, PLACES):
        rate = max(0.0, predicted(board, marker, estimator, alias, lang))
        assert holds(estimates[marker, board.at.p.seed, estimator, "silver", alias, lang, "all"], rate)
        expected[board.at.p.seed, alias, lang] = rate
    found, _ = over_all(boards, estimates, marker, estimator, "silver")
    assert holds(found, np.mean(list(expected.values())))


@pytest.mark.parametrize("marker", [EVEN, SHIER], ids=lambda marker: marker.name)
def test_hr_est_on_silver_is_too_high(boards, estimates, marker):
    """Far more is inserted into silver than is false in the wild, so that its precision promises too much."""
    found, planted = over_all(boards, estimates, marker, "hr_est", "silver")
    assert found.low > planted
    for board, (alias, _) in product(boards, PLACES):
        own = np.mean([board.planted[alias, lang, "all"] for lang in LANGS])
        assert estimates[marker, board.at.p.seed, "hr_est", "silver", alias, "all", "all"].value > own


def test_rogan_gladen_on_silver_fails_by_the_shift_of_the_detector_alone(boards, estimates):
    """Too high where truths of the wild alarm it more than those of silver, too low where it sees less there;
    prevalence does no harm.
    """
    (high, planted), (low, _) = (
        over_all(boards, estimates, marker, "rogan-gladen", "silver") for marker in (SHIER, BLINDER)
    )
    assert high.low > planted and low.value < planted
    assert holds(*over_all(boards, estimates, EVEN, "rogan-gladen", "silver"))


def test_hr_est_on_natural_labels_of_all_models_draws_them_together(boards, estimates):
    """Precision depends on prevalence, and each model has its own: the best model is told too high and the
    worst too low.
    """
    best, planted_best = over_all(boards, estimates, EVEN, "hr_est", "natural", ("aster",))
    worst, planted_worst = over_all(boards, estimates, EVEN, "hr_est", "natural", ("elm",))
    assert best.value > planted_best and worst.value < planted_worst
    assert holds(*over_all(boards, estimates, EVEN, "hr_est", "natural"))


# ---- the headline --------------------------------------------------------------------------------------------

HEADLINE = ("prediction-powered", "natural")


def planted_mean(board, alias: str, replies: str = "all") -> float:
    return float(np.mean([board.planted[alias, lang, replies] for lang in LANGS]))


def held(boards, estimates, marker, *estimator: str | None, subjects=SUBJECTS) -> list[bool]:
    """Whether each cell's interval and each model's mean holds what was planted, all replies and kept ones."""
    found = []
    for board, alias, which in product(boards, subjects, REPLIES):
        for lang in (*LANGS, "all"):
            one = estimates[marker, board.at.p.seed, *estimator, alias, lang, which]
            rate = planted_mean(board, alias, which) if lang == "all" else board.planted[alias, lang, which]
            found.append(one.value is not None and holds(one, rate))
    return found


def errors_of_means(boards, estimates, marker, *estimator: str | None) -> dict[tuple[int, str], float]:
    """Estimated less planted, by (seed, model), of those that are told: a mean is not where a language is not
    identified.
    """
    found = {
        (board.at.p.seed, alias): (
            estimates[marker, board.at.p.seed, *estimator, alias, "all", "all"].value,
            planted_mean(board, alias),
        )
        for board, alias in product(boards, SUBJECTS)
    }
    return {key: value - planted for key, (value, planted) in found.items() if value is not None}


def tau_to_truth(boards, estimates, marker, *estimator: str | None) -> float:
    """Kendall's τ of models' rates with the planted ones, the mean over languages and the seeds where it is told."""
    rates = [
        float(
            np.nanmean(
                np.array(
                    [
                        estimates[marker, board.at.p.seed, *estimator, alias, "all", "all"].value
                        for board in boards
                    ],
                    dtype=float,
                )
            )
        )
        for alias in SUBJECTS
    ]
    return float(
        kendalltau(rates, [np.mean([planted_mean(board, one) for board in boards]) for one in SUBJECTS])[0]
    )


def wrongly_ordered(board, outcomes) -> tuple[int, int]:
    """Pairs of models that the rank tests tell apart over all languages, and those of them that stand the wrong
    way round.
    """
    over_all = outcomes.filter(
        pl.col("slice").list.eval(pl.element().struct.field("value") == "all").list.sum() == 2
    )  # all languages, all replies
    subjects, values, clusters = outcome_matrix(over_all)
    compared = compare_all(values, clusters, n_resamples=2000, alpha=0.05, seed=7)
    apart = [one for one in compared if one.p_holm <= 0.05]
    return len(apart), sum(
        (one.difference > 0)
        != (planted_mean(board, subjects[one.first]) > planted_mean(board, subjects[one.second]))
        for one in apart
    )


@pytest.mark.parametrize("marker", [*MARKERS, PARTIAL], ids=lambda marker: marker.name)
def test_the_headline_holds_in_every_cell_and_mean_however_the_detector_errs(boards, estimates, marker):
    found = held(boards, estimates, marker, *HEADLINE)
    assert len(found) == len(SEEDS) * len(REPLIES) * len(SUBJECTS) * (len(LANGS) + 1) and all(found)
    errors = errors_of_means(boards, estimates, marker, *HEADLINE)
    assert len(errors) == len(SEEDS) * len(SUBJECTS) and np.mean(np.abs(list(errors.values()))) <= 0.04
    assert tau_to_truth(boards, estimates, marker, *HEADLINE) >= 0.8


def test_models_stand_in_the_right_order_where_tests_tell_them_apart(boards, scored):
    found = [
        wrongly_ordered(board, scored[marker, board.at.p.seed][1])
        for marker, board in product((*MARKERS, PARTIAL), boards)
    ]
    assert all(n for n, _ in found) and not any(wrong for _, wrong in found)


def test_where_errors_differ_from_model_to_model_nothing_but_labels_of_the_replies_holds(boards, estimates):
    """Raw shares and rates corrected by errors that are pooled over models miss, and turn models round."""
    for estimator in (
        ("raw", None),
        ("rogan-gladen", "natural"),
        ("rogan-gladen", "silver"),
        ("hr_est", "silver"),
    ):
        assert tau_to_truth(boards, estimates, PARTIAL, *estimator) < 0.8
        errors = errors_of_means(boards, estimates, PARTIAL, *estimator)
        assert max(map(abs, errors.values())) > 0.08
    for estimator in (("raw", None), ("hr_est", "silver")):
        assert not any(held(boards, estimates, PARTIAL, *estimator, subjects=("aster",)))


def test_no_reply_is_misread(boards, store):
    """Every prompt of the boards, put to every model: what is read is what a careful person reads."""
    world = build_world(boards[0].at.p.seed, tuple(boards[0].at.p.languages))
    found = list(readings(world, list(recorded(store))[:: len(boards)], COVERAGE))
    assert {one.purpose for one in found} == {"write", "insert"}
    assert len({one.manner for one in found}) >= 8
    assert not [one for one in found if one.kind != "right"]
