"""Which entities a board asks about (WildHallucinations, section 2): from names to entities, what is taken
out and why; and of these the ones that have pages.

Privacy. Entities of WildHallucinations come from messages that people wrote to an assistant, so names of
private persons stand among them. Three rules keep them out, each with a test: (1) whoever asked for it stands
in the take-down list and is never asked about, searched for or named again; (2) a name that every message
introduces as somebody's own ("my neighbour …", "our accountant …"), and an e-mail address, is private without
any model's word; (3) of the others a model is asked for each, with the message that holds it, and `private
person` takes it out. Rejected for one of these reasons, or because that model gave no answer, a name is not
repeated in the rejects, and `without_private` takes it out of the replies that held it. A model errs, and a
public figure may be somebody's neighbour: the rules lean towards taking out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

import polars as pl
import regex

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.keys import draw
from truerate.core.schemas import Document, Generation, Item, frame, pairs, reject_row
from truerate.core.text import folded, name_key
from truerate.llm.generation import facts, generations, standing
from truerate.tracks.wildhallucinations.names import (
    DOMAINS,
    EXTRACT,
    WORDS,
    Name,
    domain_named,
    entity_id,
    names_in_chats,
    texts_of,
)

VERIFY, DISAMBIGUATE, DOMAIN = "verify", "disambiguate", "domain"
PASSED = {VERIFY: "entity", DISAMBIGUATE: "one"}  # the word that lets a name go on; any domain does
OUT = {"private person": "private-person", "no entity": "no-entity", "several": "ambiguous"}
PROMPT, MAX_LABEL = "is_prompt", 120  # attribute of an item that is a prompt; characters of one that name it
AT_ONCE = 20_000  # replies that are dictionaries at a time
EVIDENCE, NO_PAGE = "evidence", "no-page"
# Why a name is no entity of the board; `unparsed-`, `dead-` and `unasked-` stand before the call that gave no
# answer. UNUSABLE and `not-in-message` come from `names`, `no-page` from the search.
REASONS = (
    "takedown",
    *OUT.values(),
    "over-limit",
    *(f"{how}-{call}" for how in ("unparsed", "dead", "unasked") for call in (*PASSED, DOMAIN)),
)
# reasons whose names are not repeated
HIDDEN = ("private-person", "takedown", "unparsed-verify", "dead-verify", "unasked-verify")
_EMAIL = re.compile(r"\S+@\S+\.\S+")
_OWN = rf"\b(?:my|our)\s+(?:[\w-]+\s+){{0,2}}(?:{'|'.join(WORDS['relatives'].split())})\s*[,:(]?\s*[\"'“‘]?"
_INTRODUCED = re.compile(_OWN)

Replies = dict[str, pl.DataFrame]
Rows = list[dict]


# ---- what models are asked about ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Context:
    """One entity (`name`) with the ids, texts and titles of its pages, as the search ranks them. `is_prompt`:
    its name is no name but a prompt, which is asked as it stands.
    """

    item_id: str
    lang: str
    name: str
    document_ids: tuple[str, ...]
    pages: tuple[str, ...]
    titles: tuple[str, ...] = ()
    history: str = ""
    is_prompt: bool = False

    @property
    def label(self) -> str:
        """Its name, a prompt's beginning as one short line, as it stands before passages of its pages."""
        return shorten(self.name, MAX_LABEL, placeholder=" …") if self.is_prompt else self.name

    @property
    def knowledge(self) -> str:
        """All pages as one text."""
        return "\n\n".join(self.pages)

    @property
    def question(self) -> str:
        """The name that is asked about."""
        return self.name


def contexts(items: pl.DataFrame, documents: pl.DataFrame | pl.LazyFrame) -> dict[str, Context]:
    """Return every entity by its id with its pages; other items (a user's turn) are no context."""
    entities = items.filter(pl.col("task") == "entity")
    named = entities["document_ids"].explode().drop_nulls().unique(maintain_order=True)
    pages = documents.lazy().filter(pl.col("document_id").is_in(named.implode()))
    page_of = {row[0]: row for row in pages.select("document_id", "text", "title").collect().iter_rows()}
    by_id = {}
    for row in entities.iter_rows(named=True):
        of_row = [page_of[name] for name in row["document_ids"] if name in page_of]
        ids, texts, titles = zip(*of_row, strict=True) if of_row else ((), (), ())
        what = row["item_id"], row["lang"], row["question"]
        by_id[row["item_id"]] = Context(*what, ids, texts, titles, is_prompt=facts(row).get(PROMPT) == "true")
    return by_id


def curated(config: Layout, board: str, tables, upstream: Replies) -> tuple[Rows, Rows]:
    """Return Item rows of a board's entities, without documents, and Reject rows of the names that were taken
    out: those of its source, else those curated from its chats.

    Of a source that brings entities of its own none is judged, but the take-down list and the limit hold.
    """
    p, entities = config.p, tables.items.filter(pl.col("task") == "entity")
    how = {"limit": p.size_of(board).entities, "seed": p.seed, "takedown": p.track(board).takedown}
    if not entities.is_empty():
        return given(entities, **how)
    chats = tables.items.filter(pl.col("task") == "chat")
    return from_chats(chats, *(upstream.get(step, generations([])) for step in (EXTRACT, "curate")), **how)


def with_pages(config: Layout, board: str, tables, upstream: Replies) -> tuple[pl.DataFrame, Rows]:
    """Return the items of entities with pages, and Reject rows of all that were taken out; where each claim is
    searched for, those without pages as well.
    """
    kept, rejects = curated(config, board, tables, upstream)
    if config.p.track(board).evidence == "claim":
        return frame(Item, kept), rejects
    parts = [tables.documents.lazy(), upstream.get("documents", frame(Document)).lazy()]
    documents = pl.concat([part.select("document_id", "is_wikipedia") for part in parts]).collect()
    kept, without = with_evidence(kept, upstream.get(EVIDENCE, generations([])), documents)
    return frame(Item, kept), [*rejects, *without]


def with_evidence(
    items: Sequence[dict], searched: pl.DataFrame, documents: pl.DataFrame
) -> tuple[Rows, Rows]:
    """Return Item rows of entities with their documents, and Reject rows (`no-page`) of those without a page.

    `searched` are the `search` rows; an entity that has documents of its own keeps those. Sets `document_ids`
    and the attribute `is_wikipedia`: what the source says of it (attribute `wiki`), else whether any page is
    of Wikipedia.
    """
    wikipedia = dict(documents.select("document_id", "is_wikipedia").iter_rows())
    of_search = searched.filter(pl.col("purpose") == "search").iter_rows(named=True)
    pages_of = {row["item_id"]: facts(row).get("documents", "").split() for row in of_search}
    kept, rejects = [], []
    for item in items:
        named = item["document_ids"] or pages_of.get(item["item_id"], [])
        if ids := [name for name in named if name in wikipedia]:
            attributes = facts(item)
            by_pages = str(any(wikipedia[name] for name in ids)).lower()
            attributes["is_wikipedia"] = attributes.get("wiki", by_pages).lower()
            kept.append({**item, "document_ids": ids, "attributes": pairs(**attributes)})
        else:
            why = {"reason": NO_PAGE, "detail": "no page was found or kept", "text": item["question"]}
            rejects.append(reject_row(where=EVIDENCE, target_id=item["item_id"], **why))
    return kept, rejects


# ---- what is taken out -------------------------------------------------------------------------------------


def from_chats(
    chats: pl.DataFrame,
    extracted: pl.DataFrame,
    judged: pl.DataFrame,
    *,
    limit: int,
    seed: int,
    takedown: str | None,
) -> tuple[Rows, Rows]:
    """Return Item rows of the entities that are kept, without documents, sorted by id, and Reject rows of
    every name that is not.

    `chats` are Item rows of task `chat`; `extracted` and `judged` Generation rows of the steps `extract` and
    `curate`. At most `limit` are kept, those of most conversations first, ties drawn by `seed`. `takedown` is
    the path of the list of names that are never used.
    """
    names, rejects = names_in_chats(chats, extracted)
    to_judge, out = candidates(names, texts_of(chats, names), takedown_keys(takedown))
    answers = {(row["item_id"], row["purpose"]): row for row in standing(judged).iter_rows(named=True)}
    passed = []
    for name in to_judge:
        if (why := judged_out(name, answers)) is not None:
            out.append(removed(name, *why))
        else:
            attributes = {"n_chats": name.n_chats, "domain": answers[name.item_id, DOMAIN]["text"]}
            passed.append((name, item(name.item_id, name.source, name.text, **attributes)))
    items, over = most_mentioned(passed, limit, seed, f"{limit} others are in more")
    return items, rejects + sorted(out + over, key=lambda row: row["target_id"])


def given(items: pl.DataFrame, *, limit: int, seed: int, takedown: str | None) -> tuple[Rows, Rows]:
    """Return Item and Reject rows of a source's own entities; a domain is one of the 20 or left out, but that
    of a prompt is the topic which its list gives.
    """
    taken, kept, out = takedown_keys(takedown), [], []
    for row in items.sort("item_id").iter_rows(named=True):
        attributes, text = facts(row), row["question"]
        n_chats = int(attributes.get("n_chats", 0))
        name = Name(row["item_id"], name_key(text), text, row["source"], n_chats, ())
        if name.key in taken:
            out.append(removed(name, "takedown", "it stands in the take-down list"))
        else:
            domain = attributes.get("domain")
            domain = domain if attributes.get(PROMPT) == "true" else domain_named(domain)
            kept.append((name, {**row, "attributes": pairs(**attributes | {"domain": domain})}))
    rows, over = most_mentioned(kept, limit, seed, f"{limit} others come first")
    return rows, sorted(out + over, key=lambda row: row["target_id"])


def text_notes(config: Layout, board: str, tables) -> Iterator[str]:
    """Yield a line on the source's own entities whose domain is none of the 20, so that none stands for it."""
    about = [facts(row) for row in tables.items.filter(task="entity").iter_rows(named=True)]
    named = [fact["domain"] for fact in about if fact.get("domain") and fact.get(PROMPT) != "true"]
    if unknown := Counter(name for name in named if domain_named(name) is None):
        first = ", ".join(repr(shorten(name, MAX_LABEL)) for name, _ in unknown.most_common(5))
        yield (
            f"board {board!r}: {unknown.total():,} of {len(about):,} entities stand under no domain, as theirs is "
            f"none of the paper's: {first}{', …' if len(unknown) > 5 else ''}; allowed: {', '.join(DOMAINS)}"
        )


def candidates(
    names: Sequence[Name], texts: Mapping[str, str], taken: frozenset[str]
) -> tuple[list[Name], Rows]:
    """Return the names that a model is asked about, and Reject rows of those taken down or private."""
    to_judge, out = [], []
    for name in names:
        if name.key in taken:
            out.append(removed(name, "takedown", "it stands in the take-down list"))
        elif is_private(name.key, [texts[message] for message in name.messages]):
            out.append(removed(name, "private-person", "every message introduces it as somebody's own"))
        else:
            to_judge.append(name)
    return to_judge, out


def is_private(key: str, messages: Sequence[str]) -> bool:
    """Return whether a name is an e-mail address, or every message introduces it as somebody's own."""
    plain = [folded(message) for message in messages]
    # before a pattern is compiled for the name
    if _EMAIL.fullmatch(key) or not plain or not all(map(_INTRODUCED.search, plain)):
        return bool(_EMAIL.fullmatch(key))
    return all(map(regex.compile(rf"{_OWN}{re.escape(key)}(?!\w)").search, plain))


def judged_out(name: Name, answers: Mapping[tuple[str, str], dict]) -> tuple[str, str] | None:
    """Return why the answers take a name out (reason, detail), or None; an unread answer takes it out."""
    for call in (VERIFY, DISAMBIGUATE, DOMAIN):
        row = answers.get((name.item_id, call))
        if row is None:
            return f"unasked-{call}", "no reply"
        if row["status"] != "ok":
            return f"{row['status']}-{call}", row["reason"] or ""
        if row["text"] != PASSED.get(call, row["text"]):
            return OUT[row["text"]], f"{call}: {row['text']}"
    return None


def removed(name: Name, reason: str, detail: str) -> dict:
    """Return the Reject row of a name; one that is private or was taken down is not repeated in it."""
    text = "" if reason in HIDDEN else name.text
    return reject_row(where="curate", target_id=name.item_id, reason=reason, detail=detail, text=text)


def most_mentioned(
    passed: Sequence[tuple[Name, dict]], limit: int, seed: int, more: str
) -> tuple[Rows, Rows]:
    """Return the rows of the `limit` names of most chats (ties by seed), and Reject rows of the others."""
    order = {name: (-name.n_chats, draw(seed, "entity", name.item_id), name.item_id) for name, _ in passed}
    ranked = sorted(passed, key=lambda pair: order[pair[0]])
    rows = sorted((row for _, row in ranked[:limit]), key=lambda row: row["item_id"])
    return rows, [
        removed(name, "over-limit", f"in {name.n_chats} chats; {more}") for name, _ in ranked[limit:]
    ]


def item(item_id: str, source: str, name: str, **attributes: object) -> dict:
    """Return the Item row of an entity; its group is itself."""
    ids = {"item_id": item_id, "group_id": item_id, "source": source, "document_ids": []}
    texts = {"task": "entity", "lang": "en", "history": "", "question": name, "right_answer": None}
    return ids | texts | {"attributes": pairs(name=name, **attributes)}


def takedown_keys(path: str | None) -> frozenset[str]:
    """Return the keys of a take-down list, a name a line; raises TruerateError if it is unreadable."""
    if path is None:
        return frozenset()
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        hint = "correct `takedown` in params.yaml or the file"
        raise TruerateError(f"reading the take-down list {str(path)!r}: {why}; {hint}") from None
    return frozenset(key for line in lines if not line.lstrip().startswith("#") and (key := name_key(line)))


def without_private(rows: pl.DataFrame, rejects: Sequence[dict], source: str) -> pl.DataFrame:
    """Return Generation rows as they may be published: without the names rejected for one of HIDDEN."""
    hidden = {row["target_id"] for row in rejects if row["reason"] in HIDDEN}
    if not rows.select(((pl.col("purpose") == EXTRACT) | pl.col("item_id").is_in(list(hidden))).any()).item():
        return rows

    def unnamed(row: dict) -> dict:
        text = row["text"] if row["status"] == "ok" else ""  # which names an unread reply holds nobody knows
        if row["purpose"] == EXTRACT:
            lines = [line for line in text.split("\n") if entity_id(source, name_key(line)) not in hidden]
            return {**row, "text": "\n".join(lines)}
        if row["item_id"] not in hidden:
            return row
        attributes = {key: value for key, value in facts(row).items() if key not in ("name", "key")}
        return {**row, "text": text, "attributes": pairs(**attributes)}

    slices = (map(unnamed, part.iter_rows(named=True)) for part in rows.iter_slices(AT_ONCE))
    return pl.concat([frame(Generation), *(frame(Generation, list(part)) for part in slices)])
