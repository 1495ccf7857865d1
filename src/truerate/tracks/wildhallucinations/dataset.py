"""The tables of the data set, and the tasks that people are given: made of the replies of all steps, slice by slice where these
outgrow memory, and of replies that a source brings with their facts and people's verdicts. Pure: nothing is asked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import (
    Fact,
    Generation,
    Judgement,
    Reject,
    Sample,
    frame,
    generation_row,
    judgement_row,
    pairs,
)
from truerate.llm.counts import counted, tallied
from truerate.llm.generation import facts as attributes_of
from truerate.llm.generation import generations, rejected
from truerate.tracks.wildhallucinations import verifying
from truerate.tracks.wildhallucinations.abstention import RULES, abstains
from truerate.tracks.wildhallucinations.entities import with_pages, without_private
from truerate.tracks.wildhallucinations.facts import facts_of, key_of
from truerate.tracks.wildhallucinations.replies import readable_replies
from truerate.tracks.wildhallucinations.tasks import (
    FACT,
    OF_FACTS,
    OF_REPLIES,
    REVIEW,
    Drawn,
    drawn_reply_tasks,
    drawn_tasks,
    fact_draws,
    joined,
    reply_draws,
)
from truerate.tracks.wildhallucinations.verifier import HUMAN

PUBLISHED = "published"
USED = ("ok", "abstained")  # outcomes of a reply that are no loss
KEYS = {"generations": "generation_id", "facts": "fact_id", "judgements": "judgement_id"}
Tables = dict[str, pl.DataFrame]

# Tables of the data set that scores are made from, besides those of every track.
SCORED = ("facts", "rejects", "documents")
# Of tables with a row per fact or reply what scores read: the texts and passages of millions of facts stay on disk.
_OF_REPLY = (
    "generation_id",
    "item_id",
    "purpose",
    "model",
    "text",
    "finish_reason",
    "status",
    "reason",
    "prompt_key",
)
SCORED_COLUMNS = {
    "generations": (*_OF_REPLY, "attributes"),
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
QUERIED = (
    "documents",
)  # of a source whose entities bring their pages a job reads those of its own entities alone
# Steps with a file per subject and shard, whose rows outgrow memory: they are exported one subject and shard at a time.
SLICED = ("generate", "facts")


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
    """Return the tables of the board's data set by name, and its annotation tasks. Ready replies of the source stand as they
    are. The pages stay on disk: of their texts those are read that a task shows.

    `slices`: further replies and tables beside them, those of SLICED of a subject and a shard at a time. `keep` is given the
    Generation, Fact and Judgement rows of each slice, in no order, in place of the tables given back.
    """
    from truerate.tracks.wildhallucinations.rarity import with_rarity  # brings numpy, which no step needs

    settings, size = at.p.track(board), at.p.size_of(board)
    own = ready(tables, settings.abstention)
    pages = pl.concat([tables.documents.lazy(), beside["documents"].lazy()])
    if own.samples.is_empty() and own.generations.is_empty():
        known = pages.select("document_id", "is_wikipedia").collect()
        items, removed = with_pages(at, board, tables, replies | {"documents": known})
    else:  # what others have asked and labelled needs no page
        items, removed = tables.items.filter(pl.col("task") == "entity"), []
    texts = tables.items.filter(pl.col("task") == "chat")["question"].to_list()
    items = pl.DataFrame(with_rarity(items.to_dicts(), texts, settings.rarity), schema=items.schema)
    items = items.sort("item_id")
    numbers = {"n_labelled": size.labelled, "n_reviewed": size.reviewed, "n_replies": size.replies}
    sizes = Sizes(**numbers, verifier=settings.verifier, seed=at.p.seed) if own.samples.is_empty() else None

    rows: list[Tables] = []
    brought = {"generations": own.generations, "facts": own.facts, "judgements": own.judgements}
    every = chain([(replies, beside["judgements"])], ((asked, more["judgements"]) for asked, more in slices))
    source = at.p.board(board).source
    kept = exported_of(every, brought, items, removed, keep or rows.append, sizes=sizes, source=source)
    rejects = pl.concat([kept.rejects, frame(Reject, removed), beside["rejects"]])
    made = {
        "items": items,
        "samples": own.samples,
        "rejects": rejects.sort("where", "target_id", "reason", "detail", nulls_last=True),
        "counts": counted([kept.tally]),
    }
    tasks = tasks_of(kept, items, pages, sizes=sizes, n_checked=size.checked) if sizes else []
    return made | whole_of(rows), tasks


# ---- replies that a source brings ----------------------------------------------------------------------------


class Ready(NamedTuple):
    """Frames of `schemas.Generation` (purpose `generate`), `Fact`, `Judgement` (judge `human`, and the judges whose verdicts
    on these facts the source brings), and the labelled facts as `Sample`.
    """

    generations: pl.DataFrame
    facts: pl.DataFrame
    judgements: pl.DataFrame
    samples: pl.DataFrame


def ready(tables, rule: str = RULES[0]) -> Ready:
    """Return the replies of a source, their facts and verdicts; empty frames where it brings none.

    In the source, a reply is a sample of task `entity` (attribute `n_claims`), a fact one of task `fact` that names its reply
    (`generation`). Facts without a reply are labelled claims to measure verifiers on: they stay samples and are none of
    these tables. Ids are those of the samples.

    A reply with claims answers. One without either abstains, where the `rule` of abstention says so of its text, or responds
    without a fact: nothing that could be checked is in it, or taking the claims out failed, which the source does not say.
    What the other rule says of the text stands in the attributes. A verdict is true (not supported) where the sample is
    hallucinated: any published label but entailment. Facts stand in their published order; the source does not say which
    sentence they come from, so each counts as a sentence of its own. Where the source says whether a reply answers (attribute
    `responds`: yes, no; of a `no` also `silent_by`, else it is people's word), that stands in the place of the rule; and so
    does what it says of facts (`is_duplicate`, `is_title`) and of a reply that it does not have whole (`is_whole`: false).
    """
    replies = tables.samples.filter(pl.col("task") == "entity").sort("sample_id")
    claims = tables.samples.filter(pl.col("task") == "fact").sort("sample_id")
    rows = [_generation(row, rule) for row in replies.iter_rows(named=True)]
    ids = {row["generation_id"] for row in rows}
    of_reply = [row for row in claims.iter_rows(named=True) if attributes_of(row).get("generation") in ids]
    facts, sample_of = _facts(of_reply), {row["sample_id"]: row for row in of_reply}
    judgements = [_judgement(fact, sample_of[fact["fact_id"]]) for fact in facts]
    is_of_fact = pl.col("target_id").is_in([fact["fact_id"] for fact in facts])
    judgements += tables.judgements.filter(is_of_fact).to_dicts()
    labelled = frame(Sample, claims.to_dicts())
    return Ready(frame(Generation, rows), frame(Fact, facts), frame(Judgement, judgements), labelled)


def _generation(row: dict, rule: str) -> dict:
    is_silent_by = {name: abstains(row["text"], name) for name in RULES}
    known = attributes_of(row)
    responds = known.get("responds")
    is_silent = responds == "no" if responds else is_silent_by[rule] and known.get("n_claims") == "0"
    is_silent_by[rule] = is_silent
    how = known.get("silent_by", "people") if responds else f"{rule}-rule"
    marks = {f"abstained_{name}": str(is_so).lower() for name, is_so in is_silent_by.items()}
    return generation_row(
        generation_id=row["sample_id"],
        item_id=row["item_id"],
        purpose="generate",
        model=row["generator"] or PUBLISHED,
        text=row["text"],
        status="abstained" if is_silent else "ok",
        reason=how if is_silent else None,
        attributes=pairs(lang=row["lang"], is_whole=known.get("is_whole"), **marks),
    )


def _facts(rows: list[dict]) -> list[dict]:
    """Fact rows by reply and place; which of them repeat an earlier one the source says, else the track's rule."""
    placed = [(attributes_of(row)["generation"], int(attributes_of(row)["place"]), row) for row in rows]
    keys: set[tuple] = set()
    facts = []
    for generation_id, place, row in sorted(placed, key=lambda fact: fact[:2]):
        known, key = attributes_of(row), (generation_id, key_of(row["text"]))
        facts.append(
            {
                "fact_id": row["sample_id"],
                "generation_id": generation_id,
                "item_id": row["item_id"],
                "subject": row["generator"] or PUBLISHED,
                "sentence_index": place,
                "sentence": row["text"],
                "text": row["text"],
                "is_duplicate": known["is_duplicate"] == "true" if "is_duplicate" in known else key in keys,
                "is_title": known.get("is_title") == "true",
                "evidence": known.get("evidence", "").split(),
            }
        )
        keys.add(key)
    return facts


def _judgement(fact: dict, sample: dict) -> dict:
    """People's verdict on a fact."""
    known = {"generation": fact["generation_id"], "subject": fact["subject"]}
    return judgement_row(
        judgement_id=content_id("judgement", HUMAN, PUBLISHED, fact["fact_id"]),
        judge=HUMAN,
        judge_version=PUBLISHED,
        target_id=fact["fact_id"],
        verdict=sample["is_hallucinated"],
        attributes=pairs(**known, label=attributes_of(sample).get("label")),
    )


# ---- slices --------------------------------------------------------------------------------------------------


class Sizes(NamedTuple):
    """How many tasks are made of facts and replies, and by whose verdicts and which seed they are drawn."""

    n_labelled: int
    n_reviewed: int
    n_replies: int
    verifier: str | None
    seed: int


class Kept(NamedTuple):
    """What is kept of slices: their account (`llm.counts.tallied`), Reject rows, and the facts and replies that may be drawn,
    None where no task is made.
    """

    tally: pl.DataFrame
    rejects: pl.DataFrame
    facts: dict[str, Drawn] | None
    replies: Drawn | None


def exported_of(
    slices: Iterable[tuple[Tables, pl.DataFrame]],
    brought: Tables,
    items: pl.DataFrame,
    removed: Sequence[dict],
    keep: Callable[[Tables], None],
    *,
    sizes: Sizes | None,
    source: str,
) -> Kept:
    """Return what is kept of all slices (the replies of steps, and judgements) and of the rows that the source brought, once
    `keep` has the rows of each.
    """
    kept = kept_of(brought, items, sizes)
    for replies, judgements in slices:
        rows = rows_of(replies, judgements, removed, source)
        kept = together(kept, kept_of(rows, items, sizes), sizes)
        keep(rows)
    keep(brought)
    return kept


def whole_of(slices: Sequence[Tables]) -> Tables:
    """Return the rows of all slices as tables, of judgements of one name the first; of no slices no tables."""
    whole = {name: pl.concat([rows[name] for rows in slices]) for name in KEYS if slices}
    if whole:
        whole["judgements"] = whole["judgements"].unique("judgement_id", keep="first", maintain_order=True)
    return {name: table.sort(KEYS[name]) for name, table in whole.items()}


def tasks_of(
    kept: Kept, items: pl.DataFrame, pages: pl.LazyFrame, *, sizes: Sizes, n_checked: int
) -> list[dict]:
    """Return what people are given, from what is kept of all slices."""
    numbers = {"n_labelled": sizes.n_labelled, "n_reviewed": sizes.n_reviewed, "n_checked": n_checked}
    tasks = drawn_tasks(items, kept.facts or {}, pages, **numbers, seed=sizes.seed)
    tasks += [] if kept.replies is None else drawn_reply_tasks(kept.replies, items, pages)
    return sorted(tasks, key=lambda task: task["task_id"])


def rows_of(
    replies: Mapping[str, pl.DataFrame], judgements: pl.DataFrame, removed: Sequence[dict], source: str
) -> Tables:
    """Return the Generation, Fact and Judgement rows of a slice from the rows of its steps; names that were `removed` stand in
    none.
    """
    asked = pl.concat([generations([]), *(rows for step, rows in replies.items() if step != "documents")])
    return {
        "generations": without_private(asked, removed, source),
        "facts": verifying.with_evidence(facts_of(asked), judgements),
        "judgements": judgements,
    }


def kept_of(rows: Tables, items: pl.DataFrame, sizes: Sizes | None) -> Kept:
    """Return what is kept of the rows of a slice; without `sizes` no facts and replies. A reply that is neither `ok` nor an
    abstention is rejected, with its reason and raw text.
    """
    asked, facts, judgements = (rows[name] for name in ("generations", "facts", "judgements"))
    unused = asked.filter(~pl.col("status").is_in(USED)).iter_rows(named=True)
    rejects = [
        rejected(row, row["reason"] if row["status"] == "unparsed" and row["reason"] else row["status"])
        for row in unused
    ]
    known = tallied(asked), frame(Reject, rejects)
    if sizes is None:
        return Kept(*known, None, None)
    numbers = {"n_labelled": sizes.n_labelled, "n_reviewed": sizes.n_reviewed, "seed": sizes.seed}
    of_facts = fact_draws(facts, judgements, asked, verifier=sizes.verifier, **numbers)
    if not sizes.n_replies:
        return Kept(*known, of_facts, None)
    about = items.filter(pl.col("item_id").is_in(asked["item_id"].unique().implode()))
    readable = readable_replies(about, asked, facts, judgements, verifier=sizes.verifier)
    return Kept(*known, of_facts, reply_draws(readable, facts, n_replies=sizes.n_replies, seed=sizes.seed))


def together(first: Kept, second: Kept, sizes: Sizes | None) -> Kept:
    """Return what is kept of two slices, or of all before and one more."""
    known = (pl.concat([first.tally, second.tally]), pl.concat([first.rejects, second.rejects]))
    facts, replies = first.facts, first.replies
    if sizes and first.facts is not None and second.facts is not None:
        numbers = {FACT: sizes.n_labelled, REVIEW: sizes.n_reviewed}
        parts = {name: [first.facts[name], second.facts[name]] for name in numbers}
        facts = {name: joined(parts[name], OF_FACTS, "fact_id", n=n) for name, n in numbers.items()}
    if sizes and first.replies is not None and second.replies is not None:
        both = [first.replies, second.replies]
        replies = joined(both, OF_REPLIES, "generation_id", n=sizes.n_replies)
    return Kept(*known, facts, replies)
