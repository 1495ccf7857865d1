"""The track's steps: what each asks of which models. Everything else is pure and stands in the module of that
name: labels come back in by `labels.label`, scores go out by `scores.score`.

A step asks only models that may stand on the board (`Params.models_on`), and nothing that the source already
holds; else it gives an empty frame. `asking` is how a step asks: `llm.ask`, or what `plan` puts in its place
to see what would be asked.
"""

from collections.abc import Sequence

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Item, frame
from truerate.llm import Reply, ask
from truerate.llm.counts import counts
from truerate.llm.dry_run import DryRun, is_assumed
from truerate.llm.generation import Prompted, generations, rejects
from truerate.tracks.asking import Asking, allowed, ask_prompted, in_shard
from truerate.tracks.mfava import dataset, translating, wild
from truerate.tracks.mfava import silver as writing
from truerate.tracks.mfava.context import SOURCE, Context, check_languages, chosen, contexts, language
from truerate.tracks.mfava.dataset import targets, training
from truerate.tracks.mfava.settings import WEIGHTS
from truerate.tracks.mfava.wild import annotation_tasks, natural

__all__ = ["answer", "check", "exported", "query", "silver", "targets", "training", "translate"]

Replies = dict[str, pl.DataFrame]
# what is scored of replies, items and judgements
SCORED_COLUMNS = {
    "items": ("item_id", "task", "lang", "group_id", "document_ids", "attributes"),
    "generations": ("generation_id", "item_id", "purpose", "model", "text", "status", "reason", "attributes"),
    "judgements": ("judgement_id", "judge", "target_id", "status", "spans", "attributes"),
}
N_AT_ONCE = (
    5_000  # texts that are translated at once: requests and replies of all languages would take gigabytes
)


def declared(at: Layout, board: str, tables) -> tuple[str, ...]:
    """The board's languages; TruerateError for a code that is unknown or of which the source has nothing."""
    langs = at.p.track(board).languages
    check_languages(
        board,
        langs,
        tables.items["lang"].unique(maintain_order=True).to_list(),
        source=at.p.board(board).source,
    )
    return langs


def _of_task(tables, task: str, langs: Sequence[str]) -> list[Context]:
    items = tables.items.filter((pl.col("task") == task) & pl.col("lang").is_in(langs))
    return list(contexts(items, tables.documents).values())


def _has_samples(tables, task: str) -> bool:
    return not tables.samples.filter(pl.col("task") == task).is_empty()


# ---- silver ------------------------------------------------------------------------------------------------


def silver(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Passages and six insertions into each. Generation rows of purposes `write` and `insert`.

    The next round's question holds the reply to this one, so what a plan assumes must keep the round's rules
    (`silver.kept`).
    """
    if not allowed(at, board, model) or _has_samples(tables, "silver"):
        return generations([])
    settings, langs = at.p.track(board), declared(at, board, tables)
    found = in_shard(
        chosen(_of_task(tables, "silver", langs), at.p.size_of(board).silver, at.p.seed), shard, at.p.n_shards
    )

    def answered(
        asked: Sequence[Prompted], drafts: Sequence[writing.Draft], type_: str | None
    ) -> list[Reply]:
        """Replies to one round's questions, held to what the round asks for (`silver.kept`), in their order; a dry run
        counts the further tries that each open one may take.
        """
        replies = ask_prompted(
            asked, at, f"{board}: {f'insert {type_}' if type_ else 'write'} {model}", asking
        )
        if isinstance(asking, DryRun):
            open_ = [one for one, reply in zip(asked, replies, strict=True) if is_assumed(reply)]
            asking.reminders += writing.further_tries(open_, type_, settings)
        return [writing.kept(draft, type_, reply) for draft, reply in zip(drafts, replies, strict=True)]

    drafts = writing.run(found, model, settings, answered, prompts_dir=at.p.llm.prompts_dir)
    return generations([row for draft in drafts for row in draft.rows])


# ---- translate-train ---------------------------------------------------------------------------------------


def translate(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """The English labelled passages and their references in every other language, by a model, or by weights
    where `model` is WEIGHTS.

    Generation rows of purposes `translate` and `translate_reference`. A source without English labelled
    passages needs none.
    """
    settings = at.p.track(board)
    is_local = model == WEIGHTS and settings.seq2seq is not None
    if not (is_local or allowed(at, board, model)):
        return generations([])
    texts = _texts(at, board, tables, shard)
    if is_local:
        n = settings.translating.max_tokens
        asked = [translating.prompted(text, translating.request(text, settings.seq2seq, n)) for text in texts]
        how = {"device": settings.seq2seq_device, "batch": settings.seq2seq_batch}
        replies = translating.translated([prompted.request for prompted in asked], settings.seq2seq, **how)
        return _collected(texts, asked, replies, settings)
    rows = [generations([])]
    for start in range(0, len(texts), N_AT_ONCE):
        part = texts[start : start + N_AT_ONCE]
        asked = translating.requests(part, model, settings, prompts_dir=at.p.llm.prompts_dir)
        replies = ask_prompted(asked, at, f"{board}: translate {model}", asking)
        rows.append(_collected(part, asked, replies, settings))
    return pl.concat(rows).sort("generation_id")


def _collected(texts, asked, replies, settings) -> pl.DataFrame:
    """Translations with their tags, or with spans projected by alignment, as the settings say."""
    if settings.projection == "alignment":
        from truerate.tracks.mfava.projecting import projected

        return generations(projected(texts, asked, replies))
    return generations(translating.collect(texts, asked, replies))


def _texts(at: Layout, board: str, tables, shard: int) -> list[translating.Text]:
    """What is translated in a shard."""
    langs = [lang for lang in at.p.track(board).languages if language(lang) and lang != SOURCE]
    found, samples = labelled(at, board, tables)
    mine = {one.item_id for one in in_shard(found.values(), shard, at.p.n_shards)}
    has_tags = at.p.track(board).projection == "tags"
    own = [row for row in samples if row["item_id"] in mine]
    return translating.texts(own, found, langs, has_tags=has_tags)


def labelled(at: Layout, board: str, tables) -> tuple[dict[str, Context], list[dict]]:
    """The contexts of the source's labelled passages, and the English samples of them that the board uses."""
    size = at.p.size_of(board)
    sizes = {dataset.TRAIN: size.train, dataset.HELD_OUT: size.held_out}
    found = contexts(tables.items.filter(pl.col("task").is_in(list(sizes))), tables.documents)
    return found, dataset.labelled(tables.samples, found, sizes, seed=at.p.seed)


# ---- in the wild -------------------------------------------------------------------------------------------


def query(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Queries about the articles that pass the filter. Generation rows of purpose `query`. A source with
    queries of its own needs none.
    """
    if not allowed(at, board, model) or _wild(at, board, tables):
        return generations([])
    settings, langs = at.p.track(board), declared(at, board, tables)
    open_ = [one for one in _of_task(tables, "article", langs) if wild.excluded(one, settings.wild) is None]
    articles = in_shard(chosen(open_, at.p.size_of(board).articles, at.p.seed), shard, at.p.n_shards)
    asked = wild.query_requests(articles, model, settings, prompts_dir=at.p.llm.prompts_dir)
    replies = ask_prompted(asked, at, f"{board}: query {model}", asking)
    return generations(wild.collect_queries(asked, replies, n=settings.wild.queries_per_article))


def _wild(at: Layout, board: str, tables) -> list[dict]:
    """The source's own queries in the board's languages."""
    return tables.items.filter(
        (pl.col("task") == "wild") & pl.col("lang").is_in(at.p.track(board).languages)
    ).to_dicts()


def wild_items(at: Layout, board: str, tables, queried: pl.DataFrame) -> list[dict]:
    """The Item rows of all queries that are asked, with their subsets: those written here, or as many per
    language of the source's own.
    """
    settings, rows = at.p.track(board), _wild(at, board, tables)
    if rows:
        own = contexts(frame(Item, rows), tables.documents).values()
        kept = {
            one.item_id
            for one in chosen(
                own, at.p.size_of(board).articles * settings.wild.queries_per_article, at.p.seed
            )
        }
        rows = [row for row in rows if row["item_id"] in kept]
    elif not queried.is_empty():
        articles = contexts(tables.items.filter(pl.col("task") == "article"), tables.documents)
        rows = wild.wild_items(queried.iter_rows(named=True), articles)
    return wild.with_subsets(rows, settings.wild.subset_seeds, at.p.seed)


def _wild_shard(
    at: Layout, board: str, tables, upstream: Replies, shard: int
) -> tuple[list[dict], list[Context]]:
    """All queries, and the contexts of a shard's."""
    rows = wild_items(at, board, tables, upstream.get("query", generations([])))
    return rows, list(contexts(frame(Item, rows), tables.documents).values())


def check(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Whether the lead of its article answers a query, on a seeded sample per language of the queries that
    were written here.
    """
    settings = at.p.track(board)
    if not allowed(at, board, model) or _wild(at, board, tables):
        return generations([])
    _, found = _wild_shard(at, board, tables, upstream, shard)
    sampled = in_shard(chosen(found, settings.wild.n_checked, at.p.seed), shard, at.p.n_shards)
    asked = wild.check_requests(sampled, model, settings, prompts_dir=at.p.llm.prompts_dir)
    return generations(wild.collect_checks(asked, ask_prompted(asked, at, f"{board}: check {model}", asking)))


def answer(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """One subject's replies to the queries alone, each subset with its seed. Generation rows of purpose
    `answer` with what was found.
    """
    if not allowed(at, board, model):
        return generations([])
    settings = at.p.track(board)
    rows, found = _wild_shard(at, board, tables, upstream, shard)
    mine = {one.item_id for one in in_shard(found, shard, at.p.n_shards)}
    asked = wild.answer_requests(
        [row for row in rows if row["item_id"] in mine], model, settings, prompts_dir=at.p.llm.prompts_dir
    )
    replies = ask_prompted(asked, at, f"{board}: answer {model}", asking)
    return generations(wild.collect_answers(asked, replies, settings.languages))


# ---- the data set ------------------------------------------------------------------------------------------


def exported(
    at: Layout, board: str, tables, replies: Replies, beside: Replies
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """The tables of the board's data set by name, and its annotation tasks. Pure: it asks nothing."""
    settings, size = at.p.track(board), at.p.size_of(board)
    whole = pl.concat([generations([]), *replies.values()]).sort("generation_id")
    rows = whole.filter(pl.col("purpose") != wild.ANSWER).to_dicts()
    found, kept = labelled(at, board, tables)
    documents, items, samples, dropped = dataset.translated(rows, kept, found, tables.documents)
    items += wild.with_answerable(_made_wild(at, board, tables, replies), rows)
    found = contexts(pl.concat([tables.items, frame(Item, items)]), tables.documents)
    written = dataset.silver_samples(rows, found)
    if replies.get("translate") is not None:
        dropped = dropped + dataset.rejected_samples(kept)
    if allowed(at, board, settings.query_writer) and not _wild(at, board, tables):
        dropped = dropped + wild.rejected_articles(
            _of_task(tables, "article", settings.languages), settings.wild
        )
    replied = drawn_replies(whole, n=size.natural, seed=at.p.seed)
    tasks = annotation_tasks(
        written, replied, found, settings.labelling, n_natural=size.natural, seed=at.p.seed
    )
    all_samples = dataset.samples_frame(
        written + samples, tables.samples, [row for row in kept if translating.is_sound(row)]
    )
    made = {
        "documents": dataset.documents_frame(documents),
        "items": dataset.items_frame(items, tables.items, whole, all_samples),
        "generations": whole,
        "samples": all_samples,
        "judgements": beside["judgements"],
        "rejects": rejects(whole.filter(pl.col("status") != "ok").iter_rows(named=True), dropped),
        "counts": counts(whole),
    }
    return made, tasks


def drawn_replies(whole: pl.DataFrame, *, n: int, seed: int) -> list[dict]:
    """The rows of the replies in the wild that `tasks.natural` draws. Most of a board's rows are such replies: only
    what they are drawn by is read of the others.
    """
    came = whole.filter((pl.col("purpose") == wild.ANSWER) & (pl.col("status") == "ok"))
    is_lang = pl.element().struct.field("key") == "lang"
    known = came.select(
        "generation_id", "model", pl.col("attributes").list.eval(pl.element().filter(is_lang))
    )
    names = [row["generation_id"] for row in natural(known.to_dicts(), n, seed)]
    return came.filter(pl.col("generation_id").is_in(names)).to_dicts()


def _made_wild(at: Layout, board: str, tables, replies: Replies) -> list[dict]:
    """The queries that were written here; a source's own stand with the source, untouched."""
    return (
        []
        if _wild(at, board, tables)
        else wild_items(at, board, tables, replies.get(wild.QUERY, generations([])))
    )
