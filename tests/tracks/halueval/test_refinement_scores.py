"""Refinement's scores against fractions derived by hand."""

import pytest

from truerate.core.schemas import Generation, Item, Judgement, Sample, Score, frame, pairs, validate
from truerate.llm.generation import Prompted, generation
from truerate.llm.request import Request
from truerate.tracks.halueval.dataset_scores import score_refinement, score_rewritings

from .builders import dead, item, ok, sample
from .test_recognition_scores import VERDICTS, WRITER, paired, verdict_of

REWRITTEN = {"h0": False, "r2": None}  # flagged: h0, h2, r2. h2 was never rewritten, r2's form was not read


def verdicts(**elsewhere) -> list[dict]:
    rows = [verdict_of("judge", name, verdict, variant="plain") for name, verdict in VERDICTS.items()]
    rows += [
        verdict_of("judge", f"new-{name}", verdict, variant="plain", stage="refined", sample=name)
        for name, verdict in REWRITTEN.items()
    ]
    return rows + [
        verdict_of(
            "other", f"new-{name}", verdict, variant="plain", stage="refined", sample=name, refined_by="judge"
        )
        for name, verdict in elsewhere.items()
    ]


def rates(judgements: list[dict]) -> dict:
    scores = score_refinement(frame(Sample, paired(4)), frame(Judgement, judgements), WRITER)
    validate(Score, scores, where="scores")
    assert set(scores["subject"]) == {"judge"}
    return dict(zip(scores["metric"], scores["value"], strict=True))


def test_before_and_after_by_the_model_itself():
    assert rates(verdicts()) == {"flagged_rate_before": 3 / 8, "flagged_rate_after": 2 / 8}


def test_after_by_another_judge():
    # the other judge still flags h0 and takes r2 for right: h0, and h2 that has no rewriting
    shares = rates(verdicts(h0=True, r2=False))
    assert shares == {
        "flagged_rate_before": 3 / 8,
        "flagged_rate_after": 2 / 8,
        "flagged_rate_after_judge": 2 / 8,
    }
    assert rates(verdicts(h0=False, r2=False))["flagged_rate_after_judge"] == 1 / 8


def test_a_detector_with_several_seeds_beside_the_models_changes_nothing():
    seeds = [
        verdict_of("net", name, name == "h0", variant="plain", seed=seed)
        for name in VERDICTS
        for seed in "01"
    ]
    assert rates(verdicts() + seeds) == rates(verdicts())


def rewriting(item_id: str, sample_id: str, reply, *, task: str = "qa") -> dict:
    asked = Prompted(Request("judge", (), {}), item_id, "refine", {"task": task, "sample": sample_id})
    return generation(asked, reply)


def test_whether_a_rewriting_says_the_right_answer():
    items = [item(f"i{k}", right_answer="the Black Sea") for k in range(4)]
    items.append(item("d", "dialogue"))
    samples = [sample(f"h{k}", f"i{k}", True) for k in range(3)] + [sample("r3", "i3", False)]
    samples.append(sample("hd", "d", True, task="dialogue"))
    rows = [
        rewriting("i0", "h0", ok("Black Sea.")),  # the same
        rewriting("i1", "h1", ok("It flows into the Black Sea.")),  # contains it
        rewriting("i2", "h2", dead()),
        rewriting("i3", "r3", ok("the Black Seal")),  # no whole word
        rewriting("d", "hd", ok("Right d"), task="dialogue"),  # an answer of many wordings is not compared
    ]
    scores = score_rewritings(frame(Generation, rows), frame(Item, items), frame(Sample, samples), WRITER)
    validate(Score, scores, where="scores")
    shares = {
        (row["metric"], *(cell["value"] for cell in row["slice"])): (row["value"], row["n"])
        for row in scores.iter_rows(named=True)
    }
    third = pytest.approx(1 / 3, abs=1e-6)
    assert shares == {
        ("refined_same_rate", "qa"): (1 / 4, 4),
        ("refined_contains_rate", "qa"): (2 / 4, 4),
        ("refined_same_rate", "hallucinated", "qa"): (third, 3),
        ("refined_contains_rate", "hallucinated", "qa"): (pytest.approx(2 / 3, abs=1e-6), 3),
        ("refined_same_rate", "right", "qa"): (0, 1),
        ("refined_contains_rate", "right", "qa"): (0, 1),
    }
    assert pairs(task="qa", label="right") in scores["slice"].to_list()
