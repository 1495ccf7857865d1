"""Commands that are refused; a strict Hub on loopback: alone, with this process's clients turned towards it, without their pauses."""

import gc
import os
import sys
import types
from functools import partial

import pytest
import yaml

from tests.hub.server.hub import Hub
from truerate.core.process.cpu import hold_to_avx2

# As every command does, before a test imports numpy or torch: what a test computes here and in a process of its
# own must be the same, whichever test was first.
hold_to_avx2(os.environ)

# Where the surroundings forbid bytecode, each of the some thousand processes of the suite would compile the
# package anew: a third of what a short step takes.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ["DVC_NO_ANALYTICS"] = (
    "1"  # as the Makefile has it: a project that a test makes has no setting against it
)

# The same library's parser and writer in C, where it has them: the one in Python took a tenth of a second for
# params.yaml, which hundreds of tests read, change and write.
if hasattr(yaml, "CSafeLoader"):
    yaml.safe_load = partial(yaml.load, Loader=yaml.CSafeLoader)
    yaml.safe_dump = partial(yaml.dump, Dumper=yaml.CSafeDumper)

gc.disable()  # while tests are collected, which makes millions of objects that live to the end


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    """Garbage is looked for again, but not among what was collected: each look through it took a second."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)  # where tests are run without xdist
def pytest_xdist_auto_num_workers():
    """One more than there are cores: a fifth of the time tests wait for servers and processes that they started."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


def pytest_configure(config):
    """Groups are handed to workers in the order of `pytest_collection_modifyitems`, not by their number of tests."""
    config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)  # before xdist names the groups
def pytest_collection_modifyitems(config, items):
    """Where tests are spread over workers, a file stays on one of them, so that what its tests share is made
    once; and the slow ones come first, so that no worker waits at the end for the other.
    """
    if not getattr(config.option, "loadgroup", False):
        return
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.location[0]))
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_unconfigure():
    """What ran commands for the tests of this process ends with it."""
    from tests import warm

    warm.anew()


@pytest.fixture(scope="session")
def built_mfava(tmp_path_factory):
    """A small board of mFAVA, built once: whoever changes it takes a copy. Tests that read it are in one xdist group."""
    from tests.house import MFAVA, move_in, shrink_mfava

    built = move_in(tmp_path_factory.mktemp("mfava") / "truerate", MFAVA, board="mfava-closed-world")
    built.edit(shrink_mfava)
    built.run("truerate", "build")
    return built


@pytest.fixture
def hub(tmp_path):
    """A running Hub with nothing in it, for the length of one test; see server.hub.Hub."""
    running = Hub(tmp_path / "hub").start()
    yield running
    running.stop()


@pytest.fixture
def hub_here(hub, monkeypatch):
    """The same Hub, with the clients of this very process pointed at it as `someone` who may write; Xet as the client has it: on."""
    from tests.hub.server import pointing

    pointing.point_at(hub, monkeypatch, token=hub.token)
    yield hub
    pointing.forget()


@pytest.fixture
def anonymous(hub_here, monkeypatch):
    """Nobody: the clients of this process have no token."""
    monkeypatch.delenv("HF_TOKEN")
    return hub_here


@pytest.fixture
def brisk(monkeypatch):
    """The pauses between the client's own attempts are noted in place of waited for: the list of their seconds."""
    from huggingface_hub import file_download
    from huggingface_hub.utils import _http

    waits: list[float] = []
    for module in (_http, file_download):
        clock = types.SimpleNamespace(**vars(module.time)) if hasattr(module, "time") else None
        if clock:
            clock.sleep = waits.append
            monkeypatch.setattr(module, "time", clock)
    return waits


@pytest.fixture
def api(hub_here, monkeypatch):
    """The real client of this process, told not to use Xet, which this Hub does not speak."""
    from huggingface_hub import HfApi, constants

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    return HfApi()


@pytest.fixture
def refused(capfd):
    """Run a command that must be refused; gives its one line."""

    def run(*arguments: str) -> str:
        capfd.readouterr()
        from truerate.cli import main

        code = main(arguments)
        shown = capfd.readouterr()
        assert (code, shown.out) == (2, ""), shown
        assert (
            shown.err.startswith("truerate: ") and shown.err.count("\n") == 1 and "Traceback" not in shown.err
        ), shown.err
        return shown.err

    return run
