"""What `wild_scale.py` measured, and the tables that it makes of that."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from wild_project import ENTITIES, OF_SUBJECT, SUBJECTS

JOBS = 25  # of a step at the paper's size
LEAST_PLANNED = 50  # entities
MEMORY_GB, EXPONENT, PLANNED = 1.5, 1.05, 0.25  # limits: of every process, of its CPU, of the plan's calls
FLOOR_S = 1.0  # CPU seconds of growth below which an exponent would be of noise
PER_SHARD = ("evidence", "generate", "facts")  # a process per job
WHAT = {
    "sources": "the list and its pages imported",
    "plan": "`truerate plan`",
    "evidence": "recorded searches to pages",
    "generate": "the subjects' questions",
    "facts": "their replies as facts, passages found, verified",
    "export": "data set and tasks",
    "label": "labels back in",
    "audit": "shortcut audit",
    "score": "scores and rows",
    "publish": "files of a release",
}


class Spent(NamedTuple):
    """CPU seconds of all jobs of a step, peak memory in GB of the largest, how many jobs, and what was asked of models
    (`counted`), or what the plan tells of that.
    """

    cpu: float
    memory: float
    jobs: int
    asked: dict[str, int]

    @property
    def calls(self) -> int:
        """Calls of models."""
        return self.asked.get("calls", 0)


def counted(requests: Iterable) -> dict[str, int]:
    """What requests ask: how many they are, the claims that a verifier is given and the passages that it is shown, and
    tokens of all prompts, of four bytes each.
    """
    found = Counter(calls=0)
    for request in requests:
        texts = [message["content"] for message in request.messages]
        found["calls"] += 1
        found["tokens of prompts"] += sum(len(text.encode()) for text in texts) // 4
        passages, claims, rest = texts[-1].partition("#Claims#")
        if claims:
            found["claims"] += sum(line.startswith("[") for line in rest.splitlines())
            found["passages shown"] += len(re.findall(r"^\(\d+\) ", passages, re.MULTILINE))
    return dict(found)


def memory_of_the_whole(step: str, found: dict[int, dict[str, Spent]]) -> float:
    """Peak GB of the largest job at the paper's size, by a straight line through the two largest sizes at which the step
    was measured: over the entities of one job of a step with jobs, and of `export`, which reads what one job of each
    subject gave at a time, else over all.
    """
    sizes = sorted(n for n in found if step in found[n])
    low, high = sizes[-2:] if len(sizes) > 1 else (sizes[0], sizes[0])
    if low == high:
        return found[high][step].memory
    of_job = step in (*PER_SHARD, "export")
    at = [n / (found[n]["generate"].jobs / SUBJECTS if of_job else 1) for n in (low, high)]
    grows = (found[high][step].memory - found[low][step].memory) / (at[1] - at[0])
    return found[high][step].memory + max(0.0, grows) * (ENTITIES / (JOBS if of_job else 1) - at[1])


def exponent(step: str, found: dict[int, dict[str, Spent]]) -> float | None:
    """By which power of the size CPU grows from the smallest to the largest size at which the step was measured; None
    where that is next to nothing.
    """
    sizes = [n for n in found if step in found[n]]
    low, high = found[min(sizes)][step].cpu, found[max(sizes)][step].cpu
    return (
        None
        if high - low < FLOOR_S or len(sizes) < 2
        else math.log(high / low) / math.log(max(sizes) / min(sizes))
    )


def told_beforehand(found: dict[int, dict[str, Spent]]) -> tuple[list[str], bool]:
    """What the plan told and what then was asked, by size, as Markdown, nothing where one was not measured; and whether all
    of it is within the limit.
    """
    sizes = [n for n in sorted(found) if {"plan", *OF_SUBJECT} <= found[n].keys()]
    if not sizes:
        return [], True
    heads = " | ".join(f"1:{round(ENTITIES / n)}" for n in sizes)
    lines = [
        f"| `truerate plan` told, of what was asked (limit ±{PLANNED:.0%}, from {LEAST_PLANNED} entities on) | {heads} |",
        "| --- |" + " ---: |" * len(sizes),
    ]
    is_held = True
    for what in dict.fromkeys(what for n in sizes for what in found[n]["plan"].asked):
        cells = []
        for n in sizes:
            told = found[n]["plan"].asked[what]
            asked = sum(found[n][step].asked.get(what, 0) for step in OF_SUBJECT)
            is_held &= n < LEAST_PLANNED or abs(told / asked - 1) <= PLANNED
            cells.append(f"{told:,} of {asked:,} ({told / asked - 1:+.0%})")
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return lines, is_held


def tables_of(found: dict[int, dict[str, Spent]], whole: dict[str, Spent]) -> tuple[str, bool]:
    """What was measured as Markdown, and whether every limit is held. `whole`: at the paper's size, where measured."""
    sizes = sorted(found)
    heads = " / ".join(f"1:{round(ENTITIES / n)}" for n in sizes)
    lines = [
        f"| step | jobs {heads} | calls | CPU s | GB of the largest job | exponent of CPU | of the whole: calls, CPU h, GB |",
        "| --- |" + " ---: |" * 6,
    ]
    is_held = True
    for step in [step for step in WHAT if any(step in found[n] for n in sizes)]:
        row, grows = [found[n].get(step) for n in sizes], exponent(step, found)
        n, largest = max((n, found[n][step]) for n in sizes if step in found[n])
        times = ENTITIES / n
        last = whole.get(step, Spent(largest.cpu * times, memory_of_the_whole(step, found), 0, {}))
        is_held &= (grows is None or grows <= EXPONENT) and last.memory <= MEMORY_GB
        told = [
            " / ".join("–" if one is None else f"{one.jobs:,}" for one in row),
            " / ".join("–" if one is None else f"{one.calls:,}" for one in row),
            " / ".join("–" if one is None else f"{one.cpu:,.1f}" for one in row),
            " / ".join("–" if one is None else f"{one.memory:.2f}" for one in row),
            "–" if grows is None else f"{grows:.2f}",
            f"{largest.calls * times:,.0f}, {last.cpu / 3600:,.2f}, {last.memory:.2f}{'' if step in whole else ' *'}",
        ]
        lines.append(f"| {WHAT[step]} | {' | '.join(told)} |")
    limit = f"Limits: {MEMORY_GB} GB a process, exponent {EXPONENT}."
    told, is_told = told_beforehand(found)
    is_held &= is_told
    lines += [
        *(["", *told] if told else []),
        "",
        f"{SUBJECTS} subjects; –: not measured. Of the whole with *: what follows, memory by a straight line through the"
        " two largest sizes that were measured; without: measured on a data set of that size, made of a smaller one"
        " by repeating its rows under ids of their own.",
        "",
        limit + (" All held." if is_held else " **Not all held.**"),
    ]
    return "\n".join(lines), is_held
