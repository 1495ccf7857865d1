"""Knowledge retrieval: what the knowledge variant and refinement give a model, of an item's own documents or
by BM25.

The index of a corpus lies in a folder that is named by what was indexed; jobs map it into memory and share
its pages. It is made by the first job that needs it, the others wait for it at a lock.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Document, read
from truerate.core.text import terms
from truerate.metrics.bm25 import Index
from truerate.tracks.halueval.context import Context

FORM = 3  # of an index on disk; moves where its files or the way to cut words change
OFFSETS, TEXTS = "offsets.npy", "texts.bin"
# English words that say nothing of what is asked (the list of Lucene, as bm25s has it).
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these"
    " they this to was will with".split()
)


def knowledge_of(
    config: Layout, board: str, contexts: Iterable[Context], documents: pl.DataFrame
) -> dict[str, str]:
    """Return what the knowledge variant and refinement give, by item; never for summaries."""
    settings = config.p.track(board)
    fit = [context for context in contexts if context.task != "summarization"]
    if settings.knowledge == "retrieved":
        return retrieved(fit, corpus_of(config, board, documents), settings.n_retrieved)
    return {context.item_id: context.knowledge for context in fit if context.knowledge}


def knowledge_of_queries(
    config: Layout,
    board: str,
    flagged: Iterable[Context],
    documents: pl.DataFrame,
    knowledge: Mapping[str, str],
) -> dict[str, str]:
    """Return what flagged answers to general queries are refined with (HELMA 3.3), by item: BM25's best."""
    general = {query.item_id: query for query in flagged if query.task == "general"}
    queries = [query for name, query in general.items() if name not in knowledge]
    if not queries:
        return {}
    return retrieved(queries, corpus_of(config, board, documents), config.p.track(board).n_retrieved)


@dataclass(frozen=True)
class Corpus:
    """Documents in the order of their ids, with their BM25 index; `text` gives the text of a row."""

    index: Index
    text: Callable[[int], str]

    def best(self, query: str, n: int) -> list[str]:
        """Return the texts of the `n` best documents that share a word with the query, the best first."""
        return [self.text(row) for row in self.index.best([_tokens(query)], n)[0]]


def retrieved(asked: Sequence[Context], documents: pl.DataFrame | Corpus, n: int) -> dict[str, str]:
    """Return the texts of the `n` best documents per item (BM25, Robertson et al. 1994), joined by blank
    lines, by item id. What is looked up is the question or query, of a dialogue its turns.

    Ties follow the documents' ids. A document without a word of the query is never given, so an item may get
    fewer than `n` or, where no document shares a word with it, stand not in the result at all; with no
    documents or no item the result is empty.
    """
    if not asked or (isinstance(documents, pl.DataFrame) and documents.is_empty()):
        return {}
    if isinstance(documents, pl.DataFrame):
        ordered = documents.sort("document_id")
        documents = Corpus(_indexed(ordered), ordered["text"].to_list().__getitem__)
    query_of = {item.item_id: item.history if item.task == "dialogue" else item.question for item in asked}
    best = {item_id: documents.best(query, n) for item_id, query in query_of.items()}
    return {item_id: "\n\n".join(texts) for item_id, texts in best.items() if texts}


# ---- the index ---------------------------------------------------------------------------------------------
def corpus_of(config: Layout, board: str, documents: pl.DataFrame) -> pl.DataFrame | Corpus:
    """Return what the board's knowledge is looked up in: the documents of the source that its settings name
    (`knowledge_source`), else its own (`documents`); indexed on disk. The frame itself where it is empty.
    """
    named = config.p.track(board).knowledge_source
    if named:
        path = config.source(named, "documents")
        return on_disk(Path(config.corpus(_digest_of(path))), lambda: read(Document, path))
    if documents.is_empty():
        return documents
    ids = documents.sort("document_id").select("document_id", "title", "text")
    key = hashlib.sha256(ids.hash_rows(seed=FORM).to_numpy().tobytes()).hexdigest()[:12]
    return on_disk(Path(config.corpus(key)), lambda: documents)


@cache
def _digest_of(path: str) -> str:
    """The digest of a file of documents, read once per process."""
    return digest(path, form=FORM)


def on_disk(folder: Path, documents: Callable[[], pl.DataFrame]) -> Corpus:
    """Return the corpus of a folder, mapped into memory; made of these documents if it is not there."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_name(f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                _write(documents().sort("document_id"), folder)
    return _opened(folder)


@lru_cache(maxsize=2)
def _opened(folder: Path) -> Corpus:
    offsets, texts = np.load(folder / OFFSETS, mmap_mode="r"), np.memmap(folder / TEXTS, np.uint8, mode="r")
    return Corpus(Index.load(folder), lambda row: texts[offsets[row] : offsets[row + 1]].tobytes().decode())


def _write(documents: pl.DataFrame, folder: Path) -> None:
    """Index and texts, in a folder that is there whole or not at all."""
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(scratch, ignore_errors=True)
    _indexed(documents).save(scratch)
    lengths = documents["text"].str.len_bytes().to_numpy().astype(np.int64)
    np.save(scratch / OFFSETS, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))
    with (scratch / TEXTS).open("wb") as out:
        out.writelines(text.encode() for text in documents["text"])
    os.replace(scratch, folder)


def _indexed(documents: pl.DataFrame) -> Index:
    """BM25 over titles and texts, in the order of the rows."""
    rows = documents.select("title", "text").iter_rows()
    return Index.of(_tokens(f"{title} {text}") for title, text in rows)


def _tokens(text: str) -> list[str]:
    """The terms of a text (`core.text.terms`) without English stop words and single ASCII signs."""
    return [term for term in terms(text) if (len(term) > 1 or not term.isascii()) and term not in STOP_WORDS]
