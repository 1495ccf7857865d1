"""What WildHallucinations costs at its paper's size: calls, CPU seconds and memory of every step at 1:100, 1:20 and 1:5
of 7,919 entities with ten pages each (347 kB of text an entity) and 15 subjects, and what follows for the whole.

    python benchmarks/wild_scale.py [--parts 100 20 5] [--whole] [--scratch DIR [--again publish]]
        [--write benchmarks/RESULTS.md]

A list of entities and recorded searches whose pages are made (sentences of Zipf's words) run through the track's own
steps with the limits and the evidence of the full profile: five passages of 190 words a fact, each call with those of
its ten facts. A reply has 28 sentences, each a fact, and 7 % abstain (the paper's replies have 29.6 facts and 93 %
respond). Each job of a step is a process of its own that reads and writes the tables of the flow; replies are made
from the prompts and nothing is sent, so what is measured is all but the asking (`bench:llm`) and the fetching. The
number of jobs is that which a board of the size has (`Layout.shards_of`). Three labellers return the tasks of `export`,
as many as the full profile gives out whatever the size. `publish` makes the files of a release with their card and
looks for secrets in them; nothing is sent. Calls are held against those that `truerate plan` tells beforehand.

With `--whole` the steps on the data set are also measured on one of the paper's size, 118,785 replies and their pages:
that of a smaller size with its rows repeated under ids of their own, so that there are as many rows and bytes and no
new words. CPU seconds (user and system) are those of the process and all that it waited for; memory is VmHWM of the largest job.
`--scratch` keeps what was made and measured, so that steps are measured one after the other, and anew with `--again`.
`--write` puts the table between the markers `<!-- bench:wild-scale -->` and `<!-- /bench:wild-scale -->` of a file.
Exit code 1 where a limit is passed.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from wild_project import (
    BOARD,
    ENTITIES,
    OF_SUBJECT,
    PAGE_CHARS,
    SUBJECTS,
    labels_of,
    project,
    replied,
    scratch_of,
    subjects,
    whole_project,
)

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")

JOBS = 25  # of a step at the paper's size
LEAST_PLANNED = 50  # entities
MEMORY_GB, EXPONENT, PLANNED = 1.5, 1.05, 0.25  # limits: of every process, of its CPU, of the plan's calls
FLOOR_S = 1.0  # CPU seconds of growth below which an exponent would be of noise
PER_SHARD = ("evidence", "generate", "facts")  # a process per job
STEPS = ("plan", *PER_SHARD, "export", "label", "audit", "score", "publish")
AFTER = ("label", "audit", "score", "publish")  # steps on the data set, also measured at the paper's size
WHAT = {
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
    """CPU seconds of all jobs of a step, peak memory in GB of the largest, calls, and how many jobs."""

    cpu: float
    memory: float
    calls: int
    jobs: int


# ---- the steps ---------------------------------------------------------------------------------------------
def run_step(name: str, subject: str, shard: int) -> int:
    """One job of a step in the project of this folder; how many calls it asked for, or (`plan`) told."""
    from truerate.config.layout import Layout
    from truerate.flow import evaluate

    at = Layout.load().on(BOARD)
    if name in PER_SHARD:
        return run_job(at, name, subject, shard)
    if name == "plan":
        return planned(at)
    if name in ("export", "publish"):
        {"export": export, "publish": publish}[name](at)
    elif name == "score":
        from truerate.flow import pages

        evaluate.score(at, BOARD)
        pages.leaderboard(at)
    else:
        getattr(evaluate, name)(at, BOARD)
    return 0


def run_job(at, name: str, subject: str, shard: int) -> int:
    """A shard of a step of the track's graph, replies made in place of asking; how many it asked for."""
    from truerate.core.schemas import Generation, read, write
    from truerate.flow.dataset import BESIDE, replies_in, with_beside
    from truerate.flow.sources import load_source
    from truerate.tracks.wildhallucinations import graph, steps

    reads = next(step.reads for step in graph.GRAPH if step.name == name)
    inputs = [
        str(path)
        for earlier in reads
        for path in sorted(Path().glob(str(scratch_of(earlier.step, subject, "*[0-9]"))))
        if not earlier.is_of_shard or path.stem == f"{earlier.step}-{shard}"
    ]
    asked = []

    def asking(requests, at, *, label):
        asked.extend(requests)
        return replied(requests, at, label=label)

    tables = load_source(at, BOARD, reading=read)
    rows, more = with_beside(
        getattr(steps, name)(at, BOARD, subject, tables, shard, replies_in(inputs), asking=asking)
    )
    output = scratch_of(name, subject, shard)
    for table, data in more.items():
        write(BESIDE[table], data, beside_of(output, table))
    write(Generation, rows, output)
    return len(asked)


def beside_of(output: Path, table: str) -> Path:
    """Where a further table of a job lies."""
    from truerate.config.layout import beside

    return Path(beside(str(output), table))


def planned(at) -> int:
    """The calls of models that the plan tells, but those of replies that may be asked for again."""
    from truerate.flow import plan

    class Counted(plan.Priced):
        """A line of the plan that counts its requests apart from what may be asked for again."""

        n = 0

        def add(self, requests, reminders) -> None:
            super().add(requests, reminders)
            self.n += len(requests)

    lines, _ = plan.planned_with(at, BOARD, plan.imported(at, BOARD), partial(Counted, at))
    return sum(line.n for line in lines)


def export(at) -> None:
    """The data set's tables as the flow writes them, its tasks, and what three labellers say of them."""
    from truerate.flow.dataset import exported_to
    from truerate.flow.guard import write_lines
    from truerate.flow.sources import load_source
    from truerate.tracks.wildhallucinations import steps

    def files(step: str, subject: str) -> list[str]:
        found = Path().glob(str(scratch_of(step, subject, "*[0-9]")))
        return [str(path) for path in sorted(found, key=lambda path: int(path.stem.rpartition("-")[2]))]

    inputs = files("evidence", "") + [
        path for one in subjects() for step in OF_SUBJECT for path in files(step, one)
    ]
    slices = [
        pair for one in subjects() for pair in zip(*(files(step, one) for step in steps.SLICED), strict=True)
    ]
    _, tasks = exported_to(partial(at.dataset, BOARD), at, BOARD, load_source(at, BOARD), inputs, slices)
    write_lines(at.dataset(BOARD, "tasks.jsonl"), map(json.dumps, tasks))
    said = (json.dumps(one) for task in tasks for one in labels_of(task))
    write_lines(at.annotations(BOARD), said)


def publish(at) -> None:
    """The files of a release of the board, looked through for secrets."""
    from truerate.flow.publish import refuse_unaudited
    from truerate.flow.release import board_draft
    from truerate.hub.kept import kept_of
    from truerate.hub.release import Stamp
    from truerate.hub.scan import scan

    refuse_unaudited(at, BOARD)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        draft = board_draft(at, BOARD, repo="org/board", folder=Path(folder))
        files = draft.files(stamp=Stamp("2026-01-01", "x"), changelog="", kept=kept_of(""))
        assert not scan(files, environment={}, secrets=())


# ---- measuring ---------------------------------------------------------------------------------------------
def child(given: argparse.Namespace) -> None:
    """Run one job and tell what it took, imports apart."""
    import truerate.llm  # noqa: F401  what every step loads
    import truerate.tracks.wildhallucinations.steps  # noqa: F401
    from truerate.flow.dataset import collect_rarely

    if given.step in PER_SHARD:
        collect_rarely()  # as every step of the flow
    start = used()
    calls = run_step(given.step, given.subject, given.shard)
    print(json.dumps({"cpu": used() - start, "memory": peak(), "calls": calls}))


def used() -> float:
    """User and system seconds of this process and its children so far."""
    both = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def peak() -> float:
    """The most memory in GB that this process, or one that it waited for, held."""
    own = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    return max(int(own.split()[1]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 2**20


def measured(step: str, folder: Path, n: int, jobs: int) -> Spent:
    """All jobs of a step, one after the other, each in a process of its own. Jobs that an earlier run made before it was
    ended are not run again: they count as the mean of the others.
    """
    found, n_jobs = [], 0
    environment = os.environ | {"TRUERATE_STORE": str(folder / "store.sqlite")}
    for subject in subjects() if step in OF_SUBJECT else ("web",):
        for shard in range(jobs if step in PER_SHARD else 1):
            n_jobs += 1
            if step in PER_SHARD and (folder / scratch_of(step, subject, shard)).is_file():
                continue
            words = [sys.executable, __file__, "--step", step, "--subject", subject, "--shard", str(shard)]
            done = subprocess.run(
                words, capture_output=True, text=True, check=False, env=environment, cwd=folder
            )
            if done.returncode:
                raise SystemExit(f"{step} {subject} {shard} at {n}: {done.stderr[-3000:]}")
            found.append(json.loads(done.stdout.splitlines()[-1]))
    cpu, calls = (sum(one[key] for one in found) * n_jobs / len(found) for key in ("cpu", "calls"))
    spent = Spent(cpu, max(one["memory"] for one in found), round(calls), n_jobs)
    told = f"{n:>6} {step:10} {spent.cpu:8.1f} s {spent.memory:.2f} GB {spent.calls:>8,} ({len(found)} of {n_jobs} jobs)"
    print(told, file=sys.stderr, flush=True)
    return spent


def run_all(scratch: Path, n: int, again: Sequence[str], last: str) -> dict[str, Spent]:
    """Every step at one size up to the `last`, each on what those before it wrote. What a scratch folder holds is not
    made `again` unless it is named.
    """
    folder = scratch / str(n)
    told = folder / "measured.json"
    if not folder.is_dir():
        folder.mkdir(parents=True)
        subprocess.run([sys.executable, __file__, "--project", str(folder), "--n", str(n)], check=True)
    found = {
        step: Spent(*spent)
        for step, spent in (json.loads(told.read_text("utf-8")) if told.is_file() else {}).items()
        if step not in again
    }
    for path in (path for step in again if step in PER_SHARD for path in folder.glob(f"scratch/*/{step}-*")):
        path.unlink()
    jobs = json.loads((folder / "jobs.json").read_text("utf-8"))
    for step in STEPS[: STEPS.index(last) + 1]:
        if step not in found:
            found[step] = measured(step, folder, n, jobs)
            told.write_text(json.dumps(found, indent=1), "utf-8")
    return found


def run_whole(scratch: Path, n: int, again: Sequence[str]) -> dict[str, Spent]:
    """The steps on a data set of the paper's size, made of that of a smaller one."""
    folder = scratch / "whole"
    told = folder / "measured.json"
    if not (folder / "made").is_file():
        words = [sys.executable, __file__, "--whole-of", str(scratch / str(n)), "--project", str(folder)]
        subprocess.run(words, check=True)
        told.unlink(missing_ok=True)
        (folder / "made").touch()
    known = json.loads(told.read_text("utf-8")) if told.is_file() else {}
    found = {step: Spent(*spent) for step, spent in known.items() if step not in again}
    for step in AFTER:
        if step not in found:
            found[step] = measured(step, folder, ENTITIES, 1)
            told.write_text(json.dumps(found, indent=1), "utf-8")
    return found


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
    at = [n / (found[n]["evidence"].jobs if of_job else 1) for n in (low, high)]
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


def table(found: dict[int, dict[str, Spent]], whole: dict[str, Spent]) -> tuple[str, bool]:
    """What was measured as Markdown, and whether every limit is held. `whole`: at the paper's size, where measured."""
    sizes = sorted(found)
    heads = " / ".join(f"1:{round(ENTITIES / n)}" for n in sizes)
    lines = [
        f"| step | jobs {heads} | calls | CPU s | GB of the largest job | exponent of CPU | of the whole: calls, CPU h, GB |",
        "| --- |" + " ---: |" * 6,
    ]
    is_held = True
    for step in STEPS:
        row, grows = [found[n].get(step) for n in sizes], exponent(step, found)
        n, largest = max((n, found[n][step]) for n in sizes if step in found[n])
        times = ENTITIES / n
        last = whole.get(step, Spent(largest.cpu * times, memory_of_the_whole(step, found), 0, 0))
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
    said = []
    for n in (n for n in sizes if {"plan", *OF_SUBJECT} <= found[n].keys()):
        asked, told = sum(found[n][step].calls for step in OF_SUBJECT), found[n]["plan"].calls
        is_held &= n < LEAST_PLANNED or abs(told / asked - 1) <= PLANNED
        said.append(f"1:{round(ENTITIES / n)} {told:,} of {asked:,} ({told / asked - 1:+.0%})")
    limit = f"Limits: {MEMORY_GB} GB a process, exponent {EXPONENT}."
    lines += [
        "",
        f"Calls that `truerate plan` told beforehand, of those that were made: {', '.join(said)}; limit ±25 %, from"
        f" {LEAST_PLANNED} entities on.",
        "",
        f"{SUBJECTS} subjects; –: not measured. Of the whole with *: what follows, memory by a straight line through the"
        " two largest sizes that were measured; without: measured on a data set of that size, made of a smaller one"
        " by repeating its rows under ids of their own.",
        "",
        limit + (" All held." if is_held else " **Not all held.**"),
    ]
    return "\n".join(lines), is_held


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=int, nargs="+", default=[100, 20, 5], help="of the paper's entities")
    parser.add_argument("--scratch", type=Path, help="folder that keeps what was made and measured")
    parser.add_argument("--again", nargs="*", choices=STEPS, default=[], help="steps to measure anew")
    parser.add_argument("--last", choices=STEPS, default=STEPS[-1], help="step to end with")
    parser.add_argument("--write", type=Path, help="file with the markers")
    parser.add_argument("--whole", action="store_true", help="steps on the data set at the paper's size, too")
    for name in ("--step", "--subject", "--project", "--whole-of"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    for name in ("--n", "--shard"):
        parser.add_argument(name, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        child(given)
        return 0
    if given.whole_of:
        whole_project(Path(given.whole_of), Path(given.project))
        return 0
    if given.project:
        project(given.n, Path(given.project), PAGE_CHARS)
        return 0
    with tempfile.TemporaryDirectory() as name:
        place = (given.scratch or Path(name)).resolve()
        sizes = [ENTITIES // part for part in given.parts]
        found = {n: run_all(place, n, given.again, given.last) for n in sizes}
        whole = run_whole(place, max(sizes), given.again) if given.whole else {}
    text, is_held = table(found, whole)
    print(text)
    if given.write:
        from truerate.real.markers import write_between

        write_between(given.write, "bench:wild-scale", text)
    return int(not is_held)


if __name__ == "__main__":
    sys.exit(main())
