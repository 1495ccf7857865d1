"""A text that several hands marked, cut for the page: what each hand marked is one layer over the same words.

Text travels as segments, not offsets: Python counts code points, JavaScript UTF-16 units.
"""

from collections.abc import Iterable

LABELS = ("gold", "silver", "published")  # layers that are labels, not judgements
UNTYPED = "hallucination"


def segments(text: str, layers: list[list[dict] | None]) -> list:
    """A text cut wherever a span of a layer begins or ends: plain strings, and `[string, [[layer, type, per
    cent], …]]` where one lies; a layer is its place in `layers`.

    Spans are half-open code points; what reaches beyond the text is cut off, empty spans are left out. The
    segments, joined, are the text.
    """
    if not any(layers):
        return [text] if text else []  # most texts: nobody marked anything
    length = len(text)
    spans = sorted(
        (max(0, span["start"]), min(length, span["end"]), layer, span["type"] or UNTYPED, _percent(span))
        for layer, found in enumerate(layers)
        for span in found or ()
        if max(0, span["start"]) < min(length, span["end"])
    )
    cuts = sorted({0, length, *(cut for start, end, *_ in spans for cut in (start, end))})
    found: list = []
    open_spans: list[tuple] = []
    coming = iter(spans)
    following = next(coming, None)
    for start, end in zip(cuts, cuts[1:], strict=False):
        open_spans = [span for span in open_spans if span[1] > start]
        while following and following[0] <= start:
            open_spans.append(following)
            following = next(coming, None)
        over = [list(mark) for _, _, *mark in sorted(open_spans, key=lambda span: span[2:])]
        found.append([text[start:end], over] if over else text[start:end])
    return found


def _percent(span: dict) -> int:
    return round(100 * (span.get("p") or 0))


def in_order(names: Iterable[str]) -> list[str]:
    """The names of layers: people's labels, the writer's, published ones, then judges by name."""
    return sorted(set(names), key=lambda name: (LABELS.index(name) if name in LABELS else len(LABELS), name))


def types_of(segments: list) -> set[str]:
    """The types of all spans in a text that was cut."""
    return {mark[1] for part in segments if isinstance(part, list) for mark in part[1]}
