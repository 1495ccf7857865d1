"""The track's steps: what each asks of which models. All else is pure.

A step asks only models that may stand on the board (`Params.models_on`); without one it gives an empty frame.
`asking` is how it asks: `llm.ask`, or what `plan` puts in its place to see what would be asked.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Generation, Judgement, Sample, frame, pair
from truerate.llm import Reply
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, Read, generations, rejects
from truerate.tracks.asking import Reader, Work, ask_until_read, step_of
from truerate.tracks.halludial import dataset, judging, responding, silver
from truerate.tracks.halludial.context import Context, chosen, contexts, dialogues, side_of
from truerate.tracks.halludial.prompting import (
    ANNOTATE,
    DETECT,
    INDUCE,
    LOCATE,
    MATCH,
    RESPOND,
    Questions,
    reminder,
)

Replies = dict[str, pl.DataFrame]
NO_ROWS = frame(Generation)
MADE_OF = (RESPOND, ANNOTATE, INDUCE, MATCH)  # the purposes of the replies that samples are made of


@dataclass(frozen=True)
class DialogueWork(Work):
    """What a step of this track works on."""

    @cached_property
    def questions(self) -> Questions:
        """How the board is asked about."""
        return Questions.of(self.config, self.board)

    @cached_property
    def contexts(self) -> dict[str, Context]:
        """The turns of the board's dialogues, as many as its sizes say, by item."""
        whole = contexts(self.tables.items, self.tables.documents).values()
        return {turn.item_id: turn for turn in chosen(whole, self.size.dialogues, self.seed)}

    @cached_property
    def test(self) -> list[Context]:
        """The turns of the dialogues that are tested on, by item."""
        return [turn for turn in self.contexts.values() if side_of(turn.group_id, self.settings) == "test"]

    @cached_property
    def mine(self) -> set[str]:
        """The items of the shard."""
        return {turn.item_id for turn in self.in_shard(self.contexts.values())}

    def asked_until_read(
        self, questions: Sequence[Prompted], what: str, read: Reader
    ) -> tuple[list[dict], list[dict]]:
        """Ask, and re-ask the unread. Return the rows of the replies that stand, and all."""
        readings: dict[tuple[int, str], Read] = {}  # by the question, which outlives this, and the reply

        def read_once(question: Prompted, reply: str) -> Read:
            key = (id(question), reply)
            if key not in readings:
                readings[key] = read(question, reply)
            return readings[key]

        label = f"{self.board}: {what} {self.model}"
        answered = ask_until_read(questions, self.config, label, self.asking, read=read_once, remind=reminder)
        rows = answered.rows(read_once)
        return rows[: len(questions)], rows

    def rows_of(self, step: str) -> list[dict]:
        """Return the Generation rows of an earlier step, by id."""
        return self.upstream.get(step, NO_ROWS).sort("generation_id").to_dicts()

    def test_samples(self) -> list[dict]:
        """Return the samples of test dialogues that the replies of earlier steps make."""
        test = pl.col("item_id").is_in([turn.item_id for turn in self.test])
        is_base = pair("attributes", "temperature").fill_null(self.settings.base) == self.settings.base
        rows = []
        for step in ("respond", "annotate", "induce"):
            tested = self.upstream.get(step, NO_ROWS).filter(test & is_base)
            rows += tested.sort("generation_id").to_dicts()
        return silver.samples(rows, self.contexts, self.settings)[0]

    def judged(self, samples: Iterable[dict], rows: Sequence[dict]) -> list[judging.Judged]:
        """Return the located judgements that are judged themselves."""
        models = {row["model"] for row in rows if row["purpose"] == LOCATE and row["status"] == "ok"}
        versions = {model: self.config.identity(model) for model in models}
        texts = {row["sample_id"]: row["text"] for row in samples}
        return judging.drawn(judging.judged(rows, texts, versions), self.size.meta, self.seed)


class WritingWork(DialogueWork):
    """What a step works on where models write the board's texts."""

    @property
    def is_due(self) -> bool:
        """Whether anything is asked: of a model that may stand on the board, where models write its texts."""
        return super().is_due and is_built(self.config, self.board, self.tables)


# ---- texts -------------------------------------------------------------------------------------------------


@step_of(WritingWork)
def respond(work: DialogueWork) -> list[dict]:
    """Ask a model for responses to a shard's turns: in gold history at the base temperature, of some test
    dialogues at others (if the model takes a temperature), and of all test dialogues in self history, turn by
    turn. Rows of purpose `respond`.
    """
    is_tempered = work.config.p.model(work.model).takes("temperature")
    tempered = chosen(work.test, work.size.tempered, work.seed) if is_tempered else []
    turns = work.in_shard(work.contexts.values())
    asked = responding.requests(turns, work.in_shard(tempered), work.model, work.questions)
    rows = responding.collect(asked, work.asked(asked, "respond"), work.settings)

    def answered(questions: Sequence[Prompted], number: int) -> list[Reply]:
        return work.asked(questions, "respond", f", of_shard turn {number + 1}")

    # a dialogue is in the shard of its first turn
    of_shard = [dialogue for dialogue in dialogues(work.test) if work.in_shard(dialogue[:1])]
    return rows + responding.run_self(of_shard, work.model, work.questions, answered)


@step_of(WritingWork)
def annotate(work: DialogueWork) -> list[dict]:
    """Ask the annotator for verdict, place and reason of a shard's responses: rows of purpose `annotate`."""
    base = silver.base_responses(work.rows_of("respond"), work.settings)
    responses = [row for row in base if row["item_id"] in work.mine]
    texts = {row["generation_id"]: row["text"] for row in responses}
    asked = silver.annotate_requests(responses, work.contexts, work.model, work.questions)
    read = partial(silver.read_annotation, texts=texts, contexts=work.contexts)
    return work.asked_until_read(asked, "annotate", read)[1]


@step_of(WritingWork)
def induce(work: DialogueWork) -> list[dict]:
    """Ask a writer for induced and matched texts of a shard's turns: rows of `induce` and `match`."""
    turns = work.in_shard(work.contexts.values())
    asked = silver.induce_requests(turns, work.model, work.questions)
    read = partial(silver.read_written, contexts=work.contexts, slack=work.settings.slack_words)
    return work.asked_until_read(asked, "induce", read)[1]


def is_built(config: Layout, board: str, tables) -> bool:
    """Return whether models write the board's texts: not where its source publishes a data set (unless
    `texts` says so), and not without a model that may; then the source's labelled texts are its data set.
    What people labelled of dialogues that can be answered anew is no such set.
    """
    settings = config.p.track(board)
    is_published = tables.samples["label_source"].is_in(dataset.TRAINED_ON).any()
    has_writers = bool(config.p.models_on(board, (*settings.responders, settings.inducer)))
    return has_writers and not (is_published and settings.texts == "published")


# ---- judging -----------------------------------------------------------------------------------------------


@step_of(DialogueWork, {"judgements": Judgement})
def detect(work: DialogueWork) -> tuple[pl.DataFrame, Replies]:
    """Ask a subject for verdicts on a shard's test samples, of some of them where and why, and for its
    choices between the two sides of pairs, in both orders. Return Generation rows of purposes `detect`,
    `locate` and `compare`, and beside them the `judgements`.
    """
    samples = work.test_samples()
    targets = judging.targets(samples)
    located = judging.located_of(targets, work.size.located, work.seed)
    asked = []
    for purpose, some in ((DETECT, targets), (LOCATE, located)):
        of_shard = [target for target in some if target.item_id in work.mine]
        asked += judging.detect_requests(purpose, of_shard, work.contexts, work.model, work.questions)
    texts = {target.target_id: target.text for target in targets}
    read = partial(judging.read_verdict, texts=texts, contexts=work.contexts)
    verdicts, rows = work.asked_until_read(asked, "detect", read)
    pairs = judging.sample_pairs(samples, work.size.compared, work.seed)
    own_pairs = [pair for pair in pairs if pair.item_id in work.mine]
    asked = judging.compare_requests(own_pairs, work.contexts, work.model, work.questions)
    choices, compared = work.asked_until_read(asked, "compare", judging.read_choice)
    judged = judging.judgements([*verdicts, *choices], work.config.identity(work.model))
    return generations(rows + compared), {"judgements": frame(Judgement, judged).sort("judgement_id")}


@step_of(DialogueWork)
def meta(work: DialogueWork) -> list[dict]:
    """Ask another model whether located judgements of the subjects are accurate: rows of purpose `meta`."""
    drawn = work.judged(work.test_samples(), work.rows_of("detect"))
    of_shard = [judged for judged in drawn if judged.item_id in work.mine]
    asked = judging.meta_requests(of_shard, work.contexts, work.model, work.questions)
    return work.asked_until_read(asked, "meta", judging.read_accuracy)[1]


# ---- the data set ------------------------------------------------------------------------------------------


def exported(
    config: Layout, board: str, tables, replies: Replies, beside: Replies
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """Return the tables of the board's data set by name, and its annotation tasks: responses to test
    dialogues, and the judgements that the meta-judge gets. Pure: it asks nothing.
    """
    work = DialogueWork(config, board, tables, replies)
    whole = pl.concat([NO_ROWS, *replies.values()]).sort("generation_id")
    # judges' replies are most of the rows, and no sample is made of them: as dicts they would fill the memory
    rows = whole.filter(pl.col("purpose").is_in(MADE_OF)).to_dicts()
    written, dropped = silver.samples(rows, work.contexts, work.settings)
    samples = frame(Sample, written)
    if not is_built(config, board, tables):
        named = pl.col("item_id").is_in(list(work.contexts))
        samples = dataset.source_samples(tables.samples.filter(named), tables.items)
    data = {
        "items": dataset.items_of(tables.items, whole, samples),
        "generations": whole,
        "samples": samples,
        "judgements": beside["judgements"],
        "rejects": rejects(whole.filter(pl.col("status") != "ok").iter_rows(named=True), dropped),
        "counts": counts(whole),
    }
    in_test = {turn.item_id for turn in work.test}
    responses = [row for row in silver.base_responses(rows, work.settings) if row["item_id"] in in_test]
    natural = dataset.natural_responses(responses, work.size.natural, work.seed)
    judged = work.judged(written, whole.filter(purpose=LOCATE, status="ok").to_dicts())
    return data, dataset.annotation_tasks(natural, judged, work.contexts, work.settings.labelling)


def topics(config: Layout, board: str, **tables: pl.DataFrame) -> list[dict]:
    """Return the rows of topics.json, from `items`, `documents`, `samples`, `judgements`."""
    from truerate.tracks.halludial.making_scores import topic_table  # numpy, with what else it needs

    n_topics = config.p.track(board).n_topics
    return topic_table(**tables, n_topics=n_topics, statistics=config.p.statistics, seed=config.p.seed)
