"""The track's steps: what each asks of which models. All else is pure.

A step asks only models that may stand on the board (`Params.models_on`), and nothing that the source already
holds; else it gives an empty frame. `asking` is how it asks: `llm.ask`, or what `plan` puts in its place to
see what would be asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Item, frame
from truerate.llm.counts import counts
from truerate.llm.dry_run import DryRun, assumed_reply, is_assumed
from truerate.llm.generation import Prompted, generations, rejects
from truerate.llm.request import Reply
from truerate.tracks.asking import Work, allowed, read_rows, step_of
from truerate.tracks.mfava import dataset, translating, wild
from truerate.tracks.mfava import silver as writing
from truerate.tracks.mfava.context import SOURCE, Context, check_languages, chosen, contexts, language
from truerate.tracks.mfava.settings import WEIGHTS

Replies = dict[str, pl.DataFrame]
# what is scored of replies, items and judgements
SCORED_COLUMNS = {
    "items": ("item_id", "task", "lang", "group_id", "document_ids", "attributes"),
    "generations": ("generation_id", "item_id", "purpose", "model", "text", "status", "reason", "attributes"),
    "judgements": ("judgement_id", "judge", "target_id", "status", "spans", "attributes"),
}
N_AT_ONCE = 5_000  # texts translated at once: requests and replies of all languages would take gigabytes


@dataclass(frozen=True)
class WikiWork(Work):
    """What a step of this track works on."""

    @property
    def is_due(self) -> bool:
        """Whether anything is asked: of a model that may stand on the board, or of weights."""
        return super().is_due or self.uses_weights

    @property
    def uses_weights(self) -> bool:
        """Whether weights translate in a model's place."""
        return self.model == WEIGHTS and self.settings.seq2seq is not None

    @cached_property
    def own_queries(self) -> list[dict]:
        """The source's own queries in the board's languages."""
        return self.items_of("wild").to_dicts()

    def declared(self) -> tuple[str, ...]:
        """Return the board's languages; raises TruerateError for one that is unknown or missing from the
        source.
        """
        langs, available = self.settings.languages, self.tables.items["lang"].unique(maintain_order=True)
        check_languages(self.board, langs, available.to_list(), source=self.config.p.board(self.board).source)
        return langs

    def items_of(self, task: str) -> pl.DataFrame:
        """Return the source's items of a task in the board's languages."""
        return self.tables.items.filter(pl.col("lang").is_in(self.settings.languages), task=task)

    def contexts_of(self, items: pl.DataFrame | Sequence[dict]) -> list[Context]:
        """Return the contexts of items of the source."""
        table = items if isinstance(items, pl.DataFrame) else frame(Item, list(items))
        return list(contexts(table, self.tables.documents).values())

    def labelled(self) -> tuple[dict[str, Context], list[dict]]:
        """Return the contexts of the source's labelled passages, and the English samples of them that the
        board uses.
        """
        sizes = {dataset.TRAIN: self.size.train, dataset.HELD_OUT: self.size.held_out}
        items = self.tables.items.filter(pl.col("task").is_in(list(sizes)))
        by_item = contexts(items, self.tables.documents)
        return by_item, dataset.labelled(self.tables.samples, by_item, sizes, seed=self.seed)


step = step_of(WikiWork)


@step
def silver(work: WikiWork) -> list[dict]:
    """Write passages and six insertions into each: Generation rows of purposes `write` and `insert`.

    The next round's question holds the reply to this one, so what a plan assumes must keep the round's rules.
    """
    if not work.tables.samples.filter(task="silver").is_empty():
        return []
    work.declared()
    candidates = work.contexts_of(work.items_of("silver"))
    taken = work.in_shard(chosen(candidates, work.size.silver, work.seed))

    def answered(
        asked: Sequence[Prompted], drafts: Sequence[writing.Draft], type_: str | None
    ) -> list[Reply]:
        replies = work.asked(asked, f"insert {type_}" if type_ else "write")
        if isinstance(work.asking, DryRun):  # counts the further tries that each open question may take
            open_ = [question for question, reply in zip(asked, replies, strict=True) if is_assumed(reply)]
            work.asking.reminders += writing.further_tries(open_, type_, work.settings)
        return [
            assumed_reply(reply.key, writing.assumed(draft, type_)) if is_assumed(reply) else reply
            for draft, reply in zip(drafts, replies, strict=True)
        ]

    return [row for draft in writing.run(taken, work.model, work.prompter, answered) for row in draft.rows]


@step
def translate(work: WikiWork) -> list[dict]:
    """Translate the English labelled passages and their references into every other language, by a model, or
    by weights where the model is WEIGHTS: Generation rows of purposes `translate` and `translate_reference`.
    """
    settings = work.settings
    langs = [lang for lang in settings.languages if language(lang) and lang != SOURCE]
    by_item, samples = work.labelled()
    mine = {context.item_id for context in work.in_shard(by_item.values())}
    of_shard = [row for row in samples if row["item_id"] in mine]
    texts = translating.texts(of_shard, by_item, langs, has_tags=settings.projection == "tags")
    if settings.projection == "alignment":
        from truerate.tracks.mfava.projecting import projected as collect
    else:
        collect = translating.collect
    if work.uses_weights:
        n, weights = settings.translating.max_tokens, settings.seq2seq
        requests = [translating.weights_request(text.marked, text.lang, weights, n) for text in texts]
        asked = [text.prompted(request) for text, request in zip(texts, requests, strict=True)]
        computing = {"device": settings.seq2seq_device, "batch": settings.seq2seq_batch}
        return collect(texts, asked, translating.replies_of_weights(requests, weights, **computing))
    rows = []
    for start in range(0, len(texts), N_AT_ONCE):
        part = texts[start : start + N_AT_ONCE]
        asked = translating.requests(part, work.model, work.prompter)
        rows += collect(part, asked, work.asked(asked, "translate"))
    return rows


# ---- in the wild -------------------------------------------------------------------------------------------


@step
def query(work: WikiWork) -> list[dict]:
    """Write queries about the articles that pass the filter: Generation rows of purpose `query`."""
    if work.own_queries:
        return []
    work.declared()
    rules = work.settings.wild
    candidates = work.contexts_of(work.items_of("article"))
    articles = [article for article in candidates if wild.excluded(article, rules) is None]
    of_shard = work.in_shard(chosen(articles, work.size.articles, work.seed))
    asked = wild.query_requests(of_shard, work.model, work.prompter)
    return wild.collect_queries(asked, work.asked(asked, "query"), n=rules.queries_per_article)


def wild_items(work: WikiWork) -> list[dict]:
    """Return the Item rows of all queries that are asked, with their subsets: those written here, or as many
    per language of the source's own.
    """
    rules, rows = work.settings.wild, work.own_queries
    queries = work.upstream.get("query", generations([]))
    if rows:
        n = work.size.articles * rules.queries_per_article
        kept = {context.item_id for context in chosen(work.contexts_of(rows), n, work.seed)}
        rows = [row for row in rows if row["item_id"] in kept]
    elif not queries.is_empty():
        articles = contexts(work.tables.items.filter(task="article"), work.tables.documents)
        rows = wild.wild_items(queries.iter_rows(named=True), articles)
    return wild.with_subsets(rows, rules.subset_seeds, work.seed)


@step
def check(work: WikiWork) -> list[dict]:
    """Ask whether the lead of its article answers a query, on a seeded sample per language of those written
    here: Generation rows of purpose `check`.
    """
    if work.own_queries:
        return []
    sampled = chosen(work.contexts_of(wild_items(work)), work.settings.wild.n_checked, work.seed)
    asked = wild.check_requests(work.in_shard(sampled), work.model, work.prompter)
    return read_rows(asked, work.asked(asked, "check"), wild.read_check)


@step
def answer(work: WikiWork) -> list[dict]:
    """Ask a subject the queries alone, each subset with its seed: Generation rows of purpose `answer`."""
    rows = wild_items(work)
    mine = {context.item_id for context in work.in_shard(work.contexts_of(rows))}
    of_shard = [row for row in rows if row["item_id"] in mine]
    asked = wild.answer_requests(of_shard, work.model, work.prompter)
    return wild.collect_answers(asked, work.asked(asked, "answer"), work.settings.languages)


# ---- the data set ------------------------------------------------------------------------------------------


def exported(
    config: Layout, board: str, tables, replies: Replies, beside: Replies
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """Return the tables of the board's data set by name, and its annotation tasks. Pure: it asks nothing."""
    work = WikiWork(config, board, tables, replies)
    settings, size = work.settings, work.size
    whole = pl.concat([generations([]), *replies.values()]).sort("generation_id")
    rows = whole.filter(pl.col("purpose") != wild.ANSWER).to_dicts()
    by_item, kept = work.labelled()
    documents, items, passages, dropped = dataset.translated(rows, kept, by_item, tables.documents)
    if not work.own_queries:  # a source's own queries stand with the source, untouched
        items += wild.with_answerable(wild_items(work), rows)
    if replies.get("translate") is not None:
        dropped += dataset.rejected_samples(kept)
    if allowed(config, board, settings.query_writer) and not work.own_queries:
        dropped += wild.rejected_articles(work.contexts_of(work.items_of("article")), settings.wild)
    by_item = contexts(pl.concat([tables.items, frame(Item, items)]), tables.documents)
    written = dataset.silver_samples(rows, by_item)
    drawn = drawn_replies(whole, n=size.natural, seed=work.seed)
    labelling = {"n_natural": size.natural, "seed": work.seed}
    tasks = dataset.annotation_tasks(written, drawn, by_item, settings.labelling, **labelling)
    sound = [row for row in kept if translating.is_sound(row)]
    samples = dataset.samples_frame(written + passages, tables.samples, sound)
    data = {
        "documents": dataset.documents_frame(documents),
        "items": dataset.items_frame(items, tables.items, whole, samples),
        "generations": whole,
        "samples": samples,
        "judgements": beside["judgements"],
        "rejects": rejects(whole.filter(pl.col("status") != "ok").iter_rows(named=True), dropped),
        "counts": counts(whole),
    }
    return data, tasks


def drawn_replies(whole: pl.DataFrame, *, n: int, seed: int) -> list[dict]:
    """Return the rows of the replies that `natural` draws. Most of a board's rows are such replies: of the
    others only what they are drawn by is read.
    """
    came = whole.filter(purpose=wild.ANSWER, status="ok")
    is_lang = pl.element().struct.field("key") == "lang"
    langs = pl.col("attributes").list.eval(pl.element().filter(is_lang))
    drawn = dataset.natural(came.select("generation_id", "model", langs).to_dicts(), n, seed)
    return came.filter(pl.col("generation_id").is_in([row["generation_id"] for row in drawn])).to_dicts()
