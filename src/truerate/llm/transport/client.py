"""The HTTP side: one `openai` client per endpoint, through its low-level `post`, with none of its own retries."""

import asyncio
import ssl
from functools import cache
from typing import Any

import httpx2

from truerate.core.hiding import Hiding
from truerate.llm.transport.faults import judge_exception, was_unsent
from truerate.llm.transport.openai_package import openai
from truerate.llm.transport.policy import judge
from truerate.llm.transport.verdict import Verdict

HERE = "http://127.0.0.1:"  # where launched servers are
LARGEST = (
    32 * 2**20
    # bytes of a reply, unpacked: the largest honest one, all log-probabilities of 8,000 tokens, has about 20
    # MB
)


class TooLarge(Exception):
    """A reply of more than LARGEST bytes, whose rest was not read."""


class _Bounded(openai.DefaultAioHttpClient):
    """The package's own client, which stops reading where a reply passes LARGEST bytes: a small packed one
    can grow without end.
    """

    async def send(self, request: httpx2.Request, *, stream: bool = False, **given: Any) -> httpx2.Response:
        """The whole response, its body unpacked, of an error its beginning alone. Raises TooLarge for a reply."""
        response = await super().send(request, stream=True, **given)
        parts, size = [], 0
        try:
            async for part in response.aiter_bytes():
                parts.append(part)
                if (size := size + len(part)) > LARGEST:
                    if response.is_success:
                        raise TooLarge(f"more than {LARGEST:,} bytes")
                    break  # an error page says what it has to say at its beginning
        finally:
            await response.aclose()
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in _OF_THE_WIRE
        ]
        return httpx2.Response(
            response.status_code, headers=headers, content=b"".join(parts), request=response.request
        )


_OF_THE_WIRE = frozenset(
    {"content-encoding", "content-length", "transfer-encoding"}
)  # no longer true of a body that was unpacked


class Client:
    """Sends bodies to the chat completions of one endpoint."""

    def __init__(self, url: str, key: str, *, limit: int, timeout_s: float):
        limits = httpx2.Limits(max_connections=limit, max_keepalive_connections=limit)
        self._timeout_s = timeout_s
        self._hiding = Hiding([key])
        self._openai = openai.AsyncOpenAI(
            base_url=url,
            api_key=key,
            max_retries=0,
            timeout=httpx2.Timeout(timeout_s, connect=min(10.0, timeout_s), pool=None),
            http_client=_Bounded(
                follow_redirects=False,
                limits=limits,
                verify=_nobody() if url.startswith(HERE) else _trusted(),
            ),
        )
        self.move(url)

    def move(self, url: str) -> None:
        """Send to another address from now on. A whole address is not joined anew for every call."""
        self._url = f"{url.rstrip('/')}/chat/completions"

    async def send(self, body: bytes, *, accept_length: bool) -> Verdict:
        """The verdict on one call. `timeout_s` bounds the whole of it, a slow trickle included; no fault of a
        reply raises.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._post(body)
        except openai.APIStatusError as error:
            response = error.response
        except TooLarge as error:
            return Verdict("dead", "too_large", str(error), is_charged=True)
        # what a broken server makes the packages below raise is no list that one could write down
        except Exception as error:
            return judge_exception(error, self._hiding.text, timeout_s=self._timeout_s)
        said = self._hiding.body(response.content, is_error=not response.is_success)
        return judge(response.status_code, response.headers, said, accept_length=accept_length)

    async def _post(self, body: bytes) -> httpx2.Response:
        """The response; over a new connection where the kept one was closed before anything of the request
        went out.
        """
        try:
            return await self._post_once(body)
        except openai.APIConnectionError as error:
            if not was_unsent(error):
                raise
        return await self._post_once(body)

    async def _post_once(self, body: bytes) -> httpx2.Response:
        return await self._openai.post(self._url, content=body, cast_to=httpx2.Response)

    async def close(self) -> None:
        """Close its connections."""
        await self._openai.close()


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted, read once: it takes 30 ms."""
    return httpx2.create_ssl_context()


def _nobody() -> ssl.SSLContext:
    """No certificate is trusted, and none read, which spares each step about 19 ms of CPU: for servers of this machine,
    which show none.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
