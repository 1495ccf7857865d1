"""Cells that are networks: trained to mark tokens, and read. Torch and transformers, imported here, take
seconds.

The loss is the cross-entropy over the answer tokens; no token of a reference or of padding is in it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import torch
from torch.nn.functional import cross_entropy

from truerate.config import Backbone
from truerate.detectors.tokens.backbones import quantised
from truerate.detectors.tokens.cells import NETWORK, Job, Reader, halves
from truerate.detectors.tokens.encode import pretrained_coder, tiny_coder
from truerate.detectors.tokens.groups import Answer, Group, RepeatedGroups, joined, stream_groups
from truerate.detectors.tokens.network import Network, build, load
from truerate.detectors.tokens.rows import Row, collate, rows_of
from truerate.detectors.tokens.scoring import scored_answers
from truerate.detectors.tokens.span_probabilities import Reading, Spans, labels_of, soft_spans
from truerate.detectors.tokens.validate import agreement
from truerate.detectors.training import engine, processes
from truerate.detectors.training.engine import Task, Trained
from truerate.detectors.training.trainable import half_precision, single_threaded

LOSS_DIGITS = 3  # of the log loss: what changes less is no fall
# entries of a small network's vocabulary: names in pieces cost tokens and are told apart by features anyway
N_WORDS = 8000


def train(
    network: Network,
    training: Iterable[Group],
    held_out: Iterable[Group],
    *,
    backbone: Backbone,
    seed: int,
    folder: Path,
    evaluated: Iterable[Group] | None = None,
) -> Trained:
    """Train a network on labelled groups, which are read once, and measure it on others (`Agreement.facts`),
    which are read repeatedly; `folder` holds its checkpoint. `evaluated`: the held-out texts as they are
    evaluated during training, where that is not as they are judged: beside one window of a long reference.
    """
    task = token_task(network, training_rows(training, backbone), held_out, backbone, evaluated)
    return engine.train(network, task, backbone, seed=seed, folder=folder)


def token_task(
    network: Network,
    rows: Sequence[Row],
    held_out: Iterable[Group],
    backbone: Backbone,
    evaluated: Iterable[Group] | None = None,
) -> Task:
    """Return marking tokens as a task. Its metric is the negative log loss of held-out tokens, which needs no
    threshold; its facts are of the held-out texts as they are judged.
    """

    def eval_metric() -> float | None:
        loss = agreement(network, held_out if evaluated is None else evaluated, backbone).loss
        return None if loss is None else -round(loss, LOSS_DIGITS)

    def loss(part: Sequence[Row]) -> torch.Tensor:
        batch = collate(part, network.coder.pad).to(network.device)
        chosen = batch.labels >= 0
        with half_precision(network.device):
            logits = network(batch, chosen=chosen)
        return cross_entropy(logits.float(), batch.labels[chosen], reduction="sum")

    return Task(
        rows, loss, eval_metric, lambda: {"validation": agreement(network, held_out, backbone).facts()}
    )


def training_rows(groups: Iterable[Group], backbone: Backbone) -> list[Row]:
    """The rows of labelled groups: answers of one reference share a row where the mask allows."""
    max_tokens = max(backbone.token_budget, backbone.max_tokens)
    return [row for group in groups for row in rows_of(group, backbone.mask, max_tokens=max_tokens)]


def fit_network(job: Job, folder: Path) -> tuple[dict, dict]:
    """Train a network and save it in `folder`; none is saved where nothing is learned."""
    facts, run, network = trained_network(job)
    if network is not None and processes.rank() == 0:
        network.save(folder / NETWORK)
    return facts, run


def trained_network(job: Job) -> tuple[dict, dict, Network | None]:
    """Return what training found and cost, and the network; None where no text has a hallucinated token."""
    labels, backbone, passages = labels_of(job.cell.labels), job.backbone, job.passages.sort("target_id")
    training, held_out = halves(passages, job.training_share)
    if not any(spans for spans in training["spans"].to_list()):
        return {"is_fitted": False}, {}, None
    if backbone.weights == "tiny":
        coder = tiny_coder([*training["text"], *training["reference"].unique(maintain_order=True)], N_WORDS)
    else:
        quantised(backbone, processes.device())  # refused before anything is fetched
        coder = pretrained_coder(backbone.weights, backbone.revision)
    n_answers = n_windowed = 0

    def counted(groups: Iterable[Group]) -> Iterator[Group]:
        """The same groups, their answers beside which a reference does not fit whole counted."""
        nonlocal n_answers, n_windowed
        for group in groups:
            n_answers += len(group.answers)
            n_windowed += sum(answer.n_windows > 1 for answer in group.answers)
            yield group

    with single_threaded(backbone):
        network = build(backbone, labels, coder, job.cell.seed, device=processes.device())
        texts = partial(stream_groups, coder=coder, backbone=backbone, labels=labels)
        evaluated = RepeatedGroups(partial(texts, held_out, is_training=True), held_out.height)
        is_whole = all(answer.n_windows == 1 for group in evaluated for answer in group.answers)
        is_alike = backbone.windows == 1 or is_whole
        judged = evaluated if is_alike else RepeatedGroups(partial(texts, held_out), held_out.height)
        how = {"backbone": backbone, "seed": job.cell.seed, "folder": job.scratch}
        groups = counted(texts(training, is_training=True))
        trained = train(network, groups, judged, evaluated=evaluated, **how)
    windowed_rate = round(n_windowed / n_answers, 6) if n_answers else 0.0
    return {"is_fitted": True, "windowed_rate": windowed_rate, **trained.facts}, trained.run, network


def read_network(reader: Reader, passages: pl.DataFrame) -> Iterator[Spans]:
    """The soft spans of each passage, as a network reads it, reference by reference."""
    labels, texts = labels_of(reader.cell.labels), dict(passages.select("target_id", "text").iter_rows())
    with single_threaded(reader.backbone):
        network = load(reader.folder / NETWORK, device=processes.device())
        for target, reading in readings(network, passages, reader.backbone):
            spans = soft_spans(texts[target], reading, labels)
            yield Spans(target, spans, reading.n_windows, reading.n_unread)


def readings(network: Network, passages: pl.DataFrame, backbone: Backbone) -> Iterator[tuple[str, Reading]]:
    """Target and reading of each passage that holds a token, chunks of a long text joined."""
    chunks: dict[str, list[tuple[Answer, np.ndarray]]] = defaultdict(list)
    groups = stream_groups(passages, network.coder, backbone, network.labels)
    for answer, p in scored_answers(network, groups, backbone):
        chunks[answer.target_id].append((answer, p))
        if len(chunks[answer.target_id]) == answer.n_chunks:
            yield answer.target_id, joined(chunks.pop(answer.target_id))
