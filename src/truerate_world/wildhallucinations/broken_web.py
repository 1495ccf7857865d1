"""The web behind rate limits, outages, redirects, delays, hidden text and bulk.
A careful reader gets of it what `models.site.Site` gives.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NoBase64
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from urllib.parse import quote, unquote

import orjson

from truerate_world.data import beside
from truerate_world.distractors import wrong_value
from truerate_world.draws import draw, pick
from truerate_world.encyclopedia import World
from truerate_world.http_server import Reply
from truerate_world.wildhallucinations.models import pages, writing
from truerate_world.wildhallucinations.models.site import SEARCH, Site
from truerate_world.wildhallucinations.models.writing import INJECTION
from truerate_world.writer import Fact, Writer

_DATA = beside(__file__)

DETOUR = "http://go.detours.invalid"
RETRY_AFTER = "2"
OUTAGE = range(6, 12)  # which of all searches break off
N_TRIES = 2  # at a page in an outage that come to nothing
N_LINKS, N_SCRIPT = 2000, 200_000
_END = b"</article>"
_SAFE = "%:/?#[]@!$&'()*+,;=~ "  # what an address may hold as it stands
_RATE = {"limited query": 1 / 3, "limited page": 1 / 3, "out": 0.2, "detour": 0.5, "slow": 0.25}
_RATE |= {"hidden": 0.5, "long": 0.1}
_HIDDEN = _DATA["hidden"]


class BrokenSite:
    """A site with broken answers, by names of `breaks.WEB`; `slow_s`: seconds that a slow page takes."""

    def __init__(self, site: Site, breaks: Collection[str], *, slow_s: float = 2.0):
        self.site, self.world, self.breaks, self.slow_s = site, site.world, frozenset(breaks), slow_s
        self.counts: Counter[str] = Counter()  # what was planted, by name
        self._asked: Counter[str] = Counter()
        self._n_searches = 0

    def answer(self, method: str, target: str) -> Reply | None:
        """As Site.answer."""
        if target.partition("?")[0] == SEARCH:
            return self._searched(method, target)
        if not target.startswith("http://"):
            return None
        return self._gone_round(target) or self._page(method, target)

    def _searched(self, method: str, target: str) -> Reply | None:
        self._n_searches += 1
        if "outages" in self.breaks and self._n_searches in OUTAGE:
            return self._planted("outages", Reply(is_dropped=True))
        if self._is_first(target) and self._meets("rate-limits", "limited query", target):
            error = {"code": 429, "message": "Rate limit", "errors": [{"reason": "rateLimitExceeded"}]}
            headers = (("retry-after", RETRY_AFTER),)
            limited = Reply(429, orjson.dumps({"error": error}), headers=headers)
            return self._planted("rate-limits", limited)
        reply = self.site.answer(method, target)
        return self._with_detours(reply) if reply and reply.status == 200 else reply

    def _with_detours(self, reply: Reply) -> Reply:
        """A search's results, some of which lead to their page by way of others."""
        results = orjson.loads(reply.body)
        for item in results.get("items", ()):
            if self._meets("redirects", "detour", item["link"]):
                item["link"] = detour(item["link"])
        return replace(reply, body=orjson.dumps(results))

    def _gone_round(self, url: str) -> Reply | None:
        """The next step of a detour; None where an address is none."""
        if not url.startswith(f"{DETOUR}/via/"):
            return None
        step, _, end = url.removeprefix(f"{DETOUR}/via/").partition("/")
        try:
            target = urlsafe_b64decode(end).decode()
        except (NoBase64, UnicodeDecodeError):
            return Reply(404, b"There is no such page.", "text/plain")
        where = f"../2/{end}" if step == "1" else target
        status = 302 if step == "1" else 308
        return self._planted("redirects", Reply(status, b"", "text/html", headers=(("location", where),)))

    def _page(self, method: str, url: str) -> Reply | None:
        url = url if pages.page_at(self.world, url) else unquote(url)
        n_before = self._asked[url]
        self._asked[url] += 1
        if n_before < N_TRIES and self._meets("outages", "out", url):
            is_cut = draw(self.world.seed, "cut off", url) < 0.5
            outage = Reply(is_dropped=True) if is_cut else Reply(503, b"", "text/html")
            return self._planted("outages", outage)
        if n_before == 0 and self._meets("rate-limits", "limited page", url):
            limited = Reply(429, b"", "text/html", headers=(("retry-after", RETRY_AFTER),))
            return self._planted("rate-limits", limited)
        reply = self._whole(method, url)
        if reply is None or reply.status != 200 or not reply.content_type.startswith("text/html"):
            return reply
        reply = replace(reply, body=self._with_bulk(url, self._with_unseen(url, reply.body)))
        if reply.after == 0 and self._meets("slow-pages", "slow", url):
            return self._planted("slow-pages", replace(reply, after=self.slow_s))
        return reply

    def _whole(self, method: str, url: str) -> Reply | None:
        """Return the site's reply with addresses in ASCII; an older character set gives way to UTF-8."""
        try:
            reply = self.site.answer(method, url)
        except UnicodeEncodeError:
            page = pages.page_at(self.world, url)
            body = writing.markup(page, writing.paragraphs(self.world, page)).encode()
            return Reply(200, body, "text/html; charset=utf-8")
        if reply is None or not reply.headers:
            return reply
        headers = tuple((name, quote(value, safe=_SAFE)) for name, value in reply.headers)
        return replace(reply, headers=headers)

    def _with_unseen(self, url: str, body: bytes) -> bytes:
        if _END not in body or not self._meets("hidden-text", "hidden", url):
            return body
        self.counts["hidden-text"] += 1
        form = pick(_HIDDEN, self.world.seed, "hidden as", url)
        order = pick(INJECTION, self.world.seed, "order", url)
        text = f"{unseen_fact(self.world, url)} {order}".strip()
        return body.replace(_END, form.format(text).encode("ascii", "xmlcharrefreplace") + b"\n" + _END, 1)

    def _with_bulk(self, url: str, body: bytes) -> bytes:
        if _END not in body or not self._meets("long-pages", "long", url):
            return body
        self.counts["long-pages"] += 1
        links = b"".join(b'<li><a href="/archive/%d">%d</a></li>' % (n, n) for n in range(N_LINKS))
        bulk = b"<nav><ul>%s</ul></nav><script>/*%s*/</script>" % (links, b"x" * N_SCRIPT)
        return body.replace(b"<footer>", bulk + b"<footer>", 1)

    def _meets(self, name: str, what: str, *key: object) -> bool:
        return name in self.breaks and draw(self.world.seed, what, *key) < _RATE[what]

    def _is_first(self, target: str) -> bool:
        self._asked[target] += 1
        return self._asked[target] == 1

    def _planted(self, name: str, reply: Reply) -> Reply:
        self.counts[name] += 1
        return reply


def detour(url: str) -> str:
    """An address that leads to another one by two redirects."""
    return f"{DETOUR}/via/1/{urlsafe_b64encode(url.encode()).decode()}"


def unseen_fact(world: World, url: str) -> str:
    """A wrong fact of whom a page is about, as a sentence; empty where it is about no entity."""
    page = pages.page_at(world, url)
    if page is None or page.entity is None:
        return ""
    key = (world.seed, "unseen", url)
    relation = pick(sorted(world.entities[page.entity].facts), *key)
    wrong = wrong_value(world, world.fact(page.entity, relation), relation, *key)
    return Writer(world, world.lexicon()).sentence(Fact(page.entity, relation, wrong), *key)
