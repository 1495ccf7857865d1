"""What a request costs in batches beside online, and whether killed runs pay twice, over HTTP with the strict
batch server of the tests.

    python benchmarks/batch.py [--write benchmarks/RESULTS.md]

CPU is that of the process that asks, with all its threads: keys, leases, files, results, checks, the store.
The server is a process of its own. `--write` puts the tables between the markers `<!-- bench:batch -->` and
`<!-- /bench:batch -->` of a file.
"""

import argparse
import contextlib
import io
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import orjson
import yaml

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from llm.batch_server import BatchStub  # noqa: E402
from llm.forked import Forked  # noqa: E402
from stub import serving  # noqa: E402

from truerate.config.layout import Layout  # noqa: E402
from truerate.llm.ask import ask  # noqa: E402
from truerate.llm.request import Request  # noqa: E402
from truerate.llm.store.responses import Store  # noqa: E402
from truerate.results.markers import write_between  # noqa: E402

WORDS = [f"w{number:x}" for number in range(1, 60_000, 7)]
PARAMS = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 256}


def main() -> None:
    """Measure and print; with --write also into a file."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", help="file whose marked block is replaced")
    options.add_argument("--calls", type=int, default=100_000, help="requests in batches")
    options.add_argument("--online", type=int, default=20_000, help="requests online")
    options.add_argument("--kills", type=int, default=100, help="runs that are killed")
    given = options.parse_args()
    tables = "\n\n".join([costs(given.calls, given.online), kills(given.kills)])
    print(tables)
    if given.write:
        write_between(Path(given.write), "bench:batch", tables)


class FixedStub(BatchStub):
    """The strict server, with one reply of about 0.6 KB to everything."""

    usage = {"prompt_tokens": 300, "completion_tokens": 150, "total_tokens": 450}
    text = " ".join(random.Random(0).choices(WORDS, k=120))
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    whole = orjson.dumps({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})

    async def answer(self, body: bytes):
        return 200, {}, self.whole


@contextlib.contextmanager
def in_a_process() -> Iterator[str]:
    """The fixed server as a process of its own; its address."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def serve() -> None:
        with serving(FixedStub()) as url:
            sender.send(url)
            while True:
                time.sleep(3600)

    process = context.Process(target=serve, daemon=True)
    process.start()
    try:
        yield receiver.recv()
    finally:
        process.kill()
        process.join()


def layout(folder: str, url: str, **batch) -> Layout:
    """The repository's params with one model on the server, and a store of its own."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    settings = {"poll_s": 0.2, **batch} if batch else False
    values["endpoints"]["bench"] = {"base_url": url, "concurrency": 64, "batch": settings}
    values["models"]["bench"] = {"endpoint": "bench", "model": "m", "price": [1.0, 2.0]}
    path = Path(folder) / "params.yaml"
    path.write_text(yaml.safe_dump(values))
    os.environ["TRUERATE_STORE"] = str(Path(folder) / "responses.sqlite")
    return Layout.load(str(path))


def requests(n: int, words: int = 240) -> list[Request]:
    """Distinct requests of so many words, of about 5 bytes each."""
    pick = random.Random(0)
    texts = (f"{number} " + " ".join(pick.choices(WORDS, k=words)) for number in range(n))
    return [Request("bench", ({"role": "user", "content": text},), PARAMS) for text in texts]


def asked(config: Layout, asking: list[Request]) -> float:
    """CPU microseconds per request of asking them all."""
    since = time.process_time()
    with contextlib.redirect_stderr(io.StringIO()):
        replies = ask(asking, config, label="benchmark")
    assert all(reply.status == "ok" for reply in replies)
    return 1e6 * (time.process_time() - since) / len(asking)


def costs(n: int, n_online: int) -> str:
    """The table of CPU per request."""
    from benchmarks.llm import fill  # what it costs to store replies

    spent, many = {}, requests(n)
    with in_a_process() as url:
        for name, asking, batch in (("online", many[:n_online], {}), ("batch", many, {"price_factor": 0.5})):
            with tempfile.TemporaryDirectory() as folder:
                config = layout(folder, url, **batch)
                spent[name] = asked(config, asking)
                if name == "batch":
                    spent["stored"] = asked(config, asking)
    with tempfile.TemporaryDirectory() as folder:
        config = layout(folder, "http://127.0.0.1:9/v1")
        spent["rows"] = 1e6 * fill(config, [r.messages[0]["content"] for r in many]) / n
    spent["way"] = spent["batch"] - spent["rows"]
    names = {
        "online": f"online, {n_online:,} requests, all of it",
        "batch": f"batch, {n:,} requests, all of it",
        "rows": "what either has to do: key the request, pack and store request and reply",
        "way": "the batch's way to the server and back: lookups, leases, lines, upload, results, checks",
        "stored": "the same requests again, all stored",
    }
    lines = [
        f"| {name} | {spent[key]:,.0f} | {100 * spent[key] / spent['online']:.1f} |"
        for key, name in names.items()
    ]
    head = ["| CPU per request | µs | % of online |", "| --- | --- | --- |"]
    return "\n".join([*head, *lines])


# ---- kills -------------------------------------------------------------------------------------------------
def run(send, params: str, n: int) -> None:
    """A run that may be killed."""
    send(asked(Layout.load(params), requests(n, words=5)))


def kills(n_kills: int) -> str:
    """The table of runs that were killed at random calls to the server, or a random time after one."""
    server, pick, n_done, n = BatchStub(), random.Random(0), 0, 0
    with tempfile.TemporaryDirectory() as folder, serving(server) as url:
        config = layout(folder, url, max_requests=50)
        while n_done < n_kills:
            n += 20  # each run has something new to ask
            seen = server.requests.total() + pick.randrange(1, 9)
            process = Forked(run, str(Path(folder) / "params.yaml"), n)
            while process.is_running() and server.requests.total() < seen:
                pass
            time.sleep(pick.random() * 0.02)
            n_done += process.is_running()
            process.kill()
        asked(config, requests(n, words=5))
        with Store(config.store) as store:
            booked = dict(store.query("SELECT kind, SUM(calls) FROM ledger GROUP BY kind"))
            left = [
                store.query(f"SELECT COUNT(*) FROM {table}")[0][0] for table in ("lease", "holder", "batch")
            ]
    twice = sum(count > 1 for count in server.paid.values())
    head = "| kills | requests | begun by the server in batches | twice | online | booked | leases, runs and batches left |"
    row = f"| {n_done} | {n:,} | {server.paid.total():,} | {twice} | {server.online} | {booked} | {left} |"
    return "\n".join([head, "| --- | --- | --- | --- | --- | --- | --- |", row])


if __name__ == "__main__":
    main()
