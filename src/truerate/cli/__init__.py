"""The commands. Reading commands take --json; steps are what dvc.yaml and the rules call.

Errors a user can mend are one line on stderr and exit code 2. Rooms are imported only by the command that
needs them.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from truerate.core import parents
from truerate.core.cpu import hold_to_avx2
from truerate.core.errors import TruerateError
from truerate.core.terminal import say
from truerate.flow.repair_lock import mend

OF_SNAKEMAKE = ("step", "export", "import")  # the commands of rules


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 2 a mistake to mend, 130 interrupted."""
    options = parser().parse_args(arguments)
    hold_to_avx2(os.environ)
    begin(options.command)
    try:
        options.run(options)
    except TruerateError as error:
        return _stopped(options.command, str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output went away (`| head`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a file that is not there, a folder that cannot be written, a full disk
        place = error.filename2 or error.filename
        return _stopped(options.command, f"{str(place)!r}: {error.strerror}" if place else str(error))
    return 0


def begin(command: str) -> None:
    """Before any command: one of a build ends with that build; one that a person gives first mends what a
    kill left of DVC's files.
    """
    if parents.is_in_stage():
        if command != "make":  # which ends more than itself
            parents.end_with_them()
    elif command != "mend":
        with suppress(OSError):  # a checkout that this user may only read
            for line in mend():
                say(line)


def _stopped(command: str, why: str) -> int:
    """The exit code of a mistake to mend, once it is said; in a stage also what to do then, which `make` says
    where Snakemake runs it.
    """
    say(why)
    if parents.is_in_stage() and command not in OF_SNAKEMAKE:
        from truerate.flow.making import say_stopped

        say_stopped()
    return 2


def parser() -> argparse.ArgumentParser:
    """The command line: reading commands first, then the steps of the build."""
    top = argparse.ArgumentParser(
        prog="truerate", description="Benchmarks of LLM hallucination whose numbers can be believed."
    )
    commands = top.add_subparsers(metavar="COMMAND", dest="command", required=True)
    _reading(commands)
    store = commands.add_parser("llm", help="the response store: stats, dead letters, export, import")
    _llm(store.add_subparsers(required=True, metavar="WHAT"))
    pages = commands.add_parser("web", help="the page store: stats, pages to be asked for again")
    _web(pages.add_subparsers(required=True, metavar="WHAT"))
    _steps(commands)
    return top


def _add(
    commands, name: str, help_text: str | None, run: Callable, *arguments: str, json: bool = False
) -> argparse.ArgumentParser:
    """One command whose positional arguments are handed to `run` through the options. Steps stand without a
    line in --help.
    """
    extra = {"help": help_text} if help_text else {}
    command = commands.add_parser(name, description=help_text, **extra)
    for argument in arguments:
        command.add_argument(argument)
    if json:
        command.add_argument("--json", action="store_true", help="print JSON for programs")
    command.set_defaults(run=run)
    return command


def _at():
    from truerate.config.layout import Layout

    return Layout.load()


# ---- commands for people -----------------------------------------------------------------------------------
def _reading(commands) -> None:
    _add(
        commands,
        "doctor",
        "what is present: Python, packages, GPU, keys by name, endpoints",
        _doctor,
        json=True,
    )
    plan = _add(
        commands,
        "plan",
        "calls, stored replies, tokens and money of a build, without asking anything",
        _plan,
        json=True,
    )
    plan.add_argument("board", nargs="?", help="one board; default: all")
    _add(commands, "boards", "the boards and who leads them", _boards, json=True)
    board = _add(commands, "board", "the lines of one board", _board, "name", json=True)
    board.add_argument(
        "--metrics", action="store_true", help="what each of its metrics is, in place of the lines"
    )
    audit = _add(commands, "audit", "the shortcut audit of one board", _audit, "name", json=True)
    audit.add_argument("--save", action="store_true", help="compute and write it (what the stage does)")
    check = _add(
        commands,
        "check",
        "mark what a reference does not bear out in an answer of your own",
        _check,
        json=True,
    )
    check.add_argument("--reference", metavar="FILE", help="text file to check against; `-`: stdin")
    check.add_argument("--answer", metavar="FILE", help="text file to check; `-`: stdin")
    many = (
        'many pairs: a JSONL file with {"reference": …, "answer": …} and perhaps an "id" per line; `-`: stdin'
    )
    check.add_argument("--pairs", metavar="FILE", help=many)
    named = (
        "a trained token detector, or a published one (org/name@v1.0); default: the one that makes the rates"
    )
    check.add_argument("--detector", metavar="NAME", help=named)
    check.add_argument("--html", metavar="FILE", help="write a page with the marked text too")
    _fetching(
        _add(
            commands,
            "fetch-articles",
            "fetch articles of Wikipedia, for the reader `wikipedia`",
            _fetch_articles,
            "folder",
        )
    )
    sources = _add(
        commands, "sources", "the sources: cards, licences, revisions, what is missing", _sources, json=True
    )
    sources.add_argument(
        "--readers", action="store_true", help="the formats that can be read, with their cards"
    )
    serve = _add(commands, "serve", "serve the built site on this machine", _serve)
    serve.add_argument("--port", type=int, default=8000)
    publish = _add(
        commands,
        "publish",
        "put a board or a trained detector on the Hugging Face Hub, in one commit",
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
    build = _add(
        commands,
        "build",
        "check the settings, then `dvc repro`; says last what to do where it stopped",
        _build,
    )
    build.add_argument("stages", nargs="*", help="stages of dvc.yaml with what they need; default: all")
    _add(commands, "where", "the path of the built page and how to serve it", _where)
    _add(commands, "gc", "remove scratch folders that nothing names any more", _gc)
    _add(
        commands,
        "mend",
        "after a kill: put right what it cut of DVC's lock files (every command does so first)",
        _mend,
    )
    real = _add(
        commands,
        "real",
        "build the boards of public files in a folder, apart from the committed ones",
        _real,
        "data",
    )
    real.add_argument("--work", default="build/real", help="folder of that build")
    real.add_argument(
        "--tables",
        metavar="FILE",
        help="a file whose tables between markers are rewritten, beside those in the work folder",
    )


def _doctor(o) -> None:
    from truerate.cli import doctor

    doctor.show(doctor.examine(_at()), as_json=o.json)


def _plan(o) -> None:
    from truerate.flow import plan

    plan.show(plan.plan(_at(), o.board), as_json=o.json)


def _boards(o) -> None:
    from truerate.cli import report

    report.show_boards(_at(), as_json=o.json)


def _board(o) -> None:
    from truerate.cli import report

    show = report.show_metrics if o.metrics else report.show_board
    show(_at(), o.name, as_json=o.json)


def _audit(o) -> None:
    from truerate.cli import report

    at = _at()
    at.p.board(o.name)
    _flow("evaluate").audit(at, o.name) if o.save else report.show_audit(at, o.name, as_json=o.json)


def _check(o) -> None:
    from truerate.cli import check_text

    check_text.run(
        reference=o.reference,
        answer=o.answer,
        pairs=o.pairs,
        detector=o.detector,
        as_json=o.json,
        html=o.html,
    )


def _sources(o) -> None:
    from truerate.cli import report

    report.show_readers(as_json=o.json) if o.readers else report.show_sources(_at(), as_json=o.json)


def _publish(o) -> None:
    from truerate.flow import publish

    publish.publish(_at(), o.name, to=o.to, is_public=o.public, tag=o.tag, dry_run=o.dry_run)


def _fetching(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--languages", metavar="CODES", help="as in en,de; default: those of the track whose rules are used"
    )
    command.add_argument(
        "--n", type=int, help="articles per language, drawn at random where no titles are named"
    )
    command.add_argument(
        "--titles",
        metavar="FILE",
        help="a title per line, a tab and its revision behind; {lang} stands for the language",
    )
    command.add_argument("--contact", required=True, help="your e-mail address or page, for the wiki's hosts")
    command.add_argument(
        "--api", metavar="URL", help="a MediaWiki's api.php, {lang} in it; default: Wikipedia's"
    )
    command.add_argument(
        "--allow-private",
        metavar="HOST",
        action="append",
        default=[],
        help="a private host that may be asked",
    )


def _fetch_articles(o) -> None:
    from pathlib import Path

    from truerate.web import articles, mediawiki

    rules, languages = _at().p.articles()
    languages = o.languages.split(",") if o.languages else languages
    wanted = articles.Wanted(languages, o.n, rules.min_characters, rules.excluded_tags, o.titles)
    asked = articles.Asked(o.contact, o.api or mediawiki.API, o.allow_private)
    for lang, n in articles.fetch(Path(o.folder), wanted, asked).items():
        print(f"{lang}: {n} articles")


def _mend(o) -> None:
    print(*mend() or ["nothing to mend"], sep="\n")


def _build(o) -> None:
    from truerate.flow.ending import tell
    from truerate.flow.making import build

    _flow("guard").check_params(
        is_kept=False
    )  # before DVC reads the same file, and says of a mistake in it what it can
    code = build(o.stages)
    if not code:
        tell(_at())
    sys.exit(code)


def _gc(o) -> None:
    print(*_flow("dataset").gc(_at()) or ["nothing to remove"], sep="\n")


def _serve(o) -> None:
    from truerate.cli import report

    report.serve(_at(), o.port)


def _where(o) -> None:
    from truerate.cli import report

    report.where(_at())


def _real(o) -> None:
    from truerate.real import build as real

    real.build(_at(), o.data, work=o.work, tables=o.tables)


# ---- the response store ------------------------------------------------------------------------------------
def _llm(commands) -> None:
    _add(
        commands,
        "stats",
        "replies, tokens, money, dead letters by model",
        lambda o: _store().stats(_at(), as_json=o.json),
        json=True,
    )
    dead = _add(commands, "dead", "requests given up, with reasons", _dead, json=True)
    retry = "forget the dead letters of this reason (or `all`), so that the next `dvc repro` asks them again where data sets hold them"
    dead.add_argument("--retry", metavar="REASON", help=retry)
    _add(
        commands,
        "export",
        "write the store to one Parquet file",
        lambda o: _store().export(_at(), o.file),
        "file",
    )
    _add(
        commands,
        "gc",
        "drop old replies of models that params.yaml no longer names in this form",
        lambda o: _store().gc(_at()),
    )
    _add(
        commands,
        "import",
        "add the replies of an exported file",
        lambda o: _store().import_(_at(), o.file),
        "file",
    )


def _dead(o) -> None:
    from truerate.flow.again import ask_again_everywhere

    _store().dead(_at(), retry=o.retry, as_json=o.json, mark=ask_again_everywhere)


def _store():
    from truerate.llm import commands

    return commands


# ---- the page store ----------------------------------------------------------------------------------------
def _web(commands) -> None:
    counts = "pages by what became of them, and whether that may pass"
    _add(commands, "stats", counts, lambda o: _pages().stats(_at(), as_json=o.json), json=True)
    again = "forget pages that did not come for what may pass, so that the next `dvc repro` asks for them again where data sets hold them"
    retry = _add(commands, "retry", again, lambda o: _again(o, _pages().retry, o.reason), json=True)
    retry.add_argument(
        "reason",
        nargs="?",
        default="all",
        help="timeout, error, status, robots, a status such as 503; default: all",
    )
    one = "forget one page, whatever became of it, so that the next `dvc repro` asks for it again where data sets hold it"
    _add(commands, "forget", one, lambda o: _again(o, _pages().forget, o.url), "url", json=True)


def _again(o, forget: Callable, what: str) -> None:
    from truerate.flow.again_pages import ask_pages_again

    forget(_at(), what, mark=ask_pages_again, as_json=o.json)


def _pages():
    from truerate.web import commands

    return commands


# ---- steps -------------------------------------------------------------------------------------------------
def _flow(stage: str):
    """A module of `truerate.flow`, imported when its command is called."""
    return import_module(f"truerate.flow.{stage}")


def _steps(commands) -> None:
    _add(commands, "make", None, _make, "rules", "target")
    _add(commands, "params", None, lambda o: _flow("guard").check_params())
    _add(commands, "import", None, lambda o: _flow("sources").import_source(_at(), o.name), "name")
    _add(commands, "readable", None, lambda o: _flow("sources").check_source(_at(), o.name), "name")
    step = _add(commands, "step", None, _step, "name", "board", "model")
    step.add_argument("shard", type=int)
    step.add_argument("output")
    step.add_argument("inputs", nargs="*")
    export = _add(
        commands,
        "export",
        None,
        lambda o: _flow("dataset").export(_at(), o.board, o.output, o.inputs),
        "board",
        "output",
    )
    export.add_argument("inputs", nargs="*")
    _add(commands, "label", None, lambda o: _flow("evaluate").label(_at(), o.board), "board")
    for name in ("train", "judge"):
        _add(commands, name, None, _detect).add_argument("boards", nargs="+", metavar="board")
    _add(commands, "prune", None, _prune).add_argument("kept", nargs="*")
    _add(commands, "score", None, lambda o: _flow("evaluate").score(_at(), o.board), "board")
    _add(commands, "leaderboard", None, lambda o: _flow("pages").leaderboard(_at()))
    _add(commands, "render", None, lambda o: _flow("pages").render(_at()))


def _detect(o) -> None:
    *families, board = o.boards  # dvc.yaml of release 0.1 named a family before the board
    if families:
        say(
            f"{o.command} takes a board alone and makes all its families; the next release refuses {families[0]!r}"
        )
    getattr(_flow("detect"), o.command)(_at(), board)


def _prune(_o) -> None:
    say("prune has nothing to do any more: the stage that follows does it; the next release refuses it")


def _make(o) -> None:
    from truerate.flow.making import make

    sys.exit(make(o.rules, o.target))


def _step(o) -> None:
    _flow("dataset").step(_at(), o.name, o.board, o.model, o.shard, o.output, o.inputs)
