"""The commands that make something of the whole: builds, boards of public files, releases, diffs."""

import json
import sys
from pathlib import Path

from truerate.cli.command import command, layout
from truerate.core.errors import SettingsError
from truerate.core.process.fork_server import fork_server
from truerate.pipeline.repair.repair_lock import repair

WORK = "build/real"  # where boards of public sets are built, unless another folder is named


@command("publish")
def _publish(o) -> None:
    from truerate.pipeline.publishing import publish

    config = layout()
    how = {"is_public": o.public, "tag": o.tag, "dry_run": o.dry_run, "replace_card": o.replace_card}
    if o.benchmark or o.eee:
        from truerate.results.exchange.releasing import exchange_files

        how["more"] = exchange_files(config, o.name, benchmark=o.benchmark, eee=o.eee)
    publish.publish(config, o.name, to=o.to, **how)


@command("build")
def _build(o) -> None:
    from truerate.pipeline import trained_elsewhere
    from truerate.pipeline.build_summary import print_build_summary
    from truerate.pipeline.checks.project import refuse_no_clone, refuse_project
    from truerate.pipeline.guard import check_params
    from truerate.pipeline.repair.imported import with_changed_files
    from truerate.pipeline.run_tools import build, check_stages
    from truerate.pipeline.stage_imports import import_for_stages

    refuse_no_clone()
    refuse_project()
    with fork_server(import_for_stages) as python:  # before anything here computes
        check_params(is_kept=False)  # before DVC reads the same file, and says of a mistake in it what it can
        check_stages(o.stages, layout())
        config = layout()
        changed = with_changed_files(config)
        code = build(o.stages, first=trained_elsewhere.first(config.p), changed=changed, python=python)
    if not code:
        print_build_summary(layout())
    sys.exit(code)


@command("where")
def _where(o) -> None:
    from truerate.cli.report import where

    where(layout())


@command("mend")
def _mend(o) -> None:
    lines = repair()
    if Path("params.yaml").is_file() and Path("dvc.lock").is_file():
        from truerate.pipeline.repair.repair_outs import repair_outs

        lines += repair_outs(layout())
    print(*lines or ["nothing to mend"], sep="\n")


@command("real")
def _real(o) -> None:
    """Check results, show the ranges of one, list the public sets, or build the boards of those in a folder."""
    if o.check:
        from truerate.results.recompute import check_results

        check_results(o.check)
    elif o.range:
        _print_ranges(Path(o.range), is_json=o.json)
    elif o.is_list:
        from truerate.results.sets import lines_of, sets_in

        rows = sets_in(layout(), Path(o.data) if o.data else None)
        print(json.dumps(rows, ensure_ascii=False, indent=1) if o.json else "\n".join(lines_of(rows)))
    elif o.json:
        raise SettingsError(
            "`--json` goes with `real --list` and `--range`; a build says what it does line by line"
        )
    elif not o.data:
        raise SettingsError(
            "name the folder of public files (`truerate real DIR`), ask for the sets with `truerate real "
            "--list`, check results by `--check FOLDER`, or name one of them by `--range FOLDER`"
        )
    else:
        _build_boards(o)


def _print_ranges(folder: Path, *, is_json: bool) -> None:
    """Print what each rate of a committed result may be, by the rules of counting that its rows leave open."""
    import polars as pl

    from truerate.results.ranges import page
    from truerate.results.read import read_board
    from truerate.results.tables import markdown

    board = read_board(folder)
    rows = page.table_of(board)
    if is_json:
        return print(json.dumps(rows, ensure_ascii=False, indent=1))
    if board.multiverse is None:
        return print(f"no rule of counting changes a rate of {board.name}")
    cells = pl.DataFrame(rows).with_columns(pl.col("rate", "least", "greatest").mul(100).round(1))
    print(page.sentences(board, board.multiverse), "", *markdown(cells), sep="\n")


def _build_boards(o) -> None:
    """Build the boards of a folder of public sets, or that of a person's own file."""
    where = {"work": o.work, "tables": o.tables, "results": o.commit_results}
    if not (Path(o.data).is_file() or o.name or o.licence):  # a folder of sets
        from truerate.results.build import build

        return build(layout(), o.data, **where | {"work": o.work or WORK})
    from truerate.pipeline.checks.project import refuse_no_clone
    from truerate.results.own_file import build_own

    refuse_no_clone()
    layout()  # a project whose settings hold
    described = {
        name: getattr(o, name) for name in ("name", "licence", "citation", "url", "redistribution", "system")
    }
    read_as = {"fields": o.map, "verdicts": o.verdicts, "labels": o.labels, "threshold": o.threshold}
    build_own(o.data, **described, **read_as, **where)


@command("submit")
def _submit(o) -> None:
    """Write the submission of a model on a board, in our form or the Hub's, or check the one in a folder."""
    if not o.check and not (o.board and o.model):
        raise SettingsError("submit: name a board and a model, or a submission by --check FOLDER/BOARD/MODEL")
    from truerate.results.submit import check_submission, submit

    config = layout()
    if o.hub and not o.check:
        from truerate.results.exchange.hub_results import write_eval_results
        from truerate.results.exchange.outgoing import outgoing

        board = outgoing(config, o.board, results=o.results)
        how = {"data_set": o.hub, "rows": o.rows}
        return print(*write_eval_results(board, o.model, Path(o.to), **how), sep="\n")
    lines = (
        check_submission(config, Path(o.check), Path(o.results))
        if o.check
        else submit(config, o.board, o.model, Path(o.to))
    )
    print("\n".join(lines))


@command("diff")
def _diff(o) -> None:
    from truerate.results import diff

    path = diff.page_path(o.html) if o.html else None
    changes = diff.differences(o.first, o.second, metrics=f"{layout().p.paths.metrics}/leaderboard.json")
    if path:
        diff.write_page(changes, o.first, o.second, path)
    print(diff.as_json(changes) if o.json else "\n".join(diff.lines(changes)))
