"""What WildHallucinations costs at its paper's size: calls, CPU seconds and memory of every step at 1:100, 1:20 and 1:5
of 7,919 entities with ten pages each (347 kB of text an entity) and 15 subjects, and what follows for the whole.

    python benchmarks/wild_scale.py [--parts 100 20 5] [--whole] [--own-pages] [--jobs 8] [--without plan] [--scratch DIR [--again publish]]
        [--write benchmarks/RESULTS.md [--block wild-scale-asked]]

A list of entities and recorded searches whose pages are made (sentences of Zipf's words) run through the track's own
steps with the limits and the evidence of the full profile: five passages of 190 words a fact, each call with those of
its ten facts. A reply has 28 sentences, each a fact, and 7 % abstain (the paper's replies have 29.6 facts and 93 %
respond). Each job of a step is a process of its own that reads and writes the tables of the flow; replies are made
from the prompts and nothing is sent, so what is measured is all but the asking (`bench:llm`) and the fetching. The
number of jobs is that which a board of the size has (`Layout.shards_of`). Three labellers return the tasks of `export`,
as many as the full profile gives out whatever the size. `publish` makes the files of a release with their card and
looks for secrets in them; nothing is sent. Calls, claims, passages and tokens of prompts are held against those that
`truerate plan` tells beforehand.

With `--whole` the steps on the data set are also measured on one of the paper's size, 118,785 replies and their pages:
that of a smaller size with its rows repeated under ids of their own, so that there are as many rows and bytes and no
new words; with `--own-pages`, the import of a list of that size. With `--own-pages` the list brings its pages in the
published form, Parquet, and its import is measured, too: no job may hold the pages of others (`bench:wild-own-pages`). With
`--jobs` so many jobs of a step stand for all, and what reads all of them is not measured. CPU seconds (user and system) are
those of the process and all that it waited for; memory is VmHWM of the largest job.
`--scratch` keeps what was made and measured, so that steps are measured one after the other, and anew with `--again`.
`--write` puts the table between the markers `<!-- bench:wild-scale -->` and `<!-- /bench:wild-scale -->` of a file, or
those of another `--block`.
Exit code 1 where a limit is passed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from wild_project import (
    BOARD,
    ENTITIES,
    OF_SUBJECT,
    PAGE_CHARS,
    SOURCE,
    labels_of,
    project,
    replied,
    scratch_of,
    subjects,
    whole_list,
    whole_project,
)
from wild_table import PER_SHARD, WHAT, Spent, counted, tables_of

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")

STEPS = ("plan", *PER_SHARD, "export", "label", "audit", "score", "publish")
OWN_PAGES = ("sources", "plan", "generate", "facts", "export")  # steps where the list brings its pages
AFTER = ("label", "audit", "score", "publish")  # steps on the data set, also measured at the paper's size


# ---- the steps ---------------------------------------------------------------------------------------------
def run_step(name: str, subject: str, shard: int) -> dict[str, int]:
    """One job of a step in the project of this folder; what it asked (`counted`), or (`plan`) told."""
    from truerate.config.layout import Layout
    from truerate.pipeline import evaluate

    at = Layout.load().on(BOARD)
    if name in PER_SHARD:
        return run_job(at, name, subject, shard)
    if name == "plan":
        return planned(at)
    if name in ("sources", "export", "publish"):
        {"sources": imported, "export": export, "publish": publish}[name](at)
    elif name == "score":
        from truerate.pipeline import pages

        evaluate.score(at, BOARD)
        pages.leaderboard(at)
    else:
        getattr(evaluate, name)(at, BOARD)
    return {}


def run_job(at, name: str, subject: str, shard: int) -> dict[str, int]:
    """A shard of a step of the track's graph, replies made in place of asking; what it asked."""
    from truerate.core.schemas import Generation, read, write
    from truerate.pipeline.dataset import BESIDE, replies_in, with_beside
    from truerate.pipeline.sources import load_source
    from truerate.tracks.protocol import graph_of_track
    from truerate.tracks.wildhallucinations.protocol import PROTOCOL

    reads = next(step.reads for step in graph_of_track("wildhallucinations") if step.name == name)
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
        PROTOCOL.step_functions[name](at, BOARD, subject, tables, shard, replies_in(inputs), asking=asking)
    )
    output = scratch_of(name, subject, shard)
    for table, data in more.items():
        write(BESIDE[table], data, beside_of(output, table))
    write(Generation, rows, output)
    return counted(asked)


def beside_of(output: Path, table: str) -> Path:
    """Where a further table of a job lies."""
    from truerate.config.layout import beside

    return Path(beside(str(output), table))


def imported(at) -> None:
    """The source's tables."""
    from truerate.pipeline.sources import import_source

    import_source(at, SOURCE)


def planned(at) -> dict[str, int]:
    """What the plan tells, but calls for replies that may be asked for again."""
    from truerate.pipeline.planning import plan

    class Counted(plan.Priced):
        """A line of the plan that counts what it asks apart from what may be asked for again."""

        def __init__(self, *given) -> None:
            super().__init__(*given)
            self.asked: Counter[str] = Counter()

        def add(self, requests, reminders) -> None:
            super().add(requests, reminders)
            self.asked.update(counted(requests))

    lines, _ = plan.planned_with(at, BOARD, plan.imported(at, BOARD), partial(Counted, at))
    return sum((line.asked for line in lines), Counter())


def export(at) -> None:
    """The data set's tables as the flow writes them, its tasks, and what three labellers say of them."""
    from truerate.pipeline.dataset import exported_to
    from truerate.pipeline.guard import write_lines
    from truerate.pipeline.sources import load_source
    from truerate.tracks.wildhallucinations import dataset

    def files(step: str, subject: str) -> list[str]:
        found = Path().glob(str(scratch_of(step, subject, "*[0-9]")))
        return [str(path) for path in sorted(found, key=lambda path: int(path.stem.rpartition("-")[2]))]

    inputs = files("evidence", "") + [
        path for one in subjects() for step in OF_SUBJECT for path in files(step, one)
    ]
    slices = [
        pair
        for one in subjects()
        for pair in zip(*(files(step, one) for step in dataset.SLICED), strict=True)
    ]
    _, tasks = exported_to(partial(at.dataset, BOARD), at, BOARD, load_source(at, BOARD), inputs, slices)
    write_lines(at.dataset(BOARD, "tasks.jsonl"), map(json.dumps, tasks))
    said = (json.dumps(one) for task in tasks for one in labels_of(task))
    write_lines(at.annotations(BOARD), said)


def publish(at) -> None:
    """The files of a release of the board, looked through for secrets."""
    from truerate.hub.kept import kept_of
    from truerate.hub.release import Stamp
    from truerate.hub.scan import scan
    from truerate.pipeline.publishing.publish import refuse_unaudited
    from truerate.pipeline.publishing.release import board_draft

    refuse_unaudited(at, BOARD)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        draft = board_draft(at, BOARD, repo="org/board", folder=Path(folder))
        files = draft.files(stamp=Stamp("2026-01-01", "x"), changelog="", kept=kept_of(""))
        assert not scan(files, environment={}, secrets=())


# ---- measuring ---------------------------------------------------------------------------------------------
def child(given: argparse.Namespace) -> None:
    """Run one job and tell what it took, imports apart."""
    import truerate.llm.ask  # noqa: F401  what every step loads
    import truerate.tracks.wildhallucinations.steps  # noqa: F401
    from truerate.pipeline.dataset import collect_rarely

    if given.step in PER_SHARD:
        collect_rarely()  # as every step of the flow
    start = used()
    asked = run_step(given.step, given.subject, given.shard)
    print(json.dumps({"cpu": used() - start, "memory": peak(), "asked": asked}))


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


def measured(step: str, folder: Path, n: int, jobs: int, *, most: int | None = None) -> Spent:
    """All jobs of a step, one after the other, each in a process of its own. Jobs that an earlier run made before it was
    ended are not run again, and of more than `most` the last ones not at all: they count as the mean of the others.
    """
    found, n_jobs = [], 0
    environment = os.environ | {"TRUERATE_STORE": str(folder / "store.sqlite")}
    for subject in subjects() if step in OF_SUBJECT else ("web",):
        for shard in range(jobs if step in PER_SHARD else 1):
            n_jobs += 1
            is_made = step in PER_SHARD and (folder / scratch_of(step, subject, shard)).is_file()
            if is_made or len(found) == most:
                continue
            words = [sys.executable, __file__, "--step", step, "--subject", subject, "--shard", str(shard)]
            done = subprocess.run(
                words, capture_output=True, text=True, check=False, env=environment, cwd=folder
            )
            if done.returncode:
                raise SystemExit(f"{step} {subject} {shard} at {n}: {done.stderr[-3000:]}")
            found.append(json.loads(done.stdout.splitlines()[-1]))
    times = n_jobs / len(found)
    asked = {key: round(sum(one["asked"][key] for one in found) * times) for key in found[0]["asked"]}
    cpu = sum(one["cpu"] for one in found) * times
    spent = Spent(cpu, max(one["memory"] for one in found), n_jobs, asked)
    told = f"{n:>6} {step:10} {spent.cpu:8.1f} s {spent.memory:.2f} GB {spent.calls:>8,} ({len(found)} of {n_jobs} jobs)"
    print(told, file=sys.stderr, flush=True)
    return spent


def run_all(scratch: Path, n: int, given: argparse.Namespace) -> dict[str, Spent]:
    """Every step at one size up to the last, each on what those before it wrote. What a scratch folder holds is not
    made again unless it is named.
    """
    steps, again = OWN_PAGES if given.own_pages else STEPS, given.again
    folder = scratch / f"{'own-' * given.own_pages}{n}"
    told = folder / "measured.json"
    if not folder.is_dir():
        folder.mkdir(parents=True)
        words = [sys.executable, __file__, "--project", str(folder), "--n", str(n)]
        subprocess.run([*words, *["--own-pages"][: given.own_pages]], check=True)
    found = {
        step: Spent(*spent)
        for step, spent in (json.loads(told.read_text("utf-8")) if told.is_file() else {}).items()
        if step not in again
    }
    for path in (path for step in again if step in PER_SHARD for path in folder.glob(f"scratch/*/{step}-*")):
        path.unlink()
    jobs = json.loads((folder / "jobs.json").read_text("utf-8"))
    for step in steps[: steps.index(given.last) + 1] if given.last in steps else steps:
        if step not in found and step not in given.without:
            found[step] = measured(step, folder, n, jobs, most=given.jobs)
            told.write_text(json.dumps(found, indent=1), "utf-8")
    return found


def run_whole(scratch: Path, n: int, again: Sequence[str], *, own_pages: bool) -> dict[str, Spent]:
    """The steps on a data set of the paper's size, made of that of a smaller one; or the import of a list of that size
    which brings its pages.
    """
    own = "own-" * own_pages
    folder = scratch / f"{own}whole"
    told = folder / "measured.json"
    if not (folder / "made").is_file():
        words = [sys.executable, __file__, "--whole-of", str(scratch / f"{own}{n}"), "--project", str(folder)]
        subprocess.run([*words, *["--own-pages"][:own_pages]], check=True)
        told.unlink(missing_ok=True)
        (folder / "made").touch()
    known = json.loads(told.read_text("utf-8")) if told.is_file() else {}
    found = {step: Spent(*spent) for step, spent in known.items() if step not in again}
    for step in ["sources"] if own_pages else AFTER:
        if step not in found:
            found[step] = measured(step, folder, ENTITIES, 1)
            told.write_text(json.dumps(found, indent=1), "utf-8")
    return found


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", type=int, nargs="+", default=[100, 20, 5], help="of the paper's entities")
    parser.add_argument("--scratch", type=Path, help="folder that keeps what was made and measured")
    parser.add_argument("--again", nargs="*", choices=list(WHAT), default=[], help="steps to measure anew")
    parser.add_argument("--last", choices=list(WHAT), default=STEPS[-1], help="step to end with")
    parser.add_argument("--without", nargs="*", choices=list(WHAT), default=[], help="steps not to measure")
    parser.add_argument("--jobs", type=int, help="of a step at most, which stand for all (with --last facts)")
    parser.add_argument("--own-pages", action="store_true", help="a list that brings its pages")
    parser.add_argument("--write", type=Path, help="file with the markers")
    parser.add_argument("--block", default="wild-scale", help="what the markers are called")
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
        make = whole_list if given.own_pages else whole_project
        make(Path(given.whole_of), Path(given.project))
        return 0
    if given.project:
        project(given.n, Path(given.project), PAGE_CHARS, is_published=given.own_pages)
        return 0
    with tempfile.TemporaryDirectory() as name:
        place = (given.scratch or Path(name)).resolve()
        sizes = [ENTITIES // part for part in given.parts]
        found = {n: run_all(place, n, given) for n in sizes}
        whole = run_whole(place, max(sizes), given.again, own_pages=given.own_pages) if given.whole else {}
    text, is_held = tables_of(found, whole)
    print(text)
    if given.write:
        from truerate.results.markers import write_between

        write_between(
            given.write, "bench:wild-own-pages" if given.own_pages else f"bench:{given.block}", text
        )
    return int(not is_held)


if __name__ == "__main__":
    sys.exit(main())
