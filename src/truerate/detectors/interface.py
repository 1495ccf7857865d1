"""The interface of a detector: what its rules see of a text, the file of its state, the frame of its
judgements.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.schemas import NOT_FITTED, Judgement, frame, of_columns, schema

ANY_TASK = "*"


class Detector(Protocol):
    """What judges labelled texts after having seen some. `samples` has the columns of `schemas.Sample`;
    `contexts` has `item_id`, `knowledge`, `question`, `history` (what a text is checked against and what it
    answers); a row under a sample's id instead of an item's holds that sample's own knowledge (evidence.py).
    `fit` learns from every row it is given; `judge` never reads a label.
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
        """The texts of samples with their own knowledge where contexts hold it, else their item's."""
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
    their card. `about` says what the rule is, in the words of the detector page.
    """

    name: str
    about: str
    learn: Callable[[Texts, int], State]
    judge: Callable[[State, Texts], Verdicts]


# ---- on disk -----------------------------------------------------------------------------------------------
def save_state(name: str, folder: Path, **values: Any) -> None:
    """Write `<name>.json`: the same bytes for the same values."""
    text = json.dumps({"name": name, **values}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    (Path(folder) / f"{name}.json").write_text(text + "\n", "utf-8")


def load_state(name: str, folder: Path, key: str) -> Any:
    """Read a value that `save_state` wrote. Raises TruerateError where it is missing."""
    path = Path(folder) / f"{name}.json"
    try:
        return json.loads(path.read_text("utf-8"))[key]
    except (OSError, ValueError, KeyError, TypeError) as error:
        line = f"reading detector {name!r} at {str(path)!r}: {error}; run `dvc repro train`"
        raise TruerateError(line) from None


# ---- judgements --------------------------------------------------------------------------------------------
def judgements(
    judge: str,
    version: str,
    targets: Sequence[str],
    *,
    verdict: Sequence[bool | None],
    p: Sequence[float | None],
    reason: Sequence[str | None] | None = None,
    spans: Sequence[list[dict]] | None = None,
    rationale: Sequence[str | None] | None = None,
    attributes: Sequence[list[dict]] | None = None,
    slice_pairs: list[dict] | None = None,
) -> pl.DataFrame:
    """One row per target, in order; a text with a `reason` is `unparsed`. `slice_pairs` tell the detectors of
    one judge apart, and are then a part of the rows' names.
    """
    n, key = len(targets), () if slice_pairs is None else (slice_pairs,)
    blank = [None] * n
    rows = {  # whole columns: polars takes longer to repeat a value than to read a list
        "judgement_id": [content_id("judgement", judge, version, *key, target) for target in targets],
        "judge": [judge] * n,
        "judge_version": [version] * n,
        "target_id": list(targets),
        "verdict": list(verdict),
        "status": ["unparsed" if why else "ok" for why in reason or blank],
        "reason": list(reason or blank),
        "spans": list(spans) if spans is not None else [[]] * n,
        "p": list(p),
        "rationale": list(rationale or blank),
        "attributes": list(attributes) if attributes is not None else [slice_pairs or []] * n,
    }
    return of_columns(Judgement, rows)


def judged_columns(readings: Sequence[Any]) -> dict[str, list[Any]]:
    """The columns of `judgements` that records of texts hold."""
    names = ("verdict", "p", "reason", "spans", "rationale")
    return {name: [getattr(reading, name) for reading in readings] for name in names}


# ---- a rule per task ---------------------------------------------------------------------------------------
DIGITS = 6  # of every number that is saved: the same bytes on every machine


@dataclass(frozen=True)
class PerTask:
    """A rule with its states per task, and over all tasks (`*`) for a task without training texts."""

    rule: Rule
    states: dict[str, State] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The rule's name: the judge's name in the tables."""
        return self.rule.name

    @cached_property
    def version(self) -> str:
        """Digest of what was learned."""
        return content_id(self.name, self.states)

    def fit(self, samples: pl.DataFrame, contexts: pl.DataFrame, seed: int) -> "PerTask":
        """Learn per task and over all; without samples `judge` gives null verdicts."""
        parts = [(task, samples.filter(pl.col("task") == task)) for task in sorted(samples["task"].unique())]
        parts += [(ANY_TASK, samples)] if samples.height else []
        return replace(
            self,
            states={
                task: rounded(self.rule.learn(Texts.of(part, contexts, with_labels=True), seed))
                for task, part in parts
            },
        )

    def judge(self, samples: pl.DataFrame, contexts: pl.DataFrame) -> pl.DataFrame:
        """One Judgement per sample, in order; unparsed with reason `not-fitted` where nothing was learned."""
        judged = [
            self._judge_task(task, part, contexts)
            for (task,), part in samples.group_by("task", maintain_order=True)
        ]
        if not judged:
            return frame(Judgement)
        order = samples.select(target_id="sample_id")
        return order.join(pl.concat(judged), on="target_id", maintain_order="left").select(
            schema(Judgement).names()
        )

    def _judge_task(self, task: str, samples: pl.DataFrame, contexts: pl.DataFrame) -> pl.DataFrame:
        state = self.states.get(task, self.states.get(ANY_TASK))
        texts = Texts.of(samples, contexts, with_labels=False)
        blank = [None] * len(texts)
        columns = {"verdict": blank, "p": blank, "reason": [NOT_FITTED] * len(texts)}
        if state is not None:
            verdicts, p = self.rule.judge(state, texts)
            p = np.round(np.clip(p, 0, 1), DIGITS)
            columns = {"verdict": verdicts.astype(bool).tolist(), "p": p.tolist()}
        return judgements(self.name, self.version, texts.sample_ids, **columns)

    def save(self, folder: Path) -> None:
        """Write `<name>.json`."""
        save_state(self.name, folder, states=self.states)

    def load(self, folder: Path) -> "PerTask":
        """Read `<name>.json`; TruerateError where it is missing or not what `save` wrote."""
        return replace(self, states=load_state(self.name, folder, "states"))


def rounded(value: object) -> object:
    """JSON values with every number cut to six digits after the point."""
    if isinstance(value, float):  # first: nearly all are
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value
