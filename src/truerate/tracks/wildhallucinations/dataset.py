"""The tables of the data set, and the tasks that people are given: made of the replies of all steps, slice by
slice where these outgrow memory, and of replies that a source brings with their facts and people's verdicts.
Pure: nothing is asked.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    pair,
    pairs,
)
from truerate.core.schemas.gathering import Gathered
from truerate.llm.counts import counted, tallied
from truerate.llm.generation import facts as attributes_of
from truerate.llm.generation import generations, rejected
from truerate.tracks.wildhallucinations import verifying
from truerate.tracks.wildhallucinations.entities import with_pages, without_private
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE, facts_of, key_of
from truerate.tracks.wildhallucinations.names import RULES, abstains
from truerate.tracks.wildhallucinations.replies import HUMAN, readable_replies
from truerate.tracks.wildhallucinations.settings import Sizes
from truerate.tracks.wildhallucinations.tasks import annotation_tasks, reply_tasks

PUBLISHED = "published"
KEYS = {"generations": "generation_id", "facts": "fact_id", "judgements": "judgement_id"}
Tables = dict[str, pl.DataFrame]

# Tables of the data set that scores are made from, besides those of every track; and of tables with a row per
# fact or reply what scores read: the texts and passages of millions of facts stay on disk.
SCORED = ("facts", "rejects", "documents")
_OF_REPLY = "generation_id item_id purpose model text finish_reason status reason prompt_key attributes"
SCORED_COLUMNS = {
    "generations": tuple(_OF_REPLY.split()),
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
# Steps with a file per subject and shard, whose rows outgrow memory: they are exported one subject and shard
# at a time.
SLICED = ("generate", "facts", "cite", "reverify")


def exported(
    config: Layout,
    board: str,
    tables,
    replies: Tables,
    beside: Tables,
    *,
    slices: Iterable[tuple[Tables, Tables]] = (),
    gathered: Gathered | None = None,
) -> tuple[Tables, list[dict]]:
    """Return the tables of the board's data set by name, and its annotation tasks. Ready replies of the
    source stand as they are. The pages stay on disk: of their texts those are read that a task shows.

    `slices`: further replies and tables beside them, those of SLICED of a subject and a shard at a time. The
    Generation, Fact and Judgement rows of each slice go to `gathered`, where there is one, and stand on disk;
    else they are given back.
    """
    from truerate.tracks.wildhallucinations.rarity import with_rarity  # brings numpy, which no step needs

    settings, size = config.p.track(board), config.p.size_of(board)
    brought = ready(tables, settings.abstention)
    is_brought = not (brought.samples.is_empty() and brought.generations.is_empty())
    pages = pl.concat([tables.documents.lazy(), beside["documents"].lazy()])
    if is_brought:  # what others have asked and labelled needs no page
        items, removed = tables.items.filter(pl.col("task") == "entity"), []
    else:
        ids = pages.select("document_id", "is_wikipedia").collect()
        items, removed = with_pages(config, board, tables, replies | {"documents": ids})
    chats = tables.items.filter(pl.col("task") == "chat")["question"].to_list()
    items = pl.DataFrame(with_rarity(items.to_dicts(), chats, settings.rarity), schema=items.schema)
    items = items.sort("item_id")

    kept_rows: list[Tables] = []
    keep = gathered.keep if gathered else kept_rows.append
    source, tallies, lost = config.p.board(board).source, [], []
    every = chain([(replies, beside)], slices)
    of_pages: list[pl.DataFrame] = []  # rejected pages
    of_steps = (rows_of(asked, more, removed, source, of_pages) for asked, more in every)
    for rows in chain(of_steps, [{name: getattr(brought, name) for name in KEYS}]):
        tallies.append(tallied(rows["generations"]))
        lost.append(unused(rows["generations"]))
        keep(rows)
    whole = {} if gathered else {name: _whole(name, [rows[name] for rows in kept_rows]) for name in KEYS}
    rejects = pl.concat([*lost, frame(Reject, removed), *of_pages])
    item_tables = {
        "items": items,
        "samples": brought.samples,
        "rejects": rejects.sort("where", "target_id", "reason", "detail", nulls_last=True),
        "counts": counted(tallies),
    }
    if not brought.samples.is_empty():
        return item_tables | whole, []
    scan = gathered.scan if gathered else lambda name: whole[name].lazy()
    return item_tables | whole, tasks_of(
        {name: scan(name) for name in KEYS}, items, pages, size, settings.verifier, config.p.seed
    )


def rows_of(
    replies: Mapping[str, pl.DataFrame],
    beside: Tables,
    removed: Sequence[dict],
    source: str,
    of_pages: list[pl.DataFrame],
) -> Tables:
    """Return the Generation, Fact and Judgement rows of a slice; names that were `removed` stand in none. Its
    rejected pages are put behind `of_pages`.
    """
    of_pages.append(beside.get("rejects", frame(Reject)))
    judgements = beside["judgements"]
    asked = pl.concat([generations([]), *(rows for step, rows in replies.items() if step != "documents")])
    return {
        "generations": without_private(asked, removed, source),
        "facts": verifying.with_evidence(facts_of(asked), judgements),
        "judgements": judgements,
    }


def unused(replies: pl.DataFrame) -> pl.DataFrame:
    """Return Reject rows of replies that are neither `ok` nor an abstention, with reason and raw text."""
    rows = replies.filter(~pl.col("status").is_in(["ok", "abstained"])).iter_rows(named=True)
    reasons = ((row, row["reason"] if row["status"] == "unparsed" else None) for row in rows)
    return frame(Reject, [rejected(row, reason or row["status"]) for row, reason in reasons])


def _whole(name: str, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One table of all slices; of judgements of one name the first stands."""
    table = pl.concat(parts)
    if name == "judgements":
        table = table.unique("judgement_id", keep="first", maintain_order=True)
    return table.sort(KEYS[name])


def tasks_of(
    rows: Mapping[str, pl.LazyFrame],
    items: pl.DataFrame,
    pages: pl.LazyFrame,
    size: Sizes,
    verifier: str | None,
    seed: int,
) -> list[dict]:
    """Return what people are given of a board's rows; read are the columns of a draw, and the rows drawn."""
    stage = pair("attributes", "stage")
    judgements = rows["judgements"].select("judge", "target_id", "verdict", "status", stage=stage).collect()
    numbers = {"n_labelled": size.labelled, "n_reviewed": size.reviewed, "n_checked": size.checked}
    judge_and_seed = {"verifier": verifier, "seed": seed, "generations": rows["generations"]}
    tasks = annotation_tasks(items, rows["facts"], judgements, pages, **numbers, **judge_and_seed)
    if size.replies:
        is_read = pl.col("purpose").is_in([GENERATE, WRITE])
        replies = rows["generations"].filter(is_read).select(pl.exclude("text")).collect()
        facts = rows["facts"].select(SCORED_COLUMNS["facts"]).collect()
        readable = readable_replies(items, replies, facts, judgements, verifier=verifier)
        tasks += reply_tasks(readable, rows["facts"], items, pages, n_replies=size.replies, seed=seed)
    return sorted(tasks, key=lambda task: task["task_id"])


# ---- replies that a source brings --------------------------------------------------------------------------


class Ready(NamedTuple):
    """Frames of `schemas.Generation` (purpose `generate`), `Fact`, `Judgement` (judge `human`, and the judges
    whose verdicts on these facts the source brings), and the labelled facts as `Sample`.
    """

    generations: pl.DataFrame
    facts: pl.DataFrame
    judgements: pl.DataFrame
    samples: pl.DataFrame


def ready(tables, rule: str = RULES[0]) -> Ready:
    """Return the replies of a source, their facts and verdicts; empty frames where it brings none.

    In the source, a reply is a sample of task `entity` (attribute `n_claims`), a fact one of task `fact` that
    names its reply (`generation`). Facts without a reply are labelled claims to measure verifiers on: they
    stay samples and are none of these tables. Ids are those of the samples.

    A reply with claims answers. One without either abstains, where the `rule` of abstention says so of its
    text, or responds without a fact: nothing that could be checked is in it, or taking the claims out failed,
    which the source does not say. What the other rule says of the text stands in the attributes. A verdict is
    true (not supported) where the sample is hallucinated: any published label but entailment. Facts stand in
    their published order; the source does not say which sentence they come from, so each counts as a sentence
    of its own. Where the source says whether a reply answers (attribute `responds`: yes, no; of a `no` also
    `silent_by`, else it is people's word), that stands in the place of the rule; and so does what it says of
    facts (`is_duplicate`, `is_title`) and of a reply that it does not have whole (`is_whole`: false).
    """
    replies = tables.samples.filter(pl.col("task") == "entity").sort("sample_id")
    claims = tables.samples.filter(pl.col("task") == "fact").sort("sample_id")
    rows = [_generation(row, rule) for row in replies.iter_rows(named=True)]
    ids = {row["generation_id"] for row in rows}
    of_reply = [(row, attributes_of(row)) for row in claims.iter_rows(named=True)]
    of_reply = [(row, attributes) for row, attributes in of_reply if attributes.get("generation") in ids]
    facts, judgements, keys = [], [], set[tuple]()
    for row, attributes in sorted(of_reply, key=lambda pair: (pair[1]["generation"], int(pair[1]["place"]))):
        subject, reply = row["generator"] or PUBLISHED, attributes["generation"]
        is_repeated, key = attributes.get("is_duplicate"), (reply, key_of(row["text"]))
        fact = {
            "fact_id": row["sample_id"],
            "generation_id": reply,
            "item_id": row["item_id"],
            "subject": subject,
            "sentence_index": int(attributes["place"]),
            "sentence": row["text"],
            "text": row["text"],
            "is_duplicate": key in keys if is_repeated is None else is_repeated == "true",
            "is_title": attributes.get("is_title") == "true",
            "evidence": attributes.get("evidence", "").split(),
        }
        facts.append(fact)
        keys.add(key)
        judgement = judgement_row(
            judgement_id=content_id("judgement", HUMAN, PUBLISHED, row["sample_id"]),
            judge=HUMAN,
            judge_version=PUBLISHED,
            target_id=row["sample_id"],
            verdict=row["is_hallucinated"],
            attributes=pairs(generation=reply, subject=subject, label=attributes.get("label")),
        )
        judgements.append(judgement)
    is_of_fact = pl.col("target_id").is_in([fact["fact_id"] for fact in facts])
    judgements += tables.judgements.filter(is_of_fact).to_dicts()
    labelled = frame(Sample, claims.to_dicts())
    return Ready(frame(Generation, rows), frame(Fact, facts), frame(Judgement, judgements), labelled)


def _generation(row: dict, rule: str) -> dict:
    is_silent_by = {name: abstains(row["text"], name) for name in RULES}
    attributes = attributes_of(row)
    responds = attributes.get("responds")
    is_silent = responds == "no" if responds else is_silent_by[rule] and attributes.get("n_claims") == "0"
    is_silent_by[rule] = is_silent
    how = attributes.get("silent_by", "people") if responds else f"{rule}-rule"
    marks = {f"abstained_{name}": str(is_so).lower() for name, is_so in is_silent_by.items()}
    return generation_row(
        generation_id=row["sample_id"],
        item_id=row["item_id"],
        purpose=GENERATE,
        model=row["generator"] or PUBLISHED,
        text=row["text"],
        status="abstained" if is_silent else "ok",
        reason=how if is_silent else None,
        attributes=pairs(lang=row["lang"], is_whole=attributes.get("is_whole"), **marks),
    )
