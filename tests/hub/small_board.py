"""The tables and the facts of a small made-up board (small_board.yaml): two tasks, a reference under a licence
of its own, columns that hold nothing.
"""

from collections.abc import Iterable
from pathlib import Path

import polars as pl
import yaml

from truerate.core import schemas
from truerate.core.card import Card, Ranked, Section
from truerate.core.metric import Metric
from truerate.core.schemas import frame, pairs, score_row
from truerate.hub.release import BoardFacts

BOARD = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
SOURCE, CARD, TASKS, TEXTS = "little", BOARD["card"], tuple(BOARD["tasks"]), BOARD["texts"]
TRACK = Card(
    **BOARD["track"],
    steps=(Section("Sampling", "2.1", "A model writes hallucinated counterparts."),),
    ranks=Ranked("accuracy", {}, "recognition accuracy"),
    caveats=("The boards rank recognition.",),
)
METRICS = {values["name"]: Metric(**values) for values in BOARD["metrics"]}
SPAN = {"start": 0, "end": 1, "type": "entity", "p": None}


def _samples(n: int) -> Iterable[dict]:
    for i in range(n):
        task, text = "qa" if i % 2 else "held-out", TEXTS[i % len(TEXTS)]
        yield BOARD["sample"] | {
            "sample_id": f"s{i:02d}",
            "item_id": f"i{i % 4}",
            "group_id": f"g{i % 4}",
            "task": task,
            "lang": "no" if i == 2 else "en",
            "text": text or "x",
            "is_hallucinated": i % 4 == 1,
            "label_source": "gold" if i % 3 else "published",
            "spans": [SPAN, {**SPAN, "end": 2, "type": None, "p": 0.25}] if i % 4 == 1 else [],
            "split": "test" if task == "held-out" or i % 3 == 0 else "train",
            "attributes": pairs(scheme="one-pass", url=text) if i % 2 else [],
        }


def tables(n: int = 12, *, licences: tuple[str, ...] = ("MIT",)) -> dict[str, pl.DataFrame]:
    """The tables of the board; document `d<i>` stands under the i-th of `licences`, over again. No facts, and
    no judgement.
    """
    items = [
        {"item_id": f"i{i}", "group_id": f"g{i}", "question": f"Question {i}?"}
        | {"document_ids": [f"d{i}", "gone"][: i and 2]}
        for i in range(4)
    ]
    documents = [
        {"document_id": f"d{i}", "title": f"Title {i}", "text": f"Text {i}."}
        | {"licence": licences[i % len(licences)]}
        for i in range(4)
    ]
    return {
        "samples": frame(schemas.Sample, list(_samples(n))),
        "items": frame(schemas.Item, [BOARD["item"] | item for item in items]),
        "documents": frame(schemas.Document, [BOARD["document"] | document for document in documents]),
        "generations": frame(schemas.Generation, [BOARD["generation"]]),
        "facts": frame(schemas.Fact),
        "judgements": frame(schemas.Judgement),
        "counts": frame(
            schemas.Count, [BOARD["count"] | {"slice": pairs(task=task)} for task in ("qa", "general")]
        ),
        "scores": scores(),
        "leaderboard": frame(schemas.Row, [BOARD["row"] | {"slice": pairs(task="qa")}]),
    }


def scores(name: str = "scores") -> pl.DataFrame:
    """Scores of the board: an accuracy, two statistics of the set, and an agreement; or its shortcut audit."""
    rows = [
        score_row(metric, subject, {"task": "qa"}, value, n, board="b", inputs="abc")
        for metric, subject, value, n in BOARD[name]
    ]
    return frame(schemas.Score, rows)


def audit() -> pl.DataFrame:
    """Its shortcut audit: one shortcut that tells everything, and one without pairs."""
    return scores("audit")


def facts(**more) -> BoardFacts:
    """What the card says of the board; `more` in place of what is usual."""
    usual = {
        "board": "little-board",
        "title": "HaluEval on little questions",
        "track": TRACK,
        "metrics": METRICS,
        "source": CARD,
        "languages": ("en", "no"),
        "models": {"filter_judge": "quill-1"},
        "scores": scores(),
        "audit": audit(),
        "findings": ("words alone tells 0.912 of texts (balanced) in qa (threshold 0.75)",),
        "recipe": {"build/params.yaml": "seed: 1\n", "build/dvc.lock": "schema: '2.0'\n"},
        "is_simulated": False,
        "counts": tables()["counts"],
    }
    return BoardFacts(**usual | more)
