"""A small, plausible set of tables for the site: two boards, planted values, baselines, and texts that attack the page."""

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


def tiny_tables() -> Tables:
    """The tables; the same at every call."""
    draw = random.Random(7)
    world, real = "halueval-closed-world", "halueval-published"
    rows = tiny_halueval.recognition(world, draw) + tiny_halueval.patterns(world, draw)
    rows += [
        tiny_halueval.row(real, "recognition", name, "baseline", "accuracy", value, task="qa")
        for name, value in BASELINES.items()
    ]
    rows += [
        tiny_halueval.row(world, "refinement", name, "model", f"flagged_rate_{stage}", v, task=task)
        for task in PATTERNS
        for name, skill in MODELS.items()
        for stage, v in (("before", skill / 2), ("after", skill / 4))
    ]
    rows += [
        tiny_halueval.row(world, "labels", "labellers", "published", "fleiss_kappa", 0.81, task="general")
    ]
    caveats = ("Both sides of a pair are not independent: intervals resample pairs.", HOSTILE[0])
    own = {
        "track_card": replace(records.card("halueval"), caveats=caveats),
        "metrics": tuple(records.records("halueval").values()),
        "shared_metrics": records.SHARED,
    }
    counts = [
        {
            "step": step,
            "model": name,
            "slice": pairs(task=task),
            "n_in": 200,
            "n_ok": 194 - k,
            "n_dead": 0,
            "n_abstained": 2,
            "n_unparsed": 4 + k,
            "n_thought": 2 * k,
        }
        for step in ("sample", "recognition")
        for k, name in enumerate(MODELS)
        for task in ("qa", "dialogue")
    ]
    words = (
        ["harbour", "lighthouse", "keeper", "tide"],
        ["river", "bridge", "mason"],
        ["opera", "<script>", "{{x}}"],
        ["treaty", "council"],
    )
    topics = [
        {
            "task": task,
            "topic": k,
            "words": found,
            "judge": name,
            "n": 40 + k,
            "n_failed": 9,
            "rate": round(0.1 + 0.11 * k + (0.9 - skill), 3),
            "p_holm": 0.5,
            "is_failed": 0.11 * k + (0.9 - skill) > 0.4,
        }
        for task in ("qa", "dialogue")
        for k, found in enumerate(words)
        for name, skill in MODELS.items()
    ]
    source = {
        "name": "closed-world",
        "title": "The closed world",
        "citation": "written by this repository",
        "licence": "CC0-1.0",
        "redistribution": "yes",
        "url": "https://example.org/<x>",
        "lang": "en",
        "note": "A seeded fictional encyclopedia.",
    }
    boards = (
        Board(
            world,
            "halueval",
            "closed-world",
            "HaluEval on the closed world",
            True,
            {"generator": "quill", "filter judge": "quill", "responder": "aster"},
            **tiny_halueval.samples(world, draw),
            audit=schemas.frame(schemas.Score, tiny_halueval.audit(world)),
            counts=schemas.frame(schemas.Count, counts),
            topics=topics,
            source_card=source,
            **own,
        ),
        Board(
            real,
            "halueval",
            "published-files",
            "HaluEval on the published files",
            False,
            **tiny_halueval.samples(real, draw),
            audit=schemas.frame(schemas.Score, tiny_halueval.audit(real)),
            **own,
            source_card={
                "name": "published-files",
                "licence": "MIT",
                "redistribution": "ids-only",
                "citation": HOSTILE[1],
                "url": None,
                "lang": "en",
            },
        ),
    )
    boards += (mfava_board(), wildhallucinations_board())
    rows += mfava_rows() + wildhallucinations_rows()
    ledger = [
        {
            "board": real,
            "quantity": "Accuracy of ChatGPT on QA",
            "published": 62.59,
            "ours": None,
            "verdict": "cannot be checked",
            "reason": "The model snapshot is gone.",
            "source": "Table 6",
        },
        {
            "board": real,
            "quantity": "Answers that break the length rule, one-pass",
            "published": 54.6,
            "ours": 54.6,
            "low": 50.2,
            "high": 58.9,
            "verdict": "reproduced",
            "reason": "",
            "source": "released files",
        },
        {
            "board": real,
            "quantity": "Failed summaries of type I",
            "published": 3106,
            "ours": 2614,
            "verdict": "differs",
            "reason": HOSTILE[0],
            "source": "Tables 5 and 7",
        },
    ]
    docs = [
        {
            "name": "accuracy",
            "module": "recognition",
            "doc": "Share judged rightly, `(tp + tn) / n`.\n\n    accuracy = (tp + tn) / n\n\nNone over nothing.",
        },
        {"name": "holm", "module": "paired", "doc": "Adjusted p-values (Holm 1979)."},
    ]
    detectors = [
        {
            "name": "length",
            "module": "trivial",
            "doc": "Calls the longer text hallucinated by a fitted threshold.",
            "is_rule": True,
        },
        {"name": "fold_of", "module": "family", "doc": "The fold of a group."},
    ]
    return Tables(
        title="truerate",
        boards=boards,
        models={name: {"family": name, "model": f"sim-{name}"} for name in ("quill", *MODELS)},
        rows=schemas.frame(schemas.Row, rows),
        ledger=ledger,
        metric_docs=docs,
        detector_docs=detectors,
        max_samples=240,
    )
