"""A judge that costs nothing: an answer is right where a golden answer stands in it (EVOUNA's lexical match)."""

import re
import string

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, frame, judgement_row

NAME, VERSION = "word-match", "1"
SPLIT = "/"  # between golden answers; it also stands inside of some ("9/11"), where the set's own code splits, too
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalised(text: str) -> str:
    """A text in lower case, without ASCII punctuation and articles, with single spaces (the set's own rule)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def holds_golden(answer: str, golden: str) -> bool:
    """Whether one of the golden answers stands in the answer; no golden answer at all stands in none."""
    said = normalised(answer)
    return any(one in said for part in golden.split(SPLIT) if (one := normalised(part)))


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
