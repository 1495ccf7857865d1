"""Small hand-made rows for the tests of labels and scores."""

from dataclasses import dataclass

import polars as pl

from truerate.config import Model, Statistics
from truerate.core.schemas import Generation, Item, Judgement, Sample, frame, pairs
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.settings import Labelling

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


@dataclass(frozen=True)
class Detector:
    member: str = "token-lr"
    scope: str = "multi"
    labels: str = "binary"


@dataclass(frozen=True)
class Settings:
    """What labels and scores read of the track's settings."""

    labelling: Labelling = Labelling(
        n_annotators=3,
        shared_rate=0.5,
        shared_natural_labels=0.2,
        screening_agreement=0.4,
        settle="max-voting",
        n_plausibility=2,
    )
    tokenizer: str = "words"
    detector: Detector = Detector()


@dataclass(frozen=True)
class Params:
    settings: Settings = Settings()
    on_bad_row: str = "stop"
    seed: int = 7
    statistics: Statistics = WRITER.statistics
    models: dict = None

    def track(self, board: str) -> Settings:
        return self.settings

    def models_of(self, board: str) -> tuple[str, ...]:
        return tuple(self.models)


@dataclass(frozen=True)
class At:
    """What a step is given in place of the whole layout."""

    p: Params = Params(
        models={
            "small": Model(endpoint="e", model="s", size_b=1),
            "large": Model(endpoint="e", model="l", size_b=9),
        }
    )


def span(start: int, end: int, kind: str | None = "entity", p: float | None = None) -> dict:
    return {"start": start, "end": end, "type": kind, "p": p}


def item(item_id: str, task: str = "silver", lang: str = "en", group: str | None = None) -> dict:
    known = {
        "item_id": item_id,
        "source": "s",
        "task": task,
        "lang": lang,
        "group_id": group or f"g-{item_id}",
        "document_ids": [],
    }
    return known | {"history": "", "question": "?", "right_answer": None, "attributes": []}


def sample(
    item_id: str,
    text: str,
    *spans: dict,
    source: str = "silver",
    task: str = "silver",
    lang: str = "en",
    group: str | None = None,
) -> dict:
    return {
        "sample_id": f"{source}-{item_id}",
        "item_id": item_id,
        "pair_id": None,
        "group_id": group or f"g-{item_id}",
        "task": task,
        "lang": lang,
        "text": text,
        "is_hallucinated": bool(spans),
        "label_source": source,
        "generator": None,
        "pattern": None,
        "spans": list(spans),
        "rationale": None,
        "split": "test",
        "attributes": [],
    }


def reply(
    item_id: str,
    model: str,
    text: str,
    *,
    purpose: str = "answer",
    status: str = "ok",
    reason: str | None = None,
    **facts,
) -> dict:
    return {
        "generation_id": f"{purpose}-{item_id}-{model}-{facts.get('type', '')}",
        "item_id": item_id,
        "purpose": purpose,
        "model": model,
        "sample_index": 0,
        "params": "{}",
        "text": text,
        "finish_reason": "stop",
        "status": status,
        "reason": reason,
        "prompt_key": "k",
        "n_tokens_in": None,
        "n_tokens_out": None,
        "cost_usd": 0.0,
        "attributes": pairs(**{"lang": "en", "subset_seed": 42, "replicate": 0} | facts),
    }


def judged(
    target: str, *spans: dict, member: str = "token-lr", seed: int = 42, status: str = "ok", **facts
) -> dict:
    return {
        "judgement_id": f"{member}-{seed}-{target}-{sorted(facts.items())}",
        "judge": member,
        "judge_version": "1",
        "target_id": target,
        "verdict": bool(spans),
        "status": status,
        "reason": None,
        "spans": list(spans),
        "p": None,
        "rationale": None,
        "attributes": pairs(**{"seed": seed, "scope": "multi", "labels": "binary"} | facts),
    }


def tables(items=(), samples=(), generations=(), judgements=()) -> dict[str, pl.DataFrame]:
    models = {
        "items": (Item, items),
        "samples": (Sample, samples),
        "generations": (Generation, generations),
        "judgements": (Judgement, judgements),
    }
    return {name: frame(model, list(rows)) for name, (model, rows) in models.items()}


def by_key(scores: pl.DataFrame) -> dict[tuple, dict]:
    """Score rows by metric, subject and the values of their slice."""
    return {
        (row["metric"], row["subject"], *(pair["value"] for pair in row["slice"])): row
        for row in scores.iter_rows(named=True)
    }
