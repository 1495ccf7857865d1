"""The commands that look (at models, boards, texts, sources), and those that serve what is there."""

import json
import os
import sys
from pathlib import Path

from truerate.cli.command import command, layout
from truerate.core.process.project import PARAMS


@command("doctor")
def _doctor(o) -> None:
    from truerate.cli.doctor import examine, show

    config = layout() if o.ask or Path(PARAMS).is_file() else None
    show(examine(config, ask=o.ask), as_json=o.json)


@command("plan")
def _plan(o) -> None:
    from truerate.pipeline.checks.unasked import of_plan
    from truerate.pipeline.planning import plan
    from truerate.pipeline.planning.gpu_plan import gpu_plan
    from truerate.pipeline.repair.imported import change_notes

    config = layout()
    lines = plan.plan(config, o.board)
    notes = [
        *plan.call_notes(config, lines),
        *change_notes(config, o.board),
        *plan.label_notes(config, o.board),
        *of_plan(config, [o.board] if o.board else config.p.boards, lines),
    ]
    plan.show(lines, plan.labels(config, o.board), as_json=o.json, gpu=gpu_plan(config, o.board), notes=notes)


@command("profile")
def _profile(o) -> None:
    from truerate.config.profile import with_profile

    print(with_profile("params.yaml", o.file), end="")


@command("probe")
def _probe(o) -> None:
    from truerate.cli.probe import run, run_canary

    if o.canary is not None:
        sys.exit(run_canary(layout(), o.model, o.canary, dry_run=o.dry_run, as_json=o.json))
    sys.exit(run(layout(), o.model, n=o.n, boards=o.board, dry_run=o.dry_run, as_json=o.json))


@command("boards", "board", "sources", "serve")
def _report(o) -> None:
    import truerate.cli.report as report

    if o.command == "boards":
        report.show_boards(layout(), as_json=o.json)
    elif o.command == "serve":
        report.serve(layout(), o.port)
    elif o.command == "sources":
        report.show_readers(as_json=o.json) if o.readers else report.show_sources(layout(), as_json=o.json)
    elif o.eee:
        from truerate.results.exchange.every_eval import write_every_eval
        from truerate.results.exchange.outgoing import outgoing

        print(*write_every_eval(outgoing(layout(), o.name, table=o.table), Path(o.eee)), sep="\n")
    elif o.metrics:
        report.show_metrics(layout(), o.name, as_json=o.json)
    else:
        report.show_board(layout(), o.name, as_json=o.json, table=o.table)


@command("audit")
def _audit(o) -> None:
    from truerate.cli.report import show_audit
    from truerate.pipeline.evaluate import audit

    config = layout()
    config.p.board(o.name)
    audit(config, o.name) if o.save else show_audit(config, o.name, as_json=o.json)


@command("annotate")
def _annotate(o) -> None:
    from truerate.pipeline.labelling import write_labelling_page

    print(write_labelling_page(layout(), o.board, annotator=o.annotator, to=o.to))


@command("check")
def _check(o) -> None:
    from truerate.cli.check_text import Turns, run

    texts = {
        "reference": o.reference,
        "answer": o.answer,
        "pairs": o.pairs,
        "turns": Turns(o.history, o.question),
    }
    run(**texts, detector=o.detector, as_json=o.json, html=o.html)


@command("rate")
def _rate(o) -> int:
    # polars gives memory back soon, as it takes that of a large file block by block (at once costs a third more CPU time)
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:50,muzzy_decay_ms:0")
    from truerate.answers.gating import Reports
    from truerate.cli.rate_answers import run

    gate = {"fail_above": o.fail_above, "reports": Reports(o.junit, o.markdown)}
    answers = o.answers if len(o.answers) > 1 else o.answers[0]
    return run(answers, **_how(o), **gate, unit=o.unit, page=o.page, as_json=o.json, dry_run=o.dry_run)


def _how(o) -> dict:
    """How answers of one's own are read and judged, of `rate` and `compare`."""
    names = ("labels", "detector", "adapter", "verdicts", "threshold")
    return {"fields": o.map, **{name: getattr(o, name) for name in names}}


@command("draw")
def _draw(o) -> None:
    from truerate.answers.drawing import Plan
    from truerate.cli.own_labels import draw

    by = tuple(name for name in (o.by or "").split(",") if name)
    plan = Plan(o.n, by, o.score, o.design, o.shared, o.annotators, o.seed)
    draw(o.answers, plan, labels=o.labels, fields=o.map, to=o.to)


@command("compare")
def _compare(o) -> int:
    from truerate.answers.gating import Reports
    from truerate.cli.own_labels import compared

    reports = Reports(o.junit, o.markdown)
    return compared(o.old, o.new, **_how(o), margin=o.margin, reports=reports, as_json=o.json)


@command("verify")
def _verify(o) -> int:
    from truerate.hub.provenance.verify import verify

    verdict = verify(Path(o.folder), Path(o.key) if o.key else None)
    if o.json:
        print(json.dumps(verdict._asdict(), ensure_ascii=False, indent=1))
    else:
        as_stated = f"{verdict.n_files} files are as stated; signature: {verdict.signature}"
        print("\n".join(verdict.problems) or as_stated)
    return 1 if verdict.problems else 0


@command("fetch-articles")
def _fetch_articles(o) -> None:
    from truerate.sources.cards import keep_card, published_card
    from truerate.web import articles, mediawiki

    rules, languages = layout().p.articles()
    languages = o.languages.split(",") if o.languages else languages
    wanted = articles.Wanted(languages, o.n, rules.min_characters, rules.excluded_tags, o.titles)
    asked = articles.Asked(o.contact, o.api or mediawiki.API, o.allow_private)
    for lang, n in articles.fetch(Path(o.folder), wanted, asked).items():
        print(f"{lang}: {n} articles")
    if not o.api:
        keep_card(Path(o.folder), published_card("wikipedia"))


@command("serve-judge")
def _serve_judge(o) -> None:
    from truerate.pipeline.judges.judge_network import network_judge
    from truerate.pipeline.judges.judge_server import serve

    judge, identity = network_judge(o.weights)
    server = serve(judge, o.port, name=o.weights, identity=o.identity or identity)
    print(f"{o.weights} answers at http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
