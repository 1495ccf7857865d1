"""The HTTP side: one `openai` client per endpoint, through its low-level `post`, with none of its own retries."""

import asyncio
import ssl
from functools import cache

import httpx2
import openai

from truerate.llm.policy import Verdict, judge, judge_exception

# Headers that no endpoint needs: most say what machine this is, and each costs a hundredth of a call.
_MACHINE = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
_ALWAYS = {name: openai.Omit() for name in (*(f"X-Stainless-{part}" for part in _MACHINE), "Accept", "User-Agent")}
_PER_CALL = {f"X-Stainless-{part}": openai.Omit() for part in ("Retry-Count", "Read-Timeout")}
HERE = "http://127.0.0.1:"  # where launched servers are


class Client:
    """Sends bodies to the chat completions of one endpoint."""

    def __init__(self, url: str, key: str, *, limit: int, timeout_s: float):
        limits = httpx2.Limits(max_connections=limit, max_keepalive_connections=limit)
        self._timeout_s = timeout_s
        self._openai = openai.AsyncOpenAI(
            base_url=url,
            api_key=key,
            max_retries=0,
            timeout=httpx2.Timeout(timeout_s, connect=min(10.0, timeout_s), pool=None),
            http_client=openai.DefaultAioHttpClient(limits=limits, verify=_nobody() if url.startswith(HERE) else _trusted()),
            default_headers=_ALWAYS,
        )
        # A fixed idempotency key spares the making of one per call; the client sends it to nobody.
        self._options = {"headers": _PER_CALL, "idempotency_key": "none"}
        self.move(url)

    def move(self, url: str) -> None:
        """Send to another address from now on. A whole address is not joined anew for every call."""
        self._url = f"{url.rstrip('/')}/chat/completions"

    async def send(self, body: bytes, *, accept_length: bool) -> Verdict:
        """The verdict on one call. `timeout_s` bounds the whole of it, a slow trickle included."""
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._openai.post(self._url, content=body, options=self._options, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            return judge(error.status_code, error.response.headers, error.response.content)
        except (openai.OpenAIError, TimeoutError, httpx2.HTTPError, OSError) as error:
            return judge_exception(error)
        return judge(response.status_code, response.headers, response.content, accept_length=accept_length)

    async def close(self) -> None:
        """Close its connections."""
        await self._openai.close()


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted, read once: it takes 30 ms."""
    return httpx2.create_ssl_context()


def _nobody() -> ssl.SSLContext:
    """No certificate is trusted, and none read: for servers of this machine, which show none."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
