"""The step over real HTTP: the closed world's web on loopback, its search and its proxy."""

import asyncio
import json
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.schemas import (
    Document,
    Generation,
    Item,
    Judgement,
    Reject,
    Sample,
    frame,
    generation_row,
    pairs,
    validate,
)
from truerate.llm.generation import facts, generations
from truerate.sources.collection import SourceTables
from truerate.tracks.wildhallucinations import protocol
from truerate.tracks.wildhallucinations.evidence import Web, evidence, fetching, search_scope
from truerate.tracks.wildhallucinations.protocol import services
from truerate.web.pauses import Clock
from truerate.web.store import PageStore
from truerate_world.encyclopedia import build
from truerate_world.faults import Fault
from truerate_world.server import Settings, listening
from truerate_world.wildhallucinations.breaks import WEB
from truerate_world.wildhallucinations.broken_web import BrokenSite
from truerate_world.wildhallucinations.models import pages
from truerate_world.wildhallucinations.models.site import Site

ROOT = Path(__file__).parents[3]
BASE = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
BOARD, WORLD = "wildhallucinations-closed-world", build(7)
# a page that never answers costs the whole limit of time, one that breaks off is asked for in every run
SLOW = ("hanging", "cut")
FOUND = [
    WORLD.lexicon().name(entry)
    for entry, pages_found in pages.web(WORLD).results.items()
    if not {page.kind for page in pages_found} & set(SLOW)
]
NAMES = FOUND[:12]
FEW = NAMES[:5]  # where it does not matter that every outcome is met


class Running:
    """A server in a thread, with the counts of its web, which is broken as `breaks` says."""

    def __init__(self, *faults: Fault, breaks=(), world=WORLD):
        self.site, self.loop, self.up = Site(world, faults), asyncio.new_event_loop(), threading.Event()
        self.broken = BrokenSite(self.site, breaks, slow_s=0.05)
        self.end = asyncio.Event()
        self.thread = threading.Thread(
            target=self.loop.run_until_complete, args=(self._serve(),), daemon=True
        )

    async def _serve(self):
        async with listening(None, Settings(models=("m",), web=(self.broken.answer,))) as self.port:
            self.up.set()
            await self.end.wait()

    def __enter__(self):
        self.thread.start()
        self.up.wait()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join()
        self.loop.close()


def layout(url: str, *, search=(), fetch=(), **changes) -> Layout:
    values = yaml.safe_load(yaml.safe_dump(BASE))
    values["endpoints"]["loopback"] = {"base_url": f"{url}/v1", "is_simulated": True}
    values["tracks"]["wildhallucinations"]["search"].update({"endpoint": "loopback", **dict(search)})
    values["tracks"]["wildhallucinations"]["fetch"].update(
        {"proxy": "loopback", "timeout_s": 5, **dict(fetch)}
    )
    return Layout(Params.model_validate(values | {"n_shards": 1} | changes)).on(BOARD)


def tables(names=NAMES, documents=(), **changes) -> SourceTables:
    shared = {"source": "s", "task": "entity", "lang": "en", "document_ids": [], "history": ""}
    rows = []
    for name in names:
        ids = {"item_id": content_id(name), "group_id": content_id(name)}
        texts = {"question": name, "right_answer": None, "attributes": pairs(name=name)}
        rows.append(shared | ids | texts | changes)
    empty = (frame(table) for table in (Sample, Judgement, Reject))
    return SourceTables(frame(Document, list(documents)), frame(Item, rows), *empty, {})


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))


def step(at, given, shard=0):
    return evidence(at, BOARD, "web", given, shard, {})


def test_entities_get_the_pages_that_are_planted_for_them_and_the_rest_is_rejected_by_outcome():
    with Running() as web:
        rows, beside = step(layout(f"http://127.0.0.1:{web.port}"), tables())
    for model, data in ((Generation, rows), (Document, beside["documents"]), (Reject, beside["rejects"])):
        validate(model, data, where="here")
    simulated, urls = pages.web(WORLD), dict(beside["documents"].select("document_id", "url").iter_rows())
    assert sorted(rows["item_id"]) == sorted(map(content_id, NAMES)) and set(rows["model"]) == {"web"}
    for row in rows.iter_rows(named=True):
        recorded_file = facts(row)
        planted = simulated.results[pages.planted_as(WORLD, recorded_file["name"]).entity]
        planted_pages = [simulated.by_url[page.to] if page.kind == "redirect" else page for page in planted]
        kept = [urls[name] for name in recorded_file.get("documents", "").split()]
        good = [page.url for page in planted_pages if pages.KINDS[page.kind] == "ok"]
        copies = {page.url: page.to for page in planted_pages if page.kind == "duplicate"}
        assert {copies.get(url, url) for url in kept} == set(good)
        assert len(kept) == len(good)
        assert recorded_file["n_results"] == str(len(planted))
        dropped = beside["rejects"].filter(target_id=row["item_id"])["reason"].to_list()
        assert sorted(dropped) == sorted(
            pages.KINDS[page.kind] for page in planted_pages if pages.KINDS[page.kind] != "ok"
        )


def test_a_second_build_asks_and_fetches_nothing():
    with Running() as web:
        first, beside = step(layout(f"http://127.0.0.1:{web.port}"), tables(FEW))
        asked = dict(web.site.counts)
        repeated, beside_again = step(layout(f"http://127.0.0.1:{web.port}"), tables(FEW))
        assert dict(web.site.counts) == asked and asked["search"] == len(FEW)
    gone, beside_gone = step(layout(f"http://127.0.0.1:{web.port}"), tables(FEW))  # and needs no server
    assert first.equals(repeated) and first.equals(gone)
    assert all(
        beside[name].equals(beside_again[name]) and beside[name].equals(beside_gone[name]) for name in beside
    )


def test_where_no_page_comes_the_run_ends_and_the_next_asks_for_all():
    items = list(tables(NAMES[:8]).items.iter_rows(named=True))
    with Running() as web, looking(f"http://127.0.0.1:{web.port}") as web_seen:
        web_seen.search([item["question"] for item in items])
    for _ in range(2):  # nothing listens there now
        with looking(f"http://127.0.0.1:{web.port}") as web_seen:
            with pytest.raises(
                TruerateError,
                match=r"^fetching pages: none of \d\d came .*ClientProxyConnectionError\); see to",
            ):
                web_seen.evidence(items)
    with Running() as web, looking(f"http://127.0.0.1:{web.port}") as web_seen:
        _, beside = web_seen.evidence(items)
    assert beside["documents"].height > 20 and "error" not in set(beside["rejects"]["reason"])


def test_a_web_at_its_worst_gives_the_very_same_documents(tmp_path, monkeypatch):
    """Refused for the rate, out of order for a while, led round, slow, with unseen text and bulk: nothing of
    it is lost and nothing of it is read.
    """
    items = list(tables(NAMES[:8]).items.iter_rows(named=True))
    gathered = []
    for breaks in ((), WEB):
        monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / f"{len(breaks)}.sqlite"))
        with Running(breaks=breaks) as web, looking(f"http://127.0.0.1:{web.port}") as web_seen:
            gathered.append(web_seen.evidence(items))
    (plain, beside), (rows, broken) = gathered
    assert set(web.broken.counts) == set(WEB) and min(web.broken.counts.values()) >= 2
    assert broken["documents"].equals(beside["documents"]) and beside["documents"].height > 20
    assert rows.select("item_id", "text", "attributes").equals(plain.select("item_id", "text", "attributes"))
    dropped = [entry["rejects"].select("target_id", "reason").sort(pl.all()) for entry in (broken, beside)]
    assert dropped[0].equals(dropped[1])


@contextmanager
def looking(url):
    """The web as the board sees it through a server; its pauses take no time."""
    config, clock = layout(url), Clock(sleep=lambda seconds: asyncio.sleep(0))
    with PageStore.of(config) as store, Web(config, BOARD, store, clock=clock) as web_seen:
        yield web_seen


def test_a_web_of_another_identity_never_meets_old_pages():
    with Running() as web:
        url = f"http://127.0.0.1:{web.port}"
        step(layout(url), tables(NAMES[:2]))
        before = dict(web.site.counts)
        step(layout(url, seed=8), tables(NAMES[:2]))
        assert web.site.counts["search"] == 2 * before["search"] and web.site.counts["page"] > before["page"]


def test_a_quota_that_runs_out_stops_in_one_line_and_the_next_run_goes_on():
    with Running(Fault("search-quota", rate=0.2, first_n=1)) as web:
        config, stops = layout(f"http://127.0.0.1:{web.port}"), []
        for _ in range(len(NAMES)):
            try:
                rows, _ = step(config, tables())
                break
            except TruerateError as stop:
                stops.append(str(stop))
        asked = web.site.counts["search"]
    assert stops
    assert all(
        "\n" not in line and "quota is used up (status 403 dailyLimitExceeded" in line for line in stops
    )
    assert rows.height == len(NAMES)
    refused = {line.split("'")[1] for line in stops}
    # an answered name is never asked again
    assert asked <= len(NAMES) + 8 * len(stops)
    assert len(refused) == len(stops)


@pytest.mark.parametrize("how", ["tags"])
def test_recorded_pages_give_the_same_documents_as_the_search_does(how, tmp_path):
    with Running() as web:
        config = layout(f"http://127.0.0.1:{web.port}", fetch={"extract": how})
        rows, beside = step(config, tables(FEW))
    path = tmp_path / "recorded.jsonl"
    with PageStore.of(config) as store, Web(config, BOARD, store) as recorded_file:
        lines = [
            {"query": name.upper(), "items": [recorded(recorded_file, entry) for entry in pages_found]}
            for name, pages_found in zip(FEW, recorded_file.search(FEW), strict=True)
        ]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    offline = layout(
        "http://127.0.0.1:9",
        search={"endpoint": None, "url": None, "recorded": str(path)},
        fetch={"proxy": None, "extract": how},
    )
    repeated, beside_again = step(offline, tables(FEW))
    assert beside["documents"].height > 2.5 * len(FEW)
    assert beside_again["documents"].equals(beside["documents"])
    assert (
        repeated.select("item_id", "text")
        .sort("item_id")
        .equals(rows.select("item_id", "text").sort("item_id"))
    )


def recorded(web: Web, result: dict) -> dict:
    """A result with its page, as somebody who kept it would have recorded it; a page that did not come as an
    empty one.
    """
    from truerate.web.extract import decoded
    from truerate.web.store import limits

    page = web.store.page(web.scope, result["link"], limits(web.fetching))
    if page is None:  # behind a login
        return result
    return result | {
        "html": (decoded(page.body, page.charset) or "") if page.body else "",
        "final_url": page.final_url,
    }


def test_recorded_texts_are_judged_as_pages_are(tmp_path):
    path = tmp_path / "recorded.jsonl"
    items = [
        {"link": "https://a.example/", "title": "A", "text": " Varn is\x00 a town. "},
        {"link": "https://b.example/", "title": "B", "text": "Please sign in to go on."},
        {"link": "https://www.facebook.com/varn", "title": "C", "text": "Varn on a page for members."},
        {"link": "https://d.example/", "title": "D", "text": "  "},
    ]
    path.write_text(json.dumps({"query": "Varn", "items": items}), "utf-8")
    config = layout("http://127.0.0.1:9", search={"endpoint": None, "url": None, "recorded": str(path)})
    rows, beside = step(config, tables(["Varn", "Odla"]))
    assert beside["documents"].select("text", "title", "url").rows() == [
        ("Varn is a town.", "A", "https://a.example/")
    ]
    assert beside["rejects"]["reason"].to_list() == ["sign-in", "empty", "login-host"] and rows.height == 2


def test_a_board_of_real_data_never_meets_a_simulated_web():
    values = yaml.safe_load(yaml.safe_dump(BASE["sources"]))
    values["closed-world-chats"].update(is_simulated=False)
    config = layout("http://127.0.0.1:9", sources=values)
    with pytest.raises(
        TruerateError,
        match="search.endpoint is 'loopback', which is simulated, and the board's source is not",
    ):
        step(config, tables())


def test_the_endpoint_that_params_name_is_started_for_search_and_pages():
    at = Layout(Params.model_validate(yaml.safe_load(yaml.safe_dump(BASE)) | {"n_shards": 1})).on(BOARD)
    assert at.p.track(BOARD).search.endpoint == at.p.track(BOARD).fetch.proxy == "world"
    assert at.p.endpoints["world"].launch
    rows, beside = step(at, tables(NAMES[:2]))
    assert rows.height == 2 and beside["documents"].height > 3


def test_a_plan_tells_queries_and_their_price_and_pages_and_what_is_stored(tmp_path):
    """Two of three names are new: at Brave's 0.005 USD a query 0.01 USD, and ten pages each at most."""
    brave = {"endpoint": None, "url": None, "service": "brave"}
    config = layout("http://127.0.0.1:9", search=brave, fetch={"proxy": None})
    of_search, rows = {"purpose": "search", "model": "web", "text": ""}, []
    for name in ("a", "b", "c"):
        rows.append(
            generation_row(generation_id=name, item_id=name, **of_search, attributes=pairs(name=name))
        )
    with PageStore.of(config) as store:
        store.keep_results(search_scope(config, BOARD), "b", 10, [{"link": "http://b.example/"}])
    search, fetch = services(config, BOARD, {("evidence", "web"): (generations(rows), {})})
    calls = {"step": "search", "model": "api.search.brave.com", "n_calls": 2, "n_stored": 1}
    assert search == calls | {"usd_low": 0.01, "usd_high": 0.01}
    assert (fetch["n_calls"], fetch["n_stored"], fetch["usd_high"]) == (20, 1, 0.0)
    rendering = {"proxy": None, "service": "scrapingbee", "key_env": "FETCH_KEY"}
    search = {"endpoint": None, "url": None, "service": "brave"}
    paid = layout("http://127.0.0.1:9", search=search, fetch=rendering)
    _, fetch = services(paid, BOARD, {("evidence", "web"): (generations(rows), {})})
    # 20 new pages at ScrapingBee's .001 USD
    assert (fetch["model"], fetch["n_calls"], fetch["usd_high"]) == ("app.scrapingbee.com", 20, 0.02)
    # a name with recorded results is not asked for
    recorded_file = tmp_path / "recorded.jsonl"
    recorded_file.write_text(json.dumps({"query": "A", "items": []}) + "\n", "utf-8")
    half = layout(
        "http://127.0.0.1:9", search=search | {"recorded": str(recorded_file), "url": "http://b.example/"}
    )
    search, fetch = services(half, BOARD, {("evidence", "web"): (generations(rows), {})})
    assert (search["n_calls"] + search["n_stored"], fetch["n_calls"] + fetch["n_stored"]) == (2, 20)


def test_queries_that_were_asked_tell_a_plan_how_many_pages_the_others_find():
    """Twenty of the closed world's names: what is told of forty others is within a quarter of what they find."""
    asked, others = FOUND[:20], FOUND[20:60]
    with Running() as there:
        config = layout(f"http://127.0.0.1:{there.port}")
        with PageStore.of(config) as store, Web(config, BOARD, store) as web:
            recorded_file = sum(map(len, web.search(asked)))
            names = [pairs(name=name) for name in (*asked, *others)]
            like = {"purpose": "search", "model": "web", "text": ""}
            rows = [
                generation_row(generation_id=str(n), item_id=str(n), attributes=name, **like)
                for n, name in enumerate(names)
            ]
            search, fetch = services(config, BOARD, {("evidence", "web"): (generations(rows), {})})
            pages_found = sum(map(len, web.search(others)))
    assert (search["n_calls"], search["n_stored"]) == (40, 20)
    assert (fetch["n_stored"], fetch["n_calls"]) == (recorded_file, round(40 * recorded_file / 20))
    assert fetch["n_calls"] == pytest.approx(pages_found, rel=0.25)
    assert 40 * config.p.track(BOARD).search.n_results > 1.25 * pages_found  # the most that there may be


def test_a_plan_searches_for_no_entity_that_brings_its_pages():
    """As the step does not (`test_entities_with_documents_of_their_own_are_not_searched_for`)."""
    config = layout("http://127.0.0.1:9", search={"endpoint": None, "url": None, "service": "brave"})
    whole = tables(NAMES[:3])
    own_items = whole.items.with_columns(
        document_ids=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(["d"])).otherwise("document_ids")
    )
    pages_found, beside = protocol.assumed_evidence(config, BOARD, replace(whole, items=own_items), {})
    assert pages_found.height == 2 and beside["documents"].height == 1
    search, _ = services(config, BOARD, {("evidence", "web"): (pages_found, beside)})
    assert search["n_calls"] == 2


def test_pages_of_the_full_profile_have_its_limits_and_those_of_the_demo_their_own():
    demo, full = (layout("http://127.0.0.1:9", profile=name) for name in ("demo", "full"))
    assert (fetching(demo, BOARD).max_bytes, fetching(demo, BOARD).timeout_s) == (1_000_000, 5)
    assert (fetching(full, BOARD).max_bytes, fetching(full, BOARD).timeout_s) == (10_000_000, 30)
