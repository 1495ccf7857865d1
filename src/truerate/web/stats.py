"""What the page store holds: pages by outcome, and the removal of those that are to be requested again."""

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches

import polars as pl

from truerate.core.errors import SettingsError, TruerateError, listed
from truerate.core.retry import may_pass
from truerate.web.outcomes import Outcome, Page
from truerate.web.store import PageStore

StoredPage = tuple[str, Page]  # a page under the scope that answered for it
StoredQuery = tuple[str, str]  # a query behind the scope that answered it
ALL = "all"
TOO_SLOW = "too-slow"  # came, and took longer to be read than its limit
RETRIED = {"timeout", "error", "status", "robots", ALL}  # what `retry` takes besides a status
RETRY_ALLOWED = f"{listed(RETRIED)}, or a status such as 503"
MOST_COMPARED = 5000  # addresses that one which is not held is compared with: a few seconds
REASONS = {*map(str, Outcome), TOO_SLOW}
PAGES = {"reason": pl.String, "status": pl.Int64, "fetched": pl.String, "detail": pl.String, "url": pl.String}
COUNTS = {"reason": pl.String, "status": pl.Int64, "may_pass": pl.Boolean, "n_pages": pl.Int64}


def reason(page: Page) -> str:
    """Return what became of a page in one word: its outcome, `too-slow` for a timeout in reading."""
    return TOO_SLOW if page.outcome is Outcome.TIMEOUT and page.status is not None else page.outcome.value


def stats(store: PageStore) -> pl.DataFrame:
    """Count pages (addresses per scope, robots.txt among them) by reason, status (null where none came) and
    whether that may pass: the most first, those that may pass last; no rows of an empty store.
    """
    counted = Counter((reason(page), page.status, page.is_transient) for _, page in store.pages())
    rows = [(*of, n) for of, n in counted.items()]
    rows.sort(key=lambda row: (row[2], -row[3], row[0], row[1] or 0))
    return pl.DataFrame(rows, schema=COUNTS, orient="row")


def pages_for(store: PageStore, wanted: str) -> pl.DataFrame:
    """The pages of a reason or a status, by address. Raises TruerateError for another word."""
    if wanted not in REASONS and not _is_status(wanted):
        raise SettingsError(
            f"pages of reason {wanted!r}: allowed: {listed(REASONS)}, or a status such as 503"
        )
    rows = [
        (reason(page), page.status, page.fetched, page.detail, page.url)
        for _, page in store.pages()
        if wanted in (reason(page), str(page.status))
    ]
    return pl.DataFrame(rows, schema=PAGES, orient="row")


def transient(store: PageStore, wanted: str) -> list[StoredPage]:
    """The pages that failed for what may pass: of a reason, of a status (`503`), or all."""
    if wanted not in RETRIED and (wanted in REASONS or (_is_status(wanted) and not may_pass(int(wanted)))):
        what = (
            f"pages of {'status' if _is_status(wanted) else 'reason'} {wanted}: that does not pass with time"
        )
        advice = "`truerate web forget` with an address has one asked for again"
        raise SettingsError(f"{what}; {advice}; allowed: {RETRY_ALLOWED}")
    if wanted not in RETRIED and not _is_status(wanted):
        problem = f"no such reason; allowed: {RETRY_ALLOWED}; see `truerate web stats`"
        raise SettingsError(f"pages of reason {wanted!r}: {problem}")
    passing = [(scope, page) for scope, page in store.pages() if page.is_transient]
    return [(scope, page) for scope, page in passing if wanted in (ALL, reason(page), str(page.status))]


def _is_status(wanted: str) -> bool:
    return wanted.isascii() and wanted.isdigit()


def pages_of(store: PageStore, url: str) -> list[StoredPage]:
    """Return what the store holds of an address. Raises TruerateError, with the closest address, if nothing."""
    pages = list(store.pages())
    if matching := [entry for entry in pages if entry[1].url == url]:
        return matching
    otherwise = "`truerate web stats ok` lists those that came"
    raise _absent(store, f"page {url!r}", url, [page.url for _, page in pages], 0.8, otherwise)


def queries_of(store: PageStore, query: str) -> list[StoredQuery]:
    """The scopes under which a query's results lie. Raises TruerateError, with the closest query, if none."""
    queries = store.queries()
    if matching := [entry for entry in queries if entry[1] == query]:
        return matching
    otherwise = f"it holds {len(queries):,} others" if queries else "it holds no query"
    raise _absent(store, f"query {query!r}", query, [text for _, text in queries], 0.6, otherwise)


def _absent(
    store: PageStore, what: str, wanted: str, others: list[str], cutoff: float, otherwise: str
) -> TruerateError:
    close = get_close_matches(wanted, others[:MOST_COMPARED], n=1, cutoff=cutoff)
    hint = f"it holds {close[0]!r}" if close else otherwise
    return TruerateError(
        f"forgetting the {what}: the page store {str(store.path)!r} does not hold it; {hint}"
    )


def forget_queries(store: PageStore, queries: Iterable[StoredQuery]) -> int:
    """Forget the results of queries; how many queries they were, those of several services each."""
    return sum(store.forget_query(*query) for query in queries)


def forget(store: PageStore, pages: Iterable[StoredPage]) -> int:
    """Forget pages; how many they were."""
    return sum(store.forget(scope, [page.url]) for scope, page in pages)
