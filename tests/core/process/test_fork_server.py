"""A stage that is a fork is to DVC the process that it would have been. Real processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forked on Linux alone")
SRC = Path(__file__).parents[3] / "src"
# A build that prints the folder of its `python`, and ends with its standard input.
BUILD = """
import sys
from truerate.core.process.fork_server import fork_server
def prepare(arguments):
    import truerate.pipeline.hello
with fork_server(prepare) as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""
HELLO = """
import json, os, signal, sys, time
from pathlib import Path
from truerate.core.process import parents
if sys.argv[1] == "wait":
    parents.end_with_them()
    Path("id").write_text(f"{os.getpid()} ")
    try:
        signal.pause()
    except KeyboardInterrupt:
        Path("let-go").touch()
        sys.exit(130)
if sys.argv[1] == "die":
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1] == "fail":
    1 / 0
given = [sys.argv[1:], os.getcwd(), os.environ.get("GIVEN"), "HOME" in os.environ, sys.stdin.read(), sys.path[0]]
print(json.dumps([*given, "truerate.pipeline.hello" in sys.modules]))
print("aside", file=sys.stderr)
sys.exit(3)
"""


@pytest.fixture
def source(tmp_path):
    """A copy of what a fork server needs of the package, with a command that says what it was given."""
    folder = tmp_path / "src" / "truerate"
    for name in (
        "__init__.py",
        "core/__init__.py",
        "core/process/__init__.py",
        "core/process/fork_server.py",
        "core/process/fork_client.py",
        "core/process/parents.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text((SRC / "truerate" / name).read_text("utf-8"), "utf-8")
    (folder / "pipeline").mkdir()
    (folder / "pipeline" / "__init__.py").touch()
    (folder / "pipeline" / "hello.py").touch()
    (folder / "__main__.py").write_text(HELLO, "utf-8")
    return tmp_path / "src"


@pytest.fixture
def build(source):
    """The process that builds, and the `python` of its stages."""
    environment = os.environ | {"PYTHONPATH": str(source)}
    process = subprocess.Popen(
        [sys.executable, "-c", BUILD],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    python = f"{process.stdout.readline().strip()}/python"
    yield process, python
    process.kill()
    process.communicate()


def run(python: str, source: Path, folder: Path, *arguments: str) -> tuple[int, str, str]:
    environment = {"GIVEN": "ä b", "PATH": os.environ["PATH"], "PYTHONPATH": str(source)}
    done = subprocess.run(
        [python, "-m", "truerate", *arguments],
        cwd=folder,
        env=environment,
        input="fed",
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def started(python: str, source: Path, folder: Path) -> tuple[subprocess.Popen, int]:
    """A client below a process that stands for DVC, and the id of its fork, once that waits."""
    environment = os.environ | {"PYTHONPATH": str(source)}
    command = [python, "-m", "truerate", "wait"]
    top = (
        "import os, subprocess, sys; stage = os.environ | {'DVC_STAGE': 'x'}; "
        f"sys.exit(subprocess.run({command}, env=stage).returncode)"
    )
    environment.pop("DVC_STAGE", None)
    client = subprocess.Popen([sys.executable, "-c", top], env=environment, cwd=folder)
    wait_for(lambda: (folder / "id").is_file() and (folder / "id").read_text().endswith(" "))
    return client, int((folder / "id").read_text())


def wait_for(is_so) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


def test_what_it_is_given_says_and_returns_is_what_python_would(build, source, tmp_path):
    code, out, aside = run(build[1], source, tmp_path, "one", "two words")
    *given, is_imported = json.loads(out)
    assert (code, aside, is_imported) == (3, "aside\n", True)
    *expected, is_imported = json.loads(run(sys.executable, source, tmp_path, "one", "two words")[1])
    assert given == expected and not is_imported


def test_an_error_and_a_signal_end_it_as_they_end_python(build, source, tmp_path):
    code, _, aside = run(build[1], source, tmp_path, "fail")
    assert code == 1 and aside.endswith("ZeroDivisionError: division by zero\n")
    assert run(build[1], source, tmp_path, "die")[0] == -signal.SIGKILL


def test_code_that_changed_since_it_was_imported_is_run_by_a_python_of_its_own(build, source, tmp_path):
    assert json.loads(run(build[1], source, tmp_path, "one")[1])[-1]
    (source / "truerate/pipeline/hello.py").write_text("CHANGED = True\n", "utf-8")
    assert not json.loads(run(build[1], source, tmp_path, "one")[1])[-1]


def test_without_a_server_a_python_of_its_own_runs_it(build, source, tmp_path):
    process, python = build
    text = Path(python).read_text("utf-8")
    process.communicate("")
    assert process.returncode == 0 and not Path(python).exists()
    Path(tmp_path, "python").write_text(text, "utf-8")
    Path(tmp_path, "python").chmod(0o755)
    assert json.loads(run(f"{tmp_path}/python", source, tmp_path, "one")[1])[-1] is False


def test_another_module_is_left_to_python(build, source, tmp_path):
    done = subprocess.run([build[1], "-m", "json.tool"], input="[1]", capture_output=True, text=True)
    assert json.loads(done.stdout) == [1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_client_reaches_the_fork(build, source, tmp_path, number):
    client, fork = started(build[1], source, tmp_path)
    import psutil

    [child] = psutil.Process(client.pid).children()
    child.send_signal(number)
    client.wait(60)
    wait_for(lambda: is_gone(fork))
    assert (tmp_path / "let-go").exists() == (number == signal.SIGINT)


def test_it_lets_go_when_what_started_it_is_killed(build, source, tmp_path):
    client, fork = started(build[1], source, tmp_path)
    client.kill()
    client.wait()
    wait_for(lambda: is_gone(fork))
    assert (tmp_path / "let-go").exists()


def test_nothing_is_left_when_the_build_is_killed(build, source, tmp_path):
    client, fork = started(build[1], source, tmp_path)
    import psutil

    [server] = psutil.Process(build[0].pid).children()
    build[0].kill()
    build[0].wait()
    client.kill()  # as the kernel kills DVC with the build
    wait_for(lambda: is_gone(fork) and not server.is_running())
    client.wait()
    assert not Path(build[1]).exists()


def test_nothing_is_left_when_the_server_is_killed(build, source, tmp_path):
    client, fork = started(build[1], source, tmp_path)
    import psutil

    [server] = psutil.Process(build[0].pid).children()
    server.kill()
    assert client.wait(60) != 0
    wait_for(lambda: is_gone(fork))


def test_a_folder_for_temporary_files_that_takes_no_socket_is_no_error(source, tmp_path):
    long = tmp_path / ("long" * 30)
    long.mkdir()
    environment = os.environ | {"PYTHONPATH": str(source), "TMPDIR": str(long)}
    done = subprocess.run(
        [sys.executable, "-c", BUILD], env=environment, input="", capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "None\n", "")
