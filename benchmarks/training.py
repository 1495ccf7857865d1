"""What the order of training costs: length buckets and shared references beside random batches padded to
their longest, one network.

    python benchmarks/training.py [--write benchmarks/RESULTS.md]

CPU seconds of one thread; ratios inside one run are comparable between machines. `--write` puts the table
between the markers `<!-- bench:training -->` and `<!-- /bench:training -->` of a file.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import torch

from truerate.config import Backbone
from truerate.core.keys import draw
from truerate.detectors.tokens.encode import Coder, tiny_coder
from truerate.detectors.tokens.groups import Answer, Group
from truerate.detectors.tokens.network import build
from truerate.detectors.tokens.span_probabilities import labels_of
from truerate.detectors.tokens.train import token_task, training_rows
from truerate.detectors.training.engine import Row, State, Step, learn, padding_waste, steps_of
from truerate.results.markers import write_between

SETTINGS = {
    "weights": "tiny",
    "mask": "prefix",
    "features": ["match", "alignment"],
    "learning_rate": 2e-3,
    "weight_decay": 0.01,
}
SETTINGS |= {"max_tokens": 2048, "batch": 16, "accumulation": 1, "token_budget": 4096, "epochs": 1}
MIXES = {  # references and answers in tokens, shortest and longest, drawn evenly over their logarithms
    "wiki leads": ((60, 600), (40, 200)),
    "long references": ((100, 1500), (40, 250)),
}


def main() -> None:
    """Measure and print; with --write also into a file."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", help="file whose marked block is replaced")
    options.add_argument("--answers", type=int, default=2000, help="whose padding is counted")
    options.add_argument("--steps", type=int, default=3, help="timed per round")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    torch.set_num_threads(1)
    lines = [line for mix in MIXES for k in (1, 4) for line in measured(mix, k, given)]
    head = "| lengths | answers per reference | batches | padding | tokens per answer | answers per CPU-s | ratio |\n"
    note = f"One network of about a million parameters, steps of 16 answers, median of {given.rounds} interleaved rounds, one thread."
    table = head + "| --- | ---: | --- | ---: | ---: | ---: | ---: |\n" + "\n".join(lines) + f"\n\n{note}"
    print(table)
    if given.write:
        write_between(Path(given.write), "bench:training", table)


def measured(mix: str, k: int, given: argparse.Namespace) -> list[str]:
    """Two lines: random padded batches with one answer per row, and ours."""
    coder = tiny_coder(["some words to learn from"])
    groups = [group(mix, i, k, coder) for i in range(given.answers // k)]
    how = Backbone.model_validate(SETTINGS)
    ways = {"random, padded": padded(groups, how), "length buckets": bucketed(groups, how)}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(given.rounds):
        for name, (known, steps) in ways.items():
            rates[name].append(speed(known, steps, turn * given.steps, given.steps, how, coder))
    base = statistics.median(rates["random, padded"])
    lines = []
    for name, (known, steps) in ways.items():
        rate, n = statistics.median(rates[name]), sum(row.n_answers for row in known)
        per_answer = sum(row.n_tokens for row in known) / n
        lines.append(
            f"| {mix} | {k} | {name} | {padding_waste(steps, known):.1%} | {per_answer:.0f} | {rate:.1f} | {rate / base:.2f}x |"
        )
    return lines


def group(mix: str, i: int, k: int, coder: Coder) -> Group:
    """A reference and `k` answers of drawn lengths, made of drawn ids."""

    def length(what: str, bounds: tuple[int, int]) -> int:
        return round(bounds[0] * (bounds[1] / bounds[0]) ** draw("benchmark", mix, i, what))

    references, answers = MIXES[mix]
    random = np.random.default_rng(i)
    made = []
    for j in range(k):
        n = length(f"answer {j}", answers)
        ids, labels = (
            random.integers(0, coder.n_words, n, dtype=np.int32),
            (random.random(n) < 0.2).astype(np.int64),
        )
        made.append(Answer(f"{i}-{j}", ids, np.zeros((n, 2), np.int32), labels, np.ones((n, 2), np.int8)))
    return Group(
        random.integers(0, coder.n_words, length("reference", references), dtype=np.int32),
        tuple(made),
    )


def padded(groups: list[Group], how: Backbone) -> tuple[list[Row], list[Step]]:
    """One answer per row, batches of drawn rows, each padded to its longest."""
    known = training_rows(groups, how.model_copy(update={"mask": "full"}))
    order = sorted(range(len(known)), key=lambda i: draw("benchmark", known[i].name))
    return known, [[order[i : i + how.batch]] for i in range(0, len(order), how.batch)]


def bucketed(groups: list[Group], how: Backbone) -> tuple[list[Row], list[Step]]:
    """What training does."""
    known = training_rows(groups, how)
    return known, steps_of(known, how, 42, 0)


def speed(known: list[Row], steps: list[Step], first: int, n: int, how: Backbone, coder: Coder) -> float:
    """Answers per CPU second over `n` steps."""
    network = build(how, labels_of("binary"), coder, 42)
    state, task = State(network, how, len(steps)), token_task(network, known, [], how)
    chosen = [steps[(first + i) % len(steps)] for i in range(n)]
    began = time.process_time()
    for step in chosen:
        learn(state, task, step)
    return sum(known[i].n_answers for step in chosen for part in step for i in part) / (
        time.process_time() - began
    )


if __name__ == "__main__":
    main()
