"""A family of token detectors: fitted over the grid on a board's training passages, then asked of all other
texts.
"""

import functools
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from truerate.config import Backbone, Grid, Params
from truerate.core.errors import TruerateError
from truerate.core.schemas import SPANS, Judgement, frame
from truerate.detectors.tokens.cells import Cell, Job, Reader
from truerate.detectors.tokens.fit import fit
from truerate.detectors.tokens.grid import cells, key_of
from truerate.detectors.tokens.predict import judge_cell, predict
from truerate.detectors.tokens.rules import check_member
from truerate.detectors.training import processes
from truerate.detectors.training.scratch import STATE
from truerate.detectors.training.workers import each

MANY = 300  # texts from which networks judge in processes of their own


def fit_tokens(
    members: Sequence[str],
    passages: pl.DataFrame,
    p: Params,
    size: Grid,
    *,
    folder: Path,
    scratch: Path,
) -> None:
    """Fit every cell of the grid and put it under `folder`/<member>/<cell>.

    Cells are fitted in `scratch` under keys of their content, side by side on a CPU; under `torchrun` or
    `accelerate launch` the processes share each training. Raises TruerateError for an unknown member.
    """
    processes.join()
    processes.wait()  # `folder` was emptied by each of them
    jobs = [
        job_of(cell, passages, p.backbones, scratch)
        for cell in checked_cells(members, passages, p.backbones, size)
    ]
    each(fit, [job for job in jobs if not (job.scratch / STATE).is_dir()], lambda job: job.backbone)
    processes.wait()
    for job in jobs if processes.rank() == 0 else []:
        shutil.copytree(job.scratch / STATE, Path(folder) / job.cell.member / job.cell.name)
    processes.wait()


def judge_tokens(
    members: Sequence[str], passages: pl.DataFrame, p: Params, size: Grid | None, *, folder: Path
) -> pl.DataFrame:
    """What every cell of the grid says of every passage; `unparsed`, `not-fitted` where a cell had nothing to
    learn from. Without a grid they are the cells that lie in the folder.
    """
    asked = (
        checked_cells(members, passages, p.backbones, size)
        if size
        else [cell for member in members for cell in fitted_cells(member, folder)]
    )
    readers = [Reader(cell, cell_path(folder, cell), p.backbones.get(cell.member)) for cell in asked]
    is_worth_it = passages.height >= MANY
    judged = each(
        functools.partial(judge_cell, passages=passages),
        readers,
        lambda reader: reader.backbone if is_worth_it else None,
    )
    return pl.concat([frame(Judgement), *judged])


def mark_text(
    member: str, text: str, reference: str, p: Params, *, folder: Path, wanted: tuple[str, str]
) -> list[dict] | None:
    """Soft spans of one text by a fitted member; see `mark_texts`."""
    found = mark_texts(member, [(text, reference)], p, folder=folder, wanted=wanted)
    return None if found is None else found[0]


def mark_texts(
    member: str, pairs: Sequence[tuple[str, str]], p: Params, *, folder: Path, wanted: tuple[str, str]
) -> list[list[dict]] | None:
    """Soft spans of texts, given with their references, by a fitted member that is loaded once: by its cell
    of the `wanted` scope and labels, else the first that knows every language.

    None where that cell has learned nothing. Raises TruerateError where there is none.
    """
    multi = [cell for cell in fitted_cells(member, folder) if cell.lang is None]
    if not multi:
        raise TruerateError(
            f"detector {member!r} knows one language per detector; add `multi` to the `scopes` of its sizes in params.yaml"
        )
    cell = next((cell for cell in multi if (cell.scope, cell.labels) == wanted), multi[0])
    rows = [
        {
            "target_id": str(number),
            "item_id": str(number),
            "group_id": str(number),
            "lang": "",
            "task": "",
            "text": text,
            "spans": [],
            "reference": reference,
        }
        for number, (text, reference) in enumerate(pairs)
    ]
    passages = pl.DataFrame(rows, schema_overrides={"spans": SPANS})
    return predict(Reader(cell, cell_path(folder, cell), p.backbones.get(member)), passages)


def fitted_cells(member: str, folder: Path) -> list[Cell]:
    """The cells of a member that lie in the folder of its family."""
    return [Cell.of(member, path.name) for path in sorted((Path(folder) / member).glob("*")) if path.is_dir()]


def checked_cells(
    members: Sequence[str], passages: pl.DataFrame, backbones: Mapping[str, Backbone], size: Grid
) -> list[Cell]:
    """The cells of checked members; mono ones in the languages that the passages have."""
    for member in members:
        check_member(member, backbones)
    return list(cells(members, passages["lang"].unique().to_list(), size))


def job_of(cell: Cell, passages: pl.DataFrame, backbones: Mapping[str, Backbone], scratch: Path) -> Job:
    """A cell with what it learns from and the scratch folder that its content names."""
    own, backbone = cell.own(passages), backbones.get(cell.member)
    return Job(cell, own, backbone, Path(scratch) / f"{cell.member}-{key_of(cell, own, backbone)}")


def cell_path(folder: Path, cell: Cell) -> Path:
    """Where a fitted cell lies."""
    return Path(folder) / cell.member / cell.name
