"""What people are given: facts to label, verdicts to review, whole replies, entities to check
(WildHallucinations section 4.3 and appendix).

Facts are drawn from strata of subject × verdict, so that rare verdicts are seen, too; `weight` is the number
of facts that a drawn one stands for. The draw goes by each row's name: labels that came stay of use when
facts are added.
"""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

import polars as pl

from truerate.core.keys import content_id, draw
from truerate.core.schemas import pair
from truerate.core.text import passage_of
from truerate.llm.retrieved import read
from truerate.tracks.wildhallucinations.replies import verdicts_of

FACT, REVIEW, ENTITY, REPLY = "fact", "review", "entity", "reply"
BEGINNING = 400  # characters of a page that are shown to whoever checks an entity
Rows = pl.DataFrame | pl.LazyFrame  # of facts, replies and pages those that a task shows are read


def annotation_tasks(
    items: pl.DataFrame,
    facts: Rows,
    judgements: pl.DataFrame,
    documents: Rows,
    *,
    verifier: str | None,
    n_labelled: int,
    n_reviewed: int,
    n_checked: int,
    seed: int,
    generations: Rows | None = None,
) -> list[dict]:
    """Return `n_labelled` facts per subject, `n_reviewed` verdicts and `n_checked` entities in all as tasks,
    by `task_id`.

    Each has `task_id`, `kind`, `fact_id`, `item_id`, `text`, `subject`, `entity`, `passages`, `verdict`
    (supported, unsupported) and `weight`; what a kind does not have is null. Facts without a verdict are in
    no stratum. The verdict is not to be shown to those who label facts. A review of a fact whose model told
    in `generations` what it was given by its own search or tools has that too: `retrieved`, per result one
    text of its address, title and text.
    """
    verdicts = verdicts_of(facts.lazy().select("fact_id", "subject").collect(), judgements, verifier)
    of_subject = dict(sorted(_by_subject(verdicts.drop_nulls("is_supported").sort("fact_id")).items()))
    shares = dealt([rows.height for rows in of_subject.values()], n_reviewed)
    drawn: list[tuple[str, dict]] = []
    for kind, sizes in ((FACT, [n_labelled] * len(of_subject)), (REVIEW, shares)):
        for rows, size in zip(of_subject.values(), sizes, strict=True):
            drawn += [(kind, row) for row in stratified(rows, size, seed, kind)]
    fact_of = {row["fact_id"]: row for row in _of(facts, "fact_id", (row["fact_id"] for _, row in drawn))}
    reviewed = {fact_of[row["fact_id"]]["generation_id"] for kind, row in drawn if kind == REVIEW}
    retrieved = {} if generations is None else _retrieved(generations, reviewed)
    names = dict(items.select("item_id", "question").iter_rows())
    texts = cited_texts((fact["evidence"] for fact in fact_of.values()), documents)
    tasks = []
    for kind, row in drawn:
        fact = fact_of[row["fact_id"]]
        shown = {column: fact[column] for column in ("fact_id", "item_id", "text", "subject")}
        shown |= {"entity": names.get(fact["item_id"]), "passages": passages_of(fact["evidence"], texts)}
        task = _task(kind, row["fact_id"], shown, row["is_supported"], row["weight"])
        given = retrieved.get(fact["generation_id"]) if kind == REVIEW else None
        tasks.append(task | ({"retrieved": given} if given else {}))
    tasks += _entity_tasks(items, documents, n_checked, seed)
    return sorted(tasks, key=lambda task: task["task_id"])


def _task(kind: str, name: str, shown: dict, is_supported: bool | None, weight: float) -> dict:
    """One task about what has this name; `is_supported`: by the verifier, None of an entity."""
    verdict = None if is_supported is None else "supported" if is_supported else "unsupported"
    named = {"task_id": content_id("task", kind, name), "kind": kind}
    return named | shown | {"verdict": verdict, "weight": weight}


def _by_subject(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {str(subject): part for (subject,), part in rows.group_by("subject", maintain_order=True)}


def stratified(facts: pl.DataFrame, n: int, seed: int, purpose: str) -> list[dict]:
    """Return `n` of the facts, half of either verdict if there are enough, each with its `weight`."""
    parts, rows = [facts.filter(~pl.col("is_supported")), facts.filter("is_supported")], []
    for part, size in zip(parts, dealt([part.height for part in parts], n), strict=True):
        names = nsmallest(size, part["fact_id"], key=lambda name: (draw(seed, purpose, name), name))
        row_of = {row["fact_id"]: row for row in part.filter(pl.col("fact_id").is_in(names)).to_dicts()}
        rows += [{**row_of[name], "weight": part.height / size} for name in names]
    return rows


def dealt(sizes: Sequence[int], n: int) -> list[int]:
    """Return how `n` are dealt to groups of these sizes: evenly, small groups whole, earlier groups first."""
    remaining, shares = n, [0] * len(sizes)
    for n_done, group in enumerate(sorted(range(len(sizes)), key=lambda index: (sizes[index], index))):
        shares[group] = min(sizes[group], -(-remaining // (len(sizes) - n_done)))
        remaining -= shares[group]
    return shares


def _retrieved(generations: Rows, names: Iterable[str]) -> dict[str, list[str]]:
    """Return what the models of some replies were given, one text a result, by reply."""
    rows = _of(generations, "generation_id", names, "generation_id", pair("attributes", "retrieved"))
    return {
        row["generation_id"]: ["\n".join(part for part in result.values() if part) for result in results]
        for row in reversed(rows)
        if row["retrieved"] is not None and (results := read(row["retrieved"]))
    }


def _entity_tasks(items: pl.DataFrame, documents: Rows, n: int, seed: int) -> list[dict]:
    """Return `n` entities with the beginnings of their pages, and how many each stands for."""
    entities = items.filter(pl.col("task") == "entity").to_dicts()
    drawn = nsmallest(n, entities, key=lambda row: (draw(seed, ENTITY, row["item_id"]), row["item_id"]))
    named = {name for row in drawn for name in row["document_ids"]}
    pages = _of(documents, "document_id", named, "document_id", "title", pl.col("text").str.head(BEGINNING))
    shown = {page["document_id"]: f"{page['title']}\n{page['text']}" for page in pages}
    tasks = []
    for row in drawn:
        of_row = {"fact_id": None, "item_id": row["item_id"], "text": row["question"], "subject": None}
        passages = [shown[name] for name in row["document_ids"] if name in shown]
        of_row |= {"entity": row["question"], "passages": passages}
        tasks.append(_task(ENTITY, row["item_id"], of_row, None, len(entities) / len(drawn)))
    return tasks


def reply_tasks(
    replies: pl.DataFrame, facts: Rows, items: pl.DataFrame, documents: Rows, *, n_replies: int, seed: int
) -> list[dict]:
    """Return `n_replies` whole replies of each subject as tasks in the form of `annotation_tasks`, with
    `generation_id`: `text` holds a reply's facts, one a line, `passages` those of all of them, and the
    verdict is supported where each fact is.

    `replies`: of `replies.readable_replies`; drawn are those that respond and can be read.
    """
    readable, drawn = replies.filter("is_responding").drop_nulls("strict"), []
    for _, rows in sorted(_by_subject(readable).items()):
        order = lambda row: (draw(seed, REPLY, row["generation_id"]), row["generation_id"])  # noqa: E731
        first = nsmallest(n_replies, rows.iter_rows(named=True), key=order)
        drawn += [row | {"weight": rows.height / len(first)} for row in first]
    columns = ("generation_id", "fact_id", "sentence_index", "text", "evidence")
    facts_of: dict[str, list[dict]] = {}
    of_drawn = _of(facts, "generation_id", (row["generation_id"] for row in drawn), *columns)
    for fact in sorted(of_drawn, key=lambda fact: (fact["sentence_index"], fact["fact_id"])):
        facts_of.setdefault(fact["generation_id"], []).append(fact)
    names = dict(items.select("item_id", "question").iter_rows())
    texts = cited_texts((fact["evidence"] for fact in of_drawn), documents)
    tasks = []
    for row in drawn:
        name, facts_of_reply = row["generation_id"], facts_of[row["generation_id"]]
        cited = dict.fromkeys(passage for fact in facts_of_reply for passage in fact["evidence"])
        shown = {"fact_id": None, "generation_id": name, "item_id": row["entity"]}
        shown["text"] = "\n".join(fact["text"] for fact in facts_of_reply)
        shown |= {"subject": row["subject"], "entity": names.get(row["entity"])}
        shown["passages"] = passages_of(list(cited), texts)
        tasks.append(_task(REPLY, name, shown, bool(row["strict"]), row["weight"]))
    return tasks


def _of(rows: Rows, column: str, names: Iterable[str], *columns: str | pl.Expr) -> list[dict]:
    """The rows whose `column` is one of some names, of these the columns that are named, else all."""
    selected = rows.lazy().filter(pl.col(column).is_in(sorted(set(names))))
    return (selected.select(*columns) if columns else selected).collect().to_dicts()


def cited_texts(evidence: Iterable[Sequence[str]], documents: Rows) -> dict[str, str]:
    """Return the texts of the documents of which passages are named, by id; the others are not read."""
    named = {passage[0] for names in evidence for name in names if (passage := passage_of(name))}
    rows = _of(documents, "document_id", named, "document_id", "text")
    return {row["document_id"]: row["text"] for row in rows}


def passages_of(evidence: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """Return the texts of passages by their names; of a document that is not known nothing."""
    named = (passage for name in evidence if (passage := passage_of(name)))
    return [texts[document][start:end] for document, start, end in named if document in texts]
