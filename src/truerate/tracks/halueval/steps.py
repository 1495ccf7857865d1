"""The track's steps: what each asks of which models. Everything else is pure and stands in the module of that name.

A step asks only models that may stand on the board (`Params.models_on`); without one it gives an empty frame. `asking` is
how a step asks: `llm.ask`, or what `plan` puts in its place to see what would be asked.
"""

from collections.abc import Sequence

import polars as pl

from truerate.config.layout import Layout
from truerate.llm import ask
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, generations
from truerate.metrics.similarity import measure_of
from truerate.tracks.asking import (
    Asking,
    Prompter,
    allowed,
    ask_prompted,
    ask_until_read,
    in_shard,
    rows_in_shard,
)
from truerate.tracks.halueval import dataset, filtering, general, recognition, refinement, sampling
from truerate.tracks.halueval.context import SAMPLED_TASKS, Context, chosen_items, contexts
from truerate.tracks.halueval.dataset import GENERATED, PUBLISHED, Dataset
from truerate.tracks.halueval.filtering import Pick
from truerate.tracks.halueval.recognition import Target, reminder

Replies = dict[str, pl.DataFrame]


def published_samples(config: Layout, board: str, tables) -> pl.DataFrame:
    """Return the samples that the board takes of its source, as many as its sizes say."""
    sizes = config.p.size_of(board).model_dump()
    return dataset.published_samples(tables.samples, config.p.track(board), sizes, config.p.seed)


def _contexts(config: Layout, board: str, tables, tasks: Sequence[str], shard: int) -> list[Context]:
    """The items of a shard that models write texts of: as many as the sizes say, of queries the whole pool."""
    written = dataset.written_tasks(published_samples(config, board, tables), config.p.track(board))
    size = config.p.size_of(board).model_dump()
    sizes = {task: size["general_pool" if task == "general" else task] for task in written if task in tasks}
    items = chosen_items(tables.items, sizes, config.p.seed)
    return in_shard(contexts(items, tables.documents).values(), shard, config.p.n_shards)


def sample(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask for one model's candidates of a shard's items: both schemes, every task but general."""
    if not allowed(config, board, model):
        return generations([])
    settings = config.p.track(board)
    drafts = sampling.drafts(
        _contexts(config, board, tables, SAMPLED_TASKS, shard), Prompter.of(config, board)
    )
    label = f"{board}: teach {model}"
    given = sampling.instruct(drafts, model, settings, lambda turns: asking(turns, config, label=label))
    asked, failed = sampling.requests(drafts, given, model, settings), sampling.unasked(drafts, given)
    to_ask = [prompted for prompted, reply in zip(asked, failed, strict=True) if reply is None]
    came = iter(ask_prompted(to_ask, config, f"{board}: sample {model}", asking))
    replies = [reply or next(came) for reply in failed]
    return generations(sampling.collect(drafts, asked, replies))


def filter(  # the paper's name of the step
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask for the judge's choices between the two candidates of a shard's items, in both orders. Generation rows of
    purpose `filter`.

    Of the data set's generator and, where the source holds candidates of both schemes, of those too: they are no shard's
    own, so every shard gives them.
    """
    if not allowed(config, board, model):
        return generations([])
    sampled = rows_in_shard(upstream.get("sample", generations([])), shard, config.p.n_shards)
    asked = filter_requests(config, board, model, sampled, tables)
    label = f"{board}: filter {model}"
    came = ask_until_read(asked, config, label, asking, read=filtering.read_choice, remind=reminder)
    return generations(came.rows(filtering.read_choice))


def filter_requests(config: Layout, board: str, judge: str, sampled: pl.DataFrame, tables) -> list[Prompted]:
    """Return what filtering asks: generated candidates first, then published ones."""
    prompter, of_item = Prompter.of(config, board), contexts(tables.items, tables.documents)
    settings = prompter.settings
    candidates = dataset.checked(sampled, of_item, slack=settings.length_slack_words)
    groups = {
        GENERATED: dataset.generated_candidates(candidates, settings.dataset_generator),
        PUBLISHED: dataset.published_candidates(published_samples(config, board, tables)),
    }
    return [
        prompted
        for origin, group in groups.items()
        for prompted in filtering.requests(filtering.contests(group, of_item), judge, prompter, origin=origin)
    ]


def respond(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask for several responses to every general query of a shard's pool. Generation rows of purpose `respond`."""
    if not allowed(config, board, model):
        return generations([])
    pool = _contexts(config, board, tables, ("general",), shard)
    asked = general.requests(pool, model, config.p.track(board))
    return generations(
        general.collect(asked, ask_prompted(asked, config, f"{board}: respond {model}", asking))
    )


def select(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Return the pool's responses with their query's similarity and `selected`, once, in the first shard."""
    if shard:
        return generations([])
    responses = upstream.get("respond", generations([]))
    compared = general.similarities(responses, measure=measure_of(config.p.track(board).similarity))
    marked = general.marked(responses, compared, n=config.p.size_of(board).general, seed=config.p.seed)
    return marked.sort("generation_id")


# ---- the data set ------------------------------------------------------------------------------------------


def assembled(config: Layout, board: str, tables, replies: Replies) -> Dataset:
    """Return the data set that the replies of the steps make together with the source. Pure: it asks nothing."""
    settings, published = config.p.track(board), published_samples(config, board, tables)
    candidates, filtered, chosen, samples = _samples(config, board, tables, replies)
    responses = replies.get("select", generations([]))
    probes = dataset.without_probes(tables.samples, settings.tasks)[1]
    rows = pl.concat([candidates, filtered, responses]).sort("generation_id")
    item_ids = pl.concat([rows["item_id"], published["item_id"]]).unique(maintain_order=True)
    return Dataset(
        items=tables.items.filter(pl.col("item_id").is_in(item_ids.to_list())).sort("item_id"),
        generations=rows,
        samples=samples,
        rejects=dataset.rejects(candidates, chosen, responses, generator=settings.dataset_generator),
        tasks=general.annotation_tasks(general.selected(responses), tables.items, probes),
    )


def _samples(
    config: Layout, board: str, tables, replies: Replies
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Pick], pl.DataFrame]:
    """The checked candidates, the replies of filtering, which candidate was chosen for each item, and all samples.
    Published candidates are no shard's own, so their filtering may come once per shard: equal rows are one.
    """
    sampled, filtered = (replies.get(step, generations([])) for step in ("sample", "filter"))
    filtered = filtered.unique("generation_id", keep="first", maintain_order=True)
    of_item, settings = contexts(tables.items, tables.documents), config.p.track(board)
    candidates = dataset.checked(sampled, of_item, slack=settings.length_slack_words)
    published, how = published_samples(config, board, tables), {"settings": settings, "seed": config.p.seed}
    return candidates, filtered, *dataset.samples_of(candidates, filtered, published, of_item, **how)


def exported(
    config: Layout, board: str, tables, replies: dict[str, pl.DataFrame], beside: dict[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """Return the tables of the board's data set by name, and its annotation tasks."""
    whole = assembled(config, board, tables, replies)
    judged = [replies.get(step, generations([])) for step in ("recognise", "judge_refined")]
    rows = pl.concat([whole.generations, *judged])
    same = {name: getattr(whole, name) for name in ("items", "samples", "rejects")}
    more = {"generations": rows, "judgements": beside["judgements"], "counts": counts(rows)}
    return same | more, whole.tasks


# ---- recognition -------------------------------------------------------------------------------------------


def recognise(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, Replies]:
    """Ask for a subject's judgements of a shard's samples and selected general responses, in every variant, and for its
    refinements: Generation rows (purposes `recognise`, `refine`), and beside them the `judgements`.
    """
    if not allowed(config, board, model):
        return generations([]), {"judgements": recognition.judgements([])}
    samples, responses = (
        _samples(config, board, tables, upstream)[-1],
        upstream.get("select", generations([])),
    )
    context_of, targets = recognition_targets(config, samples, responses, tables, shard)
    rows, judgements = [generations([])], [recognition.judgements([])]
    for part in recognition.parts(targets):  # requests and replies of a whole pool take gigabytes
        of_part = {target.item_id: context_of[target.item_id] for target in part}
        generated, judged = _judged_texts(config, board, model, tables.documents, of_part, part, asking)
        rows.append(generations(generated))
        judgements.append(recognition.judgements(judged))
    return pl.concat(rows).sort("generation_id"), {"judgements": pl.concat(judgements).sort("judgement_id")}


def recognition_targets(
    config: Layout, samples: pl.DataFrame, responses: pl.DataFrame, tables, shard: int
) -> tuple[dict[str, Context], list[Target]]:
    """Return the contexts of a shard and the texts about them; a summary needs its document."""
    targets = recognition.targets(samples, general.selected(responses))
    named = tables.items.filter(pl.col("item_id").is_in(list({target.item_id for target in targets})))
    of_shard = in_shard(contexts(named, tables.documents).values(), shard, config.p.n_shards)
    of_item = {item.item_id: item for item in of_shard if item.knowledge or item.task != "summarization"}
    return of_item, [target for target in targets if target.item_id in of_item]


def _judged_texts(
    config: Layout,
    board: str,
    subject: str,
    documents: pl.DataFrame,
    of_item: dict[str, Context],
    targets: Sequence[Target],
    asking: Asking,
) -> tuple[list[dict], list[dict]]:
    """Generation and Judgement rows of what one subject says of these texts, of what it refines, and of that."""
    from truerate.tracks.halueval.retrieval import knowledge_of, knowledge_of_queries  # brings numpy

    prompter = Prompter.of(config, board)
    knowledge = knowledge_of(config, board, of_item.values(), documents)
    asked = recognition.requests(targets, of_item, subject, prompter, knowledge=knowledge)
    rows, judged = _recognised(asked, config, f"{board}: recognise {subject}", subject, asking)
    if not prompter.settings.refinement:
        return rows, judged
    flagged = refinement.flagged(judged)
    to_refine = [target for target in targets if target.target_id in flagged]
    queries = [of_item[target.item_id] for target in to_refine]
    knowledge |= knowledge_of_queries(config, board, queries, documents, knowledge)
    asked = refinement.requests(to_refine, of_item, subject, prompter, knowledge=knowledge)
    replies = ask_prompted(asked, config, f"{board}: refine {subject}", asking)
    refined = refinement.collect(asked, replies, to_refine)
    asked = refinement.judging_requests(refined, of_item, subject, prompter)
    label = f"{board}: judge what {subject} refined"
    more, judged_again = _recognised(asked, config, label, subject, asking)
    return rows + refined + more, judged + judged_again


def _recognised(
    asked: Sequence[Prompted], config: Layout, label: str, model: str, asking: Asking
) -> tuple[list[dict], list[dict]]:
    """Generation and Judgement rows of questions of recognition; only the last reply to each is a judgement."""
    came = ask_until_read(asked, config, label, asking, read=recognition.read, remind=reminder)
    rows, judged = recognition.collect(came.asked, came.replies, version=config.identity(model))
    return rows + came.unread, judged


def judge_refined(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, Replies]:
    """Ask what another model says of the texts of a shard that subjects rewrote; its own rewritings, which it has judged,
    are not asked again. Generation rows of purpose `recognise`, and beside them the `judgements`.
    """
    if not allowed(config, board, model):
        return generations([]), {"judgements": recognition.judgements([])}
    rows = rows_in_shard(upstream.get("recognise", generations([])), shard, config.p.n_shards)
    refined = rows.filter((pl.col("purpose") == refinement.PURPOSE) & (pl.col("model") != model))
    named = tables.items.filter(pl.col("item_id").is_in(refined["item_id"].unique().to_list()))
    of_item, rewritten = contexts(named, tables.documents), refined.sort("generation_id").to_dicts()
    asked = refinement.judging_requests(rewritten, of_item, model, Prompter.of(config, board))
    generated, judged = _recognised(asked, config, f"{board}: {model} judges what was refined", model, asking)
    return generations(generated), {"judgements": recognition.judgements(judged)}
