"""The interface of a detector: what its rules see of a text, the file of its state, the frame of its
judgements.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, of_columns

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
