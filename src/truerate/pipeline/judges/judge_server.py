"""A published detector behind an OpenAI-compatible address on this machine, so that a board can ask it as it
asks any judge.

The weights must be there before the build that asks: a folder that was published, or a repository of the Hub
at a revision. Those that the same build trains are refused: they learn from the very data set whose texts
they would judge, after it is made.
"""

import json
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from truerate.config.layout import Layout
from truerate.core.errors import SettingsError, TruerateError
from truerate.core.text import n_words
from truerate.pipeline.judges.judge_prompts import Asked, asked

HOST = "127.0.0.1"  # never further than this machine
MAX_BODY = 16 * 1024 * 1024  # bytes of a request
CHAT, MODELS, HEALTH = "/v1/chat/completions", "/v1/models", "/health"
PARAMS = "params.yaml"
Judge = Callable[[Asked], str]


class Refused(TruerateError):
    """A request that gets no completion: its status and one line."""

    def __init__(self, status: HTTPStatus, message: str):
        super().__init__(message)
        self.status = status


def refuse_own(weights: str, params: str = PARAMS) -> None:
    """Raise SettingsError for weights that this build trains, and for a Hub id without a revision."""
    folder = Path(weights)
    if not folder.is_dir():
        if "@" not in weights:
            raise SettingsError(
                f"serving judge {weights!r}: no folder of that name, and a repository of the Hub needs a "
                "revision, as org/name@v1.0"
            )
        return
    if not Path(params).is_file():
        return
    config = Layout.load(params)
    trained = {Path(config.trained(board)).resolve() for board in config.p.boards} | {
        Path(config.training).resolve()
    }
    if any(folder.resolve().is_relative_to(folder_of_build) for folder_of_build in trained):
        raise SettingsError(
            f"serving judge {weights!r}: this build trains it, on the data set that it would judge; "
            "publish it first, then name the published folder or org/name@revision"
        )


def serve(judge: Judge, port: int, *, name: str, identity: str) -> ThreadingHTTPServer:
    """A server on a port (0: a free one) of this machine; requests are judged one by one."""
    taken = threading.Lock()

    def alone(question: Asked) -> str:
        with taken:
            return judge(question)

    handler = type("Handler", (_Handler,), {"judge": staticmethod(alone), "name": name, "identity": identity})
    try:
        return ThreadingHTTPServer((HOST, port), handler)
    except OSError as error:
        raise SettingsError(
            f"serving judge {name!r} on port {port}: {error.strerror}; name another"
        ) from None


def completion(body: bytes, judge: Judge, name: str) -> dict[str, Any]:
    """The chat completion of a request; its tokens are words. Raises Refused if it cannot be answered."""
    request = _request(body)
    if request.get("stream"):
        raise Refused(HTTPStatus.BAD_REQUEST, "reading the request: stream is not offered; leave it out")
    messages = request["messages"]
    try:
        text = judge(asked(messages))
    except TruerateError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
    n_in, n_out = sum(n_words(str(message.get("content", ""))) for message in messages), n_words(text)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": n_in, "completion_tokens": n_out, "total_tokens": n_in + n_out}
    model = request.get("model") or name  # there is one alone, whatever it is called
    head = {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": model}
    return {**head, "choices": [choice], "usage": usage}


def _request(body: bytes) -> Mapping[str, Any]:
    """The JSON of a request that holds messages."""
    try:
        request = json.loads(body)
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, "reading the request: it is no JSON") from None
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Refused(HTTPStatus.BAD_REQUEST, "reading the request: `messages` must be a list of messages")
    return request


class _Handler(BaseHTTPRequestHandler):
    """One connection; `serve` gives a subclass with judge, name and identity."""

    protocol_version = "HTTP/1.1"
    judge: Judge
    name: str
    identity: str

    def do_GET(self) -> None:
        """Health, with the identity of what answers, and the one model that there is."""
        if self.path == HEALTH:
            self._send(HTTPStatus.OK, {"identity": self.identity})
        elif self.path == MODELS:
            self._send(HTTPStatus.OK, {"object": "list", "data": [{"id": self.name, "object": "model"}]})
        else:
            self._refuse(
                Refused(HTTPStatus.NOT_FOUND, f"no page {self.path!r}; allowed: {CHAT}, {MODELS}, {HEALTH}")
            )

    def do_POST(self) -> None:
        """A chat completion."""
        try:
            body = self._body()
            if self.path != CHAT:
                raise Refused(HTTPStatus.NOT_FOUND, f"no page {self.path!r}; allowed: {CHAT}")
            self._send(HTTPStatus.OK, completion(body, self.judge, self.name))
        except Refused as refused:
            self._refuse(refused)

    def _body(self) -> bytes:
        """Request's body. Raises Refused and closes the connection if its length is missing or too large."""
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            self.close_connection = True
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a content-length of at most {MAX_BODY} is needed"
            )
        return self.rfile.read(int(length))

    def _refuse(self, refused: Refused) -> None:
        self._send(refused.status, {"error": {"message": str(refused), "type": "invalid_request_error"}})

    def _send(self, status: HTTPStatus, content: Mapping[str, Any]) -> None:
        body = json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: who asks keeps its own account."""
