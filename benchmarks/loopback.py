"""A chat-completions server on loopback that answers at once, for what is measured over HTTP without models."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


def serve(reply: Callable[[str], str]) -> None:
    """Answer every request by its last message until the process ends; the port is printed first."""
    import asyncio

    import httptools
    import orjson
    import uvloop

    class Connection(asyncio.Protocol):
        def connection_made(self, transport):
            self.transport, self.parser, self.body = transport, httptools.HttpRequestParser(self), b""

        def data_received(self, data):
            self.parser.feed_data(data)

        def on_body(self, part):
            self.body += part

        def on_message_complete(self):
            said, self.body = orjson.loads(self.body)["messages"][-1]["content"], b""
            choice = {
                "index": 0,
                "message": {"role": "assistant", "content": reply(said)},
                "finish_reason": "stop",
            }
            body = orjson.dumps({"id": "x", "object": "chat.completion", "choices": [choice]})
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
            self.transport.write(head % len(body) + body)

    async def listen() -> None:
        server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    uvloop.run(listen())


@contextmanager
def served(words: Sequence[str]) -> Iterator[str]:
    """The server as a process of its own, which a script starts by these words; its address."""
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True) as server:
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.terminate()
