"""The form `causal`: a decoder reads knowledge, conversation and response, and writes the judgement.

p is that of `Yes` against `No` as its first token; the threshold is chosen on the fold that was held out. It
learns the judgement alone, none of what it reads. Texts are judged one after the other.
"""

import math
from pathlib import Path

import numpy as np
import polars as pl
import torch

from truerate.core.quotes import located
from truerate.detectors.judges import decoder as decoders
from truerate.detectors.judges.cells import Job, Reader, save_decision
from truerate.detectors.judges.decision import DIGITS, Decision, best_threshold
from truerate.detectors.judges.decoder import Decoder
from truerate.detectors.judges.dictation import N_WRITTEN, Dictation, dictation, prompt
from truerate.detectors.judges.rows import Judged
from truerate.detectors.tokens.cells import NETWORK, halves
from truerate.detectors.training import engine, processes
from truerate.detectors.training.batches import Rows
from truerate.detectors.training.device import single_threaded
from truerate.detectors.training.engine import Lesson

TOO_LONG = "too-long"  # a response that leaves no room for anything to judge it by
TYPE = "unspecified"  # of a segment: the decoder says why in its own words


def fit(job: Job, folder: Path) -> tuple[dict, dict]:
    """Train the decoder and choose its threshold; what training found and cost. Texts of one label alone
    teach nothing.
    """
    taught, held_out = halves(job.passages.sort("target_id"), job.taught)
    if taught["is_hallucinated"].n_unique() < 2:
        return {"is_fitted": False}, {}
    with single_threaded(job.backbone):
        network = decoders.from_weights(job.backbone, job.cell.seed, device=processes.device())
        lesson = judging_lesson(network, taught, held_out)
        trained = engine.train(network, lesson, job.backbone, seed=job.cell.seed, folder=job.scratch)
        network.eval()
        decision = _decided(network, held_out)
    if processes.rank() == 0:
        network.save(folder / NETWORK)
        save_decision(decision, folder)
    return {"is_fitted": True, **trained.facts, "n_held_out": held_out.height}, trained.run


def judging_lesson(network: Decoder, taught: pl.DataFrame, held_out: pl.DataFrame) -> Lesson:
    """Judging as a lesson: graded by exp(−mean loss) of a token of held-out judgements, in (0, 1]."""
    names, rows = _dictations(network, taught)
    _, others = _dictations(network, held_out)

    def grade() -> float | None:
        loss = mean_loss(network, others)
        return None if loss is None else math.exp(-loss)

    def facts() -> dict:
        loss = mean_loss(network, others)
        return {"validation": {"loss": None if loss is None else round(loss, DIGITS)}}

    return Lesson(Rows(rows, names), network.loss, grade, facts)


def mean_loss(network: Decoder, rows: list[Dictation]) -> float | None:
    """The mean cross-entropy of a token of completions; None over no row."""
    if not rows:
        return None
    network.eval()
    with torch.inference_mode():
        losses = [float(network.loss([row])) for row in rows]
    return sum(losses) / sum(row.n_targets for row in rows)


def _dictations(network: Decoder, passages: pl.DataFrame) -> tuple[list[str], list[Dictation]]:
    """Names and dictations of those passages that fit the window."""
    made = [
        (row["target_id"], dictation(network.coder, row, network.backbone.max_tokens))
        for row in passages.iter_rows(named=True)
    ]
    kept = [(name, one) for name, one in made if one is not None]
    return [name for name, _ in kept], [one for _, one in kept]


def _decided(network: Decoder, held_out: pl.DataFrame) -> Decision:
    """The threshold with the best balanced accuracy on held-out texts; one half where they have one label."""
    read = [(_prompt(network, row), row["is_hallucinated"]) for row in held_out.iter_rows(named=True)]
    pairs = [(network.p(ids), label) for ids, label in read if ids is not None]
    labels = np.array([label for _, label in pairs], dtype=bool)
    if not labels.any() or labels.all():
        return Decision()
    return Decision(threshold=best_threshold(np.round([p for p, _ in pairs], DIGITS), labels))


def _prompt(network: Decoder, row: dict) -> np.ndarray | None:
    return prompt(network.coder, row, network.backbone.max_tokens - N_WRITTEN)


def judge(reader: Reader, passages: pl.DataFrame) -> list[Judged]:
    """What the judge says of each passage, in their order; `too-long` where a response fills the window."""
    with single_threaded(reader.backbone):
        network = decoders.load(reader.folder / NETWORK, device=processes.device())
        return [judged(network, row, reader.decision) for row in passages.iter_rows(named=True)]


def judged(network: Decoder, row: dict, decision: Decision) -> Judged:
    """The judgement of one response. Its segments are what its reason quotes of the response."""
    ids = _prompt(network, row)
    if ids is None:
        return Judged(None, None, [], None, TOO_LONG)
    p = round(network.p(ids), DIGITS)
    if not p > decision.threshold:
        return Judged(False, p, [], None)
    reason = network.reason(ids)
    found = located(reason, row["text"], knowledge=row["knowledge"]).segments
    spans = [{"start": start, "end": end, "type": TYPE, "p": p} for start, end in found]
    return Judged(True, p, spans, reason or None)
