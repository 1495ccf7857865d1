"""Answer many requests at once: from the store where it holds them, else by asking and paying."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.llm.endpoints import answer_all
from truerate.llm.keys import Target
from truerate.llm.request import Estimate, Reply, Request, answered
from truerate.llm.retrieved import written
from truerate.llm.store.budget import contents, price
from truerate.llm.store.jobs import Job
from truerate.llm.store.responses import DeadLetter, Store, StoredReply, is_final, unpacked
from truerate.llm.transport.progress import Progress
from truerate.llm.transport.run import Run
from truerate.llm.transport.verdict import THOUGHT_ONLY

BYTES_PER_TOKEN = 4  # of a prompt, until an endpoint has counted


def ask(requests: Sequence[Request], config: Layout, *, label: str) -> list[Reply]:
    """Return the replies in the order of the requests; equal requests share one. Every reply is stored before
    it is returned. Raises TruerateError if no more can be asked (key, model, quota, endpoint, budget); the
    next run goes on from there.
    """
    targets = _targets(requests, config)
    keys = [targets[request.model].key(request) for request in requests]
    asked = dict(zip(keys, requests, strict=True))
    with Store(config.store) as store:
        answers = _final(store, targets, asked)
        stored = set(answers)
        jobs = {key: Job(key, targets[r.model], r) for key, r in asked.items() if key not in stored}
        with Progress(label, n_requests=len(requests), n_stored=len(requests) - len(jobs)) as progress:
            if jobs:
                _run(jobs, config, store, answers=answers, stored=stored, progress=progress)
        sources = _sources(store, targets, asked, config)
    replies = [
        _reply(key, r, answers[key], targets[r.model], is_stored=key in stored)
        for key, r in zip(keys, requests, strict=True)
    ]
    for key, reply in zip(keys, replies, strict=True):
        if key in sources and reply.status == "ok":
            reply.served, reply.retrieved, apart = sources[key]
            reply.thought = reply.thought or apart
    return replies


def _sources(
    store: Store, targets: Mapping[str, Target], asked: Mapping[bytes, Request], config: Layout
) -> dict[bytes, tuple[str | None, str | None, str | None]]:
    """By key what is stored beside a reply: the name of the model that answered (`served`), `retrieved` texts,
    and the thought that its server keeps apart from the text.
    """
    real = {
        alias for alias, target in targets.items() if not config.p.endpoints[target.endpoint].is_simulated
    }
    sources = {}
    for key, beside in store.beside([key for key, request in asked.items() if request.model in real]):
        name, retrieved, thought = _source(beside)
        served = name if name != targets[asked[key].model].model else None
        if served or retrieved or thought:
            sources[key] = (served, retrieved, thought)
    return sources


@lru_cache(maxsize=256)  # most replies of a model have the same beside them
def _source(packed: bytes) -> tuple[str | None, str | None, str | None]:
    beside = unpacked(packed)
    name = beside.get("model")
    return name if isinstance(name, str) else None, written(beside), beside.get("thought") or None


def _final(
    store: Store, targets: Mapping[str, Target], asked: Mapping[bytes, Request]
) -> dict[bytes, StoredReply | DeadLetter]:
    """The stored answers that stand, by key; dead letters only of the model's present address."""
    final = {}
    for key, answer in store.find(list(asked)).items():
        request = asked[key]
        target = targets[request.model]
        keeps_cut = target.keeps_cut(request)
        if is_final(answer, target.address, keeps_cut=keeps_cut, contents=contents(request)):
            final[key] = answer
    return final


def _run(
    jobs: dict[bytes, Job],
    config: Layout,
    store: Store,
    *,
    answers: dict[bytes, StoredReply | DeadLetter],
    stored: set[bytes],
    progress: Progress,
) -> None:
    """Ask what is missing; fills `answers`, and `stored` with what other processes had answered by then."""

    def on_answer(job: Job, answer: StoredReply | DeadLetter, is_stored: bool) -> None:
        answers[job.key] = answer
        if is_stored:
            stored.add(job.key)
        usd = 0.0
        if isinstance(answer, StoredReply) and not is_stored:
            usd = job.price(answer.n_in or 0, answer.n_out or 0)
        progress.advance(is_dead=isinstance(answer, DeadLetter), usd=usd)

    asyncio.run(answer_all(Run(config, store, on_answer), jobs.values()))


def _reply(
    key: bytes, request: Request, answer: StoredReply | DeadLetter, target: Target, *, is_stored: bool
) -> Reply:
    if isinstance(answer, DeadLetter):
        finish = "length" if answer.reason == THOUGHT_ONLY else None  # a letter of a reply that was cut
        return Reply(key.hex(), "dead", "", finish, answer.reason, None, None, 0.0, is_stored)
    usd = price(target, answer.n_in or 0, answer.n_out or 0)
    return target.as_asked(answered(key.hex(), *answer, cost_usd=usd, is_stored=is_stored), request)


def estimate(requests: Sequence[Request], config: Layout, *, counted: set[bytes] | None = None) -> Estimate:
    """The cost of asking now, without asking. `counted`: keys that were counted before; those of the requests
    are added.
    """
    targets = _targets(requests, config)
    asked = {targets[request.model].key(request): request for request in requests}
    if counted is not None:
        asked = {key: request for key, request in asked.items() if key not in counted}
        counted.update(asked)
    with Store(config.store, is_read_only=True) as store:
        stored = _final(store, targets, asked)
        rates = _counts_by_identity(store)
    jobs = [Job(key, targets[request.model], request) for key, request in asked.items() if key not in stored]
    low = [_expected(job, rates.get(job.target.identity)) for job in jobs]
    return Estimate(
        n_calls=len(jobs),
        n_stored=len(stored),
        tokens_low=round(sum(n_in + n_out for n_in, n_out in low)),
        tokens_high=sum(job.n_in + job.n_out for job in jobs),
        usd_low=sum(job.price(*tokens) for job, tokens in zip(jobs, low, strict=True)),
        usd_high=sum(job.usd for job in jobs),
    )


def _counts_by_identity(store: Store) -> dict[str, tuple[float, float]]:
    """Per model identity: prompt tokens per byte of bound, and completion tokens per reply, as counted so
    far.
    """
    sums = "TOTAL(n_bytes), TOTAL(n_in), TOTAL(n_out), TOTAL(calls)"
    rows = store.query(f"SELECT identity, {sums} FROM ledger WHERE kind = 'reply' GROUP BY identity")
    return {
        identity: (n_in / max(n_bytes, 1), n_out / max(calls, 1))
        for identity, n_bytes, n_in, n_out, calls in rows
    }


def _expected(job: Job, rates: tuple[float, float] | None) -> tuple[float, float]:
    """The tokens to expect, never more than the bound; one token of completion where nothing is known."""
    rate, n_out = rates or (1 / BYTES_PER_TOKEN, 1.0)
    return min(job.n_in * rate, job.n_in), min(n_out, job.n_out)


def recorded(keys: Iterable[str], config: Layout) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """The stored request (`identity`, `messages`, `params`, `sample_index`) and reply of each of the keys."""
    with Store(config.store, is_read_only=True) as store:
        return {key.hex(): pair for key, pair in store.requests([bytes.fromhex(key) for key in keys]).items()}


def _targets(requests: Sequence[Request], config: Layout) -> dict[str, Target]:
    """The targets of all aliases that the requests name."""
    for request in requests:
        if not isinstance(request, Request):
            raise TruerateError(f"asking models: {type(request).__name__} is not a Request")
        break
    return {alias: Target.of(config, alias) for alias in {request.model for request in requests}}
