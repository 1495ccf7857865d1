"""A track comes in by adding folders: from `truerate params` to page, terminal, CSV and a dry-run publication.

What stands in tests/toy_track is copied into a built project; no file that was there changes but params.yaml,
and afterwards what a build writes.
"""

import json
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from house import House, copied, lines_of_error
from published import publish, running

from truerate.config.places import SENTINEL

TOY = Path(__file__).parent / "toy_track"
BUILT = "mfava-closed-world"
CAPITALS = {
    json.loads(line)["country"]: json.loads(line)["capital"]
    for line in (TOY / "inputs/capitals/capitals.jsonl").read_text("utf-8").splitlines()
}
KNOWN = {
    "traveller": 8,
    "homebody": 2,
}  # of the countries, in the order of the file, each model knows so many
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("built-mfava")]


class Models(BaseHTTPRequestHandler):
    """Two models behind one endpoint: each knows the capitals of its first countries, and else says London."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = body["messages"][-1]["content"]
        known = list(CAPITALS)[: KNOWN[body["model"]]]
        text = next((CAPITALS[country] for country in known if country in asked), "London")
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 20, "completion_tokens": 2, "total_tokens": 22}
        answer = {"id": "x", "object": "chat.completion", "model": body["model"], "choices": [choice]}
        answer |= {"usage": usage}
        whole = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(whole)))
        self.end_headers()
        self.wfile.write(whole)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def endpoint():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


@pytest.fixture(scope="module")
def house(tmp_path_factory, endpoint, built_mfava) -> House:
    """A built project, committed, with the toy track's folders and blocks added and nothing else done."""
    made = copied(built_mfava, tmp_path_factory.mktemp("toy"))
    git(made, "add", "-A")
    git(made, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "-m", "built")
    shutil.copytree(TOY, made.folder, dirs_exist_ok=True)
    made.edit(lambda params: add(params, endpoint))
    return made


def add(params: dict, endpoint: str) -> None:
    """The blocks that switch the track on: its settings and sizes, its source, two models, its board."""
    answering = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 16}
    params["tracks"]["capitals"] = {"subjects": list(KNOWN), "answering": answering}
    params["sizes"]["demo"]["capitals"] = {"countries": 8}
    params["sources"]["capitals"] = {"reader": "capitals", "path": "inputs/capitals", "is_public": True}
    params["endpoints"]["here"] = {"base_url": endpoint}
    params["models"] |= {name: {"endpoint": "here", "model": name, "family": name} for name in KNOWN}
    params["boards"]["capitals"] = {"track": "capitals", "source": "capitals"}


def git(house: House, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=house.folder, check=True, capture_output=True, text=True
    ).stdout


def test_the_track_is_small():
    files = [path for path in TOY.rglob("*.py")]
    lines = [line for path in files for line in path.read_text("utf-8").splitlines() if line.strip()]
    assert len(lines) <= 100


def test_adding_it_changes_no_file_that_is_there(house):
    git(house, "add", "--intent-to-add", "-A")
    changed = git(house, "diff", "--name-status").splitlines()
    assert [line for line in changed if line.startswith("M")] == ["M\tparams.yaml"]
    added = [line.split("\t")[1] for line in changed if line.startswith("A")]
    assert len(added) == len(changed) - 1 and all(name.startswith(("src/", "inputs/")) for name in added)


def test_no_stage_of_another_board_runs_again(house):
    assert house.run("truerate", "params").stdout == ""
    named = json.loads(house.run("dvc", "status", "--json").stdout)
    assert {name for name in named if name.endswith(f"@{BUILT}")} == set()
    own = {"dataset", "annotate", "label", "train", "judge", "audit", "truth", "score"}
    assert set(named) == {"check", "sources", "leaderboard", "site"} | {f"{name}@capitals" for name in own}


def test_it_is_built_shown_and_told_everywhere_alike(house):
    trained = house.bytes_under(f"data/detectors/{BUILT}")
    times = {path: path.stat().st_mtime_ns for path in (house.folder / "build/training").rglob("*")}
    filled = (house.folder / "build/wiki" / SENTINEL).stat().st_mtime_ns
    house.run("dvc", "repro", "sources")
    assert (house.folder / "build/wiki" / SENTINEL).stat().st_mtime_ns == filled, (
        "its sizes make no other source again"
    )
    planned = json.loads(house.run("truerate", "plan", "capitals", "--json").stdout)
    assert planned["total"]["n_calls"] == 16
    house.run("truerate", "build")
    assert house.bytes_under(f"data/detectors/{BUILT}") == trained
    assert {path: path.stat().st_mtime_ns for path in (house.folder / "build/training").rglob("*")} == times
    changed = git(house, "diff", "--name-status").splitlines()
    modified = {line.split("\t")[1] for line in changed if line.startswith("M")}
    assert modified == {"params.yaml", "dvc.lock", "metrics/leaderboard.json"}

    lines = house.table("data/leaderboard/rows.parquet").filter(board="capitals", metric="capital_accuracy")
    assert dict(lines.select("subject", "value").iter_rows()) == {"traveller": 1.0, "homebody": 0.25}
    assert all(
        low < value or value < high for value, low, high in lines.select("value", "low", "high").iter_rows()
    )

    shown = house.run("truerate", "board", "capitals").stdout
    page = (house.folder / "build/site/boards/capitals.html").read_text("utf-8")
    told = (house.folder / "build/site_src/boards/capitals.csv").read_text("utf-8")
    for text in (shown, page, told):
        assert "traveller" in text and "homebody" in text
    assert "Right capitals" in page and "Right capitals" in told and "Answers" in page
    methods = (house.folder / "build/site/methods-capitals.html").read_text("utf-8")
    assert "Share of the questions in whose answer the capital stands" in methods


def test_it_goes_out_in_a_dry_run(house, tmp_path):
    with running(tmp_path) as hub:
        planned = publish(house, hub, "capitals", "--to", "org/capitals", "--tag", "v1.0", "--dry-run").stdout
    assert "README.md" in planned and ".parquet" in planned


def test_a_number_without_a_record_is_one_line_when_it_is_scored_and_when_it_is_shown(house):
    path = house.folder / "src/truerate/tracks/capitals/metrics.yaml"
    path.write_text(path.read_text("utf-8").replace("capital_accuracy", "capital_acuracy"), "utf-8")
    line = "truerate: board 'capitals': metric 'capital_accuracy' has no record; did you mean 'capital_acuracy'?; add a record"
    for command in (("render",), ("score", "capitals")):
        done = house.run("truerate", *command, check=False)
        assert (
            done.returncode == 2
            and len(lines_of_error(done)) == 1
            and lines_of_error(done)[0].startswith(line)
        ), done.stderr
