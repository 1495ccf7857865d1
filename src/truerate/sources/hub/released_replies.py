"""Replies of a published board of WildHallucinations, with their facts and the verifier's verdicts as
published labels.

Read from its tables: `items` (what was asked about), `documents` (what facts were checked against),
`generations`, `facts`, `judgements`. A reply becomes a sample of task `entity`, a fact one of task `fact`
that names its reply: what the track takes as ready-made. Facts without a verdict are left out and their reply is
not whole, so that WildFactScore and Strict come out as they were published; what counts facts counts fewer.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from truerate.core.errors import SourceError, listed
from truerate.core.text import passage_name, passage_of
from truerate.sources.collection import Collection
from truerate.sources.cuts import columns_of, parquet_rows
from truerate.sources.hub.release import Release
from truerate.sources.rows import BadRow, Reason, Row

REPLIES = "replies"  # as a `part`
ENTITY, FACT = "entity", "fact"
GENERATE, HUMAN = "generate", "human"  # the purpose of a reply; who is heard before any verifier
WRITE_FACTS = "write_facts"  # the purpose of a reply that holds the facts of another
MARKS = ("is_duplicate", "is_title")  # what a fact row says of its fact
LOST = ("n_missed", "n_malformed")  # attributes of such a reply: sentences and lines of which no fact came
ITEMS = "items"
TABLES = (ITEMS, "generations", "judgements", "facts")  # without one of these there are no replies
CLASHING = tuple("task group group_id question right_answer lang history document_ids is_shared self".split())


class Tables(NamedTuple):
    """What was read, by published ids: documents and items as noted anew, replies and facts as rows, verdicts
    by judge; and of the replies that somebody took facts out of, whether all came.
    """

    documents: dict[str, str]
    items: dict[str, dict]
    replies: dict[str, Row]
    verdicts: dict[str, dict[str, bool]]
    facts: dict[str, list[Row]]
    written: dict[str, bool]

    @property
    def is_ready(self) -> bool:
        """Whether the replies came with their facts: nobody was asked for any."""
        return not self.written


def is_in(configs: Mapping[Path, str | None]) -> bool:
    """Whether the tables that replies are read from are there."""
    return set(TABLES) <= set(configs.values())


def keep(collection: Collection, configs: Mapping[Path, str | None], release: Release) -> None:
    """Samples of all replies whose facts have verdicts. A reply in which no fact was found abstains; one
    whose facts were never written, or a fact without a readable verdict, is a reject. Raises TruerateError
    where a table is missing or holds no texts.
    """
    missing = [table for table in TABLES if table not in configs.values()]
    if missing:
        there = f"they are read from {listed(TABLES)} together; take `config` away"
        raise SourceError(
            f"source {collection.name!r}: no config {missing[0]!r}, so no replies with verdicts: {there}"
        )
    tables = Tables({}, {}, {}, {}, {}, {})
    for table, note in {
        "documents": _document,
        "items": _item,
        "generations": _reply,
        "judgements": _verdict,
        "facts": _fact,
    }.items():
        for path, config in configs.items():
            if config == table or (config or "").startswith(f"{table}-"):
                _read(
                    collection,
                    path,
                    partial(note, collection, tables, release.licences.get(config)),
                    is_needed=table != "documents",
                )
    judge = _judge(tables)
    for published in sorted(tables.replies):
        _keep_reply(collection, tables, published, judge)


def _read(collection: Collection, path: Path, note: Callable[[Row], None], *, is_needed: bool) -> None:
    file = path.relative_to(collection.folder).as_posix()
    try:
        bare = "text_sha256" in columns_of(path)
    except BadRow as bad:
        raise SourceError(
            f"source {collection.name!r}: {file}: {bad.detail}; put a sound file there"
        ) from None
    if bare and is_needed:
        advice = "rebuild the texts as the data set's rebuild/REBUILD.md says, and read the source that they come from"
        raise SourceError(
            f"source {collection.name!r}: {file}: its rows are ids and labels without texts; {advice}"
        )
    if not bare:
        collection.read(file, parquet_rows, note)


# ---- tables ------------------------------------------------------------------------------------------------
def _document(collection: Collection, tables: Tables, licence: str | None, row: Row) -> None:
    more: dict[str, Any] = {name: row.optional_text(name) for name in ("url", "dated")}
    more |= {
        "lang": row.language(),
        "licence": row.optional_text("licence") or licence or collection.card["licence"],
    }
    more["is_wikipedia"] = row.values.get("is_wikipedia") is True
    tables.documents[row.text("document_id")] = collection.document(
        row.text("text"), title=row.optional_text("title") or "", **more
    )


def _item(collection: Collection, tables: Tables, licence: str | None, row: Row) -> None:
    if row.text("task") != ENTITY:
        return
    pages = [
        tables.documents[name] for name in row.values.get("document_ids") or () if name in tables.documents
    ]
    published = row.text("item_id")
    about = {
        "group_id": row.text("group_id"),
        "lang": row.language(),
        "question": row.text("question"),
        "document_ids": pages,
    }
    tables.items[published] = collection.item(ENTITY, **about, **carried(row) | {"published_id": published})


def _reply(collection: Collection, tables: Tables, licence: str | None, row: Row) -> None:
    if row.text("purpose") == WRITE_FACTS and row.text("status") == "ok":
        attributes = _attributes(row)
        n_lost = sum(int(attributes.get(name) or 0) for name in LOST)
        tables.written[attributes.get("generation", "")] = n_lost == 0
    if (
        row.text("purpose") == GENERATE
        and row.text("status") in ("ok", "abstained")
        and row.optional_text("text")
    ):
        tables.replies[row.text("generation_id")] = row


def _verdict(collection: Collection, tables: Tables, licence: str | None, row: Row) -> None:
    """A verdict on a fact from the batches that make the score, not of single calls or detectors."""
    attributes = _attributes(row)
    if (
        "generation" in attributes
        and "stage" not in attributes
        and isinstance(row.values.get("verdict"), bool)
    ):
        tables.verdicts.setdefault(row.text("target_id"), {})[row.text("judge")] = row.values["verdict"]


def _fact(collection: Collection, tables: Tables, licence: str | None, row: Row) -> None:
    tables.facts.setdefault(row.text("generation_id"), []).append(row)


def carried(row: Row, but: Iterable[str] = ()) -> dict[str, str]:
    """The attributes of an item that its item of now keeps: those that would pass for columns go, and those of `but`."""
    return {key: value for key, value in _attributes(row).items() if key not in (*CLASHING, *but)}


def _attributes(row: Row) -> dict[str, str]:
    return {
        Row(pair, row.number).text("key"): pair.get("value") for pair in row.values.get("attributes") or ()
    }


def _judge(tables: Tables) -> str | None:
    """Whose verdicts count: people's where they were published, else those of the judge who gave most."""
    given = Counter(judge for verdicts in tables.verdicts.values() for judge in verdicts)
    return HUMAN if HUMAN in given else next((judge for judge, _ in given.most_common(1)), None)


# ---- samples -----------------------------------------------------------------------------------------------
def _keep_reply(collection: Collection, tables: Tables, published: str, judge: str | None) -> None:
    """A reply and its facts, in their order."""
    row, facts = tables.replies[published], tables.facts.get(published, [])
    ordered = sorted(facts, key=lambda fact: (fact.integer("sentence_index"), fact.text("fact_id")))
    judged = [
        (fact, is_unsupported)
        for fact in ordered
        if (is_unsupported := tables.verdicts.get(fact.text("fact_id"), {}).get(judge)) is not None
    ]
    item = tables.items.get(row.text("item_id"))
    is_written = bool(facts) or tables.is_ready or published in tables.written
    if bad := _unusable(row, item, n_facts=len(facts), n_judged=len(judged), is_written=is_written):
        collection.reject("generations", bad, target_id=published, text=row.text("text"))
        return
    shared = {"label_source": "published", "generator": row.text("model")}
    is_silent = row.text("status") == "abstained"
    reply = collection.sample(
        item,
        row.text("text"),
        is_hallucinated=any(is_unsupported for _, is_unsupported in judged),
        n_claims=len(judged),
        responds="no" if is_silent else "yes",
        silent_by=row.optional_text("reason") if is_silent else None,
        is_whole=None if len(judged) == len(facts) and tables.written.get(published, True) else "false",
        published_id=published,
        judge=judge,
        **shared,
    )
    for index, (fact, is_unsupported) in enumerate(judged):
        about = {
            "generation": reply["sample_id"],
            "place": index,
            "label": "unsupported" if is_unsupported else "supported",
            "judge": judge,
        }
        about |= {"evidence": _evidence(tables, fact) or None, "published_id": fact.text("fact_id")}
        about |= {name: str(fact.values.get(name) is True).lower() for name in MARKS}
        collection.sample(
            item, fact.text("text"), task=FACT, is_hallucinated=is_unsupported, **shared, **about
        )
    for fact in ordered:
        if fact not in [judged_fact for judged_fact, _ in judged]:
            bad = BadRow(Reason.UNLABELLED, "no verdict on it could be read")
            collection.reject("facts", bad, target_id=fact.text("fact_id"), text=fact.text("text"))


def _unusable(row: Row, item: object, *, n_facts: int, n_judged: int, is_written: bool) -> BadRow | None:
    """Why a reply is no sample: its item is absent, or nothing says whether it is hallucinated."""
    if item is None:
        return BadRow(Reason.UNRESOLVED, f"its item {row.text('item_id')!r} is not among the entities")
    if not n_judged and (n_facts or row.text("status") == "ok" and not is_written):
        return BadRow(
            Reason.UNLABELLED, "no verdict on its facts" if n_facts else "no fact was written of it"
        )
    return None


def _evidence(tables: Tables, fact: Row) -> str:
    """The passages that a fact was checked against, by present document ids; pages without text are dropped."""
    passages = [passage for name in fact.values.get("evidence") or () if (passage := passage_of(name))]
    return " ".join(
        passage_name(tables.documents[name], start, end)
        for name, start, end in passages
        if name in tables.documents
    )
