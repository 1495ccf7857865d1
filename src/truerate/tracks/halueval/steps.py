"""The track's steps: what each asks of which models. Everything else is pure and stands in the module of that
name.

A step asks only models that may stand on the board (`Params.models_on`); without one it gives an empty frame.
`asking` is how a step asks: `llm.ask`, or what `plan` puts in its place to see what would be asked.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from truerate.config.layout import Layout
from truerate.llm import ask
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, generations
from truerate.metrics.measures import measure_of
from truerate.tracks.asking import Asking, allowed, ask_prompted, ask_until_read, in_shard, rows_in_shard
from truerate.tracks.halueval import dataset, filtering, general, recognition, refinement, sampling
from truerate.tracks.halueval.context import (
    SAMPLED_TASKS,
    Context,
    chosen_items,
    contexts,
)
from truerate.tracks.halueval.dataset import GENERATED, PUBLISHED, Dataset
from truerate.tracks.halueval.filtering import Pick
from truerate.tracks.halueval.recognition import Target
from truerate.tracks.halueval.reminders import reminder

if TYPE_CHECKING:
    pass

Replies = dict[str, pl.DataFrame]


def published_samples(at: Layout, board: str, tables) -> pl.DataFrame:
    """The samples that the board takes of its source, as many as its sizes say."""
    sizes = at.p.size_of(board).model_dump()
    return dataset.published_samples(tables.samples, at.p.track(board), sizes, at.p.seed)


def written_items(at: Layout, board: str, tables, tasks: Sequence[str]) -> pl.DataFrame:
    """The items of these tasks that models write texts of: as many as the board's sizes say, of general queries the
    whole pool.
    """
    written = dataset.written_tasks(published_samples(at, board, tables), at.p.track(board))
    size = at.p.size_of(board).model_dump()
    sizes = {task: size["general_pool" if task == "general" else task] for task in written if task in tasks}
    return chosen_items(tables.items, sizes, at.p.seed)


def _contexts(at: Layout, board: str, tables, tasks: Sequence[str], shard: int) -> list[Context]:
    items = written_items(at, board, tables, tasks)
    return in_shard(contexts(items, tables.documents).values(), shard, at.p.n_shards)


def sample(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Candidates of one model for a shard's items: both schemes, every task but general. Generation rows of
    purpose `sample`.
    """
    if not allowed(at, board, model):
        return generations([])
    settings = at.p.track(board)
    found = _contexts(at, board, tables, SAMPLED_TASKS, shard)
    made = sampling.drafts(found, settings, seed=at.p.seed, prompts_dir=at.p.llm.prompts_dir)
    lessons = sampling.lessons(made)
    while sampling.open_lessons(lessons):
        turns = sampling.teaching_requests(lessons, model, settings)
        lessons = sampling.taught(lessons, asking(turns, at, label=f"{board}: teach {model}"))
    asked = sampling.requests(made, lessons, model, settings)
    broken = sampling.unasked(made, lessons)
    open_ = [one for one, failed in zip(asked, broken, strict=True) if failed is None]
    came = iter(ask_prompted(open_, at, f"{board}: sample {model}", asking))
    replies = [failed or next(came) for failed in broken]
    return generations(sampling.collect(made, asked, replies))


def filter(  # the paper's name of the step
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """The judge's choices between the two candidates of a shard's items, in both orders. Generation rows of
    purpose `filter`.

    Of the data set's generator and, where the source holds candidates of both schemes, of those too: they are
    no shard's own, so every shard gives them.
    """
    if not allowed(at, board, model):
        return generations([])
    sampled = rows_in_shard(upstream.get("sample", generations([])), shard, at.p.n_shards)
    found = contexts(tables.items, tables.documents)
    asked = filter_requests(at, board, model, sampled, found, published_samples(at, board, tables))
    came = ask_until_read(
        asked, at, f"{board}: filter {model}", asking, read=filtering.read_choice, remind=reminder
    )
    return generations(filtering.collect(came.asked, came.replies) + came.unread)


def filter_requests(
    at: Layout,
    board: str,
    judge: str,
    sampled: pl.DataFrame,
    found: dict[str, Context],
    published: pl.DataFrame,
) -> list[Prompted]:
    """What filtering asks: generated candidates first, then published ones."""
    settings = at.p.track(board)
    candidates = dataset.checked(sampled, found, slack=settings.length_slack_words)
    groups = {
        GENERATED: dataset.generated_candidates(candidates, settings.dataset_generator),
        PUBLISHED: dataset.published_candidates(published),
    }
    return [
        prompted
        for origin, group in groups.items()
        for prompted in filtering.requests(
            filtering.contests(group, found),
            judge,
            settings,
            origin=origin,
            seed=at.p.seed,
            prompts_dir=at.p.llm.prompts_dir,
        )
    ]


def respond(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Several responses to every general query of a shard's pool. Generation rows of purpose `respond`."""
    if not allowed(at, board, model):
        return generations([])
    pool = _contexts(at, board, tables, ("general",), shard)
    asked = general.requests(pool, model, at.p.track(board))
    return generations(general.collect(asked, ask_prompted(asked, at, f"{board}: respond {model}", asking)))


def select(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """The responses of the whole pool with the similarity of their query, and `selected` on those that are
    labelled; once, in the first shard. It asks no model.
    """
    if shard:
        return generations([])
    settings, responses = at.p.track(board), upstream.get("respond", generations([]))
    compared = general.similarities(responses, measure=measure_of(settings.similarity))
    marked = general.marked(responses, compared, n=at.p.size_of(board).general, seed=at.p.seed)
    return marked.sort("generation_id")


def assemble(
    at: Layout, board: str, tables, sampled: pl.DataFrame, filtered: pl.DataFrame, responses: pl.DataFrame
) -> Dataset:
    """The board's data set from its replies, the marked responses among them (`select`), and the source's
    published samples. Pure: it asks nothing.

    Published candidates are no shard's own, so their filtering may come once per shard: equal rows are one.
    """
    candidates, chosen, samples = _chosen(at, board, tables, sampled, filtered)
    published = published_samples(at, board, tables)
    probes = dataset.without_probes(tables.samples, at.p.track(board).tasks)[1]
    filtered = filtered.unique("generation_id", keep="first", maintain_order=True)
    replies = pl.concat([candidates, filtered, responses]).sort("generation_id")
    return Dataset(
        items=dataset.items_of(tables.items, replies, published),
        generations=replies,
        samples=samples,
        rejects=dataset.rejects(candidates, chosen, responses, generator=at.p.track(board).dataset_generator),
        counts=counts(replies),
        tasks=general.annotation_tasks(general.selected(responses), tables.items, probes),
    )


def _chosen(
    at: Layout, board: str, tables, sampled: pl.DataFrame, filtered: pl.DataFrame
) -> tuple[pl.DataFrame, dict[str, Pick], pl.DataFrame]:
    """The checked candidates, which of them was chosen for each item, and the samples, published ones too."""
    filtered = filtered.unique("generation_id", keep="first", maintain_order=True)
    settings, seed = at.p.track(board), at.p.seed
    found = contexts(tables.items, tables.documents)
    candidates = dataset.checked(sampled, found, slack=settings.length_slack_words)
    ours = dataset.generated_candidates(candidates, settings.dataset_generator)
    chosen = dataset.chosen_candidates(filtered, ours, origin=GENERATED, seed=seed)
    published = published_samples(at, board, tables)
    theirs = dataset.published_candidates(published) if filtered.height else {}
    published = dataset.with_picks(
        published, dataset.chosen_candidates(filtered, theirs, origin=PUBLISHED, seed=seed)
    )
    samples = dataset.samples_frame(dataset.pair_samples(candidates, chosen, found), published)
    return candidates, chosen, samples


def assembled(at: Layout, board: str, tables, replies: Replies) -> Dataset:
    """The data set that the scratch files of these steps make together with the source."""
    return assemble(
        at, board, tables, *(replies.get(step, generations([])) for step in ("sample", "filter", "select"))
    )


def exported(
    at: Layout, board: str, tables, replies: dict[str, pl.DataFrame], beside: dict[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """The tables of the board's data set by name, and its annotation tasks."""
    dataset = assembled(at, board, tables, replies)
    judged = [replies.get(step, generations([])) for step in ("recognise", "judge_refined")]
    whole = pl.concat([dataset.generations, *judged])
    made = {name: getattr(dataset, name) for name in ("items", "samples", "rejects")}
    return made | {
        "generations": whole,
        "judgements": beside["judgements"],
        "counts": counts(whole),
    }, dataset.tasks


def knowledge_of(
    at: Layout, board: str, found: dict[str, Context], documents: pl.DataFrame
) -> dict[str, str]:
    """What the knowledge variant and refinement give, by item: the item's own documents, or what BM25 finds.
    Never for summaries.
    """
    settings = at.p.track(board)
    fit = [context for context in found.values() if context.task != "summarization"]
    if settings.knowledge == "retrieved":
        from truerate.tracks.halueval.retrieval import corpus_of, retrieved

        return retrieved(fit, corpus_of(at, board, documents), settings.n_retrieved)
    return {context.item_id: context.knowledge for context in fit if context.knowledge}


def recognise(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, Replies]:
    """A subject's judgements of a shard's samples and selected general responses, in every variant, and its
    refinements: Generation rows (purposes `recognise`, `refine`), and beside them the `judgements`.
    """
    if not allowed(at, board, model):
        return generations([]), {"judgements": recognition.judgements([])}
    sampled, filtered, responses = (
        upstream.get(step, generations([])) for step in ("sample", "filter", "select")
    )
    samples = _chosen(at, board, tables, sampled, filtered)[2]
    found, asked_of = recognition_targets(at, samples, responses, tables, shard)
    rows, said = [generations([])], [recognition.judgements([])]
    for part in recognition.parts(asked_of):  # requests and replies of a whole pool take gigabytes
        of_part = {target.item_id: found[target.item_id] for target in part}
        made, judged = judged_texts(at, board, model, tables.documents, of_part, part, asking=asking)
        rows.append(generations(made))
        said.append(recognition.judgements(judged))
    beside = {"judgements": pl.concat(said).sort("judgement_id")}
    return pl.concat(rows).sort("generation_id"), beside


def judged_texts(
    at: Layout,
    board: str,
    subject: str,
    documents: pl.DataFrame,
    found: dict[str, Context],
    asked_of: Sequence[Target],
    *,
    asking: Asking = ask,
) -> tuple[list[dict], list[dict]]:
    """Generation and Judgement rows of what one subject says of these texts, of what it refines, and of that."""
    settings, prompts_dir, version = at.p.track(board), at.p.llm.prompts_dir, at.identity(subject)
    knowledge = knowledge_of(at, board, found, documents)
    asked = recognition.requests(
        asked_of,
        found,
        subject,
        settings,
        knowledge=knowledge,
        seed=at.p.seed,
        prompts_dir=prompts_dir,
    )
    made, judged = _recognised(asked, at, f"{board}: recognise {subject}", version, asking)
    if not settings.refinement:
        return made, judged
    flagged = refinement.flagged(judged)
    again = [target for target in asked_of if target.target_id in flagged]
    knowledge |= knowledge_of_queries(at, board, again, found, documents, knowledge)
    asked = refinement.requests(again, found, subject, settings, knowledge=knowledge, prompts_dir=prompts_dir)
    replies = ask_prompted(asked, at, f"{board}: refine {subject}", asking)
    refined = refinement.collect(asked, replies, again)
    asked = refinement.judging_requests(
        refined, found, subject, settings, seed=at.p.seed, prompts_dir=prompts_dir
    )
    label = f"{board}: judge what {subject} refined"
    more, rejudged = _recognised(asked, at, label, version, asking)
    return made + refined + more, judged + rejudged


def _recognised(
    asked: Sequence[Prompted], at: Layout, label: str, version: str, asking: Asking
) -> tuple[list[dict], list[dict]]:
    """Generation and Judgement rows of questions of recognition; only the last reply to each is a judgement."""
    came = ask_until_read(asked, at, label, asking, read=recognition.read, remind=reminder)
    made, judged = recognition.collect(came.asked, came.replies, version=version)
    return made + came.unread, judged


def knowledge_of_queries(
    at: Layout,
    board: str,
    flagged: Sequence[Target],
    found: dict[str, Context],
    documents: pl.DataFrame,
    known: dict[str, str],
) -> dict[str, str]:
    """What flagged answers to general queries are refined with (HELMA 3.3): queries come without documents,
    so it is always what BM25 finds. By item, without those that have knowledge already.
    """
    from truerate.tracks.halueval.retrieval import corpus_of, retrieved

    queries = {one.item_id: found[one.item_id] for one in flagged if one.item_id not in known}
    asked = [context for context in queries.values() if context.task == "general"]
    if not asked:
        return {}
    return retrieved(asked, corpus_of(at, board, documents), at.p.track(board).n_retrieved)


def judge_refined(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, Replies]:
    """What another model says of the texts of a shard that subjects rewrote; its own rewritings, which it has
    judged, are not asked again. Generation rows of purpose `recognise`, and beside them the `judgements`.
    """
    if not allowed(at, board, model):
        return generations([]), {"judgements": recognition.judgements([])}
    rows = rows_in_shard(upstream.get("recognise", generations([])), shard, at.p.n_shards)
    refined = rows.filter((pl.col("purpose") == refinement.PURPOSE) & (pl.col("model") != model))
    named = tables.items.filter(pl.col("item_id").is_in(refined["item_id"].unique().to_list()))
    asked = refinement.judging_requests(
        refined.sort("generation_id").to_dicts(),
        contexts(named, tables.documents),
        model,
        at.p.track(board),
        seed=at.p.seed,
        prompts_dir=at.p.llm.prompts_dir,
    )
    label = f"{board}: {model} judges what was refined"
    made, judged = _recognised(asked, at, label, at.identity(model), asking)
    return generations(made), {"judgements": recognition.judgements(judged)}


def recognition_targets(
    at: Layout, samples: pl.DataFrame, responses: pl.DataFrame, tables, shard: int
) -> tuple[dict[str, Context], list[Target]]:
    """The texts of one shard and the contexts of their items. A summary whose document is not at hand cannot
    be judged and is not asked.
    """
    targets = recognition.targets(samples, general.selected(responses))
    named = tables.items.filter(pl.col("item_id").is_in(list({target.item_id for target in targets})))
    asked = in_shard(contexts(named, tables.documents).values(), shard, at.p.n_shards)
    found = {one.item_id: one for one in asked}
    found = {name: one for name, one in found.items() if one.knowledge or one.task != "summarization"}
    return found, [target for target in targets if target.item_id in found]


# ---- pure, and numpy with what else it needs loaded by it alone ---------------------------------------------


def topics(
    at: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    documents: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
) -> list[dict]:
    """The rows of topics.json."""
    from truerate.tracks.halueval.topics import topic_table

    n_topics = at.p.track(board).n_topics
    return topic_table(
        items, documents, samples, judgements, n_topics=n_topics, statistics=at.p.statistics, seed=at.p.seed
    )
