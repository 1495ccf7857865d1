"""The whole build finds what was planted: servers, model layer, prompts, parsing, labels and scores together.

The target is always the planted parameter, never the realised share: the probability with which a simulated
model errs, averaged over the texts that were judged. Texts of QA, dialogue and summarization are labelled by
how they were made; general replies are labelled by people with planted errors of their own, and a text that
they label wrongly counts in the target as it is labelled: TPR there is what a judge says of texts that people
called hallucinated, judging error and all. The people's errors are a family of their own.

Intervals hold together over all models, slices and seeds of a family with 99 %. They are exact, for equal
claims are one draw, and items that repeat are left out. A change of the world's code or of a seed draws
everything anew; a right build then fails one of these tests in three of a hundred times (exact tails,
summed): look at the scatter of all counts, below, before believing such a failure. What is broken on purpose must
be seen: a check that nothing can fail proves nothing.
"""

from dataclasses import replace
from math import sqrt
from types import SimpleNamespace

import polars as pl
import pytest

from truerate.core.schemas import PAIRS, pairs
from truerate.llm.ask import ask
from truerate_world.halueval.models.profiles import PROFILES
from truerate_world.models import COVERAGE

from .board import ROOT, Board, build_board
from .cells import (
    DEPENDENT,
    FAMILIES,
    Cell,
    cells_of,
    clopper_pearson,
    family,
    independent,
    label_cells,
    lean,
    leaning,
    missed,
    pooled,
    spread,
    wrong_vote,
)
from .misreading import each_once, readings

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover")]
SEEDS = (101, 202, 303)
FIRST = SEEDS[:1]  # every run of the suite has one board, the longer proof all of them
ALL_BOARDS = pytest.param(SEEDS, id="all boards", marks=pytest.mark.proof)


@pytest.fixture(scope="module", params=[pytest.param(FIRST, id="one board"), ALL_BOARDS])
def boards(request, tmp_path_factory) -> list[Board]:
    """The boards of some seeds, built once: every test here reads them."""
    met: set[tuple] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return [build_board(seed, tmp_path_factory.mktemp(f"world-{seed}"), met) for seed in request.param]


@pytest.fixture(scope="module")
def cells(boards) -> list[Cell]:
    """Every measured value with a planted one, per seed."""
    return [cell for board in boards for cell in (*cells_of(board), *label_cells(board))]


@pytest.mark.parametrize("name", FAMILIES)
def test_planted_values_lie_in_the_simultaneous_intervals(cells, name):
    found = family(name, cells)
    assert found and not missed(found)


def test_planted_values_lie_in_the_intervals_of_all_seeds_together(cells):
    assert not missed(pooled(cells))


def test_every_simulated_model_is_measured_wherever_something_is_planted(boards):
    for board in boards:
        rows = [
            row
            for row in board.planted()
            if row["metric"] not in DEPENDENT
            and "reason" not in {pair["key"] for pair in row["slice"]}  # one that nobody met has no row
        ]
        found = cells_of(board, planted=rows)
        assert {cell.subject for cell in found} == set(board.at.p.track("halueval-closed-world").models())
        named = {
            (cell.metric, cell.subject, tuple(one for one in cell.where if one[0] != "scheme"))
            for cell in found
        }
        for row in rows:
            where = tuple(
                sorted((pair["key"], pair["value"]) for pair in row["slice"] if pair["key"] != "scheme")
            )
            assert (row["metric"], row["subject"], where) in named


def test_first_position_is_half_and_half_the_disagreement(boards):
    """A judge takes the first of two in both orders, or the same text in both: (2d + (1 − d)) / 2 = (1 + d) /
    2 of d; off by at most half of the replies whose mate in the other order could not be read.
    """
    for board in boards:
        names = ("filter_disagreement_rate", "filter_first_position_rate", "filter_unparsed_rate")
        found = {
            (row["metric"], row["subject"], row["slice"][0]["value"]): row["value"]
            for row in board.scores
            if row["metric"] in names
        }
        judges = {(subject, task) for _, subject, task in found}
        assert len(judges) == 3 * len(board.at.p.track("halueval-closed-world").models())
        for judge in judges:
            disagreement, first, unread = (found[name, *judge] for name in names)
            assert first == pytest.approx((1 + disagreement) / 2, abs=unread + 1e-5)
            assert unread or first == pytest.approx((1 + disagreement) / 2, abs=1e-5)


def test_labels_are_those_of_people_with_errors(boards):
    """Else the target of the general task would be no other than that of the rest."""
    found = [board.samples.filter(task="general") for board in boards]
    assert all(
        rows["label_source"].unique().to_list() == ["gold"] and rows["is_hallucinated"].n_unique() == 2
        for rows in found
    )


def test_a_board_that_is_asked_over_http_has_the_same_rows(tmp_path, monkeypatch):
    """Server process, client, store and all: replies, verdicts and labels are those of the boards here."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    direct, over_http = (build_board(404, tmp_path / str(how), set(), n=8, asking=how) for how in (None, ask))
    assert direct.prompts and not over_http.prompts and direct.dataset.generations.height > 300
    assert over_http.dataset.generations.equals(direct.dataset.generations)
    for table in ("samples", "judgements", "labelled"):
        assert getattr(over_http, table).equals(getattr(direct, table))


def test_no_reply_is_misread(boards):
    """Every prompt of the boards, put to every model: what is read is what a careful person reads."""
    asked = list(each_once(one for board in boards for one in board.prompts))
    prompts = asked[:: len(boards)]  # of all seeds: texts of another world are read as strange ones
    found = list(readings(boards[0].world, prompts, COVERAGE))
    assert {one.purpose for one in found} == {"sample", "filter", "recognition", "contrast"}
    assert len({one.manner for one in found}) > 15
    assert not [one for one in found if one.kind in ("turned", "invented")]  # strict readers may lose some
    assert sum(one.kind == "lost" for one in found) <= 0.002 * len(found)


# ---- all cells at once -------------------------------------------------------------------------------------

# Over all cells at once the measured counts scatter around the planted values as binomial counts do, no more, no less,
# on neither side: a bias that is small and everywhere, or rows that are counted several times, show here.


def test_counts_scatter_as_binomial_counts_do(cells):
    mean, band = spread(independent(cells))
    assert abs(mean - 1) <= band and band < 0.25 * sqrt(len(SEEDS) / len({cell.seed for cell in cells}))


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in ("tpr", "reasons of failure")])
def test_no_model_leans_to_one_side(cells, name):
    """Over all seeds, tasks, variants and patterns of a model; TPR over all patterns is the sum of the TPR by
    pattern, which is here, and reasons exclude one another: one that nobody met has no row.
    """
    found = family(name, cells)
    assert independent(found) and not leaning(found)


def test_exact_interval_by_hand():
    """Of 0 in 10 the upper end u has (1 − u)^10 = .025: u = 1 − .025^(1/10) = .3085; 10 in 10 mirrors it."""
    assert clopper_pearson(0, 10, confidence=0.95) == (0.0, pytest.approx(0.3085, abs=1e-4))
    assert clopper_pearson(10, 10, confidence=0.95) == (pytest.approx(0.6915, abs=1e-4), 1.0)


def test_spread_and_lean_by_hand():
    """60 of 100 at .5: v = 25, z = 2, z² = 4; variance of z² = 2 + (1 − 1.5)/25 = 1.98, its root 1.4071."""
    cell = Cell("tnr", "a", (("task", "qa"),), 1, 60, 100, 0.5)
    assert spread([cell]) == (4.0, pytest.approx(4 * 1.4071, abs=1e-3))
    assert lean([cell] * 4) == (2.0, 2.0)


def test_a_vote_is_wrong_as_often_as_two_of_three_err():
    """Alarms .03, .03, .06, .02: ab + ac + bc − 2abc is .004392 (.03 .03 .06), .002064 (.03 .03 .02), twice
    .003528 (.03 .06 .02).
    """
    assert wrong_vote(False) == pytest.approx((0.004392 + 0.002064 + 2 * 0.003528) / 4, abs=1e-6)


# ---- what is broken on purpose -----------------------------------------------------------------------------

SHIFT = 0.15
SHIFTS = {  # a planted rate of one model, moved by .15, and the family that must see it
    "tpr of dialogue": (
        "tpr",
        lambda m: replace(m, tpr={k: p - SHIFT if k[0] == "dialogue" else p for k, p in m.tpr.items()}),
    ),
    "fpr of qa": ("tnr", lambda m: replace(m, fpr=m.fpr | {"qa": m.fpr["qa"] + SHIFT})),
    "unparsed": ("unparsed", lambda m: replace(m, unparsed=m.unparsed + SHIFT)),
    "contrast": ("contrast", lambda m: replace(m, contrast={k: p - SHIFT for k, p in m.contrast.items()})),
    "refusal": ("candidate failure", lambda m: replace(m, refusal=m.refusal + SHIFT)),
    "verbosity": ("length rule", lambda m: replace(m, verbosity=m.verbosity + SHIFT)),
    "position bias": ("filtering", lambda m: replace(m, position_bias=m.position_bias + SHIFT)),
}

FAINT = ("tpr of dialogue",)  # seen in all boards together alone


def seen(boards, name: str) -> list[str]:
    """What a family finds: intervals of all seeds together that miss, and models that lean to one side."""
    found = family(name, [cell for board in boards for cell in cells_of(board)])
    return missed(pooled(found)) + leaning(found)


@pytest.mark.parametrize(
    ("boards", "name"),
    [pytest.param(FIRST, name, id=f"one board-{name}") for name in SHIFTS if name not in FAINT]
    + [pytest.param(SEEDS, name, id=f"all boards-{name}", marks=pytest.mark.proof) for name in SHIFTS],
    indirect=["boards"],
)
def test_a_planted_rate_moved_by_15_points_is_seen(boards, monkeypatch, name):
    family_of_it, moved = SHIFTS[name]
    monkeypatch.setitem(PROFILES, "sim-aster", moved(PROFILES["sim-aster"]))
    found = seen(boards, family_of_it)
    assert found and all("of aster" in line for line in found)


def with_generations(board, generations: pl.DataFrame) -> SimpleNamespace:
    """The data set of a board with other replies."""
    return SimpleNamespace(**vars(board.dataset) | {"generations": generations})


def judged_otherwise(board, *changes):
    """A board with changed judgements, and without the replies of its making, which have nothing to do with
    them.
    """
    known = with_generations(board, board.dataset.generations.clear())
    return replace(board, dataset=known, judgements=board.judgements.with_columns(*changes))


def test_replies_without_a_verdict_left_out_silently_are_seen(boards):
    broken = [judged_otherwise(board) for board in boards]
    broken = [
        replace(board, judgements=board.judgements.filter(pl.col("verdict").is_not_null()))
        for board in broken
    ]
    assert len(seen(broken, "unparsed")) > (10 if len(boards) == len(SEEDS) else 3)


def test_replies_without_a_verdict_taken_for_no_are_seen(boards):
    broken = [
        judged_otherwise(board, pl.col("verdict").fill_null(False), pl.lit("ok").alias("status"))
        for board in boards
    ]
    assert len(seen(broken, "unparsed")) > 10


def test_two_models_exchanged_are_seen(boards):
    broken = [
        judged_otherwise(board, pl.col("judge").replace({"aster": "elm", "elm": "aster"})) for board in boards
    ]
    assert all(seen(broken, name) for name in ("tpr", "tpr by pattern", "tnr", "contrast", "unparsed"))


@pytest.mark.parametrize("boards", [ALL_BOARDS], indirect=True)
def test_two_patterns_exchanged_are_seen(boards):
    """In the samples as they are scored; the planted values stay those of the right ones."""
    pattern = pl.col("pattern").replace(
        {"extrinsic-soft": "extrinsic-hard", "extrinsic-hard": "extrinsic-soft"}
    )
    broken = [
        judged_otherwise(replace(board, samples=board.samples.with_columns(pattern))) for board in boards
    ]
    cells = [
        cell
        for board, other in zip(boards, broken, strict=True)
        for cell in cells_of(board, scores=other.scores)
    ]
    assert missed(pooled(family("tpr by pattern", cells)))


def test_candidates_that_repeat_the_right_text_and_pass_are_seen(boards):
    assert seen(
        [made_otherwise(board, lambda known: {"rejected": None}) for board in boards], "candidate failure"
    )


def test_a_stricter_length_rule_is_seen(boards):
    """As if two words more than the right text broke the rule that allows five."""

    def strictly(known: dict) -> dict:
        return {"too_long": "yes" if int(known.get("words_over", 0)) > 1 else None}

    assert seen([made_otherwise(board, strictly) for board in boards], "length rule")


def made_otherwise(board, change):
    """A board with changed facts of its candidates, and without the judgements, which have nothing to do with
    them.
    """

    def changed(found: list[dict]) -> list[dict]:
        known = {pair["key"]: pair["value"] for pair in found}
        return pairs(**known | change(known))

    generations = board.dataset.generations
    attributes = pl.Series("attributes", [changed(found) for found in generations["attributes"]], dtype=PAIRS)
    known = with_generations(board, generations.with_columns(attributes))
    return replace(board, dataset=known, judgements=board.judgements.clear())


def test_rows_counted_three_times_are_too_sure(cells):
    """As if a draw that three rows share had been three draws: z² is 3 on average."""
    tripled = [replace(cell, k=3 * cell.k, n=3 * cell.n) for cell in independent(cells)]
    mean, band = spread(tripled)
    assert mean - 1 > band
