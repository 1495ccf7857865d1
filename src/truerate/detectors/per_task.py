"""A detector that learns one rule per task of a board."""

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.schemas import NOT_FITTED, Judgement, frame, of_columns, schema
from truerate.detectors.interface import ANY_TASK, Rule, State, Texts

DIGITS = 6  # of every number that is saved: the same bytes on every machine


@dataclass(frozen=True)
class PerTask:
    """A rule with its states per task, and over all tasks together (`*`) for a task without training texts."""

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
            states={task: rounded(self.rule.learn(_labelled(part, contexts), seed)) for task, part in parts},
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
        verdicts, p = (None, None) if state is None else self.rule.judge(state, texts)
        is_fitted = state is not None
        blank = [None] * len(texts)
        rows = {  # whole columns: polars takes longer to repeat a value than to read a list
            "judgement_id": [
                content_id("judgement", self.name, self.version, target) for target in texts.sample_ids
            ],
            "judge": [self.name] * len(texts),
            "judge_version": [self.version] * len(texts),
            "target_id": texts.sample_ids,
            "verdict": verdicts.astype(bool).tolist() if is_fitted else blank,
            "status": ["ok" if is_fitted else "unparsed"] * len(texts),
            "reason": [None if is_fitted else NOT_FITTED] * len(texts),
            "spans": [[]] * len(texts),
            "p": np.round(np.clip(p, 0, 1), DIGITS).tolist() if is_fitted else blank,
            "rationale": blank,
            "attributes": [[]] * len(texts),
        }
        return of_columns(Judgement, rows)

    def save(self, folder: Path) -> None:
        """Write `<name>.json`."""
        text = json.dumps(
            {"name": self.name, "states": self.states},
            ensure_ascii=False,
            sort_keys=True,
            separators=(",", ":"),
        )
        (Path(folder) / f"{self.name}.json").write_text(text + "\n", "utf-8")

    def load(self, folder: Path) -> "PerTask":
        """Read `<name>.json`; TruerateError where it is missing or not what `save` wrote."""
        path = Path(folder) / f"{self.name}.json"
        try:
            return replace(self, states=json.loads(path.read_text("utf-8"))["states"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TruerateError(
                f"reading detector {self.name!r} at {str(path)!r}: {error}; run `dvc repro train`"
            ) from None


def _labelled(samples: pl.DataFrame, contexts: pl.DataFrame) -> Texts:
    return Texts.of(samples, contexts, with_labels=True)


def rounded(value: object) -> object:
    """JSON values with every number cut to six digits after the point."""
    if isinstance(value, float):  # first: nearly all are
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value
