"""What HaluEval's recognition is scored by: the rows of labels against verdicts, and the words of its tables."""

import polars as pl

from truerate.metrics import judged as rows_of

PLAIN = "plain"
HALLUCINATED_FIRST = "hallucinated-first"
KEYS = ("task", "variant", "scheme")


def judged(samples: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """`metrics.judged` of the samples; a detector counts as plain. `scheme` is null unless the data set holds
    several published candidates per question.
    """
    return rows_of.judged(samples, judgements, variant=PLAIN, known=("scheme",))
