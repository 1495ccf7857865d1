"""What a host's robots.txt allows (RFC 9309), read by Protego: wildcards, the longest rule, merged groups, Crawl-delay."""

import re

from protego import Protego

HOPS = 5  # redirects that are followed to a host's rules at least (RFC 9309, 2.3.1.2)
LARGEST = 512_000  # bytes of rules that are read at least (2.5); more is not asked for than a page may have
_AGENT = re.compile(
    r"^([^\S\r\n]*user[- ]?agent[^\S\r\n]*:[^\S\r\n]*)([^\r\n]*)", re.IGNORECASE | re.MULTILINE
)
_TOKEN = re.compile(r"[A-Za-z_-]+")


class Rules:
    """The rules of one host for one user agent. A body that is no text of rules allows everything."""

    def __init__(self, body: bytes, user_agent: str):
        self._token = product_token(user_agent)
        text = body.decode("utf-8", "replace").removeprefix("\ufeff")
        self._rules = Protego.parse(_AGENT.sub(self._whole_name, text))

    def _whole_name(self, line: re.Match[str]) -> str:
        """A line that names a group by its product token (2.2.1): ours also with a release behind it, and not another's
        that is only the beginning of ours, which Protego takes for a match.
        """
        name, ours = product_token(line[2]).lower(), self._token.lower()
        if name == ours:
            return line[1] + ours
        return f"{line[1]}/{line[2]}" if ours.startswith(name) else line[0]

    def allows(self, url: str) -> bool:
        """Whether an address may be asked: the longest rule that fits its path and query decides, Allow wins a tie."""
        return self._rules.can_fetch(url, self._token)

    @property
    def delay(self) -> float:
        """Seconds that the host asks for between two requests (Crawl-delay, no part of the RFC); 0 where it does not."""
        return max(0.0, self._rules.crawl_delay(self._token) or 0.0)


def product_token(user_agent: str) -> str:
    """The name by which groups of rules are found (RFC 9309, 2.2.1): the letters, `_` and `-` that a user agent
    begins with; `*` where it begins with none.
    """
    found = _TOKEN.match(user_agent.strip())
    return found[0] if found else "*"
