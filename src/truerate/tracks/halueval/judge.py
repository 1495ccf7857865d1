"""The prompted judge behind the interface of a detector: a model that is asked, text by text, whether there
is hallucination.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.llm import Reply, ask
from truerate.tracks.halueval import recognition
from truerate.tracks.halueval.context import Context
from truerate.tracks.halueval.recognition import Target


@dataclass(frozen=True)
class PromptedJudge:
    """Recognition in one variant (`plain`, `knowledge`, `chain-of-thought`) by one model, as `fit` and `judge`.

    The prompts and decoding are those of the board's recognition, so what the board has asked already is
    answered by the response store. Nothing is learned: `fit` gives the judge back and `save` writes nothing.
    """

    name: str
    at: Layout
    board: str
    variant: str = "plain"
    asking: Callable[..., list[Reply]] = ask

    def fit(self, samples: pl.DataFrame, contexts: pl.DataFrame, seed: int) -> "PromptedJudge":
        """The judge itself: a prompt has nothing to learn."""
        return self

    def judge(self, samples: pl.DataFrame, contexts: pl.DataFrame) -> pl.DataFrame:
        """One `schemas.Judgement` row per sample, null where no verdict could be read. Raises TruerateError
        as `llm.ask` does.
        """
        settings = self.at.p.track(self.board)
        found = _contexts(samples, contexts)
        asked = [
            recognition.one_request(
                Target(row["sample_id"], row["item_id"], row["text"]),
                found[row["item_id"]],
                self.name,
                settings,
                variant=self.variant,
                knowledge=found[row["item_id"]].knowledge if self.variant == "knowledge" else "",
                prompts_dir=self.at.p.llm.prompts_dir,
            )
            for row in samples.sort("sample_id").iter_rows(named=True)
        ]
        replies: Sequence[Reply] = self.asking(
            [one.request for one in asked], self.at, label=f"{self.board}: judge {self.name}"
        )
        _, judged = recognition.collect(asked, replies, version=self.at.identity(self.name))
        return recognition.judgements(judged)

    def save(self, folder: Path) -> None:
        """Nothing was learned, so nothing is written."""

    def load(self, folder: Path) -> "PromptedJudge":
        """The judge itself."""
        return self


def _contexts(samples: pl.DataFrame, contexts: pl.DataFrame) -> dict[str, Context]:
    """The context of every sample's item, empty where there is none."""
    joined = (
        samples.select("item_id", "task", "group_id", "lang")
        .unique("item_id")
        .join(contexts, on="item_id", how="left")
    )
    rows = joined.with_columns(pl.col("knowledge", "history", "question").fill_null("")).iter_rows(named=True)
    return {row["item_id"]: Context(**row, right_answer=None) for row in rows}
