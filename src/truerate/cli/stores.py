"""`truerate llm` and `truerate web`: the response store and the page store."""

from collections.abc import Callable

from truerate.cli.command import add, layout


def add_llm(commands) -> None:
    """Add the commands of the response store."""
    add(
        commands,
        "stats",
        "replies, tokens, money, dead letters by model",
        lambda o: _store().stats(layout(), as_json=o.json),
        json=True,
    )
    dead = add(commands, "dead", "requests given up, with reasons", _dead, json=True)
    retry = "forget the dead letters of this reason (or `all`), so that the next `dvc repro` asks them again where data sets hold them"
    dead.add_argument("--retry", metavar="REASON", help=retry)
    add(
        commands,
        "export",
        "write the store to one Parquet file",
        lambda o: _store().export(layout(), o.file),
        "file",
    )
    add(
        commands,
        "gc",
        "drop old replies of models that params.yaml no longer names in this form",
        lambda o: _store().gc(layout()),
    )
    add(
        commands,
        "import",
        "add the replies of an exported file",
        lambda o: _store().import_(layout(), o.file),
        "file",
    )


def _dead(o) -> None:
    from truerate.pipeline.repair.invalidate import ask_again_everywhere

    _store().dead(layout(), retry=o.retry, as_json=o.json, mark=ask_again_everywhere)


def _store():
    from truerate.llm import commands

    return commands


def add_web(commands) -> None:
    """Add the commands of the page store."""
    counts = (
        "pages by what became of them, and whether that may pass; with a reason or a status, the pages of it"
    )
    stats = add(
        commands, "stats", counts, lambda o: _pages().stats(layout(), o.reason, as_json=o.json), json=True
    )
    stats.add_argument("reason", nargs="?", help="a reason or status of that table: lists its pages")
    again = "forget pages that did not come for what may pass, so that the next `dvc repro` asks for them again where data sets hold them"
    retry = add(commands, "retry", again, lambda o: _again(o, _pages().retry, o.reason), json=True)
    retry.add_argument(
        "reason",
        nargs="?",
        default="all",
        help="timeout, error, status, robots, a status such as 503; default: all",
    )
    what = "forget one page, whatever became of it, or what a search found, so that the next `dvc repro` asks again where data sets hold it"
    forget = add(commands, "forget", what, _forget, json=True)
    forget.add_argument("url", nargs="?", help="the address of the page")
    forget.add_argument("--query", metavar="TEXT", help="in its place: the text that was searched for")


def _again(o, forget: Callable, what: str) -> None:
    from truerate.pipeline.repair.invalidate_pages import ask_pages_again

    forget(layout(), what, mark=ask_pages_again, as_json=o.json)


def _forget(o) -> None:
    from truerate.core.errors import SettingsError
    from truerate.pipeline.repair.invalidate_pages import ask_query_again

    if (o.url is None) == (o.query is None):
        given = "both" if o.url else "neither"
        raise SettingsError(f"truerate web forget: name an address or --query TEXT, not {given}")
    if o.query is None:
        _again(o, _pages().forget, o.url)
    else:
        _pages().forget_query(layout(), o.query, mark=ask_query_again, as_json=o.json)


def _pages():
    from truerate.web import commands

    return commands
