"""The Hub's client for publishing: no Xet, no progress bars, bounded retries, one line for a failure."""

import errno
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import httpx2
from huggingface_hub import constants, set_client_factory
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import (
    _http,
    are_progress_bars_disabled,
    disable_progress_bars,
    enable_progress_bars,
    parse_ratelimit_headers,
)

from truerate.core.errors import EndpointError, SettingsError, TruerateError
from truerate.core.process.terminal import announced_wait, say_wait
from truerate.core.retry import Backoff, may_pass, seconds_asked

NEVER = (501, 505)  # of the answers of a server in trouble, those that will not be others next time
LOST = (httpx2.TimeoutException, httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ProxyError)
# the client's own is none at all
TIMEOUT = httpx2.Timeout(120, connect=20)
BACKOFF = Backoff(tries=6, first=1.0, largest=30.0, longest=300.0)  # a longer wait is for the user to know of
ODD = (LookupError, TypeError)  # what the client raises when an answer has another shape than it should
T = TypeVar("T")


class Busy(Exception):
    """A call that may succeed when repeated; `wait`: the seconds that the Hub asks for, if it does."""

    def __init__(self, met: str, *, wait: float | None = None) -> None:
        super().__init__(met)
        self.wait = wait


# RuntimeError wraps a failed upload
FAILURES = (Busy, httpx2.HTTPError, httpx2.InvalidURL, OSError, RuntimeError, ValueError, *ODD)


@dataclass
class Traffic:
    """The number of objects that the Hub's store took: a retry that stores more makes progress."""

    n_stored: int = 0


class _Client(httpx2.Client):
    """A client whose transient failures raise `Busy`: the library's own unbounded retries never start."""

    def __init__(self, traffic: Traffic) -> None:
        hooks = {"request": [_http.hf_request_event_hook]}
        super().__init__(event_hooks=hooks, follow_redirects=True, timeout=TIMEOUT)
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
    """Return what makes an answer one that may differ next time, or None."""
    status, host = response.status_code, _host(request)
    # another commit is under way; whose, the head will tell
    is_moving = status == 409 and "/commit/" in request.url.path
    if is_moving or (may_pass(status) and status not in NEVER):
        return f"{host} answers {status}"
    if status >= 400 and request.method in ("PUT", "POST") and "authorization" not in request.headers:
        # a signed address has expired, or not all of a file came through: a new one is asked for
        return f"the store answers {status}"
    is_json = "json" in response.headers.get("content-type", "")
    if is_json and response.is_closed and response.is_success and response.content:
        try:
            json.loads(response.content)
        except ValueError:
            return f"{host} answers {status} with broken JSON"
    return None


def _host(request: httpx2.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode('ascii', 'replace')}"


def _asked_wait(response: httpx2.Response) -> float | None:
    """Seconds that a response asks to wait: its Retry-After, else the reset of an exhausted rate limit."""
    asked = seconds_asked(response.headers.get("retry-after"))
    limit = parse_ratelimit_headers(response.headers)
    if asked is None and limit and not limit.remaining:
        return float(limit.reset_in_seconds)
    return asked


@contextmanager
def quiet_client() -> Iterator[Traffic]:
    """A context with transfers over plain LFS, no bars, transient failures as `Busy`; afterwards the library
    is as it was.

    Xet is switched off at run time: the library takes it wherever its package is installed, also for servers
    without it.
    """
    has_no_xet, has_no_bars = constants.HF_HUB_DISABLE_XET, are_progress_bars_disabled()
    factory, traffic = _http._GLOBAL_CLIENT_FACTORY, Traffic()
    constants.HF_HUB_DISABLE_XET = True
    disable_progress_bars()
    set_client_factory(lambda: _Client(traffic))
    try:
        yield traffic
    finally:
        constants.HF_HUB_DISABLE_XET = has_no_xet
        if not has_no_bars:
            enable_progress_bars()
        set_client_factory(factory)


# ---- retries -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Retries:
    """Retries of calls that fail in passing: at most `BACKOFF.tries` times in a row, after a random wait (full
    jitter) or the one asked for; long calls and waits say what they are for. `pause` takes seconds.

    `progress` is a value that changes when a failed call got something done; then the count starts afresh.
    """

    pause: Callable[[float], None] = time.sleep
    progress: Callable[[], int] = int
    chance: random.Random = field(default_factory=random.Random)

    def call(self, doing: str, work: Callable[[], T]) -> T:
        """Return the result of `work`. Raises TruerateError that begins with `doing` if it fails."""
        tried, done = 0, self.progress()
        while True:
            try:
                with announced_wait(doing):
                    return work()
            except FAILURES as error:
                busy = _cause(error, Busy)
                if busy is None and isinstance(error, ODD):
                    busy = Busy(f"the Hub's answer makes no sense ({type(error).__name__})")
                if busy is None:
                    raise refusal(doing, error) from None
            tried, done = (1 if self.progress() != done else tried + 1), self.progress()
            if busy.wait is not None and BACKOFF.is_too_long(busy.wait):
                until = datetime.now(UTC) + timedelta(seconds=busy.wait)
                advice = f"run it again after {until:%Y-%m-%d %H:%M} UTC"
                raise EndpointError(f"{doing}: the Hub asks to wait {busy.wait:.0f} s; {advice}")
            if BACKOFF.is_spent(tried):
                advice = "check HF_ENDPOINT and the network, then run it again"
                problem = f"gave up after {tried} tries: {busy}; {advice}"
                raise EndpointError(f"{doing}: {problem}: what has been uploaded is not sent twice")
            wait = BACKOFF.wait(tried, busy.wait, self.chance)
            say_wait(wait, f"{doing}: {busy}")
            self.pause(wait)


def refusal(doing: str, error: BaseException) -> TruerateError:
    """A failure that no second try would mend, in one line that says what to do."""
    full = (errno.ENOSPC, errno.EDQUOT)
    disk = next((cause for cause in _causes(error) if getattr(cause, "errno", None) in full), None)
    if isinstance(disk, OSError):
        where = _line(disk.filename or "temporary files")
        return TruerateError(f"{doing}: {disk.strerror} ({where}); make room and run it again")
    if _cause(error, OfflineModeIsEnabled):
        return SettingsError(f"{doing}: HF_HUB_OFFLINE is set; unset it to reach the Hub")
    if answer := _cause(error, HfHubHTTPError):
        return EndpointError(f"{doing}: {_refused(answer)}")
    if _cause(error, HFValidationError):
        return EndpointError(f"{doing}: the Hub takes no such name: {_line(error)}")
    what = getattr(error, "strerror", None) or error
    where = f" ({_line(error.filename)})" if isinstance(error, OSError) and error.filename else ""
    return EndpointError(f"{doing}: {type(error).__name__}: {_line(what)}{where}")


def _refused(answer: HfHubHTTPError) -> str:
    """Return what an answer of the Hub means for the user."""
    status, reason = answer.response.status_code, _line(answer.server_message or "no reason given")
    if isinstance(answer, GatedRepoError):
        return f"the repository is gated and this token was not let in ({reason}); ask its owner for access"
    if status == 401 and answer.response.headers.get("x-error-code") != "RepoNotFound":
        advice = "set HF_TOKEN to a valid one or run `hf auth login`"
        return f"the Hub does not know this token (401: {reason}); {advice}"
    if isinstance(answer, RepositoryNotFoundError):
        why = "it is private and somebody else's, or was deleted"
        return f"the Hub shows no such repository to this token: {why}; name another one by --to"
    if status == 403:
        advice = "use one with write permission for the organisation, or another --to"
        return f"this token may not write there (403: {reason}); {advice}"
    return f"the Hub refuses it ({status}: {reason})"


def _cause(error: BaseException | None, kind: type[T]) -> T | None:
    """The first of that kind in a chain of causes: the library wraps what failed in its upload threads."""
    return next((cause for cause in _causes(error) if isinstance(cause, kind)), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _line(text: object) -> str:
    """Words of a server as one short line without control characters."""
    shown = "".join(c for c in " ".join(str(text).split()) if c.isprintable())
    return shown if len(shown) <= 200 else f"{shown[:199]}…"
