"""The outcomes of a requested page, which of them may pass, and what the text of a page is worth."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from truerate.core.data_files import read_data
from truerate.core.retry import may_pass
from truerate.core.text import clean, n_words, spaced


class Outcome(StrEnum):
    """The closed list of outcomes; every page that is not `ok` is dropped with its outcome as the reason."""

    OK = "ok"
    STATUS = "status"  # the server said another status than 200
    LOGIN_HOST = "login-host"  # a host that shows pages to members alone
    SIGN_IN = "sign-in"  # the text asks to sign in
    ERROR_PAGE = "error-page"  # an error, a check of the browser or a wall of cookies, with status 200
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


# Errors of the address itself, by the beginning of their detail; every other is of the way to it or its
# server.
OF_ADDRESS = (
    "neither http nor https", "no address that can be read",
    "InvalidURL", "InvalidUrlClientError", "NonHttpUrlClientError", "ValueError", "Unicode",
)  # fmt: skip
RULES = "robots.txt: "  # begins the detail of a page that is not fetched because of its host's rules


@dataclass(frozen=True, slots=True)
class Page:
    """What came of fetching an address. `final_url` is where redirects ended, `body` is empty unless
    `outcome` is ok, `fetched` an ISO 8601 date, `sha256` that of the body, `charset` what the header named.
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
        """Whether what became of the page may pass: a timeout, no connection, a broken reply, a status of the
        moment; not a page that took too long to be read. Told by a row of the store, whichever release wrote
        it.
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
    """The main text of a page with its blocks on lines of their own, its title, the date (ISO 8601) and the
    Creative Commons licence (`CC BY-SA 4.0`) that it names for its content; None where it names none.
    """

    outcome: Outcome
    text: str = ""
    title: str = ""
    dated: str | None = None
    licence: str | None = None
    detail: str = ""


# ---- what a text is worth ----------------------------------------------------------------------------------
PATTERNS = read_data(Path(__file__).with_name("patterns.yaml"), dict)
SIGN_IN_WORDS = 120  # a longer text that mentions signing in has something else to say as well
ERROR_WORDS = 60  # likewise of errors and walls
_WALL_SHARE = (
    0.6  # of a wall's words stand in sentences that ask for consent; pages have a note at their foot
)


def pattern(name: str) -> re.Pattern[str]:
    """A list of patterns.yaml as one pattern, in any case."""
    return re.compile("|".join(PATTERNS[name]), re.IGNORECASE)


_IN_PLACE, _OF_CONSENT = pattern("in_place"), pattern("consent")


def _is_wall(text: str) -> bool:
    """Return whether a text asks for consent to cookies and says little else."""
    sentences = [spaced(part).split() for part in re.split(r"[.!?。！？।\n]+", text)]
    asking = sum(len(sentence) for sentence in sentences if _OF_CONSENT.search(" ".join(sentence)))
    return asking > 0 and asking >= _WALL_SHARE * sum(map(len, sentences))


def judged(
    text: str,
    title: str,
    dated: str | None,
    sign_in_phrases: Iterable[str] = (),
    *,
    licence: str | None = None,
) -> Text:
    """A text with its outcome: empty, asking to sign in, saying why there is no page, or ok."""
    if not text:
        return Text(Outcome.EMPTY, title=title)
    plain, n = f"{title} {text}".casefold(), n_words(text)
    phrases = (phrase for phrase in sign_in_phrases if phrase.casefold() in plain)
    if n <= SIGN_IN_WORDS and (phrase := next(phrases, None)) is not None:
        return Text(Outcome.SIGN_IN, title=title, detail=phrase)
    if n <= ERROR_WORDS:
        if match := _IN_PLACE.search(plain.replace("’", "'")):
            return Text(Outcome.ERROR_PAGE, title=title, detail=match[0])
        if _is_wall(text):
            return Text(Outcome.ERROR_PAGE, title=title, detail="cookies")
    return Text(Outcome.OK, text, title, dated, licence)


def tidy(text: str) -> str:
    """A text cleaned, with single spaces and line breaks."""
    lines = (" ".join(line.split()) for line in clean(text).splitlines())
    return "\n".join(line for line in lines if line)
