"""Whether the figures that a paper prints are consistent with one another: totals with their parts, weighted
sums, percents of whole texts, and scores with whole-number confusion matrices. No number of ours takes part.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch

import numpy as np
import polars as pl

from truerate.core.claims import Cell, Claim, Counted, Matrices, Mixture
from truerate.leaderboard.confusion import BAND, SCORES, Figures, Fits, inferred, joint, n_fitting

CONSISTENT, INCONSISTENT = "consistent", "inconsistent"
INFERRED = "inferred"  # printed nowhere: what figures that are printed let one infer
EVEN = 1e-6  # sums of printed decimals that differ by less are equal
HALF_DIGIT = 0.005  # how far a figure with two decimals may lie from what it was rounded from
NO_MODEL = "-"
# A printed total whose printed parts must sum to it: source, table, metric of the total, how the names of its
# parts begin.
Total = tuple[str, str, str, str]
Printed = Mapping[tuple[str, Cell], float]  # figures of one source by model and cell


def check_totals(published: pl.DataFrame, totals: Sequence[Total]) -> list[dict]:
    """Return ledger lines of printed totals against the sum of their parts (`ledger.ledger_of`)."""
    lines = []
    for source, table, metric, begins in totals:
        part = published.filter(pl.col("source") == source, pl.col("table") == table)
        for total in part.filter(pl.col("metric") == metric).to_dicts():
            pieces = part.filter(
                pl.col("metric").str.starts_with(begins),
                pl.col("metric") != metric,
                pl.col("slice") == total["slice"],
                pl.col("model") == total["model"],
            )
            is_, quantity = f"sum of {pieces.height} printed parts", f"{metric} · {total['slice']}"
            line = _against(quantity, (total["value"], pieces["value"].sum()), is_, tolerance=EVEN)
            lines.append(line | {"source": printed_in(source, table)})
    return lines


def check_claims(published: pl.DataFrame, claims: Sequence[Claim]) -> list[dict]:
    """Ledger lines of what printed figures must be of one another; none of a claim of another source."""
    lines = []
    for claim in claims:
        lines += check(claim, _printed(published.filter(pl.col("source") == claim.source)))
    return lines


@singledispatch
def check(claim: Claim, printed: Printed) -> Iterator[dict]:
    """The ledger lines of one claim."""
    raise TypeError(f"{type(claim).__name__} is no kind of claim")


@check.register
def _(claim: Mixture, printed: Printed) -> Iterator[dict]:
    for model in _models(printed, [claim.of, *(cell for _, cell in claim.parts)]):
        summed = sum(weight * printed[model, cell] for weight, cell in claim.parts)
        figures = (printed[model, claim.of], summed)
        line = _against(_quantity(model, claim.of), figures, claim.is_, tolerance=claim.tolerance)
        beside = printed.get((model, claim.of._replace(metric=claim.beside)))
        if beside is not None:
            line["reason"] += f"; {claim.beside.replace('_', ' ')} {beside:g}"
        yield line | {"source": printed_in(claim.source, claim.of.table)}


@check.register
def _(claim: Counted, printed: Printed) -> Iterator[dict]:
    for model in _models(printed, [claim.cell]):
        value = printed[model, claim.cell]
        count = round(value * claim.n / 100)
        words = f"{_grouped(count)} of {_grouped(claim.n)}"
        figures = (value, 100 * count / claim.n)
        line = _against(_quantity(model, claim.cell), figures, words, tolerance=claim.tolerance)
        yield line | {"source": printed_in(claim.source, claim.cell.table)}


@check.register
def _(claim: Matrices, printed: Printed) -> Iterator[dict]:
    figures = {
        model: ([_figures(printed, model, (part.table, part.slice)) for part in claim.parts], whole)
        for model in dict.fromkeys(model for model, _ in printed)
        if (whole := _figures(printed, model, claim.whole))
    }
    figures = {
        model: both for model, both in figures.items() if all(set(BAND) <= set(band) for band in both[0])
    }
    source = {"source": printed_in(claim.source, claim.whole.table)}
    for model, (of_parts, whole) in figures.items():
        fits = joint(list(zip(claim.parts, of_parts, strict=True)), whole, claim.tolerance)
        verdict = CONSISTENT if fits.n else INCONSISTENT
        yield _line(f"{model} · confusion matrices", verdict, _in_words(claim, fits)) | source
    if figures:
        yield from (line | source for line in _hidden(claim, list(figures.values())))


def printed_in(source: str, table: str) -> str:
    """Return where a figure is printed: `helma Table 6`; what has a name and no number stays as it is named."""
    is_numbered = table[:1].isdigit() or table.startswith("Fig")
    return f"{source} Table {table}" if is_numbered else f"{source} {table}"


def _printed(published: pl.DataFrame) -> Printed:
    columns = published.select("model", "table", "metric", "slice", "value")
    return {(model, Cell(*cell)): value for model, *cell, value in columns.iter_rows()}


def _models(printed: Printed, cells: Sequence[Cell]) -> list[str]:
    """The models that have a figure in every cell, in the order of the file."""
    models = dict.fromkeys(model for model, _ in printed)
    return [model for model in models if all((model, cell) in printed for cell in cells)]


def _figures(printed: Printed, model: str, where: tuple[str, str]) -> Figures:
    """The scores of a model that stand under a table and a slice, by metric."""
    cells = {name: (model, Cell(where[0], name, where[1])) for name in SCORES}
    return {name: printed[cell] for name, cell in cells.items() if cell in printed}


def _quantity(model: str, cell: Cell) -> str:
    return " · ".join(part for part in (model, cell.metric, cell.slice) if part != NO_MODEL)


def _against(quantity: str, figures: tuple[float, float], is_: str, *, tolerance: float) -> dict:
    """The line of a printed figure and of what the paper's other figures make of it (`figures`, in this
    order), by the sum that `is_` tells.
    """
    published, computed = figures
    gap = computed - published
    if abs(gap) <= tolerance + EVEN:
        return _line(quantity, CONSISTENT, is_) | {"published": published, "ours": computed}
    reason = f"{is_}: {abs(gap):.4g} {'above' if gap > 0 else 'below'} the printed figure"
    return _line(quantity, INCONSISTENT, reason) | {"published": published, "ours": computed}


def _line(quantity: str, verdict: str, reason: str) -> dict:
    line = dict.fromkeys(("board", "quantity", "published", "ours", "low", "high", "verdict", "reason"))
    return line | {"quantity": quantity, "verdict": verdict, "reason": reason}


def _grouped(count: int) -> str:
    """A count with a thin space between its thousands."""
    return f"{count:,}".replace(",", "\u2009")


def _in_words(claim: Matrices, fits: Fits) -> str:
    """Return which figures have matrices, and the rates of both classes in them; or which have none."""
    if fits.lacking is not None:
        return f"no whole-number confusion matrix gives the figures of {claim.parts[fits.lacking].slice}"
    if not fits.n:
        return (
            f"confusion matrices give the figures of each part, but none sum to those of {claim.whole.slice}"
        )
    rates = [
        f"{part.slice} {_share(tp, part.positives)} / {_share(tn, part.n - part.positives)}"
        for part, tp, tn in zip(claim.parts, fits.tp.T, fits.tn.T, strict=True)
    ]
    words = f"whole-number confusion matrices give all {fits.n_figures} printed figures"
    return f"{words} within {claim.tolerance:g}; TPR / TNR in them: {', '.join(rates)}"


def _share(counts: np.ndarray, n: int) -> str:
    return f"{100 * float(np.median(counts)) / n:.1f}"


def _hidden(claim: Matrices, figures: Sequence[tuple[Sequence[Figures], Figures]]) -> Iterator[dict]:
    """The hidden numbers of hallucinated texts, with the numbers around them that fit as many models."""
    n_fits, n_exact = (n_fitting(claim.parts, figures, gap) for gap in (claim.tolerance, HALF_DIGIT))
    words = (
        f"printed nowhere; with it whole-number confusion matrices give all figures of {n_fits} of "
        f"{len(figures)} models within {claim.tolerance:g}, of {n_exact} as exactly as they are printed"
    )
    for k, part in enumerate(claim.parts):
        fit = inferred(claim, figures, k)
        numbers = {"ours": part.positives, "low": fit[0], "high": fit[-1]}
        yield _line(f"hallucinated of {_grouped(part.n)} · {part.slice}", INFERRED, words) | numbers
