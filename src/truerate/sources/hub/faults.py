"""What goes wrong between a source and the Hub: what is tried again, and the one line for what is not."""

import errno
import os
from collections.abc import Callable
from typing import TypeVar

from truerate.core.process.terminal import say_wait
from truerate.core.retry import Backoff, may_pass, seconds_asked

# The ceilings are waited whole, or what the Hub asks for where that is more, up to `longest`.
AGAIN = Backoff(tries=6, first=1.0, largest=8.0, longest=300.0)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OF_THE_CLIENT = (408, 429)  # of the answers that may pass, those after which the client itself tries again
# what the client falls over when an answer has another shape than it should
ODD = (LookupError, TypeError, AttributeError, ValueError)
INCOMPLETE = "Consistency check failed"  # the client's words for a file of another size

T = TypeVar("T")


def tried(work: Callable[[], T]) -> T:
    """Return the result of a call; repeat it, a bounded number of times, after a transient failure."""
    import httpx2
    from huggingface_hub.utils import _http

    for tried_so_far in range(1, AGAIN.tries):
        try:
            return work()
        except (httpx2.HTTPError, OSError, *ODD) as error:
            asked = _asked_wait(error)
            if not _is_passing(error) or AGAIN.is_too_long(asked):
                raise
            wait = max(AGAIN.ceiling(tried_so_far), asked)
            say_wait(wait, f"the Hub failed in what may pass ({type(error).__name__}); it is asked again")
        # by the clock of the client's own pauses: whoever takes those out takes out these
        _http.time.sleep(wait)
    return work()


def _is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed next time; what the client retries itself is not."""
    import httpx2
    from huggingface_hub import errors

    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        return may_pass(status) and status not in OF_THE_CLIENT
    if isinstance(error, errors.HFValidationError | errors.LocalEntryNotFoundError):
        return False
    is_lost = isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError, *ODD))
    return is_lost or INCOMPLETE in str(error)


def _asked_wait(error: BaseException) -> float:
    """Seconds that an answer asks to wait, by its Retry-After; 0 where it does not."""
    response = getattr(error, "response", None)
    return (seconds_asked(response.headers.get("retry-after")) if response is not None else None) or 0.0


def message_of(error: BaseException, repo: str) -> str:
    """What went wrong and what to do about it, in one line."""
    import httpx2
    from huggingface_hub import constants, errors

    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        return message_of(error.__cause__, repo)
    if isinstance(error, errors.HfHubHTTPError):
        return _answered(error, repo)
    if isinstance(error, errors.OfflineModeIsEnabled) or (
        isinstance(error, errors.LocalEntryNotFoundError) and constants.HF_HUB_OFFLINE
    ):
        advice = "unset that, run it once with a connection"
        return f"not all of it is here, and HF_HUB_OFFLINE forbids fetching it; {advice}"
    if isinstance(error, httpx2.HTTPError | ConnectionError):
        problem = f"no answer from {constants.ENDPOINT} ({type(error).__name__})"
        return f"{problem}; what came is kept: run it again once there is a connection"
    if isinstance(error, OSError) and error.errno in FULL:
        problem = f"writing below {constants.HF_HUB_CACHE!r}: {os.strerror(error.errno)}"
        return f"{problem}; make room there or name another folder in HF_HOME, then run it again"
    if INCOMPLETE in str(error):
        return "a file came incomplete; what came whole is kept: run it again"
    if isinstance(error, ODD) and not isinstance(error, errors.HFValidationError):
        what = f"the Hub's answer makes no sense ({type(error).__name__})"
        return f"{what}; what came is kept: run it again later"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _answered(error, repo: str) -> str:
    """The same of a reply that is an error. The Hub says of a private data set that there is none."""
    from huggingface_hub import constants, errors, get_token

    status, has_token = error.response.status_code, get_token() is not None
    if isinstance(error, errors.GatedRepoError):
        token_state = "the token in HF_TOKEN has no access yet" if has_token else "HF_TOKEN is not set"
        advice = f"ask for access at {constants.ENDPOINT}/datasets/{repo}"
        return (
            f"it is gated, and {token_state}; {advice} and set HF_TOKEN to a token of the account that has it"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return "there is no such commit; correct `revision`"
    if status in (401, 403, 404) or isinstance(error, errors.RepositoryNotFoundError):
        refused = "the token in HF_TOKEN is refused or may not read it"
        problem = f"not found, or private ({status}), and {refused if has_token else 'HF_TOKEN is not set'}"
        return f"{problem}; correct `repo`, or set HF_TOKEN to a token that may read it"
    return f"the Hub answers {status}; what came is kept: run it again later"
