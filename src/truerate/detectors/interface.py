"""The interface of a detector, and what its rules see of a text."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

ANY_TASK = "*"


class Detector(Protocol):
    """What judges labelled texts after having seen some.

    `samples` has the columns of `schemas.Sample`; `contexts` has `item_id`, `knowledge`, `question`,
    `history` (what a text is checked against and what it answers); a row under a sample's id instead of an
    item's holds that sample's own knowledge (evidence.py). `fit` learns from every row it is given; `judge`
    never reads a label.
    """

    name: str

    def fit(self, samples: pl.DataFrame, contexts: pl.DataFrame, seed: int) -> "Detector":
        """This detector, having learned from the samples."""

    def judge(self, samples: pl.DataFrame, contexts: pl.DataFrame) -> pl.DataFrame:
        """One `schemas.Judgement` row per sample."""

    def save(self, folder: Path) -> None:
        """Write what was learned, in the same bytes for the same samples."""

    def load(self, folder: Path) -> "Detector":
        """This detector, with what `save` wrote."""


@dataclass(frozen=True)
class Texts:
    """Texts of one task as columns. `labels` are empty where a detector judges."""

    sample_ids: list[str]
    texts: list[str]
    knowledge: list[str]
    labels: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @classmethod
    def of(cls, samples: pl.DataFrame, contexts: pl.DataFrame, *, with_labels: bool) -> "Texts":
        """The texts of samples with their own knowledge where contexts have a row of it, else their item's."""
        knowledge_by_id = dict(contexts.select("item_id", "knowledge").iter_rows())
        ids = samples.select("sample_id", "item_id").rows()
        knowledge = [
            knowledge_by_id.get(sample if sample in knowledge_by_id else item) or "" for sample, item in ids
        ]
        labels = samples["is_hallucinated"].to_numpy() if with_labels else np.zeros(0, dtype=bool)
        return cls(samples["sample_id"].to_list(), samples["text"].to_list(), knowledge, labels)

    def __len__(self) -> int:
        return len(self.texts)


State = dict  # what was learned, as JSON values
Verdicts = tuple[np.ndarray, np.ndarray]  # verdicts (Boolean) and P(hallucinated), one per text


@dataclass(frozen=True)
class Rule:
    """How a detector learns from the texts of one task and how it then judges texts: two pure functions and
    their card.

    `about` says what the rule is, in the words of the detector page.
    """

    name: str
    about: str
    learn: Callable[[Texts, int], State]
    judge: Callable[[State, Texts], Verdicts]
