"""What a reader gathers from a source: rows of its tables, and the account of what was not kept."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

from truerate.core import keys
from truerate.core.errors import SourceError
from truerate.core.schemas import (
    Item,
    Judgement,
    Reject,
    Sample,
    frame,
    judgement_row,
    pairs,
    reject_row,
    sample_row,
    validate,
)
from truerate.core.text import clean
from truerate.sources.cards import CARD_FIELDS, TOLD_FIELDS, card_in, own_card, published_card
from truerate.sources.cuts import SUFFIX, Cut, named, parquet_rows
from truerate.sources.hub.files import WORDS
from truerate.sources.rows import UNSUITABLE, BadRow, Reason, Row
from truerate.sources.tables import Documents, SourceTables

N_SHOWN = 300
# what a published split is here: only `test` is kept from learning
SIDES = {"train": "train", "validation": "train", "test": "test"}


class Collection:
    """Rows on their way from files to tables. `name` is the source's name in params; `on_bad_row` is `stop`
    or `reject`; `is_own`: the files themselves say what stands on the card.
    """

    def __init__(self, folder: Path, *, name: str, on_bad_row: str, card: dict, is_own: bool = False):
        self.folder, self.name, self.on_bad_row = folder, name, on_bad_row
        given = card_in(folder, name)
        self.card = {**card, **given}
        self.own_rights = None if is_own else own_card(name, given)
        self.documents = Documents()
        self.items: dict[str, dict] = {}
        self.samples: dict[str, dict] = {}
        self.judgements: dict[str, dict] = {}
        self.rejects: list[dict] = []
        self.files: list[dict] = []
        self.brought: dict[str, set[str]] = {}  # group → the splits that its samples were published in
        self.counts: Counter[str] = Counter()
        self._digests: dict[str, str] = {}  # of the row that was read under each of the publishers' ids

    # ---- files ---------------------------------------------------------------------------------------------
    def has(self, file: str) -> bool:
        """Return whether a file is there, or Parquet files of its name that hold its rows: `read` takes
        either.
        """
        return bool(named(self.folder, file))

    def present(self, *files: str) -> list[str]:
        """Those of the files that are there."""
        return [file for file in files if self.has(file)]

    def refuse_none(self, present: object, missing: str, *looked_for: str) -> None:
        """Raise SourceError, which begins with what is `missing`, where nothing is present."""
        if not present:
            where = f"source {self.name!r}: {missing} in {str(self.folder)!r}"
            raise SourceError(f"{where}; looked for: {', '.join(looked_for)}")

    def read(
        self,
        file: str,
        cut: Callable[..., Cut],
        keep: Callable[[Row], None],
        *,
        may_be_empty: bool = False,
        in_parts: bool = False,
    ) -> None:
        """Hand every row of a file to `keep`; what raises BadRow is booked. A file that cannot be cut ends
        the run, as does one without a row unless it `may_be_empty`. `in_parts`: `cut` is given the path, as
        of Parquet, not the bytes.

        Where it is not there, its rows are read from Parquet files of its name, else from those that the
        folder holds.
        """
        shards = named(self.folder, file) or sorted(path.name for path in self.folder.glob(f"*{SUFFIX}"))
        for part in shards or [file]:
            content, sha256 = self._content(part, in_parts=in_parts or part.endswith(SUFFIX))
            n_rows = 0
            try:
                for number, make in (cut if part == file else parquet_rows)(content):
                    n_rows += 1
                    self._keep(part, number, make, keep)
            except BadRow as bad:
                problem = f"{part}: {bad.detail}; put a sound file there"
                raise SourceError(f"source {self.name!r}: {problem}") from None
            if not n_rows and not may_be_empty:
                advice = "put a sound file there, or take it away"
                raise SourceError(f"source {self.name!r}: {part}: no row in it; {advice}")
            self.files.append({"file": part, "sha256": sha256, "n_rows": n_rows})

    def fold_files(self, name: str) -> None:
        """Show many files as one on the card: its digest is that of their names and digests."""
        lines = "".join(f"{file['file']} {file['sha256']}\n" for file in self.files)
        n_rows = sum(file["n_rows"] for file in self.files)
        self.files = [{"file": name, "sha256": hashlib.sha256(lines.encode()).hexdigest(), "n_rows": n_rows}]

    def _content(self, file: str, *, in_parts: bool) -> tuple[bytes | Path, str]:
        """A file's bytes, or its path where it is read in parts; and their SHA-256."""
        path = self.folder / file
        try:
            if in_parts:
                with path.open("rb") as opened:
                    return path, hashlib.file_digest(opened, "sha256").hexdigest()
            raw = path.read_bytes()
            return raw, hashlib.sha256(raw).hexdigest()
        except OSError as error:
            problem = f"reading {str(path)!r}: {error.strerror}"
            advice = "put the file there or correct the source's path"
            raise SourceError(f"source {self.name!r}: {problem}; {advice}") from None

    def _keep(self, file: str, number: int, make: Callable[[], object], keep: Callable[[Row], None]) -> None:
        values: object = ""
        try:
            values = make()
            keep(Row(values, number))
        except BadRow as bad:
            if self.stops(bad):
                where = f"source {self.name!r}: {file} row {number}"
                raise SourceError(f"{where}: {bad.detail}; set on_bad_row: reject to keep going") from None
            self.reject(file, bad, row=number, text=str(values))

    @contextmanager
    def part(self, file: str, row: Row, *, text: str = "", target_id: str | None = None) -> Iterator[None]:
        """Context of one part of a row: a BadRow is booked for it alone, the row's other parts are kept."""
        try:
            yield
        except BadRow as bad:
            if self.stops(bad):
                raise
            self.reject(file, bad, row=row.number, target_id=target_id, text=text)

    def stops(self, bad: BadRow) -> bool:
        """Return whether what was not kept ends the run."""
        return self.on_bad_row == "stop" and bad.reason not in UNSUITABLE

    def reject(
        self, file: str, bad: BadRow, *, row: int | None = None, target_id: str | None = None, text: str = ""
    ) -> None:
        """Book what was not kept, beside what was."""
        shown = {"detail": clean(bad.detail)[:N_SHOWN], "text": clean(text)[:N_SHOWN]}
        where = {"where": file, "row": row, "target_id": target_id}
        self.rejects.append(reject_row(**where, reason=bad.reason.value, **shown))

    # ---- rows ----------------------------------------------------------------------------------------------
    @property
    def lang(self) -> str:
        """The language of the source's texts (ISO 639-1)."""
        return self.card.get("lang") or "en"

    def once(self, what: str, *identity: object, row: Row) -> None:
        """Note the row under an id of the publishers, once its fields are read, so that a bad row takes no
        id.

        Raises BadRow where the id was read before: `duplicate` where that row said the same, else `conflict`.
        """
        key = keys.content_id(what, *identity)
        content = keys.content_id(json.dumps(row.values, sort_keys=True, default=str))
        if before := self._digests.get(key):
            is_same = before == content
            problem = f"{what} {' '.join(map(str, identity))[:80]!r} was already read"
            reason = Reason.DUPLICATE if is_same else Reason.CONFLICT
            raise BadRow(reason, f"{problem}, with {'the same' if is_same else 'other'} fields")
        self._digests[key] = content

    def once_said(self, what: str, row: Row, *, but: tuple[str, ...]) -> None:
        """Note what a row says where the publishers give it no id, once its fields are read.

        Raises BadRow (`duplicate`) where an earlier row said the same in all fields `but` those of its place.
        """
        content = {key: value for key, value in row.values.items() if key not in but}
        key = keys.content_id(what, json.dumps(content, sort_keys=True, default=str))
        if key in self._digests:
            raise BadRow(Reason.DUPLICATE, f"{what} was already read, with the same fields")
        self._digests[key] = key

    def document(self, text: str, *, title: str = "", **more) -> str:
        """Add a reference text; return its id. Equal texts are one. `more`: columns that differ from the
        card.
        """
        document_id = keys.content_id(self.name, text)
        columns = {
            "document_id": document_id,
            "lang": self.lang,
            "title": title,
            "text": text,
            "url": None,
            "source": self.name,
            "licence": self.card["licence"],
            "dated": None,
            "is_wikipedia": bool(self.card.get("is_wikipedia")),
        }
        self.documents.add(columns | more)
        return document_id

    def item(
        self, task: str, *, group: tuple = (), question: str = "", right_answer: str | None = None, **more
    ) -> dict:
        """Note one thing to ask about; return its row.

        `group` names what must not be split, `group_id` is the id that it was published under; `more` are
        `document_ids`, `history`, `lang`, and attributes. The same question with the same right answer and
        knowledge is one item: a duplicate, unless `is_shared` (several files hold texts about one item).
        """
        is_shared, group_id = more.pop("is_shared", False), more.pop("group_id", None)
        row = {
            "source": self.name,
            "task": task,
            "lang": more.pop("lang", None) or self.lang,
            "group_id": group_id or keys.content_id(self.name, *group),
            "document_ids": more.pop("document_ids", []),
            "history": more.pop("history", ""),
            "question": question,
            "right_answer": right_answer,
        }
        identity = keys.content_id(*row.values())
        if identity in self.items and not is_shared:
            raise BadRow(Reason.DUPLICATE, f"the same item was already read as {identity}")
        return self.items.setdefault(identity, {"item_id": identity, **row, "attributes": pairs(**more)})

    def entity(self, item_id: str, name: str, *, document_ids: Sequence[str] = (), **more) -> None:
        """Add an entity to ask about under the reader's id; `more` are its attributes beside `name`."""
        self.items[item_id] = {
            "item_id": item_id,
            "source": self.name,
            "task": "entity",
            "lang": self.lang,
            "group_id": item_id,
            "document_ids": list(document_ids),
            "history": "",
            "question": name,
            "right_answer": None,
            "attributes": pairs(name=name, **more),
        }

    def sample(self, item: dict, text: str, *, is_hallucinated: bool, label_source: str, **more) -> dict:
        """Note a labelled text of an item. `more` are the other columns (`task`: its item's unless named),
        the rest attributes; `published_split` (`side_of`) wins over the split that the group's id would be
        hashed to.
        """
        task = more.pop("task", item["task"])
        columns = {name: more.pop(name, None) for name in ("pair_id", "generator", "pattern", "rationale")}
        spans, attributes = list(more.pop("spans", [])), pairs(**more)
        whose = (item["item_id"], text, columns["generator"], columns["pair_id"], attributes)
        identity = keys.content_id(*whose)
        if before := self.samples.get(identity):
            content = {"is_hallucinated": is_hallucinated, "spans": spans, "rationale": columns["rationale"]}
            problem = f"the same text was already read as sample {identity}"
            if all(before[name] == value for name, value in content.items()):
                raise BadRow(Reason.DUPLICATE, problem)
            raise BadRow(Reason.CONTRADICTION, f"{problem}, labelled otherwise")
        side = side_of(more.get("published_split"))
        if side:
            self.brought.setdefault(item["group_id"], set()).add(side)
        self.samples[identity] = sample_row(
            sample_id=identity,
            item_id=item["item_id"],
            group_id=item["group_id"],
            task=task,
            lang=item["lang"],
            text=text,
            is_hallucinated=is_hallucinated,
            label_source=label_source,
            **columns,
            spans=spans,
            split=side or keys.split_of(item["group_id"], item["task"]),
            attributes=attributes,
        )
        return self.samples[identity]

    def reply(
        self,
        item: dict,
        text: str,
        facts: Iterable[tuple[str, bool, dict]],
        *,
        generator: str,
        is_hallucinated: bool | None = None,
        **more,
    ) -> list[dict]:
        """Note a published reply and its facts (text, whether it is hallucinated, attributes), each a sample
        of task `fact` that names it; return these. The reply is hallucinated where a fact is, unless stated.
        """
        facts, published = list(facts), {"label_source": "published", "generator": generator}
        is_wrong = any(wrong for _, wrong, _ in facts) if is_hallucinated is None else is_hallucinated
        reply = self.sample(item, text, is_hallucinated=is_wrong, n_claims=len(facts), **published, **more)
        about = {"task": "fact", "generation": reply["sample_id"], **published}
        return [
            self.sample(item, fact, is_hallucinated=wrong, place=index, **about, **attributes)
            for index, (fact, wrong, attributes) in enumerate(facts)
        ]

    def judgement(
        self, target_id: str, judge: str, verdict: bool | None, *, key: tuple = (), **columns
    ) -> None:
        """Add a published judgement on a text: hallucinated or not. `key`: what else its id is made of."""
        identity = keys.content_id(target_id, judge, *key)
        named = {"judgement_id": identity, "judge": judge, "judge_version": "published"}
        self.judgements[identity] = judgement_row(**named, target_id=target_id, verdict=verdict, **columns)

    def tables(self) -> SourceTables:
        """The tables, validated, and the card with the counts."""
        follow(self.brought, self.samples.values())
        if both := sum(len(sides) > 1 for sides in self.brought.values()):
            # parted by whoever published them; their splits stand as they are
            self.counts["n_groups_in_both_splits"] = both
        rows_by_table = {
            "items": (Item, self.items.values()),
            "samples": (Sample, self.samples.values()),
            "judgements": (Judgement, self.judgements.values()),
            "rejects": (Reject, self.rejects),
        }
        frames = {
            table: validate(model, frame(model, list(rows)), where=f"source {self.name!r}: {table}")
            for table, (model, rows) in rows_by_table.items()
        }
        counts = {f"n_{table}": data.height for table, data in frames.items()}
        counts = {"n_documents": len(self.documents)} | counts | self.counts
        card = {
            **{field: self.card.get(field) for field in CARD_FIELDS},
            **{field: self.card[field] for field in TOLD_FIELDS if self.card.get(field)},
            "files": self.files,
            "counts": dict(sorted(counts.items())),
        }
        documents = self.documents.table(where=f"source {self.name!r}: documents")
        more = {"kept_open": self.documents, "own_rights": self.own_rights}
        return SourceTables(documents=documents, **frames, card=card, **more)


def reads(
    reader: str | dict,
    *,
    parts: Sequence[str] = (),
    unproven: Mapping[str, Sequence[str]] | None = None,
    **changes,
) -> Callable[[Callable[..., None]], Callable[..., SourceTables]]:
    """Return a decorator that makes a reader, `read(folder, *, name, on_bad_row, …)`, of `fill(collection,
    …)`, which fills a collection under the card of a set: that of cards.yaml, or a card itself.

    `parts` are those that a source may name, `unproven` what was read on made-up files alone, by folder.
    """
    card = (published_card(reader) if isinstance(reader, str) else reader) | changes

    def decorated(fill: Callable[..., None]) -> Callable[..., SourceTables]:
        @wraps(fill)
        def read(folder: Path, *, name: str, on_bad_row: str, **options) -> SourceTables:
            collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=card)
            fill(collection, **options)
            return collection.tables()

        vars(read).update(card=card, parts=parts, unproven=unproven or {})
        return read

    return decorated


# ---- splits that a set was published with: `test` holds what was published as such and no more -------------
def side_of(published: object) -> str | None:
    """The split that a published one is here, whatever its publisher calls it; None for what is none."""
    return SIDES.get(WORDS.get(str(published).lower(), ""))


def follow(brought: dict[str, set[str]], samples: Iterable[dict]) -> None:
    """Give samples without a published split that of their group; `test` if it was published in both."""
    for sample in samples:
        sides = brought.get(sample["group_id"])
        if sides and sample["split"] not in sides:
            sample["split"] = "test" if "test" in sides else "train"
