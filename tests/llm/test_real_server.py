"""A server that is not ours: `transformers serve` over a tiny random Llama, started by `launch` and asked by `ask`."""

import sys
from pathlib import Path

import pytest

from scripts.tiny_llama import make
from truerate.llm.ask import ask
from truerate.llm.request import Request

pytest.importorskip("fastapi", reason="`transformers serve` needs the extra `serving` of transformers")
pytestmark = pytest.mark.slow


def test_twenty_requests_to_transformers_serve(at, tmp_path):
    command = Path(sys.executable).with_name("transformers")  # of the environment that runs the tests
    if not command.is_file():
        pytest.skip("the command `transformers` is not installed beside this Python")
    make(tmp_path / "tiny-llama", n_steps=0)
    model = str(tmp_path / "tiny-llama")
    layout = at(
        endpoint={"launch": f"{command} serve {model} --port {{port}}", "start_s": 120, "concurrency": 2},
        model={"model": model, "identity": "tiny-llama", "accept_length": True},
        llm={"timeout_s": 60},
    )
    asked = [
        Request(
            "m",
            ({"role": "user", "content": f"Question {place}?"},),
            {"temperature": 0.0, "max_tokens": 3 + place % 2},
        )
        for place in range(20)
    ]
    replies = ask(asked, layout, label="real")
    # Weights drawn at random write no end mark: each reply is cut at its limit, which the server counts.
    assert [(one.status, one.finish_reason) for one in replies] == [("ok", "length")] * 20
    assert [one.n_tokens_out for one in replies] == [3 + place % 2 for place in range(20)]
    assert all(one.n_tokens_in and one.n_tokens_in > 3 for one in replies)
    again = ask(asked, layout, label="real")
    assert all(one.is_stored for one in again) and [one.text for one in again] == [
        one.text for one in replies
    ]
