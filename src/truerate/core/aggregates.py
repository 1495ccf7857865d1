"""Sums and means of floats by group with the same last digits on every run and any number of threads.

Polars' own `sum`, `mean` and `dot` in a `group_by` add partial sums of threads in no fixed order.
"""

import polars as pl


def total(values: pl.Expr) -> pl.Expr:
    """Sum of each group's values in the order of its rows; nulls count as 0, a group without rows gives 0."""
    return values.implode().list.sum()


def average(values: pl.Expr) -> pl.Expr:
    """Mean of each group's values that are not null, added in the order of its rows; null over none."""
    return values.implode().list.mean()
