"""A small, plausible set of tables for the site: four boards, planted values, baselines, and texts that attack the page."""

import random
from dataclasses import replace

import tiny_halueval
from tiny_halueval import BASELINES, HOSTILE, MODELS, PATTERNS
from tiny_mfava import mfava_board, mfava_rows
from tiny_wildhallucinations import wildhallucinations_board, wildhallucinations_rows

from tests import records
from truerate.core import schemas
from truerate.core.schemas import pairs
from truerate.site import Board, Tables

WORDS = ("harbour lighthouse keeper tide", "river bridge mason", "opera <script> {{x}}", "treaty council")
LEDGER = [
    {"quantity": "Accuracy of ChatGPT on QA", "published": 62.59, "ours": None, "verdict": "cannot be checked",
     "reason": "The model snapshot is gone.", "source": "Table 6"},
    {"quantity": "Answers that break the length rule, one-pass", "published": 54.6, "ours": 54.6, "low": 50.2, "high": 58.9,
     "verdict": "reproduced", "reason": "", "source": "released files"},
    {"quantity": "Failed summaries of type I", "published": 3106, "ours": 2614, "verdict": "differs", "reason": HOSTILE[0],
     "source": "Tables 5 and 7"},
]  # fmt: skip
DOC = "Share judged rightly, `(tp + tn) / n`.\n\n    accuracy = (tp + tn) / n\n\nNone over nothing."
DOCS = [
    {"name": "accuracy", "module": "recognition", "doc": DOC},
    {"name": "holm", "module": "paired", "doc": "Adjusted p-values (Holm 1979)."},
]
RULE = "Calls the longer text hallucinated by a fitted threshold."
DETECTORS = [
    {"name": "length", "module": "trivial", "doc": RULE},
]
SOURCE = {
    "name": "closed-world", "title": "The closed world", "citation": "written by this repository", "licence": "CC0-1.0",
    "redistribution": "yes", "url": "https://example.org/<x>", "lang": "en", "note": "A seeded fictional encyclopedia.",
}  # fmt: skip
CLOSED = {
    "name": "published-files", "licence": "MIT", "redistribution": "ids-only", "citation": HOSTILE[1], "url": None, "lang": "en",
}  # fmt: skip


def tiny_tables() -> Tables:
    """The tables; the same at every call."""
    draw = random.Random(7)
    world, real = "halueval-closed-world", "halueval-published"
    rows = tiny_halueval.recognition(world, draw) + tiny_halueval.patterns(world, draw)
    for name, value in BASELINES.items():
        rows.append(tiny_halueval.row(real, "recognition", name, "baseline", "accuracy", value, task="qa"))
    for task in PATTERNS:
        for name, skill in MODELS.items():
            for stage, share in (("before", skill / 2), ("after", skill / 4)):
                metric = f"flagged_rate_{stage}"
                rows.append(tiny_halueval.row(world, "refinement", name, "model", metric, share, task=task))
    rows.append(
        tiny_halueval.row(world, "labels", "labellers", "published", "fleiss_kappa", 0.81, task="general")
    )
    caveats = ("Both sides of a pair are not independent: intervals resample pairs.", HOSTILE[0])
    own = records.of_track("halueval")
    own["track_card"] = replace(own["track_card"], caveats=caveats)
    asked = {"n_in": 200, "n_dead": 0, "n_abstained": 2}
    counts = [
        {"step": step, "model": name, "slice": pairs(task=task)}
        | asked
        | {"n_ok": 194 - k, "n_unparsed": 4 + k, "n_thought": 2 * k}
        for step in ("sample", "recognition")
        for k, name in enumerate(MODELS)
        for task in ("qa", "dialogue")
    ]
    topics = [
        {
            "task": task,
            "topic": k,
            "words": words.split(),
            "judge": name,
            "n": 40 + k,
            "n_failed": 9,
            "p_holm": 0.5,
        }
        | {"rate": round(0.1 + 0.11 * k + (0.9 - skill), 3), "is_failed": 0.11 * k + (0.9 - skill) > 0.4}
        for task in ("qa", "dialogue")
        for k, words in enumerate(WORDS)
        for name, skill in MODELS.items()
    ]

    def board(name, source, title, *more, **facts):
        audit = schemas.frame(schemas.Score, tiny_halueval.audit(name))
        texts = tiny_halueval.samples(name, draw)
        return Board(
            name, "halueval", source, f"HaluEval on {title}", *more, **texts, audit=audit, **facts, **own
        )

    roles = {"generator": "quill", "filter judge": "quill", "responder": "aster"}
    facts = {"counts": schemas.frame(schemas.Count, counts), "topics": topics, "source_card": SOURCE}
    boards = (
        board(world, "closed-world", "the closed world", True, roles, **facts),
        board(real, "published-files", "the published files", False, source_card=CLOSED),
        mfava_board(),
        wildhallucinations_board(),
    )
    rows += mfava_rows() + wildhallucinations_rows()
    return Tables(
        title="truerate",
        boards=boards,
        models={name: {"family": name, "model": f"sim-{name}"} for name in ("quill", *MODELS)},
        rows=schemas.frame(schemas.Row, rows),
        ledger=[{"board": real} | line for line in LEDGER],
        metric_docs=DOCS,
        detector_docs=DETECTORS,
        max_samples=240,
    )
