"""A few prompts of every kind, really asked, before anything is asked at scale: `truerate probe MODEL`.

The very functions of the steps are run, as a plan runs them. Of each kind of prompt that the model would be
sent, the first few are asked and stored under the keys that the build looks them up by, so that it pays
nothing for them; all others get the replies that a plan assumes. A prompt that can only be written from the
replies of another model, which are not there yet, holds assumed words: it is taken last, and told. Where an
assumed reply only chooses among real texts (the candidate that filtering prefers, the texts that are
flagged), the build may choose others, and such a prompt is not told apart.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os.path import commonprefix
from typing import Any

import polars as pl

from truerate.config.blocks import Sampling
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.llm.ask import ask, estimate
from truerate.llm.dry_run import DryRun, is_assumed
from truerate.llm.generation import ATTEMPT, facts
from truerate.llm.keys import Target
from truerate.llm.request import Estimate, Reply, Request
from truerate.llm.store.responses import DeadLetter, Store
from truerate.pipeline.checks.unasked import unasked
from truerate.pipeline.planning.plan import Given, Run, assuming, imported, planned, walk
from truerate.pipeline.tracks import protocol_of
from truerate.tracks.contract import Step

# What tells two kinds of prompt of one step apart, of the facts that its rows keep.
KIND = ("task", "scheme", "variant", "stage", "type")
REASKED = "asked again"  # the name of a kind ends so where the form of its reply was repeated
N_FIRST = 6  # times four: texts of each kind by which `truerate params` looks at roles
MOST_ROUNDS = 12  # a turn of a dialogue, or of a passage that is worked on, is asked after the one before it
# What a plan assumes is called so: by a name of its own, which the key of its prompt gives, or by a number.
_ASSUMED = re.compile(r"[Aa]ssumed ([0-9a-f]{16}\b|(?:sentence|fact) \d)")
DEAD, UNPARSED = "dead", "unparsed"
AKIN = 5  # letters at the beginning that a purpose and its decoding settings share: `sample`, `sampling`


@dataclass(frozen=True)
class Kind:
    """One kind of prompt: its board, step, purpose of the replies, and what tells it from the others."""

    board: str
    step: str
    purpose: str
    name: str


@dataclass(frozen=True)
class Probed:
    """A reply to a prompt of a kind, and how it was read; `status`, `reason`, `text`, `attributes` as in its
    Generation row.

    `is_own`: the prompt is the board's own, word for word, without assumed words. `limit`: the reply's token
    limit, set by `limited_by` (places in params.yaml). `words`: the model's text, also of a dead reply.
    `may_be_structured`: the reply has a stated form that the model's settings do not ask its server for.
    """

    kind: Kind
    reply: Reply
    status: str
    reason: str | None
    text: str
    attributes: Mapping[str, str]
    is_own: bool
    limit: int
    limited_by: tuple[str, ...]
    words: str
    may_be_structured: bool = False

    @property
    def is_read(self) -> bool:
        """Whether something can be made of the reply."""
        return self.status not in (DEAD, UNPARSED)


@dataclass(frozen=True)
class Probe:
    """Replies of a probe, seconds of the new ones by step, and roles taken for the probe alone, by board."""

    replies: tuple[Probed, ...]
    seconds: Mapping[tuple[str, str], float]
    roles: Mapping[str, tuple[str, ...]]


@dataclass
class Asked(DryRun):
    """Stands in for `llm.ask`: really asks what was chosen, and assumes the rest."""

    chosen: frozenset[str] = frozenset()
    seconds: float = 0.0
    requests: dict[str, Request] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)  # of the model, stored or asked now
    stood_in: set[str] = field(default_factory=set)  # the keys whose replies were assumed
    by_prompt: dict[str, str] = field(default_factory=dict)  # a key by its messages
    by_assumed: dict[str, str] = field(default_factory=dict)  # a key by the word that tells its assumed text
    new: dict[str, Reply] = field(
        default_factory=dict
    )  # what was asked now, in this or an earlier round, with its cost

    def __call__(self, requests: Sequence[Request], config: Layout, *, label: str) -> list[Reply]:
        """The reply of each request: the model's where it is stored or chosen, else an assumed one."""
        answers = super().__call__(requests, config, label=label)
        indices = [i for i, reply in enumerate(answers) if is_assumed(reply) and reply.key in self.chosen]
        if indices:
            begun = time.monotonic()
            came = ask([requests[index] for index in indices], config, label=label)
            self.seconds += time.monotonic() - begun
            for index, reply in zip(indices, came, strict=True):
                answers[index] = reply
            self.new |= {reply.key: reply for reply in came if not reply.is_stored}
        for request, reply in zip(requests, answers, strict=True):
            self.requests[reply.key] = request
            self.by_prompt[_as_text(request.messages)] = reply.key
            if is_assumed(reply):
                self.stood_in.add(reply.key)
                self.by_assumed |= dict.fromkeys(_ASSUMED.findall(reply.text), reply.key)
            else:
                self.replies[reply.key] = self.new.get(reply.key, reply)
        return answers


def probe(config: Layout, model: str, *, n: int, boards: Sequence[str] = ()) -> Probe:
    """The first `n` replies of a model to every kind of prompt of these boards (default: all). A board that
    names the model in no role asks it as one of those that it compares (`Track.rates`).

    Raises TruerateError if `n` is below 1, a name is undeclared, no board can ask the model, or asking fails
    (`llm.ask`).
    """
    replies: list[Probed] = []
    seconds: dict[tuple[str, str], float] = {}
    probers = _probed(config, model, n, boards, is_dry=False)
    for prober in probers:
        replies += prober.probed
        seconds |= prober.seconds
    return Probe(tuple(replies), seconds, {prober.board: prober.roles for prober in probers if prober.roles})


def would_ask(config: Layout, model: str, *, n: int, boards: Sequence[str] = ()) -> dict[str, Estimate]:
    """Return what a probe would ask on each board, and cost; asks nothing. Raises as `probe` does."""
    probers = _probed(config, model, n, boards, is_dry=True)
    return {prober.board: estimate(list(prober.wanted.values()), prober.config) for prober in probers}


def _probed(config: Layout, model: str, n: int, boards: Sequence[str], *, is_dry: bool) -> list["Prober"]:
    """A prober per board that asks the model, its work done."""
    if n < 1:
        raise TruerateError(f"probing {model!r}: --n is {n}; allowed: 1 and more")
    config.p.model(model)
    probers = []
    for board in boards or config.p.boards:
        roles = () if model in config.p.models_of(board) else tuple(config.p.track(board).with_rated(model))
        named = (
            with_board(config, board, settings=config.p.track(board).with_rated(model)) if roles else config
        )
        if model in named.p.models_on(board, named.p.models_of(board)):
            sampled = few(named, board, n).on(board)
            probers.append(Prober(sampled, board, model, n, is_dry=is_dry, roles=roles))
            walk(sampled, board, imported(sampled, board), probers[-1].job)
    if not probers:
        where = listed(boards or config.p.boards)
        raise TruerateError(
            f"model {model!r} is asked nothing on {where}: they compare no models of this kind; name "
            "another board,"
            " or the model in a role under `tracks` of params.yaml"
        )
    return probers


def with_board(config: Layout, board: str, **overrides: Mapping[str, Any]) -> Layout:
    """The layout with further overrides (`settings`, `sizes`) of one board."""
    entry = config.p.board(board)
    changes = {name: {**getattr(entry, name), **values} for name, values in overrides.items()}
    boards = {**config.p.boards, board: entry.model_copy(update=changes)}
    return replace(config, p=config.p.model_copy(update={"boards": boards}))


def few(config: Layout, board: str, n: int) -> Layout:
    """The settings with the sizes that the track allows (`first_drawn`) cut; prompts stay the board's own."""
    size, most = config.p.size_of(board), max(12, 4 * n)
    sizes = {name: getattr(size, name) for name in protocol_of(config, board).first_drawn}
    return with_board(
        config, board, sizes={name: most if n is None else min(n, most) for name, n in sizes.items()}
    )


def unasked_first(config: Layout) -> list[str]:
    """The lines of `unasked` on imported boards of real sources, from a plan of their first texts."""
    notes = []
    for board in config.p.boards:
        is_real = not config.p.source(config.p.board(board).source).is_simulated
        if not is_real or not config.p.models_on(board, config.p.models_of(board)):
            continue
        with suppress(TruerateError):  # its source is not imported yet, or does not fit: the build says so
            sampled = few(config, board, N_FIRST).on(board)
            lines = planned(sampled, board, imported(sampled, board))
            notes += unasked(config, board, {(line.step, line.model): len(line.requests) for line in lines})
    return notes


class Prober:
    """Asks one model a few prompts of every kind of a board, step by step, and keeps what came."""

    def __init__(
        self, config: Layout, board: str, model: str, n: int, *, is_dry: bool, roles: tuple[str, ...] = ()
    ):
        self.config, self.board, self.model, self.n, self.is_dry = config, board, model, n, is_dry
        self.roles = roles
        self.probed: list[Probed] = []
        self.wanted: dict[str, Request] = {}  # what is asked, or where `is_dry` would be, by its key
        self.seconds: dict[tuple[str, str], float] = {}

    def job(self, step: Step, model: str, run: Run) -> Given:
        """The work of one step, run again until what was chosen of each kind has been asked."""
        chosen: frozenset[str] = frozenset()
        took, new = 0.0, dict[str, Reply]()
        for _ in range(MOST_ROUNDS):
            asked = Asked(assuming(self.config, self.board, step), chosen=chosen, new=new)
            given = run(asked)
            took += asked.seconds
            more = self._chosen(step, given[0], asked) - chosen
            self.wanted |= {key: asked.requests[key] for key in more}
            if not more or self.is_dry:
                break
            chosen |= more
        if took:
            self.seconds[self.board, step.name] = self.seconds.get((self.board, step.name), 0.0) + took
        self.probed += self._read(step, given[0], asked)
        return given

    def _chosen(self, step: Step, rows: pl.DataFrame, asked: Asked) -> frozenset[str]:
        """Keys to ask next: for kinds with fewer than `n` replies the first prompts, or what these need."""
        chosen: set[str] = set()
        for kind in self._by_kind(step, rows, asked).values():
            taken = kind[: self.n]
            for key in taken:
                if key in asked.stood_in:
                    sources = self._sources(key, asked)
                    chosen |= sources | {key} if self.is_dry else sources or {key}
        return frozenset(chosen)

    def _by_kind(self, step: Step, rows: pl.DataFrame, asked: Asked) -> dict[Kind, list[str]]:
        """The keys of each kind of prompt of the model: replied first, then those of real words; by item."""
        kinds: dict[Kind, list[str]] = {}
        for row in rows.sort("item_id", "generation_id").iter_rows(named=True):
            key = row["prompt_key"]
            if key in asked.requests and asked.requests[key].model == self.model:
                kinds.setdefault(kind_of(self.board, step.name, row), []).append(key)
        return {
            kind: sorted(
                dict.fromkeys(keys), key=lambda key: (key not in asked.replies, self._taint(key, asked))
            )
            for kind, keys in kinds.items()
        }

    def _taint(self, key: str, asked: Asked) -> int:
        """0 for a prompt of real words, 1 if it waits for replies of this model, 2 if it holds another's
        assumed words.
        """
        if self._sources(key, asked):
            return 1
        return 2 if holds_assumed(asked.requests[key]) else 0

    def _sources(self, key: str, asked: Asked) -> set[str]:
        """The unasked prompts of this step and model whose assumed replies stand in this one."""
        messages = asked.requests[key].messages
        turns = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
        earlier = {asked.by_prompt.get(_as_text(messages[:turn])) for turn in turns}
        named = {
            asked.by_assumed.get(word)
            for message in messages
            for word in _ASSUMED.findall(message["content"])
        }
        waiting = {
            name for name in earlier | named if name is not None and name != key and name in asked.stood_in
        }
        of_model = {name for name in waiting if asked.requests[name].model == self.model}
        # What these were written from comes first: the earliest turn of a dialogue, the first round of a
        # passage.
        return {first for name in of_model for first in (self._sources(name, asked) or {name})}

    def _read(self, step: Step, rows: pl.DataFrame, asked: Asked) -> Iterator[Probed]:
        """The replies of each kind that came of the model, at most `n`, as their rows say they were read."""
        of_key = {row["prompt_key"]: row for row in rows.iter_rows(named=True)}
        words = kept_words(self.config, [key for key, reply in asked.replies.items() if not reply.text])
        target = Target.of(self.config, self.model)
        for kind, keys in self._by_kind(step, rows, asked).items():
            for key in [key for key in keys if key in asked.replies][: self.n]:
                row, request = of_key[key], asked.requests[key]
                yield Probed(
                    kind=kind,
                    reply=asked.replies[key],
                    status=row["status"],
                    reason=row["reason"],
                    text=row["text"],
                    attributes=facts(row),
                    is_own=not holds_assumed(request),
                    limit=target.params(request.params)[target.limit_field],
                    limited_by=(f"models.{self.model}.params.{target.own_limit}",)
                    if target.own_limit
                    else tuple(
                        f"{block}.max_tokens" for block in blocks(self.config, self.board, request, kind)
                    ),
                    words=asked.replies[key].text or asked.replies[key].thought or words.get(key, ""),
                    may_be_structured=request.form is not None and target.structured is None,
                )


def kind_of(board: str, step: str, row: Mapping[str, Any]) -> Kind:
    """The kind of prompt that a Generation row answers."""
    row_facts = facts(row)
    parts = [row_facts[name] for name in KIND if name in row_facts] + (
        [REASKED] if ATTEMPT in row_facts else []
    )
    return Kind(board, step, row["purpose"], " ".join(parts))


def kept_words(config: Layout, keys: Sequence[str]) -> dict[str, str]:
    """The stored words of replies without a text, by key: of one that was cut, or of the server."""
    if not keys:
        return {}
    with Store(config.store, is_read_only=True) as store:
        entries = store.find([bytes.fromhex(key) for key in keys])
    return {
        key.hex(): entry.detail if isinstance(entry, DeadLetter) else entry.text
        for key, entry in entries.items()
    }


def holds_assumed(request: Request) -> bool:
    """Return whether words that a plan assumes stand in a prompt."""
    return any(_ASSUMED.search(message["content"]) for message in request.messages)


def blocks(config: Layout, board: str, request: Request, kind: Kind) -> tuple[str, ...]:
    """The places in params.yaml of the decoding settings by which a request is asked. Of several blocks with
    equal values: those named in the kind of prompt (`chain-of-thought`), else as its purpose (`recognition`),
    else all.
    """
    settings = config.p.track(board)
    named = ((name, value) for name, value in settings if isinstance(value, Sampling))
    equal = [name for name, value in named if value.model_dump().items() <= request.params.items()]
    of_kind = [name for name in equal if name in kind.name.replace("-", "_").split()]
    akin = [name for name in equal if len(commonprefix([name, kind.purpose])) >= AKIN]
    return tuple(config.p.setting_name(board, name) for name in of_kind or akin or equal)


def _as_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """Messages as one text that tells them apart from any others."""
    return json.dumps(list(messages), sort_keys=True)
