"""The value of a key reaches neither terminal, store nor replies, whatever an endpoint says."""

import zlib

import pytest

from llm.asked import asking
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask
from truerate.llm.store.responses import Store

KEY = "swordfish 'of' no-known/form"
KINDS = [
    "401",
    "403",
    "400",
    "500",
    "404",
    "429",
    "html",
    "error-200",
    "not-completion",
    "refusal",
    "tools",
    "parts",
    "bad-status",
]


def test_a_launched_server_that_prints_its_key_and_dies_does_not_betray_it(at, monkeypatch):
    monkeypatch.setenv("STUB_KEY", KEY)
    layout = at(endpoint={"api_key_env": "STUB_KEY", "launch": "sh -c 'echo key $STUB_KEY; exit 3' {port}"})
    with pytest.raises(TruerateError, match=r"endpoint 'stub': launch .* key \[key\]"):
        ask([asking("x")], layout, label="x")


@pytest.mark.parametrize("kind", [*KINDS, "echo"])
def test_a_key_that_is_echoed_is_hidden(at, stub, monkeypatch, capsys, tmp_path, kind):
    monkeypatch.setenv("STUB_KEY", KEY)
    stub.stub.is_echoing = True
    layout = at(endpoint={"api_key_env": "STUB_KEY"}, llm={"max_attempts": 1})
    said = ""
    try:
        replies = ask([asking("fine"), asking(f"[[{kind}]]" if kind != "echo" else "x")], layout, label="x")
        said += str(replies)
    except TruerateError as error:
        said += str(error)
    said += str(capsys.readouterr())
    assert stub.stub.headers["authorization"] == f"Bearer {KEY}"
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY not in said and "swordfish" not in said
    assert b"swordfish" not in stored
    with Store(layout.store) as store:
        blobs = store.query(
            "SELECT extra FROM response WHERE extra IS NOT NULL UNION ALL SELECT request FROM dead"
        )
        assert all(b"swordfish" not in zlib.decompress(blob) for (blob,) in blobs)
