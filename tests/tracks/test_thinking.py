"""What thinking costs and brings: accuracy, tokens, verdicts that change between thought and answer."""

import polars as pl
import pytest

from tests.rows import generation
from truerate.config import Statistics
from truerate.config.models import Model
from truerate.core.errors import TruerateError
from truerate.core.schemas import Generation, Score, frame, pairs, unpaired, validate
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.thinking import least_effort, score_thinking, thought_verdict
from truerate_world.draws import draw
from truerate_world.manners import Answer
from truerate_world.prompt import HEADED, Asked
from truerate_world.thinking import EFFORTS, SPOILS, thought_over

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
CUE = "Your Judgement"
YES, NO = "The date is another one. So the answer is Yes.", "All of it is told. So the answer is No."


def model(**more) -> Model:
    return Model(endpoint="local", model="thinker", **more)


MODELS = {
    "quick": model(effort="low", price=(0.0, 1.0)),
    "slow": model(params={"reasoning_effort": "high"}),
    "plain": Model(endpoint="local", model="other"),
}
# per text its label, then of each model the verdict, tokens and thought; h hallucinated, r right
SAID = {
    "h1": {"quick": (False, 10, YES), "slow": (True, 100, YES), "plain": (True, 1, None)},
    "h2": {"quick": (True, 20, YES), "slow": (True, 200, "I cannot tell."), "plain": (False, 1, None)},
    "r1": {"quick": (False, 30, YES), "slow": (False, 300, NO), "plain": (None, 1, None)},
    "r2": {"quick": (True, 40, None), "slow": (False, 400, YES), "plain": (False, 1, None)},
}


def rows_and_replies() -> tuple[pl.DataFrame, pl.DataFrame]:
    rows, replies = [], []
    for text, by_model in SAID.items():
        for name, (verdict, n_tokens, thought) in by_model.items():
            about = {"variant": "plain", "target": text, "thought": thought}
            how = {"n_tokens_out": n_tokens, "cost_usd": n_tokens / 1e6 if name == "quick" else 0.0}
            row = generation(
                f"{name}-{text}", "item", "recognise", name, "Yes", attributes=pairs(**about), **how
            )
            replies.append(row)
            rows.append(
                {
                    "judge": name,
                    "variant": "plain",
                    "task": "qa",
                    "sample_id": text,
                    "group_id": text,
                    "is_hallucinated": text[0] == "h",
                    "verdict": verdict,
                }
            )
    rows.append(rows[0] | {"judge": "rule"})  # a detector, which replies to nothing
    return pl.DataFrame(rows), frame(Generation, replies)


@pytest.fixture(scope="module")
def scores() -> dict:
    how = {"purposes": ("recognise",), "keys": ("task", "variant"), "cue": CUE}
    score_rows = score_thinking(*rows_and_replies(), MODELS, WRITER, **how)
    validate(Score, frame(Score, score_rows), where="scores")
    return {(row["subject"], row["metric"]): row for row in score_rows}


@pytest.mark.parametrize(
    ("subject", "metric", "value", "n"),
    [
        ("quick", "accuracy_at_cost", 2 / 4, 4),  # h2 and r1
        ("slow", "accuracy_at_cost", 4 / 4, 4),
        ("plain", "accuracy_at_cost", 2 / 4, 4),  # an unread verdict is wrong
        ("quick", "tokens_per_verdict", 25.0, 4),
        ("quick", "tokens_per_caught", 100.0, 4),  # 100 tokens, h2 caught
        ("slow", "tokens_per_caught", 500.0, 4),  # 1,000 tokens, h1 and h2 caught
        ("quick", "usd_per_caught", 1e-4, 4),
        ("slow", "effort_gain", 2 / 4, 4),  # right on h1 and r2, where quick is wrong
        ("quick", "thought_rate", 3 / 4, 4),
        ("quick", "thought_read_rate", 1.0, 3),
        ("slow", "thought_read_rate", 3 / 4, 4),
        ("quick", "changed_rate", 2 / 3, 3),  # h1 and r1 were Yes in the thought and No in the answer
        ("quick", "thought_accuracy", 2 / 3, 3),
        ("quick", "answer_accuracy", 2 / 3, 3),  # r1 mended, h1 spoiled
        ("slow", "changed_rate", 1 / 3, 3),
    ],
)
def test_by_hand(scores, subject, metric, value, n):
    row = scores[subject, metric]
    assert (row["value"], row["n"]) == (pytest.approx(value), n)


def test_what_is_not_known_has_no_row(scores):
    """A model without a price, an effort or a thought has no cost in money, no gain, no changed verdict; the least
    effort has no gain over itself, and a detector nothing at all.
    """
    absent = [
        ("slow", "usd_per_caught"),
        ("quick", "effort_gain"),
        ("plain", "effort_gain"),
        ("plain", "changed_rate"),
    ]
    assert not [key for key in absent if key in scores] and "rule" not in {subject for subject, _ in scores}
    efforts = {subject: unpaired(row["slice"]).get("effort") for (subject, _), row in scores.items()}
    assert efforts == {"quick": "low", "slow": "high", "plain": None}


def test_least_of_words_and_budgets():
    models = {
        name: model(effort=effort) for name, effort in (("a", 4096), ("b", "minimal"), ("c", 512), ("d", 0))
    }
    assert [least_effort(name, models) for name in models] == ["d"] * 4
    assert least_effort("b", {"b": models["b"], "x": model(effort="max")}) == "b"


@pytest.mark.parametrize(
    ("thought", "verdict"),
    [
        (YES, True),
        (NO, False),
        (
            "The summary says 1412. So the answer is Yes. Wait, the source says so too.\nFinal answer: No",
            False,
        ),
        (
            "Is it hallucinated? The date agrees. Therefore the summary contains no hallucinated information.",
            False,
        ),
        ("The answer is Yes. " + "I look once more. " * 9, None),  # too far from the end
        ("I am to answer Yes or No.", None),
        ("", None),
    ],
)
def test_verdict_of_a_thought(thought, verdict):
    assert thought_verdict(thought, CUE) is verdict


def test_unknown_effort_is_refused():
    with pytest.raises(
        (TruerateError, ValueError), match="none, minimal, low, medium, high, xhigh, max, or a budget"
    ):
        model(effort="huge")


@pytest.mark.parametrize("effort", EFFORTS)
def test_planted_effort_is_recovered(effort):
    """Simulated verdicts that are thought over are mended and spoiled at the planted rates, and what the product
    reads in the thought and in the answer are the two verdicts that were planted.
    """
    asked = Asked(HEADED, "Your Judgement")
    n, turned = 2000, {True: 0, False: 0}
    for number in range(n):
        first, is_hallucinated = draw(number, "first") < 0.5, draw(number, "truth") < 0.5
        said = Answer(
            "recognition", "", {"verdict": "Yes" if first else "No", "is_hallucinated": is_hallucinated}
        )
        over = thought_over(said, effort, asked, number)
        turned[first == is_hallucinated] += over.truth["verdict"] != over.truth["thought"]
        if number < 20:
            thought, _, last = over.text.removeprefix("<think>").partition("</think>")
            assert thought_verdict(thought.strip(), CUE) is first and last.strip() == over.truth["verdict"]
    for is_right, rate in ((False, EFFORTS[effort].mends), (True, SPOILS)):
        assert turned[is_right] / (n / 2) == pytest.approx(rate, abs=0.05)
