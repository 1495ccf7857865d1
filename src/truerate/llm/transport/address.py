"""Where an endpoint is: its address in params, or that of the server which is started for it."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from truerate.config.layout import Layout
from truerate.config.models import OPENAI
from truerate.llm.store.writer import Result
from truerate.llm.transport.launch import Launch, ServerHandle, acquire

LAST_BREATH_S = 1.0  # within which a supervisor sees that its server has died
POLL_S = 0.02


class EndpointAddress:
    """The address of one endpoint in one run, and the hold on its server if it has one."""

    def __init__(self, at: Layout, name: str):
        self._at, self.name = at, name
        self._endpoint = at.p.endpoints[name]
        self._server: ServerHandle | None = None
        self._starting: asyncio.Future[ServerHandle] | None = None
        self._lock = asyncio.Lock()
        self.url = self._endpoint.base_url or OPENAI

    def start(self) -> None:
        """Begin to start or join a launched server, which `find` then waits for."""
        if self._endpoint.launch:
            self._starting = _in_thread(acquire, Launch.of(self._at, self.name))

    async def find(self) -> str:
        """The address; a launched server is started or joined. Raises TruerateError where it does not come up."""
        if self._endpoint.launch:
            if self._starting is None:
                self.start()
            starting, self._starting = self._starting, None
            assert starting is not None  # by `start`
            self._server = await starting
            self.url = self._server.url + "/v1"
        return self.url

    async def find_again(self, sent_to: str, *, is_gone: bool) -> str:
        """The address after a call to `sent_to` failed. One worker replaces a server that is gone, for all.

        Where nobody listens any more (`is_gone`) its supervisor is about to end, which is waited for.
        """
        async with self._lock:
            deadline = time.monotonic() + LAST_BREATH_S
            while is_gone and self._is_held(sent_to) and time.monotonic() < deadline:
                await asyncio.sleep(POLL_S)
            if self._server and sent_to == self.url and not self._server.is_open():
                self._server.close()
                await self.find()
            return self.url

    def _is_held(self, sent_to: str) -> bool:
        return self._server is not None and sent_to == self.url and self._server.is_open()

    def leave(self) -> None:
        """Let go of the server."""
        if self._server:
            self._server.close()


def _in_thread(function: Callable[..., Result], *args: Any) -> asyncio.Future[Result]:
    """What a blocking call gives, run in a daemon thread: the loop's executor would hold up the end of an
    interrupted program.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def deliver(set_it: Callable[[Any], None], value: object) -> None:
        if not future.done():
            set_it(value)

    def run() -> None:
        """Call the function and hand over what it gives or raises, in the loop's own thread."""
        try:
            found: tuple[Callable[[Any], None], object] = (future.set_result, function(*args))
        except Exception as error:  # raised where the result is awaited
            found = (future.set_exception, error)
        try:
            loop.call_soon_threadsafe(deliver, *found)
        except RuntimeError:  # the loop is closed: nobody waits any more
            pass

    threading.Thread(target=run, daemon=True).start()
    return future
