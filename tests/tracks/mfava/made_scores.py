"""Small hand-made rows for the tests of labels and scores, and what is scored of them."""

from dataclasses import dataclass
from types import SimpleNamespace

import polars as pl

from truerate.config import Model, Statistics
from truerate.core.schemas import (
    Generation,
    Item,
    Judgement,
    Outcome,
    Sample,
    Score,
    frame,
    generation_row,
    judgement_row,
    pairs,
    sample_row,
    validate,
)
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.scores import score
from truerate.tracks.mfava.settings import Labelling

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
LABELLING = {"n_annotators": 3, "shared_rate": 0.5, "shared_natural_labels": 0.2, "screening_agreement": 0.4}
MODELS = {name: Model(endpoint="e", model=name, size_b=size) for name, size in (("small", 1), ("large", 9))}


@dataclass(frozen=True)
class Detector:
    member: str = "token-lr"
    scope: str = "multi"
    labels: str = "binary"


@dataclass(frozen=True)
class Settings:
    """What labels and scores read of the track's settings."""

    labelling: Labelling = Labelling(**LABELLING, settle="max-voting", n_plausibility=2)
    tokenizer: str = "words"
    large_from: float | None = None
    detector: Detector = Detector()


def At(settings: Settings | None = None) -> SimpleNamespace:
    """What a step is given in place of the whole layout."""
    shown = {"statistics": WRITER.statistics, "seed": 7, "on_bad_row": "stop", "models": MODELS}
    values = {"track": lambda board: settings or Settings(), "models_of": lambda board: tuple(MODELS)}
    return SimpleNamespace(p=SimpleNamespace(**shown, **values))


def span(start: int, end: int, kind: str | None = "entity", p: float | None = None) -> dict:
    return {"start": start, "end": end, "type": kind, "p": p}


def item(item_id: str, task: str = "silver", lang: str = "en", group: str | None = None) -> dict:
    ids = {"item_id": item_id, "group_id": group or f"g-{item_id}", "document_ids": [], "source": "s"}
    texts = {"history": "", "question": "?", "right_answer": None, "attributes": []}
    return {**ids, "task": task, "lang": lang, **texts}


def sample(
    item_id: str, text: str, *spans: dict, source: str = "silver", group: str | None = None, **changes
) -> dict:
    values = {"sample_id": f"{source}-{item_id}", "item_id": item_id, "group_id": group or f"g-{item_id}"}
    values |= {"text": text}
    labels = {"is_hallucinated": bool(spans), "label_source": source, "spans": list(spans), "split": "test"}
    return sample_row(**{**values, **labels, "task": "silver", "lang": "en", "attributes": [], **changes})


def reply(
    item_id: str, model: str, text: str, *, purpose: str = "answer", status="ok", reason=None, **facts
) -> dict:
    name = f"{purpose}-{item_id}-{model}-{facts.get('type', '')}"
    of_row = {"generation_id": name, "item_id": item_id, "purpose": purpose, "model": model, "text": text}
    attributes = pairs(**{"lang": "en", "subset_seed": 42, "replicate": 0} | facts)
    return generation_row(**of_row, status=status, reason=reason, attributes=attributes)


def judged(
    target: str, *spans: dict, member: str = "token-lr", seed: int = 42, status: str = "ok", **facts
) -> dict:
    name = f"{member}-{seed}-{target}-{sorted(facts.items())}"
    of_row = {"judgement_id": name, "judge": member, "judge_version": "1", "target_id": target}
    attributes = pairs(**{"seed": seed, "scope": "multi", "labels": "binary"} | facts)
    outcome = {"verdict": bool(spans), "status": status, "spans": list(spans)}
    return judgement_row(**of_row, **outcome, attributes=attributes)


def tables(items=(), samples=(), generations=(), judgements=()) -> dict[str, pl.DataFrame]:
    models = {"items": (Item, items), "samples": (Sample, samples)}
    models |= {"generations": (Generation, generations), "judgements": (Judgement, judgements)}
    return {name: frame(model, list(rows)) for name, (model, rows) in models.items()}


def by_key(scores: pl.DataFrame) -> dict[tuple, dict]:
    """Score rows by metric, subject and the values of their slice."""
    rows = scores.iter_rows(named=True)
    return {(row["metric"], row["subject"], *(pair["value"] for pair in row["slice"])): row for row in rows}


# ---- what is scored of them --------------------------------------------------------------------------------

TEXT = "a b c d e f g h i j"  # ten words at 0, 2, …, 18


def words(*places: int, kind: str | None = "entity", p: float | None = None) -> list[dict]:
    """A span on each of these words."""
    return [span(2 * index, 2 * index + 1, kind, p) for index in places]


def scored(items, samples, generations, judgements, settings=None):
    """Rows of scores by what they say (`by_key`), and outcomes, of rows that keep their tables' rules."""
    given = tables(items, samples, generations, judgements)
    scores, outcomes = score(At(settings), "board", **given, inputs="digest")
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    keyed = by_key(scores)
    assert len(keyed) == scores.height
    return keyed, outcomes


def values_of(scored_rows: dict[tuple, dict], *names: str, where: tuple) -> list[float | None]:
    """The values of several metrics of one subject and slice."""
    return [scored_rows[name, *where]["value"] for name in names]


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
    replies, judgements = [], []
    for k, row in enumerate(items):
        facts = {"lang": lang, "subset_seed": (42, 43)[k % 2], "repeats": "yes" if k == 0 else None}
        for model, more in (("large", 0), ("small", 1)):
            replies.append(reply(row["item_id"], model, f"{TEXT} {model}", **facts))
            judgements.append(judged(replies[-1]["generation_id"], *words(*range(n_marked + more))))
    return items, replies, judgements
