"""What the tests of the loopback Hub send: a release by the real client, and requests that no client would
send.
"""

import base64
import http.client
import io
import json

import polars as pl
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

REPO = "org/board"
API = f"/api/datasets/{REPO}"
SHARD = "data/qa/test-00000-of-00001.parquet"
CARD = """---
license: mit
language: [en]
configs:
- config_name: qa
  default: true
  data_files:
  - split: test
    path: data/qa/*
---
# A board
"""


def parquet(**columns: list) -> bytes:
    """A Parquet file of these columns."""
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def push(api: HfApi, files: dict[str, bytes], *, delete: tuple[str, ...] = (), kind: str = "dataset", **more):
    """One commit by the real client."""
    operations = [CommitOperationAdd(path, content) for path, content in files.items()]
    operations += [CommitOperationDelete(path) for path in delete]
    return api.create_commit(REPO, operations, commit_message="a release", repo_type=kind, **more)


def ask(
    hub,
    method: str,
    path: str,
    body: bytes | dict | None = None,
    *,
    port: int | None = None,
    **headers: str | None,
):
    """A request as it stands, with the write token unless `Authorization` is given: status, headers and body."""
    body = json.dumps(body).encode() if isinstance(body, dict) else body
    named = {"Authorization": f"Bearer {hub.token}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    connection = http.client.HTTPConnection("127.0.0.1", port or hub.ports[0], timeout=10)
    try:
        connection.request(
            method, path, body, {name: value for name, value in named.items() if value is not None}
        )
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def commit(hub, *operations: tuple[str, dict], header: dict | None = None, body: bytes | None = None):
    """A commit of (key, value) lines, whatever they say: status and message."""
    lines = [("header", {"summary": "raw"} | (header or {})), *operations]
    written = b"".join(json.dumps({"key": key, "value": value}).encode() + b"\n" for key, value in lines)
    status, _, reply = ask(
        hub,
        "POST",
        f"{API}/commit/main",
        written if body is None else body,
        Content_Type="application/x-ndjson",
    )
    return status, reply.decode()


def regular(path: str, content: bytes = b"text") -> tuple[str, dict]:
    """The line of a regular file."""
    return "file", {"path": path, "encoding": "base64", "content": base64.b64encode(content).decode()}
