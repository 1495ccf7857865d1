"""The steps of the track's graph, and the tables of the data set that come of them, which is pure: nothing
is asked.

Labels come back in by `labels.label`, scores go out by `scores.score`.
"""

from collections.abc import Iterable, Sequence

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Reject, frame
from truerate.llm.counts import counts
from truerate.llm.generation import generations, rejected
from truerate.tracks.wildhallucinations import asked_about, verifying
from truerate.tracks.wildhallucinations.curating_steps import curate, extract
from truerate.tracks.wildhallucinations.entities import without_private
from truerate.tracks.wildhallucinations.evidence_steps import evidence
from truerate.tracks.wildhallucinations.facts import facts_of
from truerate.tracks.wildhallucinations.facts_steps import facts
from truerate.tracks.wildhallucinations.ready import ready
from truerate.tracks.wildhallucinations.replying_steps import generate
from truerate.tracks.wildhallucinations.tasks import annotation_tasks

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

USED = ("ok", "abstained")  # outcomes of a reply that are no loss
Tables = dict[str, pl.DataFrame]


def exported(at: Layout, board: str, tables, replies: Tables, beside: Tables) -> tuple[Tables, list[dict]]:
    """The tables of the board's data set by name, and its annotation tasks. Ready replies of the source stand
    as they are. The pages stay on disk: of their texts those are read that a task shows.
    """
    from truerate.tracks.wildhallucinations.rarity import with_rarity  # brings numpy, which no step needs

    own = ready(tables, at.p.track(board).abstention)
    pages = pl.concat([tables.documents.lazy(), beside["documents"].lazy()])
    asked = pl.concat([generations([]), *(rows for step, rows in replies.items() if step != "documents")])
    if own.samples.is_empty() and own.generations.is_empty():
        known = pages.select("document_id", "is_wikipedia").collect()
        items, removed = asked_about.with_pages(at, board, tables, replies | {"documents": known})
    else:  # what others have asked and labelled needs no page
        items, removed = tables.items.filter(pl.col("task") == "entity"), []
    texts = tables.items.filter(pl.col("task") == "chat")["question"].to_list()
    items = pl.DataFrame(with_rarity(items.to_dicts(), texts, at.p.track(board).rarity), schema=items.schema)
    whole = pl.concat([without_private(asked, removed, at.p.board(board).source), own.generations]).sort(
        "generation_id"
    )
    judged = pl.concat([beside["judgements"], own.judgements]).unique(
        "judgement_id", keep="first", maintain_order=True
    )
    found = pl.concat([verifying.with_evidence(facts_of(asked), beside["judgements"]), own.facts]).sort(
        "fact_id"
    )
    made = {
        "items": items.sort("item_id"),
        "generations": whole,
        "facts": found,
        "samples": own.samples,
        "judgements": judged,
        "rejects": rejects_frame(
            whole.filter(~pl.col("status").is_in(USED)).iter_rows(named=True),
            [*removed, *beside["rejects"].to_dicts()],
        ),
        "counts": counts(whole),
    }
    return made, _tasks(at, board, made, pages) if own.samples.is_empty() else []


def _tasks(at: Layout, board: str, made: Tables, pages: pl.LazyFrame) -> list[dict]:
    """What people are given; of texts that came with labels nothing."""
    from truerate.tracks.wildhallucinations.replies import readable_replies
    from truerate.tracks.wildhallucinations.reply_labels import reply_tasks

    size, verifier = at.p.size_of(board), at.p.track(board).verifier
    whole: list[dict] = []
    if size.replies:
        known = (made[name] for name in ("items", "generations", "facts", "judgements"))
        replies = readable_replies(*known, verifier=verifier)
        drawn = {"n_replies": size.replies, "seed": at.p.seed}
        whole = reply_tasks(replies, made["facts"], made["items"], pages, **drawn)
    found = annotation_tasks(
        made["items"],
        made["facts"],
        made["judgements"],
        pages,
        verifier=verifier,
        n_labelled=size.labelled,
        n_reviewed=size.reviewed,
        n_checked=size.checked,
        seed=at.p.seed,
        generations=made["generations"],
    )
    return sorted([*found, *whole], key=lambda task: task["task_id"])


def rejects_frame(rows: Iterable[dict], more: Sequence[dict]) -> pl.DataFrame:
    """Every reply that is neither `ok` nor an abstention, with its reason and raw text, and what else was not
    kept.
    """
    unused = [row for row in rows if row["status"] not in USED]
    found = [
        rejected(row, row["reason"] if row["status"] == "unparsed" and row["reason"] else row["status"])
        for row in unused
    ]
    return frame(Reject, [*found, *more]).sort("where", "target_id", "reason", "detail", nulls_last=True)
