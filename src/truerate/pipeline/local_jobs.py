"""The jobs of one stage on this machine: forks of a process that has imported what they need.

They are those of the rules of Snakemake, in the order of the same graph: a step of a track for one model and
shard, the export of a board's tables, the import of a source. A scratch file that is there is not made again:
its path names all that decides it, and it is written in one move. Snakemake runs the graph where a profile
says how, and where forking is not safe: libraries that have started threads lose them in a fork.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from truerate.config.faults import settings_in
from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.process import parents
from truerate.core.process.fork_server import fork, library_threads
from truerate.core.process.system_errors import line_of, system_error
from truerate.core.process.terminal import say
from truerate.core.process.tools import PASS_ON_S, handled
from truerate.pipeline import dataset, graph, sources
from truerate.pipeline.causes import leave_cause
from truerate.pipeline.cells import PROFILE
from truerate.pipeline.tracks import protocol_of

DEFAULT_PROFILE = Path("profiles/default/config.yaml")
# Keys of the default profile that say nothing of where and how jobs run, beside `cores`.
_OF_SNAKEMAKE = {
    "cores",
    "scheduler",
    "rerun-incomplete",
    "rerun-triggers",
    "nolock",
    "show-failed-logs",
    "quiet",
}


@dataclass(frozen=True)
class LocalJob:
    """A function that makes a file out of others."""

    output: str
    inputs: tuple[str, ...]
    run: Callable[[], None]


def n_local_jobs() -> int | None:
    """Return how many jobs may run at once as forks of this process; None if Snakemake is to run them."""
    if os.environ.get(PROFILE) or sys.platform != "linux":
        return None
    profile = settings_in(str(DEFAULT_PROFILE)) if DEFAULT_PROFILE.is_file() else {}
    if not _OF_SNAKEMAKE.issuperset(profile):
        return None
    if library_threads():
        return None
    cores = profile.get("cores", "all")
    return int(cores) if str(cores).isdigit() else len(os.sched_getaffinity(0))


def jobs_of(config: Layout, stage: Stage) -> list[LocalJob]:
    """Jobs that are left of the stage `sources` or of a board's data set, each behind those that it reads."""
    if stage.board is None:
        return [
            LocalJob(config.source(name, "card.json"), (), partial(_import, name))
            for name in config.p.used_sources()
        ]
    board = stage.board
    protocol_of(config, board)  # imported here, once for all forks
    steps = {job.output: job for job in _steps(config, board)}
    inputs = tuple(graph.for_export(config, board))
    left: set[str] = set()
    waiting = list(inputs)
    while waiting:
        path = waiting.pop()
        if path not in left and not os.path.exists(path):
            left.add(path)
            waiting += steps[path].inputs
    card = config.dataset(board, "card.json")
    export = LocalJob(card, inputs, partial(_export, board, card, list(inputs)))
    return [*(job for path, job in steps.items() if path in left), export]


def _steps(config: Layout, board: str) -> Iterable[LocalJob]:
    for step in graph.steps_of(config, board):
        for model in graph.jobs(config, board, step):
            for shard, path in enumerate(graph.files(config, board, step.name, model)):
                inputs = graph.before(config, board, step.name, model, shard)
                yield LocalJob(
                    path, tuple(inputs), partial(_step, step.name, board, model, shard, path, inputs)
                )


# Jobs read the settings again: those that were edited meanwhile are refused, as in a process of their own.
def _import(name: str) -> None:
    sources.import_source(Layout.load(), name)


def _step(name: str, board: str, model: str, shard: int, output: str, inputs: list[str]) -> None:
    dataset.step(Layout.load(), name, board, model, shard, output, inputs)


def _export(board: str, output: str, inputs: list[str]) -> None:
    dataset.export(Layout.load(), board, output, inputs)


@dataclass
class _Running:
    """The forks that run now, by process id, and the signals that came."""

    jobs: dict[int, LocalJob] = field(default_factory=dict)
    signals: list[int] = field(default_factory=list)

    def note(self, number: int, _frame: object) -> None:
        """A terminal interrupts the forks too; those that still run after a while were not interrupted."""
        self.signals.append(number)
        later = threading.Timer(PASS_ON_S, self._terminate)
        later.daemon = True
        later.start()

    def _terminate(self) -> None:
        for process in list(self.jobs):
            os.kill(process, signal.SIGTERM)  # it was not waited for yet, so the id is its own


def run_jobs(jobs: Sequence[LocalJob], n_at_once: int) -> int:
    """Run the jobs; returns 0, 1 if one failed (running ones are waited for), 130 if interrupted."""
    if (
        len(jobs) > 1
    ):  # steps are left, which ask: each fork would import the client, which takes longer than most steps
        import truerate.llm.transport.client  # noqa: F401
    waiting, running, is_failed = list(jobs), _Running(), False
    with handled(running.note, signal.SIGINT, *([signal.SIGTERM] if parents.is_in_stage() else [])):
        while waiting or running.jobs:
            missing = {job.output for job in (*waiting, *running.jobs.values())}
            ready = [job for job in waiting if missing.isdisjoint(job.inputs)]
            if is_failed or running.signals:
                ready = []
            for job in ready[: n_at_once - len(running.jobs)]:
                waiting.remove(job)
                running.jobs[fork(partial(_run, job, parents.binding()))] = job
            if not running.jobs:
                break
            process, status = os.wait()
            if (job_done := running.jobs.pop(process, None)) and status:
                is_failed = True
                Path(job_done.output).unlink(missing_ok=True)
    return parents.INTERRUPTED if running.signals else int(is_failed)


def _run(job: LocalJob, end_with_parent: Callable[[], None]) -> int:
    """Run one job in a process of its own; returns its exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if parents.is_in_stage():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        parents.end_with_them()
    else:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with_parent()
    try:
        job.run()
    except Exception as error:
        refused = system_error(error)
        if not refused and not isinstance(error, TruerateError):
            raise
        why = line_of(refused) if refused else str(error)
        say(why)
        leave_cause(why)
        return 1
    return 0
