"""What the rows of a training hold in memory at mFAVA's size: 630,000 passages (thirty languages of 30,000, seven tenths
learned from), each beside a reference of its own, about 1,200 tokens together.

    python benchmarks/training_rows.py [--rows 7000 70000 630000] [--write benchmarks/RESULTS.md]

Rows are packed as a training packs them (`training_rows`), from groups of made-up ids that come one after the other;
then an epoch is planned and a thousand of its rows are read as its first batches. Each size is a process of its own.
CPU seconds are user and system; memory is VmHWM less what the process held before (imports). `arrays` is what the
same rows take as arrays in memory, by their own sizes. The texts themselves, which a training is given as a table,
are not in it. `--write` puts the table between the markers `<!-- bench:training-rows -->` and
`<!-- /bench:training-rows -->` of a file. Exit code 1 where 4 GB are passed.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from truerate.config import Backbone
from truerate.detectors.tokens.groups import Answer, Group
from truerate.detectors.tokens.rows import collate
from truerate.detectors.tokens.train import training_rows
from truerate.detectors.training.engine import steps_of
from truerate.results.markers import write_between

LIMIT = 4.0  # GB
N_WORDS = 128_000
REFERENCE, ANSWER = (1000, 250), (200, 60)  # mean and deviation of their tokens
SETTINGS = {
    "weights": "tiny",
    "mask": "prefix",
    "features": ["match", "alignment"],
    "learning_rate": 2e-3,
    "weight_decay": 0.01,
    "max_tokens": 4096,
    "batch": 32,
    "accumulation": 1,
    "token_budget": 32_768,
    "epochs": 1,
}
READ = 1000  # rows that are read as batches
BYTES = {
    "arrays": 16 + 2
}  # of a token in memory: ids, positions, segments, labels of four, two features of one


def main() -> int:
    """Measure every size in a process of its own, print, and write where asked."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, nargs="+", default=[7_000, 70_000, 630_000])
    options.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options.add_argument("--write", type=Path, help="file whose marked block is replaced")
    given = options.parse_args()
    if given.one:
        print(json.dumps(measured(given.one)))
        return 0
    found = {n: json.loads(of_its_own(n).splitlines()[-1]) for n in given.rows}
    text = table(found)
    print(text)
    if given.write:
        write_between(given.write, "bench:training-rows", text)
    return int(any(one["memory"] > LIMIT for one in found.values()))


def of_its_own(n: int) -> str:
    """What a process of its own prints."""
    words = [sys.executable, __file__, "--one", str(n)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def table(found: dict[int, dict]) -> str:
    """One line per size."""
    lines = [
        "| rows | tokens | GB in memory | GB as arrays | CPU s, packing | CPU s, plan of an epoch | µs to read a row |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for n, one in found.items():
        shown = [f"{one[name]:.2f}" for name in ("memory", "arrays")]
        costs = [f"{one['packing']:.1f}", f"{one['plan']:.1f}", f"{one['read']:.0f}"]
        lines.append(f"| {n:,} | {one['tokens']:,} | {' | '.join([*shown, *costs])} |")
    return "\n".join([*lines, "", f"Limit: {LIMIT:.0f} GB in memory."])


def measured(n: int) -> dict[str, float]:
    """Bytes and seconds of a training's rows."""
    how, before = Backbone.model_validate(SETTINGS), peak()
    began = time.process_time()
    known = training_rows(groups(n), how)
    packed = time.process_time()
    steps = steps_of(known, how, 0, 0)
    planned = time.process_time()
    parts = [part for step in steps for part in step]
    n_read = 0
    for part in parts:
        collate([known[i] for i in part], 0)
        n_read += len(part)
        if n_read >= READ:
            break
    read = time.process_time()
    tokens = sum(row.n_tokens for row in known)
    return {
        "tokens": tokens,
        "memory": (peak() - before) / 1e9,
        "arrays": tokens * BYTES["arrays"] / 1e9,
        "packing": packed - began,
        "plan": planned - packed,
        "read": 1e6 * (read - planned) / n_read,
    }


def groups(n: int) -> Iterator[Group]:
    """Passages with a reference of their own each, of made-up ids."""
    random = np.random.default_rng(7)
    for place in range(n):
        m, k = (max(20, int(random.normal(*of))) for of in (REFERENCE, ANSWER))
        labels = (random.random(k) < 0.2).astype(np.int32)
        ids = random.integers(0, N_WORDS, m + k, dtype=np.int32)
        answer = Answer(
            f"{place:016x}", ids[m:], np.zeros((k, 2), np.int32), labels, np.ones((k, 2), np.int8)
        )
        yield Group(ids[:m], (answer,))


def peak() -> int:
    """The most bytes that this process held."""
    status = Path("/proc/self/status").read_text("utf-8")
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


if __name__ == "__main__":
    sys.exit(main())
