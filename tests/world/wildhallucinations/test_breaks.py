"""The card of what breaks builds: its names, and what of the web is planted under each."""

import pytest

from truerate_world.encyclopedia import build
from truerate_world.http_server import Reply
from truerate_world.wildhallucinations.breaks import WEB, parse_breaks
from truerate_world.wildhallucinations.broken_web import N_TRIES, OUTAGE, BrokenSite, detour, unseen_fact
from truerate_world.wildhallucinations.models import pages
from truerate_world.wildhallucinations.models.site import SEARCH, Site

WORLD = build(7)
URLS = [page.url for found in pages.web(WORLD).results.values() for page in found if page.kind in pages.GOOD]


def broken(*names: str) -> BrokenSite:
    return BrokenSite(Site(WORLD), names, slow_s=1.5)


def test_names_are_read_and_others_are_refused_in_one_line():
    assert parse_breaks("all") == set(WEB) and parse_breaks("") == frozenset()
    assert parse_breaks("outages, redirects") == {"outages", "redirects"}
    with pytest.raises(
        ValueError, match=r"^breaks 'floods': allowed are all, or, joined by commas, rate-limits, "
    ):
        parse_breaks("outages,floods")


def test_nothing_is_planted_under_a_name_that_was_not_given():
    site, plain = broken(), Site(WORLD)
    for target in (*URLS[:40], f"{SEARCH}?q={WORLD.lexicon().name(0)}"):
        assert site.answer("GET", target) == plain.answer("GET", target)
    assert not site.counts


def test_limits_and_outages_end():
    site, plain = broken("rate-limits", "outages"), Site(WORLD)
    for url in URLS[:60]:
        replies = [site.answer("GET", url) for _ in range(N_TRIES + 1)]
        assert replies[-1] == plain.answer("GET", url)
        for reply in replies[:-1]:
            assert reply.is_dropped or reply.status in (503, 429, replies[-1].status)
    limited = [reply for url in URLS[60:160] if (reply := site.answer("GET", url)).status == 429]
    assert 10 < len(limited) < 45 and {dict(one.headers)["retry-after"] for one in limited} == {"2"}
    asked = [site.answer("GET", f"{SEARCH}?q={name}") for name, _ in WORLD.lexicon().names[:20]]
    assert [n for n, one in enumerate(asked, start=1) if one.is_dropped] == list(OUTAGE)


def test_a_detour_leads_to_its_page_and_nowhere_else():
    site = broken("redirects")
    first = site.answer("GET", detour(URLS[3]))
    assert (first.status, dict(first.headers)["location"][:5]) == (302, "../2/")
    second = site.answer("GET", detour(URLS[3]).replace("/via/1/", "/via/2/"))
    assert (second.status, dict(second.headers)["location"]) == (308, URLS[3])
    assert site.answer("GET", detour(URLS[3])[:-3] + "%%").status == 404


def test_hidden_text_says_what_is_wrong_of_the_pages_subject():
    site, plain = broken("hidden-text"), Site(WORLD)
    met = 0
    for url in URLS[:40]:
        body, whole = site.answer("GET", url).body, plain.answer("GET", url).body
        if body != whole:
            met += 1
            assert unseen_fact(WORLD, url).encode("ascii", "xmlcharrefreplace") in body
    assert 10 <= met <= 30


def test_slow_and_long_pages():
    site = broken("slow-pages", "long-pages")
    replies = [site.answer("GET", url) for url in URLS[:80]]
    assert 10 <= sum(one.after == 1.5 for one in replies) <= 30
    assert 2 <= sum(len(one.body) > 200_000 for one in replies) <= 16
    assert all(isinstance(one, Reply) for one in replies) and set(site.counts) <= set(WEB)
