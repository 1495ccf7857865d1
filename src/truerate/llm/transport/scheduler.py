"""One run from its first claim to its end: every endpoint with a pool of workers, until all requests are
settled or something ends the run.
"""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from truerate.core.process.terminal import say
from truerate.core.redaction import Redactor
from truerate.llm.store.jobs import Job
from truerate.llm.transport.failures import api_key
from truerate.llm.transport.launch import EndpointAddress
from truerate.llm.transport.run import Run


async def answer(run: Run, jobs: Iterable[Job]) -> None:
    """Settle all jobs; raises the error that ended the run early."""
    by_endpoint: dict[str, list[Job]] = {}
    for job in jobs:
        by_endpoint.setdefault(job.target.endpoint, []).append(job)
    addresses = {name: EndpointAddress(run.config, name) for name in by_endpoint}
    keys = {name: api_key(name, run.config.p.endpoints[name]) for name in by_endpoint}
    run.redactor = Redactor(keys.values())
    starting = {name: asyncio.create_task(address.find()) for name, address in addresses.items()}
    await asyncio.sleep(0)  # so that they start
    # brings the HTTP client: half a second of imports, in which launched servers start
    from truerate.llm.transport.workers import WorkerPool

    pools = [
        WorkerPool(run, jobs_of, addresses[name], starting[name], keys[name])
        for name, jobs_of in by_endpoint.items()
    ]
    with _ending_gently(run, by_endpoint):
        async with asyncio.TaskGroup() as group:
            for pool in pools:
                group.create_task(pool.work())
    _tell_served(run.served)
    _tell_lacking(run.without_logprobs)
    _tell_faults(run)
    if run.was_interrupted:
        raise KeyboardInterrupt
    if run.error:
        raise run.error


@contextmanager
def _ending_gently(run: Run, named: Iterable[str]) -> Iterator[None]:
    """Finish what is under way at the first SIGINT or SIGTERM; end at once at the same signal again."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    is_main = threading.current_thread() is threading.main_thread()
    signals = (signal.SIGINT, signal.SIGTERM) if is_main else ()

    received: set[int] = set()

    def end(number: int) -> None:
        if number in received and task:
            task.cancel()
        received.add(number)
        if run.was_interrupted:
            return
        run.was_interrupted = True
        llm, endpoints = run.config.p.llm, run.config.p.endpoints
        timeouts = [endpoints[name].timeout_s or llm.timeout_s for name in named]
        longest = f"at most {max(timeouts):g} s"
        say(f"ending: replies under way are waited for, {longest}, and kept; once more ends at once")
        run.over.set()

    for number in signals:
        loop.add_signal_handler(number, end, number)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


def _tell_served(served: Counter[tuple[str, str, str, str]]) -> None:
    """Say which models answered under other names than they were asked by."""
    for (alias, endpoint, asked, named), n in sorted(served.items()):
        if named != asked:
            say(
                f"model {alias!r}: asked as {asked!r}, endpoint {endpoint!r} answered {n:,} times as "
                f"{named!r}"
            )


def _tell_lacking(without_logprobs: Counter[tuple[str, str]]) -> None:
    """Say which endpoints left out the log-probabilities that were asked for."""
    for (alias, endpoint), n in sorted(without_logprobs.items()):
        say(
            f"model {alias!r}: `logprobs` were asked for, and endpoint {endpoint!r} left them out of {n:,} "
            f"replies"
        )


def _tell_faults(run: Run) -> None:
    """Say which words for the end of a reply are on no list, and which models read prompts in part."""
    for (endpoint, word), n in sorted(run.unknown_ends.items()):
        what = "no known word for a whole one: they count as broken off"
        say(f"endpoint {endpoint!r}: {n:,} replies ended with finish_reason {word!r}, {what}")
    for alias, n in sorted(run.cut_prompts.items()):
        hint = "give the server a larger context, then `truerate llm dead --retry prompt_cut`"
        say(
            f"{n:,} prompts of model {alias!r} were read only in part: {run.cut_example[alias]}; they have "
            f"no reply; {hint}"
        )
