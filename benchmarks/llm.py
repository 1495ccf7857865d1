"""What the model layer costs, beside the bare HTTP client it stands on, in one interleaved run against a
local stub.

    python benchmarks/llm.py [--write benchmarks/RESULTS.md]

CPU time and ratios inside one run are comparable between machines; wall times are not. `--write` puts the
table between the markers `<!-- bench:llm -->` and `<!-- /bench:llm -->` of a file.
"""

import argparse
import asyncio
import contextlib
import io
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson
import yaml

from truerate.results.markers import write_between

CONCURRENCY = 64
NAMES = {  # of the clients, as the table shows them
    "raw": "aiohttp + orjson alone",
    "post": "openai client, `post`",
    "typed": "openai client, typed `create`",
    "whole": "`truerate.llm.ask`, everything",
}
WORDS = [f"w{number:x}" for number in range(1, 60_000, 7)]


def main() -> None:
    """Measure and print; with --write also into a file."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--stub", type=int, help=argparse.SUPPRESS)
    options.add_argument("--write", help="file whose marked block is replaced")
    options.add_argument("--calls", type=int, default=4000, help="calls per round")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--entries", type=int, default=150_000, help="stored replies of the cached rerun")
    given = options.parse_args()
    if given.stub:
        serve(given.stub)
        return
    table = measured(given)
    print(table)
    if given.write:
        write_between(Path(given.write), "bench:llm", table)


# ---- the stub ----------------------------------------------------------------------------------------------
def serve(port: int) -> None:
    """A chat-completions server that gives one reply of about 0.6 KB to everything, and its call count on any
    GET.
    """
    import httptools
    import uvloop

    text = " ".join(random.Random(0).choices(WORDS, k=120))
    usage = {"prompt_tokens": 300, "completion_tokens": 150, "total_tokens": 450}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = orjson.dumps({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})
    calls = 0

    class Connection(asyncio.Protocol):
        def connection_made(self, transport):
            self.transport, self.parser = transport, httptools.HttpRequestParser(self)

        def data_received(self, data):
            self.parser.feed_data(data)

        def on_message_complete(self):
            nonlocal calls
            is_call = self.parser.get_method() == b"POST"
            calls += is_call
            found = body if is_call else str(calls).encode()
            self.transport.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
                % (len(found), found)
            )

    async def listen() -> None:
        server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port)
        await server.serve_forever()

    uvloop.run(listen())


def n_calls(url: str) -> int:
    """How many calls the stub has seen."""
    import urllib.request

    with urllib.request.urlopen(url, timeout=5) as answer:
        return int(answer.read())


def started() -> tuple[subprocess.Popen, str]:
    """The stub as a process of its own, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, __file__, "--stub", str(port)])
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, f"http://127.0.0.1:{port}/v1"
        except OSError:
            time.sleep(0.02)
    raise SystemExit("the stub does not start")


# ---- what is measured --------------------------------------------------------------------------------------
def prompts(n: int, salt: object) -> list[str]:
    """Distinct prompts of about 1.2 KB."""
    pick = random.Random(str(salt))
    return [f"{salt} {number} " + " ".join(pick.choices(WORDS, k=240)) for number in range(n)]


async def pooled(texts: list[str], call) -> float:
    """CPU seconds of this process for all calls, at the benchmark's concurrency."""
    queue = iter(texts)

    async def worker() -> None:
        for text in queue:
            await call(text)

    since = time.process_time()
    await asyncio.gather(*(worker() for _ in range(CONCURRENCY)))
    return time.process_time() - since


async def raw(url: str, texts: list[str]) -> float:
    """aiohttp and orjson alone."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as session:

        async def call(text: str) -> None:
            async with session.post(
                f"{url}/chat/completions", data=body(text), headers={"content-type": "application/json"}
            ) as answer:
                assert orjson.loads(await answer.read())["choices"][0]["message"]["content"]

        return await pooled(texts, call)


async def posted(url: str, texts: list[str]) -> float:
    """The openai client's `post` with bodies and replies as bytes."""
    import httpx2
    import openai

    limits = httpx2.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)
    transport = openai.DefaultAioHttpClient(limits=limits)
    async with openai.AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, http_client=transport
    ) as client:

        async def call(text: str) -> None:
            answer = await client.post(f"{url}/chat/completions", content=body(text), cast_to=httpx2.Response)
            assert orjson.loads(answer.content)["choices"][0]["message"]["content"]

        return await pooled(texts, call)


def body(text: str) -> bytes:
    """The request of one call."""
    return orjson.dumps({"model": "m", "messages": [{"role": "user", "content": text}], "max_tokens": 256})


async def typed(url: str, texts: list[str]) -> float:
    """The openai client as its README uses it."""
    import openai

    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def call(text: str) -> None:
            found = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": text}], max_tokens=256
            )
            assert found.choices[0].message.content

        return await pooled(texts, call)


def whole(at, texts: list[str]) -> float:
    """`truerate.llm.ask`: keys, leases, slots, the call, validation, the store."""
    asked = requests(texts)
    since = time.process_time()
    replies = ask_quietly(at, asked)
    spent = time.process_time() - since
    assert all(reply.status == "ok" and not reply.is_stored for reply in replies)
    return spent


def ask_quietly(at, asked: list) -> list:
    """`ask` without its progress lines."""
    from truerate.llm.ask import ask

    with contextlib.redirect_stderr(io.StringIO()):
        return ask(asked, at, label="benchmark")


def requests(texts: list[str]) -> list:
    from truerate.llm.request import Request

    params = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 256}
    return [Request("bench", ({"role": "user", "content": text},), params) for text in texts]


def fill(at, texts: list[str]) -> float:
    """Store a reply to each text as a run would; CPU seconds."""
    from truerate.llm.keys import Target
    from truerate.llm.store.jobs import Job, Settled
    from truerate.llm.store.leases import Holder, settle
    from truerate.llm.store.responses import Store, StoredReply

    target, pick = Target.of(at, "bench"), random.Random(1)
    pool = [" ".join(pick.choices(WORDS, k=120)) for _ in range(1000)]
    since = time.process_time()
    with Store(at.store) as store:
        holder = Holder.new(store, "bench", CONCURRENCY)
        for start in range(0, len(texts), 256):
            some = requests(texts[start : start + 256])
            jobs = [Job(target.key(request), target, request) for request in some]
            kept = [StoredReply(pool[number % len(pool)], "stop", 300, 150) for number in range(len(jobs))]
            settled = [
                Settled(job, answer, charges=[job.charge("reply", 300, 150)])
                for job, answer in zip(jobs, kept, strict=True)
            ]
            store.submit(lambda link, settled=settled: settle(link, holder, settled)).result()
    return time.process_time() - since


def layout(url: str, folder: str):
    """The repository's params with one model on the stub, and a store of its own."""
    from truerate.config.layout import Layout

    found = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    found["endpoints"]["bench"] = {"base_url": url, "concurrency": CONCURRENCY}
    found["models"]["bench"] = {"endpoint": "bench", "model": "m"}
    path = Path(folder) / "params.yaml"
    path.write_text(yaml.safe_dump(found))
    os.environ["TRUERATE_STORE"] = str(Path(folder) / "responses.sqlite")
    return Layout.load(str(path))


def measured(given: argparse.Namespace) -> str:
    """All measurements, as a Markdown table."""
    stub, url = started()
    with tempfile.TemporaryDirectory() as folder:
        try:
            config = layout(url, folder)
            costs = calls(config, url, given)
            cached = rerun(config, url, given)
        finally:
            stub.kill()
            stub.wait()
    return table(costs, cached, given)


def calls(at, url: str, given: argparse.Namespace) -> dict[str, list[float]]:
    """Milliseconds of CPU per call of each client, one value per round; the first round warms up."""
    found: dict[str, list[float]] = {name: [] for name in NAMES}
    for number in range(given.rounds + 1):
        texts = prompts(given.calls, number)
        spent = {
            "raw": asyncio.run(raw(url, texts)),
            "post": asyncio.run(posted(url, texts)),
            "whole": whole(at, texts),
        }
        spent["typed"] = 4 * asyncio.run(typed(url, texts[: given.calls // 4]))
        if number:
            for name, seconds in spent.items():
                found[name].append(1000 * seconds / given.calls)
    return found


def rerun(at, url: str, given: argparse.Namespace) -> dict[str, float]:
    """Microseconds of CPU per stored reply, and calls made by a rerun with 20 new rows."""
    texts = prompts(given.entries, "stored")
    filled = fill(at, texts)
    asked, spent = requests(texts), []
    for _ in range(3):
        since = time.process_time()
        replies = ask_quietly(at, asked)
        spent.append(time.process_time() - since)
        assert all(reply.is_stored for reply in replies)
    before = n_calls(url)
    n_rows = len(ask_quietly(at, asked + requests(prompts(20, "new"))))
    return {
        "hit": 1e6 * statistics.median(spent) / given.entries,
        "store": 1e6 * filled / given.entries,
        "mb": sum(file.stat().st_size for file in at.store.parent.glob("responses.sqlite*") if file.is_file())
        / 1e6,
        "new": n_calls(url) - before,
        "rows": n_rows,
    }


# ---- how it is shown ---------------------------------------------------------------------------------------
def table(costs: dict[str, list[float]], cached: dict[str, float], given: argparse.Namespace) -> str:
    """The Markdown table."""
    lines = ["| what | CPU per request | ratio to aiohttp |", "| --- | --- | --- |"]
    for name, label in NAMES.items():
        ratio = statistics.median(mine / base for mine, base in zip(costs[name], costs["raw"], strict=True))
        lines.append(f"| {label} | {statistics.median(costs[name]):.3f} ms | {ratio:.1f}x |")
    lines.append(f"| a stored reply, of {given.entries:,} | {cached['hit']:.1f} µs | – |")
    lines.append(f"| storing a reply | {cached['store']:.0f} µs | – |")
    lines.append("")
    lines.append(
        f"{given.calls:,} new prompts of 1.2 KB per round at concurrency {CONCURRENCY}, median of {given.rounds} interleaved rounds,"
        f" local stub; rerun with 20 new rows: {cached['new']} calls for {cached['rows']:,} rows; store {cached['mb']:.0f} MB."
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
