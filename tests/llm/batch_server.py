"""A batch API on loopback that is strict with its clients, and fails as it is told to."""

import json
import re
from collections import Counter
from collections.abc import Callable

from stub import Stub

MODELS_PER_FILE = 1
PART = re.compile(
    rb'name="([^"]+)"(?:; filename="([^"]+)")?\r\n(?:content-type: [^\r]+\r\n)?\r\n(.*)\Z',
    re.DOTALL | re.IGNORECASE,
)


class Refused(Exception):
    """A call that a strict server refuses, with its status."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


class BatchStub(Stub):
    """OpenAI's batch API beside the completions of `Stub`, which answer its requests, too."""

    def __init__(self, **more):
        super().__init__(**more)
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict] = {}
        self.looks: Counter[str] = Counter()
        self.requests: Counter[tuple[str, str]] = Counter()  # calls by method and path, ids left out
        self.trouble: Callable[[str, str, int], tuple | str | None] = lambda method, path, n: None
        self.states = ["validating", "in_progress", "finalizing"]  # that a batch shows before it ends
        self.end = "completed"
        self.n_before_end: int | None = None  # requests that are answered before it ends; None: all
        self.names_the_rest = True  # in the error file, with batch_expired
        self.more_lines: list[bytes] = []
        self.doubles = self.drops_midway = False
        self.never_ends = False
        self.ends_when_cancelled = True
        self.room: int | None = None  # requests that may be under way at once
        self.most = 50_000
        self.online = 0
        self.refuses_files = ""  # what it says of a file when it is to be begun
        self.paid: Counter[str] = Counter()  # by custom_id, in batches that were begun

    async def route(self, method: str, url: str, headers: dict, body: bytes):
        """The answer to a call, by method and path."""
        path = url.removeprefix("/v1").partition("?")[0]
        name = re.sub(r"(batch|file)-\d+", r"\1", path)
        self.requests[method, name] += 1
        before = self.trouble(method, name, self.requests[method, name])
        if before is not None and before not in ("after", "after-drop"):
            return before
        try:
            answer = await self._route(method, path, url.partition("?")[2], headers, body)
        except Refused as refused:
            return refused.status, {}, json.dumps({"error": {"message": str(refused), "code": None}}).encode()
        return {"after": (500, {}, b"gone"), "after-drop": "drop"}.get(before, answer)

    async def _route(self, method: str, path: str, query: str, headers: dict, body: bytes):
        match method, *path.strip("/").split("/"):
            case "POST", "chat", "completions":
                self.online += 1
                return await self.answer(body)
            case "POST", "files":
                return _json(self.uploaded(headers, body))
            case "POST", "batches":
                return _json(self.created(json.loads(body)))
            case "GET", "batches":
                return _json(self.page(query))
            case "GET", "batches", id:
                return _json(await self.looked_at(id))
            case "POST", "batches", id, "cancel":
                return _json(self.cancelled(id))
            case "GET", "files", id, "content":
                return self.content(id)
        raise Refused(404, f"no such path: {method} {path}")

    # ---- what a client may do ------------------------------------------------------------------------------
    def uploaded(self, headers: dict, body: bytes) -> dict:
        """A file, whose every line is looked at."""
        kind, _, boundary = headers["content-type"].partition("; boundary=")
        if kind != "multipart/form-data" or not body.endswith(f"\r\n--{boundary}--\r\n".encode()):
            raise Refused(400, "no multipart form")
        parts = body.removesuffix(f"\r\n--{boundary}--\r\n".encode()).split(f"--{boundary}\r\n".encode())[1:]
        fields = {}
        for part in parts:
            name, filename, content = PART.search(part).groups()
            fields[name.decode()] = content if filename else content.removesuffix(b"\r\n")
        if fields["purpose"] != b"batch":
            raise Refused(400, "purpose must be batch")
        self.check(fields["file"])
        return self.kept(fields["file"])

    def check(self, file: bytes) -> None:
        """Refuse a file that a real server would refuse."""
        lines = [json.loads(line) for line in file.decode().splitlines()]
        ids = [line["custom_id"] for line in lines]
        if not 1 <= len(lines) <= self.most:
            raise Refused(400, f"{len(lines)} requests; allowed: 1 to {self.most}")
        if len(set(ids)) != len(ids):
            raise Refused(400, "duplicate custom_id")
        if any(line.keys() != {"custom_id", "method", "url", "body"} for line in lines):
            raise Refused(400, "unknown fields")
        if any((line["method"], line["url"]) != ("POST", "/v1/chat/completions") for line in lines):
            raise Refused(400, "wrong url")
        if len({line["body"]["model"] for line in lines}) > MODELS_PER_FILE:
            raise Refused(400, "more than one model")

    def kept(self, content: bytes) -> dict:
        id = f"file-{len(self.files)}"
        self.files[id] = content
        return {"id": id, "object": "file", "bytes": len(content), "purpose": "batch"}

    def created(self, asked: dict) -> dict:
        """A batch of an uploaded file."""
        if asked.keys() != {"input_file_id", "endpoint", "completion_window", "metadata"}:
            raise Refused(400, f"fields {sorted(asked)}")
        if asked["completion_window"] != "24h" or asked["endpoint"] != "/v1/chat/completions":
            raise Refused(400, "window or endpoint")
        n = self.files[asked["input_file_id"]].count(b"\n")
        n_under_way = sum(self.n_requests(one) for one in self.batches.values() if not is_over(one))
        id = f"batch-{len(self.batches)}"
        batch = {
            "id": id,
            "object": "batch",
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "errors": None,
            **asked,
        }
        self.batches[id] = batch
        if self.refuses_files or (self.room is not None and n + n_under_way > self.room):
            error = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}
            if self.refuses_files:
                error = {"code": "invalid_request", "message": self.refuses_files, "line": 1}
            batch |= {"status": "failed", "errors": {"object": "list", "data": [error]}}
        else:
            self.paid.update(
                json.loads(line)["custom_id"] for line in self.files[asked["input_file_id"]].splitlines()
            )
        return batch

    def n_requests(self, batch: dict) -> int:
        return self.files[batch["input_file_id"]].count(b"\n")

    def page(self, query: str) -> dict:
        """Two batches of the list, newest first: a client has to turn pages."""
        if not re.fullmatch(r"limit=100(&after=batch-\d+)?", query):
            raise Refused(400, f"query {query}")
        rows = list(self.batches.values())[::-1]
        if after := re.search(r"after=(.+)", query):
            rows = rows[[row["id"] for row in rows].index(after[1]) + 1 :]
        return {"object": "list", "data": rows[:2], "has_more": len(rows) > 2}

    async def looked_at(self, id: str) -> dict:
        """A batch, which comes a state further with each look."""
        if id not in self.batches:
            raise Refused(404, f"No batch found with id {id!r}")
        batch = self.batches[id]
        self.looks[id] += 1
        if is_over(batch):
            return batch
        if batch["status"] == "cancelling":
            if self.ends_when_cancelled:
                await self.finish(batch, "cancelled")
        elif self.looks[id] <= len(self.states) or self.never_ends:
            batch["status"] = self.states[min(self.looks[id], len(self.states)) - 1]
        else:
            await self.finish(batch, self.end)
        return batch

    def cancelled(self, id: str) -> dict:
        self.batches[id]["status"] = "cancelling"
        return self.batches[id]

    async def finish(self, batch: dict, state: str) -> None:
        """Answer its requests, or so many of them, in another order than they were asked."""
        output, errors = [], []
        lines = self.files[batch["input_file_id"]].splitlines()[::-1]
        n = len(lines) if self.n_before_end is None else self.n_before_end
        for number, line in enumerate(map(json.loads, lines)):
            if number >= n:
                error = {"code": f"batch_{state}", "message": "not run"}
                if self.names_the_rest:
                    errors.append(
                        {"id": "r", "custom_id": line["custom_id"], "response": None, "error": error}
                    )
                continue
            status, _, body = await self.answer(json.dumps(line["body"]).encode())
            response = {"status_code": status, "request_id": "q", "body": json.loads(body)}
            whole = {"id": "r", "custom_id": line["custom_id"], "response": response, "error": None}
            (output if status == 200 else errors).append(whole)
        for name, rows in (("output_file_id", output), ("error_file_id", errors)):
            dumped = [json.dumps(row).encode() for row in rows for _ in range(1 + self.doubles)]
            dumped += self.more_lines if name == "output_file_id" else []
            if dumped:
                batch[name] = self.kept(b"\n".join(dumped) + b"\n")["id"]
        batch["status"] = state

    def content(self, id: str) -> tuple[int, dict, bytes] | bytes:
        body = self.files[id]
        if self.drops_midway:
            self.drops_midway = False
            return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body[: len(body) // 2]
        return 200, {}, body


def is_over(batch: dict) -> bool:
    """Return whether a batch has ended."""
    return batch["status"] in ("completed", "failed", "expired", "cancelled")


def _json(value: dict) -> tuple[int, dict, bytes]:
    return 200, {}, json.dumps(value).encode()
