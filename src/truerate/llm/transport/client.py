"""The HTTP side: one session of kept connections per endpoint, with no retries of its own.

It is aiohttp's, for importing the `openai` package took each step half a second of CPU, and a call through it three
times as long; what is sent and what comes back is the same.
"""

import asyncio
import os
import ssl
from functools import cache
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from truerate.config.models import OPENAI
from truerate.core.hiding import Hiding
from truerate.llm.transport.faults import judge_exception, was_unsent
from truerate.llm.transport.policy import Verdict, judge

HERE = "http://127.0.0.1:"  # where launched servers are
KEPT_S = 5.0  # that a connection which nobody uses stays open
LARGEST = (
    32 * 2**20
    # bytes of a reply, unpacked: the largest honest one, all log-probabilities of 8,000 tokens, has about 20
    # MB
)
# whom OpenAI bills, by the variables in which its own clients look; sent to no other endpoint
BILLED = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}


class TooLarge(Exception):
    """A reply of more than LARGEST bytes, whose rest was not read."""


class Client:
    """Sends bodies to the chat completions of one endpoint. It is made where an event loop runs."""

    def __init__(self, url: str, key: str, *, limit: int, timeout_s: float):
        self._timeout_s = timeout_s
        self._hiding = Hiding([key])
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=limit,
                keepalive_timeout=KEPT_S,
                ssl=_nobody() if url.startswith(HERE) else _trusted(),
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=min(10.0, timeout_s), sock_read=timeout_s),
            headers=_headers(url, key),
        )
        self.move(url)

    def move(self, url: str) -> None:
        """Send to another address from now on. A whole address is not joined anew for every call."""
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._proxy = proxy_for(url)

    async def send(self, body: bytes, *, accept_length: bool) -> Verdict:
        """The verdict on one call. `timeout_s` bounds the whole of it, a slow trickle included; no fault of a
        reply raises.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                response, said = await self._post(body)
        except TooLarge as error:
            return Verdict("dead", "too_large", str(error), is_charged=True)
        # what a broken server makes the packages below raise is no list that one could write down
        except Exception as error:
            return judge_exception(error, self._hiding.text)
        is_error = not 200 <= response.status < 300
        return judge(
            response.status,
            response.headers,
            self._hiding.body(said, is_error=is_error),
            accept_length=accept_length,
        )

    async def _post(self, body: bytes) -> tuple[aiohttp.ClientResponse, bytes]:
        """The response and its body; over a new connection where the kept one was closed before anything of the
        request went out.
        """
        try:
            return await self._post_once(body)
        except aiohttp.ClientConnectionError as error:
            if not was_unsent(error):
                raise
        return await self._post_once(body)

    async def _post_once(self, body: bytes) -> tuple[aiohttp.ClientResponse, bytes]:
        """The same over one connection. The body is unpacked piece by piece, for a small packed one can grow
        without end. Raises TooLarge.
        """
        parts, size = [], 0
        async with self._session.post(
            self._url, data=body, allow_redirects=False, proxy=self._proxy
        ) as response:
            async for part in response.content.iter_any():
                parts.append(part)
                if (size := size + len(part)) > LARGEST:
                    response.close()  # its connection: the rest is not waited for
                    raise TooLarge(f"more than {LARGEST:,} bytes")
        return response, b"".join(parts)

    async def close(self) -> None:
        """Close its connections."""
        await self._session.close()


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, but those of
    NO_PROXY); None where it names none. A server of this machine that the flow started has none.
    """
    host = _host(url)
    if not host or url.startswith(HERE) or proxy_bypass(host):
        return None
    named = getproxies()
    found = named.get(url.partition(":")[0].lower()) or named.get("all")
    return f"http://{found}" if found and "://" not in found else found


def _host(url: str) -> str | None:
    """The host of an address, None where it is none: sending to it says so."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _headers(url: str, key: str) -> dict[str, str]:
    sent = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "application/json",
    }
    billed = {name: os.environ.get(variable, "") for name, variable in BILLED.items()}
    is_openai = _host(url) == _host(OPENAI)
    return sent | {name: value for name, value in billed.items() if value and is_openai}


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted, read once: it takes 30 ms."""
    import httpx2

    return httpx2.create_ssl_context()


def _nobody() -> ssl.SSLContext:
    """No certificate is trusted, and none read, which spares each step about 19 ms of CPU: for servers of this machine,
    which show none.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
