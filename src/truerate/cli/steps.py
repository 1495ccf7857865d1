"""The steps that dvc.yaml and the rules call, unlisted by --help. Each imports what it runs when called."""

import sys

from truerate.cli.command import command, layout
from truerate.core.process.terminal import say


@command("make")
def _make(o) -> None:
    from truerate.pipeline.run_tools import make

    sys.exit(make(o.rules, o.target))


@command("params")
def _params(o) -> None:
    from truerate.pipeline.checks.probe import unasked_first
    from truerate.pipeline.guard import check_params

    check_params()
    for line in unasked_first(layout()):
        say(line)


@command("import", "readable")
def _source(o) -> None:
    from truerate.pipeline.sources import check_source, import_source

    (import_source if o.command == "import" else check_source)(layout(), o.name)


@command("board-of-files")
def _board_of_files(o) -> None:
    from truerate.results.stages import make_board

    make_board(layout(), o.board)


@command("step", "export", "gc")
def _dataset(o) -> None:
    from truerate.pipeline import dataset

    if o.command == "step":
        dataset.step(layout(), o.name, o.board, o.model, o.shard, o.output, o.inputs)
    elif o.command == "export":
        dataset.export(layout(), o.board, o.output, o.inputs)
    else:
        print(*dataset.gc(layout()) or ["nothing to remove"], sep="\n")


@command("label", "score")
def _evaluate(o) -> None:
    from truerate.pipeline import evaluate

    (evaluate.label if o.command == "label" else evaluate.score)(layout(), o.board)


@command("train", "judge")
def _detect(o) -> None:
    from truerate.pipeline import detect

    *families, board = o.boards  # dvc.yaml of release 0.1 named a family before the board
    if families:
        say(
            f"{o.command} takes a board alone and makes all its families; the next release refuses "
            f"{families[0]!r}"
        )
    (detect.train if o.command == "train" else detect.judge)(layout(), board)


@command("train-cell")
def _train_cell(o) -> None:
    from truerate.pipeline.detect import train_cell

    train_cell(layout(), o.board, o.cell)


@command("prune")
def _prune(o) -> None:
    say("prune has nothing to do any more: the stage that follows does it; the next release refuses it")


@command("leaderboard")
def _leaderboard(o) -> None:
    from truerate.pipeline.pages import leaderboard

    leaderboard(layout())


@command("render")
def _render(o) -> None:
    from truerate.results.read import render

    render(layout())


@command("slim")
def _slim(o) -> None:
    from truerate.pipeline.publishing.slim_site import slim

    slim(layout().p.paths.site)
