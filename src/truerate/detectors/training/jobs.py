"""Jobs of training and judging: each is done once in a scratch folder that its content names, side by side
with the others, and gathered in the folder of its family. A job that was killed goes on; what is there is
whole.
"""

import json
import multiprocessing
import os
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, TypeVar

from truerate.config import Backbone
from truerate.detectors.training import processes

FACTS = "facts.json"
STATE = "state"  # what is handed on, inside a scratch folder
CHECKPOINT = "checkpoint.pt"  # of a training that goes on


def made_once(scratch: Path, work: Callable[[Path], tuple[dict, dict]]) -> None:
    """Have `work` fill a folder, unless its state is there. The state appears whole, by a rename; then the
    checkpoint goes. `work` gives what its training found, the same on every run (`facts.json` of the state),
    and what this run cost (`run.json`, beside it).
    """
    if (scratch / STATE).is_dir():
        return
    aside = scratch / f"{STATE}.{os.getpid()}.tmp"
    shutil.rmtree(aside, ignore_errors=True)
    facts, run = work(aside)
    if processes.rank():
        return
    write(aside / FACTS, facts)
    write(scratch / "run.json", run)
    os.replace(aside, scratch / STATE)
    (scratch / CHECKPOINT).unlink(missing_ok=True)


def write(path: Path, values: dict) -> None:
    """Values as JSON, the same bytes for the same values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")


def fit_all(jobs: Sequence[Any], fit: Callable[[Any], None], folder: Path) -> None:
    """Fit every job (`cell`, `scratch`, `backbone`) that has no state yet, side by side on a CPU, and put
    each state under `folder`/<member>/<cell>. Under `torchrun` or `accelerate launch` the processes share
    each training, and the first puts them there.
    """
    processes.join()
    processes.wait()  # `folder` was emptied by each of them
    each(fit, [job for job in jobs if not (job.scratch / STATE).is_dir()], lambda job: job.backbone)
    processes.wait()
    for job in jobs if processes.rank() == 0 else []:
        shutil.copytree(job.scratch / STATE, Path(folder) / job.cell.member / job.cell.name)
    processes.wait()


IMPORTED = [
    "torch",
    "transformers.models.llama.modeling_llama",
]  # what takes seconds; nothing that imports polars
Job = TypeVar("Job")
Result = TypeVar("Result")


def n_workers(apart: Sequence[Backbone]) -> int:
    """Processes for so many small networks, one per core; 0 where a GPU or a large network is used."""
    if (
        any(backbone.weights != "tiny" for backbone in apart)
        or processes.device() == "cuda"
        or processes.world() > 1
    ):
        return 0
    has_affinity = hasattr(os, "sched_getaffinity")
    n = min(len(apart), len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1)
    return n if n > 1 else 0


def each(
    work: Callable[[Job], Result], jobs: Sequence[Job], backbone_of: Callable[[Job], Backbone | None]
) -> list[Result]:
    """Return what `work` gives for each job, in their order: networks side by side, rules meanwhile in this
    process. An error ends it and lets no further job begin.
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
    """Return how workers begin: on Linux as forks of a process that has imported torch and transformers, once
    for all of them; elsewhere anew.

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
