"""Small hand-made tables of replies, facts, verdicts and labels for the tests of tasks, labels and scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from truerate.config import Model, Statistics
from truerate.core.schemas import Document, Fact, Generation, Item, Judgement, Sample, Score, frame, pairs
from truerate.core.schemas.rows import generation_row, judgement_row, sample_row
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


@dataclass(frozen=True)
class Settings:
    """What labels and scores read of the track's settings."""

    verifier: str = "judge"
    verifiers: tuple[str, ...] = ()
    panel: tuple[str, ...] | None = None
    gamma: int = 4
    f1_at: int | None = None
    strict: str = "readable"
    domains_above: int = 1
    n_annotators: int = 3


@dataclass(frozen=True)
class Params:
    settings: Settings = Settings()
    on_bad_row: str = "stop"
    seed: int = 7
    statistics: Statistics = WRITER.statistics
    models: Mapping[str, Model] = field(default_factory=dict)

    def track(self, board: str) -> Settings:
        return self.settings


@dataclass(frozen=True)
class At:
    """What a step is given in place of the whole layout."""

    p: Params = Params()


def item(item_id, domain="medical", wikipedia="true", rarity="10^2", pages=("page",)) -> dict:
    values = {"item_id": item_id, "source": "s", "task": "entity", "lang": "en", "group_id": item_id}
    facts_of_item = pairs(name=item_id, domain=domain, is_wikipedia=wikipedia, rarity_group=rarity)
    texts = {"history": "", "question": f"Name {item_id}", "right_answer": None}
    return values | texts | {"document_ids": list(pages), "attributes": facts_of_item}


def generation(name, item_id, model, purpose, text="", status="ok", reason=None, **facts) -> dict:
    ids = {"generation_id": name, "item_id": item_id, "purpose": purpose, "model": model, "prompt_key": name}
    outcome = {"text": text, "finish_reason": "stop", "status": status, "reason": reason}
    return generation_row(**ids, **outcome, n_tokens_in=1, n_tokens_out=1, attributes=pairs(**facts))


def reply(
    subject: str, item_id: str, status: str = "ok", text: str = "It is a word.", **marked
) -> list[dict]:
    """A reply, and where it responds the row of the writer of its facts."""
    abstains = str(status == "abstained").lower()
    marks = {} if status == "dead" else {"abstained_measured": abstains, "abstained_paper": abstains}
    name = f"{subject}-{item_id}"
    reply_rows = [generation(name, item_id, subject, "generate", text, status, **(marks | marked))]
    if status == "ok":
        written = {"generation": name, "subject": subject, "n_missed": 0, "n_malformed": 0}
        reply_rows.append(generation(f"w-{name}", item_id, "writer", "write_facts", **written))
    return reply_rows


def facts(subject: str, item_id: str, verdicts: str) -> tuple[list[dict], list[dict]]:
    """Facts of a reply and the verifier's judgements: + supported, - not, ? without a verdict, d supported
    and a duplicate, t a title.
    """
    reply_rows, judged = [], []
    for index, mark in enumerate(verdicts):
        name = f"{subject}-{item_id}-{index}"
        ids = {
            "fact_id": name,
            "generation_id": f"{subject}-{item_id}",
            "item_id": item_id,
            "subject": subject,
        }
        texts = {"sentence_index": 0, "sentence": "It is a word.", "text": f"fact {name}"}
        marks = {"is_duplicate": mark == "d", "is_title": mark == "t", "evidence": ["page:0-4"]}
        reply_rows.append(ids | texts | marks)
        judged.append(judgement("judge", name, None if mark == "?" else mark == "-"))
    return reply_rows, judged


def judgement(judge: str, fact_id: str, verdict: bool | None, **values) -> dict:
    return judgement_row(
        judgement_id=f"{judge}-{fact_id}-{values.get('stage')}",
        judge=judge,
        judge_version="1",
        target_id=fact_id,
        verdict=verdict,
        status="unparsed" if verdict is None else "ok",
        attributes=pairs(**values),
    )


def sample(fact_id: str, item_id: str, subject: str, is_hallucinated: bool, weight: float = 1.0) -> dict:
    ids = {"sample_id": fact_id, "item_id": item_id, "group_id": item_id, "generator": subject}
    more = {"task": "fact", "lang": "en", "text": "a fact", "label_source": "gold", "split": "test"}
    attributes = pairs(fact=fact_id, weight=weight)
    return sample_row(**ids, **more, is_hallucinated=is_hallucinated, attributes=attributes)


PAGE = {"document_id": "page", "lang": "en", "title": "Page", "text": "Text of a page.", "source": "web"}
RIGHTS = {"url": "http://a.invalid/", "licence": "not stated", "dated": None, "is_wikipedia": True}
PAGES = frame(Document, [PAGE | RIGHTS])


def tables(items, replies, given_facts, samples=()) -> dict[str, pl.DataFrame]:
    """The tables of a data set; `found`: what `facts` gives, several times."""
    written = [row for facts_, _ in given_facts for row in facts_]
    judged = [row for _, judged_ in given_facts for row in judged_]
    return {
        "items": frame(Item, list(items)),
        "generations": frame(Generation, [row for rows in replies for row in rows]),
        "facts": frame(Fact, written),
        "judgements": frame(Judgement, judged),
        "samples": frame(Sample, list(samples)),
    }


def by_key(scores: pl.DataFrame) -> dict[tuple, dict]:
    """Score rows by metric, subject and the values of their slice in the order of its keys."""
    rows = scores.to_dicts()
    return {(row["metric"], row["subject"], *(cell["value"] for cell in row["slice"])): row for row in rows}


def scores_of(rows: list[dict]) -> dict[tuple, dict]:
    return by_key(frame(Score, rows))
