"""Web evidence: the step that searches the web for each curated entity and fetches its pages, what became of these, the
documents of each entity, and how much there is of it. What the page store holds is neither asked nor fetched.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from truerate.config import Fetch
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.keys import content_id, shard_of
from truerate.core.schemas import Document, Reject, frame, generation_row, pairs, reject_row
from truerate.core.text import words
from truerate.llm import ask
from truerate.llm.generation import facts, generations
from truerate.llm.transport.launch import launched
from truerate.tracks.wildhallucinations.entities import EVIDENCE, curated
from truerate.tracks.wildhallucinations.settings import Settings
from truerate.web.hosts import host_of, is_wikipedia, is_within
from truerate.web.outcomes import Outcome, Page, Text, judged, tidy
from truerate.web.reading import Reader
from truerate.web.store import PageStore, limits

if TYPE_CHECKING:
    from truerate.web.fetch import Clock

SOURCE, NO_LICENCE = "web", "not stated"
MANY = 20  # pages of which none comes: the way to them is broken, not they
Replies = dict[str, pl.DataFrame]
Tables = tuple[pl.DataFrame, Replies]


@dataclass(frozen=True, slots=True)
class Read:
    """One result of a search with what was read of its page; `final_url` is where redirects ended."""

    url: str
    final_url: str
    title: str
    text: Text


@dataclass(slots=True)
class Gathered:
    """The pages of one entity: Document rows in the order of the results, and Reject rows of the results that
    gave none.
    """

    documents: list[dict] = field(default_factory=list)
    rejects: list[dict] = field(default_factory=list)


def gathered(item_id: str, found: Iterable[Read]) -> Gathered:
    """The documents of an entity. A text that an earlier result of it has already given is a duplicate."""
    made, seen = Gathered(), set()
    for read in found:
        text = read.text
        if text.outcome is not Outcome.OK:
            made.rejects.append(
                rejected(item_id, text.outcome, f"{read.url}: {text.detail}" if text.detail else read.url)
            )
            continue
        plain = " ".join(text.text.casefold().split())
        if plain in seen:
            made.rejects.append(rejected(item_id, Outcome.DUPLICATE, read.url))
            continue
        seen.add(plain)
        made.documents.append(document(read))
    return made


def document(read: Read) -> dict:
    """The Document row of a page. Its id is of address and text, so that a page of two entities is one document."""
    return {
        "document_id": content_id("web", read.final_url, read.text.text),
        "lang": "en",
        "title": read.text.title or read.title,
        "text": read.text.text,
        "url": read.final_url,
        "source": SOURCE,
        "licence": read.text.licence or NO_LICENCE,
        "dated": read.text.dated,
        "is_wikipedia": is_wikipedia(read.final_url),
    }


def rejected(item_id: str, reason: str, detail: str, text: str = "") -> dict:
    """The Reject row of a page, or of an entity."""
    return reject_row(where=EVIDENCE, target_id=item_id, reason=str(reason), detail=detail, text=text)


def searched_row(item: dict, made: Gathered, *, n_results: int, prompt_key: str, params: str) -> dict:
    """The Generation row (purpose `search`) of an entity: the addresses of its documents, one per line.

    Attributes: its `name`, the ids of its `documents`, `n_results` of the search, `n_words` of all its pages: whoever
    counts them later needs no page.
    """
    ids = [row["document_id"] for row in made.documents]
    n_words = sum(len(words(row["text"])) for row in made.documents)
    return generation_row(
        generation_id=content_id("search", item["item_id"], prompt_key, ids),
        item_id=item["item_id"],
        purpose="search",
        model="web",
        params=params,
        text="\n".join(row["url"] for row in made.documents),
        prompt_key=prompt_key,
        attributes=pairs(
            name=item["question"], documents=" ".join(ids), n_results=n_results, n_words=n_words
        ),
    )


def documents_frame(rows: Sequence[dict]) -> pl.DataFrame:
    """Documents as a frame, each once, by id."""
    return frame(Document, list({row["document_id"]: row for row in rows}.values())).sort("document_id")


def rejects_frame(rows: Sequence[dict]) -> pl.DataFrame:
    """Rejects as a frame in a fixed order."""
    return frame(Reject, list(rows)).sort("target_id", "detail", "reason")


def amounts(searched: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """How much evidence each entity has: `item_id`, `n_pages`, `n_words` (of all its pages), `is_wikipedia`
    (any page).

    One row per `search` row, which tells the words (`searched_row`); of `documents` ids and `is_wikipedia` are read.
    An entity without a page counts with 0 pages and 0 words.
    For the metrics pages_per_entity, words_per_entity and wikipedia_rate.
    """
    wikipedia = dict(documents.select("document_id", "is_wikipedia").iter_rows())
    counted = []
    for row in searched.iter_rows(named=True):
        told = facts(row)
        of_wikipedia = [wikipedia[name] for name in told.get("documents", "").split() if name in wikipedia]
        counted.append((row["item_id"], len(of_wikipedia), int(told.get("n_words", 0)), any(of_wikipedia)))
    columns = {"item_id": pl.String, "n_pages": pl.Int64, "n_words": pl.Int64, "is_wikipedia": pl.Boolean}
    return pl.DataFrame(counted, schema=columns, orient="row").sort("item_id")


def outcomes(searched: pl.DataFrame, rejects: pl.DataFrame) -> dict[str, int]:
    """Results by what became of their pages (n_pages by outcome), every outcome of the closed list, 0 where
    none.
    """
    dropped = Counter(rejects.filter(pl.col("where") == EVIDENCE)["reason"])
    of_search = searched.filter(pl.col("purpose") == "search").iter_rows(named=True)
    kept = sum(len(facts(row).get("documents", "").split()) for row in of_search)
    return {outcome.value: kept if outcome is Outcome.OK else dropped[outcome.value] for outcome in Outcome}


def evidence(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Callable = ask
) -> Tables:
    """Search rows of the shard's entities, beside them their `documents` and the `rejects` of pages that were
    dropped.

    No model is asked (`asking` stands here as in every step). Entities that bring documents of their own are
    not searched for. Raises TruerateError where the search or the endpoints fail; what was found until then
    stays in the page store.
    """
    entities, _ = curated(at, board, tables, upstream)
    of_shard = [row for row in entities if shard_of(row["item_id"], at.p.n_shards) == shard]
    mine = [row for row in of_shard if not row["document_ids"]]
    if not mine:
        return generations([]), {"documents": documents_frame([]), "rejects": rejects_frame([])}
    with PageStore.of(at) as store, Web(at, board, store) as web:
        return web.evidence(mine)


class Web:
    """The web as a board sees it: its search, its pages, and the store that holds what is known of both."""

    def __init__(self, at: Layout, board: str, store: PageStore, *, clock: "Clock | None" = None):
        self.at, self.board, self.store, self.clock = at, board, store, clock
        self.settings: Settings = at.p.track(board)
        self.fetching = fetching(at, board)
        service = self.fetching.service
        self.scope = service.identity if service else identity(at, self.fetching.proxy)
        self._lines = ExitStack()
        self._reader = self._lines.enter_context(Reader(store.path, self.scope, self.fetching))
        self._bases: dict[str, str] = {}

    def __enter__(self) -> "Web":
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()

    def evidence(self, items: Sequence[dict]) -> Tables:
        """Rows of all entities (Item rows), in the order in which they were given."""
        found = self.search([item["question"] for item in items])
        self.fetch([result["link"] for results in found for result in results if self._is_fetched(result)])
        rows, documents, rejects = [], [], []
        settings = self.settings.search
        params = json.dumps({"n_results": settings.n_results}, sort_keys=True)
        for item, results in zip(items, found, strict=True):
            made = gathered(item["item_id"], map(self.read, results))
            key = content_id(
                "search", search_scope(self.at, self.board), item["question"], settings.n_results
            )
            rows.append(searched_row(item, made, n_results=len(results), prompt_key=key, params=params))
            documents += made.documents
            rejects += made.rejects
        return generations(rows), {"documents": documents_frame(documents), "rejects": rejects_frame(rejects)}

    # ---- searching -----------------------------------------------------------------------------------------

    def search(self, names: Sequence[str]) -> list[list[dict]]:
        """The results of each name: recorded ones, else those of the search. Raises TruerateError where that
        answers no more.
        """
        from truerate.web.recorded import plain, recorded
        from truerate.web.search import Searcher, address

        settings = self.settings.search
        known = recorded(settings.recorded, names) if settings.recorded else {}
        asked = [name for name in names if plain(name) not in known]
        if settings.url is None:
            return [known.get(plain(name), [])[: settings.n_results] for name in names]
        scope = search_scope(self.at, self.board)
        if any(self.store.results(scope, name, settings.n_results) is None for name in asked):
            if self.fetching.proxy is None:  # before anything is paid
                self.fetching.demand_contact()
            url = address(settings, self._base(settings.endpoint, "search.endpoint"))
            searcher = Searcher(settings, self.store, url=url, scope=scope, clock=self.clock)
            asyncio.run(searcher.search_all(asked))
        found = {name: self.store.results(scope, name, settings.n_results) for name in dict.fromkeys(asked)}
        return [
            (known[query] if (query := plain(name)) in known else found[name])[: settings.n_results]
            for name in names
        ]

    # ---- fetching ------------------------------------------------------------------------------------------

    def _is_fetched(self, result: dict) -> bool:
        return not ("text" in result or "html" in result or self._is_behind_login(result))

    def _is_behind_login(self, result: dict) -> bool:
        return is_within(host_of(result["link"]), self.fetching.login_hosts)

    def fetch(self, urls: Sequence[str]) -> None:
        """Put the pages into the store; each is read while others still come.

        Raises TruerateError where many did not come for faults that may pass, and none did: that is no
        finding about the pages.
        """
        settings, urls = self.fetching, list(dict.fromkeys(urls))
        asked = self._open(urls)
        for url in set(urls).difference(asked):
            self._reader.begin(url)
        if not asked:
            return
        asyncio.run(self._fetch(asked, self._base(settings.proxy, "fetch.proxy")))
        lost = self._open(asked)
        if len(lost) >= MANY and not any(page.status and not page.is_transient for page in self._pages(urls)):
            page = next(self._pages(lost))
            what = f"fetching pages: none of {len(urls):,} came (the first, {page.url!r}: {page.outcome} {page.detail})"
            raise TruerateError(
                f"{what}; see to the network and tracks.wildhallucinations.fetch in params.yaml, then run again"
            )

    def _open(self, urls: Sequence[str]) -> list[str]:
        return [url for url in urls if self.store.is_open(self.scope, url, limits(self.fetching))]

    def _pages(self, urls: Sequence[str]) -> Iterator[Page]:
        return (self.store.page(self.scope, url, limits(self.fetching)) for url in urls)

    async def _fetch(self, urls: Sequence[str], proxy: str | None) -> None:
        from truerate.web.fetch import Fetcher

        async with Fetcher(
            self.fetching, self.store, proxy=proxy, scope=self.scope, clock=self.clock
        ) as fetcher:
            await fetcher.fetch_all(urls, on_page=self._reader.begin)

    def read(self, result: dict) -> Read:
        """What a result's page says, or what became of it. A page that was recorded is judged as a fetched
        one is.
        """
        settings, url, title = self.fetching, result["link"], result.get("title", "")
        final_url, phrases = result.get("final_url", url), settings.sign_in_phrases
        if self._is_behind_login(result):
            text = Text(Outcome.LOGIN_HOST)
        elif "text" in result:
            text = judged(tidy(result["text"]), title, None, phrases)
        elif "html" in result:
            text = self._reader.markup(result["html"])
        else:
            text, final_url = self._reader.text(url)
        return Read(url, final_url, title, text)

    # ---- endpoints -----------------------------------------------------------------------------------------

    def _base(self, endpoint: str | None, named_as: str) -> str | None:
        """The origin of an endpoint, started where it is launched. Raises TruerateError where a real board
        would meet a simulated web.
        """
        if endpoint is None:
            return None
        entry = self.at.p.endpoints[endpoint]
        if entry.is_simulated and not self.at.p.source(self.at.p.board(self.board).source).is_simulated:
            what = f"{self.board}: tracks.wildhallucinations.{named_as} is {endpoint!r}, which is simulated, and the board's source is not"
            raise TruerateError(f"{what}; name another endpoint or null, or give search.recorded")
        if endpoint not in self._bases:
            base = (
                self._lines.enter_context(launched(self.at, endpoint))
                if entry.launch
                else entry.base_url or ""
            )
            self._bases[endpoint] = base.rstrip("/").removesuffix("/v1")
        return self._bases[endpoint]


def fetching(at: Layout, board: str) -> Fetch:
    """How a board's pages are fetched: as `fetch` says, with the limits that the profile's sizes give in place of
    its own (`page_mb`, `page_seconds`).
    """
    size = at.p.size_of(board)
    n_bytes = None if size.page_mb is None else int(size.page_mb * 10**6)
    limited = {"max_bytes": n_bytes, "timeout_s": size.page_seconds}
    own: Fetch = at.p.track(board).fetch
    return own.model_copy(update={name: value for name, value in limited.items() if value is not None})


def search_scope(at: Layout, board: str) -> str:
    """Names what answers a board's queries."""
    settings = at.p.track(board).search
    where = f"{identity(at, settings.endpoint)} {settings.endpoint or ''} {settings.url or ''} {settings.engine_env or ''}"
    return f"{where} {form}" if (form := settings.service.identity) else where


def identity(at: Layout, endpoint: str | None) -> str:
    """Names a simulated web, whose pages change with its code; empty for the web itself, also through a proxy."""
    return at.endpoint_identity(endpoint) if endpoint and at.p.endpoints[endpoint].is_simulated else ""
