"""The form `tiny`: a small network marks tokens, and the judgement is composed of its marks."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from truerate.detectors.judges.cells import Job, Reader, save_decision
from truerate.detectors.judges.decision import Decision, HeldOut, decide, located, suspicion
from truerate.detectors.judges.rationale import composed, grounds, known_sentences
from truerate.detectors.judges.rows import Judged
from truerate.detectors.tokens import cells as marks
from truerate.detectors.tokens.network import load
from truerate.detectors.tokens.networks import readings, trained_network
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.training import processes
from truerate.detectors.training.device import single_threaded

NOTHING = Reading(np.zeros((0, 2)), np.zeros(0), np.zeros(0))  # of a text without a token


def fit(job: Job, folder: Path) -> tuple[dict, dict]:
    """Train the network and decide on the fold that was held out; what training found and cost."""
    marking = marks.Job(job.cell, job.passages, job.backbone, job.scratch, job.taught)
    facts, run, network = trained_network(marking)
    if network is None:
        return facts, run
    _, held_out = marks.halves(job.passages.sort("target_id"), job.taught)
    with single_threaded(job.backbone):
        read = dict(readings(network, held_out, job.backbone))
    decision = decide(_held_out(held_out, read))
    if processes.rank() == 0:
        network.save(folder / marks.NETWORK)
        save_decision(decision, folder)
    return {**facts, "n_held_out": held_out.height}, run


def _held_out(passages: pl.DataFrame, read: Mapping[str, Reading]) -> list[HeldOut]:
    columns = passages.select("target_id", "text", "is_hallucinated", "spans").iter_rows()
    return [HeldOut(text, read.get(target, NOTHING), label, spans) for target, text, label, spans in columns]


def judge(reader: Reader, passages: pl.DataFrame) -> list[Judged]:
    """What the judge says of each passage, in their order."""
    with single_threaded(reader.backbone):
        network = load(reader.folder / marks.NETWORK, device=processes.device())
        read = dict(readings(network, passages, reader.backbone))
    columns = passages.select("target_id", "text", "knowledge", "history", "question").iter_rows()
    decision = reader.decision
    return [
        judged(
            text,
            read.get(target, NOTHING),
            decision,
            knowledge=knowledge,
            conversation=f"{history}\n{question}",
        )
        for target, text, knowledge, history, question in columns
    ]


def judged(text: str, reading: Reading, decision: Decision, *, knowledge: str, conversation: str) -> Judged:
    """The judgement of one text by its tokens: p, verdict, and where it is hallucinated the segments with a
    composed reason. Of a text that is not there is nothing to say but that.
    """
    p = float(decision.p(np.array([suspicion(reading)]))[0])
    if not p > decision.threshold:
        return Judged(False, p, [], None)
    known, spans, told = known_sentences(knowledge, conversation), [], []
    for segment, likely in located(text, reading, decision.word_threshold):
        why = grounds(text, segment, known)
        spans.append({"start": segment[0], "end": segment[1], "type": why.kind, "p": likely})
        told.append((segment, why))
    return Judged(True, p, spans, composed(text, told))
