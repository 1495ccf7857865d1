"""What a search adds (Figure 4): a model with it against the same model without, on the same entities, over
all of them and by how rare or how well covered they are (Figures 5 and 6).
"""

from collections.abc import Mapping

import polars as pl

from truerate.core.aggregates import average
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.wildfact import strict_outcomes

GAINS = {
    "wildfactscore_gain": pl.col("score"),
    "wildfactscore_strict_gain": pl.col("outcome"),
    "responding_gain": pl.when(pl.col("is_abstained").is_not_null()).then(pl.col("is_responding")),
}
SLICES = ("rarity", "wikipedia")
DIFFERENCE = (-1.0, 1.0)


def gain_rows(scored: pl.DataFrame, bases: Mapping[str, str], writer: ScoreWriter) -> list[dict]:
    """Return per model of `bases` (with search → without) the mean difference of GAINS over the entities of
    which both have the value, over all of them and by each value of SLICES: `base` is in the slice, n counts
    entities.

    `scored`: replies (`wildfact.scored_replies`). Of an entity asked about several times a model's value is
    its mean. Strict is taken by `wildfact.strict_outcomes`, whose mean is a model's Strict. Each entity is a
    cluster; the interval is the cluster bootstrap's, cut to [−1, 1]. No row for a pair of which one side has no
    reply, and none for a slice without a common entity.
    """
    gains = {name: part.cast(pl.Float64) for name, part in GAINS.items()}
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
