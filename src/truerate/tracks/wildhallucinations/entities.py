"""From names to entities (WildHallucinations, section 2): what is taken out and why, and the Item rows of
what is kept.

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
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import regex

from truerate.core.errors import TruerateError
from truerate.core.keys import draw
from truerate.core.schemas import Generation, frame, pairs, reject_row
from truerate.core.text import folded, name_key
from truerate.llm.generation import facts, standing
from truerate.tracks.wildhallucinations.domains import domain_named
from truerate.tracks.wildhallucinations.names import (
    EXTRACT,
    UNUSABLE,
    Name,
    entity_id,
    names_in_chats,
    texts_of,
)

VERIFY, DISAMBIGUATE, DOMAIN = "verify", "disambiguate", "domain"
PASSED = {VERIFY: "entity", DISAMBIGUATE: "one"}  # the word that lets a name go on; any domain does
OUT = {"private person": "private-person", "no entity": "no-entity", "several": "ambiguous"}
AT_ONCE = 20_000  # replies that are dictionaries at a time
HIDDEN = (
    "private-person",
    "takedown",
    "unparsed-verify",
    "dead-verify",
    "unasked-verify",
)  # reasons whose names are not repeated
# Why a name is no entity of the board; `unparsed-`, `dead-` and `unasked-` stand before the call that gave no
# answer. UNUSABLE and `not-in-message` come from `names`, `no-page` from the search.
REASONS = (
    "takedown",
    *OUT.values(),
    "over-limit",
    *(f"{how}-{call}" for how in ("unparsed", "dead", "unasked") for call in (*PASSED, DOMAIN)),
)
_RELATIVES = (
    "accountant aunt babysitter boss boyfriend brother client colleague coworker co-worker classmate cousin dad daughter dentist doctor "
    "employee ex father fiance fiancee flatmate friend girlfriend grandfather grandma grandmother grandpa grandson granddaughter husband "
    "intern landlady landlord lawyer manager mom mother mum nephew neighbor neighbour niece nurse partner patient roommate sister son "
    "student supervisor tenant therapist uncle wife"
)
_EMAIL = re.compile(r"\S+@\S+\.\S+")
_OWN = rf"\b(?:my|our)\s+(?:[\w-]+\s+){{0,2}}(?:{'|'.join(_RELATIVES.split())})\s*[,:(]?\s*[\"'“‘]?"
_INTRODUCED = re.compile(_OWN)


def curated(
    chats: pl.DataFrame,
    extracted: pl.DataFrame,
    judged: pl.DataFrame,
    *,
    limit: int,
    seed: int,
    takedown: str | None,
) -> tuple[list[dict], list[dict]]:
    """Item rows of the entities that are kept, without documents, sorted by id, and Reject rows of every name
    that is not.

    `chats` are Item rows of task `chat`; `extracted` and `judged` Generation rows of the steps `extract` and
    `curate`. At most `limit` are kept, those of most conversations first, ties drawn by `seed`. `takedown` is
    the path of the list of names that are never used.
    """
    names, rejects = names_in_chats(chats, extracted)
    open_, shut = candidates(names, texts_of(chats, names), takedown_keys(takedown))
    said = {(row["item_id"], row["purpose"]): row for row in standing(judged).iter_rows(named=True)}
    passed = []
    for name in open_:
        if (why := judged_out(name, said)) is not None:
            shut.append(removed(name, *why))
        else:
            passed.append((name, said[name.item_id, DOMAIN]["text"]))
    kept, over = most_mentioned(passed, limit, seed)
    items = [
        item(name.item_id, name.source, name.text, n_chats=name.n_chats, domain=domain)
        for name, domain in kept
    ]
    shut += [
        removed(name, "over-limit", f"in {name.n_chats} chats; {limit} others are in more")
        for name, _ in over
    ]
    return sorted(items, key=lambda row: row["item_id"]), rejects + sorted(
        shut, key=lambda row: row["target_id"]
    )


def candidates(
    names: Sequence[Name], texts: Mapping[str, str], taken: frozenset[str]
) -> tuple[list[Name], list[dict]]:
    """The names that a model is asked about, and Reject rows of those that are out before any model is: taken
    down, or private.
    """
    open_, shut = [], []
    for name in names:
        if name.key in taken:
            shut.append(removed(name, "takedown", "it stands in the take-down list"))
        elif is_private(name.key, [texts[message] for message in name.messages]):
            shut.append(removed(name, "private-person", "every message introduces it as somebody's own"))
        else:
            open_.append(name)
    return open_, shut


def is_private(key: str, messages: Sequence[str]) -> bool:
    """Whether a name is an e-mail address, or every message introduces it as somebody's own ("my neighbour
    …"). False without a message.
    """
    said = [folded(message) for message in messages]
    if (
        _EMAIL.fullmatch(key) or not said or not all(map(_INTRODUCED.search, said))
    ):  # before a pattern is compiled for the name
        return bool(_EMAIL.fullmatch(key))
    own = regex.compile(rf"{_OWN}{re.escape(key)}(?!\w)")
    return all(map(own.search, said))


def judged_out(name: Name, said: Mapping[tuple[str, str], dict]) -> tuple[str, str] | None:
    """Why the answers take a name out (reason, detail), None where all let it pass. An answer that was not
    read takes it out.
    """
    for call in (VERIFY, DISAMBIGUATE, DOMAIN):
        row = said.get((name.item_id, call))
        if row is None or row["status"] != "ok":
            return f"{row['status'] if row else 'unasked'}-{call}", (
                row["reason"] or "" if row else "no reply"
            )
        if row["text"] != PASSED.get(call, row["text"]):
            return OUT[row["text"]], f"{call}: {row['text']}"
    return None


def removed(name: Name, reason: str, detail: str) -> dict:
    """The Reject row of a name; one that is private or was taken down is not repeated in it."""
    shown = "" if reason in HIDDEN else name.text
    return reject_row(where="curate", target_id=name.item_id, reason=reason, detail=detail, text=shown)


def most_mentioned(
    passed: Sequence[tuple[Name, str]], limit: int, seed: int
) -> tuple[list[tuple], list[tuple]]:
    """The `limit` names of most conversations, ties in a seeded order, and the others."""
    ranked = sorted(
        passed, key=lambda one: (-one[0].n_chats, draw(seed, "entity", one[0].item_id), one[0].item_id)
    )
    return ranked[:limit], ranked[limit:]


def item(item_id: str, source: str, name: str, **attributes: object) -> dict:
    """The Item row of an entity; its group is itself."""
    return {
        "item_id": item_id,
        "source": source,
        "task": "entity",
        "lang": "en",
        "group_id": item_id,
        "document_ids": [],
        "history": "",
        "question": name,
        "right_answer": None,
        "attributes": pairs(name=name, **attributes),
    }


def given(
    items: pl.DataFrame, *, limit: int, seed: int, takedown: str | None
) -> tuple[list[dict], list[dict]]:
    """Item and Reject rows of a source that brings its own entities: none is judged, but the take-down list
    and the limit hold.

    A domain is one of the 20 or left out.
    """
    taken, kept, shut = takedown_keys(takedown), [], []
    for row in items.sort("item_id").iter_rows(named=True):
        known = facts(row)
        name = Name(
            row["item_id"],
            name_key(row["question"]),
            row["question"],
            row["source"],
            int(known.get("n_chats", 0)),
            (),
        )
        if name.key in taken:
            shut.append(removed(name, "takedown", "it stands in the take-down list"))
        else:
            kept.append(
                (name, {**row, "attributes": pairs(**known | {"domain": domain_named(known.get("domain"))})})
            )
    kept, over = most_mentioned(kept, limit, seed)
    shut += [
        removed(name, "over-limit", f"in {name.n_chats} chats; {limit} others come first") for name, _ in over
    ]
    return sorted((row for _, row in kept), key=lambda row: row["item_id"]), sorted(
        shut, key=lambda row: row["target_id"]
    )


def takedown_keys(path: str | None) -> frozenset[str]:
    """The keys of the names in a take-down list, one per line, `#` before a remark; none for None.
    TruerateError where it is unreadable.
    """
    if path is None:
        return frozenset()
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        where = "`takedown`"
        raise TruerateError(
            f"reading the take-down list {str(path)!r}: {why}; correct {where} in params.yaml or the file"
        ) from None
    return frozenset(key for line in lines if not line.lstrip().startswith("#") and (key := name_key(line)))


def without_private(rows: pl.DataFrame, rejects: Sequence[dict], source: str) -> pl.DataFrame:
    """Generation rows as they may be published: what was rejected for one of HIDDEN is named in none of them."""
    hidden = {row["target_id"] for row in rejects if row["reason"] in HIDDEN}
    if not rows.select(((pl.col("purpose") == EXTRACT) | pl.col("item_id").is_in(list(hidden))).any()).item():
        return rows
    parts = (
        frame(Generation, [_unnamed(row, hidden, source) for row in part.iter_rows(named=True)])
        for part in rows.iter_slices(AT_ONCE)
    )
    return pl.concat([frame(Generation), *parts])


def _unnamed(row: dict, hidden: set[str], source: str) -> dict:
    if row["purpose"] == EXTRACT:
        # Of a reply that was not read nobody knows which names it holds.
        lines = row["text"].split("\n") if row["status"] == "ok" else []
        return {
            **row,
            "text": "\n".join(line for line in lines if entity_id(source, name_key(line)) not in hidden),
        }
    if row["item_id"] not in hidden:
        return row
    known = {key: value for key, value in facts(row).items() if key not in ("name", "key")}
    return {**row, "text": row["text"] if row["status"] == "ok" else "", "attributes": pairs(**known)}


__all__ = [
    "REASONS",
    "UNUSABLE",
    "candidates",
    "curated",
    "given",
    "is_private",
    "takedown_keys",
    "without_private",
]
