"""Cells that are networks, trained and asked: behind this module stand torch and transformers, which take
seconds to import.
"""

import contextlib
import ctypes
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import torch

from truerate.config import Backbone
from truerate.detectors.tokens import processes
from truerate.detectors.tokens.cells import NETWORK, Job, Reader, halves
from truerate.detectors.tokens.encode import (
    Answer,
    groups_of,
    joined,
    pretrained_coder,
    stream_groups,
    tiny_coder,
)
from truerate.detectors.tokens.labels import labels_of
from truerate.detectors.tokens.network import build, load
from truerate.detectors.tokens.span_probabilities import soft_spans
from truerate.detectors.tokens.strategies import score_groups
from truerate.detectors.tokens.train import train

# entries of a small network's vocabulary: names in pieces cost tokens and are told apart by features anyway
N_WORDS = 8000
_HEAP, _KEPT = (
    2**25,
    2**28,
)  # bytes: blocks up to 32 MB come from the heap, up to 256 MB at whose end stay when they are free
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h


def fit_network(job: Job, folder: Path) -> tuple[dict, dict]:
    """Train a network; a set without hallucinated tokens teaches none."""
    labels, backbone, passages = labels_of(job.cell.labels), job.backbone, job.passages.sort("target_id")
    taught, held_out = halves(passages)
    if not any(spans for spans in taught["spans"].to_list()):
        return {"is_fitted": False}, {}
    if backbone.weights == "tiny":
        coder = tiny_coder([*taught["text"], *taught["reference"].unique(maintain_order=True)], N_WORDS)
    else:
        coder = pretrained_coder(backbone.weights, backbone.revision)
    with single_threaded(backbone):
        network = build(backbone, labels, coder, job.cell.seed, device=processes.device())
        halved = (groups_of(half, coder, backbone, labels) for half in (taught, held_out))
        trained = train(network, *halved, backbone=backbone, seed=job.cell.seed, folder=job.scratch)
    if processes.rank() == 0:
        network.save(folder / NETWORK)
    return {"is_fitted": True, **trained.facts}, trained.run


def read_network(reader: Reader, passages: pl.DataFrame) -> list[tuple[str, list[dict]]]:
    """Target and soft spans of each passage, as a network reads it, reference by reference; chunks of a long
    text are joined.
    """
    labels, texts = labels_of(reader.cell.labels), dict(passages.select("target_id", "text").iter_rows())
    chunks: dict[str, list[tuple[Answer, np.ndarray]]] = defaultdict(list)
    soft = []
    with single_threaded(reader.backbone):
        network = load(reader.folder / NETWORK, device=processes.device())
        groups = stream_groups(passages, network.coder, reader.backbone, labels)
        how = {
            "strategy": reader.backbone.strategy,
            "cache_bytes": reader.backbone.cache_bytes,
            "is_shared": True,
        }
        for group, scored in score_groups(network, groups, **how):
            for answer, p in zip(group.answers, scored, strict=True):
                chunks[answer.target_id].append((answer, p))
                if len(chunks[answer.target_id]) == answer.n_chunks:
                    spans = soft_spans(texts[answer.target_id], joined(chunks.pop(answer.target_id)), labels)
                    soft.append((answer.target_id, spans))
    return soft


@contextlib.contextmanager
def single_threaded(backbone: Backbone) -> Iterator[None]:
    """One thread for a small network, whose sums would cost more to share out than to make; freed memory
    stays with the process.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1 if backbone.weights == "tiny" else before)
    _keep_memory()
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _keep_memory() -> None:
    """Have glibc keep freed blocks as large as a step's tensors: given back to the system, each would be
    paged in and zeroed anew.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # other C libraries have no mallopt
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, _HEAP)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)
