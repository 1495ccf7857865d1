"""The labelled texts of test dialogues with what judges say of them, which detection is scored on."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from truerate.core.schemas import NOT_FITTED, pair
from truerate.metrics.judged import judged
from truerate.metrics.score_writer import ALL
from truerate.tracks.halludial.judging import SPONTANEOUS, VARIANTS
from truerate.tracks.halludial.prompting import DETECT, LOCATE, MATCHED, REFERENCE
from truerate.tracks.halludial.silver import INDUCED

__all__ = ["ALL", "INDUCED", "SPONTANEOUS", "TEST", "THREE_SHOT", "ZERO_SHOT", "judged_texts"]

ZERO_SHOT, THREE_SHOT = VARIANTS[DETECT], VARIANTS[LOCATE]
TEST = "test"
COLUMNS = ("group_id", "task", "is_hallucinated")
UNIT = ["judge", "variant", "order", "sample_id", "seed"]


def judged_texts(
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    columns: Sequence[str] = (),
    fields: Sequence[str] = ("p",),
) -> pl.DataFrame:
    """Return one row per judgement of a labelled text of the test split: `judge`, `variant` (a detector
    counts as zero-shot), `order`, `seed`, `sample_id`, COLUMNS, `scenario`, `kind`, `verdict`, `status`, more
    `columns` of the sample, and more `fields` of the judgement. A gold sample is people's label of a response
    (`generation`): a judgement of the response is one of the sample.
    """
    wanted = dict.fromkeys(["sample_id", *COLUMNS, *columns, "attributes"])
    test = samples.select("split", *wanted).filter(split=TEST).with_columns(pair("attributes", "generation"))
    shared: dict[str, Any] = {"variant": ZERO_SHOT, "columns": (*COLUMNS, *columns), "fields": fields}
    shared |= {"sample_keys": ("scenario", "kind"), "judgement_keys": ("seed",)}
    direct = judged(test, judgements, target=pl.col("sample_id"), **shared)
    of_responses = judged(test.drop_nulls("generation"), judgements, target=pl.col("generation"), **shared)
    return pl.concat([direct, of_responses]).unique(UNIT, keep="first", maintain_order=True)


def of_fitted(judgements: pl.DataFrame) -> pl.DataFrame:
    """Return judgements without those of detectors that had nothing to learn from on the board: these were
    asked nothing, and are no judges that never keep the form.
    """
    is_fitted = pl.col("reason").ne_missing(NOT_FITTED).any().over("judge")
    return judgements.filter(is_fitted)


def by_judge(samples: pl.DataFrame, judgements: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield `judged_texts` of one judge after the other, by name: all would take much memory."""
    test = samples.select("sample_id", *COLUMNS, "split", "attributes").filter(split=TEST)
    for judge in judgements["judge"].unique().sort():
        yield judged_texts(test, judgements.filter(judge=judge))


def slices(rows: pl.DataFrame) -> Iterator[tuple[dict[str, str], pl.Expr]]:
    """Yield the parts that detection is scored on, of those that some rows hold: the entries of each in a slice, and
    which texts it holds.

    Paraphrases (`matched`) are our addition: they stand in slices of their own, so that `induced` and `all`
    are the paper's. By kind: a hallucinated kind against the references; references, or paraphrases, against
    both hallucinated kinds. `all`: spontaneous and induced together, as the paper mixes them.
    """
    is_published = pl.col("kind").ne_missing(MATCHED)
    present = set(rows["scenario"].drop_nulls())
    for scenario in sorted(present):
        yield ({"scenario": scenario}, (pl.col("scenario") == scenario) & is_published)
    if {SPONTANEOUS, INDUCED} <= present:
        yield ({"scenario": ALL}, pl.col("scenario").is_in([SPONTANEOUS, INDUCED]) & is_published)
    for kind in sorted(set(rows["kind"].drop_nulls())):
        inside = pl.col("kind").is_in([kind, REFERENCE])
        if kind in (MATCHED, REFERENCE):
            inside = (pl.col("kind") == kind) | pl.col("is_hallucinated")
        yield ({"scenario": INDUCED, "kind": kind}, (pl.col("scenario") == INDUCED) & inside)
