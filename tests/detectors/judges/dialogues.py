"""Responses about invented towns, each with its knowledge and the turns before it, as judges get them."""

import polars as pl

from truerate.config import Backbone, Judging
from truerate.core.schemas import Judgement, pair, validate
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


def verdict_rates(asked, answer) -> list[float]:
    """How often a judge calls clean and hallucinated responses so; each verdict is p above the threshold."""
    validate(Judgement, answer, where="the judge")
    rows = asked.join(answer.drop("spans"), on="target_id")
    threshold = rows.select(pair("attributes", "threshold").cast(pl.Float64)).to_series()
    assert (rows["verdict"] == (rows["p"] > threshold)).all()
    by_label = rows.group_by("is_hallucinated").agg(pl.col("verdict").mean())
    return by_label.sort("is_hallucinated")["verdict"].to_list()


def located_f1(asked, answer) -> float:
    """F1 of the characters of segments in hallucinated responses against their labelled spans."""
    both = n_marked = 0
    rows = asked.filter("is_hallucinated").join(answer, on="target_id", suffix="_said")
    for row in rows.iter_rows(named=True):
        marked, labelled = (
            {i for span in row[name] for i in range(span["start"], span["end"])}
            for name in ("spans_said", "spans")
        )
        both, n_marked = both + len(marked & labelled), n_marked + len(labelled) + len(marked)
    return 2 * both / n_marked


def same_files(first, second) -> set[str]:
    """The names of the files in two folders, each of which holds the same bytes in both."""
    files = [path.relative_to(first) for path in first.rglob("*") if path.is_file()]
    assert all((first / path).read_bytes() == (second / path).read_bytes() for path in files)
    return {path.name for path in files}
