"""Imports packages once, then forks a child for every command that client.py asks for."""

import contextlib
import gc
import importlib.util
import io
import json
import os
import re
import runpy
import selectors
import signal
import socket
import sys
import types
from pathlib import Path

ROOT = Path(__file__).parents[2]
# What commands of a build import; none reads at its import what one copy sets otherwise than another.
PACKAGES = """
polars polars._utils.parquet numpy orjson yaml pydantic jinja2.sandbox jinja2.meta jinja2.ext regex
lxml.html psutil statistics scipy.stats scipy.special scipy.sparse scipy.optimize sklearn.linear_model
sklearn.ensemble sklearn.preprocessing sklearn.feature_extraction.text sacrebleu openai
openai.resources.chat httpcore2 httpcore2._backends.anyio h11 truststore dvc.cli.parser dvc.repo
dvc.repo.reproduce dvc.repo.status dvc.repo.stage dvc.commands.repro dvc.stage.loader dvc.fs.dvc dvc.fs.git
dvc.output dvc.dependency dvc.scm dvc.rwlock dvc.repo.index dvc.repo.plots dvc.repo.metrics dvc.repo.params
dvc.repo.datasets dvc.cachemgr dvc.data_cloud dvc.lock dvc.stage.cache scmrepo.git dulwich.repo ruamel.yaml
configobj diskcache sqltrie networkx snakemake.cli snakemake.api snakemake.storage
snakemake.report.html_reporter smart_open requests docutils.core yte pandas mkdocs.commands.build
mkdocs.contrib.search material.plugins.search.plugin material.plugins.offline.plugin babel.support
backrefs.bre pygments.lexers pygments.formatters markdown.extensions.attr_list
markdown.extensions.codehilite markdown.extensions.fenced_code markdown.extensions.tables
""".split()
# What networks are trained and asked with, as far as nothing of it reads places or tokens: half of what a process of
# theirs imports, so it is imported before the first of these commands in a folder whose settings have networks.
OF_NETWORKS = ("torch", "torch.distributed.tensor", "torch._dynamo")
ASKING_NETWORKS = ("train", "train-cell", "judge", "check")
TOKENS = re.compile(
    r"^  tokens:$", re.MULTILINE
)  # the family of networks, in settings that a test has left it in


def by_path(name: str) -> types.ModuleType:
    """A module of truerate.core that imports nothing else of the project, under no name of the project."""
    place = ROOT / f"src/truerate/core/{name}.py"
    spec = importlib.util.spec_from_file_location(place.stem, place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load():
    """Import the packages, then the project's own modules, which are given, without a look at a frame: once polars
    has threads, what is forked waits for them for ever.
    """
    for name in PACKAGES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    from project import Project  # beside this file

    del sys.path[0], sys.modules["project"]  # no command finds it, or what else lies here
    n_threads = len(os.listdir("/proc/self/task"))
    project = Project(ROOT / "src")
    assert len(os.listdir("/proc/self/task")) == n_threads, "a module looks at a frame while it is imported"
    # The one reads places and tokens of the environment at its import, the other costs much and is seldom used.
    assert not {"huggingface_hub", "torch"} & set(sys.modules)
    return project


def is_of_networks(asked: dict) -> bool:
    """Whether a command asks or trains networks, by its name and by the settings of its folder."""
    how, what, *more = [*asked["argv"], ""]
    settings = Path(asked["cwd"], "params.yaml")
    if (how, what) != ("-m", "truerate") or more[0] not in ASKING_NETWORKS or not settings.is_file():
        return False
    return bool(TOKENS.search(settings.read_text("utf-8")))


def bring_networks() -> None:
    """Import what networks need, once, in the process that forks."""
    if OF_NETWORKS[0] in sys.modules:
        return
    n_threads = len(os.listdir("/proc/self/task"))
    for name in OF_NETWORKS:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    assert len(os.listdir("/proc/self/task")) == n_threads and "huggingface_hub" not in sys.modules
    gc.collect()
    gc.freeze()


class Server:
    """Children by their process ids, each with the line to whoever asked for it."""

    def __init__(self, folder: Path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "socket"))
        self.listener.listen(64)
        self.python = str(folder / "python")
        self.project = None
        self.lines: dict[int, socket.socket] = {}
        self.ended, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector = selectors.DefaultSelector()
        for source, what in ((self.listener, self.fork), (self.ended, self.tell), (0, self.end)):
            self.selector.register(source, selectors.EVENT_READ, what)

    def serve(self) -> list[str]:
        """Fork what is asked for; returns in a child alone, with the arguments of its command."""
        while True:
            for key, _ in self.selector.select():
                if arguments := key.data():
                    return arguments

    def fork(self) -> list[str] | None:
        line, _ = self.listener.accept()
        head, streams, _, _ = socket.recv_fds(line, 8, 3)
        asked = json.loads(line.makefile("rb").read(int.from_bytes(head, "big")))
        if is_of_networks(asked):
            bring_networks()
        if pid := os.fork():
            for stream in streams:
                os.close(stream)
            self.lines[pid] = line
            line.sendall(b"%d\n" % pid)
            self.selector.register(line, selectors.EVENT_READ, lambda: self.kill(pid))
            return None
        self._let_go(line)
        become(asked, streams, self.python)
        if self.project:
            self.project.lend(sys.path[0], asked["env"].get("PYTHONPATH", "").split(os.pathsep))
        return asked["argv"]

    def kill(self, pid: int) -> None:
        """Whoever asked for a child is gone: so is the child."""
        self.selector.unregister(self.lines[pid])
        os.kill(pid, signal.SIGKILL)

    def tell(self) -> None:
        """Tell those whose child ended how it ended."""
        os.read(self.ended, 4096)
        while self.lines:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            line = self.lines.pop(pid)
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(line)
            with contextlib.suppress(OSError), line:
                line.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))

    def end(self) -> None:
        """Whoever started this process is gone, or wants it to end."""
        for pid in self.lines:
            os.kill(pid, signal.SIGKILL)
        for pid in self.lines:
            os.waitpid(pid, 0)
        os._exit(0)

    def _let_go(self, line: socket.socket) -> None:
        """Close in a child what belongs to its parent."""
        wake = signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.selector.close()
        for one in (self.listener, line, *self.lines.values()):
            one.close()
        os.close(self.ended)
        os.close(wake)


def become(asked: dict, streams: list[int], python: str) -> None:
    """Be, in a child, the process that was asked for: its streams, folder, environment, paths and arguments."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        open(2, "wb", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    paths = filter(None, asked["env"].get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [asked["cwd"] if asked["argv"][0] == "-m" else "", *paths]
    sys.dont_write_bytecode = bool(asked["env"].get("PYTHONDONTWRITEBYTECODE"))
    sys.executable = python
    sys.argv = [asked["argv"][0], *asked["argv"][2:]]
    sys.orig_argv = [python, *asked["argv"]]
    sys.modules["__main__"] = types.ModuleType("__main__")


def main() -> int:
    """What a child's command returns; the process that forks ends otherwise."""
    server = Server(Path(sys.argv[1]))
    print("listens", flush=True)
    server.project = load()
    gc.collect()
    gc.freeze()
    return run(*server.serve())


def run(how: str, what: str, *_: str) -> int:
    """As `python -m` or `python -c` does."""
    if how == "-c":
        exec(compile(what, "<string>", "exec"), sys.modules["__main__"].__dict__)
    else:
        runpy._run_module_as_main(what)
    return 0


if __name__ == "__main__":
    by_path("process/fast_exit").at_once(main)  # nor is what was imported for all taken apart in each
