"""The track's steps: what each asks of which models. Everything else is pure and stands in the module of that
name: labels come back in by `labels.label`, scores go out by `scores.score`.

A step asks only models that may stand on the board (`Params.models_on`); without one it gives an empty frame.
`asking` is how a step asks: `llm.ask`, or what `plan` puts in its place to see what would be asked.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, Sample, frame, pair
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
from truerate.tracks.halludial.dataset import annotation_tasks, natural_responses, targets, training
from truerate.tracks.halludial.reminders import reminder
from truerate.tracks.halludial.settings import Settings

__all__ = ["annotate", "detect", "exported", "induce", "meta", "respond", "targets", "topics", "training"]

Replies = dict[str, pl.DataFrame]
NO_ROWS = generations([])
# the purposes of the replies that samples are made of
MADE_OF = (responding.PURPOSE, annotating.PURPOSE, inducing.INDUCE, inducing.MATCH)


@dataclass(frozen=True)
class Board:
    """What the steps of a board share: its settings, the contexts of its dialogues by item, and its prompts."""

    settings: Settings
    found: Mapping[str, Context]
    prompts_dir: str | None

    def test(self) -> list[Context]:
        """The turns of the dialogues that are tested on, by item."""
        return [one for one in self.found.values() if side_of(one.group_id, self.settings) == "test"]


@dataclass(frozen=True)
class Came:
    """What came of a list of questions, as Generation rows: those that stand, and the unread ones that were asked
    again.
    """

    standing: list[dict]
    unread: list[dict]

    @property
    def rows(self) -> list[dict]:
        """All of them."""
        return self.standing + self.unread


def board_of(at: Layout, board: str, tables) -> Board:
    """The board's dialogues, as many as its sizes say."""
    found = chosen(
        contexts(tables.items, tables.documents).values(), at.p.size_of(board).dialogues, at.p.seed
    )
    return Board(at.p.track(board), {one.item_id: one for one in found}, at.p.llm.prompts_dir)


# ---- responses ---------------------------------------------------------------------------------------------


def respond(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """One model's responses to a shard's turns: in gold history at the base temperature, of some test dialogues at
    others, and of all test dialogues in self history. A model that is told no temperature, or one of its own, has
    no others. Generation rows of purpose `respond`.
    """
    if not (allowed(at, board, model) and is_built(at, board, tables)):
        return NO_ROWS
    here = board_of(at, board, tables)
    is_tempered = at.p.model(model).takes("temperature")
    tempered = chosen(here.test(), at.p.size_of(board).tempered, at.p.seed) if is_tempered else []
    asked = responding.requests(
        in_shard(here.found.values(), shard, at.p.n_shards),
        in_shard(tempered, shard, at.p.n_shards),
        model,
        here.settings,
        prompts_dir=here.prompts_dir,
    )
    replies = ask_prompted(asked, at, f"{board}: respond {model}", asking)
    gold = responding.collect(asked, replies, here.settings)
    return generations(gold + _own_history(at, board, model, here, shard, asking=asking))


def _own_history(
    at: Layout, board: str, model: str, here: Board, shard: int, *, asking: Asking
) -> list[dict]:
    """Responses to the test dialogues in self history, turn by turn. A dialogue is in the shard of its first turn."""
    whole = dialogues(here.test())
    mine = {one.item_id for one in in_shard((turns[0] for turns in whole), shard, at.p.n_shards)}

    def answered(asked: Sequence[Prompted], number: int) -> list[Reply]:
        return ask_prompted(asked, at, f"{board}: respond {model}, own turn {number + 1}", asking)

    return responding.run_self(
        [turns for turns in whole if turns[0].item_id in mine],
        model,
        here.settings,
        answered,
        prompts_dir=here.prompts_dir,
    )


def annotate(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """The annotator's verdict, place and reason of a shard's responses. Generation rows of purpose `annotate`."""
    if not (allowed(at, board, model) and is_built(at, board, tables)):
        return NO_ROWS
    here = board_of(at, board, tables)
    mine = {one.item_id for one in in_shard(here.found.values(), shard, at.p.n_shards)}
    rows = annotating.base_responses(_rows(upstream, "respond"), here.settings)
    responses = [row for row in rows if row["item_id"] in mine]
    texts = {row["generation_id"]: row["text"] for row in responses}
    asked = annotating.requests(responses, here.found, model, here.settings, prompts_dir=here.prompts_dir)

    def read(prompted: Prompted, reply: str) -> Read:
        return annotating.read(prompted, reply, texts, here.found)

    return generations(_asked_and_read(asked, at, f"{board}: annotate {model}", asking, read).rows)


def induce(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Induced and matched texts of a shard's turns. Generation rows of purposes `induce` and `match`."""
    if not (allowed(at, board, model) and is_built(at, board, tables)):
        return NO_ROWS
    here = board_of(at, board, tables)
    slack = here.settings.slack_words
    mine = in_shard(here.found.values(), shard, at.p.n_shards)
    asked = inducing.requests(mine, model, here.settings, prompts_dir=here.prompts_dir)

    def read(prompted: Prompted, reply: str) -> Read:
        return inducing.read(prompted, reply, here.found, slack=slack)

    return generations(_asked_and_read(asked, at, f"{board}: induce {model}", asking, read).rows)


# ---- judging -----------------------------------------------------------------------------------------------


def detect(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> tuple[pl.DataFrame, Replies]:
    """A subject's verdicts on a shard's test samples, of some of them where and why, and its choices between the
    two sides of pairs, in both orders. Generation rows of purposes `detect`, `locate` and `compare`, and beside
    them the `judgements`.
    """
    if not allowed(at, board, model):
        return NO_ROWS, {"judgements": frame(Judgement)}
    here, version = board_of(at, board, tables), at.identity(model)
    samples = _samples(upstream, here)
    mine = {one.item_id for one in in_shard(here.found.values(), shard, at.p.n_shards)}
    judged = _judging(at, board, model, here, samples, mine=mine, asking=asking)
    compared = _comparing(at, board, model, here, samples, mine=mine, asking=asking)
    said = detecting.judgements(judged.standing, version) + comparing.judgements(compared.standing, version)
    beside = {"judgements": frame(Judgement, said).sort("judgement_id")}
    return generations(judged.rows + compared.rows), beside


def _judging(
    at: Layout,
    board: str,
    model: str,
    here: Board,
    samples: Sequence[dict],
    *,
    mine: Set[str],
    asking: Asking,
) -> Came:
    """Verdicts on test samples, and of some where and why."""
    asked_of = detecting.targets(samples)
    located = detecting.located_of(asked_of, at.p.size_of(board).located, at.p.seed)
    texts = {target.target_id: target.text for target in asked_of}
    asked = [
        prompted
        for purpose, some in ((detecting.DETECT, asked_of), (detecting.LOCATE, located))
        for prompted in detecting.requests(
            purpose,
            [target for target in some if target.item_id in mine],
            here.found,
            model,
            here.settings,
            prompts_dir=here.prompts_dir,
        )
    ]

    def read(prompted: Prompted, reply: str) -> Read:
        return detecting.read(prompted, reply, texts, here.found)

    return _asked_and_read(asked, at, f"{board}: detect {model}", asking, read)


def _comparing(
    at: Layout,
    board: str,
    model: str,
    here: Board,
    samples: Sequence[dict],
    *,
    mine: Set[str],
    asking: Asking,
) -> Came:
    """Choices between the two sides of pairs, in both orders."""
    drawn = comparing.sample_pairs(samples, at.p.size_of(board).compared, at.p.seed)
    asked = comparing.requests(
        [pair for pair in drawn if pair.item_id in mine],
        here.found,
        model,
        here.settings,
        prompts_dir=here.prompts_dir,
    )
    return _asked_and_read(asked, at, f"{board}: compare {model}", asking, comparing.read)


def meta(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """Whether located judgements of the subjects are accurate, by another model. Generation rows of purpose
    `meta`.
    """
    if not allowed(at, board, model):
        return NO_ROWS
    here = board_of(at, board, tables)
    drawn = _judged(at, board, _samples(upstream, here), _rows(upstream, "detect"))
    mine = {one.item_id for one in in_shard(here.found.values(), shard, at.p.n_shards)}
    asked = meta_judging.requests(
        [one for one in drawn if one.item_id in mine],
        here.found,
        model,
        here.settings,
        prompts_dir=here.prompts_dir,
    )
    return generations(_asked_and_read(asked, at, f"{board}: meta {model}", asking, meta_judging.read).rows)


def _asked_and_read(asked: Sequence[Prompted], at: Layout, label: str, asking: Asking, read: Reader) -> Came:
    """What is asked, and asked again where it could not be read. Each reply is read once."""
    told: dict[tuple[int, str], Read] = {}  # by the question, which outlives this, and the reply

    def read_once(prompted: Prompted, reply: str) -> Read:
        key = (id(prompted), reply)
        if key not in told:
            told[key] = read(prompted, reply)
        return told[key]

    came = ask_until_read(asked, at, label, asking, read=read_once, remind=reminder)
    standing = [
        generation(prompted, reply, read_once(prompted, reply.text))
        for prompted, reply in zip(came.asked, came.replies, strict=True)
    ]
    return Came(standing, came.unread)


def _rows(upstream: Replies, step: str) -> list[dict]:
    """The Generation rows of an earlier step, by id."""
    return upstream.get(step, NO_ROWS).sort("generation_id").to_dicts()


def _samples(upstream: Replies, here: Board) -> list[dict]:
    """The samples of test dialogues that the replies of earlier steps make."""
    test = pl.col("item_id").is_in([one.item_id for one in here.test()])
    is_base = pair("attributes", "temperature").fill_null(here.settings.base) == here.settings.base
    tested = {
        step: upstream.get(step, NO_ROWS).filter(test & is_base) for step in ("respond", "annotate", "induce")
    }
    rows = [row for step in tested for row in _rows(tested, step)]
    return dataset.samples(rows, here.found, here.settings)[0]


def _judged(
    at: Layout, board: str, samples: Iterable[dict], rows: Sequence[dict]
) -> list[meta_judging.Judged]:
    """The located judgements that are judged themselves."""
    located = [row for row in rows if row["purpose"] == detecting.LOCATE and row["status"] == "ok"]
    versions = {model: at.identity(model) for model in {row["model"] for row in located}}
    names = {row["generation_id"]: detecting.judgement_id(row, versions[row["model"]]) for row in located}
    texts = {row["sample_id"]: row["text"] for row in samples}
    found = meta_judging.judged(located, texts, names)
    return meta_judging.drawn(found, at.p.size_of(board).meta, at.p.seed)


# ---- the data set ------------------------------------------------------------------------------------------


def exported(
    at: Layout, board: str, tables, replies: Replies, beside: Replies
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """The tables of the board's data set by name, and its annotation tasks. Pure: it asks nothing."""
    here = board_of(at, board, tables)
    whole = pl.concat([NO_ROWS, *replies.values()]).sort("generation_id")
    # judges' replies are most of the rows, and no sample is made of them: as dicts they would fill the memory
    rows = whole.filter(pl.col("purpose").is_in(MADE_OF)).to_dicts()
    made, dropped = dataset.samples(rows, here.found, here.settings)
    samples = frame(Sample, made)
    if not is_built(at, board, tables):
        named = pl.col("item_id").is_in(list(here.found))
        samples = dataset.source_samples(tables.samples.filter(named), tables.items)
    tables_made = {
        "items": dataset.items_of(tables.items, whole, samples),
        "generations": whole,
        "samples": samples,
        "judgements": beside["judgements"],
        "rejects": rejects(whole.filter(pl.col("status") != "ok").iter_rows(named=True), dropped),
        "counts": counts(whole),
    }
    located = whole.filter(purpose=detecting.LOCATE, status="ok").to_dicts()
    return tables_made, _tasks(at, board, here, [*rows, *located], made)


def is_built(at: Layout, board: str, tables) -> bool:
    """Whether models write the board's texts: not where its source publishes a data set (unless `texts` says so), and
    not without a model that may; then the source's labelled texts are its data set. What people labelled of
    dialogues that can be answered anew is no such set.
    """
    settings = at.p.track(board)
    is_published = tables.samples["label_source"].is_in(dataset.LEARNED).any()
    has_writers = bool(at.p.models_on(board, (*settings.responders, settings.inducer)))
    return has_writers and not (is_published and settings.texts == "published")


def _tasks(at: Layout, board: str, here: Board, rows: Sequence[dict], samples: Iterable[dict]) -> list[dict]:
    """What people are given to label: responses to test dialogues, and the judgements that the meta-judge gets."""
    responses = [
        row
        for row in annotating.base_responses(rows, here.settings)
        if side_of(here.found[row["item_id"]].group_id, here.settings) == "test"
    ]
    natural = natural_responses(responses, at.p.size_of(board).natural, at.p.seed)
    judged = _judged(at, board, samples, rows)
    return annotation_tasks(natural, judged, here.found, here.settings.labelling)


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
    from truerate.tracks.halludial.making_scores import topic_table

    n_topics = at.p.track(board).n_topics
    return topic_table(
        items, documents, samples, judgements, n_topics=n_topics, statistics=at.p.statistics, seed=at.p.seed
    )
