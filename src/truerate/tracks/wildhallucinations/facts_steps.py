"""The step that cuts one subject's replies into atomic facts and verifies these against passages of the web
pages.
"""

from collections.abc import Sequence

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Document, Judgement, frame
from truerate.llm import ask
from truerate.llm.generation import generations
from truerate.tracks.asking import Asking, ask_until_read, number_in_shard, rows_in_shard
from truerate.tracks.wildhallucinations import fact_writing, verifying
from truerate.tracks.wildhallucinations.asked_about import with_pages
from truerate.tracks.wildhallucinations.context import Context, contexts
from truerate.tracks.wildhallucinations.facts import GENERATE, facts_of
from truerate.tracks.wildhallucinations.reminders import reminder
from truerate.tracks.wildhallucinations.settings import Verification
from truerate.tracks.wildhallucinations.verifying import Claim

Replies = dict[str, pl.DataFrame]


def facts(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Facts of one subject's replies of a shard, and their verdicts in batches and, of some of them, one by one.

    Generation rows of purposes `write_facts` and `verify_facts`; beside them the Judgement rows. The Fact
    rows follow from the replies (`facts.facts_of`), their evidence from the judgements
    (`verifying.with_evidence`).
    """
    settings = at.p.track(board)
    if len(at.p.models_on(board, (model, settings.fact_writer, settings.verifier))) < 3:
        return generations([]), {"judgements": frame(Judgement)}
    found = entities(at, board, tables, shard, upstream)
    replied = of_subject(upstream.get("generate", generations([])), model, found)
    names = {name: entity.name for name, entity in found.items()}
    asked = fact_writing.write_requests(
        replied.iter_rows(named=True), names, settings.fact_writer, settings, prompts_dir=at.p.llm.prompts_dir
    )
    texts = dict(replied.select("generation_id", "text").iter_rows())
    came = ask_until_read(
        asked,
        at,
        f"{board}: facts of {model}",
        asking,
        read=lambda one, text: fact_writing.read(one, text, texts),
        remind=reminder,
        n_lost=fact_writing.n_lost,
    )
    written = generations(fact_writing.collect(came.asked, came.replies, texts) + came.unread)
    how = verification(at, board)
    claims = claims_of(facts_of(pl.concat([replied, written])), found, how)
    n_checked = number_in_shard(how.n_checked, shard, at.p.n_shards)
    label = f"{board}: verify {model}"
    verified, judged = verify(at, board, claims, asking=asking, label=label, n_checked=n_checked)
    return pl.concat([written, verified]).sort("generation_id"), {"judgements": judged}


def entities(at: Layout, board: str, tables, shard: int, upstream: Replies) -> dict[str, Context]:
    """The entities of a shard with their pages, by item."""
    items, _ = with_pages(at, board, tables, upstream)
    fetched = upstream.get("documents", frame(Document))
    documents = pl.concat([tables.documents.lazy(), fetched.lazy()])
    found = contexts(rows_in_shard(items, shard, at.p.n_shards), documents).values()
    return {one.item_id: one for one in sorted(found, key=lambda one: one.item_id)}


def of_subject(replied: pl.DataFrame, model: str, found: dict[str, Context]) -> pl.DataFrame:
    """A subject's replies about these entities."""
    is_asked = (
        (pl.col("purpose") == GENERATE) & (pl.col("model") == model) & pl.col("item_id").is_in(list(found))
    )
    return replied.filter(is_asked).sort("generation_id")


def verification(at: Layout, board: str) -> Verification:
    """How a board's facts are verified: as `verification` says, with as much evidence as the profile's sizes give in
    place of its own (`evidence`).
    """
    own: Verification = at.p.track(board).verification
    sized = at.p.size_of(board).evidence.model_dump(exclude_none=True)
    return own.model_copy(update=sized)


def claims_of(facts: pl.DataFrame, found: dict[str, Context], how: Verification) -> list[Claim]:
    """Every fact with the best passages of its entity's pages (a fact's own words are the query)."""
    from truerate.tracks.wildhallucinations.passages import (
        ranked,
    )  # brings scipy, whose loading takes as long as many a step works

    claims = []
    for (item_id,), rows in facts.group_by("item_id", maintain_order=True):
        entity = found[item_id]
        pages = list(zip(entity.document_ids, entity.pages, strict=True))
        titles = dict(zip(entity.document_ids, entity.titles, strict=True)) if how.has_titles else {}
        best = ranked(pages, rows["text"].to_list(), how.n_passages, n_words=how.passage_words)
        for row, chosen in zip(rows.iter_rows(named=True), best, strict=True):
            ids = (row["fact_id"], row["generation_id"], item_id, row["subject"])
            shown = tuple(one._replace(title=titles.get(one.document_id, "")) for one in chosen)
            claims.append(Claim(*ids, row["text"], entity.name, shown))
    return claims


def verify(
    at: Layout, board: str, claims: Sequence[Claim], *, asking: Asking, label: str, n_checked: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Generation and Judgement rows of all calls about these claims, of which `n_checked` are also verified one by
    one.
    """
    settings = at.p.track(board)
    how, judge = verification(at, board), settings.verifier
    planned = verifying.calls(claims, n=how.facts_per_call, window=how.window)
    planned += verifying.checked(claims, n=n_checked, window=how.window)
    asked = verifying.requests(planned, judge, settings, prompts_dir=at.p.llm.prompts_dir)
    text_of = {claim.fact_id: claim.text for claim in claims}
    came = ask_until_read(
        asked,
        at,
        label,
        asking,
        read=lambda one, text: verifying.read(one, text, text_of),
        remind=reminder,
        n_lost=verifying.n_lost,
    )
    judged = verifying.judgements(planned, came.replies, judge=judge, version=at.identity(judge))
    return generations(verifying.collect(came.asked, came.replies, text_of) + came.unread), judged
