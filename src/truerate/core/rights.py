"""Which rows of a board's tables may be handed on with their texts, which without, and which not at all."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, cast

import polars as pl

# tables, those that outgrow memory as queries
Some = TypeVar("Some", pl.DataFrame, pl.DataFrame | pl.LazyFrame)
Queries = Mapping[str, pl.LazyFrame]

# the tables that hold texts of a source, and what names a row of each; other tables hold counts and names
# alone
KEYS = {
    "items": "item_id",
    "documents": "document_id",
    "samples": "sample_id",
    "generations": "generation_id",
    "facts": "fact_id",
    "judgements": "judgement_id",
}
OF_ITEMS = ("samples", "generations", "facts")  # their rows name the item that they are about
JUDGED = ("items", "samples", "generations", "facts")  # a judgement's target is a row of one of these
TEXT, DIGEST = "text", "text_sha256"
# how licences begin that let texts be shown and passed on, and what of them forbids to cut these
OPEN = (
    *("CC0", "CC-BY", "CC BY", "PUBLIC DOMAIN", "PDDL", "ODC-BY", "ODC BY", "MIT", "APACHE", "CDLA"),
    "CARNEGIE MELLON UNIVERSITY NOTICE",
)
NO_CHANGES = re.compile(r"(?<![A-Z])ND(?![A-Z])")
# columns of words, beside `text`
TEXTS = ("question", "history", "knowledge", "right_answer", "rationale", "sentence", "title")
# Keys of `attributes` whose values are words of third parties, whatever the source allows: what a retrieving
# model was given. They never leave the house.
LENT_ATTRIBUTES = ("retrieved",)
# Keys of `attributes` that readers of sources and more than one track write, whose values are ids and places,
# labels and settings, or numbers, never a source's words. A track's card names its own.
PLAIN_ATTRIBUTES = frozenset(
    """
conversation documents evidence fact facts first generation group_id id page_id place published_id row
sample silver target task translated_from turn url domain is_probe is_wikipedia kind label labels lang
level order origin pattern rejected scheme scope seed side source_model stage system type variant verdict
threshold assistant_rating depth n_annotators n_characters n_chats n_claims n_labels n_sections n_sentences
n_unparsed user_rating cuts n_malformed n_words try
""".split()
)


def is_open(licence: str) -> bool:
    """Return whether each licence of a line (parts behind semicolons) lets a text be shown, cut, and passed on; a
    licence that is not known does not, nor one without derivatives (ND).
    """
    parts = [part.strip().upper() for part in licence.split(";")]
    return all(part.startswith(OPEN) and not NO_CHANGES.search(part) for part in parts)


def open_tables(tables: Mapping[str, Some], *, card: Mapping[str, Any], source: str) -> dict[str, Some]:
    """The tables with the texts that may be shown: all, none, or all but training texts of stricter sources;
    never what retrieving models were given (LENT_ATTRIBUTES).

    `card` is that of the board's source, `source` its name; unknown rights allow nothing. If the rights of
    all sources are stricter than the source's own (`own_redistribution`), texts of other sources, of task
    `train`, and their judgements are left out. Queries stay queries.
    """
    return _of_kind(tables, lambda queries: _open(queries, card, source))


def _of_kind(tables: Mapping[str, Some], work: Callable[[Queries], Queries]) -> dict[str, Some]:
    """Return what is made of tables: a frame where a frame was given, a query where a query was."""
    queries = work({name: data.lazy() for name, data in tables.items()})
    is_query = {name: isinstance(data, pl.LazyFrame) for name, data in tables.items()}
    of_kind = {name: query if is_query[name] else query.collect() for name, query in queries.items()}
    return cast("dict[str, Some]", of_kind)


def _open(tables: Queries, card: Mapping[str, Any], source: str) -> Queries:
    if "generations" in tables:
        is_own = ~pl.element().struct.field("key").is_in(LENT_ATTRIBUTES)
        replies = tables["generations"].with_columns(pl.col("attributes").list.filter(is_own))
        tables = {**tables, "generations": replies}
    if card.get("redistribution") == "yes":
        return tables
    return _own_part(tables, source) if card.get("own_redistribution") == "yes" else _emptied(tables)


def outgoing_tables(
    tables: Mapping[str, Some],
    *,
    card: Mapping[str, Any],
    source: str,
    attributes: Collection[str] = (),
) -> dict[str, Some]:
    """The tables that may be published: `open_tables`, or `without_texts` if rights allow ids alone."""
    rights, own_rights = card.get("redistribution"), card.get("own_redistribution")
    if "yes" in (rights, own_rights) or "ids-only" not in (rights, own_rights):
        return open_tables(tables, card=card, source=source)
    plain = sorted({*PLAIN_ATTRIBUTES, *attributes})

    def bare(queries: Queries) -> Queries:
        shown = queries if rights == "ids-only" else _own_part(queries, source)
        return {name: _without_texts(data, plain) for name, data in shown.items()}

    return _of_kind(tables, bare)


def has_texts(card: Mapping[str, Any]) -> bool:
    """Return whether anything that `outgoing_tables` lets out under this card has its texts."""
    return "yes" in (card.get("redistribution"), card.get("own_redistribution"))


def without_texts(tables: Mapping[str, Some], attributes: Collection[str] = ()) -> dict[str, Some]:
    """The tables as ids, labels and numbers: texts become `text_sha256` (hex SHA-256 of UTF-8, or null),
    other columns of words go; addresses and evidence ids stay. Of `attributes` only `PLAIN_ATTRIBUTES` and
    those of the card stay.
    """
    plain = sorted({*PLAIN_ATTRIBUTES, *attributes})
    return _of_kind(
        tables, lambda queries: {name: _without_texts(data, plain) for name, data in queries.items()}
    )


def _own_part(tables: Queries, source: str) -> Queries:
    if "items" not in tables:  # nothing says whose the rows are
        return _emptied(tables)
    own_items = tables["items"].filter(pl.col("source") == source, pl.col("task") != "train")
    kept = {**tables}
    if "samples" in kept:
        kept["samples"] = kept["samples"].filter(pl.col("task") != "train")
    if "documents" in kept:
        kept["documents"] = kept["documents"].filter(pl.col("source") == source)
    return about(kept, own_items)


def about(tables: Queries, items: pl.LazyFrame) -> Queries:
    """The tables with the rows on these items alone: samples, replies and facts of one, and judgements on any
    of those; tables of other kinds stay whole.
    """
    kept = {**tables, "items": items}
    for name in OF_ITEMS:
        if name in kept:
            kept[name] = kept[name].join(items, on="item_id", how="semi", maintain_order="left")
    if "judgements" in kept:
        targets = pl.concat([kept[name].select(target_id=KEYS[name]) for name in JUDGED if name in kept])
        kept["judgements"] = kept["judgements"].join(
            targets, on="target_id", how="semi", maintain_order="left"
        )
    return kept


def _emptied(tables: Queries) -> Queries:
    return {name: data.head(0) if name in KEYS else data for name, data in tables.items()}


def _without_texts(data: pl.LazyFrame, plain: Collection[str]) -> pl.LazyFrame:
    def digest(text: str) -> str:
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    names, changed = data.collect_schema().names(), []
    if "attributes" in names:
        changed.append(pl.col("attributes").list.filter(pl.element().struct.field("key").is_in(plain)))
    if TEXT in names:
        changed.append(pl.col(TEXT).map_elements(digest, return_dtype=pl.String))
    return data.with_columns(changed).drop(TEXTS, strict=False).rename({TEXT: DIGEST}, strict=False)
