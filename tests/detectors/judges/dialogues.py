"""Responses about invented towns, each with its knowledge and the turns before it, as judges get them."""

import polars as pl

from truerate.config import Backbone, Judging
from truerate.detectors.judges.family import judge_texts

from ..fitting import fit_judges
from ..tokens import lessons

HISTORY = "User: Do you know {town}?\nAssistant: A little. Many say that it is quiet there."
HOW = Judging(form="tiny", backbone="small", folds=3)


def backbone(**changes) -> Backbone:
    """A tiny network that learns in seconds."""
    return lessons.backbone(**({"max_steps": 45} | changes))


def responses(n: int, *, start: int = 0, wording: int = 0) -> pl.DataFrame:
    """Two responses to each of `n` turns, in English."""
    training = lessons.lessons(n, start=start, wording=wording, langs=("en",))
    town = pl.col("reference").str.extract(r"The town of (\w+)")
    return training.with_columns(
        is_hallucinated=pl.col("spans").list.len() > 0,
        knowledge="reference",
        history=pl.format(HISTORY.replace("{town}", "{}"), town),
        question=pl.lit("What else?"),
    ).drop("reference")


def judged(folder, passages, asked, *, how=None, seeds=(42,)) -> pl.DataFrame:
    """What judges that learned from passages in a folder say of others."""
    expected = {"small": how or backbone()}
    fit_judges(
        {"judge": HOW}, passages, expected, seeds=seeds, folder=folder / "out", scratch=folder / "scratch"
    )
    return judge_texts({"judge": HOW}, asked, expected, folder=folder / "out")
