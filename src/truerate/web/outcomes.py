"""What can become of a page that was looked for, which of it passes with time, and what a fetched page holds."""

import re
from dataclasses import dataclass
from enum import StrEnum

from truerate.core.retry import may_pass


class Outcome(StrEnum):
    """The closed list of outcomes; every page that is not `ok` is dropped with its outcome as the reason."""

    OK = "ok"
    STATUS = "status"  # the server said another status than 200
    LOGIN_HOST = "login-host"  # a host that shows pages to members alone
    SIGN_IN = "sign-in"  # the text asks to sign in
    ERROR_PAGE = (
        "error-page"  # the text is an error, a check of the browser or a wall of cookies, with status 200
    )
    TOO_LARGE = "too-large"
    TIMEOUT = "timeout"  # it did not come, or could not be read, within its limit of time
    REDIRECTS = "redirects"  # too many, in a circle, or to nowhere
    REFUSED_ADDRESS = "refused-address"  # private, loopback, link-local or reserved
    ROBOTS = "robots"  # robots.txt disallows it
    NOT_HTML = "not-html"
    UNDECODABLE = "undecodable"
    EMPTY = "empty"
    DUPLICATE = "duplicate"  # another page of the same entity has the same text
    ERROR = "error"  # no connection, a broken reply, an address that is none


# Errors of the address itself, by the beginning of their detail; every other error is of the way to it, or of
# who stands there now.
OF_ADDRESS = (
    "neither http nor https", "no address that can be read",
    "InvalidURL", "InvalidUrlClientError", "NonHttpUrlClientError", "ValueError", "Unicode",
)  # fmt: skip
RULES = (
    "robots.txt: "  # begins the detail of a page that is not asked because of what became of its host's rules
)


@dataclass(frozen=True, slots=True)
class Page:
    """What came of fetching an address. `final_url` is where redirects ended; `body` is empty unless
    `outcome` is ok.

    `fetched` is an ISO 8601 date, `sha256` that of the body, `charset` what the header named.
    """

    url: str
    outcome: Outcome
    detail: str = ""
    final_url: str = ""
    status: int | None = None
    content_type: str = ""
    charset: str | None = None
    body: bytes = b""
    fetched: str = ""
    sha256: str = ""

    @property
    def is_transient(self) -> bool:
        """Whether what became of the page may pass: a timeout, no connection, a broken reply, or a status of
        the moment.

        Read from what a row of the store holds, whichever release wrote it. A page that took too long to be
        read is not one of these.
        """
        detail = self.detail.removeprefix(RULES)
        match self.outcome:
            case Outcome.TIMEOUT:
                return self.status is None
            case Outcome.ERROR:
                return not detail.startswith(OF_ADDRESS)
            case Outcome.STATUS:
                return may_pass(self.status)
            case Outcome.ROBOTS:
                status = re.match(r"\d{3}\b", detail)
                return status is not None and may_pass(int(status[0]))
        return False


@dataclass(frozen=True, slots=True)
class Text:
    """What a page says: its main text with the blocks on lines of their own, its title, and its own date (ISO
    8601) where it names one.

    `licence` is the Creative Commons licence under which the page puts its main content, as in `CC BY-SA
    4.0`; None where it names none.
    """

    outcome: Outcome
    text: str = ""
    title: str = ""
    dated: str | None = None
    licence: str | None = None
    detail: str = ""
