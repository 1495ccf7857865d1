"""A small committed result whose figures are known by hand."""

from truerate.core.metric import Metric
from truerate.core.schemas import Outcome, frame, pairs
from truerate.results.files import MetricCard, Result, ResultCard, facts_of
from truerate.results.recompute import recomputed

BOARD = "made-up"
RATE = Metric(
    "hallucination_rate", "Hallucinated", "share of replies that hallucinate", "replies", "share", "down",
    interval="share",
)  # fmt: skip
# of ten sources, whose replies hallucinate: 2 of 10, 3 of 10, 10 of 10
VERDICTS = {"aster": {0, 1}, "birch": {0, 1, 2}, "cedar": set(range(10))}


def card(**changed) -> ResultCard:
    values = {
        "board": BOARD, "title": "Made up", "track": "labelled_replies", "labelled_by": "people", "judge": None,
        "set": {"name": "Made", "citation": "us", "licence": "CC0", "url": None, "redistribution": "ids-only"},
        "n_subjects": 3, "n_units": 10, "n_clusters": 10, "command": "truerate real DATA", "caveats": (),
        "unit": "reply",
        "headline": {"metric": RATE.name, "label": RATE.label, "unit": "share", "direction": "down", "slice": "", "what": "w"},
        "metrics": (MetricCard(**facts_of(RATE)),), "confidence": 0.95, "n_bootstrap": 1000, "alpha": 0.05,
        "seed": 1, "n_left_out": 0,
    }  # fmt: skip
    return ResultCard(**(values | changed))


def outcomes(verdicts=VERDICTS, n=10):
    return frame(
        Outcome,
        [
            {
                "board": BOARD, "metric": RATE.name, "subject": subject, "slice": pairs(), "unit_id": f"u{position}",
                "cluster_id": f"s{position}", "value": float(position in wrong),
            }
            for subject, wrong in verdicts.items()
            for position in range(n)
        ],
    )  # fmt: skip


def result() -> Result:
    rows = outcomes()
    return Result(card=card(), scores=recomputed(rows, card(), dict.fromkeys(VERDICTS, "model")), rows=rows)
