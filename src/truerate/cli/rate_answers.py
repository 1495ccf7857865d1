"""`truerate rate`: what share of one's own answers is hallucinated."""

import json
from collections.abc import Sequence
from pathlib import Path

from truerate.answers.fields import given_fields
from truerate.answers.judging import PARAMS, detector_of
from truerate.answers.labels import read_labels
from truerate.answers.page import check_place, write_page
from truerate.answers.rating import Unit, rate, unit_of
from truerate.answers.reading import STATED, read_answers
from truerate.answers.telling import as_dict, lines
from truerate.answers.verdicts import JUDGE
from truerate.config.layout import Layout
from truerate.core.process.system_errors import check_regular
from truerate.core.process.terminal import say

UNSEEN = str.maketrans({chr(code): "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) != "\n"})


def run(
    answers: str,
    *,
    labels: str | None,
    detector: str | None,
    adapter: str | None,
    unit: Unit | None,
    fields: Sequence[str],
    page: str | None,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Print the report on a file of answers, as JSON if asked, and write its page; with `dry_run` say what
    would be judged and cost, and ask nothing.
    """
    if dry_run:
        print(
            *dry(answers, labels=labels, detector=detector, adapter=adapter, unit=unit, fields=fields),
            sep="\n",
        )
        return
    check_regular(answers, "answers")
    check_place(page or beside(answers))
    report = rate(answers, labels=labels, detector=detector, adapter=adapter, unit=unit, fields=fields)
    folder = write_page(report, page or beside(answers))  # before a reader of the output may stop reading
    if as_json:
        print(json.dumps(as_dict(report), ensure_ascii=False))
    else:
        print(*(line.translate(UNSEEN) for line in lines(report)), sep="\n")
    say(f"page: {folder}")


def beside(answers: str) -> Path:
    """The folder of the page where none is named: beside the answers, named after them."""
    path = Path(answers)
    return path.with_name(f"{path.stem}-rate")


def dry(
    answers: str,
    *,
    labels: str | None,
    detector: str | None,
    adapter: str | None,
    unit: Unit | None,
    fields: Sequence[str] = (),
) -> list[str]:
    """Return what a run would do: answers, labels, unit, detector, and of a judge calls, tokens and money."""
    file = read_answers(answers, given_fields(fields))
    labelled = read_labels(labels, file) if labels else {}
    judge = detector_of(detector, adapter=adapter)
    stated = [answer for answer in file.answers if answer.state == STATED]
    n_referred = sum(bool(answer.reference) for answer in stated)
    report = [
        *file.notes,
        f"answers: {len(file.answers)}, {len(file.answers) - len(stated)} of them abstain or are empty; "
        f"{n_referred} with a reference; labelled: {len(labelled)}",
        f"unit: {unit_of(labelled, unit)}",
        f"detector: {judge.name} ({judge.why})",
    ]
    if not judge.name.startswith(JUDGE):
        return [*report, "calls: 0"]
    from truerate.answers.judging import would_cost

    cost = would_cost(stated, judge.name.removeprefix(JUDGE), Layout.load(PARAMS))
    money = f"{cost.usd_low:.4f} to {cost.usd_high:.4f} USD"
    return [
        *report,
        f"calls: {cost.n_calls}, {cost.n_stored} replies are stored; "
        f"{cost.tokens_low:,} to {cost.tokens_high:,} tokens; {money}",
    ]
