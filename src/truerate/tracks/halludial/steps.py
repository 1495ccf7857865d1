"""The track's steps: what each asks of which models. Everything else is pure and stands in the module of that
name: labels come back in by `labels.label`, scores go out by `scores.score`.

A step asks only models that may stand on the board (`Params.models_on`); without one it gives an empty frame.
`asking` is how a step asks: `llm.ask`, or what `plan` puts in its place to see what would be asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Generation, Judgement, Sample, frame, pair
from truerate.llm import Reply, ask
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, Read, generation, generations, rejects
from truerate.tracks.asking import Asking, Reader, allowed, ask_prompted, ask_until_read, in_shard
from truerate.tracks.halludial import (
    annotating,
    comparing,
    dataset,
    detecting,
    inducing,
    meta_judging,
    responding,
)
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
from truerate.tracks.halludial.settings import Settings

Replies = dict[str, pl.DataFrame]
NO_ROWS = frame(Generation)
MADE_OF = (RESPOND, ANNOTATE, INDUCE, MATCH)  # the purposes of the replies that samples are made of


@dataclass(frozen=True)
class Board:
    """What the steps of a board share: its settings, the contexts of its dialogues by item, how it is asked about, and
    how many of a kind are drawn.
    """

    config: Layout
    name: str
    contexts: Mapping[str, Context]
    questions: Questions

    @classmethod
    def of(cls, config: Layout, name: str, tables) -> "Board":
        """Return the board's dialogues, as many as its sizes say."""
        whole = contexts(tables.items, tables.documents).values()
        taken = chosen(whole, config.p.size_of(name).dialogues, config.p.seed)
        return cls(config, name, {turn.item_id: turn for turn in taken}, Questions.of(config, name))

    @property
    def settings(self) -> Settings:
        """The settings of the track on this board."""
        return self.questions.settings

    def test(self) -> list[Context]:
        """Return the turns of the dialogues that are tested on, by item."""
        return [turn for turn in self.contexts.values() if side_of(turn.group_id, self.settings) == "test"]

    def in_shard(self, turns: Iterable[Context], shard: int) -> list[Context]:
        """Return those turns that belong to a shard."""
        return in_shard(turns, shard, self.config.p.n_shards)

    def asked(self, questions: Sequence[Prompted], what: str, asking: Asking, read: Reader) -> "Answers":
        """Ask, and ask again what could not be read. Each reply is read once."""
        readings: dict[tuple[int, str], Read] = {}  # by the question, which outlives this, and the reply

        def read_once(question: Prompted, reply: str) -> Read:
            key = (id(question), reply)
            if key not in readings:
                readings[key] = read(question, reply)
            return readings[key]

        label = f"{self.name}: {what}"
        answered = ask_until_read(questions, self.config, label, asking, read=read_once, remind=reminder)
        standing = [
            generation(question, reply, read_once(question, reply.text))
            for question, reply in zip(answered.asked, answered.replies, strict=True)
        ]
        return Answers(standing, answered.unread)


@dataclass(frozen=True)
class Answers:
    """What comes of a list of questions, as Generation rows: those that stand, and the unread ones that were asked
    again.
    """

    standing: list[dict]
    unread: list[dict]

    @property
    def rows(self) -> list[dict]:
        """All of them."""
        return self.standing + self.unread


# ---- responses ---------------------------------------------------------------------------------------------


def respond(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask a model for responses to a shard's turns: in gold history at the base temperature, of some test dialogues at
    others, and of all test dialogues in self history, turn by turn. A model that is told no temperature, or one of its
    own, has no others. Return Generation rows of purpose `respond`.
    """
    if not (allowed(at, board, model) and is_built(at, board, tables)):
        return NO_ROWS
    here = Board.of(at, board, tables)
    is_tempered = at.p.model(model).takes("temperature")
    tempered = chosen(here.test(), at.p.size_of(board).tempered, at.p.seed) if is_tempered else []
    turns = here.in_shard(here.contexts.values(), shard)
    asked = responding.requests(turns, here.in_shard(tempered, shard), model, here.questions)
    replies = ask_prompted(asked, at, f"{board}: respond {model}", asking)
    gold = responding.collect(asked, replies, here.settings)

    def answered(questions: Sequence[Prompted], number: int) -> list[Reply]:
        return ask_prompted(questions, at, f"{board}: respond {model}, own turn {number + 1}", asking)

    # a dialogue is in the shard of its first turn
    whole = dialogues(here.test())
    mine = {turn.item_id for turn in here.in_shard((turns[0] for turns in whole), shard)}
    in_self = [turns for turns in whole if turns[0].item_id in mine]
    return generations(gold + responding.run_self(in_self, model, here.questions, answered))


def annotate(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask the annotator for verdict, place and reason of a shard's responses. Return Generation rows of purpose
    `annotate`.
    """
    if not (allowed(at, board, model) and is_built(at, board, tables)):
        return NO_ROWS
    here = Board.of(at, board, tables)
    mine = {turn.item_id for turn in here.in_shard(here.contexts.values(), shard)}
    rows = annotating.base_responses(_rows(upstream, "respond"), here.settings)
    responses = [row for row in rows if row["item_id"] in mine]
    texts = {row["generation_id"]: row["text"] for row in responses}
    asked = annotating.requests(responses, here.contexts, model, here.questions)

    def read(question: Prompted, reply: str) -> Read:
        return annotating.read(question, reply, texts, here.contexts)

    return generations(here.asked(asked, f"annotate {model}", asking, read).rows)


def induce(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask a writer for induced and matched texts of a shard's turns. Return Generation rows of purposes `induce` and
    `match`.
    """
    if not (allowed(at, board, model) and is_built(at, board, tables)):
        return NO_ROWS
    here = Board.of(at, board, tables)
    asked = inducing.requests(here.in_shard(here.contexts.values(), shard), model, here.questions)

    def read(question: Prompted, reply: str) -> Read:
        return inducing.read(question, reply, here.contexts, slack=here.settings.slack_words)

    return generations(here.asked(asked, f"induce {model}", asking, read).rows)


# ---- judging -----------------------------------------------------------------------------------------------


def detect(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, Replies]:
    """Ask a subject for verdicts on a shard's test samples, of some of them where and why, and for its choices between
    the two sides of pairs, in both orders. Return Generation rows of purposes `detect`, `locate` and `compare`, and
    beside them the `judgements`.
    """
    if not allowed(at, board, model):
        return NO_ROWS, {"judgements": frame(Judgement)}
    here, version, size = Board.of(at, board, tables), at.identity(model), at.p.size_of(board)
    samples = _samples(upstream, here)
    mine = {turn.item_id for turn in here.in_shard(here.contexts.values(), shard)}
    targets = detecting.targets(samples)
    located = detecting.located_of(targets, size.located, at.p.seed)
    texts = {target.target_id: target.text for target in targets}
    asked = []
    for purpose, some in ((DETECT, targets), (LOCATE, located)):
        own = [target for target in some if target.item_id in mine]
        asked += detecting.requests(purpose, own, here.contexts, model, here.questions)

    def read(question: Prompted, reply: str) -> Read:
        return detecting.read(question, reply, texts, here.contexts)

    judged = here.asked(asked, f"detect {model}", asking, read)
    pairs = comparing.sample_pairs(samples, size.compared, at.p.seed)
    own_pairs = [pair for pair in pairs if pair.item_id in mine]
    asked = comparing.requests(own_pairs, here.contexts, model, here.questions)
    compared = here.asked(asked, f"compare {model}", asking, comparing.read)
    rows = detecting.judgements(judged.standing, version) + comparing.judgements(compared.standing, version)
    beside = {"judgements": frame(Judgement, rows).sort("judgement_id")}
    return generations(judged.rows + compared.rows), beside


def meta(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Ask another model whether located judgements of the subjects are accurate. Return Generation rows of purpose
    `meta`.
    """
    if not allowed(at, board, model):
        return NO_ROWS
    here = Board.of(at, board, tables)
    drawn = _judged(here, _samples(upstream, here), _rows(upstream, "detect"))
    mine = {turn.item_id for turn in here.in_shard(here.contexts.values(), shard)}
    own = [judged for judged in drawn if judged.item_id in mine]
    asked = meta_judging.requests(own, here.contexts, model, here.questions)
    return generations(here.asked(asked, f"meta {model}", asking, meta_judging.read).rows)


def _rows(upstream: Replies, step: str) -> list[dict]:
    """The Generation rows of an earlier step, by id."""
    return upstream.get(step, NO_ROWS).sort("generation_id").to_dicts()


def _samples(upstream: Replies, here: Board) -> list[dict]:
    """The samples of test dialogues that the replies of earlier steps make."""
    test = pl.col("item_id").is_in([turn.item_id for turn in here.test()])
    is_base = pair("attributes", "temperature").fill_null(here.settings.base) == here.settings.base
    tested = {
        step: upstream.get(step, NO_ROWS).filter(test & is_base) for step in ("respond", "annotate", "induce")
    }
    rows = [row for step in tested for row in _rows(tested, step)]
    return dataset.samples(rows, here.contexts, here.settings)[0]


def _judged(here: Board, samples: Iterable[dict], rows: Sequence[dict]) -> list[meta_judging.Judged]:
    """The located judgements that are judged themselves."""
    located = [row for row in rows if row["purpose"] == LOCATE and row["status"] == "ok"]
    versions = {model: here.config.identity(model) for model in {row["model"] for row in located}}
    names = {row["generation_id"]: detecting.judgement_id(row, versions[row["model"]]) for row in located}
    texts = {row["sample_id"]: row["text"] for row in samples}
    p = here.config.p
    return meta_judging.drawn(meta_judging.judged(located, texts, names), p.size_of(here.name).meta, p.seed)


# ---- the data set ------------------------------------------------------------------------------------------


def exported(
    at: Layout, board: str, tables, replies: Replies, beside: Replies
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """Return the tables of the board's data set by name, and its annotation tasks: responses to test dialogues, and the
    judgements that the meta-judge gets. Pure: it asks nothing.
    """
    here = Board.of(at, board, tables)
    whole = pl.concat([NO_ROWS, *replies.values()]).sort("generation_id")
    # judges' replies are most of the rows, and no sample is made of them: as dicts they would fill the memory
    rows = whole.filter(pl.col("purpose").is_in(MADE_OF)).to_dicts()
    written, dropped = dataset.samples(rows, here.contexts, here.settings)
    samples = frame(Sample, written)
    if not is_built(at, board, tables):
        named = pl.col("item_id").is_in(list(here.contexts))
        samples = dataset.source_samples(tables.samples.filter(named), tables.items)
    exported_tables = {
        "items": dataset.items_of(tables.items, whole, samples),
        "generations": whole,
        "samples": samples,
        "judgements": beside["judgements"],
        "rejects": rejects(whole.filter(pl.col("status") != "ok").iter_rows(named=True), dropped),
        "counts": counts(whole),
    }
    in_test = {turn.item_id for turn in here.test()}
    responses = [row for row in annotating.base_responses(rows, here.settings) if row["item_id"] in in_test]
    natural = dataset.natural_responses(responses, at.p.size_of(board).natural, at.p.seed)
    located = whole.filter(purpose=LOCATE, status="ok").to_dicts()
    judged = _judged(here, written, [*rows, *located])
    tasks = dataset.annotation_tasks(natural, judged, here.contexts, here.settings.labelling)
    return exported_tables, tasks


def is_built(at: Layout, board: str, tables) -> bool:
    """Return whether models write the board's texts: not where its source publishes a data set (unless `texts` says
    so), and not without a model that may; then the source's labelled texts are its data set. What people labelled of
    dialogues that can be answered anew is no such set.
    """
    settings = at.p.track(board)
    is_published = tables.samples["label_source"].is_in(dataset.LEARNED).any()
    has_writers = bool(at.p.models_on(board, (*settings.responders, settings.inducer)))
    return has_writers and not (is_published and settings.texts == "published")


def topics(at: Layout, board: str, **tables: pl.DataFrame) -> list[dict]:
    """Return the rows of topics.json, from `items`, `documents`, `samples`, `judgements`."""
    from truerate.tracks.halludial.making_scores import topic_table  # numpy, with what else it needs

    n_topics = at.p.track(board).n_topics
    return topic_table(**tables, n_topics=n_topics, statistics=at.p.statistics, seed=at.p.seed)
