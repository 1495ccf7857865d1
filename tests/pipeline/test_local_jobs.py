"""Jobs of a stage as forks of one process: in the graph's order, each once, and none after a failure."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from committed import with_sources

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.pipeline import graph
from truerate.pipeline.causes import BUILD, causes_in
from truerate.pipeline.local_jobs import LocalJob, jobs_of, n_local_jobs, run_jobs

BOARD = "halueval-closed-world"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The committed settings with sources, before anything is built."""
    with_sources(tmp_path, monkeypatch)
    monkeypatch.delenv("SNAKEMAKE_PROFILE", raising=False)
    return tmp_path


def writing(output: str, *inputs: str, after: str = "") -> LocalJob:
    def run() -> None:
        exec(after)
        Path(output).write_text("".join(Path(path).read_text() for path in inputs) + output)

    return LocalJob(output, inputs, run)


def test_the_jobs_of_a_board_are_those_of_the_graph_that_are_left(folder):
    at = Layout.load()
    jobs = jobs_of(at, Stage("dataset", BOARD))
    card = at.dataset(BOARD, "card.json")
    assert [job.output for job in jobs] == [*graph.all_files(at, BOARD), card]
    before: set[str] = set()
    for job in jobs:
        assert before >= set(job.inputs)
        before.add(job.output)
    for path in graph.all_files(at, BOARD):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()
    assert [job.output for job in jobs_of(at, Stage("dataset", BOARD))] == [card]
    cards = [job.output for job in jobs_of(at, Stage("sources"))]
    assert cards == [at.source(name, "card.json") for name in at.p.used_sources()]


def test_a_job_begins_when_what_it_reads_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jobs = [writing("c", "a", "b"), writing("b", "a"), writing("a"), writing("d", "c", "b")]
    assert run_jobs(jobs, 2) == 0
    assert Path("d").read_text() == "aabcabd"


def test_the_end_of_a_job_leaves_temporary_folders_of_the_parent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tempfile.TemporaryDirectory() as folder:
        assert run_jobs([writing("a")], 1) == 0
        assert Path(folder).is_dir()


def test_no_job_begins_after_a_failure_and_its_cause_is_left(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def fail() -> None:
        Path("a").write_text("half")
        raise TruerateError("no such model")

    jobs = [LocalJob("a", (), fail), writing("b", "a"), writing("c")]
    monkeypatch.setenv(BUILD, str(tmp_path / "causes"))
    assert run_jobs(jobs, 1) == 1
    assert causes_in(tmp_path / "causes") == ["no such model"]
    assert "truerate: no such model" in capfd.readouterr().err
    assert not any(Path(name).exists() for name in "abc")


def test_an_error_of_the_code_is_a_traceback(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert run_jobs([writing("a", after="1 / 0")], 1) == 1
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_jobs_end_with_what_started_them(tmp_path, number):
    code = """
import os, time
from pathlib import Path
from truerate.pipeline.local_jobs import LocalJob, run_jobs
def run():
    Path("pid").write_text(str(os.getpid()))
    time.sleep(60)
raise SystemExit(run_jobs([LocalJob("a", (), run)], 1))
"""
    own = {name: value for name, value in os.environ.items() if name != "DVC_STAGE"}
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=own, start_new_session=True)
    pid = tmp_path / "pid"
    _wait(lambda: pid.is_file() and pid.read_text())
    os.kill(process.pid, number)  # to it alone, as a kill is; a terminal interrupts the job too
    assert process.wait(30) == (130 if number == signal.SIGINT else -9)
    _wait(lambda: not Path("/proc", pid.read_text()).exists())


def _wait(is_so) -> None:
    """Wait for what another process does."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_profile_that_says_where_jobs_run_is_snakemakes(folder, monkeypatch):
    profile = Path("profiles/default/config.yaml")
    profile.parent.mkdir(parents=True, exist_ok=True)
    profile.write_text("cores: 3\nquiet: [rules]\n")
    threads = threading.active_count()
    assert n_local_jobs() in (3, None) and threading.active_count() == threads
    profile.write_text("executor: slurm\n")
    assert n_local_jobs() is None
    profile.unlink()
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "profiles/slurm")
    assert n_local_jobs() is None
