"""The tables and the facts of a small made-up board: two tasks, a reference under a licence of its own,
columns that hold nothing.
"""

from collections.abc import Iterable
from functools import partial

import polars as pl

from truerate.core.card import Card, Ranked, Section
from truerate.core.metric import Metric
from truerate.core.schemas import (
    Count,
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    Row,
    Sample,
    Score,
    frame,
    pairs,
    score_row,
)
from truerate.hub.release import BoardFacts

SOURCE = "little"
CARD = {
    "name": "Little questions",
    "citation": "A. Nobody. Little questions. 2026.",
    "licence": "MIT",
    "redistribution": "yes",
    "url": "https://example.org/little",
    "lang": "en",
    "files": [{"file": "little.jsonl", "n_rows": 8, "sha256": "ab" * 32}],
    "counts": {"n_items": 8},
}
TASKS = (
    *("qa", "dialogue", "summarization", "general", "train", "held-out", "silver", "article", "wild"),
    *("chat", "entity", "fact"),
)
TRACK = Card(
    name="halueval",
    title="HaluEval",
    paper="HaluEval",
    citation="Li, J. et al. (2023). HaluEval. arXiv:2305.11747.",
    url="https://arxiv.org/abs/2305.11747",
    summary="Can a model tell whether a text contains hallucination?",
    tasks={"qa": "answers to questions"},
    steps=(Section("Sampling", "2.1", "A model writes hallucinated counterparts."),),
    ranks=Ranked("accuracy", {}, "recognition accuracy"),
    caveats=("The boards rank recognition.",),
)
_labels = partial(Metric, table="labels", unit="number")
_audit = partial(Metric, table="audit")
_dataset = partial(Metric, table="dataset")
METRICS = {
    one.name: one
    for one in (
        Metric(
            "accuracy",
            "Accuracy",
            "Share judged rightly.",
            "recognition",
            direction="up",
            source="Section | 3",
        ),
        _dataset("n_samples", "Labelled texts", "Labelled texts.", unit="count"),
        _dataset("hallucinated_rate", "Hallucinated", "Share of labelled texts."),
        _labels("fleiss_kappa", "Fleiss’ κ", "Agreement beyond chance."),
        _audit("shortcut_balanced_accuracy", "Balanced accuracy", "Mean recall of both classes."),
        _audit("shortcut_pairwise", "Pairs told apart", "Share of pairs told apart."),
        _audit("shortcut_auroc", "AUROC", "Area under the curve."),
        _audit("shortcut_accuracy", "Accuracy", "Not measured here."),
    )
}
# Texts that tempt a reader of YAML, CSV, Markdown or JSON.
TEXTS = (
    "no", 'two\nlines, "quoted", a | bar', "Zürich 𠮷 مرحبا 🦜", "null", "<b>bold</b> [x](y) {{ 7 * 7 }}", "",
    "'", "1e5",
)  # fmt: skip
SPAN = {"start": 0, "end": 1, "type": "entity", "p": None}


def _samples(n: int) -> Iterable[dict]:
    for i in range(n):
        task = "qa" if i % 2 else "held-out"
        split = "test" if task == "held-out" or i % 3 == 0 else "train"
        yield {
            "sample_id": f"s{i:02d}",
            "item_id": f"i{i % 4}",
            "pair_id": None,
            "group_id": f"g{i % 4}",
            "task": task,
            "lang": "no" if i == 2 else "en",
            "text": TEXTS[i % len(TEXTS)] or "x",
            "is_hallucinated": i % 4 == 1,
            "label_source": "gold" if i % 3 else "published",
            "generator": None,
            "pattern": None,
            "spans": [SPAN, {**SPAN, "end": 2, "type": None, "p": 0.25}] if i % 4 == 1 else [],
            "rationale": None,
            "split": split,
            "attributes": pairs(scheme="one-pass", url=TEXTS[i % len(TEXTS)]) if i % 2 else [],
        }


def tables(n: int = 12, *, licences: tuple[str, ...] = ("MIT",)) -> dict[str, pl.DataFrame]:
    """The tables of the board; document `d<i>` stands under the i-th of `licences`, over again. No facts, and
    no judgement.
    """
    items = [
        {
            "item_id": f"i{i}",
            "source": SOURCE,
            "task": "qa",
            "lang": "en",
            "group_id": f"g{i}",
            "document_ids": [f"d{i}", "gone"][: i and 2],
        }
        | {"history": "", "question": f"Question {i}?", "right_answer": None, "attributes": []}
        for i in range(4)
    ]
    documents = [
        {
            "document_id": f"d{i}",
            "lang": "en",
            "title": f"Title {i}",
            "text": f"Text {i}.",
            "url": None,
            "source": SOURCE,
        }
        | {"licence": licences[i % len(licences)], "dated": None, "is_wikipedia": False}
        for i in range(4)
    ]
    reply = {
        "item_id": "i1", "purpose": "sample", "model": "m", "sample_index": 0, "params": "{}",
        "text": "A reply.", "status": "ok",
    }  # fmt: skip
    reply |= {
        "finish_reason": None,
        "reason": None,
        "prompt_key": "k",
        "n_tokens_in": None,
        "n_tokens_out": None,
        "cost_usd": 0.0,
    }
    count = {
        "step": "sample", "model": "m", "n_in": 3, "n_ok": 2, "n_dead": 1, "n_abstained": 0,
        "n_unparsed": 0, "n_thought": 0,
    }  # fmt: skip
    row = {
        "board": "b", "table": "t", "subject": "m", "kind": "model", "metric": "accuracy", "value": 0.5,
        "n": 8, "provenance": "x",
    }  # fmt: skip
    return {
        "samples": frame(Sample, list(_samples(n))),
        "items": frame(Item, items),
        "documents": frame(Document, documents),
        "generations": frame(Generation, [reply | {"generation_id": "r1", "attributes": []}]),
        "facts": frame(Fact),
        "judgements": frame(Judgement),
        "counts": frame(Count, [count | {"slice": pairs(task=task)} for task in ("qa", "general")]),
        "scores": scores(),
        "leaderboard": frame(Row, [row | {"slice": pairs(task="qa")}]),
    }


def scores() -> pl.DataFrame:
    """Scores of the board: an accuracy, two statistics of the set, and an agreement."""
    expected = {"board": "b", "inputs": "abc"}
    rows = [
        score_row("accuracy", "m", {"task": "qa"}, (0.5, 0.4, 0.6), 8, **expected),
        score_row("n_samples", "dataset", {"task": "qa"}, 1234, 1234, **expected),
        score_row("hallucinated_rate", "dataset", {"task": "qa"}, (0.5, 0.4, 0.6), 1234, **expected),
    ]
    return frame(
        Score,
        [*rows, score_row("fleiss_kappa", "annotators", {"task": "qa"}, (0.71, 0.6, 0.8), 8, **expected)],
    )


def audit() -> pl.DataFrame:
    """A shortcut audit: one shortcut that tells everything, and one without pairs."""
    expected, where = {"board": "b", "inputs": "abc"}, {"task": "qa"}
    results = [
        ("shortcut_balanced_accuracy", "words", (0.912, 0.8, 0.95)),
        ("shortcut_pairwise", "words", None),
    ]
    results += [
        ("shortcut_balanced_accuracy", "majority", (0.5, 0.5, 0.5)),
        ("shortcut_auroc", "words", (0.93, 0.9, 0.97)),
    ]
    return frame(
        Score, [score_row(metric, subject, where, value, 8, **expected) for metric, subject, value in results]
    )


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
