"""The guide's settings of a search service of one's own do what they say: the build's step searches there and gets the
pages that were found, over loopback.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from tests.web.stub_web import HTML, StubWeb
from truerate.config import Params
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import Document, Item, Judgement, Reject, Sample, frame, pairs
from truerate.sources.collection import SourceTables
from truerate.tracks.wildhallucinations.evidence import evidence

from .blocks import blocks

ROOT = Path(__file__).parents[2]


class Service(NamedTuple):
    """Where the guide's block leads, and how such a service is asked and answers: the query in a request's target or
    body, and the reply with a link and a title.
    """

    address: str
    path: str
    query: Callable[[str, bytes], str]
    answer: Callable[[str, str], dict]


BOARD, NAMES = "wildhallucinations-closed-world", ("Varn Abbey", "Odla")
PAGE = "<html><body><article><p>{name} stands in the north of the valley, where the river Teru rises.</p></article></body></html>"
# by the reason why a block is not run
SERVICES = {
    "needs an instance of SearXNG": Service(
        "http://127.0.0.1:8888",
        "/search",
        lambda target, body: parse_qs(urlsplit(target).query)["q"][0],
        lambda link, title: {
            "query": title,
            "results": [{"url": link, "title": title, "content": "…"}],
            "unresponsive_engines": [],
        },
    ),
    "no such service": Service(
        "https://search.example.org",
        "/v1",
        lambda target, body: json.loads(body)["text"],
        lambda link, title: {"data": {"hits": [{"address": link, "name": title, "about": "…"}]}},
    ),
}


@contextmanager
def served(service):
    """The origin of a search in a thread, and of the pages to which it leads; the queries that it is asked."""
    loop, up, end = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    stub, told, queries = StubWeb({}), {}, []

    async def search(target, writer):
        queries.append(query := service.query(target, stub.bodies[-1]))
        body = json.dumps(service.answer(f"{told['origin']}/{NAMES.index(query)}", query)).encode()
        return 200, {"content-type": "application/json"}, body

    stub.pages |= {service.path: search}
    stub.pages |= {f"/{n}": (200, HTML, PAGE.format(name=name).encode()) for n, name in enumerate(NAMES)}

    async def serve():
        async with stub.listening() as port:
            told["origin"] = f"http://127.0.0.1:{port}"
            up.set()
            await end.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    up.wait()
    try:
        yield told["origin"], queries
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()


@pytest.mark.parametrize("reason", SERVICES)
def test_settings_of_the_guide_find_pages(reason, tmp_path, monkeypatch):
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    (block,) = (one for one in blocks() if one.mark == reason)
    service = SERVICES[reason]
    monkeypatch.setenv("OWN_SEARCH_KEY", "key-1")
    with served(service) as (origin, queries):
        values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
        own = yaml.safe_load(block.text.replace(service.address, origin))["tracks"]["wildhallucinations"]
        track = values["tracks"]["wildhallucinations"]
        track["search"] |= own["search"]
        reached = {"proxy": None, "allowed_private": ["127.0.0.1"], "user_agent": "truerate (a@b.example)"}
        reached |= {"per_host_s": 0}
        track["fetch"] |= reached
        at = Layout(Params.model_validate(values | {"n_shards": 1})).on(BOARD)
        rows, beside = evidence(at, BOARD, "web", tables(), 0, {})
        again, _ = evidence(at, BOARD, "web", tables(), 0, {})
    assert block.text.count(service.address) == 1  # the address of the guide is all that was put in place
    texts = {row["title"]: row["text"] for row in beside["documents"].to_dicts()}
    assert rows.height == 2 and all(name in " ".join(texts.values()) for name in NAMES)
    assert sorted(queries) == sorted(NAMES)  # once each, whatever the second build does
    assert again.equals(rows)


def tables() -> SourceTables:
    known = {"source": "s", "task": "entity", "lang": "en", "document_ids": [], "history": ""}
    known |= {"right_answer": None}
    items = [
        known | {"item_id": content_id(name), "group_id": content_id(name), "question": name, "attributes": pairs(name=name)}
        for name in NAMES
    ]  # fmt: skip
    return SourceTables(
        frame(Document), frame(Item, items), frame(Sample), frame(Judgement), frame(Reject), {}
    )
