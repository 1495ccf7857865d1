"""A detector that learns one rule per task of a board."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import NOT_FITTED, Judgement, frame, schema
from truerate.detectors.interface import ANY_TASK, Rule, State, Texts, judgements, load_state, save_state

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
