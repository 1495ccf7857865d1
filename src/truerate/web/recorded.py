"""Results of searches that somebody recorded, and the fields of one result.

A recorded file has one JSON object per line: `query`, and `items` as the search gives them (`link`, `title`,
`snippet`). An item may carry its page, which is then not fetched: `html` or extracted `text`, and
`final_url`.
"""

from collections.abc import Container, Iterable
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.lenient import loads
from truerate.core.text import clean

FIELDS = ("link", "title", "snippet", "html", "text", "final_url")


def result(item: object) -> dict | None:
    """The fields of one result, cleaned; None where it has no link."""
    if not isinstance(item, dict) or not isinstance(item.get("link"), str) or not item["link"].strip():
        return None
    texts = {name: item[name] for name in FIELDS if isinstance(item.get(name), str)}
    fields = {name: text if name == "html" else clean(text) for name, text in texts.items()}
    return fields | {"link": clean(item["link"]).strip()}


def plain(query: str) -> str:
    """A query as recorded ones are compared: without case, with single blanks."""
    return " ".join(query.casefold().split())


def recorded(path: str, queries: Iterable[str]) -> dict[str, list[dict]]:
    """Return the recorded results of these queries, by query as `plain` has it; of one recorded twice the
    latter.

    The file is read line by line: pages of other queries are never in memory together. Raises TruerateError
    with the line that cannot be read.
    """
    wanted, by_query = {plain(query) for query in queries}, {}
    try:
        with Path(path).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip() and (results := _read(line, wanted, where=f"{path!r}: line {number}")):
                    by_query |= results
    except OSError as error:
        advice = "correct search.recorded in params.yaml"
        raise SourceError(f"reading recorded searches {path!r}: {error.strerror}; {advice}") from None
    return by_query


def _read(line: bytes, wanted: Container[str], *, where: str) -> dict[str, list[dict]]:
    """One line: its results by query; nothing of a query that is not wanted."""
    try:
        row = loads(line)
        query, items = plain(clean(row["query"])), row["items"]
        results = [entry for item in items if (entry := result(item))] if query in wanted else list(items)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        problem = "is no object with `query` and `items`"
        raise SourceError(f"reading recorded searches {where} {problem}") from None
    return {query: results} if query in wanted else {}
