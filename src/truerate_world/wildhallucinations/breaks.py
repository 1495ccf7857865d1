"""What breaks builds on the real web and at real models, planted on demand: the closed world's card of it, by
name.

The demo plants none of it (`serve` without `--breaks`), so that no row of a committed board moves. What is
planted hangs on addresses, names and how often they were asked, never on time: what holds once holds again. A
server plants what breaks the WEB; what MODELS do, and how entities are called, is part of the truth that a board
is held against: who asks for it hands it to world, models and truth alike (`broken_models`).
"""

# name -> what is planted under it
WEB = {
    "rate-limits": "a third of the queries, and of the pages, are refused once: 429 with Retry-After",
    "outages": "a run of searches breaks off, a fifth of the pages twice, or they answer 503; then all is well",
    "redirects": "half of the results lead to their page by two redirects, the first of them relative",
    "slow-pages": "a quarter of the pages take their time",
    "hidden-text": "half of the pages hold, unseen, a wrong fact and an order to who verifies",
    "long-pages": "a tenth of the pages stand among thousands of links and a long script",
}
MODELS = {
    "other-scripts": "one rare entity in six has its name in Greek, Cyrillic, Armenian, Georgian or Hangul letters",
    "long-replies": "whoever responds states 28 facts, of the entity and of what these name",
    "refusals": "whoever abstains does so in one of ten styles",
}
ALL = "all"


def parse_breaks(text: str) -> frozenset[str]:
    """Names of WEB joined by commas, `all` for all of them; empty for an empty text. ValueError with one line
    that says what is allowed.
    """
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if names == {ALL}:
        return frozenset(WEB)
    if unknown := sorted(names - WEB.keys()):
        raise ValueError(f"breaks {unknown[0]!r}: allowed are {ALL}, or, joined by commas, {', '.join(WEB)}")
    return names
