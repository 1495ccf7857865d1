"""A text that several hands marked, cut for the page: what each hand marked is one layer over the same words.

Text travels as segments, not offsets: Python counts code points, JavaScript UTF-16 units.
"""

from collections.abc import Iterable
from itertools import pairwise
from operator import itemgetter

LABELS = ("gold", "silver", "published")  # layers that are labels, not judgements
UNTYPED = "hallucination"
FEW = 12  # spans that are held against every piece
_MARK = itemgetter(2, 3, 4)  # of a span: layer, type, per cent


def segments(text: str, layers: list[list[dict] | None]) -> list:
    """A text cut wherever a span of a layer begins or ends: plain strings, and `[string, [[layer, type, per
    cent], …]]` where one lies; a layer is its place in `layers`.

    Spans are half-open code points; what reaches beyond the text is cut off, empty spans are left out. The
    segments, joined, are the text.
    """
    if not any(layers):
        return [text] if text else []  # most texts: nobody marked anything
    length, spans = len(text), list[tuple]()
    for layer, marked in enumerate(layers):
        for span in marked or ():
            start, end = max(0, span["start"]), min(length, span["end"])
            if start < end:
                p = span.get("p")
                spans.append((start, end, layer, span["type"] or UNTYPED, round(100 * p) if p else 0))
    cuts = sorted({0, length, *(span[0] for span in spans), *(span[1] for span in spans)})
    marks = _over_each(cuts, sorted(spans, key=_MARK)) if len(spans) <= FEW else _swept(cuts, sorted(spans))
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    return [[piece, over] if over else piece for piece, over in zip(pieces, marks, strict=True)]


def _over_each(cuts: list[int], spans: list[tuple]) -> list[list]:
    """The marks over each piece between two cuts, in the order of the spans: quickest where these are few."""
    return [
        [[*span[2:]] for span in spans if span[0] <= start and end <= span[1]]
        for start, end in pairwise(cuts)
    ]


def _swept(cuts: list[int], spans: list[tuple]) -> list[list]:
    """The same of spans in order of their beginnings, in time that grows with their number alone."""
    marks, open_spans, next_span = [], list[tuple](), 0
    for start in cuts[:-1]:
        open_spans = [span for span in open_spans if span[1] > start]
        while next_span < len(spans) and spans[next_span][0] <= start:
            open_spans.append(spans[next_span])
            next_span += 1
        marks.append([[*span[2:]] for span in sorted(open_spans, key=_MARK)])
    return marks


def in_order(names: Iterable[str]) -> list[str]:
    """The names of layers: people's labels, the writer's, published ones, then judges by name."""
    return sorted(set(names), key=lambda name: (LABELS.index(name) if name in LABELS else len(LABELS), name))


def types_of(segments: list) -> set[str]:
    """The types of all spans in a text that was cut."""
    return {mark[1] for part in segments if isinstance(part, list) for mark in part[1]}
