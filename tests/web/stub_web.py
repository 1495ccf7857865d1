"""A small web on loopback: addresses with what they answer, asked straight or as a proxy, and a record of
every request.
"""

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path

from truerate.config import Fetch, Search, load_params
from truerate.web.fetch import Fetcher
from truerate.web.pauses import Clock
from truerate.web.store import PageStore

ROOT = Path(__file__).parents[2]
TRACK = load_params(ROOT / "params.yaml").tracks["wildhallucinations"]
PROXY = None  # in place of the stub
HTML = {"content-type": "text/html; charset=utf-8"}


class Waits:
    """A clock that stands still but for what is slept, which it keeps."""

    def __init__(self):
        self.slept = []

    def clock(self) -> Clock:
        async def sleep(seconds):
            self.slept.append(round(seconds, 3))
            await asyncio.sleep(0)

        return Clock(now=lambda: 1000.0, sleep=sleep)


def fetch_settings(**changes) -> Fetch:
    """Limits of a test: loopback is allowed, no pause between requests."""
    small = {
        "proxy": None,
        "timeout_s": 5,
        "max_bytes": 2000,
        "max_redirects": 2,
        "per_host_s": 0,
        "allowed_private": ["127.0.0.1"],
        "user_agent": "truerate (a@b.example)",
    }
    return Fetch.model_validate(TRACK.fetch.model_dump() | small | changes)


def search_settings(**changes) -> Search:
    return Search.model_validate({"url": "http://set-by-the-test/", "n_results": 3} | changes)


class StubWeb:
    """`pages` maps a target (as on the request line) or a path to (status, headers, body) or a coroutine that
    writes by itself.
    """

    def __init__(self, pages: dict):
        self.pages, self.asked, self.headers, self.bodies = pages, [], [], []

    async def handle(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").split("\r\n")
                target = first.split(" ")[1]
                self.asked.append(target)
                self.headers.append(
                    {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines if line}
                )
                self.bodies.append(await reader.readexactly(int(self.headers[-1].get("content-length", 0))))
                found = self.pages.get(
                    target, self.pages.get(target.partition("?")[0], (404, {}, b"nothing here"))
                )
                if callable(found):
                    found = await found(target, writer)
                if found is None:
                    return
                status, headers, body = found
                fields = "".join(
                    f"{name}: {value}\r\n"
                    for name, value in ({"content-length": len(body)} | headers).items()
                )
                writer.write(f"HTTP/1.1 {status} Reason\r\n{fields}\r\n".encode("latin-1") + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    @asynccontextmanager
    async def listening(self):
        tasks = set()

        async def handle(reader, writer):
            tasks.add(asyncio.current_task())
            await self.handle(reader, writer)

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


PAGE = (200, HTML, b"<p>Varn is a town.</p>")


async def silent(target, writer):
    """Never answers."""
    await asyncio.Event().wait()


async def cut(target, writer):
    """Breaks off in the middle of a body."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 900\r\n\r\nhalf")
    await writer.drain()


async def dropped(target, writer):
    """Closes the connection without a word."""


def results(*links: str) -> tuple:
    """A search's reply in Google's form."""
    body = {"kind": "customsearch#search"} | (
        {"items": [{"link": link, "title": f"About {link}"} for link in links]} if links else {}
    )
    return 200, {"content-type": "application/json"}, json.dumps(body).encode()


def fetched(
    pages,
    paths,
    folder,
    *,
    settings=None,
    clock: Clock | None = None,
    base="http://127.0.0.1:{port}",
    as_proxy=False,
):
    """Fetch paths from a fresh stub web into the store of a folder: the pages and the stub. No pause takes
    time.
    """
    stub, settings = StubWeb(pages), settings or fetch_settings()

    async def run():
        async with stub.listening() as port:
            urls = [path if "://" in path else base.format(port=port) + path for path in paths]
            proxy = (PROXY or f"http://127.0.0.1:{port}") if as_proxy else None
            with PageStore(folder / "pages.sqlite") as store:
                async with Fetcher(settings, store, proxy=proxy, clock=clock or Waits().clock()) as fetcher:
                    await fetcher.fetch_all(urls)
                return [store.page("", url, fetcher.limits) for url in urls]

    return asyncio.run(run()), stub
