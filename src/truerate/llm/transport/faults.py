"""What a call without an answer means: the exceptions of the HTTP packages, by the names of their classes."""

from collections.abc import Callable, Iterator

from truerate.llm.transport.policy import Verdict, short

# Names of exceptions in the chain below the client's own: its aiohttp transport reports a dropped connection
# as a timeout.
_UNREACHABLE = {
    "ConnectionTimeoutError", "ClientConnectorError", "ClientConnectorDNSError", "ConnectionRefusedError", "ConnectError", "ClientSSLError",
    "ClientConnectorSSLError", "ClientConnectorCertificateError", "ClientProxyConnectionError",
}  # fmt: skip
_TIMEOUT = {"TimeoutError", "APITimeoutError", "SocketTimeoutError", "ServerTimeoutError", "ReadTimeout"}
_DROPPED = {
    "ServerDisconnectedError",
    "ClientOSError",
    "ConnectionResetError",
    "ClientPayloadError",
    "ReadError",
    "RemoteProtocolError",
}
# A server that speaks, but no HTTP: bad status lines, headers, chunks, lengths and compressions.
_MALFORMED = {
    "ClientResponseError", "BadHttpMessage", "BadStatusLine", "InvalidHeader", "LineTooLong", "TransferEncodingError", "DecodingError",
    "ContentEncodingError", "InvalidURLError", "HttpProcessingError", "PayloadEncodingError", "InvalidURL", "UnicodeDecodeError",
}  # fmt: skip


_UNSENT = "Cannot write to closing transport"


def was_unsent(error: BaseException) -> bool:
    """Whether a kept connection was closed by the server before anything of the request went out, so that it
    may be sent once more.
    """
    return any(_UNSENT in str(link) for link in _causes(error))


def judge_exception(error: BaseException, hidden: Callable[[str], str] = str) -> Verdict:
    """The verdict on a call that raised. `unreachable`: no connection came about, so nothing can have been
    charged.

    `hidden` takes secrets out of the message. What is none of the known faults is a malformed reply: it was
    the reply that raised it.
    """
    links = list(_causes(error))
    names = {type(link).__name__ for link in links}
    said = str(next((link for link in reversed(links) if str(link)), error)) or type(error).__name__
    detail = short(hidden(said))
    if names & _UNREACHABLE:
        return Verdict("retry", "unreachable", detail)
    if names & _MALFORMED:
        return Verdict("retry", "bad_http", detail, is_charged=True)
    if names & _DROPPED:
        return Verdict("retry", "connection", detail, is_charged=not was_unsent(error))
    is_of_the_line = any(isinstance(link, OSError) for link in links)
    reason = "timeout" if names & _TIMEOUT else "connection" if is_of_the_line else "bad_http"
    return Verdict("retry", reason, detail, is_charged=True)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it came of, first to last."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
