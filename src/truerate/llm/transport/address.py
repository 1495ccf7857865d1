"""Where an endpoint is: its address in params, or that of the server which is started for it."""

import asyncio
import threading
import time

from truerate.config.layout import Layout
from truerate.config.models import OPENAI
from truerate.llm.transport.launch import Launch, ServerHandle, acquire

LAST_BREATH_S = 1.0  # within which a supervisor sees that its server has died
POLL_S = 0.02


class EndpointAddress:
    """The address of one endpoint in one run, and the handle of its server if it is launched."""

    def __init__(self, config: Layout, name: str):
        self._at, self.name = config, name
        self._endpoint = config.p.endpoints[name]
        self._server: ServerHandle | None = None
        self._starting: asyncio.Future[ServerHandle] | None = None
        self._lock = asyncio.Lock()
        self.url = self._endpoint.base_url or OPENAI

    def start(self) -> None:
        """Begin to start or join a launched server, which `find` then waits for."""
        if self._endpoint.launch:
            self._starting = _acquired(Launch.of(self._at, self.name))

    async def find(self) -> str:
        """The address; a launched server is started or joined. Raises TruerateError if it fails."""
        if self._endpoint.launch:
            if self._starting is None:
                self.start()
            starting, self._starting = self._starting, None
            assert starting is not None  # by `start`
            self._server = await starting
            self.url = self._server.url + "/v1"
        return self.url

    async def find_again(self, sent_to: str, *, is_gone: bool) -> str:
        """The address after a call to `sent_to` failed. One worker replaces a server that is gone, for all;
        where nobody listens any more (`is_gone`) its supervisor is about to end, which is waited for.
        """
        async with self._lock:
            server = self._server if sent_to == self.url else None
            deadline = time.monotonic() + LAST_BREATH_S
            while server and is_gone and server.is_open() and time.monotonic() < deadline:
                await asyncio.sleep(POLL_S)
            if server and not server.is_open():
                server.close()
                await self.find()
            return self.url

    def leave(self) -> None:
        """Let go of the server."""
        if self._server:
            self._server.close()


def _acquired(launch: Launch) -> asyncio.Future[ServerHandle]:
    """`acquire` in a daemon thread: the loop's executor would hold up the end of an interrupted program."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[ServerHandle] = loop.create_future()

    def deliver(server: ServerHandle | None, error: Exception | None) -> None:
        if future.done():
            return
        if error:
            future.set_exception(error)
        elif server:
            future.set_result(server)

    def run() -> None:
        server, error = None, None
        try:
            server = acquire(launch)
        except Exception as raised:  # raised again where the result is awaited
            error = raised
        try:
            loop.call_soon_threadsafe(deliver, server, error)
        except RuntimeError:  # the loop is closed: nobody waits any more
            pass

    threading.Thread(target=run, daemon=True).start()
    return future
