"""The form `tiny`: a small network marks tokens, and the judgement is composed of its marks."""

from pathlib import Path

import polars as pl

from truerate.detectors.judges.decision import decide
from truerate.detectors.judges.judged import Judged, held_out, judged_all, load_decision, save_decision
from truerate.detectors.tokens.cells import NETWORK, Job, Reader, halves
from truerate.detectors.tokens.network import load
from truerate.detectors.tokens.train import readings, trained_network
from truerate.detectors.training import processes
from truerate.detectors.training.trainable import single_threaded


def fit(job: Job, folder: Path) -> tuple[dict, dict]:
    """Train the network and decide on the fold that was held out; what training found and cost."""
    facts, run, network = trained_network(job)
    if network is None:
        return facts, run
    _, others = halves(job.passages.sort("target_id"), job.training_share)
    with single_threaded(job.backbone):
        read = dict(readings(network, others, job.backbone))
    decision = decide(held_out(others, read))
    if processes.rank() == 0:
        network.save(folder / NETWORK)
        save_decision(decision, folder)
    return {**facts, "n_held_out": others.height}, run


def judge(reader: Reader, passages: pl.DataFrame) -> list[Judged]:
    """Return what the judge says of each passage, in their order."""
    with single_threaded(reader.backbone):
        network = load(reader.folder / NETWORK, device=processes.device())
        read = dict(readings(network, passages, reader.backbone))
    return judged_all(passages, read, load_decision(reader.folder))
