"""What is drawn, from strata of rows that come slice by slice, for people to look at: no more rows are kept than
may be drawn, and how many there are.

The draw goes by each row's name, so the slices in which rows come decide nothing.
"""

from collections.abc import Sequence
from heapq import nsmallest
from io import BytesIO
from typing import NamedTuple

import polars as pl

from truerate.core.keys import draw

DRAW, N = "draw", "n_in_stratum"


class Drawn(NamedTuple):
    """The rows of each stratum that come first, with their `draw`; and of each stratum the number of its rows."""

    rows: pl.DataFrame
    sizes: pl.DataFrame

    def sizes_of(self, subject: str) -> dict[bool, int]:
        """How many rows there are of a subject, by the second column of its strata."""
        own = self.sizes.filter(subject=subject).drop("subject")
        return dict(own.iter_rows())


def drawn(rows: pl.DataFrame, by: Sequence[str], name: str, *, n: int, at: Sequence[object]) -> Drawn:
    """Of each stratum (a value of the columns `by`) the `n` rows whose names `core.keys.draw` puts first; `at`: the seed
    and what the draw is for.
    """
    kept = [rows.clear().with_columns(pl.lit(0.0).alias(DRAW))]
    for _, part in rows.group_by(by, maintain_order=True):
        first = nsmallest(n, ((draw(*at, one), one) for one in part[name]))
        order = pl.DataFrame(first, schema={DRAW: pl.Float64, name: pl.String}, orient="row")
        kept.append(part.join(order, on=name, how="inner", maintain_order="right"))
    return Drawn(pl.concat(kept), rows.group_by(by, maintain_order=True).agg(pl.len().alias(N)))


def joined(parts: Sequence[Drawn], by: Sequence[str], name: str, *, n: int) -> Drawn:
    """What is drawn of all slices, from what is of each."""
    rows = pl.concat([part.rows for part in parts]).sort(DRAW, name)
    sizes = pl.concat([part.sizes for part in parts]).group_by(by, maintain_order=True).agg(pl.col(N).sum())
    return Drawn(_anew(rows.group_by(by, maintain_order=True).head(n).select(rows.columns)), sizes)


def _anew(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows, written anew: a few that were taken out of many hold on to the texts of all of these."""
    file = BytesIO()
    rows.write_parquet(file, compression="uncompressed", statistics=False)
    file.seek(0)
    return pl.read_parquet(file)
