"""Searching the web: Google's Custom Search JSON form at an address or endpoint, and results that somebody recorded.

A recorded file has one JSON object per line: `query`, and `items` as the search would have given them (`link`, `title`, `snippet`). An item
may carry its page: `html` (as fetched) or `text` (as extracted), with `final_url` where redirects ended; such a page is not fetched.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import orjson

from truerate.errors import TruerateError
from truerate.params import Search
from truerate.text import clean
from truerate.web.hosts import host_of
from truerate.web.store import PageStore

CONCURRENCY = 8
ATTEMPTS = 4
TIMEOUT_S = 30.0
BACKOFF_S = 0.5
QUOTA = ("dailyLimitExceeded", "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded")
FIELDS = ("link", "title", "snippet", "html", "text", "final_url")


class Searcher:
    """Asks one search address. `scope` names what answers, `url` is the whole address."""

    def __init__(self, settings: Search, store: PageStore, *, url: str, scope: str = "", backoff_s: float = BACKOFF_S):
        """Raises TruerateError where the environment lacks the key or engine that the settings name."""
        self.settings, self.store, self.url, self.scope, self.backoff_s = settings, store, url, scope, backoff_s
        named = {"key": settings.key_env, "cx": settings.engine_env}
        self.secrets = {name: _secret(variable, name) for name, variable in named.items() if variable}

    def stored(self, query: str) -> list[dict] | None:
        """What the store holds for a query."""
        return self.store.results(self.scope, query, self.settings.n_results)

    async def search_all(self, queries: Sequence[str]) -> None:
        """Put the results of all queries into the store; those that it holds are not asked.

        Raises TruerateError where the search will answer no more (its quota, key or address): what was found until then stays stored, and
        the next run goes on from there.
        """
        missing = [query for query in dict.fromkeys(queries) if self.stored(query) is None]
        waiting, n_all = iter(missing), len(missing)
        if not missing:
            return
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT_S)) as session:
            error: list[TruerateError] = []

            async def work() -> None:
                for query in waiting:
                    if error:
                        return
                    try:
                        found = await self._search(session, query)
                    except TruerateError as stop:
                        error.append(stop)
                        return
                    self.store.keep_results(self.scope, query, self.settings.n_results, found)

            await asyncio.gather(*(work() for _ in range(min(CONCURRENCY, n_all))))
        if error:
            n_left = sum(self.stored(query) is None for query in missing)
            raise TruerateError(f"{error[0]}; {n_all - n_left} of {n_all} new queries were answered and stay stored, {n_left} are left")

    async def _search(self, session: aiohttp.ClientSession, query: str) -> list[dict]:
        """The results of one query; server errors and broken connections are tried again a few times."""
        asked = {"q": query, "num": str(self.settings.n_results), **self.secrets}
        last = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                await asyncio.sleep(self.backoff_s * 2 ** (attempt - 1))
            try:
                async with session.get(self.url, params=asked, allow_redirects=False) as response:
                    status, body = response.status, await response.read()
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                last = type(error).__name__
                continue
            if status == 200 and (found := read(body)) is not None:
                return found[: self.settings.n_results]
            last = "a reply that is no search result" if status == 200 else f"status {status}{_said(body)}"
            if status not in (200, 500, 502, 503, 504):
                break
        raise self._stop(status=last, is_quota=_is_quota(last), query=query)

    def _stop(self, *, status: str, is_quota: bool, query: str) -> TruerateError:
        """Why no more can be searched, without the key that the address held."""
        where = f"searching for {query!r} at {host_of(self.url)!r}"
        if is_quota:
            return TruerateError(f"{where}: the quota is used up ({status}); run again when it is renewed")
        return TruerateError(f"{where}: {status}; see to tracks.wildhallucinations.search in params.yaml, then run again")


def read(body: bytes) -> list[dict] | None:
    """The results in a reply, None where it is none. A reply without `items` has no result."""
    try:
        found = orjson.loads(body)
    except ValueError:
        return None
    if not isinstance(found, dict) or "error" in found or not isinstance(found.get("items", []), list):
        return None
    return [one for item in found.get("items", []) if (one := result(item))]


def result(item: object) -> dict | None:
    """The fields of one result, cleaned; None where it has no link."""
    if not isinstance(item, dict) or not isinstance(item.get("link"), str) or not item["link"].strip():
        return None
    texts = {name: item[name] for name in FIELDS if isinstance(item.get(name), str)}
    return {name: text if name == "html" else clean(text) for name, text in texts.items()} | {"link": clean(item["link"]).strip()}


def recorded(path: str) -> dict[str, list[dict]]:
    """The recorded results by query. Raises TruerateError with the line that cannot be read."""
    found: dict[str, list[dict]] = {}
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise TruerateError(f"reading recorded searches {path!r}: {error.strerror}; correct search.recorded in params.yaml") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            query, items = row["query"], row["items"]
            found[clean(query)] = [one for item in items if (one := result(item))]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise TruerateError(f"reading recorded searches {path!r}: line {number} is no object with `query` and `items`") from None
    return found


def _said(body: bytes) -> str:
    """What an error in Google's form says, its reasons first."""
    try:
        error = orjson.loads(body)["error"]
        reasons = [str(one.get("reason")) for one in error.get("errors", [])]
        words = " ".join(dict.fromkeys([*reasons, str(error.get("message", ""))]))
    except (ValueError, TypeError, KeyError, AttributeError):
        return ""
    return f" {clean(' '.join(words.split()))[:160]}"


def _is_quota(said: str) -> bool:
    """Whether a refusal is for the quota: 429, or 403 with one of its reasons."""
    return said.startswith("status 429") or (said.startswith("status 403") and any(reason in said.split() for reason in QUOTA))


def _secret(variable: str, name: str) -> str:
    value = os.environ.get(variable, "")
    if value and value.isascii() and value.isprintable():
        return value
    what = "is not set" if not value else "holds a line break or a character beyond ASCII"
    raise TruerateError(f"searching: the variable {variable} {what}; export it with the search's {name}")


def address(settings: Search, base: str | None) -> str | None:
    """The whole address that is asked: `url` itself, or its path at an endpoint's origin. None where the settings name none."""
    if settings.url is None:
        return None
    if base is None:
        return settings.url
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}{settings.url}"
