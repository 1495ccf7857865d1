"""Work of several detectors side by side: one process per core, one thread in each, and none that outlives its parent."""

import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import torch

from truerate.detectors.tokens import processes
from truerate.params import Backbone

Work, Found = TypeVar("Work"), TypeVar("Found")


def n_workers(apart: Sequence[Backbone]) -> int:
    """Processes to start for so many small networks: one per core; none where a GPU or a large network needs all there is."""
    if any(one.weights != "tiny" for one in apart) or processes.device() == "cuda" or processes.world() > 1:
        return 0
    n = min(len(apart), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    return n if n > 1 else 0


@contextlib.contextmanager
def threads(backbone: Backbone | None) -> Iterator[None]:
    """One thread for a rule or a small network, whose sums would cost more to share out than to make; else as many as there are."""
    before = torch.get_num_threads()
    torch.set_num_threads(1 if backbone is None or backbone.weights == "tiny" else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def each(work: Callable[[Work], Found], jobs: Sequence[Work], backbone_of: Callable[[Work], Backbone | None]) -> list[Found]:
    """What `work` gives for each job, in their order: networks side by side, rules meanwhile in this process.

    An error ends it and lets no further job begin.
    """
    apart = [job for job in jobs if backbone_of(job) is not None]
    n = n_workers([backbone_of(job) for job in apart])
    if not n:
        return [work(job) for job in jobs]
    with ProcessPoolExecutor(n, mp_context=multiprocessing.get_context("spawn"), initializer=begin) as pool:
        try:
            waiting = {id(job): pool.submit(work, job) for job in apart}
            here = {id(job): work(job) for job in jobs if id(job) not in waiting}
            return [waiting[id(job)].result() if id(job) in waiting else here[id(job)] for job in jobs]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def begin() -> None:
    """In a worker: one thread, and an end when the parent is killed (it would go on working for nobody)."""
    torch.set_num_threads(1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)
