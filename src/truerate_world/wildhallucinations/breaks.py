"""What breaks builds on the real web, planted on demand: the closed world's card of it, by name.

The demo plants none of it (`serve` without `--breaks`), so that no row of a committed board moves. What is planted
hangs on addresses, names and how often they were asked, never on time: what holds once holds again.
"""

# name -> what is planted under it
WEB = {
    "rate-limits": "a third of the queries, and of the pages, are refused the first time: 429 with Retry-After",
    "outages": "a run of searches breaks off, and a fifth of the pages answer 503 or break off twice; then all is well",
    "redirects": "half of the results lead to their page by two redirects, the first of them relative",
    "slow-pages": "a quarter of the pages take their time",
    "hidden-text": "half of the pages hold, where no reader sees it, a wrong fact and an order to who verifies",
    "long-pages": "a tenth of the pages stand among thousands of links and a long script",
}
BREAKS = WEB
ALL = "all"


def parse_breaks(text: str) -> frozenset[str]:
    """Names of BREAKS joined by commas, `all` for all of them; empty for an empty text. ValueError with one line that
    says what is allowed.
    """
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if names == {ALL}:
        return frozenset(BREAKS)
    if unknown := sorted(names - BREAKS.keys()):
        raise ValueError(
            f"breaks {unknown[0]!r}: allowed are {ALL}, or, joined by commas, {', '.join(BREAKS)}"
        )
    return names
