"""Small hand-made rows for the tests of labels and scores, and what is scored of them."""

from dataclasses import dataclass, replace

import polars as pl

from truerate.config import Model, Statistics
from truerate.core.schemas import Generation, Item, Judgement, Outcome, Sample, Score, frame, pairs, validate
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.scores import score
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
    large_from: float | None = None
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


# ---- what is scored of them ---------------------------------------------------------------------------------

TEXT = "a b c d e f g h i j"  # ten words at 0, 2, …, 18


def words(*places: int, kind: str | None = "entity", p: float | None = None) -> list[dict]:
    """A span on each of these words."""
    return [span(2 * place, 2 * place + 1, kind, p) for place in places]


def scored(items, samples, generations, judgements, settings=None):
    """Rows of scores by what they say (`by_key`), and outcomes, of rows that keep their tables' rules."""
    at = At() if settings is None else At(replace(Params(models=At().p.models), settings=settings))
    scores, outcomes = score(at, "board", **tables(items, samples, generations, judgements), inputs="digest")
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    keys = scores.with_columns(pl.col("slice").list.eval(pl.element().struct.field("value")).list.join(" "))
    assert not keys.select("metric", "subject", "slice").is_duplicated().any()
    return by_key(scores), outcomes


# Two silver passages: gold 0, 1, 2 (invented: 2) and 5. Marked: 0, 1, 7 and 5. n 20, gold 4, detected 4, both
# 3.
SILVER = [sample("i1", TEXT, *words(0, 1), *words(2, kind="invented")), sample("i2", TEXT, *words(5))]
SAID = [
    judged("silver-i1", *words(0, 1, 7, kind="hallucination", p=0.9)),
    judged("silver-i2", *words(5, p=0.6), *words(6, p=0.5)),
]
ITEMS = [item("i1"), item("i2")]


def wild(n: int, *, lang: str = "en", n_marked: int = 2) -> tuple[list, list, list]:
    """`n` queries, answered by two models: `large` has `n_marked` words of ten marked, `small` one more; the
    first reply repeats itself.
    """
    items = [item(f"{lang}{k}", "wild", lang, f"article-{lang}-{k}") for k in range(n)]
    facts = [
        {"lang": lang, "subset_seed": (42, 43)[k % 2], "repeats": "yes" if k == 0 else None} for k in range(n)
    ]
    models = ("large", "small")
    replies = [
        reply(one["item_id"], model, f"{TEXT} {model}", **more)
        for one, more in zip(items, facts, strict=True)
        for model in models
    ]
    marked = {"large": n_marked, "small": n_marked + 1}
    said = [judged(row["generation_id"], *words(*range(marked[row["model"]]))) for row in replies]
    return items, replies, said
