"""One run: the requests that are not answered yet, each with the crew of its endpoint, until all are settled
or something ends the run.
"""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.hiding import Hiding
from truerate.core.terminal import say
from truerate.llm.store.budget import Caps
from truerate.llm.store.leases import Desk, Job
from truerate.llm.store.responses import Dead, Kept, Store
from truerate.llm.transport import failures
from truerate.llm.transport.address import Place


@dataclass
class Run:
    """The state that all crews of a run share. `on_answer` takes a job, its answer, and whether another run
    paid for it.
    """

    at: Layout
    store: Store
    on_answer: Callable[[Job, Kept | Dead, bool], None]
    desk: Desk = field(init=False)
    error: TruerateError | None = None
    was_interrupted: bool = False
    hiding: Hiding = field(default_factory=lambda: Hiding(()))
    over: asyncio.Event = field(default_factory=asyncio.Event)
    served: Counter[tuple[str, str, str, str]] = field(
        default_factory=Counter
    )  # replies by alias, endpoint, model asked and model named

    def __post_init__(self) -> None:
        self.desk = Desk(self.store, Caps.of(self.at.p.llm), self.at.p.llm.lease_s)

    def fail(self, error: TruerateError) -> None:
        """End the run: nothing new is sent, what is under way is waited for and kept."""
        self.error = self.error or TruerateError(self.hiding.text(str(error)))
        self.over.set()

    async def rest(self, seconds: float) -> None:
        """Wait, unless the run ends."""
        try:
            async with asyncio.timeout(seconds):
                await self.over.wait()
        except TimeoutError:
            pass

    async def answer(self, jobs: Iterable[Job]) -> None:
        """Settle all jobs; raises the error that ended the run early."""
        by_endpoint: dict[str, list[Job]] = {}
        for job in jobs:
            by_endpoint.setdefault(job.target.endpoint, []).append(job)
        places = {name: Place(self.at, name) for name in by_endpoint}
        keys = {name: failures.api_key(name, self.at.p.endpoints[name]) for name in by_endpoint}
        self.hiding = Hiding(keys.values())
        for place in places.values():
            place.start()
        from truerate.llm.transport.workers import (
            Crew,
        )  # brings the HTTP client: half a second of imports, in which launched servers start

        crews = [Crew(self, found, places[name], keys[name]) for name, found in by_endpoint.items()]
        await self.desk.open()
        pulse = asyncio.create_task(self._pulse())
        try:
            with self._ending_gently():
                async with asyncio.TaskGroup() as group:
                    for crew in crews:
                        group.create_task(crew.work())
        finally:
            pulse.cancel()
            await self.desk.close()
        self._tell_served()
        if self.was_interrupted:
            raise KeyboardInterrupt
        if self.error:
            raise self.error

    @contextmanager
    def _ending_gently(self) -> Iterator[None]:
        """At the first wish to end (Ctrl-C, SIGTERM) what is under way is waited for and kept; at the second
        the run ends at once.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        signals = (
            (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
        )

        def end() -> None:
            if self.was_interrupted:
                task.cancel()
                return
            self.was_interrupted = True
            say(
                f"ending: replies under way are waited for, at most {self.at.p.llm.timeout_s:g} s, and kept; once more ends at once"
            )
            self.over.set()

        for number in signals:
            loop.add_signal_handler(number, end)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def _tell_served(self) -> None:
        """Say which models answered under other names than they were asked by."""
        for (alias, endpoint, asked, named), n in sorted(self.served.items()):
            if named != asked:
                say(
                    f"model {alias!r}: asked as {asked!r}, endpoint {endpoint!r} answered {n:,} times as {named!r}"
                )

    async def _pulse(self) -> None:
        """Say three times per lease that this run lives."""
        while True:
            await asyncio.sleep(self.at.p.llm.lease_s / 3)
            await self.desk.beat()
