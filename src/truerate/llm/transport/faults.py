"""What a call without an answer means: the exceptions of the HTTP packages, by their classes."""

from collections.abc import Callable, Iterator

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from truerate.llm.transport.verdict import Verdict, short

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
    said = str(next((link for link in reversed(links) if str(link)), error))
    said = said or f"the connection raised {type(error).__name__}, without a word"
    detail = short(hidden(said))
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
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
