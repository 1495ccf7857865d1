"""One judge of a family, as it is fitted and as it is read; see `truerate.detectors.tokens.cells`."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config import Backbone, Judging
from truerate.core.keys import content_id
from truerate.core.schemas import NOT_FITTED, read_json
from truerate.detectors.judges.decision import Decision
from truerate.detectors.tokens.cells import CODE, Cell, code_key, rows_key, surroundings, weights_of
from truerate.detectors.training.jobs import FACTS, write

OF_JUDGES = (
    *CODE,
    "detectors/judges",
    "core/spans/whole_words.py",
    "core/spans/quotes.py",
)  # code that decides a fitted judge
SCOPE, LABELS = "multi", "binary"  # of every judge: one for all languages, hallucinated or not
DECISION = "decision.json"
COLUMNS = (
    "is_hallucinated",
    "rationale",
    "knowledge",
    "question",
    "history",
)  # that decide, besides a marker's


class Job(NamedTuple):
    """A judge to fit in `scratch` on its passages (those that teach, with their references)."""

    cell: Cell
    passages: pl.DataFrame
    how: Judging
    backbone: Backbone | None  # None for a form that has none
    scratch: Path

    @property
    def training_share(self) -> float:
        """The share of the groups of passages that it learns from; the others decide."""
        return 1 - 1 / self.how.folds


class Reader(NamedTuple):
    """A judge fitted in `folder`."""

    cell: Cell
    folder: Path
    how: Judging
    backbone: Backbone | None

    @property
    def is_fitted(self) -> bool:
        """Whether it had anything to learn from."""
        return bool(read_json(self.folder / FACTS)["is_fitted"])

    @property
    def decision(self) -> Decision:
        """What turns its probabilities into judgements."""
        return Decision(**read_json(self.folder / DECISION))


def save_decision(decision: Decision, folder: Path) -> None:
    """Write a decision beside the network that it was chosen for."""
    write(folder / DECISION, decision._asdict())


def key_of(job: Job, device: str | None = None) -> str:
    """Digest of all that decides a fitted judge: passages, settings, code, versions and device."""
    return content_id(
        code_key(OF_JUDGES),
        job.cell._asdict(),
        [rows_key(job.passages), rows_key(job.passages, ["target_id", *COLUMNS])],
        job.how.model_dump(mode="json", exclude={"batch_tokens"}),
        None if job.backbone is None else job.backbone.content(exclude={"strategy", "cache_bytes"}),
        weights_of(job.backbone),
        surroundings(device),
    )


class Judged(NamedTuple):
    """What a judge says of one text. `reason`: why there is no verdict, null where there is one."""

    verdict: bool | None
    p: float | None
    spans: list[dict]
    rationale: str | None
    reason: str | None = None


UNFITTED = Judged(None, None, [], None, NOT_FITTED)


SEEN = ("knowledge", "question", "history")  # columns of a passage besides those that token detectors read


def reference_of(knowledge: str, history: str, question: str) -> str:
    """Knowledge, the turn that is answered and the turns before it, the latest first, as one reference."""
    turns = [line for line in history.splitlines() if line.strip()]
    asked = [question] if question.strip() and not any(question in turn for turn in turns[-1:]) else []
    return "\n".join(part for part in (knowledge, *asked, *reversed(turns)) if part.strip())


def with_references(passages: pl.DataFrame) -> pl.DataFrame:
    """Passages with the `reference` made of their `knowledge`, `history` and `question` (null: none)."""
    blank = passages.with_columns(pl.col(name).fill_null("") for name in SEEN)
    rows = blank.select("knowledge", "history", "question").iter_rows()
    return blank.with_columns(reference=pl.Series([reference_of(*row) for row in rows], dtype=pl.String))


def training_passages(passages: pl.DataFrame) -> pl.DataFrame:
    """The passages that teach where a hallucination stands: those labelled hallucinated (`is_hallucinated`)
    with a located span, and those that are not, which have none. One that is hallucinated no one knows where
    would teach that all of it is clean: it is left out.
    """
    is_located = pl.col("spans").list.len() > 0
    if "rationale" not in passages.columns:
        passages = passages.with_columns(rationale=pl.lit(None, dtype=pl.String))
    is_hallucinated = pl.col("is_hallucinated").fill_null(is_located)
    clean = pl.when(is_hallucinated).then(pl.col("spans")).otherwise(pl.col("spans").list.head(0))
    return passages.filter(~is_hallucinated | is_located).with_columns(
        spans=clean, is_hallucinated=is_hallucinated
    )
