"""Which labels of a committed board its judges speak against, most strongly first: labels for a person to look at."""

import numpy as np
import polars as pl

from truerate.metrics.label_evidence import bits_against
from truerate.site.real.results import RealBoard, Suspect

KEY = ["subject", "unit_id"]


def suspects(board: RealBoard) -> tuple[Suspect, ...]:
    """The replies whose verdicts are likelier under the other label (`bits_against` above 0), strongest first; equal ones
    by subject and unit. None where nobody but a judge labelled the board, where no judge read it, or where what leads
    is no label.
    """
    judges = sorted(board.judges())
    whole = (pl.col("metric") == board.headline.name) & (pl.col("slice") == "")
    led = board.rows.filter(whole).select(*KEY, label="value").drop_nulls("label")
    if not judges or not board.card["labelled_by"] or not led["label"].is_in([0.0, 1.0]).all():
        return ()
    wide = led
    for number, judge in enumerate(judges):
        own = board.rows.filter(pl.col("slice") == f"judge={judge}").select(
            *KEY, pl.col("value").alias(str(number))
        )
        wide = wide.join(own, on=KEY, how="left", maintain_order="left")
    labels = wide["label"].to_numpy()
    verdicts = wide.select(map(str, range(len(judges)))).cast(pl.Float64).fill_null(np.nan).to_numpy()
    known = ~np.isnan(verdicts)
    told = wide.select(KEY).with_columns(
        is_hallucinated=wide["label"] == 1,
        n_against=pl.Series((known & ((verdicts >= 0.5) != (labels == 1)[:, None])).sum(axis=1)),
        n_judges=pl.Series(known.sum(axis=1)),
        bits=pl.Series(bits_against(labels, verdicts)).round(3),
    )
    found = told.filter(pl.col("bits").is_finite() & (pl.col("bits") > 0))
    return tuple(
        Suspect(*row) for row in found.sort("bits", *KEY, descending=[True, False, False]).iter_rows()
    )
