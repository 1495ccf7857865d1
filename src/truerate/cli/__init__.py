"""The commands. Reading commands take --json; steps are what dvc.yaml and the rules call.

Errors a user can mend are one line on stderr and exit code 2. Rooms are imported only by the command that
needs them.
"""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from truerate.cli.command import add, layout
from truerate.cli.steps import add_steps, stage_module
from truerate.cli.stores import add_llm, add_web
from truerate.core import leaving, parents
from truerate.core.cpu import hold_to_avx2
from truerate.core.errors import TruerateError
from truerate.core.terminal import say
from truerate.flow.repair_lock import repair

# Imports make some 10,000 classes and functions that live to the end: to look through them for garbage again and again
# while they are made took a third of the CPU time of a short step. What a step itself leaves in circles is still collected.
SELDOM = (20_000, 50, 50)
OF_SNAKEMAKE = ("step", "export", "import")  # the commands of rules


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 2 a mistake to mend, 130 interrupted."""
    if arguments is None:  # this process is the command's own
        gc.set_threshold(*SELDOM)
        return leaving.at_once(partial(main, sys.argv[1:]))
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
            for line in repair():
                say(line)


def _stopped(command: str, why: str) -> int:
    """The exit code of a mistake to mend, once it is said; in a stage also what to do then, which `make` says
    where Snakemake runs it.
    """
    say(why)
    if parents.is_in_stage():
        from truerate.flow.making import leave_cause, say_stopped

        leave_cause(why)
        if command not in OF_SNAKEMAKE:
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
    add_llm(store.add_subparsers(required=True, metavar="WHAT"))
    pages = commands.add_parser("web", help="the page store: stats, pages to be asked for again")
    add_web(pages.add_subparsers(required=True, metavar="WHAT"))
    add_steps(commands)
    return top


# ---- commands for people -----------------------------------------------------------------------------------
def _reading(commands) -> None:
    """The commands for people, in the order of --help."""
    _of_models(commands)
    _of_boards(commands)
    _checking(commands)
    _of_sources(commands)
    _serving(commands)
    _publishing(commands)
    _building(commands)


def _of_models(commands) -> None:
    doctor = add(
        commands,
        "doctor",
        "what is present: Python, packages, GPU, keys by name, endpoints",
        _doctor,
        json=True,
    )
    doctor.add_argument(
        "--ask",
        metavar="MODEL",
        help="also ask its server a dozen tiny questions: which fields of a request it takes",
    )
    plan = add(
        commands,
        "plan",
        "calls, stored replies, tokens and money of a build, without asking anything",
        _plan,
        json=True,
    )
    plan.add_argument("board", nargs="?", help="one board; default: all")
    add(
        commands,
        "profile",
        "params.yaml with a profile laid over it, such as those of papers in profiles/, as YAML",
        _profile,
        "file",
    )
    probe = add(
        commands,
        "probe",
        "ask a model a few prompts of every kind and show how its replies are read, before a build pays for all",
        _probe,
        "model",
        json=True,
    )
    probe.add_argument("--n", type=int, default=3, help="prompts of each kind; default: 3")
    probe.add_argument("--board", action="append", default=[], metavar="NAME", help="a board; default: all")
    probe.add_argument("--dry-run", action="store_true", help="say what would be asked and cost; ask nothing")


def _of_boards(commands) -> None:
    add(commands, "boards", "the boards and who leads them", _boards, json=True)
    board = add(commands, "board", "the lines of one board", _board, "name", json=True)
    board.add_argument(
        "--metrics", action="store_true", help="what each of its metrics is, in place of the lines"
    )
    board.add_argument("--table", metavar="NAME", help="one of its tables alone, as `recognition`")
    audit = add(commands, "audit", "the shortcut audit of one board", _audit, "name", json=True)
    audit.add_argument("--save", action="store_true", help="compute and write it (what the stage does)")


def _checking(commands) -> None:
    check = add(
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
    before = "of a response in a dialogue, for a judge (its verdict and reason too): text file with the turns before, a line each"
    check.add_argument("--history", metavar="FILE", help=before)
    check.add_argument("--question", metavar="TEXT", help="likewise: the turn that is answered")
    check.add_argument("--html", metavar="FILE", help="write a page with the marked text too")
    _rating(commands)


def _rating(commands) -> None:
    rate = add(
        commands,
        "rate",
        "what share of your own answers is hallucinated, with its interval, from a JSONL file",
        _rate,
        "answers",
        json=True,
    )
    rate.add_argument(
        "--labels", metavar="FILE", help="JSONL: id with is_hallucinated or spans, of answers drawn by chance"
    )
    named = "word-support, number-support, judge:MODEL, FOLDER, HUB-ID@commit, or a trained detector's name"
    rate.add_argument("--detector", metavar="NAME", help=named)
    rate.add_argument(
        "--adapter", metavar="NAME", help="how published weights are asked, where their id does not say"
    )
    rate.add_argument(
        "--unit", metavar="UNIT", help="answers or tokens; default: what was labelled, else answers"
    )
    rate.add_argument("--page", metavar="FOLDER", help="folder of the page; default: beside the answers")
    rate.add_argument("--dry-run", action="store_true", help="say what would be judged and cost; ask nothing")


def _of_sources(commands) -> None:
    _fetching(
        add(
            commands,
            "fetch-articles",
            "fetch articles of Wikipedia, for the reader `wikipedia`",
            _fetch_articles,
            "folder",
        )
    )
    sources = add(
        commands, "sources", "the sources: cards, licences, revisions, what is missing", _sources, json=True
    )
    sources.add_argument(
        "--readers", action="store_true", help="the formats that can be read, with their cards"
    )


def _serving(commands) -> None:
    serve = add(commands, "serve", "serve the built site on this machine", _serve)
    serve.add_argument("--port", type=int, default=8000)
    judge = add(
        commands,
        "serve-judge",
        "a published detector as a judge behind an OpenAI-compatible address; for `launch` of an endpoint",
        _serve_judge,
        "weights",
    )
    judge.add_argument("--port", type=int, required=True, help="of this machine")
    judge.add_argument(
        "--identity", metavar="TEXT", help="what the health check says; default: names the weights"
    )


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


def _doctor(o) -> None:
    from truerate.cli import doctor

    doctor.show(doctor.examine(layout(), ask=o.ask), as_json=o.json)


def _plan(o) -> None:
    from truerate.flow import plan
    from truerate.flow.gpu_plan import gpu_plan

    at = layout()
    plan.show(plan.plan(at, o.board), plan.labels(at, o.board), as_json=o.json, gpu=gpu_plan(at, o.board))


def _profile(o) -> None:
    from truerate.config.profile import with_profile

    print(with_profile("params.yaml", o.file), end="")


def _probe(o) -> None:
    from truerate.cli import probe

    sys.exit(probe.run(layout(), o.model, n=o.n, boards=o.board, dry_run=o.dry_run, as_json=o.json))


def _boards(o) -> None:
    from truerate.cli import report

    report.show_boards(layout(), as_json=o.json)


def _board(o) -> None:
    from truerate.cli import report

    if o.metrics:
        report.show_metrics(layout(), o.name, as_json=o.json)
    else:
        report.show_board(layout(), o.name, as_json=o.json, table=o.table)


def _audit(o) -> None:
    from truerate.cli import report

    at = layout()
    at.p.board(o.name)
    stage_module("evaluate").audit(at, o.name) if o.save else report.show_audit(at, o.name, as_json=o.json)


def _check(o) -> None:
    from truerate.cli import check_text

    check_text.run(
        reference=o.reference,
        answer=o.answer,
        pairs=o.pairs,
        detector=o.detector,
        as_json=o.json,
        html=o.html,
        turns=check_text.Turns(o.history, o.question),
    )


def _rate(o) -> None:
    from truerate.cli import rate_answers

    rate_answers.run(
        o.answers,
        labels=o.labels,
        detector=o.detector,
        adapter=o.adapter,
        unit=o.unit,
        page=o.page,
        as_json=o.json,
        dry_run=o.dry_run,
    )


def _sources(o) -> None:
    from truerate.cli import report

    report.show_readers(as_json=o.json) if o.readers else report.show_sources(layout(), as_json=o.json)


def _publish(o) -> None:
    from truerate.flow import publish

    how = {"is_public": o.public, "tag": o.tag, "dry_run": o.dry_run, "replace_card": o.replace_card}
    publish.publish(layout(), o.name, to=o.to, **how)


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

    rules, languages = layout().p.articles()
    languages = o.languages.split(",") if o.languages else languages
    wanted = articles.Wanted(languages, o.n, rules.min_characters, rules.excluded_tags, o.titles)
    asked = articles.Asked(o.contact, o.api or mediawiki.API, o.allow_private)
    for lang, n in articles.fetch(Path(o.folder), wanted, asked).items():
        print(f"{lang}: {n} articles")


def _repair(o) -> None:
    print(*repair() or ["nothing to mend"], sep="\n")


def _build(o) -> None:
    from truerate.flow import learned
    from truerate.flow.ending import tell
    from truerate.flow.making import build

    stage_module("guard").check_params(
        is_kept=False
    )  # before DVC reads the same file, and says of a mistake in it what it can
    code = build(o.stages, first=learned.first(layout().p))
    if not code:
        tell(layout())
    sys.exit(code)


def _gc(o) -> None:
    print(*stage_module("dataset").gc(layout()) or ["nothing to remove"], sep="\n")


def _serve(o) -> None:
    from truerate.cli import report

    report.serve(layout(), o.port)


def _serve_judge(o) -> None:
    from truerate.flow.judge_network import network_judge
    from truerate.flow.judge_server import serve

    judge, identity = network_judge(o.weights)
    server = serve(judge, o.port, name=o.weights, identity=o.identity or identity)
    print(f"{o.weights} answers at http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


def _where(o) -> None:
    from truerate.cli import report

    report.where(layout())


def _submit(o) -> None:
    from truerate.cli import real

    real.submission(layout(), o.board, o.model, to=o.to, check=o.check, results=o.results)


def _diff(o) -> None:
    from truerate.real import diff, diff_page

    place = diff_page.check_place(o.html) if o.html else None
    found = diff.differences(o.first, o.second, metrics=f"{layout().p.paths.metrics}/leaderboard.json")
    if place:
        diff_page.write_page(found, o.first, o.second, place)
    print(diff.as_json(found) if o.json else "\n".join(diff.lines(found)))


def _real(o) -> None:
    from truerate.cli import real

    if o.check:
        from truerate.real.checking import check_results

        return check_results(o.check)
    how = {"work": o.work, "tables": o.tables, "results": o.commit_results}
    real.run(layout(), o.data, is_list=o.is_list, as_json=o.json, **how)
