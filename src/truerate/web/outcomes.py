"""What can become of a page that was looked for, and what a fetched one holds."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The closed list of outcomes; every page that is not `ok` is dropped with its outcome as the reason."""

    OK = "ok"
    STATUS = "status"  # the server said another status than 200
    LOGIN_HOST = "login-host"  # a host that shows pages to members alone
    SIGN_IN = "sign-in"  # the text asks to sign in
    TOO_LARGE = "too-large"
    TIMEOUT = "timeout"
    REDIRECTS = "redirects"  # too many, in a circle, or to nowhere
    REFUSED_ADDRESS = "refused-address"  # private, loopback, link-local or reserved
    ROBOTS = "robots"  # robots.txt disallows it
    NOT_HTML = "not-html"
    UNDECODABLE = "undecodable"
    EMPTY = "empty"
    DUPLICATE = "duplicate"  # another page of the same entity has the same text
    ERROR = "error"  # no connection, a broken reply, an address that is none


@dataclass(frozen=True, slots=True)
class Page:
    """What came of fetching an address. `final_url` is where redirects ended; `body` is empty unless `outcome` is ok.

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


@dataclass(frozen=True, slots=True)
class Text:
    """What a page says: its main text with the blocks on lines of their own, its title, and its own date (ISO 8601) where it names one.

    `licence` is the Creative Commons licence under which the page puts its main content, as in `CC BY-SA 4.0`; None where it names none.
    """

    outcome: Outcome
    text: str = ""
    title: str = ""
    dated: str | None = None
    licence: str | None = None
    detail: str = ""
