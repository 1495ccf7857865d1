"""The track's steps: what each asks of which models. All else is pure.

A step asks only models that may stand on the board (`Params.models_on`); without one it gives an empty frame.
`asking` is how it asks: `llm.ask`, or what `plan` puts in its place to see what would be asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Generation, Judgement, Sample, frame, pair
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, Read, generations, rejects
from truerate.llm.request import Reply
from truerate.tracks.asking import Reader, Work, ask_until_read, step_of
from truerate.tracks.halludial import dataset, judging, responding, silver
from truerate.tracks.halludial.context import Context, chosen, contexts, dialogues, side_of
from truerate.tracks.halludial.prompting import (
    ANNOTATE,
    DETECT,
    INDUCE,
    LOCATE,
    MATCH,
    PAPER,
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
        """The turns of the dialogues that are tested on, by item: as the source's labelled texts are parted,
        where these are the board's and all of a dialogue stand on one side.
        """
        sides = {} if self.is_built else dataset.sides(self.source_samples)
        turns = (replace(turn, side=sides.get(turn.group_id)) for turn in self.contexts.values())
        return [turn for turn in turns if (turn.side or side_of(turn.group_id, self.settings)) == "test"]

    @cached_property
    def source_samples(self) -> pl.DataFrame:
        """The source's labelled texts of these turns."""
        named = self.tables.samples.filter(pl.col("item_id").is_in(list(self.contexts)))
        return dataset.source_samples(named, self.tables.items, self.settings)

    @cached_property
    def is_built(self) -> bool:
        """Whether models write the board's texts: not where its source publishes a data set (unless `texts`
        says so), and not without a model that may; then the source's labelled texts are its data set. What
        people labelled of dialogues that can be answered anew, as their right responses are known, is none.
        """
        sources = self.tables.samples["label_source"]
        is_published = sources.is_in(dataset.TRAINED_ON).any()
        is_published |= not sources.is_empty() and self.tables.items["right_answer"].null_count() == len(
            self.tables.items
        )
        writers = (*self.settings.responders, self.settings.inducer)
        has_writers = bool(self.config.p.models_on(self.board, writers))
        return has_writers and not (is_published and self.settings.texts == "published")

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
        """Return the samples that are tested on: the source's, or what the replies of earlier steps make of
        test dialogues.
        """
        if not self.is_built:
            return self.source_samples.filter(split="test").to_dicts()
        test = pl.col("item_id").is_in([turn.item_id for turn in self.test])
        is_base = pair("attributes", "temperature").fill_null(self.settings.base) == self.settings.base
        rows = []
        for step in ("respond", "annotate", "induce"):
            tested = self.upstream.get(step, NO_ROWS).filter(test & is_base)
            rows += tested.sort("generation_id").to_dicts()
        return silver.samples(rows, self.contexts, self.settings)[0]

    def judged(self, texts: Mapping[str, str], rows: Sequence[dict]) -> list[judging.Judged]:
        """Return the located judgements that are judged themselves; `texts` of samples, by id."""
        models = {row["model"] for row in rows if row["purpose"] == LOCATE and row["status"] == "ok"}
        versions = {model: self.config.identity(model) for model in models}
        whole = judging.judged(rows, texts, versions)
        return judging.drawn(whole, self.size.meta, self.seed, of=self.settings.meta_of)


class WritingWork(DialogueWork):
    """What a step works on where models write the board's texts."""

    @property
    def is_due(self) -> bool:
        """Whether anything is asked: of a model that may stand on the board, where models write its texts."""
        return super().is_due and self.is_built


# ---- texts -------------------------------------------------------------------------------------------------


@step_of(DialogueWork)
def respond(work: DialogueWork) -> list[dict]:
    """Ask a model for responses to a shard's turns: in gold history at the base temperature (of a model whose
    responses are not annotated, of test dialogues alone), of some test dialogues at others (if the model
    takes a temperature), and of all test dialogues in self history, turn by turn. Rows of purpose `respond`.
    """
    is_tempered = work.config.p.model(work.model).takes("temperature")
    tempered = chosen(work.test, work.size.tempered, work.seed) if is_tempered else []
    is_annotated = work.is_built and work.model in work.settings.annotated_responders
    turns = work.in_shard(work.contexts.values() if is_annotated else work.test)
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
    names = work.settings.annotated_responders
    responses = [row for row in base if row["item_id"] in work.mine and row["model"] in names]
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
    texts = {row["sample_id"]: row["text"] for row in work.test_samples()}
    drawn = work.judged(texts, work.rows_of("detect"))
    of_shard = [judged for judged in drawn if judged.item_id in work.mine]
    asked = judging.meta_requests(of_shard, work.contexts, work.model, work.questions)
    return work.asked_until_read(asked, "meta", judging.read_accuracy)[1]


def text_notes(config: Layout, board: str, tables) -> Iterator[str]:
    """Yield a line on how many of the source's labelled texts each subject is asked about, and those of
    `split_notes`; none where models write the board's texts.
    """
    work = DialogueWork(config, board, tables, {})
    if work.is_built or tables.samples.is_empty():
        return
    test, n_dialogues = work.test_samples(), tables.items["group_id"].n_unique()
    n_taken = len({turn.group_id for turn in work.contexts.values()})
    cap = "" if n_taken == n_dialogues else f" ({n_taken:,} of {n_dialogues:,} dialogues, by its sizes)"
    asked = "no model that may stand here is named in `subjects`"
    if subjects := config.p.models_on(board, work.settings.subjects):
        n_located = len(judging.located_of(judging.targets(test), work.size.located, work.seed))
        n_pairs = len(judging.sample_pairs(test, work.size.compared, work.seed))
        where = f"where and why about {n_located:,}; pairs to choose in: {n_pairs:,}"
        asked = f"subjects: {len(subjects)}, each asked about {len(test):,}, {where}"
    n = f"{len(test):,} of the source's {tables.samples.height:,} labelled texts are tested on{cap}"
    yield f"board {board!r}: {n}; {asked}"
    for note in split_notes(work, n_taken):
        yield f"board {board!r}: {note}"


def split_notes(work: DialogueWork, n_dialogues: int) -> Iterator[str]:
    """Yield what detectors make of a published split: of one that leaks, or that has no test text."""
    setting, by = work.config.p.setting_name(work.board, "split"), work.settings.split.by
    taken = work.tables.samples.filter(pl.col("item_id").is_in(list(work.contexts)))
    if dataset.only_train(taken):
        yield (
            "its source has no test text; "
            + {
                "dialogue": f"dialogues are parted here ({setting}), and no number stands beside a published one",
                "published": f"none is tested on ({setting}: {{by: published}}); {{by: dialogue}} parts its dialogues",
            }[by]
        )
    if leaks := dataset.leaking(taken):
        which = f"the published split has texts of {len(leaks):,} of {n_dialogues:,} dialogues on both sides"
        yield (
            f"{which}; detectors "
            + {
                "dialogue": "take these dialogues whole and judge fewer of the test texts; "
                f"{setting}: {{by: published}} judges all, by what has seen their dialogues",
                "published": f"judge test texts of dialogues that they learned from ({setting}: {{by: published}}), "
                "which flatters them",
            }[by]
        )


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
    samples = frame(Sample, written) if work.is_built else work.source_samples
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
    texts = dict(samples.select("sample_id", "text").iter_rows())
    judged = work.judged(texts, whole.filter(purpose=LOCATE, status="ok").to_dicts())
    return data, dataset.annotation_tasks(natural, judged, work.contexts, work.settings.labelling)


def topics(config: Layout, board: str, **tables: pl.DataFrame) -> list[dict]:
    """Return the rows of topics.json, from `items`, `documents`, `samples`, `judgements`."""
    from truerate.tracks.halludial.making_scores import topic_table  # numpy, with what else it needs

    settings = config.p.track(board)
    return topic_table(
        **tables,
        n_topics=settings.n_topics,
        of_texts=settings.topics == PAPER,
        statistics=config.p.statistics,
        seed=config.p.seed,
    )
