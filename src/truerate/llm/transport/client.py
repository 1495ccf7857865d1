"""The HTTP side: one connection pool per endpoint, which sends bodies and gives verdicts; what a call without an answer
means is decided by the classes of the exceptions that it raises.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from truerate.config.models import OPENAI
from truerate.core.hiding import Hiding
from truerate.llm.transport.policy import judge
from truerate.llm.transport.verdict import Verdict, short

# bytes of a reply, unpacked: the largest honest one, all log-probabilities of 8,000 tokens, has about 20 MB
LARGEST = 32 * 2**20
KEPT_S = 5.0  # for which an idle connection stays open: what common servers allow
ACCOUNT = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}  # header, variable
# Looked for in the chain below an exception, in this order: a dropped connection may be reported as a timeout.
# Names, certificates and proxies that fail are kinds of ClientConnectorError.
_UNREACHABLE = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    ConnectionRefusedError,
)
# A server that speaks, but no HTTP: bad status lines, headers, chunks, lengths and compressions.
_MALFORMED = (
    HttpProcessingError,
    aiohttp.ClientResponseError,
    aiohttp.InvalidURL,
    UnicodeDecodeError,
)
_DROPPED = (
    aiohttp.ServerDisconnectedError,
    aiohttp.ClientOSError,
    aiohttp.ClientPayloadError,
    ConnectionResetError,
)

_UNSENT = "Cannot write to closing transport"


class TooLarge(Exception):
    """A reply of more than LARGEST bytes, whose rest was not read: a small packed one can grow without end."""


class Client:
    """Sends bodies to the chat completions of one endpoint."""

    def __init__(self, url: str, key: str, *, limit: int, timeout_s: float):
        self._timeout_s, self._redactor = timeout_s, Hiding([key])
        headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "User-Agent": "truerate",
        }
        if url.startswith(OPENAI):
            headers |= {header: os.environ[name] for header, name in ACCOUNT.items() if os.environ.get(name)}
        self._session = aiohttp.ClientSession(
            headers=headers,
            connector=aiohttp.TCPConnector(limit=limit, keepalive_timeout=KEPT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=min(10.0, timeout_s)),
        )
        self.move(url)

    def move(self, url: str) -> None:
        """Send to another address from now on."""
        self._url = URL(f"{url.rstrip('/')}/chat/completions")
        proxies = getproxies()
        proxy = proxies.get(self._url.scheme) or proxies.get("all")
        self._proxy = proxy if proxy and not proxy_bypass(self._url.host or "") else None

    async def send(self, body: bytes, *, accept_length: bool) -> Verdict:
        """The verdict on one call. `timeout_s` bounds the whole of it, a slow trickle included; no fault of a
        reply raises.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                try:
                    response, reply = await self._post(body)
                except (
                    aiohttp.ClientError
                ) as error:  # the kept connection was closed before anything went out
                    if not was_unsent(error):
                        raise
                    response, reply = await self._post(body)
        except TooLarge as error:
            return Verdict("dead", "too_large", str(error), is_charged=True)
        # what a broken server makes the packages below raise is no list that one could write down
        except Exception as error:
            return judge_exception(error, self._redactor.text, timeout_s=self._timeout_s)
        reply = self._redactor.body(reply, is_error=not response.ok)
        return judge(response.status, response.headers, reply, accept_length=accept_length)

    async def _post(self, body: bytes) -> tuple[aiohttp.ClientResponse, bytes]:
        """A response and its body, unpacked; of an error the beginning alone. Raises TooLarge for a reply."""
        async with self._session.post(
            self._url, data=body, allow_redirects=False, proxy=self._proxy
        ) as response:
            parts, size = [], 0
            async for part in response.content.iter_any():
                parts.append(part)
                if (size := size + len(part)) > LARGEST:
                    if response.ok:
                        raise TooLarge(f"more than {LARGEST:,} bytes")
                    break
            return response, b"".join(parts)

    async def close(self) -> None:
        """Close its connections."""
        await self._session.close()


def was_unsent(error: BaseException) -> bool:
    """Whether a kept connection was closed by the server before anything of the request went out, so that it
    may be sent once more.
    """
    return any(_UNSENT in str(link) for link in _causes(error))


def judge_exception(
    error: BaseException, hidden: Callable[[str], str] = str, *, timeout_s: float | None = None
) -> Verdict:
    """The verdict on a call that raised. `unreachable`: no connection came about, so nothing can have been
    charged.

    `hidden` takes secrets out of the message. What is none of the known faults is a malformed reply: it was
    the reply that raised it.
    """
    links = list(_causes(error))
    message = str(next((link for link in reversed(links) if str(link)), error))
    message = message or f"the connection raised {type(error).__name__}, without a word"
    detail = short(hidden(message))
    if _is_any(links, _UNREACHABLE):
        return Verdict("retry", "unreachable", detail)
    if _is_any(links, _MALFORMED):
        return Verdict("retry", "bad_http", detail, is_charged=True)
    if _is_any(links, _DROPPED):
        return Verdict("retry", "connection", detail, is_charged=not was_unsent(error))
    is_of_the_line = _is_any(links, (OSError,))
    if _is_any(links, (TimeoutError,)):
        within = "" if timeout_s is None else f" within {timeout_s:g} s (`timeout_s`)"
        return Verdict("retry", "timeout", f"no whole answer{within}", is_charged=True)
    reason = "connection" if is_of_the_line else "bad_http"
    return Verdict("retry", reason, detail, is_charged=True)


def _is_any(links: list[BaseException], kinds: tuple[type[BaseException], ...]) -> bool:
    return any(isinstance(link, kinds) for link in links)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it came of, first to last."""
    ids: set[int] = set()
    while error is not None and id(error) not in ids:
        ids.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
