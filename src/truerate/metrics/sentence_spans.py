"""Where the sentences of a text stand, by their marks and line breaks."""

import re

_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=\S)|[。！？]\s*(?=\S)|\n+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences and lines of a text stand, without the space around them."""
    borders = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    spans = []
    for start, end in zip(borders, borders[1:], strict=False):
        part = text[start:end]
        inner = part.strip()
        if inner:
            start += len(part) - len(part.lstrip())
            spans.append((start, start + len(inner)))
    return spans
