"""The steps that dvc.yaml and the rules call; --help does not list them."""

import sys
from importlib import import_module

from truerate.cli.command import add, layout
from truerate.core.terminal import say


def stage_module(stage: str):
    """A module of `truerate.flow`, imported when its command is called."""
    return import_module(f"truerate.flow.{stage}")


def add_steps(commands) -> None:
    """Add each step as a command that --help does not list."""
    add(commands, "make", None, _make, "rules", "target")
    add(commands, "params", None, _params)
    add(commands, "import", None, lambda o: stage_module("sources").import_source(layout(), o.name), "name")
    add(commands, "readable", None, lambda o: stage_module("sources").check_source(layout(), o.name), "name")
    add(commands, "board-of-files", None, _board_of_files, "board")
    step = add(commands, "step", None, _step, "name", "board", "model")
    step.add_argument("shard", type=int)
    step.add_argument("output")
    step.add_argument("inputs", nargs="*")
    export = add(
        commands,
        "export",
        None,
        lambda o: stage_module("dataset").export(layout(), o.board, o.output, o.inputs),
        "board",
        "output",
    )
    export.add_argument("inputs", nargs="*")
    add(commands, "label", None, lambda o: stage_module("evaluate").label(layout(), o.board), "board")
    for name in ("train", "judge"):
        add(commands, name, None, _detect).add_argument("boards", nargs="+", metavar="board")
    add(
        commands,
        "train-cell",
        None,
        lambda o: stage_module("detect").train_cell(layout(), o.board, o.cell),
        "board",
        "cell",
    )
    add(commands, "prune", None, _prune).add_argument("kept", nargs="*")
    add(commands, "score", None, lambda o: stage_module("evaluate").score(layout(), o.board), "board")
    add(commands, "leaderboard", None, lambda o: stage_module("pages").leaderboard(layout()))
    add(commands, "render", None, _render)


def _render(_o) -> None:
    from truerate.results.read import render

    render(layout())


def _params(o) -> None:
    from truerate.core.terminal import say
    from truerate.flow.guard import check_params
    from truerate.flow.probe import unasked_first

    check_params()
    for line in unasked_first(layout()):
        say(line)


def _board_of_files(o) -> None:
    from truerate.results.stages import make_board

    make_board(layout(), o.board)


def _detect(o) -> None:
    *families, board = o.boards  # dvc.yaml of release 0.1 named a family before the board
    if families:
        say(
            f"{o.command} takes a board alone and makes all its families; the next release refuses {families[0]!r}"
        )
    getattr(stage_module("detect"), o.command)(layout(), board)


def _prune(_o) -> None:
    say("prune has nothing to do any more: the stage that follows does it; the next release refuses it")


def _make(o) -> None:
    from truerate.flow.making import make

    sys.exit(make(o.rules, o.target))


def _step(o) -> None:
    stage_module("dataset").step(layout(), o.name, o.board, o.model, o.shard, o.output, o.inputs)
