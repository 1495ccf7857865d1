"""The commands that make something of the whole: builds, boards of public files, releases, and what moved between two."""

import sys
from pathlib import Path

from truerate.cli.command import add, layout
from truerate.pipeline.repair.repair_lock import repair


def add_building(commands) -> None:
    """These commands, in the order of --help."""
    _publishing(commands)
    _building(commands)
    _public(commands)
    _comparing(commands)


def _publishing(commands) -> None:
    publish = add(
        commands,
        "publish",
        "put a board, a trained detector or the site (`site`) on the Hugging Face Hub, in one commit",
        _publish,
        "name",
    )
    publish.add_argument(
        "--to", required=True, metavar="ORG/NAME", help="the repository; made, private, where it is not there"
    )
    publish.add_argument("--public", action="store_true", help="everybody may read it")
    publish.add_argument(
        "--tag", metavar="vX.Y", help="the version; one that holds other content is refused, never moved"
    )
    publish.add_argument(
        "--dry-run", action="store_true", help="show what would be added, changed and deleted; write nothing"
    )
    publish.add_argument(
        "--replace-card",
        action="store_true",
        help="overwrite what was edited by hand in the card there, outside of its kept section",
    )


def _building(commands) -> None:
    build = add(
        commands,
        "build",
        "check the settings, then `dvc repro`; says last what to do where it stopped",
        _build,
    )
    build.add_argument("stages", nargs="*", help="stages of dvc.yaml with what they need; default: all")
    add(commands, "where", "the path of the built page and how to serve it", _where)
    add(commands, "gc", "remove scratch folders that nothing names any more", _gc)
    add(
        commands,
        "mend",
        "after a kill: put right what it cut of DVC's lock files (every command does so first)",
        _repair,
    )


def _public(commands) -> None:
    real = add(
        commands,
        "real",
        "build the boards of public files in a folder, apart from the committed ones",
        _real,
        json=True,
    )
    real.add_argument(
        "data", nargs="?", help="the folder: sets by their names or as clones, or one of them itself"
    )
    real.add_argument(
        "--list",
        action="store_true",
        dest="is_list",
        help="build nothing: name each set, where it comes from, its boards, its licence, and what of it the folder lacks",
    )
    real.add_argument("--work", default="build/real", help="folder of that build")
    real.add_argument(
        "--tables",
        metavar="FILE",
        help="a file whose tables between markers are rewritten, beside those in the work folder",
    )
    real.add_argument(
        "--commit-results",
        nargs="?",
        const="results",
        metavar="FOLDER",
        help="write scores, intervals and the rows behind them there (default results/), without any text",
    )
    real.add_argument(
        "--check",
        metavar="FOLDER",
        help="make every score of committed results anew from their rows; builds nothing",
    )


def _comparing(commands) -> None:
    submit = add(
        commands,
        "submit",
        "write a model's result on a board for a pull request, or check one",
        _submit,
    )
    submit.add_argument("board", nargs="?", help="a board of this build")
    submit.add_argument("model", nargs="?", help="a model of params.yaml that it ranks")
    submit.add_argument(
        "--to", default="submissions", metavar="FOLDER", help="where it goes: FOLDER/BOARD/MODEL"
    )
    submit.add_argument(
        "--check",
        metavar="FOLDER",
        help="hold a submission (…/BOARD/MODEL) against its rows and print the table for its pull request",
    )
    submit.add_argument(
        "--results", default="results", metavar="FOLDER", help="the committed results beside which it stands"
    )
    diff = add(
        commands,
        "diff",
        "what moved between two git revisions: scores, intervals, rank ranges, from committed files alone",
        _diff,
        "first",
        json=True,
    )
    diff.add_argument("second", nargs="?", help="the files as they lie here where none is named")
    diff.add_argument(
        "--html", metavar="FILE", help="a page of it, too: one file that opens from disk, without a script"
    )


# ---- what they do ------------------------------------------------------------------------------------------
def _publish(o) -> None:
    from truerate.pipeline.publishing import publish

    how = {"is_public": o.public, "tag": o.tag, "dry_run": o.dry_run, "replace_card": o.replace_card}
    publish.publish(layout(), o.name, to=o.to, **how)


def _build(o) -> None:
    from truerate.pipeline import trained_elsewhere
    from truerate.pipeline.build_summary import tell
    from truerate.pipeline.checks.project import refuse_project
    from truerate.pipeline.guard import check_params
    from truerate.pipeline.repair.imported import with_changed_files
    from truerate.pipeline.run_tools import build, check_stages

    refuse_project()
    check_params(is_kept=False)  # before DVC reads the same file, and says of a mistake in it what it can
    check_stages(o.stages, layout())
    at = layout()
    code = build(o.stages, first=trained_elsewhere.first(at.p), changed=with_changed_files(at))
    if not code:
        tell(layout())
    sys.exit(code)


def _where(o) -> None:
    from truerate.cli.report import where

    where(layout())


def _gc(o) -> None:
    from truerate.pipeline.dataset import gc

    print(*gc(layout()) or ["nothing to remove"], sep="\n")


def _repair(o) -> None:
    lines = repair()
    if Path("params.yaml").is_file() and Path("dvc.lock").is_file():
        from truerate.pipeline.repair.repair_outs import repair_outs

        lines += repair_outs(layout())
    print(*lines or ["nothing to mend"], sep="\n")


def _real(o) -> None:
    from truerate.cli.real import run

    if o.check:
        from truerate.results.recompute import check_results

        return check_results(o.check)
    how = {"work": o.work, "tables": o.tables, "results": o.commit_results}
    run(layout(), o.data, is_list=o.is_list, as_json=o.json, **how)


def _submit(o) -> None:
    from truerate.cli.real import submission

    submission(layout(), o.board, o.model, to=o.to, check=o.check, results=o.results)


def _diff(o) -> None:
    from truerate.results import diff, diff_page

    place = diff_page.check_place(o.html) if o.html else None
    found = diff.differences(o.first, o.second, metrics=f"{layout().p.paths.metrics}/leaderboard.json")
    if place:
        diff_page.write_page(found, o.first, o.second, place)
    print(diff.as_json(found) if o.json else "\n".join(diff.lines(found)))
