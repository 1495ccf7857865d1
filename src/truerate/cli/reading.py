"""The commands that look: at models, boards, texts of one's own and sources; and those that serve what is there."""

import argparse
import sys

from truerate.cli.command import add, layout


def add_reading(commands) -> None:
    """These commands, in the order of --help."""
    _of_models(commands)
    _of_boards(commands)
    _checking(commands)
    _of_sources(commands)
    _serving(commands)


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
    rate.add_argument(
        "--field",
        action="append",
        default=[],
        metavar="ROLE=FIELD",
        help="a field by another name: answer=output",
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


# ---- what they do ------------------------------------------------------------------------------------------
def _doctor(o) -> None:
    from truerate.cli.doctor import examine, show

    show(examine(layout(), ask=o.ask), as_json=o.json)


def _plan(o) -> None:
    from truerate.pipeline.checks.unasked import of_plan
    from truerate.pipeline.planning import plan
    from truerate.pipeline.planning.gpu_plan import gpu_plan
    from truerate.pipeline.repair.imported import change_notes

    at = layout()
    lines = plan.plan(at, o.board)
    notes = [
        *change_notes(at, o.board),
        *plan.label_notes(at, o.board),
        *of_plan(at, [o.board] if o.board else at.p.boards, lines),
    ]
    plan.show(lines, plan.labels(at, o.board), as_json=o.json, gpu=gpu_plan(at, o.board), notes=notes)


def _profile(o) -> None:
    from truerate.config.profile import with_profile

    print(with_profile("params.yaml", o.file), end="")


def _probe(o) -> None:
    from truerate.cli.probe import run

    sys.exit(run(layout(), o.model, n=o.n, boards=o.board, dry_run=o.dry_run, as_json=o.json))


def _boards(o) -> None:
    from truerate.cli.report import show_boards

    show_boards(layout(), as_json=o.json)


def _board(o) -> None:
    from truerate.cli.report import show_board, show_metrics

    if o.metrics:
        show_metrics(layout(), o.name, as_json=o.json)
    else:
        show_board(layout(), o.name, as_json=o.json, table=o.table)


def _audit(o) -> None:
    from truerate.cli.report import show_audit

    at = layout()
    at.p.board(o.name)
    from truerate.pipeline.evaluate import audit

    audit(at, o.name) if o.save else show_audit(at, o.name, as_json=o.json)


def _check(o) -> None:
    from truerate.cli.check_text import Turns, run

    run(
        reference=o.reference,
        answer=o.answer,
        pairs=o.pairs,
        detector=o.detector,
        as_json=o.json,
        html=o.html,
        turns=Turns(o.history, o.question),
    )


def _rate(o) -> None:
    from truerate.cli.rate_answers import run

    run(
        o.answers,
        labels=o.labels,
        detector=o.detector,
        adapter=o.adapter,
        unit=o.unit,
        fields=o.field,
        page=o.page,
        as_json=o.json,
        dry_run=o.dry_run,
    )


def _sources(o) -> None:
    from truerate.cli.report import show_readers, show_sources

    show_readers(as_json=o.json) if o.readers else show_sources(layout(), as_json=o.json)


def _fetch_articles(o) -> None:
    from pathlib import Path

    from truerate.sources.cards import keep_card
    from truerate.sources.raw.wikipedia import CARD
    from truerate.web import articles, mediawiki

    rules, languages = layout().p.articles()
    languages = o.languages.split(",") if o.languages else languages
    wanted = articles.Wanted(languages, o.n, rules.min_characters, rules.excluded_tags, o.titles)
    asked = articles.Asked(o.contact, o.api or mediawiki.API, o.allow_private)
    for lang, n in articles.fetch(Path(o.folder), wanted, asked).items():
        print(f"{lang}: {n} articles")
    if not o.api:
        keep_card(Path(o.folder), CARD)


def _serve(o) -> None:
    from truerate.cli.report import serve

    serve(layout(), o.port)


def _serve_judge(o) -> None:
    from truerate.pipeline.judges.judge_network import network_judge
    from truerate.pipeline.judges.judge_server import serve

    judge, identity = network_judge(o.weights)
    server = serve(judge, o.port, name=o.weights, identity=o.identity or identity)
    print(f"{o.weights} answers at http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
