"""Records of the sample browser as files, a part at a time: shards of records, and the words in them. Parts know
nothing of one another, so that two processes share a large board and no more than a few parts are in memory.
"""

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from pathlib import Path

from truerate.site.packing import packed_json
from truerate.site.word_index import PART, word_lists

SHARD = 100  # records of a file
WORKERS = 2
Part = tuple[list[str], list[str]]  # packed shards, packed lists of words by bucket


def parts(records: Iterable[dict], n_buckets: int) -> Iterator[Part]:
    """The records in parts of `PART`, in order: shards without what begins with `_`, and the words of `_search`.

    Where there is more than one part, other processes pack them while further records are made.
    """
    batches = _batches(iter(records))
    first = list(islice(batches, 2))
    packing = _beside if len(first) == 2 and _can_start() else _in_turn
    return packing(chain(first, batches), n_buckets)


def _batches(records: Iterator[dict]) -> Iterator[list[dict]]:
    while batch := list(islice(records, PART)):
        yield batch


def part(records: list[dict], n_buckets: int) -> Part:
    """One part, packed."""
    words = word_lists(["\n".join(filter(None, record["_search"])) for record in records], n_buckets)
    shown = [{name: value for name, value in one.items() if name[0] != "_"} for one in records]
    return [packed_json(shown[k : k + SHARD]) for k in range(0, len(shown), SHARD)], words


def _in_turn(batches: Iterable[list[dict]], n_buckets: int) -> Iterator[Part]:
    return (part(batch, n_buckets) for batch in batches)


def _can_start() -> bool:
    """Whether a fresh process can read the program that runs; one that came in on standard input it cannot."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file is None or Path(file).is_file()


def _beside(batches: Iterable[list[dict]], n_buckets: int) -> Iterator[Part]:
    """Two processes, started afresh: a process that Polars' threads run in must not be forked."""
    n = min(WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else WORKERS)
    with ProcessPoolExecutor(n, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from _ahead(lambda batch: pool.submit(part, batch, n_buckets), iter(batches), n)


def _ahead(submit: Callable[[list[dict]], Future], batches: Iterator[list[dict]], n: int) -> Iterator[Part]:
    """Results in order, with at most `n` parts under way."""
    waiting = deque(map(submit, islice(batches, n)))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(map(submit, islice(batches, 1)))
