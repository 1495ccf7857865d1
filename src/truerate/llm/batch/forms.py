"""The batch APIs as data (`forms.yaml`): what is sent, and where in a reply stands what."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson

from truerate.core.data_files import read_data
from truerate.core.lenient import loads
from truerate.llm.store.jobs import Job
from truerate.llm.transport.apis import Api, at, filled
from truerate.llm.transport.policy import judge_line
from truerate.llm.transport.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Status:
    """A batch as its server shows it. `files`: where its results lie, as paths below the address; `lines`: those
    that stand in it.
    """

    id: str
    state: str
    is_ended: bool
    files: tuple[str, ...] = ()
    lines: tuple[bytes, ...] = ()
    error: str = ""


class Result(NamedTuple):
    """The answer to one request of a batch: its key and the verdict, None where it was never asked."""

    key: bytes | None
    verdict: Verdict | None


class Form:
    """One of the APIs."""

    def __init__(self, name: str):
        self.spec: dict[str, Any] = read_data(Path(__file__).with_name("forms.yaml"), dict)[name]
        self.api = Api.of(name)
        spec = self.spec
        head, mark, middle, _, end = re.split(rb'("\$key"|"\$body")', orjson.dumps(spec["line"]))
        self._is_key_first = mark == b'"$key"'
        self._line = head, middle, end + b"\n"

    @classmethod
    @cache
    def of(cls, name: str) -> "Form":
        """The form of this name."""
        return cls(name)

    def line(self, key: str, body: bytes) -> bytes:
        """A request, in OpenAI's protocol, as a line of the file."""
        key_and_body = (b'"%b"' % key.encode(), self.api.body(body))
        values = key_and_body if self._is_key_first else key_and_body[::-1]
        return b"%b%b%b%b%b" % (self._line[0], values[0], self._line[1], values[1], self._line[2])

    def status(self, value: Mapping[str, Any]) -> Status:
        """A batch of the server's JSON. Raises ValueError where it has no id or state."""
        spec = self.spec
        id, state = at(value, spec["id"]), at(value, spec["state"])
        if not (isinstance(id, str) and id and isinstance(state, str)):
            raise ValueError("no id and state of a batch stand in it")
        results, is_ended = spec["results"], state in spec["ended"]
        names = [at(value, path) for path in results.get("files", ["id"])]
        files = [
            filled(results["path"], file=quote(name, safe=""))
            for name in names
            if isinstance(name, str) and name and is_ended and "path" in results
        ]
        inline = next(
            (rows for path in results.get("inline", ()) if isinstance(rows := at(value, path), list)), []
        )
        errors = at(value, spec["errors"])
        error = orjson.dumps(errors).decode() if errors else ""
        lines = tuple(map(orjson.dumps, inline))
        return Status(id, state, is_ended, tuple(files), lines, error)

    def result(self, line: bytes, jobs: Mapping[bytes, Job]) -> Result:
        """A line of results, judged if it is one of the jobs. A line that cannot be read has no key."""
        spec = self.spec["result"]
        try:
            value = loads(line)
            key = bytes.fromhex(at(value, spec["key"]))
        except (ValueError, TypeError, RecursionError):
            return Result(None, None)
        if key not in jobs or at(value, spec["why"]) in spec["unasked"]:
            return Result(key, None)
        status, body, error = (at(value, spec[name]) for name in ("status", "body", "error"))
        body = self.api.completion(body) if body else {"error": error}
        code = status if isinstance(status, int) else 200
        return Result(key, judge_line(code, body, line, accept_length=jobs[key].keeps_cut))
