"""The batch APIs as data (`forms.yaml`): what is sent, and where in a reply stands what."""

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
from truerate.llm.transport.policy import judge_line
from truerate.llm.transport.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Status:
    """A batch as its server shows it. `files`: where its results lie, as paths below the address."""

    id: str
    state: str
    is_ended: bool
    files: tuple[str, ...] = ()
    error: str = ""


class Result(NamedTuple):
    """The answer to one request of a batch: its key and the verdict, None where it was never asked."""

    key: bytes | None
    verdict: Verdict | None


class Form:
    """One of the APIs."""

    def __init__(self, spec: Mapping[str, Any]):
        self.spec = spec
        head, rest = orjson.dumps(spec["line"]).split(b'"$key"')
        middle, end = rest.split(b'"$body"')
        self._line = head, middle, end + b"\n"

    @classmethod
    @cache
    def of(cls, name: str) -> "Form":
        """The form of this name."""
        return cls(read_data(Path(__file__).with_name("forms.yaml"), dict)[name])

    def line(self, key: str, body: bytes) -> bytes:
        """A request as a line of the file."""
        head, middle, end = self._line
        return b'%b"%b"%b%b%b' % (head, key.encode(), middle, body, end)

    def status(self, value: Mapping[str, Any]) -> Status:
        """A batch of the server's JSON. Raises ValueError where it has no id or state."""
        spec = self.spec
        id, state = at(value, spec["id"]), at(value, spec["state"])
        if not (isinstance(id, str) and id and isinstance(state, str)):
            raise ValueError("no id and state of a batch stand in it")
        results = spec["results"]
        names = [at(value, path) for path in results["files"]]
        files = [
            filled(results["path"], file=quote(name, safe=""))
            for name in names
            if isinstance(name, str) and name
        ]
        errors = at(value, spec["errors"])
        error = orjson.dumps(errors).decode() if errors else ""
        return Status(id, state, state in spec["ended"], tuple(files), error)

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
        if not body:
            body = {"error": error}
        code = status if isinstance(status, int) else 200
        return Result(key, judge_line(code, body, line, accept_length=jobs[key].keeps_cut))


def at(value: object, path: str | None) -> Any:
    """The value at a path with dots, None where there is nothing."""
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value if path else None


def filled(template: Any, **values: Any) -> Any:
    """A template with its `$name`s filled in; one that stands alone takes a value of any kind."""
    if isinstance(template, dict):
        return {name: filled(inner, **values) for name, inner in template.items()}
    if not isinstance(template, str):
        return template
    for name, value in values.items():
        if template == f"${name}":
            return value
        if f"${name}" in template:
            template = template.replace(f"${name}", str(value))
    return template
