"""The labelled texts of test dialogues with what judges say of them: what all scores of detection are made of."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import NOT_FITTED, pair
from truerate.metrics.judged import judged
from truerate.metrics.score_writer import ALL
from truerate.tracks.halludial import annotating, inducing
from truerate.tracks.halludial.detecting import VARIANTS
from truerate.tracks.halludial.prompting import DETECT, LOCATE, MATCHED, REFERENCE

SPONTANEOUS, INDUCED = annotating.SCENARIO, inducing.INDUCED_SCENARIO
ZERO_SHOT, THREE_SHOT = VARIANTS[DETECT], VARIANTS[LOCATE]
TEST = "test"
COLUMNS = ("group_id", "task", "is_hallucinated")
UNIT = ["judge", "variant", "order", "sample_id", "seed"]


class Slice(NamedTuple):
    """A part of the texts that detection is scored on: its place in a slice, and which texts it holds."""

    where: dict[str, str]
    inside: pl.Expr


def judged_texts(
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    columns: Sequence[str] = (),
    fields: Sequence[str] = ("p",),
) -> pl.DataFrame:
    """One row per judgement of a labelled text of the test split: `judge`, `variant` (a detector counts as
    zero-shot), `order`, `seed`, `sample_id`, COLUMNS, `scenario`, `kind`, `verdict`, `status`; more `columns` of
    the sample, and more `fields` of the judgement.

    A gold sample is people's label of a response (`generation`): what was said of the response is said of it.
    """
    wanted = dict.fromkeys(["sample_id", *COLUMNS, *columns, "attributes"])
    test = samples.select("split", *wanted).filter(split=TEST)
    test = test.with_columns(pair("attributes", "generation"))
    told = [
        judged(
            part,
            judgements,
            variant=ZERO_SHOT,
            sample_keys=("scenario", "kind"),
            judgement_keys=("seed",),
            columns=(*COLUMNS, *columns),
            fields=fields,
            target=target,
        )
        for part, target in (
            (test, pl.col("sample_id")),
            (test.drop_nulls("generation"), pl.col("generation")),
        )
    ]
    return pl.concat(told).unique(UNIT, keep="first", maintain_order=True)


def of_fitted(judgements: pl.DataFrame) -> pl.DataFrame:
    """Judgements without those of detectors that had nothing to learn from on the board (all of theirs are
    `not-fitted`): these were asked nothing, and are no judges that never keep the form.
    """
    is_fitted = pl.col("reason").ne_missing(NOT_FITTED).any().over("judge")
    return judgements.filter(is_fitted)


def by_judge(samples: pl.DataFrame, judgements: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """`judged_texts` of one judge after the other, by name: all at once would be several times the tables."""
    test = samples.select("sample_id", *COLUMNS, "split", "attributes").filter(split=TEST)
    for judge in judgements["judge"].unique().sort().to_list():
        yield judged_texts(test, judgements.filter(judge=judge))


def slices(rows: pl.DataFrame) -> Iterator[Slice]:
    """The parts that detection is scored on, of those that some rows hold.

    Paraphrases (`matched`) are our addition: they stand in slices of their own, so that `induced` and `all` are
    the paper's. By kind: a hallucinated kind against the references; references, or paraphrases, against both
    hallucinated kinds. `all`: spontaneous and induced together, as the paper mixes them.
    """
    is_published = pl.col("kind").ne_missing(MATCHED)
    present = set(rows["scenario"].drop_nulls())
    for scenario in sorted(present):
        yield Slice({"scenario": scenario}, (pl.col("scenario") == scenario) & is_published)
    if {SPONTANEOUS, INDUCED} <= present:
        yield Slice({"scenario": ALL}, pl.col("scenario").is_in([SPONTANEOUS, INDUCED]) & is_published)
    kinds = set(rows["kind"].drop_nulls())
    for kind in sorted(kinds):
        if kind in (MATCHED, REFERENCE):
            inside = (pl.col("kind") == kind) | pl.col("is_hallucinated")
        else:
            inside = pl.col("kind").is_in([kind, REFERENCE])
        yield Slice({"scenario": INDUCED, "kind": kind}, (pl.col("scenario") == INDUCED) & inside)
