"""What WildHallucinations costs at its paper's size: calls, CPU seconds and memory of every step at 1:100, 1:20 and 1:5
of 7,919 entities with ten pages each (347 kB of text an entity), and what follows for the whole.

    python benchmarks/wild_scale.py [--parts 100 20 5] [--write benchmarks/RESULTS.md]

A list of entities and recorded searches whose pages are made (sentences of Zipf's words) run through the track's own
steps with the limits and the evidence of the full profile: five passages of 190 words a fact, each call with those of
its ten facts. A reply has 28 sentences, each a fact, and 7 % abstain (the paper's replies have 29.6 facts and 93 %
respond). Each job of a step is a process of its own that reads and writes the tables of the flow; replies are made
from the prompts and nothing is sent, so what is measured is all but the asking (`bench:llm`) and the fetching. One
subject is asked; the paper asks 15. The number of jobs is that which a board of the size has (`Layout.shards_of`).
Calls are held against those that `truerate plan` tells beforehand. CPU seconds (user and system) and peak memory are
the kernel's account of the process; memory is that of the largest job. `--write` puts the table between the markers
`<!-- bench:wild-scale -->` and `<!-- /bench:wild-scale -->` of a file. Exit code 1 where a limit is passed.
"""

import argparse
import hashlib
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")

ROOT = Path(__file__).parents[1]
BOARD = "wildhallucinations-closed-world"
SUBJECT = "aster"
ENTITIES, SUBJECTS, JOBS = 7919, 15, 25  # of the paper, and jobs of a step there
CHATS = 5  # conversations of the full profile for each entity
PAGES, PAGE_CHARS, SHORT_CHARS = 10, 34_700, 1_000  # pages of an entity, and characters of each
SENTENCES, ABSTAINING = 28, 0.07
MEMORY_GB, EXPONENT, PLANNED = 1.5, 1.05, 0.25  # limits: of every process, of its CPU, of the plan's calls
PER_SHARD = ("evidence", "generate", "facts")
STEPS = ("plan", *PER_SHARD, "export", "score")
WHAT = {
    "plan": "`truerate plan`, one subject",
    "evidence": "recorded searches to pages",
    "generate": "a subject's questions",
    "facts": "its replies as facts, passages found, verified",
    "export": "data set and tasks",
    "score": "scores",
}


class Spent(NamedTuple):
    """CPU seconds of all jobs of a step, peak memory in GB of the largest, calls, and how many jobs."""

    cpu: float
    memory: float
    calls: int
    jobs: int


# ---- what is asked about -----------------------------------------------------------------------------------
def sentence(draws: random.Random) -> str:
    """A sentence of 8 to 26 words, most of them frequent."""
    words = (f"word{min(int(draws.paretovariate(0.7)), 60_000)}" for _ in range(draws.randint(8, 26)))
    return f"{' '.join(words).capitalize()}."


def page(place: int, n_chars: int) -> str:
    """A page of so many characters in paragraphs."""
    draws, parts, size = random.Random(place), [], 0
    while size < n_chars:
        parts.append(sentence(draws) + ("\n\n" if draws.random() < 0.15 else " "))
        size += len(parts[-1])
    return "".join(parts)


def names(n: int) -> list[str]:
    """The names of n entities."""
    return [f"Entity {place:05} of Varn" for place in range(n)]


def searches(n: int, n_chars: int) -> Iterator[dict]:
    """Recorded results of each entity with the texts of their pages."""
    for place, name in enumerate(names(n)):
        found = [
            {
                "link": f"https://site{rank}.example/{place}",
                "title": f"{name} {rank}",
                "text": page(place * PAGES + rank, n_chars),
            }
            for rank in range(PAGES)
        ]
        yield {"query": name, "items": found}


def replied(requests: Sequence, at, *, label: str) -> list:
    """A reply to each request, drawn by its prompt; nothing is asked."""
    from truerate.llm import Reply

    def one(request) -> Reply:
        said = request.messages[-1]["content"]
        key = hashlib.sha256(said.encode()).hexdigest()
        return Reply(key, "ok", answer(said, int(key[:12], 16)), "stop", None, 10, 5, 0.0, False)

    return [one(request) for request in requests]


def answer(said: str, drawn: int) -> str:
    """What a model might say: facts sentence by sentence, verdicts claim by claim, or a paragraph."""
    lines = [line for line in said.splitlines() if line.startswith("[")]
    if "#Claims#" in said:
        return "\n".join(
            f"[{n}] {'not ' * ((drawn >> n) % 5 == 0)}supported" for n in range(1, len(lines) + 1)
        )
    if "#Sentences#" in said:
        return "\n".join(lines)
    draws = random.Random(drawn)
    if draws.random() < ABSTAINING:
        return "I am not familiar with that name."
    return " ".join(sentence(draws) for _ in range(SENTENCES))


# ---- the steps ---------------------------------------------------------------------------------------------
def layout(n: int, folder: Path):
    """The project's settings with these sizes and the full profile's evidence, one subject, jobs by the size."""
    from truerate.config import Params, load_params
    from truerate.config.layout import Layout

    values = load_params(str(ROOT / "params.yaml")).model_dump()
    full = values["sizes"]["full"]["wildhallucinations"]
    values["sizes"]["demo"]["wildhallucinations"] = full | {"entities": n, "chats": CHATS * n}
    values |= {"profile": "demo", "n_shards": None}
    track = values["tracks"]["wildhallucinations"]
    track["subjects"] = (SUBJECT,)
    track["verification"]["n_checked"] = 2_000
    track["search"] |= {"endpoint": None, "url": None, "recorded": str(folder / "searches.jsonl")}
    return Layout(Params.model_validate(values)).on(BOARD)


def tables_of(n: int, folder: Path):
    """The list of entities as its reader reads it."""
    from truerate.sources import entity_list

    listed = folder / "list"
    if not listed.is_dir():
        listed.mkdir()
        rows = "\n".join(json.dumps({"name": name, "n_chats": 3, "domain": "people"}) for name in names(n))
        (listed / "entities.jsonl").write_text(rows + "\n", "utf-8")
    return entity_list.read(listed, name="list", on_bad_row="stop")


def run_step(name: str, folder: Path, n: int, shard: int) -> int:
    """One job of a step on the tables of those before it; how many replies it asked for."""
    from truerate.core.schemas import Generation, write
    from truerate.flow.dataset import BESIDE, replies_in, with_beside
    from truerate.tracks.wildhallucinations import graph, steps

    at = layout(n, folder)
    tables = tables_of(n, folder)
    if name == "plan":
        return planned(at, tables)
    if name in ("export", "score"):
        return finish(name, at, tables, folder)
    reads = next(step.reads for step in graph.GRAPH if step.name == name)
    inputs = [
        path
        for read in reads
        for path in sorted(folder.glob(f"{read.step}-*.parquet"))
        if not read.is_of_shard or path.stem == f"{read.step}-{shard}"
    ]
    asked = []

    def asking(requests, at, *, label):
        asked.extend(requests)
        return replied(requests, at, label=label)

    given = getattr(steps, name)(
        at, BOARD, SUBJECT, tables, shard, replies_in(list(map(str, inputs))), asking=asking
    )
    rows, beside = with_beside(given)
    output = folder / f"{name}-{shard}.parquet"
    for table, data in beside.items():
        write(BESIDE[table], data, place_beside(output, table))
    write(Generation, rows, output)
    return len(asked)


def place_beside(output: Path, table: str) -> Path:
    """Where a further table of a job lies."""
    from truerate.config.layout import beside

    return Path(beside(str(output), table))


def planned(at, tables) -> int:
    """The calls of models that the plan tells."""
    from truerate.flow.plan import planned as plan

    lines = plan(at, BOARD, tables)
    return sum(len(one.requests) for one in lines)


def finish(name: str, at, tables, folder: Path) -> int:
    """The data set's tables as the flow writes them, or its scores; nobody is asked."""
    import polars as pl

    from truerate.core.schemas import Sample, frame
    from truerate.flow.dataset import exported_to, load_thinned
    from truerate.tracks.wildhallucinations import scores, steps

    def place(table: str) -> str:
        return str(folder / f"whole-{table}.parquet")

    if name == "export":
        inputs = {
            step: [str(path) for path in sorted(folder.glob(f"{step}-[0-9]*.parquet"))] for step in PER_SHARD
        }
        slices = list(zip(*(inputs[step] for step in steps.SLICED), strict=True))
        _, tasks = exported_to(
            place, at, BOARD, tables, [path for step in PER_SHARD for path in inputs[step]], slices
        )
        (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)), "utf-8")
        return 0
    read = ("items", "generations", "facts", "judgements", "documents", "rejects")
    whole = {
        table: load_thinned(
            table, place(table), columns=steps.SCORED_COLUMNS.get(table), thinned=scores.thinned
        )
        for table in read
    }
    found, _ = scores.score(at, BOARD, **whole, samples=frame(Sample), inputs="")
    assert found.filter(pl.col("metric") == "wildfactscore").height
    return 0


# ---- measuring ---------------------------------------------------------------------------------------------
def child(given: argparse.Namespace) -> None:
    """Run one job and tell what it took, imports apart."""
    import truerate.llm  # noqa: F401  what every step loads
    import truerate.tracks.wildhallucinations.steps  # noqa: F401
    from truerate.flow.dataset import collect_rarely

    collect_rarely()  # as every step of the flow
    start = used()
    calls = run_step(given.step, Path(given.folder), given.n, given.shard)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"cpu": used() - start, "memory": peak, "calls": calls}))


def used() -> float:
    """User and system seconds of this process and its children so far."""
    both = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def measured(step: str, folder: Path, n: int, jobs: int) -> Spent:
    """All jobs of a step, one after the other, each in a process of its own."""
    found = []
    for shard in range(jobs if step in PER_SHARD else 1):
        words = [
            sys.executable,
            __file__,
            "--step",
            step,
            "--folder",
            str(folder),
            "--n",
            str(n),
            "--shard",
            str(shard),
        ]
        environment = os.environ | {"TRUERATE_STORE": str(folder / "store.sqlite")}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            raise SystemExit(f"{step} {shard} at {n}: {done.stderr[-3000:]}")
        found.append(json.loads(done.stdout.splitlines()[-1]))
    cpu, calls = (sum(one[key] for one in found) for key in ("cpu", "calls"))
    spent = Spent(cpu, max(one["memory"] for one in found), calls, len(found))
    print(
        f"{n:>6} {step:10} {spent.cpu:8.1f} s {spent.memory:.2f} GB {spent.calls:>8,}",
        file=sys.stderr,
        flush=True,
    )
    return spent


def run_all(scratch: Path, n: int, n_chars: int) -> dict[str, Spent]:
    """Every step at one size, each on what those before it wrote."""
    folder = scratch / f"{n}-{n_chars}"
    folder.mkdir()
    with (folder / "searches.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in searches(n, n_chars))
    jobs = layout(n, folder).p.n_shards
    return {step: measured(step, folder, n, jobs) for step in STEPS}


def memory_of_the_whole(
    step: str, found: dict[int, dict[str, Spent]], short: dict[int, dict[str, Spent]]
) -> float:
    """Peak GB of the largest job at the paper's size, by a straight line through the smallest and the largest size.

    Of a step with jobs over the entities of one job. Else over the replies of all subjects, as measured with short
    pages, and what long ones add to a job of the largest size, by the entities of a job: they are read part by part.
    """
    sizes = sorted(found)
    low, high = sizes[0], sizes[-1]
    if step in PER_SHARD:
        at = [n / found[n][step].jobs for n in (low, high)]
        grows = (found[high][step].memory - found[low][step].memory) / (at[1] - at[0])
        return found[low][step].memory + grows * (ENTITIES / JOBS - at[0])
    grows = max(0.0, short[high][step].memory - short[low][step].memory) / (high - low)
    pages = max(0.0, found[high][step].memory - short[high][step].memory)
    pages *= (ENTITIES / JOBS) / (high / found[high]["evidence"].jobs)
    return short[low][step].memory + grows * (ENTITIES * SUBJECTS - low) + pages


def table(found: dict[int, dict[str, Spent]], short: dict[int, dict[str, Spent]]) -> tuple[str, bool]:
    """What was measured as Markdown, and whether every limit is held. `short`: the same with short pages."""
    sizes = sorted(found)
    small, large = sizes[0], sizes[-1]
    heads = " / ".join(f"1:{round(ENTITIES / n)}" for n in sizes)
    lines = [
        f"| step | jobs {heads} | calls | CPU s | GB of the largest job | exponent of CPU | of the whole: calls, CPU h, GB |",
        "| --- |" + " ---: |" * 6,
    ]
    is_held = True
    wholes = {step: memory_of_the_whole(step, found, short) for step in STEPS}
    for step in STEPS:
        row = [found[n][step] for n in sizes]
        grows = math.log(row[-1].cpu / row[0].cpu) / math.log(large / small)
        is_held &= grows <= EXPONENT and wholes[step] <= MEMORY_GB
        times = (
            ENTITIES / large * (SUBJECTS if step in ("generate", "facts", "export", "score", "plan") else 1)
        )
        told = [
            " / ".join(f"{one.jobs:,}" for one in row),
            " / ".join(f"{one.calls:,}" for one in row),
            " / ".join(f"{one.cpu:,.1f}" for one in row),
            " / ".join(f"{one.memory:.2f}" for one in row),
            f"{grows:.2f}",
            f"{row[-1].calls * times:,.0f}, {row[-1].cpu * times / 3600:,.1f}, {wholes[step]:.1f}",
        ]
        lines.append(f"| {WHAT[step]} | {' | '.join(told)} |")
    said = []
    for n in sizes:
        asked, told = sum(found[n][step].calls for step in ("generate", "facts")), found[n]["plan"].calls
        is_held &= abs(told / asked - 1) <= PLANNED
        said.append(f"1:{round(ENTITIES / n)} {told:,} of {asked:,} ({told / asked - 1:+.0%})")
    lines += [
        "",
        f"Calls that `truerate plan` told beforehand, of those that were made: {', '.join(said)}; limit ±25 %.",
    ]
    lines += [
        "",
        f"GB of the whole for steps of one job: a straight line to {ENTITIES * SUBJECTS / large:,.0f} times the replies that were"
        " measured, so an order of size and no measurement.",
    ]
    limit = f"Limits: {MEMORY_GB} GB a process, exponent {EXPONENT}."
    return "\n".join([*lines, "", limit + (" All held." if is_held else " **Not all held.**")]), is_held


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=int, nargs="+", default=[100, 20, 5], help="of the paper's entities")
    parser.add_argument("--write", type=Path, help="file with the markers")
    for name in ("--step", "--folder"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    for name in ("--n", "--shard"):
        parser.add_argument(name, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.chdir(ROOT)
    if given.step:
        child(given)
        return 0
    with tempfile.TemporaryDirectory() as name:
        sizes = [ENTITIES // part for part in given.parts]
        found = {n: run_all(Path(name), n, PAGE_CHARS) for n in sizes}
        short = {n: run_all(Path(name), n, SHORT_CHARS) for n in {min(sizes), max(sizes)}}
    text, is_held = table(found, short)
    print(text)
    if given.write:
        from truerate.real.markers import write_between

        write_between(given.write, "bench:wild-scale", text)
    return int(not is_held)


if __name__ == "__main__":
    sys.exit(main())
