"""Launched endpoints: one server for all, gone with its users, back when it was lost."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from llm.asked import asking
from llm.conftest import ROOT
from truerate.core.errors import EndpointError, TruerateError
from truerate.llm.ask import ask, estimate
from truerate.llm.transport.launch import Launch, acquire, launched

SERVER = f"python {ROOT / 'tests' / 'stub.py'} --port {{port}}"
HOLD = """
import sys, time
from truerate.config.layout import Layout
from truerate.llm.transport.launch import launched
with launched(Layout.load(sys.argv[1]), "stub") as url:
    print(url, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def layout(at, tmp_path):
    """Makes layouts whose endpoint is launched; each server writes its process number into `pids`."""

    def make(launch: str = SERVER + " --identity {identity}", **endpoint) -> object:
        command = f"{launch} --pids {tmp_path / 'pids'}" if "stub.py" in launch else launch
        return at(endpoint={"launch": command, "linger_s": 0.2, **endpoint})

    yield make
    for pid in servers(tmp_path):
        until(lambda pid=pid: is_gone(pid))


def servers(tmp_path) -> list[int]:
    path = tmp_path / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def until(is_so, seconds: float = 10.0) -> None:
    """Poll until something is so."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_gone(pid: int) -> bool:
    """Whether a process has ended, also where nobody has waited for it."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def supervisor_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def test_a_run_starts_its_server_and_leaves_none(layout, tmp_path):
    config = layout()
    assert [reply.text for reply in ask([asking("a"), asking("b")], config, label="x")] == [
        "echo: a",
        "echo: b",
    ]
    (pid,) = servers(tmp_path)
    until(lambda: is_gone(pid))
    assert ask([asking("a")], config, label="stored")[0].is_stored
    estimate([asking("new")], config)
    assert servers(tmp_path) == [pid]  # neither needs a server


def test_runs_one_after_another_share_a_server(layout, tmp_path):
    config = layout(linger_s=5)
    ask([asking("a")], config, label="x")
    ask([asking("b")], config, label="x")
    assert len(servers(tmp_path)) == 1
    (pid,) = servers(tmp_path)
    os.kill(supervisor_of(pid), signal.SIGTERM)


def test_many_at_once_share_a_server(layout, tmp_path):
    config, found = layout(), []

    def hold() -> None:
        with launched(config, "stub") as url:
            found.append(url)
            until(lambda: len(found) == 6)

    threads = [threading.Thread(target=hold) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(servers(tmp_path)) == 1


def test_a_server_outlives_no_client_that_is_killed(layout, tmp_path):
    layout()
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "params.yaml")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    (pid,) = servers(tmp_path)
    supervisor = supervisor_of(pid)
    process.kill()
    process.communicate()
    until(lambda: is_gone(pid) and is_gone(supervisor), seconds=3)


def test_a_server_dies_with_its_supervisor_and_comes_back(layout, tmp_path):
    config = layout()
    with launched(config, "stub") as url:
        (pid,) = servers(tmp_path)
        os.kill(supervisor_of(pid), signal.SIGKILL)
        until(lambda: is_gone(pid), seconds=3)
        with launched(config, "stub") as again:
            assert again != url
            assert len(servers(tmp_path)) == 2


@pytest.mark.parametrize("victim", ["server", "supervisor"])
def test_a_run_takes_hold_of_a_lost_server_again(layout, tmp_path, victim):
    config = layout(SERVER + " --identity {identity} --latency 0.02", concurrency=2)

    def kill() -> None:
        until(lambda: servers(tmp_path))
        pid = servers(tmp_path)[0]
        with open(f"/proc/{pid}/cmdline") as file:
            port = file.read().split("\0")[3]

        def n_calls() -> int:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats", timeout=5) as answer:
                    return json.load(answer)["n_calls"]
            except OSError:
                return 0

        until(lambda: n_calls() >= 10)
        os.kill(pid if victim == "server" else supervisor_of(pid), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    replies = ask([asking(f"n {n}") for n in range(60)], config, label="x")
    killer.join()
    assert [reply.text for reply in replies] == [f"echo: n {n}" for n in range(60)]
    assert len(servers(tmp_path)) == 2


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        (SERVER + " --die no-weights-found", "ended with code 1 before it was ready: no-weights-found"),
        (SERVER + " --identity other {identity}x", "unrecognized arguments"),
        ("no-such-program {port}", "cannot run 'no-such-program': No such file"),
        ("python -c pass {port}", "ended with code 0 before it was ready: it wrote nothing"),
    ],
)
def test_a_launch_that_dies_says_why(layout, launch, said):
    with pytest.raises(TruerateError, match=said) as caught:
        ask([asking("a")], layout(launch), label="x")
    assert "\n" not in str(caught.value) and "endpoint 'stub': launch" in str(caught.value)


def test_a_launch_that_never_gets_ready_says_so(layout):
    with pytest.raises(EndpointError, match="not healthy after 0.3 s: it wrote nothing"):
        ask([asking("a")], layout("python -c 'import time; time.sleep(60)' {port}", start_s=0.3), label="x")


def test_those_who_wait_for_a_server_that_fails_start_none_of_their_own(layout, tmp_path):
    config, errors = layout(SERVER + " --die no-weights-found --latency 0.1"), []

    def hold() -> None:
        with pytest.raises(EndpointError, match="no-weights-found") as caught, launched(config, "stub"):
            pass
        errors.append(str(caught.value))

    threads = [threading.Thread(target=hold) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 3 and len(servers(tmp_path)) == 1


def test_another_identity_is_refused(layout, tmp_path):
    config = layout()
    launch = Launch.of(config, "stub")
    fake = Launch(
        **{**{name: getattr(launch, name) for name in Launch.__dataclass_fields__}, "identity": "expected"}
    )
    with pytest.raises(TruerateError, match="gives identity '[0-9a-f]{12}', expected 'expected'"):
        asyncio.run(acquire(fake))


def test_a_server_without_identity_needs_no_json(layout):
    assert ask([asking("a")], layout(SERVER), label="x")[0].text == "echo: a"


def test_unknown_places_are_named(layout):
    with pytest.raises(
        TruerateError, match=r"cannot fill in 'gpu'; allowed: \{port\}, \{seed\}, \{identity\}, \{languages\}"
    ):
        ask([asking("a")], layout("serve --port {port} --gpu {gpu}"), label="x")


def test_a_server_starts_beside_a_store_with_a_long_path(layout, tmp_path, monkeypatch):
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / ("deep" * 30) / "r.sqlite"))
    assert ask([asking("a")], layout(), label="x")[0].text == "echo: a"
