"""Stored pages read in a thread of their own: while one host keeps the others waiting, the pages that came are read already."""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from truerate.params import Fetch
from truerate.web.outcomes import Text
from truerate.web.store import PageStore, limits


class Reader:
    """Reads each page of a store's scope once. What waits to be read is addresses alone: bodies lie in the store. Use it as a context."""

    def __init__(self, path: Path, scope: str, settings: Fetch):
        self._scope, self._settings, self._limits = scope, settings, limits(settings)
        self._thread = ThreadPoolExecutor(1, "page-reader")
        self._store = self._thread.submit(PageStore, path)  # a connection belongs to the thread that opened it
        self._found: dict[str, Future[tuple[Text, str]]] = {}

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        for waiting in self._found.values():
            waiting.cancel()
        self._thread.submit(self._close)
        self._thread.shutdown()

    def begin(self, url: str) -> None:
        """Read a page of the store as soon as those before it are read."""
        if url not in self._found:
            self._found[url] = self._thread.submit(self._read, url)

    def text(self, url: str) -> tuple[Text, str]:
        """What a page of the store says, or what became of it, and the address where its redirects ended."""
        self.begin(url)
        return self._found[url].result()

    def _read(self, url: str) -> tuple[Text, str]:
        from truerate.web.extract import extracted  # a third of a second, spent while pages come

        page = self._store.result().page(self._scope, url, self._limits)
        return extracted(page, self._settings.extract, self._settings.sign_in_phrases), page.final_url

    def _close(self) -> None:
        self._store.result().close()
