"""A board's rows slice by slice: the rows of some entities' replies by one subject, and what is kept of them, when
they are written, for the tables and tasks that are made of all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import Reject, frame
from truerate.llm.counts import tallied
from truerate.llm.generation import generations, rejected
from truerate.tracks.wildhallucinations import verifying
from truerate.tracks.wildhallucinations.entities import without_private
from truerate.tracks.wildhallucinations.facts import facts_of
from truerate.tracks.wildhallucinations.replies import readable_replies
from truerate.tracks.wildhallucinations.reply_labels import STRATA as OF_REPLIES
from truerate.tracks.wildhallucinations.reply_labels import drawn_reply_tasks, reply_draws
from truerate.tracks.wildhallucinations.strata import Drawn, joined
from truerate.tracks.wildhallucinations.tasks import FACT, REVIEW, drawn_tasks, fact_draws
from truerate.tracks.wildhallucinations.tasks import STRATA as OF_FACTS

USED = ("ok", "abstained")  # outcomes of a reply that are no loss
KEYS = {"generations": "generation_id", "facts": "fact_id", "judgements": "judgement_id"}
Tables = Mapping[str, pl.DataFrame]


class Sizes(NamedTuple):
    """How many tasks are made of facts and replies, and by whose verdicts and which seed they are drawn."""

    n_labelled: int
    n_reviewed: int
    n_replies: int
    verifier: str | None
    seed: int


class Kept(NamedTuple):
    """What is kept of slices: their account (`llm.counts.tallied`), Reject rows, and the facts and replies that may be
    drawn, None where no task is made.
    """

    tally: pl.DataFrame
    rejects: pl.DataFrame
    facts: dict[str, Drawn] | None
    replies: Drawn | None


def exported_of(
    slices: Iterable[tuple[Tables, pl.DataFrame]],
    given: Tables,
    items: pl.DataFrame,
    removed: Sequence[dict],
    keep: Callable[[Tables], None],
    *,
    sizes: Sizes | None,
    source: str,
) -> Kept:
    """What is kept of all slices (the replies of steps, and judgements) and of the rows that the source brought
    (`given`), once `keep` has the rows of each.
    """
    kept = kept_of(given, items, sizes)
    for replies, judgements in slices:
        rows = rows_of(replies, judgements, removed, source)
        kept = together(kept, kept_of(rows, items, sizes), sizes)
        keep(rows)
    keep(given)
    return kept


def whole_of(slices: Sequence[Tables]) -> dict[str, pl.DataFrame]:
    """The rows of all slices as tables, of judgements of one name the first; of no slices no tables."""
    found = {name: pl.concat([rows[name] for rows in slices]) for name in KEYS if slices}
    if found:
        found["judgements"] = found["judgements"].unique("judgement_id", keep="first", maintain_order=True)
    return {name: table.sort(KEYS[name]) for name, table in found.items()}


def tasks_of(
    kept: Kept, items: pl.DataFrame, pages: pl.LazyFrame, *, sizes: Sizes, n_checked: int
) -> list[dict]:
    """What people are given, from what is kept of all slices."""
    asked = {"n_labelled": sizes.n_labelled, "n_reviewed": sizes.n_reviewed, "seed": sizes.seed}
    made = drawn_tasks(items, kept.facts or {}, pages, **asked, n_checked=n_checked)
    whole = [] if kept.replies is None else drawn_reply_tasks(kept.replies, items, pages)
    return sorted([*made, *whole], key=lambda task: task["task_id"])


def rows_of(replies: Tables, judgements: pl.DataFrame, removed: Sequence[dict], source: str) -> dict:
    """The Generation, Fact and Judgement rows of a slice from the rows of its steps; names that were `removed` are told
    in none.
    """
    asked = pl.concat([generations([]), *(rows for step, rows in replies.items() if step != "documents")])
    return {
        "generations": without_private(asked, removed, source),
        "facts": verifying.with_evidence(facts_of(asked), judgements),
        "judgements": judgements,
    }


def kept_of(rows: Tables, items: pl.DataFrame, sizes: Sizes | None) -> Kept:
    """What is kept of the rows of a slice; without `sizes` no facts and replies."""
    asked, facts, judgements = (rows[name] for name in ("generations", "facts", "judgements"))
    known = tallied(asked), rejects_of(asked)
    if sizes is None:
        return Kept(*known, None, None)
    asked_for = {"n_labelled": sizes.n_labelled, "n_reviewed": sizes.n_reviewed, "seed": sizes.seed}
    of_facts = fact_draws(facts, judgements, asked, verifier=sizes.verifier, **asked_for)
    if not sizes.n_replies:
        return Kept(*known, of_facts, None)
    about = items.filter(pl.col("item_id").is_in(asked["item_id"].unique().implode()))
    readable = readable_replies(about, asked, facts, judgements, verifier=sizes.verifier)
    of_replies = reply_draws(readable, facts, n_replies=sizes.n_replies, seed=sizes.seed)
    return Kept(*known, of_facts, of_replies)


def together(first: Kept, second: Kept, sizes: Sizes | None) -> Kept:
    """What is kept of two slices, or of all before and one more."""
    known = (pl.concat([first.tally, second.tally]), pl.concat([first.rejects, second.rejects]))
    facts, replies = first.facts, first.replies
    if sizes and first.facts is not None and second.facts is not None:
        wanted = {FACT: sizes.n_labelled, REVIEW: sizes.n_reviewed}
        facts = {
            name: joined([first.facts[name], second.facts[name]], OF_FACTS, "fact_id", n=n)
            for name, n in wanted.items()
        }
    if sizes and first.replies is not None and second.replies is not None:
        both = [first.replies, second.replies]
        replies = joined(both, OF_REPLIES, "generation_id", n=sizes.n_replies)
    return Kept(*known, facts, replies)


def rejects_of(asked: pl.DataFrame) -> pl.DataFrame:
    """A Reject row of every reply that is neither `ok` nor an abstention, with its reason and raw text."""
    unused = asked.filter(~pl.col("status").is_in(USED)).iter_rows(named=True)
    found = [
        rejected(row, row["reason"] if row["status"] == "unparsed" and row["reason"] else row["status"])
        for row in unused
    ]
    return frame(Reject, found)
