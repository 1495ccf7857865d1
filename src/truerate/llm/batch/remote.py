"""The calls of a batch API: send a file, make a batch, look at it, read its results line by line."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx2
import orjson

from truerate.core.lenient import loads
from truerate.llm.batch.forms import Form, Status
from truerate.llm.store.batches import Batch
from truerate.llm.transport.apis import at, filled
from truerate.llm.transport.client import ERROR_BYTES, LARGEST, Client
from truerate.llm.transport.policy import judge
from truerate.llm.transport.verdict import Verdict, short

TRANSFER_S = 3600.0  # within which a file must have gone up
SKEW_S = 60.0  # by which a server's clock may be behind
PAGES = 20  # of the list of batches, in which one is looked for


class CallFailed(Exception):
    """A call that brought nothing, with what that means."""

    def __init__(self, verdict: Verdict):
        super().__init__(verdict.detail)
        self.verdict = verdict


class Remote:
    """The batch API of one endpoint."""

    def __init__(self, client: Client, form: Form, window: str):
        self.client, self.form, self.window = client, form, window

    async def create(self, batch: Batch, lines: list[bytes]) -> Status:
        """Send a batch's requests and have the server begin it. Raises CallFailed."""
        spec, values = self.form.spec, {"window": self.window, "tag": batch.tag, "model": batch.model}
        if upload := spec["upload"]:
            file = (f"{batch.tag}.jsonl", b"".join(lines), "application/jsonl")
            form = httpx2.Request("POST", "http://form", data=upload["fields"], files={"file": file})
            kind = form.headers["content-type"]
            value = await self._call("POST", upload["path"], form.read(), kind=kind, within=TRANSFER_S)
            if not isinstance(name := at(value, upload["id"]), str):
                raise CallFailed(_odd("the server names no file"))
            values["file"] = name
        create = orjson.dumps(filled(spec["create"]["body"], **values))
        if not upload:
            create = create.replace(b'"$lines"', b"[%b]" % b",".join(lines))
        path = filled(spec["create"]["path"], **values)
        return self._status(await self._call("POST", path, create, within=TRANSFER_S))

    async def find(self, batch: Batch) -> Status | None:
        """The batch, if the server has one of its name, or, where it keeps no names, one that may be it and is
        none of `batch.others`. Raises CallFailed.
        """
        spec = self.form.spec["list"]
        path = spec["path"]
        for _ in range(PAGES):
            page = await self._call("GET", path)
            rows = [row for row in at(page, spec["rows"]) or () if isinstance(row, dict)]
            for row in rows:
                is_it = at(row, spec["tag"]) == batch.tag if spec["tag"] else _may_be(row, spec, batch)
                if is_it and (status := self._status(row)).id not in batch.others:
                    return status
            if not rows or not (more := at(page, spec["more"])):
                break
            following = {"last": self._status(rows[-1]).id, "more": str(more)}
            path = spec["path"] + filled(spec["next"], **{k: quote(v, safe="") for k, v in following.items()})
        return None

    async def look(self, id: str) -> Status:
        """The batch of this id. Raises CallFailed."""
        return self._status(await self._call("GET", filled(self.form.spec["one"], id=quote(id, safe="/"))))

    async def cancel(self, id: str) -> None:
        """Ask that no more of it be begun. Raises CallFailed."""
        await self._call("POST", filled(self.form.spec["cancel"], id=quote(id, safe="/")), b"")

    async def results(self, status: Status) -> AsyncGenerator[bytes, None]:
        """The lines of all results of a batch. Raises CallFailed, also in the midst of it."""
        for line in status.lines:
            yield line
        for path in status.files:
            async with aclosing(self.lines(path)) as lines:
                async for line in lines:
                    yield line

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """The lines of a file of results. Raises CallFailed, also in the midst of it."""
        try:
            async with self.client.opened("GET", path) as response:
                if not response.is_success:
                    raise CallFailed(await self._refusal(response))
                rest = b""
                async for part in response.aiter_bytes():
                    *whole, rest = (rest + part).split(b"\n")
                    if len(rest) > LARGEST:
                        raise CallFailed(_odd(f"a line of more than {LARGEST:,} bytes"))
                    for line in whole:
                        if line.strip():
                            yield self.client.redacted(line)
                if rest.strip():
                    yield self.client.redacted(rest)
        except CallFailed:
            raise
        except Exception as error:  # whatever the transport makes of a broken server
            raise CallFailed(self.client.failure(error)) from None

    async def _call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        kind: str = "application/json",
        within: float = 0.0,
    ) -> dict[str, Any]:
        """The JSON object that a call brings."""
        try:
            async with asyncio.timeout(within or self.client.timeout_s):
                async with self.client.opened(method, path, body, kind=kind) as response:
                    if not response.is_success:
                        raise CallFailed(await self._refusal(response))
                    value = loads(self.client.redacted(await _whole(response, LARGEST)))
        except CallFailed:
            raise
        except (ValueError, RecursionError) as error:
            raise CallFailed(_odd(str(error))) from None
        except Exception as error:  # whatever the transport makes of a broken server
            raise CallFailed(self.client.failure(error)) from None
        if not isinstance(value, dict):
            raise CallFailed(_odd("no JSON object"))
        return value

    async def _refusal(self, response: httpx2.Response) -> Verdict:
        body = self.client.redacted(await _whole(response, ERROR_BYTES), is_error=True)
        return judge(response.status_code, response.headers, body)

    def _status(self, value: dict[str, Any]) -> Status:
        try:
            return self.form.status(value)
        except ValueError as error:
            raise CallFailed(_odd(str(error))) from None


def _may_be(row: dict[str, Any], spec: dict[str, Any], batch: Batch) -> bool:
    """Return whether a batch without a name has as many requests as this one, and is not older."""
    counts = at(row, spec["counts"])
    numbers = [n for n in counts.values() if isinstance(n, int)] if isinstance(counts, dict) else []
    try:
        begun_at = datetime.fromisoformat(at(row, spec["at"])).timestamp()
    except (TypeError, ValueError):
        return False
    return sum(numbers) == batch.n and begun_at > batch.at - SKEW_S


async def _whole(response: httpx2.Response, most: int) -> bytes:
    """The body, or so much of it."""
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        if (size := size + len(part)) > most:
            break
    return b"".join(parts)


def _odd(what: str) -> Verdict:
    """The verdict on a success that is none of a batch API."""
    return Verdict("retry", "bad_json", short(f"an answer that is none of a batch API: {what}"))
