"""Replies of a published board of WildHallucinations, with their facts and the verifier's verdicts as
published labels.

Read from its tables `items`, `documents`, `generations`, `facts` and `judgements`. A reply becomes a sample
of task `entity`, a fact one of task `fact` that names its reply. Facts without a verdict are left out and
their reply is not whole, so that WildFactScore and Strict come out as they were published; what counts facts
counts fewer.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from truerate.core.errors import SourceError, listed
from truerate.core.text import passage_name, passage_of
from truerate.sources.collection import Collection
from truerate.sources.cuts import parquet_rows
from truerate.sources.hub.files import Release, checked_columns
from truerate.sources.rows import BadRow, Reason, Row

REPLIES = "replies"  # as a `part`
ENTITY, FACT = "entity", "fact"
GENERATE, HUMAN = "generate", "human"  # the purpose of a reply; whose verdicts go before any verifier's
WRITE_FACTS = "write_facts"  # the purpose of a reply that holds the facts of another
MARKS = ("is_duplicate", "is_title")  # what a fact row says of its fact
LOST = ("n_missed", "n_malformed")  # attributes of such a reply: sentences and lines of which no fact came
ITEMS = "items"
PART, REASKED = (
    "first_sentence",
    "reasked",
)  # of one about a part of it; of one that another to the same stands for
TABLES = (ITEMS, "generations", "judgements", "facts")  # without one of these there are no replies
CLASHING = "task group group_id question right_answer lang history document_ids is_shared self".split()
Configs = Mapping[Path, str | None]


def is_in(configs: Configs) -> bool:
    """Return whether the tables that replies are read from are there."""
    return set(TABLES) <= set(configs.values())


def carried(row: Row, but: Iterable[str] = ()) -> dict[str, str]:
    """The attributes of an item but those that would pass for columns, and those of `but`."""
    return {key: value for key, value in row.attributes().items() if key not in (*CLASHING, *but)}


def keep(collection: Collection, configs: Configs, release: Release) -> None:
    """Keep all replies whose facts have verdicts. A reply without a fact abstains; one whose facts were never
    written, or a fact without a readable verdict, is a reject. Raises TruerateError where a table is missing
    or has no texts.
    """
    if missing := [table for table in TABLES if table not in configs.values()]:
        there = f"they are read from {listed(TABLES)} together; take `config` away"
        problem = f"no config {missing[0]!r}, so no replies with verdicts"
        raise SourceError(f"source {collection.name!r}: {problem}: {there}")
    tables = Tables(collection, release)
    for table in ("documents", "items", "generations", "judgements", "facts"):
        for path, config in configs.items():
            if f"{config}-".startswith(f"{table}-"):
                tables.read(path, table, config or "")
    judge = tables.judge()
    for published in sorted(tables.replies):
        tables.keep_reply(published, judge)


class Tables:
    """What was read, by published ids: new documents and items, rows of replies and facts, verdicts by judge,
    and of replies with written facts whether all came (`written`).
    """

    def __init__(self, collection: Collection, release: Release) -> None:
        self.collection, self.release = collection, release
        self.documents: dict[str, str] = {}
        self.items: dict[str, dict] = {}
        self.replies: dict[str, Row] = {}
        self.verdicts: dict[str, dict[str, bool]] = defaultdict(dict)
        self.facts: dict[str, list[Row]] = defaultdict(list)
        self.written: dict[str, bool] = {}

    def read(self, path: Path, table: str, config: str) -> None:
        """Read a file of a table; documents without texts are left out."""
        file = path.relative_to(self.collection.folder).as_posix()
        where = f"source {self.collection.name!r}: {file}"
        columns = checked_columns(path, where, may_be_bare=table == "documents")
        self.licence = self.release.licences.get(config) or self.collection.card["licence"]
        if "text_sha256" not in columns:
            notes = {
                "documents": self._document,
                "items": self._item,
                "generations": self._reply,
                "judgements": self._verdict,
                "facts": self._fact,
            }
            self.collection.read(file, parquet_rows, notes[table])

    def _document(self, row: Row) -> None:
        more = {name: row.optional_text(name) for name in ("url", "dated")}
        more |= {"lang": row.language(), "licence": row.optional_text("licence") or self.licence}
        more |= {"title": row.optional_text("title") or ""}
        is_wikipedia = row.values.get("is_wikipedia") is True
        document = self.collection.document(row.text("text"), is_wikipedia=is_wikipedia, **more)
        self.documents[row.text("document_id")] = document

    def _item(self, row: Row) -> None:
        if row.text("task") == ENTITY:
            named, published = row.values.get("document_ids") or (), row.text("item_id")
            about = {"group_id": row.text("group_id"), "lang": row.language()}
            about |= {"question": row.text("question")}
            documents = [self.documents[name] for name in named if name in self.documents]
            more = carried(row) | {"published_id": published}
            self.items[published] = self.collection.item(ENTITY, document_ids=documents, **about, **more)

    def _reply(self, row: Row) -> None:
        purpose, status = row.text("purpose"), row.text("status")
        if purpose == WRITE_FACTS and (status == "ok" or PART in row.attributes()):
            attributes = row.attributes()
            reply, n_lost = (
                attributes.get("generation", ""),
                sum(int(attributes.get(name) or 0) for name in LOST),
            )
            if PART not in attributes:
                self.written[reply] = n_lost == 0
            elif REASKED not in attributes:  # whole where every part is
                self.written[reply] = self.written.get(reply, True) and status == "ok" and n_lost == 0
        if purpose == GENERATE and status in ("ok", "abstained") and row.optional_text("text"):
            self.replies[row.text("generation_id")] = row

    def _verdict(self, row: Row) -> None:
        """A verdict on a fact from the batches that make the score, not of single calls or detectors."""
        attributes, verdict = row.attributes(), row.values.get("verdict")
        if "generation" in attributes and "stage" not in attributes and isinstance(verdict, bool):
            self.verdicts[row.text("target_id")][row.text("judge")] = verdict

    def _fact(self, row: Row) -> None:
        self.facts[row.text("generation_id")].append(row)

    def judge(self) -> str | None:
        """Whose verdicts count: people's where they were published, else those of the judge who gave most."""
        given = Counter(judge for verdicts in self.verdicts.values() for judge in verdicts)
        return HUMAN if HUMAN in given else next((judge for judge, _ in given.most_common(1)), None)

    def keep_reply(self, published: str, judge: str | None) -> None:
        """Keep a reply and its facts, in their order."""
        row, is_written = self.replies[published], self.written.get(published, True)
        text, item = row.text("text"), self.items.get(row.text("item_id"))
        is_silent, facts = row.text("status") == "abstained", list(self.facts.get(published, []))
        facts.sort(key=lambda fact: (fact.integer("sentence_index"), fact.text("fact_id")))
        verdicts = [self.verdicts.get(fact.text("fact_id"), {}).get(judge or "") for fact in facts]
        judged = [each for each in zip(facts, verdicts, strict=True) if each[1] is not None]
        # without any word on who wrote facts the replies came with them: nobody was asked for any
        has_facts = bool(facts) or not self.written or published in self.written
        bad = None
        if item is None:
            bad = BadRow(Reason.UNRESOLVED, f"its item {row.text('item_id')!r} is not among the entities")
        elif not judged and (facts or not is_silent and not has_facts):
            problem = "no verdict on its facts" if facts else "no fact was written of it"
            bad = BadRow(Reason.UNLABELLED, problem)
        if bad or item is None:
            self.collection.reject("generations", bad, target_id=published, text=text)
            return
        self.collection.reply(
            item,
            text,
            [(fact.text("text"), verdict, self._about(fact, verdict, judge)) for fact, verdict in judged],
            generator=row.text("model"),
            responds="no" if is_silent else "yes",
            silent_by=row.optional_text("reason") if is_silent else None,
            is_whole=None if len(judged) == len(facts) and is_written else "false",
            published_id=published,
            judge=judge,
        )
        for fact, verdict in zip(facts, verdicts, strict=True):
            if verdict is None:
                bad = BadRow(Reason.UNLABELLED, "no verdict on it could be read")
                self.collection.reject("facts", bad, target_id=fact.text("fact_id"), text=fact.text("text"))

    def _about(self, fact: Row, is_unsupported: bool, judge: str | None) -> dict:
        """The attributes of a fact; its evidence by present document ids, pages without text dropped."""
        passages = [passage for name in fact.values.get("evidence") or () if (passage := passage_of(name))]
        passages_kept = [
            (self.documents[name], *bounds) for name, *bounds in passages if name in self.documents
        ]
        return {
            "label": "unsupported" if is_unsupported else "supported",
            "judge": judge,
            "evidence": " ".join(passage_name(*passage) for passage in passages_kept) or None,
            "published_id": fact.text("fact_id"),
            **{name: str(fact.values.get(name) is True).lower() for name in MARKS},
        }
