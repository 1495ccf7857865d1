"""Trainings of one board as jobs of Snakemake, one per cell of its detectors' grid (rules/detectors.smk).

The stage `train` fits in its own process, small networks side by side, unless a profile says where jobs run
(`SNAKEMAKE_PROFILE`): then it calls Snakemake once for the cells that nobody has fitted yet, and finds them
fitted. Either way a cell lies in the scratch folder that its content names, with the same bytes.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from truerate.config import Backbone
from truerate.config.detectors import JobResources
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.process import parents, tools
from truerate.core.schemas import read_json
from truerate.pipeline.guard import write_json

PROFILE = "SNAKEMAKE_PROFILE"  # what Snakemake itself reads
RULES = "rules/detectors.smk"
Devices = Mapping[str, str]  # by member, of those that are trained elsewhere


class Fitting(NamedTuple):
    """The cells of a family as jobs, the function that fits one, and devices of members trained elsewhere."""

    jobs: Sequence[Any]
    fit: Callable[[Any], None]
    devices: Devices


# ---- what rules/detectors.smk asks -------------------------------------------------------------------------
def planned(config: Layout, board: str) -> dict[str, dict[str, str]]:
    """The cells that are to be fitted as jobs, by the name of their scratch folder, each with its member."""
    cells: dict[str, dict[str, str]] = read_json(_plan(config, board))["cells"]
    return cells


def members(config: Layout, board: str) -> list[str]:
    """The members of these cells."""
    return sorted({cell["member"] for cell in planned(config, board).values()})


def marks(config: Layout, board: str) -> list[str]:
    """The files that say of each of these cells that it is fitted."""
    return [mark(config, name) for name in planned(config, board)]


def mark(config: Layout, name: str) -> str:
    """The file that says that a cell is fitted."""
    return f"{config.training}/{name}/fitted"


def names_of(member: str) -> str:
    """The names of a member's scratch folders, as the pattern of a wildcard."""
    return rf"{re.escape(member)}-[0-9a-f]+"


def rule_of(member: str) -> str:
    """The name of a member's rule."""
    return f"fit_{re.sub(r'[^0-9A-Za-z]', '_', member)}"


def resources(config: Layout, board: str, member: str) -> dict[str, int]:
    """The resources of a member's job, by Snakemake's names: as its backbone's entry says."""
    family = next(cell["family"] for cell in planned(config, board).values() if cell["member"] == member)
    needs = _needs(config, family, member)
    return {"mem_mb": needs.memory_mb, "runtime": needs.minutes} | ({"gpu": needs.gpus} if needs.gpus else {})


def _needs(config: Layout, family: str, member: str) -> JobResources:
    backbone = _backbone_of(config, family, member)
    return JobResources() if backbone is None else backbone.resources


def _backbone_of(config: Layout, family: str, member: str) -> Backbone | None:
    """The backbone of a token detector or of a judge; None for a rule."""
    judges = config.p.detectors[family].judges
    return config.p.backbones.get(judges[member].backbone if member in judges else member)


def _plan(config: Layout, board: str) -> str:
    return f"{config.training}/{board}.jobs.json"


# ---- the stage ---------------------------------------------------------------------------------------------
def is_away() -> bool:
    """Return whether trainings are jobs: a profile says where, and no other process trains beside this one."""
    return bool(os.environ.get(PROFILE)) and int(os.environ.get("WORLD_SIZE", "1")) == 1


def devices(config: Layout, family: str, names: Sequence[str]) -> Devices:
    """Device that each member of a family is trained on as a job: a GPU where its backbone asks for one."""
    networks = [name for name in names if is_away() and _backbone_of(config, family, name)]
    return {name: "cuda" if _needs(config, family, name).gpus else "cpu" for name in networks}


def fit_away(config: Layout, board: str, fittings: Mapping[str, Fitting]) -> None:
    """Have Snakemake fit the unfitted cells, in one call. Raises TruerateError if a job failed."""
    cells = unfitted(fittings)
    if not cells:
        return
    by_member = {
        member: device for fitting in fittings.values() for member, device in fitting.devices.items()
    }
    write_json(_plan(config, board), {"cells": cells, "devices": by_member})
    for name in cells:
        Path(mark(config, name)).unlink(missing_ok=True)
    code = tools.run(tools.command_of("snakemake", "-s", RULES, "detectors", "--config", f"board={board}"))
    if code == parents.INTERRUPTED:
        raise KeyboardInterrupt
    if code:
        raise TruerateError(
            f"board {board!r}: fitting {len(cells)} detectors as jobs of {os.environ[PROFILE]!r} ended with "
            f"exit code {code}; "
            "what is fitted stays: see to what the lines above say, then run it again"
        )


def unfitted(fittings: Mapping[str, Fitting]) -> dict[str, dict[str, str]]:
    """The cells that learn and have no state yet, by the name of their scratch folder."""
    from truerate.detectors.tokens.rules import BY_NAME
    from truerate.detectors.training.jobs import STATE

    return {
        job.scratch.name: {"family": name, "member": job.cell.member}
        for name, fitting in fittings.items()
        for job in fitting.jobs
        for rule in [BY_NAME.get(job.cell.member)]
        if not (job.scratch / STATE).is_dir() and (rule is None or rule.learn is not None)
    }


def fit_cell(config: Layout, board: str, name: str, fitting_of: Callable[[str, Devices], Fitting]) -> None:
    """Fit a cell by the stage's plan. Raises TruerateError if it is no longer planned or lacks its GPU."""
    from truerate.detectors.training import processes

    plan = read_json(_plan(config, board))
    cell = plan["cells"].get(name)
    if cell is None:
        raise TruerateError(f"board {board!r}: no cell {name!r} is planned; run `truerate train {board}`")
    fitting = fitting_of(cell["family"], plan["devices"])
    job = next((job for job in fitting.jobs if job.scratch.name == name), None)
    if job is None:
        raise TruerateError(
            f"board {board!r}: cell {name!r} is no longer what was planned (settings, code or versions "
            "differ here); "
            f"run `truerate train {board}` again"
        )
    if plan["devices"].get(cell["member"]) == "cuda" and processes.device() != "cuda":
        raise TruerateError(
            f"backbone of {cell['member']!r}: resources.gpus asks for a GPU, and this job found none; give "
            "it one in the profile"
        )
    fitting.fit(job)
