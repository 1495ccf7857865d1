"""What scores read of tables with a row per fact or call: long values are emptied while rows are read, and ids that
many rows share are told as codes.
"""

from collections.abc import Collection

import polars as pl

from truerate.core.schemas import pair
from truerate.core.text import WORD
from truerate.llm.generation import REASKED
from truerate.tracks.wildhallucinations.abstention import RULES
from truerate.tracks.wildhallucinations.facts import GENERATE, WRITE
from truerate.tracks.wildhallucinations.names import EXTRACT
from truerate.tracks.wildhallucinations.verifying import VERIFY

LONG = (EXTRACT, GENERATE, WRITE, VERIFY)  # purposes of replies whose texts are not compared with words
RETRIEVED = "retrieved"  # of which only is read whether it is told
ASKED = "asked"
OF_REPLY = "generation"  # names the reply whose facts were written; of a call about many all of them, which are not read
KEPT = (
    REASKED,
    "stage",
    "documents",
    "n_words",
    "n_missed",
    "n_malformed",
    "is_whole",
    RETRIEVED,
    *(f"abstained_{rule}" for rule in RULES),
)


def thinned(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table as `scores.score` reads them; those of tables that are read whole, and those that are thinned
    already, as they are.

    Of Generation rows the texts of LONG and attributes other than KEPT are emptied, a key of a prompt says that there
    was one; of those of purpose `generate` there is `n_words`, the words of the text. Of the attributes of Judgement
    rows `stage` is left, a column. Judge, status and stage, and the ids of replies and of entities of Fact rows, are
    categories.
    """
    if table == "generations" and "n_words" not in rows.columns:
        is_long, is_reply = pl.col("purpose").is_in(LONG), pl.col("purpose") == GENERATE
        kept = pl.when(pl.col("purpose") == WRITE).then(_of_keys((*KEPT, OF_REPLY))).otherwise(_of_keys(KEPT))
        return rows.with_columns(
            text=pl.when(is_long).then(pl.lit("")).otherwise("text"),
            prompt_key=pl.when(pl.col("prompt_key") == "").then(pl.lit("")).otherwise(pl.lit(ASKED)),
            attributes=kept,
            n_words=pl.when(is_reply).then(pl.col("text").str.count_matches(WORD)),
        )
    if table == "judgements" and "stage" not in rows.columns:
        codes = pl.col("judge", "status").cast(pl.Categorical)
        return rows.with_columns(codes, pair("attributes", "stage").cast(pl.Categorical)).drop("attributes")
    if table == "facts":
        return rows.cast({"generation_id": pl.Categorical, "item_id": pl.Categorical})
    return rows


def _of_keys(keys: Collection[str]) -> pl.Expr:
    """The attributes of these keys; of what was retrieved no text."""
    key, value = (pl.element().struct.field(name) for name in ("key", "value"))
    told = pl.when(key == RETRIEVED).then(pl.lit("")).otherwise(value)
    is_kept = key.is_in(list(keys))
    # written anew, else what is left would hold on to the values that are not
    anew = (pl.format("{}", one.filter(is_kept)) for one in (key, told))
    return pl.col("attributes").list.eval(pl.struct(**dict(zip(("key", "value"), anew, strict=True))))
