"""The closed world's commands, as processes."""

import json
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml

from truerate.core.schemas import Score, load
from truerate_world.encyclopedia import build

COMMAND = [sys.executable, "-m", "truerate_world"]


def run(*arguments):
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture
def endpoint(tmp_path):
    """A served endpoint: its address and its log."""
    log = tmp_path / "calls.log"
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--identity", "w1", "--log", str(log)],
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process.stdout.readline().split()[-1], log
    process.terminate()
    assert process.wait() == 0


def get(url):
    with urllib.request.urlopen(url) as response:
        return json.load(response)


def test_serve_answers_as_every_model_and_the_log_counts(endpoint):
    url, log = endpoint
    names = [model["id"] for model in get(f"{url}/models")["data"]]
    assert len(names) >= 5 and get(url.removesuffix("/v1") + "/health") == {"identity": "w1"}
    for name in names:
        body = json.dumps(
            {"model": name, "messages": [{"role": "user", "content": "Who are you?"}], "temperature": 1.0}
        ).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{url}/chat/completions", body)) as response:
            assert json.load(response)["choices"][0]["message"]["content"]
    assert len(log.read_text().splitlines()) == len(names)


def test_a_taken_port_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", port)
    assert done.returncode == 2
    assert (
        done.stderr == f"truerate_world: port {port} cannot be taken: Address already in use; name another\n"
    )


def test_a_log_that_cannot_be_written_is_one_line(tmp_path):
    done = run("serve", "--port", "0", "--log", tmp_path / "no" / "calls.log")
    assert done.returncode == 2 and done.stderr.endswith(
        "cannot be taken: No such file or directory; name another\n"
    )


def test_a_wrong_fault_is_one_line():
    done = run("serve", "--port", "0", "--fault", "flood")
    assert done.returncode == 2 and "with KIND one of search-quota" in done.stderr


def test_serving_loads_nothing_heavy():
    code = (
        "import sys, truerate_world.__main__, truerate_world.simulated_model, truerate_world.server\n"
        "print([name for name in ('polars', 'pandera', 'pydantic', 'numpy', 'aiohttp') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_write_is_repeatable(tmp_path):
    for name in ("one", "two"):
        done = run("write", tmp_path / name, "--seed", 3, "--items", 5)
        assert done.returncode == 0, done.stderr
    files = {
        name: {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    }
    assert files["one"] == files["two"] and len(files["one"]) > 5


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A folder with the committed settings and one board whose tasks wait for labels; a second board is of
    real data.
    """
    params = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text("utf-8"))
    params["sources"]["found"] = {"reader": "xsum", "path": "."}
    params["boards"] = {
        "b": {"track": "halueval", "source": "closed-world"},
        "real": {"track": "halueval", "source": "found"},
    }
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    tasks = tmp_path / "data/datasets/b/tasks.jsonl"
    tasks.parent.mkdir(parents=True)
    tasks.write_text(
        json.dumps({"task_id": "t1", "query": "Who are you?", "response": "I am a model."}) + "\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data/annotations"


def test_annotate_writes_labels_of_every_labeller(board):
    assert run("annotate", "b").returncode == 0
    rows = [json.loads(line) for line in (board / "b/labels.jsonl").read_text().splitlines()]
    assert {row["task_id"] for row in rows} == {"t1"} and len({row["annotator"] for row in rows}) >= 3
    assert {row["hallucination"] for row in rows} <= {"yes", "no"}


def test_nothing_is_planted_on_a_real_board(board):
    assert run("annotate", "real").returncode == 0 and run("truth", "real").returncode == 0
    assert (board / "real/labels.jsonl").read_text() == ""
    assert load(Score, board.parent / "truth/real.parquet").is_empty()


def test_an_unknown_board_and_missing_tasks_are_one_line(board):
    assert (
        run("annotate", "c").stderr
        == "truerate_world: board 'c' is not declared in params.yaml; declared: b, real\n"
    )
    (board.parent / "datasets/b/tasks.jsonl").unlink()
    done = run("annotate", "b")
    assert (done.returncode, done.stderr) == (
        2,
        "truerate_world: 'data/datasets/b/tasks.jsonl': No such file or directory\n",
    )


def test_what_breaks_builds_is_planted_by_name_and_other_names_are_refused(capsys):
    from truerate_world.__main__ import _parser, _web

    with pytest.raises(SystemExit) as ended:
        _parser().parse_args(["serve", "--port", "0", "--breaks", "floods"])
    assert ended.value.code == 2
    assert "breaks 'floods': allowed are all, or, joined by commas, rate-limits" in capsys.readouterr().err
    world = build(7)
    for given, n_dropped in (([], 0), (["--breaks", "outages"], 6)):
        (answer,) = _web(
            world, ["wildhallucinations"], _parser().parse_args(["serve", "--port", "0", *given])
        )
        asked = [answer("GET", f"/customsearch/v1?q={name}") for name, _ in world.lexicon().names[:20]]
        assert sum(reply.is_dropped for reply in asked) == n_dropped
