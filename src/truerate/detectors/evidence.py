"""What one text is checked against where that is less than all of its item's documents: passages of its own.

A sample names them in its attribute `evidence`, as a fact does in its column: `document_id:start-end` (code
points), best first, one after another with a blank between.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.core.sentence_spans import sentence_spans
from truerate.core.text import passage_of
from truerate.detectors.tokens.features import units
from truerate.metrics.bm25 import Index

BREAK = "\n\n"  # between two passages of a knowledge


def with_evidence(contexts: pl.DataFrame, samples: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """Contexts with a further row for each sample that names evidence: its id stands in `item_id`, its
    passages are its `knowledge`. `question` and `history` are its item's. A sample whose evidence is empty
    has empty knowledge: nothing was found for it. Raises TruerateError for evidence that names no passage of
    a known document.
    """
    texts = dict(documents.select("document_id", "text").iter_rows())
    evidence = samples.select("sample_id", "item_id", pair("attributes", "evidence")).drop_nulls("evidence")
    knowledge = [
        joined(passages(named.split(), texts, where=sample)) for sample, _, named in evidence.iter_rows()
    ]
    asked = contexts.select("item_id", "question", "history")
    rows = evidence.join(asked, on="item_id", how="left", maintain_order="left").with_columns(
        item_id="sample_id", knowledge=pl.Series(knowledge, dtype=pl.String)
    )
    return pl.concat([contexts, rows.select(contexts.columns)])


def joined(passages: Sequence[str]) -> str:
    """Passages as one knowledge, of which `split` makes the same passages again."""
    lines = ([line for line in passage.splitlines() if line.strip()] for passage in passages)
    return BREAK.join("\n".join(passage) for passage in lines)


def split(knowledge: str) -> list[str]:
    """The passages of a knowledge: what blank lines part."""
    return [part.strip() for part in knowledge.split(BREAK) if part.strip()]


def passages(names: Sequence[str], texts: Mapping[str, str], *, where: str) -> list[str]:
    """The texts of `document_id:start-end` names. Raises TruerateError for one outside its document."""
    selected = []
    for name in names:
        document, start, end = passage_of(name) or ("", 0, 0)
        if document not in texts or not start <= end <= len(texts[document]):
            raise TruerateError(
                f"evidence of {where!r}: {name!r} is no passage of a document of this board; run `dvc "
                "repro` again"
            )
        selected.append(texts[document][start:end])
    return selected


# ---- what ranks best in a long reference -------------------------------------------------------------------
def keys(text: str) -> list[str]:
    """Return what BM25 matches: words by their stems; of scripts without spaces pairs of characters."""
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
