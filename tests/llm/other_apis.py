"""Anthropic's and Gemini's protocols on loopback, with their batch APIs: as strict as `batch_server`, whose
answers are put into their words.
"""

import json
from datetime import UTC, datetime

from llm.batch_server import BatchStub, Refused, _json, is_over


class OtherStub(BatchStub):
    """A batch is kept with its requests in OpenAI's words (`lines`), and shown in those of the protocol."""

    def n_requests(self, batch: dict) -> int:
        return len(batch["lines"])

    def begun(self, id: str, lines: list[tuple[str, dict]], **more) -> dict:
        """A new batch, which a client pays for from now on."""
        if len({key for key, _ in lines}) != len(lines):
            raise Refused(400, "duplicate keys")
        self.paid.update(key for key, _ in lines)
        self.batches[id] = {
            "id": id,
            "status": "validating",
            "lines": lines,
            "results": [],
            "at": datetime.now(UTC).isoformat(),
            **more,
        }
        return self.batches[id]

    async def finish(self, batch: dict, state: str) -> None:
        n = len(batch["lines"]) if self.n_before_end is None else self.n_before_end
        for number, (key, body) in enumerate(batch["lines"][::-1]):
            answer = await self.answer(json.dumps(body).encode()) if number < n else None
            batch["results"].append(self.result(key, answer, state))
        batch["status"] = state

    def pages(self, last: str) -> tuple[list[dict], bool]:
        """Two batches of the list, newest first, and whether there are more."""
        rows = list(self.batches.values())[::-1]
        rows = rows[[row["id"] for row in rows].index(last) + 1 :] if last else rows
        return rows[:2], len(rows) > 2


class AnthropicStub(OtherStub):
    """Anthropic's Messages."""

    async def _route(self, method: str, path: str, query: str, headers: dict, body: bytes):
        if (
            headers.get("x-api-key") != "none"
            or headers.get("anthropic-version") != "2023-06-01"
            or "authorization" in headers
        ):
            raise Refused(401, "no key")
        match method, *path.strip("/").split("/"):
            case "POST", "messages":
                self.online += 1
                return self.put(await self.answer(json.dumps(self.plain(json.loads(body))).encode()))
            case "POST", "messages", "batches":
                asked = json.loads(body)["requests"]
                lines = [
                    (line["custom_id"], self.plain(line["params"]))
                    for line in asked
                    if line.keys() == {"custom_id", "params"}
                ]
                return _json(self.shown(self.begun(f"batch-{len(self.batches)}", lines)))
            case "GET", "messages", "batches":
                rows, has_more = self.pages(query.partition("after_id=")[2])
                return _json({"data": [self.shown(row) for row in rows], "has_more": has_more})
            case "GET", "messages", "batches", id:
                return _json(self.shown(await self.looked_at(id)))
            case "POST", "messages", "batches", id, "cancel":
                return _json(self.shown(self.cancelled(id)))
            case "GET", "messages", "batches", id, "results":
                return (
                    200,
                    {},
                    b"".join(json.dumps(row).encode() + b"\n" for row in self.batches[id]["results"]),
                )
        raise Refused(404, "no such path")

    def plain(self, asked: dict) -> dict:
        """A request in OpenAI's words."""
        if extra := asked.keys() - {
            "model",
            "messages",
            "system",
            "max_tokens",
            "temperature",
            "top_p",
            "stop_sequences",
            "thinking",
        }:
            raise Refused(400, f"{sorted(extra)}: Extra inputs are not permitted")
        if any(turn["role"] not in ("user", "assistant") for turn in asked["messages"]):
            raise Refused(400, "role")
        system = [{"role": "system", "content": asked.pop("system")}] if "system" in asked else []
        return {**asked, "messages": [*system, *asked["messages"]]}

    def put(self, answer):
        """A completion as a message; an error as it is."""
        if not isinstance(answer, tuple) or answer[0] != 200:
            return answer
        choice = json.loads(answer[2])["choices"][0]
        end = {"stop": "end_turn", "length": "max_tokens"}[choice["finish_reason"]]
        blocks = [
            {"type": "thinking", "thinking": "so"},
            {"type": "text", "text": choice["message"]["content"]},
        ]
        usage = {
            "input_tokens": 4,
            "cache_read_input_tokens": 6,
            "cache_creation_input_tokens": 0,
            "output_tokens": 5,
        }
        return _json(
            {
                "type": "message",
                "role": "assistant",
                "model": "claude-x",
                "content": blocks,
                "stop_reason": end,
                "usage": usage,
            }
        )

    def shown(self, batch: dict) -> dict:
        """A batch in the protocol's words."""
        counts = {
            "processing": len(batch["lines"]) - len(batch["results"]),
            "succeeded": len(batch["results"]),
        }
        state = (
            "ended" if is_over(batch) else "canceling" if batch["status"] == "cancelling" else "in_progress"
        )
        return {
            "id": batch["id"],
            "type": "message_batch",
            "processing_status": state,
            "request_counts": counts,
            "created_at": batch["at"],
        }

    def result(self, key: str, answer, state: str) -> dict:
        """A line of results."""
        if answer is None:
            return {"custom_id": key, "result": {"type": state.replace("cancelled", "canceled")}}
        status, _, body = self.put(answer)
        if status == 200:
            return {"custom_id": key, "result": {"type": "succeeded", "message": json.loads(body)}}
        error = {
            "type": "error",
            "error": {
                "type": "overloaded_error" if status >= 500 else "invalid_request_error",
                "message": "no",
            },
        }
        return {"custom_id": key, "result": {"type": "errored", "error": error}}


class GeminiStub(OtherStub):
    """Gemini's generateContent."""

    async def _route(self, method: str, path: str, query: str, headers: dict, body: bytes):
        if headers.get("x-goog-api-key") != "none" or "authorization" in headers:
            raise Refused(401, "no key")
        match method, path:
            case "POST", "/models/stub-model:generateContent":
                self.online += 1
                return self.put(await self.answer(json.dumps(self.plain(json.loads(body))).encode()))
            case "POST", "/models/stub-model:batchGenerateContent":
                asked = json.loads(body)["batch"]
                lines = [
                    (line["metadata"]["key"], self.plain(line["request"]))
                    for line in asked["input_config"]["requests"]["requests"]
                ]
                return _json(
                    self.shown(
                        self.begun(f"batches/batch-{len(self.batches)}", lines, name=asked["display_name"])
                    )
                )
            case "GET", "/batches":
                rows, has_more = self.pages(query.partition("pageToken=")[2].replace("%2F", "/"))
                return _json(
                    {"operations": [self.shown(row) for row in rows]}
                    | ({"nextPageToken": rows[-1]["id"]} if has_more else {})
                )
            case "GET", _:
                return _json(self.shown(await self.looked_at(path[1:])))
            case "POST", _ if path.endswith(":cancel"):
                self.cancelled(path[1:].removesuffix(":cancel"))
                return _json({})
        raise Refused(404, "no such path")

    def plain(self, asked: dict) -> dict:
        """A request in OpenAI's words."""
        settings = asked.pop("generationConfig", {})
        allowed = {
            "temperature",
            "topP",
            "maxOutputTokens",
            "stopSequences",
            "seed",
            "frequencyPenalty",
            "presencePenalty",
            "thinkingConfig",
        }
        if asked.keys() - {"contents", "systemInstruction"} or settings.keys() - allowed:
            raise Refused(400, f"Unknown name in {sorted(asked)} {sorted(settings)}")
        turns = [(turn["role"], turn["parts"][0]["text"]) for turn in asked["contents"]]
        if any(role not in ("user", "model") for role, _ in turns):
            raise Refused(400, "role")
        system = (
            [("system", asked["systemInstruction"]["parts"][0]["text"])]
            if "systemInstruction" in asked
            else []
        )
        return {
            "model": "stub-model",
            **settings,
            "messages": [{"role": role, "content": text} for role, text in system + turns],
        }

    def put(self, answer):
        """A completion as a reply with a candidate; an error as it is."""
        if not isinstance(answer, tuple) or answer[0] != 200:
            return answer
        choice = json.loads(answer[2])["choices"][0]
        end = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}[choice["finish_reason"]]
        parts = [{"text": "so", "thought": True}, {"text": choice["message"]["content"]}]
        usage = {
            "promptTokenCount": 10,
            "cachedContentTokenCount": 6,
            "candidatesTokenCount": 3,
            "thoughtsTokenCount": 2,
        }
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": end}
        return _json({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-x"})

    def shown(self, batch: dict) -> dict:
        """A batch in the protocol's words."""
        words = {
            "completed": "SUCCEEDED",
            "cancelling": "RUNNING",
            "validating": "PENDING",
            "expired": "EXPIRED",
            "cancelled": "CANCELLED",
        }
        state = f"BATCH_STATE_{words.get(batch['status'], 'RUNNING')}"
        whole = {
            "name": batch["id"],
            "metadata": {"displayName": batch["name"], "state": state},
            "done": is_over(batch),
        }
        return whole | (
            {"response": {"inlinedResponses": {"inlinedResponses": batch["results"]}}}
            if is_over(batch)
            else {}
        )

    def result(self, key: str, answer, state: str) -> dict:
        """A line of results."""
        if answer is None:
            return {
                "metadata": {"key": key},
                "error": {"code": 1, "status": "CANCELLED", "message": "not run"},
            }
        status, _, body = self.put(answer)
        if status == 200:
            return {"metadata": {"key": key}, "response": json.loads(body)}
        error = {
            "code": 14 if status >= 500 else 3,
            "status": "UNAVAILABLE" if status >= 500 else "INVALID_ARGUMENT",
            "message": "no",
        }
        return {"metadata": {"key": key}, "error": error}
