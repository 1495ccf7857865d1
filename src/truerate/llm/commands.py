"""The sub-commands of `truerate llm`: what the store holds, printed for a person or as JSON."""

from collections.abc import Callable, Collection

from truerate.config.layout import Layout
from truerate.core.process.display import show, show_forgotten
from truerate.llm import stats as facts
from truerate.llm.store import archive
from truerate.llm.store.responses import Store

Mark = Callable[[Layout, Collection[str]], list[str]]


def stats(config: Layout, *, as_json: bool = False) -> None:
    """Print replies, dead letters, calls, tokens and money by model identity."""
    with Store(config.store, is_read_only=True) as store:
        show(facts.stats(store), as_json=as_json, title=str(config.store), empty="the store is empty")


def dead(
    config: Layout, *, retry: str | None = None, as_json: bool = False, mark: Mark | None = None
) -> None:
    """Print dead letters, or forget those of one reason, whose boards `mark` first has DVC make again."""
    with Store(config.store, is_read_only=retry is None) as store:
        if retry is None:
            show(facts.dead_letters(store), as_json=as_json, title=str(config.store), empty="no dead letters")
            return
        letters = {
            key.hex() for (key,) in store.query("SELECT key FROM dead WHERE ? IN (reason, 'all')", [retry])
        }
        boards = mark(config, letters) if mark else []
        n = facts.retry_dead(store, retry)
    show_forgotten(n, "dead letters", boards, asks="asks", as_json=as_json)


def batches(config: Layout, *, forget: str | None = None, as_json: bool = False) -> None:
    """Print the batches that are under way, or forget one: its open requests count as paid and are asked anew."""
    with Store(config.store, is_read_only=forget is None) as store:
        if forget is None:
            table = facts.batches(store)
            show(table, as_json=as_json, title=str(config.store), empty="no batch is under way")
            return
        n = facts.forget_batch(store, forget)
    print(f"batch {forget} is forgotten; its {n:,} open requests count as paid")


def export(config: Layout, file: str) -> None:
    """Write all replies to one Parquet file."""
    with Store(config.store, is_read_only=True) as store:
        print(f"{archive.export(store, file):,} replies written to {file}")


def import_(config: Layout, file: str) -> None:
    """Add the replies of an exported file."""
    with Store(config.store) as store:
        print(f"{archive.import_(store, file):,} new replies from {file}")


def gc(config: Layout, *, older_than_days: float = 30.0) -> None:
    """Drop replies of models that params.yaml no longer names in this form."""
    with Store(config.store) as store:
        n = facts.gc(
            store,
            keep={layout.identity(alias) for layout in config.on_each_track() for alias in config.p.models},
            older_than_s=older_than_days * 86400,
        )
    print(f"{n:,} replies and dead letters dropped")
