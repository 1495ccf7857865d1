"""The web at work: an HTTP proxy for pages, and a search in the form of Google's JSON API."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

import orjson

from truerate_world.encyclopedia import World
from truerate_world.faults import Fault, pick
from truerate_world.http_server import Reply
from truerate_world.wildhallucinations.models import pages, writing
from truerate_world.wildhallucinations.models.pages import MOST, Page

SEARCH = "/customsearch/v1"
# kind of fault -> its reason
FAULTS = {"search-quota": "dailyLimitExceeded", "search-rate": "rateLimitExceeded"}
ROBOTS = {
    "reading-room.invalid": "User-agent: *\nDisallow: /members/\n",
    "en.wikipedia.invalid": "User-agent: *\nDisallow: /w/\n",
}
_ENDLESS = b"<p>And so on, and so on, without an end in sight.</p>\n" * 600


class Site:
    """Every host of the web of one world, and its search."""

    def __init__(self, world: World, faults: Sequence[Fault] = ()):
        self.world = world
        self.faults = tuple(fault for fault in faults if fault.kind in FAULTS)
        self.counts: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()

    def answer(self, method: str, target: str) -> Reply | None:
        """Return the reply to a page (a whole address) or a search; None for other requests."""
        if target.partition("?")[0] == SEARCH:
            if method != "GET":
                return _refused(405, f"{method} {SEARCH}: allowed is GET")
            return self._search(target)
        if not target.startswith("http://"):
            return None
        self.counts["page"] += 1
        return self._page(target) if method in ("GET", "HEAD") else _plain(405, "only GET")

    def _search(self, target: str) -> Reply:
        """Results in Google's form; `num` at most ten."""
        self.counts["search"] += 1
        asked = {name: values[-1] for name, values in parse_qs(target.partition("?")[2]).items()}
        query, num = asked.get("q", ""), asked.get("num", str(MOST))
        if not query or not num.isdecimal() or not 1 <= int(num) <= MOST:
            return _refused(400, "Request contains an invalid argument.", "badRequest")
        kind = pick(self.faults, query, self._asked[query])
        self._asked[query] += 1
        if kind:
            status = 429 if kind == "search-rate" else 403
            return _refused(status, "Quota exceeded for quota metric 'Queries'.", FAULTS[kind])
        results = pages.found_for(self.world, query)
        shown, total = [self._item(page) for page in results[: int(num)]], str(len(results))
        request = {"title": "Google Custom Search", "searchTerms": query}
        request |= {"count": len(shown), "totalResults": total}
        whole = {"kind": "customsearch#search", "queries": {"request": [request]}}
        whole |= {"searchInformation": {"totalResults": total}} | ({"items": shown} if shown else {})
        return Reply(body=orjson.dumps(whole))

    def _item(self, page: Page) -> dict:
        shown = page if page.kind != "redirect" else pages.page_at(self.world, page.to)
        has_text = shown.facts or shown.entity is None
        snippet = writing.paragraphs(self.world, shown)[0] if has_text else shown.title
        item = {"kind": "customsearch#result", "title": page.title, "link": page.url}
        return item | {"displayLink": page.url.split("/")[2], "snippet": snippet[:160]}

    def _page(self, url: str) -> Reply:
        parts = urlsplit(url)
        if parts.path == "/robots.txt":
            rules = ROBOTS.get(parts.hostname or "")
            return _plain(200, rules) if rules else _plain(404, "There is no robots.txt here.")
        page = pages.page_at(self.world, url)
        if page is None:
            if (parts.hostname or "").endswith(".invalid"):
                return _plain(404, "There is no such page.")
            return _plain(502, "This host cannot be reached.")
        return self._reply(page)

    def _reply(self, page: Page) -> Reply:
        """What a page's host sends."""
        if page.kind == "missing":
            return _plain(404, "This page has been removed.")
        if page.to and page.kind != "duplicate":
            status = 301 if page.kind == "redirect" else 302
            return Reply(status, b"", "text/html", headers=(("location", page.to),))
        if page.kind == "hanging":
            return Reply(after=None)
        if page.kind == "cut":
            return Reply(is_dropped=True)
        body, content_type = writing.content(self.world, page)
        if page.kind == "endless":
            return Reply(200, body, content_type, endless=_ENDLESS)
        return Reply(200, body, content_type)


def _plain(status: int, text: str) -> Reply:
    return Reply(status, text.encode(), "text/plain; charset=utf-8")


def _refused(status: int, message: str, reason: str = "badRequest") -> Reply:
    """An error as Google's APIs write it."""
    domain = "usageLimits" if "Limit" in reason else "global"
    errors = [{"message": message, "domain": domain, "reason": reason}]
    return Reply(status, orjson.dumps({"error": {"code": status, "message": message, "errors": errors}}))
