"""One run: the requests that are not answered yet, each with the crew of its endpoint, until all are settled or something ends the run."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from truerate.errors import TruerateError
from truerate.layout import Layout
from truerate.llm import stops
from truerate.llm.budget import Caps
from truerate.llm.desk import Desk, Job
from truerate.llm.place import Place
from truerate.llm.store import Dead, Kept, Store


@dataclass
class Run:
    """The state that all crews of a run share. `on_answer` takes a job, its answer, and whether another run paid for it."""

    at: Layout
    store: Store
    on_answer: Callable[[Job, Kept | Dead, bool], None]
    desk: Desk = field(init=False)
    error: TruerateError | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.desk = Desk(self.store, Caps.of(self.at.p.llm), self.at.p.llm.lease_s)

    def fail(self, error: TruerateError) -> None:
        """End the run: nothing new is sent, what is under way is waited for and kept."""
        self.error = self.error or error
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
        keys = {name: stops.api_key(name, self.at.p.endpoints[name]) for name in by_endpoint}
        for place in places.values():
            place.start()
        from truerate.llm.crew import Crew  # brings the HTTP client: half a second of imports, in which launched servers start

        crews = [Crew(self, found, places[name], keys[name]) for name, found in by_endpoint.items()]
        await self.desk.open()
        pulse = asyncio.create_task(self._pulse())
        try:
            async with asyncio.TaskGroup() as group:
                for crew in crews:
                    group.create_task(crew.work())
        finally:
            pulse.cancel()
            await self.desk.close()
        if self.error:
            raise self.error

    async def _pulse(self) -> None:
        """Say three times per lease that this run lives."""
        while True:
            await asyncio.sleep(self.at.p.llm.lease_s / 3)
            await self.desk.beat()
