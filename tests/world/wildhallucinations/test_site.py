"""The world's web over real HTTP, asked as a search engine and as a proxy, by the fetcher that real pages are
fetched with.
"""

import asyncio
import json
from collections import Counter
from pathlib import Path

import aiohttp
import pytest

from truerate.config import load_params
from truerate.web.extract import extracted
from truerate.web.fetch import Fetcher
from truerate.web.outcomes import Outcome
from truerate.web.search import Searcher
from truerate.web.store import PageStore, limits
from truerate_world.faults import Fault
from truerate_world.server import Settings, listening
from truerate_world.wildhallucinations.models import pages, writing
from truerate_world.wildhallucinations.models.site import Site

TRACK = load_params(Path(__file__).parents[3] / "params.yaml").tracks["wildhallucinations"]


def at_site(world, use, *faults):
    """Run `use(session, base, site)` against a fresh server."""
    site = Site(world, faults)

    async def run():
        async with listening(None, Settings(models=("m",), identity="w", web=(site.answer,))) as port:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as session:
                return await use(session, f"http://127.0.0.1:{port}", site)

    return asyncio.run(run())


async def get(session, url, **more):
    async with session.get(url, allow_redirects=False, **more) as response:
        return response.status, await response.read()


def name_with(world, n):
    return next(
        world.lexicon().name(entity) for entity, found in pages.web(world).results.items() if len(found) >= n
    )


def test_search_answers_in_googles_form(world):
    name = name_with(world, 6)

    async def use(session, base, site):
        return [
            await get(session, f"{base}/customsearch/v1", params=params)
            for params in ({"q": name, "num": "5", "key": "k"}, {"q": "Xelthoria"})
        ]

    (status, found), (_, none) = at_site(world, use)
    found, none = json.loads(found), json.loads(none)
    assert (
        status == 200
        and found["kind"] == "customsearch#search"
        and found["queries"]["request"][0]["searchTerms"] == name
    )
    assert [set(item) >= {"link", "title", "snippet"} for item in found["items"]] == [True] * 5
    assert "items" not in none


@pytest.mark.parametrize(
    "params", [{}, {"q": ""}, {"q": "x", "num": "11"}, {"q": "x", "num": "0"}, {"q": "x", "num": "many"}]
)
def test_a_search_that_asks_for_nothing_or_too_much_is_refused(world, params):
    status, body = at_site(
        world, lambda session, base, site: get(session, f"{base}/customsearch/v1", params=params)
    )
    assert status == 400 and json.loads(body)["error"]["errors"][0]["reason"] == "badRequest"


@pytest.mark.parametrize(
    ("kind", "status", "reason"),
    [("search-quota", 403, "dailyLimitExceeded"), ("search-rate", 429, "rateLimitExceeded")],
)
def test_the_quota_runs_out_where_a_fault_says_so(world, kind, status, reason):
    async def use(session, base, site):
        return [
            await get(session, f"{base}/customsearch/v1", params={"q": name_with(world, 1)}) for _ in range(2)
        ]

    first, second = at_site(world, use, Fault(kind, first_n=1))
    assert first[0] == status and json.loads(first[1])["error"]["errors"][0]["reason"] == reason
    assert second[0] == 200


def test_models_and_their_health_are_still_there(world):
    async def use(session, base, site):
        return [await get(session, f"{base}{path}") for path in ("/health", "/v1/models", "/nowhere")]

    health, models, nowhere = at_site(world, use, Fault("search-quota"))
    assert json.loads(health[1]) == {"identity": "w"} and models[0] == 200 and nowhere[0] == 404


def test_every_page_has_the_outcome_that_is_planted_for_it(world, tmp_path):
    """Search and fetch as a build does; one in three entities, and all pages of rare kinds."""
    made = pages.web(world)
    rare = {
        kind
        for kind, n in Counter(page.kind for found in made.results.values() for page in found).items()
        if n < 30
    }
    entities = [
        one
        for one, found in made.results.items()
        if one % 6 == 0 or rare & {page.kind for page in found} - {"hanging"}
    ][:150]
    names = [world.lexicon().name(one) for one in entities]
    fetch = TRACK.fetch.model_copy(update={"timeout_s": 30.0})  # pages that hang are left out

    async def use(session, base, site):
        with PageStore(tmp_path / "pages.sqlite") as store:
            searcher = Searcher(TRACK.search, store, url=f"{base}/customsearch/v1", scope="w")
            await searcher.search_all(names)
            shown = [result["link"] for name in names for result in searcher.stored(name)]
            assert shown == [page.url for one in entities for page in made.results[one]]
            urls = [url for url in shown if made.by_url[url].kind != "hanging"]
            async with Fetcher(fetch, store, proxy=base, scope="w") as fetcher:
                await fetcher.fetch_all(urls)
            return {
                url: extracted(store.page("w", url, limits(fetch)), "main", fetch.sign_in_phrases)
                for url in urls
            }

    met = Counter()
    for url, text in at_site(world, use).items():
        page = made.by_url[url]
        told = made.by_url[page.to] if page.kind == "redirect" else page
        expected = (
            "ok" if page.kind == "duplicate" else pages.KINDS[told.kind]
        )  # which copy is one too many is seen among all of an entity
        assert text.outcome == expected, (page.kind, url, text.detail)
        met[told.kind] += 1
        if text.outcome is Outcome.OK and told.facts:
            assert all(
                part in text.text for line in writing.paragraphs(world, told) for part in line.split("\n")
            ), url
            assert text.dated == told.dated
    assert set(met) == set(pages.KINDS) - {"hanging", "referent"}


def test_a_page_that_hangs_is_given_up(world, tmp_path):
    page = next(page for page in pages.web(world).by_url.values() if page.kind == "hanging")
    fetch = TRACK.fetch.model_copy(update={"timeout_s": 0.1})

    async def use(session, base, site):
        with PageStore(tmp_path / "pages.sqlite") as store:
            async with Fetcher(fetch, store, proxy=base) as fetcher:
                return await fetcher.fetch(page.url)

    assert at_site(world, use).outcome is Outcome.TIMEOUT


def test_an_endless_page_leaves_the_server_free_for_others(world):
    page = next(page for page in pages.web(world).by_url.values() if page.kind == "endless")

    async def use(session, base, site):
        async with session.get(page.url, proxy=base) as response:
            first = await response.content.readexactly(300_000)
            return first, await get(session, f"{base}/health")  # while the other still flows

    first, health = at_site(world, use)
    assert b"without an end" in first and health[0] == 200


def test_hosts_that_are_not_there_and_methods_that_are_not_known(world):
    async def use(session, base, site):
        asked = [
            get(session, url, proxy=base)
            for url in (
                "http://nowhere.invalid/",
                "http://example.com/",
                "http://reading-room.invalid/robots.txt",
            )
        ]
        found = [await one for one in asked]
        async with session.post("http://nowhere.invalid/", proxy=base) as response:
            return [*found, (response.status, b"")]

    missing, unreachable, robots, posted = at_site(world, use)
    assert (missing[0], unreachable[0], posted[0]) == (404, 502, 405) and b"Disallow: /members/" in robots[1]
