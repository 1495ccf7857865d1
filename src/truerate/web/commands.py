"""The sub-commands of `truerate web`: list what the page store holds, forget what is to be fetched anew."""

from collections.abc import Callable, Sequence

from truerate.config.layout import Layout
from truerate.core.process.display import show, show_forgotten, show_table
from truerate.web import stats as facts
from truerate.web.outcomes import Page
from truerate.web.store import PageStore

Mark = Callable[[Layout, Sequence[Page]], list[str]]


def stats(config: Layout, reason: str | None = None, *, as_json: bool = False) -> None:
    """Print pages by what became of them, those that may pass apart; of one reason or status, its pages."""
    with PageStore.of(config, is_read_only=True) as store:
        if reason is not None:
            show_table(facts.pages_for(store, reason), as_json=as_json)
            return
        show(facts.stats(store), as_json=as_json, title=str(store.path), empty="the page store is empty")


def retry(config: Layout, reason: str, *, mark: Mark, as_json: bool = False) -> None:
    """Forget the pages that did not come for what may pass, so that the next build asks for them again."""
    with PageStore.of(config) as store:
        _forget(config, store, facts.transient(store, reason), mark=mark, as_json=as_json)


def forget(config: Layout, url: str, *, mark: Mark, as_json: bool = False) -> None:
    """Forget one page, whatever became of it."""
    with PageStore.of(config) as store:
        _forget(config, store, facts.pages_of(store, url), mark=mark, as_json=as_json)


def forget_query(
    config: Layout, query: str, *, mark: Callable[[Layout, str], list[str]], as_json: bool = False
) -> None:
    """Forget the results of one query; the pages that it led to stay. `mark` as for `_forget`."""
    with PageStore.of(config) as store:
        queries, boards = facts.queries_of(store, query), mark(config, query)
        n = facts.forget_queries(store, queries)
        show_forgotten(n, "queries", boards, singular="query", asks="asks for", as_json=as_json)


def _forget(
    config: Layout, store: PageStore, pages: Sequence[facts.StoredPage], *, mark: Mark, as_json: bool
) -> None:
    """Forget pages. `mark` receives them first and returns the boards that become stale without them."""
    boards = mark(config, [page for _, page in pages])
    n = facts.forget(store, pages)
    show_forgotten(n, "pages", boards, asks="asks for", as_json=as_json)
