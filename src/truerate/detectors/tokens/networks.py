"""Cells that are networks, trained and asked: behind this module stand torch and transformers, which take
seconds to import.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from truerate.config import Backbone
from truerate.detectors.tokens.backbones import quantised
from truerate.detectors.tokens.cells import NETWORK, Job, Reader, halves
from truerate.detectors.tokens.encode import pretrained_coder, tiny_coder
from truerate.detectors.tokens.groups import Answer, Repeated, Windowed, joined, stream_groups, windowed_rate
from truerate.detectors.tokens.labels import labels_of
from truerate.detectors.tokens.network import Network, build, load
from truerate.detectors.tokens.span_probabilities import Reading, Spans, soft_spans
from truerate.detectors.tokens.strategies import scored_answers
from truerate.detectors.tokens.train import train
from truerate.detectors.training import processes
from truerate.detectors.training.device import single_threaded

# entries of a small network's vocabulary: names in pieces cost tokens and are told apart by features anyway
N_WORDS = 8000


def fit_network(job: Job, folder: Path) -> tuple[dict, dict]:
    """Train a network and save it in `folder`; a set without hallucinated tokens teaches none."""
    facts, run, network = trained_network(job)
    if network is not None and processes.rank() == 0:
        network.save(folder / NETWORK)
    return facts, run


def trained_network(job: Job) -> tuple[dict, dict, Network | None]:
    """What training found and cost, and the network; none where nothing is taught."""
    labels, backbone, passages = labels_of(job.cell.labels), job.backbone, job.passages.sort("target_id")
    taught, held_out = halves(passages, job.taught)
    if not any(spans for spans in taught["spans"].to_list()):
        return {"is_fitted": False}, {}, None
    if backbone.weights == "tiny":
        coder = tiny_coder([*taught["text"], *taught["reference"].unique(maintain_order=True)], N_WORDS)
    else:
        quantised(backbone, processes.device())  # refused before anything is fetched
        coder = pretrained_coder(backbone.weights, backbone.revision)
    with single_threaded(backbone):
        network = build(backbone, labels, coder, job.cell.seed, device=processes.device())
        texts = partial(stream_groups, coder=coder, backbone=backbone, labels=labels)
        graded = Repeated(partial(texts, held_out, is_taught=True), held_out.height)
        is_graded_alike = backbone.windows == 1 or not windowed_rate(graded)
        judged = graded if is_graded_alike else Repeated(partial(texts, held_out), held_out.height)
        how = {"backbone": backbone, "seed": job.cell.seed, "folder": job.scratch}
        windowed = Windowed()
        lessons = windowed.counted(texts(taught, is_taught=True))
        trained = train(network, lessons, judged, graded=graded, **how)
    facts = {"is_fitted": True, "windowed_rate": round(windowed.rate or 0.0, 6), **trained.facts}
    return facts, trained.run, network


def read_network(reader: Reader, passages: pl.DataFrame) -> Iterator[Spans]:
    """The soft spans of each passage, as a network reads it, reference by reference."""
    labels, texts = labels_of(reader.cell.labels), dict(passages.select("target_id", "text").iter_rows())
    with single_threaded(reader.backbone):
        network = load(reader.folder / NETWORK, device=processes.device())
        for target, reading in readings(network, passages, reader.backbone):
            yield Spans(
                target, soft_spans(texts[target], reading, labels), reading.n_windows, reading.n_unread
            )


def readings(network: Network, passages: pl.DataFrame, backbone: Backbone) -> Iterator[tuple[str, Reading]]:
    """Target and reading of each passage that holds a token, reference by reference; chunks of a long text
    are joined.
    """
    chunks: dict[str, list[tuple[Answer, np.ndarray]]] = defaultdict(list)
    groups = stream_groups(passages, network.coder, backbone, network.labels)
    for answer, p in scored_answers(network, groups, backbone):
        chunks[answer.target_id].append((answer, p))
        if len(chunks[answer.target_id]) == answer.n_chunks:
            yield answer.target_id, joined(chunks.pop(answer.target_id))
