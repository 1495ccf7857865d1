"""Where files come from: a folder, a command that fills it, a pinned data set of a (loopback) Hub."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from truerate.errors import TruerateError
from truerate.layout import Layout
from truerate.params import Source
from truerate.sources.fetch import STAMP, folder_of

PARAMS = Path(__file__).parents[2] / "params.yaml"
REVISION = "ab" * 20
SCRIPT = """
import pathlib, sys
folder, log, *more = sys.argv[1:]
pathlib.Path(folder).mkdir()
pathlib.Path(folder, "made.txt").write_text(" ".join(more))
with open(log, "a") as file: file.write("made\\n")
"""


@pytest.fixture
def at():
    return Layout.load(str(PARAMS))


@pytest.fixture
def maker(tmp_path):
    """A source whose command is a real script that notes each run."""
    script, log = tmp_path / "make.py", tmp_path / "runs.log"
    script.write_text(SCRIPT)
    make = f"python {script} {{path}} {log} --seed {{seed}} --items {{n_items}} --languages {{languages}}"
    source = Source(reader="alpaca", path=str(tmp_path / "world"), make=make, code=(str(script),))
    return source, lambda: log.read_text().count("made") if log.exists() else 0


def test_a_folder_is_taken_as_it_is(tmp_path, at):
    assert folder_of("x", Source(reader="alpaca", path=str(tmp_path)), at) == tmp_path


def test_a_missing_folder_is_one_line(tmp_path, at):
    with pytest.raises(TruerateError, match="no folder .*nowhere.*sources.x.path"):
        folder_of("x", Source(reader="alpaca", path=str(tmp_path / "nowhere")), at)


def test_a_command_fills_the_folder_once(maker, at):
    source, n_runs = maker
    folder = folder_of("x", source, at)
    largest = max(at.p.size.halueval.model_dump().values())
    assert (folder / "made.txt").read_text() == f"--seed {at.p.seed} --items {largest} --languages en"
    assert folder_of("x", source, at) == folder and n_runs() == 1
    assert sorted(path.name for path in folder.parent.iterdir()) == ["make.py", "runs.log", "world"]


def test_other_code_or_another_command_makes_it_again(maker, at):
    source, n_runs = maker
    folder = folder_of("x", source, at)
    (folder / "stale.txt").write_text("of the old world")
    Path(source.code[0]).write_text(SCRIPT + "# changed\n")
    assert not (folder_of("x", source, at) / "stale.txt").exists() and n_runs() == 2
    folder_of("x", source.model_copy(update={"make": source.make + " --more"}), at)
    assert n_runs() == 3


def test_a_failed_command_is_one_line_and_leaves_the_old_folder(maker, at):
    source, _ = maker
    folder = folder_of("x", source, at)
    Path(source.code[0]).write_text("raise SystemExit('no such thing')")
    with pytest.raises(TruerateError, match="ended with exit code 1: no such thing$"):
        folder_of("x", source, at)
    assert (folder / STAMP).is_file() and [path.name for path in folder.parent.glob("world*")] == ["world"]


def test_wrong_commands_are_one_line(tmp_path, at):
    path = str(tmp_path / "w")
    with pytest.raises(TruerateError, match=r"allowed: .*\{languages\}, .*\{n_items\}, \{path\}, \{seed\}"):
        folder_of("x", Source(reader="alpaca", path=path, make="python {pth}", code=(str(PARAMS),)), at)
    with pytest.raises(TruerateError, match="No such file"):
        folder_of("x", Source(reader="alpaca", path=path, make="no-such-program {path}", code=(str(PARAMS),)), at)
    with pytest.raises(TruerateError, match="wrote no folder"):
        folder_of("x", Source(reader="alpaca", path=path, make="python -c pass", code=(str(PARAMS),)), at)


class Hub(BaseHTTPRequestHandler):
    """One pinned data set with one file; `is_flipped` serves other bytes of the same size."""

    content = json.dumps([{"instruction": "Name a metal.", "input": "", "output": ""}]).encode()
    is_flipped = False

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        oid = hashlib.sha1(b"blob %d\0" % len(self.content) + self.content).hexdigest()
        headers = {"etag": f'"{oid}"', "x-repo-commit": REVISION}
        path = self.path.partition("?")[0]
        if path == f"/api/datasets/org/metals/tree/{REVISION}":
            self.reply(200, json.dumps([{"type": "file", "path": "alpaca.json", "size": len(self.content), "oid": oid}]).encode())
        elif path == f"/datasets/org/metals/resolve/{REVISION}/alpaca.json":
            self.reply(200, self.content.replace(b"metal", b"mital") if self.is_flipped else self.content, headers)
        else:
            self.reply(404, b"{}", {"x-error-code": "RepoNotFound"})

    def reply(self, status, body, headers=()):
        self.send_response(status)
        for name, value in {"content-length": len(body), "content-type": "application/json", **dict(headers)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def hub(tmp_path):
    """Ask for a data set of a loopback Hub in a process of its own: the client reads its address when it is imported."""
    handler = type("OneHub", (Hub,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def fetch(repo):
        code = (
            "import sys\nfrom truerate.errors import TruerateError\nfrom truerate.params import HubSource, Source\n"
            "from truerate.sources import fetch\n"
            f"source = Source(reader='alpaca', hub=HubSource(repo={repo!r}, revision={REVISION!r}))\n"
            "try: print(fetch.folder_of('x', source, None))\n"
            "except TruerateError as error: print(error); sys.exit(2)\n"
        )
        home = {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "HF_HOME": str(tmp_path / "hf"), "HF_HUB_DISABLE_XET": "1"}
        done = subprocess.run([sys.executable, "-c", code], env=os.environ | home, capture_output=True, text=True)
        return done.returncode, done.stdout.strip()

    yield fetch, handler
    server.shutdown()
    server.server_close()


def test_a_pinned_hub_data_set_is_downloaded(hub):
    fetch, _ = hub
    status, folder = fetch("org/metals")
    assert status == 0 and json.loads(Path(folder, "alpaca.json").read_text())[0]["instruction"] == "Name a metal."


def test_an_unknown_hub_data_set_is_one_line(hub):
    fetch, _ = hub
    status, line = fetch("org/absent")
    assert status == 2 and line.startswith("source 'x': data set 'org/absent' at abababab of the Hub: ") and "\n" not in line


def test_bytes_that_differ_from_the_checksum_are_refused(hub):
    fetch, handler = hub
    handler.is_flipped = True
    status, line = fetch("org/metals")
    assert status == 2 and "files differ from the Hub's checksums: alpaca.json" in line
