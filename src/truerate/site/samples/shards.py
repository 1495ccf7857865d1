"""Records of the sample browser as files, a part at a time: shards of records, and the words in them. Parts
know nothing of one another, so that two processes share a large board and no more than a few parts are in
memory.
"""

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from pathlib import Path

from truerate.site.samples.packing import packed, spelled
from truerate.site.samples.word_index import PART, word_lists

SHARD = 100  # records of a file
WORKERS = 2
AHEAD = 1  # parts that wait for a process: more of them cost memory, and no process waits for one
Part = tuple[list[str], list[str]]  # packed shards, packed lists of words by bucket
Spelled = tuple[list[bytes], list[str]]  # shards as JSON, what is searched of each record: quick to send


def parts(records: Iterable[dict], n_buckets: int) -> Iterator[Part]:
    """Yield shards of `PART` records and the words of `_search`; other processes pack further parts."""
    batches = map(spelled_part, _batches(iter(records)))
    first = list(islice(batches, 2))
    packing = _beside if len(first) == 2 and _can_start() else _in_turn
    return packing(chain(first, batches), n_buckets)


def _batches(records: Iterator[dict]) -> Iterator[list[dict]]:
    while batch := list(islice(records, PART)):
        yield batch


def spelled_part(records: list[dict]) -> Spelled:
    """One part as JSON and its searched words, in a tenth of the time of the records."""
    searched = ["\n".join(filter(None, record["_search"])) for record in records]
    shown = [_without(record) for record in records]
    return [spelled(shown[k : k + SHARD]) for k in range(0, len(shown), SHARD)], searched


def _without(record: dict) -> dict:
    shown = record.copy()
    for name in [name for name in record if name[0] == "_"]:
        del shown[name]
    return shown


def part(batch: Spelled, n_buckets: int) -> Part:
    """One part, packed."""
    shards, searched = batch
    return [packed(shard) for shard in shards], word_lists(searched, n_buckets)


def _in_turn(batches: Iterable[Spelled], n_buckets: int) -> Iterator[Part]:
    return (part(batch, n_buckets) for batch in batches)


def _can_start() -> bool:
    """Return whether a fresh process can read the program that runs; one from standard input it cannot."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file is None or Path(file).is_file()


def _beside(batches: Iterable[Spelled], n_buckets: int) -> Iterator[Part]:
    """Two processes, started afresh: a process that Polars' threads run in must not be forked."""
    n = min(WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else WORKERS)
    with ProcessPoolExecutor(n, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from _ahead(lambda batch: pool.submit(part, batch, n_buckets), iter(batches), n + AHEAD)


def _ahead(submit: Callable[[Spelled], Future], batches: Iterator[Spelled], n: int) -> Iterator[Part]:
    """Results in order, with at most `n` parts under way."""
    waiting = deque(map(submit, islice(batches, n)))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(map(submit, islice(batches, 1)))
