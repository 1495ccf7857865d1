"""One judge of a family, as it is fitted and as it is read; see `truerate.detectors.tokens.cells`."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config import Backbone, Judging
from truerate.core.keys import digest
from truerate.core.schemas import read_json
from truerate.detectors.judges.decision import Decision
from truerate.detectors.tokens.cells import Cell
from truerate.detectors.tokens.grid import CODE as TOKENS
from truerate.detectors.tokens.grid import SHARED as OF_TOKENS
from truerate.detectors.tokens.grid import rows_key, surroundings, weights_of
from truerate.detectors.training.scratch import FACTS, write

CODE = Path(__file__).parent
SHARED = [*OF_TOKENS, *(CODE.parents[1] / "core" / name for name in ("whole_words.py", "quotes.py"))]
SCOPE, LABELS = "multi", "binary"  # of every judge: one for all languages, hallucinated or not
DECISION = "decision.json"
COLUMNS = (
    "is_hallucinated",
    "rationale",
    "knowledge",
    "question",
    "history",
)  # that decide a judge, besides a marker's


class Job(NamedTuple):
    """A judge to fit in `scratch` on its passages (those that teach, with their references)."""

    cell: Cell
    passages: pl.DataFrame
    how: Judging
    backbone: Backbone | None  # None for a form that has none
    scratch: Path

    @property
    def taught(self) -> float:
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
    """What decides a fitted judge: its passages, form, settings of training, place, code, versions, device
    (that of this process where none is named).
    """
    return digest(
        CODE,
        TOKENS,
        *SHARED,
        cell=job.cell._asdict(),
        rows=[rows_key(job.passages), rows_key(job.passages, ["target_id", *COLUMNS])],
        how=job.how.model_dump(mode="json", exclude={"batch_tokens"}),
        backbone=None if job.backbone is None else job.backbone.content(exclude={"strategy", "cache_bytes"}),
        weights=weights_of(job.backbone),
        on=surroundings(device),
    )
