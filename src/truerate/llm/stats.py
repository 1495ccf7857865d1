"""What the store holds: replies, tokens and money by model, and the requests that were given up."""

import sqlite3
import time
import zlib

import polars as pl

from truerate.core.errors import SettingsError, listed
from truerate.llm.store.batches import listed as listed_batches
from truerate.llm.store.batches import lose
from truerate.llm.store.responses import Store, unpacked
from truerate.llm.transport.verdict import DEAD, RETRIED, THOUGHT_ONLY

MODELS = {
    "identity": pl.String, "n_replies": pl.Int64, "n_dead": pl.Int64, "n_calls": pl.Int64, "n_lost": pl.Int64,
    "n_tokens_in": pl.Int64, "n_tokens_out": pl.Int64, "usd": pl.Float64,
}  # fmt: skip
BATCHES = {
    "batch": pl.String, "endpoint": pl.String, "address": pl.String, "model": pl.String, "at_server": pl.String, "state": pl.String,
    "n_requests": pl.Int64, "n_open": pl.Int64, "usd_open": pl.Float64, "made_at": pl.String,
}  # fmt: skip
LETTERS = {
    "key": pl.String, "identity": pl.String, "reason": pl.String, "detail": pl.String, "attempts": pl.Int64, "prompt": pl.String,
}  # fmt: skip


def stats(store: Store) -> pl.DataFrame:
    """One row per model identity: kept replies, dead letters, calls, lost calls, tokens and USD."""
    replies = {
        _text(name): n for name, n in store.query("SELECT identity, COUNT(*) FROM response GROUP BY identity")
    }
    letters = {
        _text(name): n for name, n in store.query("SELECT identity, COUNT(*) FROM dead GROUP BY identity")
    }
    sums = "TOTAL(calls), TOTAL(CASE kind WHEN 'lost' THEN calls END), TOTAL(n_in), TOTAL(n_out), TOTAL(usd)"
    rows = store.query(f"SELECT identity, {sums} FROM ledger GROUP BY identity")
    booked = {_text(name): [*map(_whole, counts), usd] for name, *counts, usd in rows}
    names = sorted(replies.keys() | letters.keys() | booked.keys())
    rows = [
        (name, replies.get(name, 0), letters.get(name, 0), *booked.get(name, (0, 0, 0, 0, 0.0)))
        for name in names
    ]
    return pl.DataFrame(rows, schema=MODELS, orient="row")


def _text(value: object) -> str:
    """Return what stands in a column of names, also where it is no name."""
    return (
        value.decode("utf-8", "replace") if isinstance(value, bytes) else "" if value is None else str(value)
    )


def _whole(total: float) -> int:
    """A sum as a whole number of 64 bits: sums of what endpoints once counted can be beyond them."""
    return int(min(total, 2.0**62))


def dead_letters(store: Store) -> pl.DataFrame:
    """One row per request that was given up, newest last, with the end of its last message."""
    rows = store.query(
        "SELECT key, identity, reason, detail, CAST(attempts AS INTEGER), request FROM dead ORDER BY at, key"
    )
    letters = [
        (_hex(key), *map(_text, texts), attempts, _end(request)) for key, *texts, attempts, request in rows
    ]
    return pl.DataFrame(letters, schema=LETTERS, orient="row")


def _hex(key: object) -> str:
    return key.hex() if isinstance(key, bytes) else _text(key)


def _end(request: bytes) -> str:
    """The last characters of a stored request's last message; empty where it cannot be read."""
    try:
        return str(unpacked(request)["messages"][-1]["content"])[-200:]
    except (zlib.error, ValueError, LookupError, TypeError):
        return ""


def batches(store: Store) -> pl.DataFrame:
    """One row per batch that is under way, oldest first: where it was sent, its names here and there, its state
    when it was last looked at, its requests and those still open with the bound of their cost, when it was
    made (UTC).
    """
    rows = [
        (
            f"truerate-{id:016x}",
            endpoint,
            address,
            model,
            remote,
            state,
            n,
            n_open,
            usd,
            time.strftime("%Y-%m-%d %H:%M", time.gmtime(at)),
        )
        for id, endpoint, address, model, remote, state, n, at, _, n_open, usd in listed_batches(store)
    ]
    return pl.DataFrame(rows, schema=BATCHES, orient="row")


def forget_batch(store: Store, name: str) -> int:
    """Forget a batch by its name here; how many requests it left open. Raises SettingsError for an unknown
    one.
    """
    names: dict[str, int] = {row["batch"]: row["n_open"] for row in batches(store).to_dicts()}
    if name not in names:
        raise SettingsError(f"batch {name!r} is not under way; under way: {listed(names) or 'none'}")
    store.write(lambda link: lose(link, id=int(name.rpartition("-")[2], 16)))
    return names[name]


def retry_dead(store: Store, reason: str) -> int:
    """Forget the dead letters of one reason (`all`: of every), so that they are asked again; how many they
    were.
    """
    reasons = (*RETRIED, *DEAD, THOUGHT_ONLY, "all")
    if reason not in reasons:
        raise SettingsError(f"dead letters of reason {reason!r}: no such reason; allowed: {listed(reasons)}")
    return store.write(
        lambda link: link.execute("DELETE FROM dead WHERE ? IN (reason, 'all')", [reason]).rowcount
    )


def gc(store: Store, *, keep: set[str], older_than_s: float = 0.0) -> int:
    """Drop replies and dead letters outside the identities `keep` that are older than so many seconds; their
    numbers.
    """
    limit = time.time() - older_than_s
    gone = [
        name
        for (name,) in store.query("SELECT identity FROM response UNION SELECT identity FROM dead")
        if name not in keep
    ]

    def drop(link: sqlite3.Connection) -> int:
        tables = ("response", "dead")
        return sum(
            link.execute(f"DELETE FROM {table} WHERE identity = ? AND at <= ?", [name, limit]).rowcount
            for table in tables
            for name in gone
        )

    n_dropped = store.write(drop)
    if n_dropped:
        store.query("VACUUM")
    return n_dropped
