"""Web evidence: the step that searches the web for each curated entity and fetches its pages, what became of
these, the documents of each entity, and how much there is of it. What the page store holds is neither asked
nor fetched.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import TYPE_CHECKING

import polars as pl

from truerate.config import Fetch
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.keys import content_id, shard_of
from truerate.core.schemas import Document, Reject, frame, generation_row, pairs, reject_row
from truerate.core.text import words
from truerate.llm.ask import ask
from truerate.llm.generation import facts, generations
from truerate.llm.transport.launch import launched
from truerate.tracks.wildhallucinations.entities import EVIDENCE, Context, Replies, curated
from truerate.tracks.wildhallucinations.settings import Verification
from truerate.web.guard import host_of, is_wikipedia, is_within
from truerate.web.outcomes import Outcome, Page, Text, judged, tidy
from truerate.web.reading import Reader
from truerate.web.store import PageStore, limits

if TYPE_CHECKING:
    from truerate.web.fetch import Clock

SOURCE, NO_LICENCE = "web", "not stated"
SEARCH, SEARCH_CLAIM = "search", "search_claim"  # purposes of the rows of searches
MAX_QUERY = 300  # characters of a claim that are searched for
MANY = 20  # pages of which none comes: the way to them is broken, not they
Tables = tuple[pl.DataFrame, Replies]


@dataclass(frozen=True, slots=True)
class Read:
    """One result of a search with what was read of its page; `final_url` is where redirects ended."""

    url: str
    final_url: str
    title: str
    text: Text

    def document(self) -> dict:
        """Return the Document row of the page; its id is of address and text, so shared pages are one."""
        return {
            "document_id": content_id("web", self.final_url, self.text.text),
            "lang": "en",
            "title": self.text.title or self.title,
            "text": self.text.text,
            "url": self.final_url,
            "source": SOURCE,
            "licence": self.text.licence or NO_LICENCE,
            "dated": self.text.dated,
            "is_wikipedia": is_wikipedia(self.final_url),
        }


@dataclass(slots=True)
class Gathered:
    """The pages of one entity: Document rows by rank, and Reject rows of results that gave none."""

    documents: list[dict] = field(default_factory=list)
    rejects: list[dict] = field(default_factory=list)


def gathered(item_id: str, results: Iterable[Read]) -> Gathered:
    """Return the documents of an entity; a text that an earlier result has given is a duplicate."""
    pages, texts = Gathered(), set[str]()
    for read in results:
        outcome, plain = read.text.outcome, " ".join(read.text.text.casefold().split())
        detail = f"{read.url}: {read.text.detail}" if read.text.detail else read.url
        if outcome is Outcome.OK and plain in texts:
            outcome, detail = Outcome.DUPLICATE, read.url
        if outcome is Outcome.OK:
            texts.add(plain)
            pages.documents.append(read.document())
        else:
            pages.rejects.append(
                reject_row(where=EVIDENCE, target_id=item_id, reason=str(outcome), detail=detail, text="")
            )
    return pages


def searched_row(item: dict, pages: Gathered, *, n_results: int, prompt_key: str, params: str) -> dict:
    """Return the Generation row (purpose `search`) of an entity: the addresses of its documents, one per
    line.

    Attributes: its `name`, the ids of its `documents`, `n_results` of the search, `n_words` of all its pages:
    whoever counts them later needs no page.
    """
    ids = [row["document_id"] for row in pages.documents]
    sizes = {"n_results": n_results, "n_words": sum(len(words(row["text"])) for row in pages.documents)}
    return generation_row(
        generation_id=content_id("search", item["item_id"], prompt_key, ids),
        item_id=item["item_id"],
        purpose="search",
        model="web",
        params=params,
        text="\n".join(row["url"] for row in pages.documents),
        prompt_key=prompt_key,
        attributes=pairs(name=item["question"], documents=" ".join(ids), **sizes),
    )


def tables_of(documents: Sequence[dict], rejects: Sequence[dict]) -> Replies:
    """Return documents, each once, by id, and rejects in a fixed order: the tables beside the rows."""
    once = {row["document_id"]: row for row in documents}
    return {
        "documents": frame(Document, list(once.values())).sort("document_id"),
        "rejects": frame(Reject, list(rejects)).sort("target_id", "detail", "reason"),
    }


# ---- counts ------------------------------------------------------------------------------------------------


def amounts(searched: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """Return how much evidence each entity has: `item_id`, `n_pages`, `n_words` (of all its pages),
    `is_wikipedia` (any page).

    One row per `search` row, which holds the number of words (`searched_row`); of `documents` ids and
    `is_wikipedia` are read. An entity without a page counts with 0 pages and 0 words.
    """
    wikipedia, rows = dict(documents.select("document_id", "is_wikipedia").iter_rows()), []
    for row in searched.iter_rows(named=True):
        attributes = facts(row)
        pages = [wikipedia[name] for name in attributes.get("documents", "").split() if name in wikipedia]
        rows.append((row["item_id"], len(pages), int(attributes.get("n_words", 0)), any(pages)))
    columns = {"item_id": pl.String, "n_pages": pl.Int64, "n_words": pl.Int64, "is_wikipedia": pl.Boolean}
    return pl.DataFrame(rows, schema=columns, orient="row").sort("item_id")


def outcomes(searched: pl.DataFrame, rejects: pl.DataFrame) -> dict[str, int]:
    """Return how many results came to each outcome of the closed list, 0 where none."""
    n_of = Counter(rejects.filter(pl.col("where") == EVIDENCE)["reason"])
    of_search = searched.filter(pl.col("purpose").is_in([SEARCH, SEARCH_CLAIM])).iter_rows(named=True)
    n_of[Outcome.OK.value] = sum(len(facts(row).get("documents", "").split()) for row in of_search)
    return {outcome.value: n_of[outcome.value] for outcome in Outcome}


# ---- the step ----------------------------------------------------------------------------------------------


def evidence(
    config: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Callable = ask
) -> Tables:
    """Search and fetch: rows of the shard's entities, beside them their `documents` and the `rejects` of
    pages that were dropped.

    No model is asked (`asking` stands here as in every step). Entities that bring documents of their own are
    not searched for. Raises TruerateError where the search or the endpoints fail; what was fetched until then
    stays in the page store.
    """
    entities, _ = curated(config, board, tables, upstream)
    of_shard = [row for row in entities if shard_of(row["item_id"], config.p.n_shards) == shard]
    items = [row for row in of_shard if not row["document_ids"]]
    if not items or config.p.track(board).evidence == "claim":
        return generations([]), tables_of([], [])
    with PageStore.of(config) as store, Web(config, board, store) as web:
        return web.evidence(items)


def claim_pages(config: Layout, board: str, facts_: pl.DataFrame) -> Tables:
    """Search for each claim (Fact rows) and fetch its results (SAFE, Wei et al. 2024): a Generation row of
    purpose SEARCH_CLAIM per claim, with its `fact` and its reply (`generation`), and beside these the
    `documents`, and the `rejects` of pages that were dropped, by fact.

    Equal claims are one query. Raises TruerateError as `evidence` does.
    """
    if facts_.is_empty():
        return generations([]), tables_of([], [])
    of_fact = {
        row["fact_id"]: row for row in facts_.select("fact_id", "item_id", "generation_id", "text").to_dicts()
    }
    queries = [
        {"item_id": name, "question": shorten(row["text"], MAX_QUERY, placeholder="")}
        for name, row in of_fact.items()
    ]
    with PageStore.of(config) as store, Web(config, board, store) as web:
        rows, tables = web.evidence(queries)
    searched = []
    for row in rows.to_dicts():
        name = row["item_id"]
        of_row = facts(row) | {"fact": name, "generation": of_fact[name]["generation_id"]}
        what = {"item_id": of_fact[name]["item_id"], "purpose": SEARCH_CLAIM}
        searched.append(row | what | {"attributes": pairs(**of_row)})
    return generations(searched), tables


def by_claim(
    entities: Mapping[str, Context], searched: pl.DataFrame, documents: pl.DataFrame
) -> dict[str, Context]:
    """Return for each claim that was searched for its item with the pages of its own search, by fact."""
    page_of = {row["document_id"]: row for row in documents.select("document_id", "text", "title").to_dicts()}
    of_claim = {}
    for row in searched.iter_rows(named=True):
        names = facts(row)
        ids = tuple(name for name in names.get("documents", "").split() if name in page_of)
        pages, titles = (tuple(page_of[name][what] for name in ids) for what in ("text", "title"))
        entity = entities[row["item_id"]]
        of_claim[names["fact"]] = replace(entity, document_ids=ids, pages=pages, titles=titles)
    return of_claim


def without_page(searched: pl.DataFrame) -> frozenset[str]:
    """Return the claims of whose search there are results and no page that could be read, by fact."""
    named = map(facts, searched.to_dicts())
    return frozenset(row["fact"] for row in named if int(row["n_results"]) and not row.get("documents"))


def assumed_pages(claims: pl.DataFrame, how: Verification) -> Tables:
    """Return what stands for a search for each claim (Fact rows) where nobody is asked: a page of its own words
    and others, as many as its best passages hold.
    """
    rows, pages = [], []
    for row in claims.iter_rows(named=True):
        text = f"{row['text'].rstrip(' .')}{' w' * how.passage_words}.\n" * how.n_passages
        page = {
            "document_id": content_id("assumed page", row["text"]),
            "lang": "en",
            "title": "",
            "text": text,
        }
        pages.append(page | {"source": SOURCE, "licence": "", "is_wikipedia": False})
        of_row = pairs(fact=row["fact_id"], documents=page["document_id"], n_results=1)
        of_search = {"generation_id": row["fact_id"], "item_id": row["item_id"], "purpose": SEARCH_CLAIM}
        rows.append(generation_row(**of_search, model="web", text="", attributes=of_row))
    return generations(rows), tables_of(pages, [])


class Web:
    """The web as a board sees it: its search, its pages, and the store that holds what is known of both."""

    def __init__(self, config: Layout, board: str, store: PageStore, *, clock: "Clock | None" = None):
        self.config, self.board, self.store, self.clock = config, board, store, clock
        self.settings = config.p.track(board).search
        self.fetching = fetching(config, board)
        service = self.fetching.service
        self.scope = service.identity if service else identity(config, self.fetching.proxy)
        self.search_scope = search_scope(config, board)
        self._open_things = ExitStack()
        self._reader = self._open_things.enter_context(Reader(store.path, self.scope, self.fetching))
        self._bases: dict[str, str] = {}

    def __enter__(self) -> "Web":
        return self

    def __exit__(self, *_: object) -> None:
        self._open_things.close()

    def evidence(self, items: Sequence[dict]) -> Tables:
        """Return rows of all entities (Item rows), in the order in which they were given."""
        results_of = self.search([item["question"] for item in items])
        every = (result for results in results_of for result in results)
        to_fetch = (result for result in every if not ("text" in result or "html" in result))
        links = [result["link"] for result in to_fetch if not self._is_behind_login(result)]
        self.fetch(links)
        rows, documents, rejects = [], [], []
        n = self.settings.n_results
        params = json.dumps({"n_results": n}, sort_keys=True)
        for item, results in zip(items, results_of, strict=True):
            pages = gathered(item["item_id"], map(self.read, results))
            key = content_id("search", self.search_scope, item["question"], n)
            rows.append(searched_row(item, pages, n_results=len(results), prompt_key=key, params=params))
            documents += pages.documents
            rejects += pages.rejects
        return generations(rows), tables_of(documents, rejects)

    def search(self, names: Sequence[str]) -> list[list[dict]]:
        """Return the results of each name, recorded or searched; TruerateError where the search fails."""
        from truerate.web.recorded import plain, recorded
        from truerate.web.search import Searcher, address

        settings, scope, n = self.settings, self.search_scope, self.settings.n_results
        results = recorded(settings.recorded, names) if settings.recorded else {}
        asked, by_name = [name for name in names if plain(name) not in results], {}
        if settings.url is not None:
            if any(self.store.results(scope, name, n) is None for name in asked):
                if self.fetching.proxy is None:  # before anything is paid
                    self.fetching.demand_contact()
                url = address(settings, self._base(settings.endpoint, "search.endpoint"))
                searcher = Searcher(settings, self.store, url=url, scope=scope, clock=self.clock)
                asyncio.run(searcher.search_all(asked))
            by_name = {name: self.store.results(scope, name, n) for name in dict.fromkeys(asked)}
        listed = [results.get(plain(name), by_name.get(name, [])) for name in names]
        return [results_of[:n] for results_of in listed]

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
            first = f"{page.url!r}: {page.outcome} {page.detail}"
            what = f"fetching pages: none of {len(urls):,} came (the first, {first})"
            hint = "see to the network and tracks.wildhallucinations.fetch in params.yaml, then run again"
            raise TruerateError(f"{what}; {hint}")

    def _open(self, urls: Sequence[str]) -> list[str]:
        return [url for url in urls if self.store.is_open(self.scope, url, limits(self.fetching))]

    def _pages(self, urls: Sequence[str]) -> Iterator[Page]:
        return (self.store.page(self.scope, url, limits(self.fetching)) for url in urls)

    async def _fetch(self, urls: Sequence[str], proxy: str | None) -> None:
        from truerate.web.fetch import Fetcher

        how = {"proxy": proxy, "scope": self.scope, "clock": self.clock}
        async with Fetcher(self.fetching, self.store, **how) as fetcher:
            await fetcher.fetch_all(urls, on_page=self._reader.begin)

    def read(self, result: dict) -> Read:
        """Return what a result's page says, or what became of it; recorded ones are judged like fetched."""
        url, title = result["link"], result.get("title", "")
        final_url = result.get("final_url", url)
        if self._is_behind_login(result):
            text = Text(Outcome.LOGIN_HOST)
        elif "text" in result:
            text = judged(tidy(result["text"]), title, None, self.fetching.sign_in_phrases)
        elif "html" in result:
            text = self._reader.markup(result["html"])
        else:
            text, final_url = self._reader.text(url)
        return Read(url, final_url, title, text)

    def _base(self, endpoint: str | None, named_as: str) -> str | None:
        """The origin of an endpoint, launched where it has to be; a real board refuses a simulated web."""
        if endpoint is None:
            return None
        entry, p = self.config.p.endpoints[endpoint], self.config.p
        if entry.is_simulated and not p.source(p.board(self.board).source).is_simulated:
            key = f"{self.board}: tracks.wildhallucinations.{named_as}"
            what = f"{key} is {endpoint!r}, which is simulated, and the board's source is not"
            raise TruerateError(f"{what}; name another endpoint or null, or give search.recorded")
        if endpoint not in self._bases:
            launch = self._open_things.enter_context
            base = launch(launched(self.config, endpoint)) if entry.launch else entry.base_url or ""
            self._bases[endpoint] = base.rstrip("/").removesuffix("/v1")
        return self._bases[endpoint]


def fetching(config: Layout, board: str) -> Fetch:
    """Return how a board's pages are fetched: as `fetch` says, within the limits of the profile's sizes."""
    size, fetch = config.p.size_of(board), config.p.track(board).fetch
    n_bytes = fetch.max_bytes if size.page_mb is None else int(size.page_mb * 10**6)
    timeout_s = fetch.timeout_s if size.page_seconds is None else size.page_seconds
    return fetch.model_copy(update={"max_bytes": n_bytes, "timeout_s": timeout_s})


def search_scope(config: Layout, board: str) -> str:
    """Name what answers a board's queries."""
    search = config.p.track(board).search
    endpoint = (identity(config, search.endpoint), search.endpoint or "")
    where = " ".join([*endpoint, search.url or "", search.engine_env or ""])
    return f"{where} {form}" if (form := search.service.identity) else where


def identity(config: Layout, endpoint: str | None) -> str:
    """Name a simulated web, whose pages change with its code; empty for the web itself."""
    is_simulated = endpoint and config.p.endpoints[endpoint].is_simulated
    return config.endpoint_identity(endpoint) if is_simulated else ""
