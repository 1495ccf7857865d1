"""Web evidence: what became of the pages that a search found, the documents of each entity, and how much
there is of it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Document, Reject, frame, generation_row, pairs, reject_row
from truerate.core.text import words
from truerate.llm.generation import facts
from truerate.web.hosts import is_wikipedia
from truerate.web.outcomes import Outcome, Text

WHERE = "evidence"
SOURCE, NO_LICENCE = "web", "not stated"
NO_PAGE = "no-page"


@dataclass(frozen=True, slots=True)
class Read:
    """One result of a search with what was read of its page; `final_url` is where redirects ended."""

    url: str
    final_url: str
    title: str
    text: Text


@dataclass(slots=True)
class Gathered:
    """The pages of one entity: Document rows in the order of the results, and Reject rows of the results that
    gave none.
    """

    documents: list[dict] = field(default_factory=list)
    rejects: list[dict] = field(default_factory=list)


def gathered(item_id: str, found: Iterable[Read]) -> Gathered:
    """The documents of an entity. A text that an earlier result of it has already given is a duplicate."""
    made, seen = Gathered(), set()
    for read in found:
        text = read.text
        if text.outcome is not Outcome.OK:
            made.rejects.append(
                rejected(item_id, text.outcome, f"{read.url}: {text.detail}" if text.detail else read.url)
            )
            continue
        plain = " ".join(text.text.casefold().split())
        if plain in seen:
            made.rejects.append(rejected(item_id, Outcome.DUPLICATE, read.url))
            continue
        seen.add(plain)
        made.documents.append(document(read))
    return made


def document(read: Read) -> dict:
    """The Document row of a page. Its id is of address and text, so that a page of two entities is one document."""
    return {
        "document_id": content_id("web", read.final_url, read.text.text),
        "lang": "en",
        "title": read.text.title or read.title,
        "text": read.text.text,
        "url": read.final_url,
        "source": SOURCE,
        "licence": read.text.licence or NO_LICENCE,
        "dated": read.text.dated,
        "is_wikipedia": is_wikipedia(read.final_url),
    }


def rejected(item_id: str, reason: str, detail: str, text: str = "") -> dict:
    """The Reject row of a page, or of an entity."""
    return reject_row(where=WHERE, target_id=item_id, reason=str(reason), detail=detail, text=text)


def searched_row(item: dict, made: Gathered, *, n_results: int, prompt_key: str, params: str) -> dict:
    """The Generation row (purpose `search`) of an entity: the addresses of its documents, one per line.

    Attributes: its `name`, the ids of its `documents`, `n_results` of the search, `n_words` of all its pages: whoever
    counts them later needs no page.
    """
    ids = [row["document_id"] for row in made.documents]
    n_words = sum(len(words(row["text"])) for row in made.documents)
    return generation_row(
        generation_id=content_id("search", item["item_id"], prompt_key, ids),
        item_id=item["item_id"],
        purpose="search",
        model="web",
        params=params,
        text="\n".join(row["url"] for row in made.documents),
        prompt_key=prompt_key,
        attributes=pairs(
            name=item["question"], documents=" ".join(ids), n_results=n_results, n_words=n_words
        ),
    )


def documents_frame(rows: Sequence[dict]) -> pl.DataFrame:
    """Documents as a frame, each once, by id."""
    return frame(Document, list({row["document_id"]: row for row in rows}.values())).sort("document_id")


def rejects_frame(rows: Sequence[dict]) -> pl.DataFrame:
    """Rejects as a frame in a fixed order."""
    return frame(Reject, list(rows)).sort("target_id", "detail", "reason")


def with_evidence(
    items: Sequence[dict], searched: pl.DataFrame, documents: pl.DataFrame
) -> tuple[list[dict], list[dict]]:
    """Item rows of entities with their documents, and Reject rows (`no-page`) of those without a page.

    `searched` are the `search` rows; an entity that has documents of its own keeps those. Sets `document_ids`
    and the attribute `is_wikipedia`: what the source says of it (attribute `wiki`), else whether any page is of Wikipedia.
    """
    wikipedia = dict(documents.select("document_id", "is_wikipedia").iter_rows())
    found = dict(_found(searched))
    kept, rejects = [], []
    for item in items:
        ids = [name for name in item["document_ids"] or found.get(item["item_id"], []) if name in wikipedia]
        if not ids:
            rejects.append(rejected(item["item_id"], NO_PAGE, "no page was found or kept", item["question"]))
            continue
        known = facts(item)
        by_pages = str(any(wikipedia[name] for name in ids)).lower()
        told = known | {"is_wikipedia": known.get("wiki", by_pages).lower()}
        kept.append({**item, "document_ids": ids, "attributes": pairs(**told)})
    return kept, rejects


def amounts(searched: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """How much evidence each entity has: `item_id`, `n_pages`, `n_words` (of all its pages), `is_wikipedia`
    (any page).

    One row per `search` row, which tells the words (`searched_row`); of `documents` ids and `is_wikipedia` are read.
    An entity without a page counts with 0 pages and 0 words.
    For the metrics pages_per_entity, words_per_entity and wikipedia_rate.
    """
    wikipedia = dict(documents.select("document_id", "is_wikipedia").iter_rows())
    counted = []
    for row in searched.iter_rows(named=True):
        told = facts(row)
        of_wikipedia = [wikipedia[name] for name in told.get("documents", "").split() if name in wikipedia]
        counted.append((row["item_id"], len(of_wikipedia), int(told.get("n_words", 0)), any(of_wikipedia)))
    columns = {"item_id": pl.String, "n_pages": pl.Int64, "n_words": pl.Int64, "is_wikipedia": pl.Boolean}
    return pl.DataFrame(counted, schema=columns, orient="row").sort("item_id")


def _found(searched: pl.DataFrame) -> Iterable[tuple[str, list[str]]]:
    """Each searched entity with the ids of its documents in their order."""
    return (
        (row["item_id"], facts(row).get("documents", "").split())
        for row in searched.iter_rows(named=True)
        if row["purpose"] == "search"
    )


def outcomes(searched: pl.DataFrame, rejects: pl.DataFrame) -> dict[str, int]:
    """Results by what became of their pages (n_pages by outcome), every outcome of the closed list, 0 where
    none.
    """
    dropped = Counter(rejects.filter(pl.col("where") == WHERE)["reason"])
    kept = sum(len(ids) for _, ids in _found(searched))
    return {outcome.value: kept if outcome is Outcome.OK else dropped[outcome.value] for outcome in Outcome}
