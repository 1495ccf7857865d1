"""The data set of labelled replies: the published replies themselves; no model is asked. What a reply is checked
against, and a judge that costs nothing: right is an answer that holds a golden one (EVOUNA's lexical match).
"""

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import Generation, Judgement, frame, judgement_row
from truerate.core.spans.quotes import bare, bare_answers
from truerate.llm.counts import counts
from truerate.tracks.asking import PlainContext, detector_texts

WORD_MATCH, VERSION = "word-match", "1"


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, PlainContext]:
    """Return the contexts of items by id, in their order; texts of documents are joined by blank lines."""
    texts = dict(documents.select("document_id", "text").iter_rows())
    by_id = {}
    for item, question, ids, history in items.select("item_id", "question", "document_ids", "history").rows():
        knowledge = "\n\n".join(texts[name] for name in ids if name in texts)
        by_id[item] = PlainContext(item, knowledge, question, history)
    return by_id


def exported(
    config: Layout, board: str, tables, replies: dict[str, pl.DataFrame], beside: dict[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """Return the source's items, replies and published verdicts, and what the match of words says where a right
    answer is known. Nobody labels anything here.
    """
    judgements = pl.concat([tables.judgements, matched(tables.samples, tables.items)]).sort("judgement_id")
    none, same = frame(Generation), {"items": tables.items, "samples": tables.samples}
    return same | {"judgements": judgements, "generations": none, "counts": counts(none)}, []


def targets(samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return what published detectors judge: replies and labelled answers that have a text."""
    written = samples.filter(pl.col("text").str.strip_chars() != "")
    return detector_texts(written)


def matched(samples: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return a judgement of each answer whose item has a right one: hallucinated where that does not stand in it."""
    golden = dict(items.drop_nulls("right_answer").select("item_id", "right_answer").iter_rows())
    rows = []
    for sample_id, item_id, text in samples.select("sample_id", "item_id", "text").iter_rows():
        if item_id in golden:
            row = {"judgement_id": content_id(sample_id, WORD_MATCH), "target_id": sample_id}
            row |= {"judge": WORD_MATCH, "judge_version": VERSION}
            rows.append(judgement_row(**row, verdict=not holds_golden(text, golden[item_id])))
    return frame(Judgement, rows)


def holds_golden(answer: str, golden: str) -> bool:
    """Return whether one of the golden answers that are not empty when bare stands in the answer."""
    plain = bare(answer)
    return any(bare_answer in plain for bare_answer in bare_answers(golden) if bare_answer)
