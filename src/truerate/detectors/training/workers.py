"""Work of several detectors side by side: one process per core, one thread in each, and none that outlives
its parent.
"""

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import BaseContext
from typing import TypeVar

from truerate.config import Backbone
from truerate.detectors.training import processes

IMPORTED = [
    "torch",
    "transformers.models.llama.modeling_llama",
]  # what takes seconds; nothing that imports polars
Work = TypeVar("Work")
Found = TypeVar("Found")


def n_workers(apart: Sequence[Backbone]) -> int:
    """Processes to start for so many small networks: one per core; none where a GPU or a large network needs
    all there is.
    """
    if any(one.weights != "tiny" for one in apart) or processes.device() == "cuda" or processes.world() > 1:
        return 0
    n = min(
        len(apart), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return n if n > 1 else 0


def each(
    work: Callable[[Work], Found], jobs: Sequence[Work], backbone_of: Callable[[Work], Backbone | None]
) -> list[Found]:
    """What `work` gives for each job, in their order: networks side by side, rules meanwhile in this process.

    An error ends it and lets no further job begin.
    """
    apart = [job for job in jobs if backbone_of(job) is not None]
    n = n_workers([backbone_of(job) for job in apart])
    if not n:
        return [work(job) for job in jobs]
    with ProcessPoolExecutor(n, mp_context=beginning(), initializer=begin) as pool:
        try:
            waiting = {id(job): pool.submit(work, job) for job in apart}
            here = {id(job): work(job) for job in jobs if id(job) not in waiting}
            return [waiting[id(job)].result() if id(job) in waiting else here[id(job)] for job in jobs]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def beginning() -> BaseContext:
    """How workers begin: on Linux as forks of a process that has imported torch and transformers, once for
    all of them; elsewhere anew.

    Not of this process: polars has threads and locks from its import on, which a fork would cut off. The one
    that is forked has imported nothing but IMPORTED and computed nothing, so it has no thread of OpenMP, MKL
    or autograd, which come with the first product. OpenBLAS, where it may have more than one thread, starts
    them when it is loaded, ends them before a fork and starts them anew (pthread_atfork). That process too
    ends with its parent.
    """
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    return context


def begin() -> None:
    """In a worker: an end when the parent is killed (it would go on working for nobody)."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)
