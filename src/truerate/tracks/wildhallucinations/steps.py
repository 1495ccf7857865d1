"""The steps of the track's graph, and the tables of the data set that come of them, which is pure: nothing
is asked.

Labels come back in by `labels.label`, scores go out by `scores.score`.
"""

from collections.abc import Callable, Iterable
from itertools import chain

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Reject, frame
from truerate.llm.counts import counted
from truerate.tracks.wildhallucinations import asked_about
from truerate.tracks.wildhallucinations.curating_steps import curate, extract
from truerate.tracks.wildhallucinations.evidence_steps import evidence
from truerate.tracks.wildhallucinations.facts_steps import facts
from truerate.tracks.wildhallucinations.ready import ready
from truerate.tracks.wildhallucinations.replying_steps import generate

__all__ = [
    "curate",
    "evidence",
    "exported",
    "extract",
    "facts",
    "generate",
]

SCORED = (
    "facts",
    "rejects",
    "documents",
)  # tables of the data set that scores are made from, besides those of every track

# Of tables with a row per fact or reply what scores read: the texts and passages of millions of facts stay on disk.
SCORED_COLUMNS = {
    "generations": (
        "generation_id",
        "item_id",
        "purpose",
        "model",
        "text",
        "finish_reason",
        "status",
        "reason",
        "prompt_key",
        "attributes",
    ),
    "facts": ("fact_id", "generation_id", "item_id", "is_duplicate", "is_title"),
    "documents": ("document_id", "is_wikipedia"),
    "judgements": ("judge", "target_id", "verdict", "status", "attributes"),
}

# Of the tables that labels are read against what `labels.label` reads; no page is among them.
LABELLED_COLUMNS = {
    "items": ("item_id", "group_id", "task", "attributes"),
    "generations": SCORED_COLUMNS["generations"],
    "facts": (*SCORED_COLUMNS["facts"], "subject", "evidence"),
    "judgements": SCORED_COLUMNS["judgements"],
}

# Of a source whose entities bring their pages a job reads those of its own entities alone.
QUERIED = ("documents",)

# Steps with a file per subject and shard, whose rows outgrow memory: they are exported one subject and shard at a time.
SLICED = ("generate", "facts")

Tables = dict[str, pl.DataFrame]


def exported(
    at: Layout,
    board: str,
    tables,
    replies: Tables,
    beside: Tables,
    *,
    slices: Iterable[tuple[Tables, Tables]] = (),
    keep: Callable[[Tables], None] | None = None,
) -> tuple[Tables, list[dict]]:
    """The tables of the board's data set by name, and its annotation tasks. Ready replies of the source stand
    as they are. The pages stay on disk: of their texts those are read that a task shows.

    `slices`: further replies and tables beside them, those of SLICED of a subject and a shard at a time. `keep` is
    given the Generation, Fact and Judgement rows of each slice, in no order, in place of the tables given back.
    """
    from truerate.tracks.wildhallucinations.rarity import with_rarity  # brings numpy, which no step needs
    from truerate.tracks.wildhallucinations.slices import Sizes, exported_of, tasks_of, whole_of

    own = ready(tables, at.p.track(board).abstention)
    pages = pl.concat([tables.documents.lazy(), beside["documents"].lazy()])
    if own.samples.is_empty() and own.generations.is_empty():
        known = pages.select("document_id", "is_wikipedia").collect()
        items, removed = asked_about.with_pages(at, board, tables, replies | {"documents": known})
    else:  # what others have asked and labelled needs no page
        items, removed = tables.items.filter(pl.col("task") == "entity"), []
    texts = tables.items.filter(pl.col("task") == "chat")["question"].to_list()
    items = pl.DataFrame(with_rarity(items.to_dicts(), texts, at.p.track(board).rarity), schema=items.schema)
    items = items.sort("item_id")
    size = at.p.size_of(board)
    drawing = {"verifier": at.p.track(board).verifier, "seed": at.p.seed}
    drawn = {"n_labelled": size.labelled, "n_reviewed": size.reviewed, "n_replies": size.replies}
    sizes = Sizes(**drawn, **drawing) if own.samples.is_empty() else None

    rows: list[Tables] = []
    found = {"generations": own.generations, "facts": own.facts, "judgements": own.judgements}
    every = chain([(replies, beside["judgements"])], ((asked, more["judgements"]) for asked, more in slices))
    kept = exported_of(
        every, found, items, removed, keep or rows.append, sizes=sizes, source=at.p.board(board).source
    )
    made = {
        "items": items,
        "samples": own.samples,
        "rejects": pl.concat([kept.rejects, frame(Reject, removed), beside["rejects"]]).sort(
            "where", "target_id", "reason", "detail", nulls_last=True
        ),
        "counts": counted([kept.tally]),
    }
    tasks = tasks_of(kept, items, pages, sizes=sizes, n_checked=size.checked) if sizes else []
    return made | whole_of(rows), tasks
