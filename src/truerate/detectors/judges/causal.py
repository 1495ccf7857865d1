"""The form `causal`: a decoder reads knowledge, conversation and response, and writes the judgement.

p is that of `Yes` against `No` as its first token; the threshold is chosen on the fold that was held out. It
learns the judgement alone, none of what it reads. Texts of about one length are judged together; what fills up
the shorter ones is masked, so that each gets what it would get alone (in bf16 but for rounding).
"""

import math
from collections.abc import Iterator, Sequence
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
from truerate.detectors.judges.kept import Kept
from truerate.detectors.judges.rows import Judged
from truerate.detectors.tokens.cells import NETWORK, halves
from truerate.detectors.training import engine, processes
from truerate.detectors.training.batches import Rows, within
from truerate.detectors.training.device import single_threaded
from truerate.detectors.training.engine import Lesson

TOO_LONG = "too-long"  # a response that leaves no room for anything to judge it by
SLICE = 4096  # texts that are sorted by length together
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
        decision = _decided(network, held_out, job.how.batch_tokens)
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
    parts = within([row.n_tokens for row in rows], network.backbone.token_budget)
    with torch.inference_mode():
        losses = [float(network.loss([rows[place] for place in part])) for part in parts]
    return sum(losses) / sum(row.n_targets for row in rows)


def _dictations(network: Decoder, passages: pl.DataFrame) -> tuple[list[str], list[Dictation]]:
    """Names and dictations of those passages that fit the window."""
    made = [
        (row["target_id"], dictation(network.coder, row, network.backbone.max_tokens))
        for row in passages.iter_rows(named=True)
    ]
    kept = [(name, one) for name, one in made if one is not None]
    return [name for name, _ in kept], [one for _, one in kept]


def _decided(network: Decoder, held_out: pl.DataFrame, batch_tokens: int) -> Decision:
    """The threshold with the best balanced accuracy on held-out texts; one half where they have one label."""
    p = p_of(network, prompts_of(network, held_out), batch_tokens)
    pairs = [
        (one, label) for one, label in zip(p, held_out["is_hallucinated"], strict=True) if one is not None
    ]
    labels = np.array([label for _, label in pairs], dtype=bool)
    if not labels.any() or labels.all():
        return Decision()
    return Decision(threshold=best_threshold(np.array([one for one, _ in pairs]), labels))


def judge(reader: Reader, passages: pl.DataFrame) -> list[Judged]:
    """What the judge says of each passage, in their order; `too-long` where a response fills the window."""
    with single_threaded(reader.backbone):
        network = decoders.load(reader.folder / NETWORK, device=processes.device())
        return [
            one
            for part in passages.iter_slices(SLICE)
            for one in judged_all(network, part, reader.decision, batch_tokens=reader.how.batch_tokens)
        ]


def judged_all(
    network: Decoder, passages: pl.DataFrame, decision: Decision, *, batch_tokens: int
) -> list[Judged]:
    """The judgement of each response, in their order; `batch_tokens` are read at once, or one response that has
    more. Segments are what a reason quotes of its response.
    """
    prompts = prompts_of(network, passages)
    p, reasons = spoken(network, prompts, decision.threshold, batch_tokens)
    rows = passages.select("text", "knowledge").iter_rows()
    return [
        _judged(text, knowledge, one, reasons.get(place))
        for place, ((text, knowledge), one) in enumerate(zip(rows, p, strict=True))
    ]


def _judged(text: str, knowledge: str, p: float | None, reason: str | None) -> Judged:
    if p is None:
        return Judged(None, None, [], None, TOO_LONG)
    if reason is None:
        return Judged(False, p, [], None)
    found = located(reason, text, knowledge=knowledge).segments
    spans = [{"start": start, "end": end, "type": TYPE, "p": p} for start, end in found]
    return Judged(True, p, spans, reason or None)


def prompts_of(network: Decoder, passages: pl.DataFrame) -> list[np.ndarray | None]:
    """The prompt of each passage; None of one whose response fills the window."""
    room = network.backbone.max_tokens - N_WRITTEN
    return [prompt(network.coder, row, room) for row in passages.iter_rows(named=True)]


def p_of(network: Decoder, prompts: Sequence[np.ndarray | None], batch_tokens: int) -> list[float | None]:
    """P(Yes) behind each prompt, six digits, None where there is none; the longest are read first."""
    found: list[float | None] = [None] * len(prompts)
    for places, some in _batches(prompts, batch_tokens):
        for place, p in zip(places, network.p(some).tolist(), strict=True):
            found[place] = round(p, DIGITS)
    return found


def spoken(
    network: Decoder, prompts: Sequence[np.ndarray | None], threshold: float, batch_tokens: int
) -> tuple[list[float | None], dict[int, str]]:
    """The same, and by the places of those above the threshold what is written behind them. Each prompt is read
    once: what was kept of it waits, as many as are written at once, and of all others nothing is.
    """
    found: list[float | None] = [None] * len(prompts)
    reasons: dict[int, str] = {}
    waiting: list[tuple[int, np.ndarray, Kept | None]] = []

    def write() -> None:
        places, some, kept = zip(*waiting, strict=True)
        reasons.update(zip(places, network.reasons(some, kept), strict=True))
        waiting.clear()

    for places, some in _batches(prompts, batch_tokens):
        read, keep = network.read(some)
        for row, place in enumerate(places):
            found[place] = p = round(float(read[row]), DIGITS)
            if p <= threshold:
                continue
            longest = max(len(one) for one in (some[row], *(ids for _, ids, _ in waiting))) + N_WRITTEN
            if waiting and (len(waiting) + 1) * longest > batch_tokens:
                write()
            waiting.append((place, some[row], keep(row)))
    if waiting:
        write()
    return found, reasons


def _batches(
    prompts: Sequence[np.ndarray | None], batch_tokens: int
) -> Iterator[tuple[list[int], list[np.ndarray]]]:
    """The prompts that there are with their places, as many as are read at once; the longest first."""
    there = [(place, ids) for place, ids in enumerate(prompts) if ids is not None]
    for part in reversed(within([len(ids) for _, ids in there], batch_tokens)):
        yield [there[one][0] for one in part], [there[one][1] for one in part]
