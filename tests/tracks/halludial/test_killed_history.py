"""Self history under kill -9: whatever was answered before stands, and at most what was under way is paid
again.
"""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from stub import Stub, serving

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.llm.ask import ask
from truerate.llm.generation import facts
from truerate.tracks.asking import ask_prompted
from truerate.tracks.halludial.responding import run_self

from .rows_by_hand import context, questions

ROOT, TESTS = Path(__file__).parents[3], Path(__file__).parents[2]
CONCURRENCY, N_DIALOGUES, N_TURNS = 4, 12, 3
SCRIPT = """
    import sys
    sys.path.insert(0, {tests!r})
    from tracks.halludial import test_killed_history
    test_killed_history.rows_of_run({params!r})
"""


def dialogues():
    """Twelve dialogues of three turns."""
    return [
        [context(f"i{d}-{turn}", turn, dialogue=f"d{d}", knowledge=f"Fact {d}.") for turn in range(N_TURNS)]
        for d in range(N_DIALOGUES)
    ]


def rows_of_run(params: str) -> list[dict]:
    """The rows of a run in self history."""
    config = Layout(Params.model_validate_json(Path(params).read_text("utf-8")))

    def answered(asked, number):
        return ask_prompted(asked, config, f"own turn {number + 1}", ask)

    return run_self(dialogues(), "m", questions(max_history_words=2000), answered)


@pytest.fixture
def stub():
    stub = Stub(latency=0.02)
    with serving(stub) as url:
        yield stub, url


def params(folder: Path, url: str) -> str:
    """A file of params whose model `m` is answered there."""
    values = load_params(str(ROOT / "params.yaml")).model_dump(mode="json")
    values["endpoints"]["stub"] = {"base_url": url, "concurrency": CONCURRENCY}
    values["models"]["m"] = {"endpoint": "stub", "model": "stub-model"}
    path = folder / "params.json"
    path.write_text(json.dumps(values), "utf-8")
    return str(path)


def test_killed_it_pays_again_for_what_was_under_way_and_says_the_same(stub, tmp_path, monkeypatch):
    stub, url = stub
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    path = params(tmp_path, url)
    code = textwrap.dedent(SCRIPT.format(tests=str(TESTS), params=path))
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    while stub.calls.total() < 20:  # in the second round, whose prompts hold what the first said
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    monkeypatch.chdir(ROOT)
    rows = rows_of_run(path)
    assert [row["status"] for row in rows] == ["ok"] * N_DIALOGUES * N_TURNS
    assert len(stub.calls) == N_DIALOGUES * N_TURNS  # every prompt but once: the histories were the same
    assert stub.calls.total() <= N_DIALOGUES * N_TURNS + CONCURRENCY
    assert not any("n_gaps" in facts(row) for row in rows)
    before = stub.calls.total()
    assert [row["text"] for row in rows_of_run(path)] == [row["text"] for row in rows]
    assert stub.calls.total() == before
