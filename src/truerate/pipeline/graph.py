"""What follows from a track's graph: its scratch files and their keys, what each step reads, and its rules.

A track says its steps once (`tracks/<track>/graph.yaml`); rules/track.smk, the data set's stage and the plan
ask here. Only the models that may stand on a board have files; where none may, a step has none and the
source's texts stand alone.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed, meant
from truerate.tracks.contract import Reads, Step
from truerate.tracks.protocol import graph_of_track


# ---- the steps of a track ----------------------------------------------------------------------------------
@cache
def steps(track: str) -> tuple[Step, ...]:
    """Steps of a track, each behind those that it reads. Raises TruerateError where they stand otherwise."""
    return in_order(track, graph_of_track(track))


def in_order(track: str, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps themselves. Raises TruerateError if two have one name, or one reads a later one."""
    for index, step in enumerate(steps):
        before = [earlier.name for earlier in steps[:index]]
        if step.name in before:
            raise TruerateError(f"track {track!r}: two steps of its graph are named {step.name!r}")
        for read in step.reads:
            if read.step not in before:
                what = (
                    f"track {track!r}: step {step.name!r} reads {read.step!r}, which does not stand before it"
                )
                raise TruerateError(f"{what}; steps before it: {listed(before)}")
    return steps


def steps_of(config: Layout, board: str) -> tuple[Step, ...]:
    """The steps of the track that a board runs."""
    return steps(config.p.board(board).track)


def step_of(config: Layout, board: str, name: str) -> Step:
    """A step of a board's track by its name. Raises TruerateError, with the names, for another."""
    by_name = {step.name: step for step in steps_of(config, board)}
    if name not in by_name:
        what = f"track {config.p.board(board).track!r} has no step {name!r}{meant(name, by_name)}"
        raise TruerateError(f"{what}; its steps: {listed(by_name)}")
    return by_name[name]


# ---- which models have files -------------------------------------------------------------------------------
def models(config: Layout, board: str, step: Step, role: str = "") -> tuple[str, ...]:
    """The models that have files of a step: those that its role (or `role`) names, or their stand-ins; none
    where a model that it asks may not stand on the board, or a step that it needs has no file.
    """
    asked = models_named(config, board, step.asks)
    needed = [step_of(config, board, read.step) for read in step.reads if read.is_needed]
    if len(asked) < len(step.asks) or not all(models(config, board, earlier) for earlier in needed):
        return ()
    of_role = models_named(config, board, [role or step.role])
    if step.stand_in is None:
        return of_role
    if step.stand_in.setting:
        return (step.stand_in.name,) if _setting(config, board, step.stand_in.setting) else of_role
    return (step.stand_in.name,) if of_role else ()


def models_named(config: Layout, board: str, roles: Iterable[str]) -> tuple[str, ...]:
    """The models that settings of the board's track name, of those that may stand on the board."""
    values = [_setting(config, board, role) for role in roles]
    return config.p.models_on(
        board,
        [alias for value in values for alias in (value if isinstance(value, tuple) else (value,))],
    )


def _setting(config: Layout, board: str, name: str) -> Any:
    settings = config.p.track(board)
    if not hasattr(settings, name):
        what = f"track {config.p.board(board).track!r}: its graph names {name!r}, which is no setting of it"
        raise TruerateError(f"{what}; its settings: {listed(type(settings).model_fields)}")
    return getattr(settings, name)


def is_stand_in(step: Step, model: str) -> bool:
    """Return whether a name in the paths of a step is that of what stands in for a model."""
    return step.stand_in is not None and step.stand_in.name == model


def jobs(config: Layout, board: str, step: Step) -> tuple[str, ...]:
    """All whose files of a step there are: those of its role, and those of a role that a later step reads."""
    read = [read.role for later in steps_of(config, board) for read in later.reads if read.step == step.name]
    names = [model for role in ("", *filter(None, read)) for model in models(config, board, step, role)]
    return tuple(dict.fromkeys(names))


def read_by(config: Layout, board: str, step: Step, model: str) -> Iterator[tuple[Step, str]]:
    """Yield what a step of one model reads: earlier steps, each with the model whose files they are."""
    for read in step.reads:
        earlier = step_of(config, board, read.step)
        for name in _models_read(config, board, earlier, read, model):
            yield earlier, name


def _models_read(config: Layout, board: str, earlier: Step, read: Reads, model: str) -> tuple[str, ...]:
    names = models(config, board, earlier, read.role)
    return tuple(name for name in names if name == model) if read.is_own else names


def upstream(config: Layout, board: str, step: Step, model: str) -> tuple[str, ...]:
    """The other models that decide a step's rows of one model: asked, or read at any remove; no stand-ins."""
    models: list[str] = []
    for earlier, name in read_by(config, board, step, model):
        models += [] if is_stand_in(earlier, name) else [name]
        models += upstream(config, board, earlier, name)
    return tuple(
        name for name in dict.fromkeys([*models, *models_named(config, board, step.asks)]) if name != model
    )


# ---- scratch files -----------------------------------------------------------------------------------------
def files(config: Layout, board: str, name: str, *of: str) -> list[str]:
    """The scratch files of a step, of these models or of all that its role names, one per shard."""
    step = step_of(config, board, name)
    return [
        path for model in of or models(config, board, step) for path in _files(config, board, step, model)
    ]


def _files(config: Layout, board: str, step: Step, model: str) -> list[str]:
    return config.scratch(board, step.name, model, *upstream(config, board, step, model))


def before(config: Layout, board: str, name: str, model: str, shard: int) -> list[str]:
    """The scratch files that one shard of a step of one model reads."""
    paths_read: list[str] = []
    for read in step_of(config, board, name).reads:
        earlier = step_of(config, board, read.step)
        for of in _models_read(config, board, earlier, read, model):
            paths = _files(config, board, earlier, of)
            paths_read += [paths[shard]] if read.is_of_shard else paths
    return paths_read


def for_export(config: Layout, board: str) -> list[str]:
    """The scratch files that a board's data set is made of."""
    return [path for step in steps_of(config, board) for path in files(config, board, step.name)]


def in_slices(config: Layout, board: str, names: Collection[str]) -> list[list[str]]:
    """The scratch files of some steps by model and shard, each group in the steps' order."""
    slices: dict[tuple[str, int], list[str]] = {}
    for step in steps_of(config, board):
        for model in models(config, board, step) if step.name in names else ():
            for shard, path in enumerate(_files(config, board, step, model)):
                slices.setdefault((model, shard), []).append(path)
    return list(slices.values())


def all_files(config: Layout, board: str) -> list[str]:
    """Every scratch file of a board, each behind those that it is made from."""
    return [
        path
        for step in steps_of(config, board)
        for model in jobs(config, board, step)
        for path in _files(config, board, step, model)
    ]


def is_current(config: Layout, board: str, path: str) -> bool:
    """Return whether a scratch path is one that the settings, code and sources of this moment name."""
    return path in set(all_files(config, board))


# ---- rules -------------------------------------------------------------------------------------------------
def tracks(config: Layout, only: str | None = None) -> list[str]:
    """The tracks that have rules: those of the declared boards, or one of them alone."""
    return sorted({board.track for board in config.p.boards.values() if only in (None, board.track)})


def boards(config: Layout, track: str) -> str:
    """The boards of a track, as the pattern of a wildcard: two tracks may name a step alike."""
    return "|".join(re.escape(name) for name, board in config.p.boards.items() if board.track == track)


def resources(step: Step) -> dict[str, int]:
    """The resources of a step's job, by Snakemake's names; a profile's `set-resources` goes before them."""
    needs = step.resources
    resources_of_job = {"mem_mb": needs.memory_mb, "runtime": needs.minutes}
    return resources_of_job | ({"gpu": needs.gpus} if needs.gpus else {})
