"""The steps that dvc.yaml and the rules call; --help does not list them. Each imports what it runs when it is called."""

import sys

from truerate.cli.command import add, layout
from truerate.core.terminal import say


def add_steps(commands) -> None:
    """Add each step as a command that --help does not list."""
    add(commands, "make", None, _make, "rules", "target")
    add(commands, "params", None, _params)
    add(commands, "import", None, _import, "name")
    add(commands, "readable", None, _readable, "name")
    add(commands, "board-of-files", None, _board_of_files, "board")
    step = add(commands, "step", None, _step, "name", "board", "model")
    step.add_argument("shard", type=int)
    step.add_argument("output")
    step.add_argument("inputs", nargs="*")
    add(commands, "export", None, _export, "board", "output").add_argument("inputs", nargs="*")
    add(commands, "label", None, _label, "board")
    for name in ("train", "judge"):
        add(commands, name, None, _detect).add_argument("boards", nargs="+", metavar="board")
    add(commands, "train-cell", None, _train_cell, "board", "cell")
    add(commands, "prune", None, _prune).add_argument("kept", nargs="*")
    add(commands, "score", None, _score, "board")
    add(commands, "leaderboard", None, _leaderboard)
    add(commands, "render", None, _render)


def _make(options) -> None:
    from truerate.pipeline.run_tools import make

    sys.exit(make(options.rules, options.target))


def _params(_options) -> None:
    from truerate.pipeline.checks.probe import unasked_first
    from truerate.pipeline.guard import check_params

    check_params()
    for line in unasked_first(layout()):
        say(line)


def _import(options) -> None:
    from truerate.pipeline.sources import import_source

    import_source(layout(), options.name)


def _readable(options) -> None:
    from truerate.pipeline.sources import check_source

    check_source(layout(), options.name)


def _board_of_files(options) -> None:
    from truerate.results.stages import make_board

    make_board(layout(), options.board)


def _step(options) -> None:
    from truerate.pipeline.dataset import step

    given = options.name, options.board, options.model, options.shard, options.output, options.inputs
    step(layout(), *given)


def _export(options) -> None:
    from truerate.pipeline.dataset import export

    export(layout(), options.board, options.output, options.inputs)


def _label(options) -> None:
    from truerate.pipeline.evaluate import label

    label(layout(), options.board)


def _detect(options) -> None:
    from truerate.pipeline import detect

    *families, board = options.boards  # dvc.yaml of release 0.1 named a family before the board
    if families:
        say(
            f"{options.command} takes a board alone and makes all its families; the next release refuses {families[0]!r}"
        )
    (detect.train if options.command == "train" else detect.judge)(layout(), board)


def _train_cell(options) -> None:
    from truerate.pipeline.detect import train_cell

    train_cell(layout(), options.board, options.cell)


def _prune(_options) -> None:
    say("prune has nothing to do any more: the stage that follows does it; the next release refuses it")


def _score(options) -> None:
    from truerate.pipeline.evaluate import score

    score(layout(), options.board)


def _leaderboard(_options) -> None:
    from truerate.pipeline.pages import leaderboard

    leaderboard(layout())


def _render(_options) -> None:
    from truerate.results.read import render

    render(layout())
