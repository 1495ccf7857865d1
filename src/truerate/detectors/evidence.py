"""What one text is checked against where that is less than all of its item's documents: passages of its own.

A sample names them in its attribute `evidence`, as a fact does in its column: `document_id:start-end` (code
points), best first, one after another with a blank between.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.core.text import passage_of

BREAK = "\n\n"  # between two passages of a knowledge


def with_evidence(contexts: pl.DataFrame, samples: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """Contexts with a further row for each sample that names evidence: its id stands in `item_id`, its
    passages are its `knowledge`. `question` and `history` are its item's. A sample whose evidence is empty
    has empty knowledge: nothing was found for it. Raises TruerateError for evidence that names no passage of
    a known document.
    """
    texts = dict(documents.select("document_id", "text").iter_rows())
    named_evidence = samples.select("sample_id", "item_id", pair("attributes", "evidence")).filter(
        pl.col("evidence").is_not_null()
    )
    knowledge = [
        joined(passages(named.split(), texts, where=sample))
        for sample, _, named in named_evidence.iter_rows()
    ]
    rows = named_evidence.join(
        contexts.select("item_id", "question", "history"), on="item_id", how="left", maintain_order="left"
    )
    knowledge_rows = rows.select(
        item_id="sample_id",
        knowledge=pl.Series(knowledge, dtype=pl.String),
        question=pl.col("question"),
        history=pl.col("history"),
    )
    return pl.concat([contexts, knowledge_rows.select(contexts.columns)])


def joined(passages: Sequence[str]) -> str:
    """Passages as one knowledge, of which `split` makes the same passages again."""
    return BREAK.join(
        "\n".join(line for line in passage.splitlines() if line.strip()) for passage in passages
    )


def split(knowledge: str) -> list[str]:
    """The passages of a knowledge: what blank lines part."""
    return [part.strip() for part in knowledge.split(BREAK) if part.strip()]


def passages(names: Sequence[str], texts: Mapping[str, str], *, where: str) -> list[str]:
    """The texts of `document_id:start-end` names. Raises TruerateError for one outside its document."""
    selected = []
    for name in names:
        document, start, end = passage_of(name) or ("", 0, 0)
        if document not in texts or not start <= end <= len(texts[document]):
            raise TruerateError(
                f"evidence of {where!r}: {name!r} is no passage of a document of this board; run `dvc "
                "repro` again"
            )
        selected.append(texts[document][start:end])
    return selected
