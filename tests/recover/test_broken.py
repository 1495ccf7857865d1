"""What is broken on purpose must be seen: a check that nothing can fail proves nothing."""

from dataclasses import replace

import polars as pl
import pytest

from truerate.core.schemas import PAIRS, pairs
from truerate_world.halueval.models.profiles import PROFILES

from .cells import cells_of, family, independent, leaning, missed, pooled, spread

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover")]
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

ALWAYS = ("tpr of dialogue", "unparsed", "refusal")  # seen in every run of the suite; the others are proofs


def seen(boards, name: str) -> list[str]:
    """What a family finds: intervals of all seeds together that miss, and models that lean to one side."""
    found = family(name, [cell for board in boards for cell in cells_of(board)])
    return missed(pooled(found)) + leaning(found)


@pytest.mark.parametrize(
    "name", [*ALWAYS, *(pytest.param(name, marks=pytest.mark.proof) for name in SHIFTS if name not in ALWAYS)]
)
def test_a_planted_rate_moved_by_15_points_is_seen(boards, monkeypatch, name):
    family_of_it, moved = SHIFTS[name]
    monkeypatch.setitem(PROFILES, "sim-aster", moved(PROFILES["sim-aster"]))
    found = seen(boards, family_of_it)
    assert found and all("of aster" in line for line in found)


def judged_otherwise(board, *changes):
    """A board with changed judgements, and without the replies of its making, which have nothing to do with
    them.
    """
    known = replace(board.dataset, generations=board.dataset.generations.clear())
    return replace(board, dataset=known, judgements=board.judgements.with_columns(*changes))


def test_replies_without_a_verdict_left_out_silently_are_seen(boards):
    broken = [judged_otherwise(board) for board in boards]
    broken = [
        replace(board, judgements=board.judgements.filter(pl.col("verdict").is_not_null()))
        for board in broken
    ]
    assert len(seen(broken, "unparsed")) > 10


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
    known = replace(board.dataset, generations=generations.with_columns(attributes))
    return replace(board, dataset=known, judgements=board.judgements.clear())


def test_rows_counted_three_times_are_too_sure(cells):
    """As if a draw that three rows share had been three draws: z² is 3 on average."""
    tripled = [replace(cell, k=3 * cell.k, n=3 * cell.n) for cell in independent(cells)]
    mean, band = spread(tripled)
    assert mean - 1 > band
