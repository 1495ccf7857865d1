"""Reading of stored pages while others are fetched: a few threads, each with a process that can be killed."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from truerate.config import Fetch
from truerate.core.process.terminal import announced_wait
from truerate.web.extractor import Extractor
from truerate.web.outcomes import Outcome, Text
from truerate.web.store import PageStore, limits, reading_limits

AT_ONCE = 2  # pages that are read at once


class Reader:
    """A context that reads each page of a store's scope once; bodies stay in the store until then."""

    def __init__(self, path: Path, scope: str, settings: Fetch):
        self._path, self._scope, self._settings = path, scope, settings
        self._limits, self._reading_limits = limits(settings), reading_limits(settings)
        self._threads = ThreadPoolExecutor(AT_ONCE, "page-reader")
        self._local = threading.local()  # each thread's store and process
        self._opened: list[PageStore | Extractor] = []
        self._texts: dict[str, Future[tuple[Text, str]]] = {}

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        for waiting in self._texts.values():
            waiting.cancel()
        for process in [resource for resource in self._opened if isinstance(resource, Extractor)]:
            process.close()
        self._threads.shutdown()
        for resource in self._opened:
            resource.close()

    def begin(self, url: str) -> None:
        """Read a page of the store as soon as those before it are read."""
        if url not in self._texts:
            self._texts[url] = self._threads.submit(self._read, url)

    def text(self, url: str) -> tuple[Text, str]:
        """Return what a page of the store says, or what became of it, and the address where its redirects
        ended.
        """
        self.begin(url)
        future = self._texts[url]
        if future.done():
            return future.result()
        with announced_wait("a page that takes long to be read"):
            return future.result()

    def markup(self, markup: str) -> Text:
        """Return what a page says that lies in no store, by its HTML."""
        with announced_wait("a page that takes long to be read"):
            return self._threads.submit(self._extracted, markup).result()

    def _read(self, url: str) -> tuple[Text, str]:
        store = self._mine("store", lambda: PageStore(self._path))
        page = store.page(self._scope, url, self._limits)
        if page.outcome is not Outcome.OK:
            return Text(page.outcome, detail=page.detail), page.final_url
        if slow := store.slow(self._scope, url, self._reading_limits):
            return Text(Outcome.TIMEOUT, detail=slow), page.final_url
        text = self._extracted(page)
        if text.outcome is Outcome.TIMEOUT:
            store.keep_slow(self._scope, url, self._reading_limits, text.detail)
        return text, page.final_url

    def _extracted(self, page) -> Text:
        process = self._mine("process", lambda: Extractor(self._settings.timeout_s))
        return process.read(page, self._settings.extract, self._settings.sign_in_phrases)

    def _mine(self, name: str, opened):
        """This thread's own of something, opened when it first needs it."""
        if not hasattr(self._local, name):
            setattr(self._local, name, opened())
            self._opened.append(getattr(self._local, name))
        return getattr(self._local, name)
