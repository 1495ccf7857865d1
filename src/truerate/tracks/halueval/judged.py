"""What HaluEval's recognition is scored by: the rows of labels against verdicts, and the words of its tables."""

import polars as pl

from truerate.metrics import judged as rows_of

PLAIN = "plain"
HALLUCINATED_FIRST = "hallucinated-first"
KEYS = ("task", "variant", "scheme")


def judged(samples: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """`metrics.judged` of the samples, a text once whatever the number of a detector's seeds; a detector counts as
    plain. `scheme` is null unless the data set holds several published candidates per question.
    """
    return rows_of.over_seeds(runs(samples, judgements))


def runs(samples: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """The rows of `judged`, one per seed of a detector (`seed`; null: it has none)."""
    return rows_of.judged(samples, judgements, variant=PLAIN, known=("scheme",), said=("seed",))
