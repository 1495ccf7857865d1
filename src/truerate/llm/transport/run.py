"""The state of one run, which the workers of all its endpoints share: how it ends, and what it reports then."""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.process.terminal import say
from truerate.core.redaction import Redactor
from truerate.llm.store.jobs import Job
from truerate.llm.store.responses import DeadLetter, Store, StoredReply
from truerate.llm.transport.verdict import Verdict, is_unknown

OnAnswer = Callable[[Job, StoredReply | DeadLetter, bool], None]


@dataclass
class Run:
    """One run of `ask`. `on_answer` takes a job, its
    answer, and whether another run paid; the counters hold what is reported at the end: replies by model
    named, those without requested log-probabilities, unknown finish reasons, prompts that were read in part
    (with an example).
    """

    config: Layout
    store: Store
    on_answer: OnAnswer
    error: TruerateError | None = None
    was_interrupted: bool = False
    redactor: Redactor = field(default_factory=lambda: Redactor(()))
    over: asyncio.Event = field(default_factory=asyncio.Event)
    served: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    without_logprobs: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown_ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    cut_prompts: Counter[str] = field(default_factory=Counter)
    cut_example: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def drained_on_signal(self, names: Iterable[str]) -> Iterator[None]:
        """Finish what is under way at the first SIGINT or SIGTERM; end at once at the same signal again."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        is_main = threading.current_thread() is threading.main_thread()
        signals = (signal.SIGINT, signal.SIGTERM) if is_main else ()
        received: set[int] = set()

        def end(number: int) -> None:
            if number in received and task:
                task.cancel()
            received.add(number)
            if self.was_interrupted:
                return
            self.was_interrupted = True
            llm, endpoints = self.config.p.llm, self.config.p.endpoints
            longest = f"at most {max(endpoints[name].timeout_s or llm.timeout_s for name in names):g} s"
            say(f"ending: replies under way are waited for, {longest}, and kept; once more ends at once")
            self.over.set()

        for number in signals:
            loop.add_signal_handler(number, end, number)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def note(self, job: Job, endpoint: str, verdict: Verdict) -> None:
        """Note the model that a kept reply names, and the log-probabilities that it lacks."""
        target = job.target
        self.served[target.alias, endpoint, target.model, verdict.served or target.model] += 1
        if target.params(job.request.params).get("logprobs") and b'"logprobs":' not in (verdict.extra or b""):
            self.without_logprobs[target.alias, endpoint] += 1

    def note_fault(self, job: Job, endpoint: str, verdict: Verdict) -> None:
        """Note what is reported at the end of a reply that is not kept."""
        if verdict.finish and is_unknown(verdict.finish):
            self.unknown_ends[endpoint, verdict.finish] += 1
        if verdict.reason == "prompt_cut":
            self.cut_prompts[job.target.alias] += 1
            self.cut_example.setdefault(job.target.alias, verdict.detail.partition(":")[0])

    def report(self) -> None:
        """Say which models answered under other names than they were asked by, which endpoints left out
        requested log-probabilities, which words for the end of a reply are on no list, and which models read
        prompts in part.
        """
        for (alias, endpoint, asked, name), n in sorted(self.served.items()):
            if name != asked:
                say(
                    f"model {alias!r}: asked as {asked!r}, endpoint {endpoint!r} answered {n:,} times as {name!r}"
                )
        for (alias, endpoint), n in sorted(self.without_logprobs.items()):
            what = f"`logprobs` were asked for, and endpoint {endpoint!r} left them out of {n:,} replies"
            say(f"model {alias!r}: {what}")
        for (endpoint, word), n in sorted(self.unknown_ends.items()):
            what = "no known word for a whole one: they count as broken off"
            say(f"endpoint {endpoint!r}: {n:,} replies ended with finish_reason {word!r}, {what}")
        for alias, n in sorted(self.cut_prompts.items()):
            what = f"{n:,} prompts of model {alias!r} were read only in part: {self.cut_example[alias]}"
            hint = "give the server a larger context, then `truerate llm dead --retry prompt_cut`"
            say(f"{what}; they have no reply; {hint}")

    def fail(self, error: TruerateError) -> None:
        """End the run: nothing new is sent, what is under way is waited for and kept."""
        self.error = self.error or type(error)(self.redactor.text(str(error)))
        self.over.set()

    async def rest(self, seconds: float) -> None:
        """Wait, unless the run ends."""
        try:
            async with asyncio.timeout(seconds):
                await self.over.wait()
        except TimeoutError:
            pass
