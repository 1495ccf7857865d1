"""The form `causal`: a decoder reads knowledge, conversation and response, and writes the judgement.

p is that of `Yes` against `No` as its first token; the threshold is chosen on the fold that was held out. It
learns the judgement alone, none of what it reads. Texts of about one length are judged together; what fills
up the shorter ones is masked, so that each gets what it would get alone (in bf16 but for rounding).
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import torch

from truerate.core.spans.quotes import located
from truerate.detectors.judges import decoder as decoders
from truerate.detectors.judges.decision import DIGITS, Decision, best_threshold
from truerate.detectors.judges.decoder import N_WRITTEN, Decoder, Example, example_of, prompt
from truerate.detectors.judges.judged import Judged, load_decision, save_decision
from truerate.detectors.tokens.cells import NETWORK, Job, Reader, halves
from truerate.detectors.training import engine, processes
from truerate.detectors.training.engine import Task, within
from truerate.detectors.training.trainable import single_threaded

TOO_LONG = "too-long"  # a response that leaves no room for anything to judge it by
SLICE = 4096  # texts that are sorted by length together
TYPE = "unspecified"  # of a segment: the decoder says why in its own words


def fit(job: Job, folder: Path) -> tuple[dict, dict]:
    """Train the decoder and choose its threshold; not fitted where all texts have one label."""
    training, held_out = halves(job.passages.sort("target_id"), job.training_share)
    if training["is_hallucinated"].n_unique() < 2:
        return {"is_fitted": False}, {}
    with single_threaded(job.backbone):
        network = decoders.from_weights(job.backbone, job.cell.seed, device=processes.device())
        task = judging_task(network, training, held_out)
        trained = engine.train(network, task, job.backbone, seed=job.cell.seed, folder=job.scratch)
        network.eval()
        decision = _decided(network, held_out, job.how.batch_tokens)
    if processes.rank() == 0:
        network.save(folder / NETWORK)
        save_decision(decision, folder)
    return {"is_fitted": True, **trained.facts, "n_held_out": held_out.height}, trained.run


def judging_task(network: Decoder, training: pl.DataFrame, held_out: pl.DataFrame) -> Task:
    """Return judging as a task; its metric is exp(−mean loss) of a token of held-out judgements."""
    rows, others = _examples(network, training), _examples(network, held_out)

    def eval_metric() -> float | None:
        loss = mean_loss(network, others)
        return None if loss is None else math.exp(-loss)

    def facts() -> dict:
        loss = mean_loss(network, others)
        return {"validation": {"loss": None if loss is None else round(loss, DIGITS)}}

    return Task(rows, network.loss, eval_metric, facts)


def mean_loss(network: Decoder, rows: list[Example]) -> float | None:
    """The mean cross-entropy of a token of completions; None over no row."""
    if not rows:
        return None
    network.eval()
    parts = within([row.n_tokens for row in rows], network.backbone.token_budget)
    with torch.inference_mode():
        losses = [float(network.loss([rows[row] for row in part])) for part in parts]
    return sum(losses) / sum(row.n_targets for row in rows)


def _examples(network: Decoder, passages: pl.DataFrame) -> list[Example]:
    """Those passages that fit the window, as examples."""
    rows = passages.iter_rows(named=True)
    examples = (example_of(network.coder, row, network.backbone.max_tokens) for row in rows)
    return [example for example in examples if example is not None]


def _decided(network: Decoder, held_out: pl.DataFrame, batch_tokens: int) -> Decision:
    """The threshold with the best balanced accuracy on held-out texts; one half where they have one label."""
    p = p_of(network, prompts_of(network, held_out), batch_tokens)
    is_read = np.array([share is not None for share in p], dtype=bool)
    labels = held_out["is_hallucinated"].to_numpy()[is_read].astype(bool)
    if not labels.any() or labels.all():
        return Decision()
    return Decision(threshold=best_threshold(np.array([share for share in p if share is not None]), labels))


def judge(reader: Reader, passages: pl.DataFrame) -> list[Judged]:
    """The judgement of each passage, in order; `too-long` where a response fills the window."""
    with single_threaded(reader.backbone):
        network = decoders.load(reader.folder / NETWORK, device=processes.device())
        how = {"decision": load_decision(reader.folder), "batch_tokens": reader.how.batch_tokens}
        return [judged for part in passages.iter_slices(SLICE) for judged in judged_all(network, part, **how)]


def judged_all(
    network: Decoder, passages: pl.DataFrame, decision: Decision, *, batch_tokens: int
) -> list[Judged]:
    """The judgement of each response, in order; its segments are what the reason quotes of it."""
    p, reasons = p_and_reasons(network, prompts_of(network, passages), decision.threshold, batch_tokens)
    rows = passages.select("text", "knowledge").iter_rows()
    return [
        _judged(text, knowledge, p[number], reasons.get(number))
        for number, (text, knowledge) in enumerate(rows)
    ]


def _judged(text: str, knowledge: str, p: float | None, reason: str | None) -> Judged:
    if p is None:
        return Judged(None, None, [], None, TOO_LONG)
    if reason is None:
        return Judged(False, p, [], None)
    segments = located(reason, text, knowledge=knowledge).segments
    spans = [{"start": start, "end": end, "type": TYPE, "p": p} for start, end in segments]
    return Judged(True, p, spans, reason or None)


def prompts_of(network: Decoder, passages: pl.DataFrame) -> list[np.ndarray | None]:
    """The prompt of each passage; None of one whose response fills the window."""
    room = network.backbone.max_tokens - N_WRITTEN
    return [prompt(network.coder, row, room) for row in passages.iter_rows(named=True)]


def p_of(network: Decoder, prompts: Sequence[np.ndarray | None], batch_tokens: int) -> list[float | None]:
    """Return P(Yes) behind each prompt, six digits, None where there is none; the longest are read first."""
    shares: list[float | None] = [None] * len(prompts)
    for places, batch in _batches(prompts, batch_tokens):
        for number, p in zip(places, network.p(batch).tolist(), strict=True):
            shares[number] = round(p, DIGITS)
    return shares


def p_and_reasons(
    network: Decoder, prompts: Sequence[np.ndarray | None], threshold: float, batch_tokens: int
) -> tuple[list[float | None], dict[int, str]]:
    """Return `p_of`, and by the places of those above the threshold what is written behind them."""
    p = p_of(network, prompts, batch_tokens)
    flagged = [
        ids if share is not None and share > threshold else None
        for ids, share in zip(prompts, p, strict=True)
    ]
    reasons: dict[int, str] = {}
    for places, batch in _batches(flagged, batch_tokens, n_more=N_WRITTEN):
        reasons.update(zip(places, network.reasons(batch), strict=True))
    return p, reasons


def _batches(
    prompts: Sequence[np.ndarray | None], batch_tokens: int, *, n_more: int = 0
) -> Iterator[tuple[list[int], list[np.ndarray]]]:
    """The prompts with their places, longest first, as many at once as `batch_tokens` allow."""
    there = [(number, ids) for number, ids in enumerate(prompts) if ids is not None]
    for part in reversed(within([len(ids) + n_more for _, ids in there], batch_tokens)):
        yield [there[index][0] for index in part], [there[index][1] for index in part]
