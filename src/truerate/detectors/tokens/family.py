"""A family of token detectors: fitted over the grid on a board's training passages, then asked of all other
texts.
"""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from truerate.config import Backbone, Grid, Params, RateOf
from truerate.config.detectors import GridPart
from truerate.core.errors import TruerateError
from truerate.core.schemas import SPANS
from truerate.detectors.tokens.cells import Cell, Job, Reader, cells
from truerate.detectors.tokens.predict import judge_once, predict, threshold_of
from truerate.detectors.tokens.rules import check_member
from truerate.detectors.training.jobs import each

MANY = 300  # texts from which networks judge in processes of their own


def jobs_of(
    members: Sequence[str],
    passages: pl.DataFrame,
    p: Params,
    size: Grid,
    *,
    scratch: Path,
    parts: Sequence[GridPart] = (),
    devices: Mapping[str, str] | None = None,
) -> list[Job]:
    """Every cell of the grid as a job, in the scratch folder that its content names. `devices`: what members
    are trained on that are trained elsewhere. Raises TruerateError for an unknown member.
    """
    backbones = size.paced(p.backbones)
    jobs = (
        Job(cell, cell.passages_of(passages), backbones.get(cell.member), Path(scratch))
        for cell in checked_cells(members, passages, p.backbones, size, parts)
    )
    return [job.named((devices or {}).get(job.cell.member)) for job in jobs]


def judge_tokens(
    members: Sequence[str],
    passages: pl.DataFrame,
    p: Params,
    size: Grid | None,
    *,
    folder: Path,
    kept: Path,
    parts: Sequence[GridPart] = (),
    texts: str = "",
    of_rates: RateOf | None = None,
) -> list[Path]:
    """Files that hold what every cell of the grid says of every passage, as Judgements, cell by cell;
    `unparsed`, `not-fitted` where a cell had nothing to learn from. Without a grid they are the cells that
    lie in the folder.

    Passages that are not `is_labelled` keep the spans that are marked; where no column says so all are.
    `kept`: the folder in which what a cell said lies, so that it is asked once of the same `texts` (their
    digest, with the code's): an edit of one cell costs no other its time. `of_rates`: the detector whose
    cells alone are asked of passages that are not `is_labelled`, where this is one's.
    """
    if "is_labelled" not in passages.columns:
        passages = passages.with_columns(is_labelled=True)
    asked = (
        checked_cells(members, passages, p.backbones, size, parts)
        if size
        else [cell for member in members for cell in fitted_cells(member, folder)]
    )
    readers = [Reader(cell, cell_path(folder, cell), p.backbones.get(cell.member)) for cell in asked]
    is_worth_it = passages.height >= MANY
    judged = each(
        functools.partial(judge_once, passages=passages, kept=kept, texts=texts, of_rates=of_rates),
        readers,
        lambda reader: reader.backbone if is_worth_it else None,
    )
    return [path for paths in judged for path in paths]


def mark_texts(
    member: str, pairs: Sequence[tuple[str, str]], p: Params, *, folder: Path, wanted: tuple[str, str]
) -> list[list[dict]] | None:
    """Soft spans of texts, given with their references, by a fitted member that is loaded once: by its cell
    of the `wanted` scope and labels, else the first that knows every language. None where that cell has
    learned nothing. Raises TruerateError where there is none.
    """
    texts, references = ([pair[side] for pair in pairs] for side in (0, 1))
    passages = pl.DataFrame(
        {"target_id": [str(number) for number in range(len(pairs))], "text": texts, "reference": references},
        schema=dict.fromkeys(("target_id", "text", "reference"), pl.String),
    ).with_columns(spans=pl.lit([], dtype=SPANS))
    cell = cell_to_mark(member, folder, wanted)
    return predict(Reader(cell, cell_path(folder, cell), p.backbones.get(member)), passages)


def cell_to_mark(member: str, folder: Path, wanted: tuple[str, str]) -> Cell:
    """The fitted cell of the `wanted` scope and labels, else the first that knows every language. Raises
    TruerateError where there is none.
    """
    multi = [cell for cell in fitted_cells(member, folder) if cell.lang is None]
    if not multi:
        raise TruerateError(
            f"detector {member!r} knows one language per detector; add `multi` to the `scopes` of its sizes "
            "in params.yaml"
        )
    return next((cell for cell in multi if (cell.scope, cell.labels) == wanted), multi[0])


def marks_above(member: str, folder: Path, wanted: tuple[str, str]) -> float:
    """The threshold of the cell with which `mark_texts` marks."""
    return threshold_of(cell_path(folder, cell_to_mark(member, folder, wanted)))


def fitted_cells(member: str, folder: Path) -> list[Cell]:
    """The cells of a member that lie in the folder of its family."""
    return [Cell.of(member, path.name) for path in sorted((Path(folder) / member).glob("*")) if path.is_dir()]


def checked_cells(
    members: Sequence[str],
    passages: pl.DataFrame,
    backbones: Mapping[str, Backbone],
    size: Grid,
    parts: Sequence[GridPart] = (),
) -> list[Cell]:
    """The cells of checked members; mono ones in the languages that the passages have."""
    for member in members:
        check_member(member, backbones)
    return list(cells(members, passages["lang"].unique(maintain_order=True).to_list(), size, parts))


def cell_path(folder: Path, cell: Cell) -> Path:
    """Return where a fitted cell lies."""
    return Path(folder) / cell.member / cell.name
