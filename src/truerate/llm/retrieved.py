"""What a retrieving model was given, as its server tells it beside the reply: citations, search results,
results of tools that the server itself ran. Servers differ in form, so what is kept is raw, and read here
alone.

Known forms: `annotations` of a message (OpenAI's `url_citation`), `citations` and `search_results` of a body
(Perplexity), `context` (Azure's own data), `executed_tools` (Groq). Any mapping in them that holds an address
is a result, and so is an address by itself. Calls of tools that the client would run hold queries, and no
result.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

FIELDS = ("annotations", "citations", "search_results", "context", "executed_tools")
MOST, LONGEST, DEEPEST = 100, 4000, 12  # results of a reply, characters of a text, levels of what is read
_ADDRESSES, _TEXTS = ("url", "link", "uri"), ("content", "snippet", "text")


def kept(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a reply's body, choice and message the store keeps of it: FIELDS that hold something,
    the first of a name.
    """
    fields: dict[str, Any] = {}
    for part in reversed(parts):
        fields |= {name: part[name] for name in FIELDS if part.get(name) and _is_writable(part[name])}
    return fields


def _is_writable(value: Any) -> bool:
    """Return whether a value can be kept: broken text must not cost what else stands beside a reply."""
    try:
        orjson.dumps(value)
    except TypeError:
        return False
    return True


def results(beside: Mapping[str, Any]) -> list[dict[str, str]]:
    """The stored results: `url`, `title`, `text` (may be empty), each address once, at most MOST."""
    result_by_url: dict[str, dict[str, str]] = {}
    for url, title, text in _walk([beside.get(name) for name in FIELDS], 0):
        if url not in result_by_url and len(result_by_url) == MOST:
            continue
        result = result_by_url.setdefault(url, {"url": url, "title": "", "text": ""})
        result["title"] = result["title"] or title
        result["text"] = max(result["text"], text[:LONGEST], key=len)
    return list(result_by_url.values())


def written(beside: Mapping[str, Any]) -> str | None:
    """The results as JSON, for a Generation row's attribute `retrieved`; None if there are none."""
    if beside.keys().isdisjoint(FIELDS):
        return None
    return orjson.dumps(found_results).decode() if (found_results := results(beside)) else None


def read(text: str | None) -> list[dict[str, str]]:
    """The results that `written` wrote."""
    return orjson.loads(text) if text else []


def _walk(value: Any, depth: int) -> Iterator[tuple[str, str, str]]:
    """Address, title and text of every result in a value."""
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        if _is_address(value):
            yield value, "", ""
    elif isinstance(value, list):
        for element in value:
            yield from _walk(element, depth + 1)
    elif isinstance(value, dict):
        url = next((value[name] for name in _ADDRESSES if _is_address(value.get(name))), None)
        if url is not None:
            yield url, _text(value, ("title",)), _text(value, _TEXTS)
        yield from _walk([element for element in value.values() if isinstance(element, list | dict)], depth)


def _is_address(value: object) -> bool:
    return (
        isinstance(value, str)
        and value.startswith(("http://", "https://"))
        and not any(map(str.isspace, value))
    )


def _text(value: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((value[name] for name in names if isinstance(value.get(name), str)), "")
