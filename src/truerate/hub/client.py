"""The Hub's client for publishing: no Xet, no progress bars, and no waits without a limit."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
from huggingface_hub import constants, set_client_factory
from huggingface_hub.utils import (
    _http,
    are_progress_bars_disabled,
    disable_progress_bars,
    enable_progress_bars,
    parse_ratelimit_headers,
)

from truerate.core.retry import may_pass, seconds_asked

NEVER = (501, 505)  # of the answers of a server in trouble, those that will not be others next time
LOST = (httpx2.TimeoutException, httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ProxyError)
TIMEOUT = httpx2.Timeout(
    120, connect=20
)  # the client's own is none at all: a server that falls silent would hold it for ever


class Busy(Exception):
    """A call that may succeed when repeated; `wait`: seconds that the Hub asks for, None if it does not say."""

    def __init__(self, met: str, *, wait: float | None = None) -> None:
        super().__init__(met)
        self.wait = wait


@dataclass
class Traffic:
    """The number of objects that the Hub's store took: a retry that stores more makes progress."""

    n_stored: int = 0


class _Client(httpx2.Client):
    """A client whose transient failures raise `Busy`, so that the library's own unbounded retries never start."""

    def __init__(self, traffic: Traffic) -> None:
        super().__init__(
            event_hooks={"request": [_http.hf_request_event_hook]}, follow_redirects=True, timeout=TIMEOUT
        )
        self._traffic = traffic

    def send(self, request: httpx2.Request, **options) -> httpx2.Response:
        """The answer to a request; raises Busy where none comes or the Hub asks for patience."""
        request.extensions["timeout"] = TIMEOUT.as_dict()  # some calls of the library switch it off
        try:
            response = super().send(request, **options)
        except LOST as error:
            raise Busy(f"no answer from {_host(request)} ({type(error).__name__})") from error
        if met := _passing(request, response):
            wait = _asked_wait(response)
            response.close()
            raise Busy(met, wait=wait)
        if request.method == "PUT" and response.is_success:
            self._traffic.n_stored += 1
        return response


def _passing(request: httpx2.Request, response: httpx2.Response) -> str | None:
    """What makes an answer one that may differ next time, or None."""
    status = response.status_code
    is_moving = (
        status == 409 and "/commit/" in request.url.path
    )  # another commit is under way; whose, the head will tell
    if is_moving or (may_pass(status) and status not in NEVER):
        return f"{_host(request)} answers {status}"
    if status >= 400 and request.method in ("PUT", "POST") and "authorization" not in request.headers:
        # a signed address has expired, or not all of a file came through: a new one is asked for
        return f"the store answers {status}"
    if (
        response.is_closed
        and "json" in response.headers.get("content-type", "")
        and response.is_success
        and response.content
    ):
        try:
            json.loads(response.content)
        except ValueError:
            return f"{_host(request)} answers {status} with broken JSON"
    return None


def _host(request: httpx2.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode('ascii', 'replace')}"


def _asked_wait(response: httpx2.Response) -> float | None:
    """Seconds that a response asks to wait: its Retry-After, else the reset of an exhausted rate limit."""
    asked = seconds_asked(response.headers.get("retry-after"))
    if asked is not None:
        return asked
    limit = parse_ratelimit_headers(response.headers)
    return float(limit.reset_in_seconds) if limit and not limit.remaining else None


@contextmanager
def quiet_client() -> Iterator[Traffic]:
    """Within: transfers over plain LFS, no bars, passing failures as `Busy`; afterwards the library is as it
    was.

    Xet is switched off at run time because the library takes it wherever its package is installed, whether or
    not the server knows it.
    """
    before = constants.HF_HUB_DISABLE_XET, are_progress_bars_disabled(), _http._GLOBAL_CLIENT_FACTORY
    traffic = Traffic()
    constants.HF_HUB_DISABLE_XET = True
    disable_progress_bars()
    set_client_factory(lambda: _Client(traffic))
    try:
        yield traffic
    finally:
        constants.HF_HUB_DISABLE_XET = before[0]
        if not before[1]:
            enable_progress_bars()
        set_client_factory(before[2])
