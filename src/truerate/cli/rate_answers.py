"""`truerate rate`: what share of one's own answers is hallucinated."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from truerate.answers.gating import NO_REPORTS, Reports, write_reports
from truerate.answers.page import check_place, write_page
from truerate.answers.rated import Unit
from truerate.answers.rating import rate, table_for, unit_of
from truerate.answers.telling import as_dict, lines, rate_decision
from truerate.answers.verdicts import JUDGE
from truerate.core.errors import SettingsError
from truerate.core.process.project import PARAMS
from truerate.core.process.terminal import say
from truerate.sources.answers.opening import named_after
from truerate.sources.answers.reading import STATED
from truerate.sources.answers.table import answers_of

UNSEEN = str.maketrans({chr(code): "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) != "\n"})


def run(
    answers: str | list[str],
    *,
    labels: str | None,
    detector: str | None,
    adapter: str | None,
    unit: Unit | None,
    fields: Sequence[str],
    verdicts: str,
    threshold: float,
    page: str | None,
    as_json: bool,
    dry_run: bool,
    fail_above: float | None = None,
    reports: Reports = NO_REPORTS,
) -> int:
    """Print the report on a file of answers, or on files that are one export together, as JSON if asked, and write
    its page; with `dry_run` say what would be judged and cost, and ask nothing. Returns the exit code, of `fail_above` (percent) if given.
    """
    if fail_above is None and any(reports):
        raise SettingsError("--junit and --markdown hold a decision: give --fail-above PERCENT")
    if fail_above is not None and not 0 <= fail_above <= 100:
        raise SettingsError(f"--fail-above {fail_above:g}: allowed: 0 to 100 percent")
    how = {
        "labels": labels,
        "detector": detector,
        "fields": fields,
        "verdicts": verdicts,
        "threshold": threshold,
    }
    if dry_run:
        print(*dry(answers, adapter=adapter, unit=unit, **how), sep="\n")
        return 0
    is_anew = check_place(page or beside(answers)).exists()
    report = rate(answers, adapter=adapter, unit=unit, **how)
    folder = write_page(report, page or beside(answers))  # before a reader of the output may stop reading
    if as_json:
        print(json.dumps(as_dict(report), ensure_ascii=False))
    else:
        print(*(line.translate(UNSEEN) for line in lines(report)), sep="\n")
    say(f"page: {folder}{', in place of the earlier one' if is_anew else ''}")
    if fail_above is None:
        return 0
    decision = rate_decision(report, fail_above / 100)
    write_reports(decision, reports)
    if not as_json:
        print(decision.sentence)
    return decision.code


def beside(answers: str | list[str]) -> Path:
    """The folder of the page where none is named: beside the answers, or the first file of them, named after it."""
    return named_after(answers if isinstance(answers, str) else answers[0], "-rate")


def dry(
    answers: str | list[str], *, detector: str | None, adapter: str | None, unit: Unit | None, **how: Any
) -> list[str]:
    """Return what a run would do: answers, labels, unit, detector, and of a judge calls, tokens and money."""
    table = table_for(answers, detector=detector, **how)
    stated = table.frame.filter(pl.col("state") == STATED)
    n_referred = int((stated["reference"] != "").sum())
    report = [
        *table.notes,
        f"answers: {table.frame.height}, {table.frame.height - stated.height} of them abstain or are empty; "
        f"{n_referred} with a reference; labelled: {table.frame['label'].count()}",
        f"unit: {unit_of(table.frame, unit)}",
    ]
    if table.verdicts and detector is None:
        return [*report, f"verdicts: {', '.join(table.verdicts)}, of the file", "calls: 0"]
    from truerate.answers.judging import detector_of, would_cost
    from truerate.config.layout import Layout

    judge = detector_of(detector, adapter=adapter)
    report.append(f"detector: {judge.name} ({judge.why})")
    if not judge.name.startswith(JUDGE):
        return [*report, "calls: 0"]
    cost = would_cost(answers_of(stated), judge.name.removeprefix(JUDGE), Layout.load(PARAMS))
    money = f"{cost.usd_low:.4f} to {cost.usd_high:.4f} USD"
    return [
        *report,
        f"calls: {cost.n_calls}, {cost.n_stored} replies are stored; "
        f"{cost.tokens_low:,} to {cost.tokens_high:,} tokens; {money}",
    ]
