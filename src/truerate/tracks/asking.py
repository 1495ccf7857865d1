"""What the steps of every track do: which models they may ask, how they ask, and what they ask about.

A reply that could not be read is asked for once more: the conversation so far, the reply, and a short turn of
ours that repeats the form. Each of the two replies has a row of its own, and one alone makes the judgement:
the second, unless the first was read in part and the second brings less. Nothing is asked again of a reply
that is dead or a refusal, nor where a kind of prompt has no reminder.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import polars as pl

from truerate.config.blocks import Sampling
from truerate.config.layout import Layout
from truerate.core.keys import shard_of
from truerate.core.schemas import SPANS, Table, frame, pair
from truerate.llm import prompts, structured
from truerate.llm.ask import ask
from truerate.llm.dry_run import DryRun, is_assumed
from truerate.llm.generation import ATTEMPT, REASKED, Prompted, Read, decoding, generation, generations
from truerate.llm.guard import neutralise
from truerate.llm.request import Reply, Request

# How a step asks: `llm.ask`, or what a plan puts in its place to see what would be asked.
Asking = Callable[..., list[Reply]]
Reader = Callable[[Prompted, str], Read]
CUT = "length"  # the finish reason of a reply that ends at its limit of tokens
UNREAD = "unparsed"
CONTEXT = ("item_id", "knowledge", "question", "history")


class Context(Protocol):
    """What a track asks about, and what a text of it is checked against."""

    @property
    def item_id(self) -> str: ...

    @property
    def knowledge(self) -> str:
        """The text that holds what is true."""

    @property
    def question(self) -> str:
        """What was asked; empty where nothing is."""

    @property
    def history(self) -> str:
        """All turns of a dialogue up to the one that is answered; empty where there is none."""


class PlainContext(NamedTuple):
    """A context of a track that keeps nothing more of what it asks about."""

    item_id: str
    knowledge: str
    question: str
    history: str = ""


Some = TypeVar("Some", bound=Context)


@dataclass(frozen=True)
class Prompter:
    """What prompts of a board are made with: track, settings, seed, a user's own templates."""

    track: str
    settings: Any
    seed: int
    prompts_dir: str | None = None

    @classmethod
    def of(cls, config: Layout, board: str) -> Self:
        """Return the prompter of a board."""
        p = config.p
        return cls(p.board(board).track, p.track(board), p.seed, p.llm.prompts_dir)

    def messages(self, template: str, **values: Any) -> tuple[dict[str, Any], ...]:
        """Return the messages of a template. Raises TruerateError where it cannot be rendered."""
        return tuple(prompts.render(self.track, template, self.prompts_dir, **values))

    def prompted(
        self,
        purpose: str,
        model: str,
        item_id: str,
        sampling: Sampling,
        attributes: dict[str, str | None],
        *,
        template: str | None = None,
        form: structured.Form | None = None,
        may_decline: bool = False,
        **values: Any,
    ) -> Prompted:
        """Return what a model is asked about an item by a template, by default the one of the purpose's name."""
        request = Request(model, self.messages(template or purpose, **values), decoding(sampling), form=form)
        return Prompted(request, item_id, purpose, attributes, may_decline=may_decline)


@dataclass(frozen=True)
class Reminder:
    """The template that repeats a form, and the values that it prints."""

    track: str
    name: str
    values: dict[str, Any] = field(default_factory=dict)


Reminding = Callable[[Prompted], Reminder | None]


@dataclass(frozen=True)
class Answered:
    """What stands of a list of questions, in its order: each question as it was asked when it got the reply
    that stands, and that reply. `unread`: Generation rows of the replies beside which another one to the same
    question stands.
    """

    asked: list[Prompted]
    replies: list[Reply]
    unread: list[dict[str, object]]

    def rows(self, read: Reader) -> list[dict[str, object]]:
        """Return the Generation rows of all replies, those that stand first."""
        return read_rows(self.asked, self.replies, read) + self.unread


def allowed(config: Layout, board: str, alias: str | None) -> bool:
    """Return whether a model is named and may stand on the board."""
    return alias is not None and bool(config.p.models_on(board, (alias,)))


def ask_prompted(asked: Sequence[Prompted], config: Layout, label: str, asking: Asking) -> list[Reply]:
    """Return the replies to what was prepared, in its order; nothing is begun where nothing is asked.

    A reply that ends at its limit of tokens is dealt with by what it was asked for (`llm.cut`, and the
    track's own rules): it stands, or its whole part does, or it is dead. Raises TruerateError as `llm.ask`
    does.
    """
    if not asked:
        return []
    rules = config.p.rules_of_cut(config.track)
    rule_of = [rules.get(question.purpose, "drop") for question in asked]
    requests = [
        question.request if rule == "drop" else replace(question.request, keeps_cut=True)
        for question, rule in zip(asked, rule_of, strict=True)
    ]
    replies = asking(requests, config, label=label)
    return [
        _up_to_whole(reply, request, config) if rule == "read" and reply.finish_reason == CUT else reply
        for reply, request, rule in zip(replies, requests, rule_of, strict=True)
    ]


def _up_to_whole(reply: Reply, request: Request, config: Layout) -> Reply:
    """A cut reply up to where it is whole; as it is where the model's entry says that such stand."""
    is_kept = config.p.model(request.model).accept_length is not None
    return reply if is_kept else replace(reply, text=whole_part(reply.text))


def whole_part(text: str) -> str:
    """Return a text that was cut in its last word without what may be broken: its last line, or its last word
    where it has one line alone. Empty where that is all of it.
    """
    lines, end, _ = text.rpartition("\n")
    if end:
        return lines
    words = text.rstrip().rpartition(" ")[0] if text == text.rstrip() else text
    return words.rstrip()


def read_rows(asked: Sequence[Prompted], replies: Sequence[Reply], read: Reader) -> list[dict[str, object]]:
    """Return the Generation rows of replies, each as it is read."""
    pairs = zip(asked, replies, strict=True)
    return [generation(question, reply, read(question, reply.text)) for question, reply in pairs]


# ---- unread replies ----------------------------------------------------------------------------------------


def is_unread(reading: Read) -> int:
    """1 for a reply that could not be read, else 0."""
    return int(reading.status == UNREAD)


def ask_until_read(
    asked: Sequence[Prompted],
    config: Layout,
    label: str,
    asking: Asking,
    *,
    read: Reader,
    remind: Reminding,
    n_lost: Callable[[Read], int] = is_unread,
) -> Answered:
    """Return the replies to what was prepared; those of which something could not be read (`n_lost`) are
    asked for once more, where `llm.reask` allows it and `remind` gives a reminder. Raises TruerateError as
    `llm.ask` does.

    The second reply stands, unless the first could be read in part and the second brings less. Where nobody
    is asked (`DryRun`), the reminders of assumed replies are noted as further calls, and the assumed replies
    stand.
    """
    questions, replies = list(asked), ask_prompted(asked, config, label, asking)
    if not config.p.llm.reask:
        return Answered(questions, replies, [])
    if isinstance(asking, DryRun):
        pairs = zip(questions, replies, strict=True)
        reminders = [
            reminded(question, reply, config, remind) for question, reply in pairs if is_assumed(reply)
        ]
        asking.reminders += [question.request for question in reminders if question]
    first: dict[int, Read] = {}
    following: dict[int, Prompted] = {}
    for number, (question, reply) in enumerate(zip(questions, replies, strict=True)):
        if reply.status != "ok" or is_assumed(reply) or not reply.text.strip():
            continue
        reading = read(question, reply.text)
        if n_lost(reading) and (reminder := reminded(question, reply, config, remind)):
            first[number], following[number] = reading, reminder
    rows = []
    answers = ask_prompted(list(following.values()), config, f"{label}, asked again", asking)
    for (number, question), reply in zip(following.items(), answers, strict=True):
        second = read(question, reply.text)
        is_less = reply.status != "ok" or n_lost(second) > n_lost(first[number])
        if is_less and first[number].status != UNREAD:
            rows.append(_passed_over(question, reply, second))
            continue
        rows.append(_passed_over(questions[number], replies[number], first[number]))
        questions[number], replies[number] = question, reply
    return Answered(questions, replies, rows)


def reminded(asked: Prompted, reply: Reply, config: Layout, remind: Reminding) -> Prompted | None:
    """Return a question with the reply that it got and a reminder of the form, if it has one."""
    reminder = remind(asked)
    if reminder is None:
        return None
    turn = prompts.render(reminder.track, reminder.name, config.p.llm.prompts_dir, **reminder.values)
    # a reply may hold what the evidence told it to write: it is neutralised as any other untrusted text
    before = ({"role": "assistant", "content": neutralise(reply.text)},)
    request = replace(asked.request, messages=(*asked.request.messages, *before, *turn))
    return replace(asked, request=request, attributes={**asked.attributes, ATTEMPT: "2"})


def _passed_over(asked: Prompted, reply: Reply, reading: Read) -> dict[str, object]:
    """The row of a reply beside which another one to the same question stands."""
    return generation(asked, reply, replace(reading, attributes={**reading.attributes, REASKED: "yes"}))


# ---- shards ------------------------------------------------------------------------------------------------


def in_shard(contexts: Iterable[Some], shard: int, n_shards: int | None) -> list[Some]:
    """Return those contexts that belong to one shard by the item's id, in their order."""
    assert n_shards is not None  # a layout at work on a board has a number (`Layout.on`)
    return [context for context in contexts if shard_of(context.item_id, n_shards) == shard]


def number_in_shard(n: int, shard: int, n_shards: int | None) -> int:
    """Return how many of the `n` that are drawn on a board one shard draws."""
    assert n_shards is not None  # a layout at work on a board has a number (`Layout.on`)
    return n // n_shards + (shard < n % n_shards)


def rows_in_shard(items: pl.DataFrame, shard: int, n_shards: int) -> pl.DataFrame:
    """Return those rows, of items or about items, that belong to one shard, in their order; contexts of such
    items hold the texts of one shard alone.
    """
    is_own = [shard_of(name, n_shards) == shard for name in items["item_id"]]
    return items.filter(pl.Series(is_own, dtype=pl.Boolean))


def context_frame(contexts: Mapping[str, Context]) -> pl.DataFrame:
    """Return contexts as a frame of CONTEXT's columns: what a detector sees beside the text."""
    columns = {name: [getattr(context, name) for context in contexts.values()] for name in CONTEXT}
    return pl.DataFrame(columns, schema=dict.fromkeys(CONTEXT, pl.String))


# ---- what detectors learn from and judge -------------------------------------------------------------------

TEXT = ("item_id", "group_id", "lang", "task", "text", "spans")


def detector_texts(rows: pl.DataFrame, *more: str, name: str = "sample_id") -> pl.DataFrame:
    """Return samples, or what else has such columns and its id in `name`, as detectors read them: `target_id`,
    TEXT, and `more`.
    """
    return rows.select(pl.col(name).alias("target_id"), *TEXT, *more)


def reply_texts(generations: pl.DataFrame, task: str) -> pl.DataFrame:
    """Return replies that came as texts of a task that detectors judge; no span of them is labelled."""
    facts = (pair("attributes", name) for name in ("group_id", "lang"))
    came = generations.filter(status="ok").with_columns(
        *facts, task=pl.lit(task), spans=pl.lit([], dtype=SPANS)
    )
    return detector_texts(came, name="generation_id")


def judged_texts(texts: pl.DataFrame, training: pl.DataFrame) -> pl.DataFrame:
    """Return the texts that detectors judge, by id: those that share no group with a text learned from."""
    learned_from = training["group_id"].unique(maintain_order=True).to_list()
    return texts.filter(~pl.col("group_id").is_in(learned_from)).sort("target_id")


# ---- steps -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Work:
    """What a step works on: a board with the tables of its source, the replies of earlier steps (`upstream`),
    and, of what is asked, a model and a shard.
    """

    config: Layout
    board: str
    tables: Any
    upstream: Mapping[str, pl.DataFrame]
    model: str = ""
    shard: int = 0
    asking: Asking = ask

    @property
    def is_due(self) -> bool:
        """Whether anything is asked: of a model that may stand on the board."""
        return allowed(self.config, self.board, self.model)

    @property
    def settings(self) -> Any:
        """The settings of the track on the board."""
        return self.config.p.track(self.board)

    @property
    def prompter(self) -> Prompter:
        """What the prompts of the board are made with."""
        return Prompter.of(self.config, self.board)

    @property
    def size(self) -> Any:
        """The board's sizes."""
        return self.config.p.size_of(self.board)

    @property
    def seed(self) -> int:
        """The seed of all draws."""
        return self.config.p.seed

    def in_shard(self, contexts: Iterable[Some]) -> list[Some]:
        """Return those contexts that belong to the shard."""
        return in_shard(contexts, self.shard, self.config.p.n_shards)

    def asked(self, questions: Sequence[Prompted], what: str, more: str = "") -> list[Reply]:
        """Return the replies to questions, under a label of what is asked of which model."""
        return ask_prompted(questions, self.config, f"{self.board}: {what} {self.model}{more}", self.asking)

    def answered(self, questions: Sequence[Prompted], what: str, **how: Any) -> Answered:
        """Return `ask_until_read` of questions, under a label of what is asked of which model."""
        label = f"{self.board}: {what} {self.model}"
        return ask_until_read(questions, self.config, label, self.asking, **how)


SomeWork = TypeVar("SomeWork", bound=Work)
Rows = list[dict[str, Any]] | pl.DataFrame
Tables = Mapping[str, pl.DataFrame]
NO_TABLES: Mapping[str, type[Table]] = {}


def step_of(
    kind: type[SomeWork], beside: Mapping[str, type[Table]] = NO_TABLES
) -> Callable[[Callable[[SomeWork], Any]], Callable[..., Any]]:
    """Return what makes a step (`dataset.step_function`) of a function from its work to Generation rows, and
    to the tables that it gives `beside` them, where their schemas are named; all are empty where the work is
    not due.
    """

    def step(run: Callable[[SomeWork], Rows | tuple[Rows, Tables]]) -> Callable[..., Any]:
        @wraps(run)
        def step_of_shard(
            config: Layout,
            board: str,
            model: str,
            tables: Any,
            shard: int,
            upstream: Tables,
            *,
            asking: Asking = ask,
        ) -> pl.DataFrame | tuple[pl.DataFrame, Tables]:
            work = kind(config, board, tables, upstream, model, shard, asking)
            result: Any = run(work) if work.is_due else []
            rows, more = result if isinstance(result, tuple) else (result, {})
            rows = generations(rows) if isinstance(rows, list) else rows
            empty = {name: frame(table) for name, table in beside.items()}
            return (rows, {**empty, **more}) if beside else rows

        return step_of_shard

    return step
