"""Hosts of addresses: which they are, and whether they are among those that settings name."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from yarl import URL

WIKIPEDIA = (
    ("wikipedia", "org"),
    ("wikipedia", "invalid"),
)  # .invalid is never on the web (RFC 2606): a simulated one uses it


def host_of(url: str) -> str:
    """The host of an address in lower case without a last dot; empty where there is none or it cannot be read."""
    try:
        return (URL(url).raw_host or "").lower().rstrip(".")
    except ValueError:
        return ""


def is_wikipedia(url: str) -> bool:
    """Whether an address is of Wikipedia, in any language."""
    return tuple(host_of(url).split(".")[-2:]) in WIKIPEDIA


def is_within(host: str, domains: Iterable[str]) -> bool:
    """Whether a host is one of the domains or below one; `netflix.com` is not within `x.com`."""
    return any(host == domain or host.endswith("." + domain) for domain in map(str.lower, domains))


def matches(host: str, patterns: Iterable[str]) -> bool:
    """Whether a host matches a shell-like pattern, as `*.invalid`."""
    return any(fnmatchcase(host, pattern.lower()) for pattern in patterns)
