"""The track's steps: what each asks of which models. Everything else is pure and stands in the module of that
name.

A step asks only models that may stand on the board (`Params.models_on`); without one it gives an empty frame.
`asking` is how a step asks: `llm.ask`, or what `plan` puts in its place to see what would be asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Judgement
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, generations
from truerate.metrics.similarity import measure_of
from truerate.tracks.asking import Work, ask_until_read, in_shard, rows_in_shard, step_of
from truerate.tracks.halueval import dataset, filtering, general, recognition, refinement, sampling
from truerate.tracks.halueval.context import SAMPLED_TASKS, Context, chosen_items, contexts
from truerate.tracks.halueval.dataset import GENERATED, PUBLISHED
from truerate.tracks.halueval.filtering import Pick
from truerate.tracks.halueval.recognition import Target, reminder

Replies = dict[str, pl.DataFrame]
JUDGED = {"judgements": Judgement}  # the table beside the replies of recognition


@dataclass(frozen=True)
class HelmaWork(Work):
    """What a step of this track works on."""

    @cached_property
    def context_of(self) -> dict[str, Context]:
        """Every item of the source, by its id."""
        return contexts(self.tables.items, self.tables.documents)

    @cached_property
    def published(self) -> pl.DataFrame:
        """The samples that the board takes of its source, as many as its sizes say."""
        return dataset.published_samples(
            self.tables.samples, self.settings, self.size.model_dump(), self.seed
        )

    def replies(self, step: str) -> pl.DataFrame:
        """Return the Generation rows of an earlier step."""
        return self.upstream.get(step, generations([]))

    def written_items(self, tasks: Sequence[str]) -> list[Context]:
        """Return the items of the shard that models write texts of, by the sizes; of queries the pool."""
        size = self.size.model_dump()
        written = [task for task in dataset.written_tasks(self.published, self.settings) if task in tasks]
        sizes = {task: size["general_pool" if task == "general" else task] for task in written}
        items = chosen_items(self.tables.items, sizes, self.seed)
        return self.in_shard(contexts(items, self.tables.documents).values())

    def checked(self, sampled: pl.DataFrame) -> pl.DataFrame:
        """Return candidates with why they are rejected."""
        return dataset.checked(sampled, self.context_of, slack=self.settings.length_slack_words)

    def recognised(self, asked: Sequence[Prompted], label: str) -> tuple[list[dict], list[dict]]:
        """Return Generation and Judgement rows of recognition; the last reply to each is the judgement."""
        how = {"read": recognition.read, "remind": reminder}
        came = ask_until_read(asked, self.config, f"{self.board}: {label}", self.asking, **how)
        version = self.config.identity(self.model)
        rows, judged = recognition.collect(came.asked, came.replies, version=version)
        return rows + came.unread, judged


# ---- texts -------------------------------------------------------------------------------------------------


@step_of(HelmaWork)
def sample(work: HelmaWork) -> list[dict]:
    """Ask for one model's candidates of a shard's items: both schemes, every task but general."""
    settings, model = work.settings, work.model
    drafts = sampling.drafts(work.written_items(SAMPLED_TASKS), work.prompter)
    label = f"{work.board}: teach {model}"
    given = sampling.instruct(
        drafts, model, settings, lambda turns: work.asking(turns, work.config, label=label)
    )
    asked, failed = sampling.requests(drafts, given, model, settings), sampling.unasked(drafts, given)
    to_ask = [prompted for prompted, reply in zip(asked, failed, strict=True) if reply is None]
    came = iter(work.asked(to_ask, "sample"))
    return sampling.collect(drafts, asked, [reply or next(came) for reply in failed])


@step_of(HelmaWork)
def filter(work: HelmaWork) -> list[dict]:  # the paper's name of the step
    """Ask for the judge's choices between the two candidates of a shard's items, in both orders. Generation
    rows of purpose `filter`: on generated candidates first, then on published ones.

    Of the data set's generator and, where the source holds candidates of both schemes, of those too: they are
    no shard's own, so every shard gives them.
    """
    sampled = rows_in_shard(work.replies("sample"), work.shard, work.config.p.n_shards)
    groups = {
        GENERATED: dataset.generated_candidates(work.checked(sampled), work.settings.dataset_generator),
        PUBLISHED: dataset.published_candidates(work.published),
    }
    asked = []
    for origin, candidates in groups.items():
        contests = filtering.contests(candidates, work.context_of)
        asked += filtering.requests(contests, work.model, work.prompter, origin=origin)
    came = work.answered(asked, "filter", read=filtering.read_choice, remind=reminder)
    return came.rows(filtering.read_choice)


@step_of(HelmaWork)
def respond(work: HelmaWork) -> list[dict]:
    """Ask for several responses to every general query of a shard's pool (purpose `respond`)."""
    asked = general.requests(work.written_items(("general",)), work.model, work.settings)
    return general.collect(asked, work.asked(asked, "respond"))


def select(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, **how: object
) -> pl.DataFrame:
    """Return the pool's responses with similarity and `selected`, in the first shard; nobody is asked."""
    if shard:
        return generations([])
    responses = upstream.get("respond", generations([]))
    compared = general.similarities(responses, measure=measure_of(config.p.track(board).similarity))
    marked = general.marked(responses, compared, n=config.p.size_of(board).general, seed=config.p.seed)
    return marked.sort("generation_id")


# ---- the data set ------------------------------------------------------------------------------------------


def _samples(work: HelmaWork) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Pick], pl.DataFrame]:
    """The checked candidates, the replies of filtering, which candidate was chosen for each item, and all
    samples. Published candidates are no shard's own, so their filtering may come once per shard: equal rows
    are one.
    """
    candidates = work.checked(work.replies("sample"))
    filtered = work.replies("filter").unique("generation_id", keep="first", maintain_order=True)
    how = {"settings": work.settings, "seed": work.seed}
    samples = dataset.samples_of(candidates, filtered, work.published, work.context_of, **how)
    return candidates, filtered, *samples


def exported(
    config: Layout, board: str, tables, replies: Replies, beside: Replies
) -> tuple[Replies, list[dict]]:
    """Return the tables of the board's data set by name, and its annotation tasks. Nothing is asked."""
    work = HelmaWork(config, board, tables, replies)
    candidates, filtered, chosen, samples = _samples(work)
    responses, generator = work.replies("select"), work.settings.dataset_generator
    written = pl.concat([candidates, filtered, responses]).sort("generation_id")
    item_ids = pl.concat([written["item_id"], work.published["item_id"]]).unique(maintain_order=True)
    rows = pl.concat([written, *(work.replies(step) for step in ("recognise", "judge_refined"))])
    data = {
        "items": tables.items.filter(pl.col("item_id").is_in(item_ids.to_list())).sort("item_id"),
        "generations": rows,
        "samples": samples,
        "judgements": beside["judgements"],
        "rejects": dataset.rejects(candidates, chosen, responses, generator=generator),
        "counts": counts(rows),
    }
    probes = dataset.without_probes(tables.samples, work.settings.tasks)[1]
    return data, general.annotation_tasks(general.selected(responses), tables.items, probes)


# ---- recognition -------------------------------------------------------------------------------------------


@step_of(HelmaWork, JUDGED)
def recognise(work: HelmaWork) -> tuple[pl.DataFrame, Replies]:
    """Ask for a subject's judgements of a shard's samples and selected general responses, in every variant,
    and for its refinements: Generation rows (purposes `recognise`, `refine`), and beside them the
    `judgements`.
    """
    samples, responses = _samples(work)[-1], work.replies("select")
    context_of, targets = recognition_targets(work.config, samples, responses, work.tables, work.shard)
    rows, judgements = [generations([])], [recognition.judgements([])]
    for part in recognition.parts(targets):  # requests and replies of a whole pool take gigabytes
        of_part = {target.item_id: context_of[target.item_id] for target in part}
        generated, judged = _judged_texts(work, of_part, part)
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
    work: HelmaWork, of_item: dict[str, Context], targets: Sequence[Target]
) -> tuple[list[dict], list[dict]]:
    """Return the rows of what one subject says of these texts, of what it refines, and of that."""
    from truerate.tracks.halueval.retrieval import knowledge_of, knowledge_of_queries  # brings numpy

    config, board, subject, prompter = work.config, work.board, work.model, work.prompter
    knowledge = knowledge_of(config, board, of_item.values(), work.tables.documents)
    asked = recognition.requests(targets, of_item, subject, prompter, knowledge=knowledge)
    rows, judged = work.recognised(asked, f"recognise {subject}")
    if not work.settings.refinement:
        return rows, judged
    flagged = refinement.flagged(judged)
    to_refine = [target for target in targets if target.target_id in flagged]
    queries = [of_item[target.item_id] for target in to_refine]
    knowledge |= knowledge_of_queries(config, board, queries, work.tables.documents, knowledge)
    asked = refinement.requests(to_refine, of_item, subject, prompter, knowledge=knowledge)
    refined = refinement.collect(asked, work.asked(asked, "refine"), to_refine)
    asked = refinement.judging_requests(refined, of_item, subject, prompter)
    more, judged_anew = work.recognised(asked, f"judge what {subject} refined")
    return rows + refined + more, judged + judged_anew


@step_of(HelmaWork, JUDGED)
def judge_refined(work: HelmaWork) -> tuple[list[dict], Replies]:
    """Ask what another model says of the texts of a shard that subjects rewrote; its own rewritings, which it
    has judged, are not asked again. Generation rows of purpose `recognise`, and beside them the `judgements`.
    """
    rows = rows_in_shard(work.replies("recognise"), work.shard, work.config.p.n_shards)
    refined = rows.filter((pl.col("purpose") == refinement.PURPOSE) & (pl.col("model") != work.model))
    named = work.tables.items.filter(pl.col("item_id").is_in(refined["item_id"].unique().to_list()))
    of_item, rewritten = contexts(named, work.tables.documents), refined.sort("generation_id").to_dicts()
    asked = refinement.judging_requests(rewritten, of_item, work.model, work.prompter)
    generated, judged = work.recognised(asked, f"{work.model} judges what was refined")
    return generated, {"judgements": recognition.judgements(judged)}
