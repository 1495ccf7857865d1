"""A judge that costs nothing: right is an answer that holds a golden one (EVOUNA's lexical match)."""

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, frame, judgement_row
from truerate.core.spans.quotes import bare, bare_answers

NAME, VERSION = "word-match", "1"


def holds_golden(answer: str, golden: str) -> bool:
    """Return whether one of the golden answers that are not empty when bare stands in the answer."""
    plain = bare(answer)
    return any(bare_answer in plain for bare_answer in bare_answers(golden) if bare_answer)


def judged(samples: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """A judgement of each answer whose item has a right one: hallucinated where that does not stand in it."""
    golden = dict(items.drop_nulls("right_answer").select("item_id", "right_answer").iter_rows())
    rows = [
        judgement_row(
            judgement_id=content_id(sample_id, NAME),
            judge=NAME,
            judge_version=VERSION,
            target_id=sample_id,
            verdict=not holds_golden(text, golden[item_id]),
        )
        for sample_id, item_id, text in samples.select("sample_id", "item_id", "text").iter_rows()
        if item_id in golden
    ]
    return frame(Judgement, rows)
