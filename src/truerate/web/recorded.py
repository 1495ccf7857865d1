"""Results of searches that somebody recorded, and the fields of one result.

A recorded file has one JSON object per line: `query`, and `items` as the search would have given them
(`link`, `title`, `snippet`). An item may carry its page: `html` (as fetched) or `text` (as extracted), with
`final_url` where redirects ended; such a page is not fetched.
"""

from pathlib import Path

import orjson

from truerate.core.errors import SourceError
from truerate.core.text import clean

FIELDS = ("link", "title", "snippet", "html", "text", "final_url")


def result(item: object) -> dict | None:
    """The fields of one result, cleaned; None where it has no link."""
    if not isinstance(item, dict) or not isinstance(item.get("link"), str) or not item["link"].strip():
        return None
    texts = {name: item[name] for name in FIELDS if isinstance(item.get(name), str)}
    return {name: text if name == "html" else clean(text) for name, text in texts.items()} | {
        "link": clean(item["link"]).strip()
    }


def recorded(path: str) -> dict[str, list[dict]]:
    """The recorded results by query. Raises TruerateError with the line that cannot be read."""
    by_query: dict[str, list[dict]] = {}
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise SourceError(
            f"reading recorded searches {path!r}: {error.strerror}; correct search.recorded in params.yaml"
        ) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            query, items = row["query"], row["items"]
            by_query[clean(query)] = [entry for item in items if (entry := result(item))]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise SourceError(
                f"reading recorded searches {path!r}: line {number} is no object with `query` and `items`"
            ) from None
    return by_query
