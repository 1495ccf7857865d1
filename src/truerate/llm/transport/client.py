"""The HTTP side: one `openai` client per endpoint with none of its own retries; what a call without an answer
means is decided by the classes of the exceptions that it raises.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cache

import aiohttp
import httpx2
import openai
from aiohttp.http_exceptions import HttpProcessingError

from truerate.core.redaction import Redactor
from truerate.llm.transport.apis import Api
from truerate.llm.transport.policy import judge
from truerate.llm.transport.verdict import Verdict, short

# bytes of a reply, unpacked: the largest honest one, all log-probabilities of 8,000 tokens, has about 20 MB
LARGEST = 32 * 2**20
ERROR_BYTES = 2**16  # of an error page, which says what it has to say at its beginning
# Looked for in the chain below the client's own exception, in this order: its aiohttp transport reports a
# dropped connection as a timeout. Names, certificates and proxies that fail are kinds of
# ClientConnectorError.
_UNREACHABLE = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    httpx2.ConnectError,
    ConnectionRefusedError,
)
# A server that speaks, but no HTTP: bad status lines, headers, chunks, lengths and compressions.
_MALFORMED = (
    HttpProcessingError,
    aiohttp.ClientResponseError,
    aiohttp.InvalidURL,
    httpx2.DecodingError,
    httpx2.InvalidURL,
    UnicodeDecodeError,
)
_DROPPED = (
    aiohttp.ServerDisconnectedError,
    aiohttp.ClientOSError,
    aiohttp.ClientPayloadError,
    httpx2.ReadError,
    httpx2.RemoteProtocolError,
    ConnectionResetError,
)
_TIMEOUT = (TimeoutError, openai.APITimeoutError, httpx2.ReadTimeout)  # aiohttp's are TimeoutErrors too

_UNSENT = "Cannot write to closing transport"


@cache
def certificates() -> ssl.SSLContext:
    """The trusted certificates, which take 30 ms to read: once per process."""
    return httpx2.create_ssl_context()


class TooLarge(Exception):
    """A reply of more than LARGEST bytes, whose rest was not read."""


class Client:
    """Sends requests to the chat completions of one endpoint, and what else is asked of it (`opened`).

    The `openai` client makes the headers and its aiohttp client sends; its `post` alone, which makes headers,
    address and options anew for each call, takes twice the time of all that is done here.
    """

    def __init__(self, url: str, key: str, *, limit: int, timeout_s: float, api: str = "openai"):
        self.timeout_s = timeout_s
        self._redactor = Redactor([key])
        self.api = Api.of(api)
        timeout = httpx2.Timeout(timeout_s, connect=min(10.0, timeout_s), pool=None)
        self._http = openai.DefaultAioHttpClient(
            follow_redirects=False,
            verify=certificates(),
            limits=httpx2.Limits(max_connections=limit, max_keepalive_connections=limit),
        )
        client = openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0, http_client=self._http)
        headers = {**client.default_headers, **(self.api.headers(key) or client.auth_headers)}
        self._headers = httpx2.Headers({k: text for k, text in headers.items() if isinstance(text, str)})
        self._options = {"timeout": timeout.as_dict()}
        self.move(url)

    def move(self, url: str) -> None:
        """Send to another address from now on. The address is not parsed anew for every call."""
        self._base = url.rstrip("/")
        self._urls = dict[str, httpx2.URL]()

    @asynccontextmanager
    async def opened(
        self, method: str, path: str, body: bytes | None = None, *, kind: str = "application/json"
    ) -> AsyncIterator[httpx2.Response]:
        """The response of another call below the address, whose body is not read yet; raises what the
        transport raises.
        """
        request = httpx2.Request(
            method,
            f"{self._base}{path}",
            headers={**self._headers, "content-type": kind},
            content=body,
            extensions=self._options,
        )
        response = await self._http.send(request, stream=True)
        try:
            yield response
        finally:
            await response.aclose()

    def failure(self, error: Exception) -> Verdict:
        """The verdict on a call of `opened` that raised."""
        return judge_exception(error, self._redactor.text, timeout_s=self.timeout_s)

    def redacted(self, body: bytes, *, is_error: bool = False) -> bytes:
        """A body without the endpoint's key."""
        return self._redactor.body(body, is_error=is_error)

    async def send(self, body: bytes, *, model: str, accept_length: bool) -> Verdict:
        """The verdict on one call with a request to this model, in OpenAI's protocol; `timeout_s` bounds the
        whole of it, and no fault of a reply raises.
        """
        if model not in self._urls:
            self._urls[model] = httpx2.URL(f"{self._base}{self.api.path(model)}")
        try:
            async with asyncio.timeout(self.timeout_s):
                response, reply = await self._post(self._urls[model], self.api.body(body))
        except TooLarge as error:
            return Verdict("dead", "too_large", str(error), is_charged=True)
        # what a broken server makes the packages below raise is no list that one could write down
        except Exception as error:
            return self.failure(error)
        reply = self.redacted(reply, is_error=not response.is_success)
        reply = self.api.reply(reply) if response.is_success else reply
        return judge(response.status_code, response.headers, reply, accept_length=accept_length)

    async def _post(self, url: httpx2.URL, body: bytes) -> tuple[httpx2.Response, bytes]:
        """The response and its body; over a new connection if a kept one was closed unused."""
        try:
            return await self._post_once(url, body)
        except (httpx2.TransportError, aiohttp.ClientError) as error:
            if not was_unsent(error):
                raise
        return await self._post_once(url, body)

    async def _post_once(self, url: httpx2.URL, body: bytes) -> tuple[httpx2.Response, bytes]:
        """The response and its body, unpacked, of an error its beginning alone. Raises TooLarge for a reply:
        a small packed one can grow without end.
        """
        request = httpx2.Request("POST", url, headers=self._headers, content=body, extensions=self._options)
        response = await self._http.send(request, stream=True)
        parts, size, most = [], 0, LARGEST if response.is_success else ERROR_BYTES
        try:
            async for part in response.aiter_bytes():
                parts.append(part)
                if (size := size + len(part)) > most:
                    if response.is_success:
                        raise TooLarge(f"more than {LARGEST:,} bytes")
                    break
        finally:
            await response.aclose()
        return response, b"".join(parts)

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()


def was_unsent(error: BaseException) -> bool:
    """Return whether the server closed a kept connection before the request went out, so that it may be sent
    once more.
    """
    return any(_UNSENT in str(link) for link in _causes(error))


def judge_exception(
    error: BaseException, hidden: Callable[[str], str] = str, *, timeout_s: float | None = None
) -> Verdict:
    """The verdict on a call that raised; free without a connection. `hidden` redacts secrets."""
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
    if _is_any(links, _TIMEOUT):
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
