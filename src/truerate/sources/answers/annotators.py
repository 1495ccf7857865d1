"""Files with a line per annotator: lines that label the same answer are one answer, on whose label most decide."""

import polars as pl

from truerate.sources.answers.fields import SLICE, SPAN
from truerate.sources.answers.names import is_annotator

BY_ID, BY_TEXT = ["id", "system", "answer"], ["question", "reference", "system", "answer"]


def one_per_answer(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[int], list[str]]:
    """The frame with a row per answer, the numbers of the rows that are kept, and a note, where a field names
    annotators and several of them labelled one answer: of the same id, else of the same question and
    reference, by the same system in the same words. `label` is what most of them say, null at a tie,
    `n_labels` how many; spans are left out, as each marks its own. Any other frame is left as it is.
    """
    rows = list(range(frame.height))
    who = next(
        (c for c in frame.columns if c.startswith(SLICE) and is_annotator(c.removeprefix(SLICE))), None
    )
    named = frame.filter(pl.col("label").is_not_null()) if who else frame.head(0)
    keys = (key for key in (BY_ID, BY_TEXT) if named.select(key).is_duplicated().any())
    key = next(keys, None)
    is_asked = key is not BY_TEXT or bool((frame["question"] + frame["reference"] != "").all())
    if who is None or key is None or not is_asked or named.select(*key, who).is_duplicated().any():
        return frame, rows, []
    yes, n = pl.col("label").sum().over(key), pl.col("label").count().over(key)
    voted = frame.with_row_index("row").with_columns(
        n_labels=n.cast(pl.Int64),
        label=pl.when(2 * yes != n).then(2 * yes > n),
        spans=pl.lit(None, pl.List(SPAN)),
        is_first=pl.int_range(pl.len()).over(key) == 0,
        is_tie=(2 * yes == n) & (n > 0),
    )
    kept = voted.filter("is_first")
    note = (
        f"{who.removeprefix(SLICE)!r} names annotators: {frame.height} lines label {kept.height} answers, most "
        f"decide, {int(kept['is_tie'].sum())} ties are not used"
    )
    return kept.drop("row", "is_first", "is_tie", who), kept["row"].to_list(), [note]
