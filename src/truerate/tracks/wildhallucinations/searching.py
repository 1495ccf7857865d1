"""What a search adds (Figure 4): a model with it against the same model without, on the same entities, over
all of them and by how rare or how well covered they are (Figures 5 and 6); and how much more it adds for rare
names than for frequent ones.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from truerate.core.aggregates import average
from truerate.core.schemas import pair
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import strict_outcomes

GAINS = {
    "wildfactscore_gain": pl.col("score"),
    "wildfactscore_strict_gain": pl.col("outcome"),
    "responding_gain": pl.when(pl.col("is_abstained").is_not_null()).then(pl.col("is_responding")),
}
SLICES = ("rarity", "wikipedia")
DIFFERENCE = (-1.0, 1.0)
BY_RARITY = "_by_rarity"  # what follows the name of a gain


def gain_rows(
    scored: pl.DataFrame, items: pl.DataFrame, bases: Mapping[str, str], writer: ScoreWriter
) -> list[dict]:
    """Return per model of `bases` (with search → without) the mean difference of GAINS over the entities of
    which both have the value, over all of them and by each value of SLICES: `base` is in the slice, n counts
    entities; and `rarity_rows`.

    `items`: with the perplexity of a name in the attribute `rarity`.
    `scored`: replies (`wildfact.scored_replies`). Of an entity asked about several times a model's value is
    its mean. Strict is taken by `wildfact.strict_outcomes`, whose mean is a model's Strict. Each entity is a
    cluster; the interval is the cluster bootstrap's, cut to [−1, 1]. No row for a pair of which one side has no
    reply, and none for a slice without a common entity.
    """
    gains = {name: part.cast(pl.Float64) for name, part in GAINS.items()}
    perplexity = items.select(
        entity="item_id", perplexity=pair("attributes", "rarity").cast(pl.Float64, strict=False)
    )
    score_rows = []
    for subject, base in bases.items():
        pair_rows = strict_outcomes(scored.filter(pl.col("subject").is_in([subject, base])))
        values = pair_rows.select("subject", "entity", *SLICES, **gains)
        of_entity = values.group_by("subject", "entity", maintain_order=True).agg(
            pl.col(SLICES).first(), *(average(pl.col(name)) for name in gains)
        )
        without = of_entity.filter(subject=base).drop("subject", *SLICES)
        with_it = of_entity.filter(subject=subject)
        pairs = with_it.join(without, on="entity", suffix=" base", maintain_order="left").sort("entity")
        pairs = pairs.join(perplexity, on="entity", how="left", maintain_order="left")
        score_rows += rarity_rows(pairs, subject, base, writer)
        slices: list[dict[str, str]] = [{}]
        slices += [{by: value} for by in SLICES for value in pairs[by].drop_nulls().unique().sort()]
        for where in slices if pairs.height else ():
            rows = pairs.filter(**where) if where else pairs
            for name in gains:
                gain = rows.select("entity", gain=pl.col(name) - pl.col(f"{name} base")).drop_nulls()
                if gain.height or not where:
                    of_gain = gain["gain"].to_numpy(), gain["entity"].to_list()
                    whole = {"base": base, **where}
                    row = writer.mean(name, subject, whole, *of_gain, bounds=DIFFERENCE)
                    ends = {end: row[end] for end in ("value", "low", "high") if row[end] is not None}
                    score_rows.append(row | {end: min(max(of, -1.0), 1.0) for end, of in ends.items()})
    return score_rows


def rarity_rows(pairs: pl.DataFrame, subject: str, base: str, writer: ScoreWriter) -> list[dict]:
    """Return of each of GAINS the interaction with rarity: its mean over the third of the entities whose names
    are rarest less its mean over the third with the most frequent names, in [−2, 2].

    `pairs`: one row per entity of both models, with `perplexity` (null: not known, in no third) and each gain's
    two values. Thirds are cut once, at the values of perplexity, so that names equally rare are in the same
    one. n counts the entities of both thirds with the value; each entity is a cluster of the bootstrap. No row
    without two different thirds, nor of a gain that one of them lacks.
    """
    if (ends := thirds(pairs["perplexity"])) is None:
        return []
    is_rare, is_frequent = pl.col("perplexity") >= ends[1], pl.col("perplexity") <= ends[0]
    outer = pairs.filter(is_rare | is_frequent).with_columns(is_rare=is_rare)
    score_rows = []
    for name in GAINS:
        gain = outer.select("entity", "is_rare", gain=pl.col(name) - pl.col(f"{name} base")).drop_nulls()
        if gain["is_rare"].n_unique() == 2:
            value, rare = gain["gain"].to_numpy(), gain["is_rare"].to_numpy().astype(float)
            columns = np.stack([value * rare, rare, value * (1 - rare), 1 - rare], axis=1)
            of_gain = f"{name}{BY_RARITY}", subject, {"base": base}, columns, gain["entity"].to_list()
            score_rows.append(writer.statistic(*of_gain, _interaction, bounds=(-2.0, 2.0)))
    return score_rows


def thirds(perplexities: pl.Series) -> tuple[float, float] | None:
    """Return the greatest perplexity of the most frequent third and the least of the rarest one, of those that
    are known; None where the two thirds would meet.
    """
    ordered = perplexities.drop_nulls().sort().to_list()
    n = (len(ordered) - 1) // 3
    return (ordered[n], ordered[-1 - n]) if ordered and ordered[n] < ordered[-1 - n] else None


def _interaction(sums: np.ndarray) -> np.ndarray:
    """The mean of the rare third less that of the frequent one, of totals (draws, 4)."""
    return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
