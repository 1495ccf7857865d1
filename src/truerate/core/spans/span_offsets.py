"""Where a span stands in a text by its offsets, whatever these count: Unicode code points, UTF-16 units
(browsers, Label Studio) or bytes of UTF-8. The span's own text, where it is given, decides.
"""

from collections.abc import Callable, Mapping
from typing import Any

from truerate.core.text import clean, find_span

CODE_POINTS = "code points"
Bounds = tuple[int, int]


def _code_points(text: str, start: int, end: int) -> Bounds | None:
    return (start, end) if 0 <= start < end <= len(text) else None


def _encoded(encoding: str, size: int) -> Callable[[str, int, int], Bounds | None]:
    """A reader of offsets in units of `size` bytes of an encoding; None beyond the text or in a character."""

    def bounds(text: str, start: int, end: int) -> Bounds | None:
        units = text.encode(encoding, "surrogatepass")
        if not 0 <= start < end <= len(units) // size:
            return None
        try:
            first, last = (len(units[: size * offset].decode(encoding)) for offset in (start, end))
        except UnicodeDecodeError:
            return None
        return first, last

    return bounds


KINDS: Mapping[str, Callable[[str, int, int], Bounds | None]] = {
    CODE_POINTS: _code_points,
    "UTF-16 units": _encoded("utf-16-le", 2),
    "bytes of UTF-8": _encoded("utf-8", 1),
}


def offsets_of(span: Mapping[str, Any]) -> Bounds | None:
    """The start and end of a span; None where they are no whole numbers."""
    start, end = span.get("start"), span.get("end")
    return (start, end) if type(start) is int and type(end) is int else None


def bounds_by_kind(span: Mapping[str, Any], text: str) -> dict[str, Bounds]:
    """The code-point bounds of a span by each of KINDS that lies in the text and fits the span's own text."""
    offsets, quoted = offsets_of(span), span.get("text")
    if offsets is None:
        return {}
    by_kind = {kind: read(text, *offsets) for kind, read in KINDS.items()}
    return {
        kind: bounds
        for kind, bounds in by_kind.items()
        if bounds is not None and (quoted is None or text[slice(*bounds)] == quoted)
    }


def span_place(span: Mapping[str, Any], text: str) -> Bounds | None:
    """Return where a span stands: by the first of KINDS that fits its text, its first occurrence, or code
    points.
    """
    if span.get("start") is None and span.get("end") is None:
        return find_span(text, clean(str(span.get("text") or "")))
    by_kind = bounds_by_kind(span, text)
    return by_kind.get(CODE_POINTS) if span.get("text") is None else next(iter(by_kind.values()), None)
