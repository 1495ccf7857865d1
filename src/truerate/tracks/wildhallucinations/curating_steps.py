"""The steps that make entities of chats: `extract` lists the names in every message, `curate` asks three
things of each name, one by one.

What does not pass a question is not asked the next. A source that brings its own entities is asked about
neither.
"""

from collections.abc import Sequence

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import draw, shard_of
from truerate.llm import Request, ask, prompts
from truerate.llm.generation import Prompted, Read, decoding, facts, generation, generations
from truerate.llm.replies.lists import read_word
from truerate.tracks.asking import Asking, Reader, ask_until_read
from truerate.tracks.wildhallucinations.domains import DOMAINS, parse_domain
from truerate.tracks.wildhallucinations.entities import (
    DISAMBIGUATE,
    DOMAIN,
    PASSED,
    VERIFY,
    candidates,
    takedown_keys,
)
from truerate.tracks.wildhallucinations.names import EXTRACT, Name, names_in_chats, read_names, texts_of
from truerate.tracks.wildhallucinations.reminders import reminder

TRACK = "wildhallucinations"
KINDS = {
    "entity": "entity",
    "private person": "private person",
    "no entity": "no entity",
    "private": "private person",
}
REFERENTS = {"one": "one", "several": "several"}
READERS = {
    VERIFY: lambda text: read_word(text, "Kind", KINDS),
    DISAMBIGUATE: lambda text: read_word(text, "Referents", REFERENTS),
    DOMAIN: parse_domain,
}

Replies = dict[str, pl.DataFrame]


def extract(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """The names in each message of a shard. Generation rows of purpose `extract`, the names one per line
    (none: an empty text).
    """
    if not _is_asked(at, board, model, tables):
        return generations([])
    decoded = decoding(at.p.track(board).extracting)
    asked: list[Prompted] = []
    messages: dict[str, str] = {}
    for row in chosen(tables.items, at.p.size_of(board).chats, at.p.seed).iter_rows(named=True):
        if shard_of(row["item_id"], at.p.n_shards) == shard:
            prompt = prompts.render(TRACK, EXTRACT, at.p.llm.prompts_dir, message=row["question"])
            messages[row["item_id"]] = row["question"]
            known = {"conversation": facts(row).get("conversation"), "lang": row["lang"]}
            asked.append(Prompted(Request(model, tuple(prompt), decoded), row["item_id"], EXTRACT, known))
    return generations(
        _until_read(
            asked,
            at,
            f"{board}: {EXTRACT} {model}",
            asking,
            lambda one, text: read_names(text, messages[one.item_id]),
        )
    )


def curate(
    at: Layout, board: str, model: str, tables, shard: int, upstream: Replies, *, asking: Asking = ask
) -> pl.DataFrame:
    """What each name of a shard is. Generation rows of purposes `verify`, `disambiguate` and `domain`, the
    parsed word as text.

    A name is looked at with the first of its messages by id. What stands in the take-down list or is plainly
    private is not asked about.
    """
    if not _is_asked(at, board, model, tables):
        return generations([])
    chats = _chats(tables.items)
    names, _ = names_in_chats(chats, upstream.get(EXTRACT, generations([])))
    texts = texts_of(chats, names)
    open_, _ = candidates(names, texts, takedown_keys(at.p.track(board).takedown))
    open_ = [name for name in open_ if shard_of(name.item_id, at.p.n_shards) == shard]
    rows: list[dict] = []
    for call in (VERIFY, DISAMBIGUATE, DOMAIN):
        asked = [_asked(at, board, model, call, name, texts[name.messages[0]]) for name in open_]
        made = _until_read(asked, at, f"{board}: {call} {model}", asking, _read)
        passed = {row["item_id"] for row in made if row["status"] == "ok" and row["text"] == PASSED.get(call)}
        open_ = [name for name in open_ if name.item_id in passed]
        rows += made
    return generations(rows)


def chosen(items: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """The chat items of `n` conversations, drawn by `seed` from each conversation's id, so that a larger `n`
    keeps the earlier ones.
    """
    chats = _chats(items)
    groups = sorted(
        chats["group_id"].unique().to_list(), key=lambda group: (draw(seed, "chat", group), group)
    )[:n]
    return chats.filter(pl.col("group_id").is_in(pl.Series(groups, dtype=pl.String).implode())).sort(
        "item_id"
    )


def _chats(items: pl.DataFrame) -> pl.DataFrame:
    return items.filter(pl.col("task") == "chat")


def _is_asked(at: Layout, board: str, model: str, tables) -> bool:
    """Whether the model may stand on the board, and the source has no entities of its own."""
    return (
        bool(at.p.models_on(board, (model,))) and tables.items.filter(pl.col("task") == "entity").is_empty()
    )


def _asked(at: Layout, board: str, model: str, call: str, name: Name, message: str) -> Prompted:
    """One question about one name."""
    values = {"proper_noun": name.text, "message": message, "domains": DOMAINS}
    messages = prompts.render(TRACK, call, at.p.llm.prompts_dir, **values)
    known = {"name": name.text, "key": name.key, "n_chats": str(name.n_chats)}
    return Prompted(
        Request(model, tuple(messages), decoding(at.p.track(board).curating)), name.item_id, call, known
    )


def _until_read(
    asked: Sequence[Prompted], at: Layout, label: str, asking: Asking, read: Reader
) -> list[dict]:
    """Generation rows of all replies, those that could not be read and were asked for again among them."""
    came = ask_until_read(asked, at, label, asking, read=read, remind=reminder)
    told = zip(came.asked, came.replies, strict=True)
    return [generation(one, reply, read(one, reply.text)) for one, reply in told] + came.unread


def _read(asked: Prompted, text: str) -> Read:
    found = READERS[asked.purpose](text)
    cuts = {"cuts": " ".join(found.cuts) or None}
    return (
        Read(text, "unparsed", found.reason, cuts)
        if found.value is None
        else Read(found.value, attributes=cuts)
    )
