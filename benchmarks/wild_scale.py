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
import hashlib
import json
import math
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")

ROOT = Path(__file__).parents[1]
BOARD, SOURCE = "wildhallucinations-closed-world", "closed-world-chats"
ENTITIES, SUBJECTS, JOBS = 7919, 15, 25  # of the paper, and jobs of a step there
CHATS = 5  # conversations of the full profile for each entity
PAGES, PAGE_CHARS = 10, 34_700  # pages of an entity, and characters of each
SENTENCES, ABSTAINING = 28, 0.07
MEMORY_GB, EXPONENT, PLANNED = 1.5, 1.05, 0.25  # limits: of every process, of its CPU, of the plan's calls
FLOOR_S = 1.0  # CPU seconds of growth below which an exponent would be of noise
PER_SHARD = ("evidence", "generate", "facts")  # a process per job
OF_SUBJECT = ("generate", "facts")  # a job for each subject
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


# ---- the project -------------------------------------------------------------------------------------------
def subjects() -> list[str]:
    """The names of the subjects."""
    return [f"subject-{place:02}" for place in range(1, SUBJECTS + 1)]


def project(n: int, folder: Path, n_chars: int) -> None:
    """A project with the board alone, of these sizes: the settings with the full profile's evidence, the source's
    tables, and the recorded searches.
    """
    import yaml

    from truerate.config.layout import Layout
    from truerate.core.schemas import Judgement, Score, frame, save
    from truerate.flow.sources import SOURCE as TABLES
    from truerate.sources import entity_list

    for name in ("src", "rules", "profiles"):
        (folder / name).symlink_to(ROOT / name)
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    full = values["sizes"]["full"]["wildhallucinations"]
    values["sizes"]["demo"]["wildhallucinations"] = full | {"entities": n, "chats": CHATS * n}
    values["models"] |= {
        name: values["models"]["aster"] | {"model": f"sim-{name}", "family": name} for name in subjects()
    }
    track = values["tracks"]["wildhallucinations"]
    track["subjects"] = subjects()
    track["verification"]["n_checked"] = 2_000
    track["search"] |= {"endpoint": None, "url": None, "recorded": "searches.jsonl"}
    values |= {"profile": "demo", "n_shards": None, "boards": {BOARD: values["boards"][BOARD]}}
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), "utf-8")
    (folder / "dvc.lock").write_text(f"schema: '2.0'\nstages:\n  dataset@{BOARD}: {{cmd: x}}\n", "utf-8")
    with (folder / "searches.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in searches(n, n_chars))
    (folder / "list").mkdir()
    rows = "\n".join(json.dumps({"name": name, "n_chats": 3, "domain": "people"}) for name in names(n))
    (folder / "list/entities.jsonl").write_text(rows + "\n", "utf-8")
    os.chdir(folder)
    at = Layout.load()
    tables = entity_list.read(Path("list"), name=SOURCE, on_bad_row="stop")
    for table, model in TABLES.items():
        save(model, getattr(tables, table), at.source(SOURCE, table))
    card = tables.card | {"licence": "CC-BY-4.0", "redistribution": "yes"}
    Path(at.source(SOURCE, "card.json")).write_text(json.dumps(card), "utf-8")
    for family in at.p.families(BOARD):
        save(Judgement, frame(Judgement), at.judgements(family, BOARD))
    save(Score, frame(Score), at.truth(BOARD))
    Path("jobs.json").write_text(str(at.shards_of(BOARD)), "utf-8")


def whole_project(base: Path, folder: Path) -> None:
    """A project whose data set has the paper's size: the tables of a smaller one of this benchmark, each row again under
    ids of its own until there are as many entities; people label, and single calls check, as many facts as there.
    """
    from growth import copied

    from truerate.config.layout import Layout
    from truerate.core.schemas import read, save_in_parts, write
    from truerate.flow.dataset_tables import DATASET, PARTED

    shutil.copytree(
        base, folder, symlinks=True, ignore=shutil.ignore_patterns("scratch", "searches.jsonl", "*.sqlite")
    )
    os.chdir(folder)
    at = Layout.load()
    k = ENTITIES // read(DATASET["items"], at.dataset(BOARD, "items")).height
    for name in ("items", *PARTED):
        path = at.dataset(BOARD, name)
        one, copies = (
            read(DATASET[name], path),
            [Path(f"copies/{name}-{copy:04}.parquet") for copy in range(k)],
        )
        for copy, place in enumerate(copies):
            write(DATASET[name], copied(of_all(one), copy) if copy else one, place)
        save_in_parts(DATASET[name], copies, path, **PARTED.get(name, {"key": "item_id"}))
        shutil.rmtree("copies")


def of_all(rows):
    """The rows of which there are more where there is more to ask: calls about one fact are a fixed number."""
    import polars as pl

    from truerate.core.schemas import pair

    return (
        rows.filter(pair("attributes", "stage").ne_missing(pl.lit("single")))
        if "attributes" in rows.columns
        else rows
    )


def scratch_of(step: str, subject: str, shard: int | str) -> Path:
    """Where a job of a step writes, or (`*`) the pattern of where its jobs do."""
    return Path("scratch") / (subject if step in OF_SUBJECT else "web") / f"{step}-{shard}.parquet"


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
    Path(at.dataset(BOARD, "tasks.jsonl")).write_text("\n".join(map(json.dumps, tasks)) + "\n", "utf-8")
    annotations = Path(at.annotations(BOARD))
    annotations.parent.mkdir(parents=True, exist_ok=True)
    said = [json.dumps(one) for task in tasks for one in labels_of(task)]
    annotations.write_text("\n".join(said) + "\n", "utf-8")


def labels_of(task: dict) -> Iterator[dict]:
    """What three labellers return of a task: every ninth label is another than the verifier's."""
    for who in range(3):
        drawn = int(hashlib.sha256(f"{task['task_id']} {who // 2}".encode()).hexdigest()[:8], 16)
        label = (
            task["verdict"] if drawn % 9 else {"supported": "unsupported"}.get(task["verdict"], "supported")
        )
        if task["kind"] == "review":
            label = ("correct", "retrieval", "generation")[drawn % 3]
        elif task["kind"] == "entity":
            label = {"unambiguous": True, "relevant": len(task["passages"]), "pages": len(task["passages"])}
        yield {"task_id": task["task_id"], "labeller": f"labeller-{who}", "label": label or "supported"}


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
    """All jobs of a step, one after the other, each in a process of its own."""
    found = []
    environment = os.environ | {"TRUERATE_STORE": str(folder / "store.sqlite")}
    for subject in subjects() if step in OF_SUBJECT else ("web",):
        for shard in range(jobs if step in PER_SHARD else 1):
            words = [sys.executable, __file__, "--step", step, "--subject", subject, "--shard", str(shard)]
            done = subprocess.run(
                words, capture_output=True, text=True, check=False, env=environment, cwd=folder
            )
            if done.returncode:
                raise SystemExit(f"{step} {subject} {shard} at {n}: {done.stderr[-3000:]}")
            found.append(json.loads(done.stdout.splitlines()[-1]))
    cpu, calls = (sum(one[key] for one in found) for key in ("cpu", "calls"))
    spent = Spent(cpu, max(one["memory"] for one in found), calls, len(found))
    told = f"{n:>6} {step:10} {spent.cpu:8.1f} s {spent.memory:.2f} GB {spent.calls:>8,}"
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
    """Peak GB of the largest job at the paper's size, by a straight line through the smallest and the largest size: over
    the entities of one job of a step with jobs, else over all.
    """
    sizes = sorted(found)
    low, high = sizes[0], sizes[-1]
    of_job = step in PER_SHARD
    at = [n / (found[n]["evidence"].jobs if of_job else 1) for n in (low, high)]
    grows = (found[high][step].memory - found[low][step].memory) / (at[1] - at[0])
    return found[high][step].memory + max(0.0, grows) * (ENTITIES / (JOBS if of_job else 1) - at[1])


def exponent(step: str, found: dict[int, dict[str, Spent]]) -> float | None:
    """By which power of the size CPU grows from the smallest to the largest; None where that is next to nothing."""
    small, large = min(found), max(found)
    low, high = found[small][step].cpu, found[large][step].cpu
    return None if high - low < FLOOR_S else math.log(high / low) / math.log(large / small)


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
        row, grows = [found[n][step] for n in sizes], exponent(step, found)
        times = ENTITIES / sizes[-1]
        last = whole.get(step, Spent(row[-1].cpu * times, memory_of_the_whole(step, found), 0, 0))
        is_held &= (grows is None or grows <= EXPONENT) and last.memory <= MEMORY_GB
        told = [
            " / ".join(f"{one.jobs:,}" for one in row),
            " / ".join(f"{one.calls:,}" for one in row),
            " / ".join(f"{one.cpu:,.1f}" for one in row),
            " / ".join(f"{one.memory:.2f}" for one in row),
            "–" if grows is None else f"{grows:.2f}",
            f"{row[-1].calls * times:,.0f}, {last.cpu / 3600:,.2f}, {last.memory:.2f}{'' if step in whole else ' *'}",
        ]
        lines.append(f"| {WHAT[step]} | {' | '.join(told)} |")
    said = []
    for n in sizes:
        asked, told = sum(found[n][step].calls for step in OF_SUBJECT), found[n]["plan"].calls
        is_held &= abs(told / asked - 1) <= PLANNED
        said.append(f"1:{round(ENTITIES / n)} {told:,} of {asked:,} ({told / asked - 1:+.0%})")
    limit = f"Limits: {MEMORY_GB} GB a process, exponent {EXPONENT}."
    lines += [
        "",
        f"Calls that `truerate plan` told beforehand, of those that were made: {', '.join(said)}; limit ±25 %.",
        "",
        f"{SUBJECTS} subjects. Of the whole with *: what follows, memory by a straight line through the smallest and the"
        f" largest size to {ENTITIES / sizes[-1]:.0f} times this; without: measured on a data set of that size, made of a"
        " smaller one by repeating its rows under ids of their own.",
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
    parser.add_argument(
        "--last", choices=STEPS, default=STEPS[-1], help="step to end with; no table before the last"
    )
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
        if given.last != STEPS[-1]:
            return 0
        whole = run_whole(place, max(sizes), given.again) if given.whole else {}
    text, is_held = table(found, whole)
    print(text)
    if given.write:
        from truerate.real.markers import write_between

        write_between(given.write, "bench:wild-scale", text)
    return int(not is_held)


if __name__ == "__main__":
    sys.exit(main())
