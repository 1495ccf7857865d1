"""The sentences of a long reference that rank best for a text, where `reference` is `retrieved`."""

from functools import lru_cache

import numpy as np

from truerate.core.sentence_spans import sentence_spans
from truerate.detectors.tokens.features import units
from truerate.metrics.bm25 import Index


def keys(text: str) -> list[str]:
    """What BM25 matches: words by their stems; of scripts without spaces pairs of characters."""
    read = units(text)
    pairs = zip(read.stems, read.stems[1:], read.is_single, read.is_single[1:], strict=False)
    words = [stem for stem, is_single in zip(read.stems, read.is_single, strict=True) if not is_single]
    return words + [a + b for a, b, first, second in pairs if first and second]


@lru_cache(maxsize=16)
def _indexed(reference: str) -> tuple[list[str], Index]:
    """The sentences of a reference and their index, kept while the replies to it are read."""
    sentences = [reference[start:end] for start, end in sentence_spans(reference, by_line=True)]
    return sentences, Index.of([keys(sentence) for sentence in sentences])


def retrieved(text: str, reference: str, n: int) -> str:
    """The `n` sentences of a reference that rank best by BM25 for any sentence of a text, a line each, in the
    order of the reference; the whole of it where it has no more, or where none shares a word with the text.
    """
    sentences, index = _indexed(reference)
    if len(sentences) <= n:
        return reference
    queries = [keys(text[start:end]) for start, end in sentence_spans(text, by_line=True)]
    best = index.scores(queries).max(axis=0, initial=0.0)
    chosen = np.sort(np.argsort(-best, kind="stable")[:n])
    return "\n".join(sentences[number] for number in chosen) if best.any() else reference
