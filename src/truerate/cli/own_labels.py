"""`truerate draw` and `truerate compare`: one's own answers to be labelled, and beside earlier ones."""

import json
from collections.abc import Sequence
from typing import Any

from truerate.answers.comparing import compare
from truerate.answers.drawing import Plan, draw_labels, prefix_of, title_of, write_sheets
from truerate.answers.gating import Reports, write_reports
from truerate.cli.rate_answers import UNSEEN


def draw(answers: str, plan: Plan, *, labels: str | None, fields: Sequence[str], to: str | None) -> None:
    """Draw answers to be labelled, write their sheets and say what was drawn and what to do with it."""
    sheets = draw_labels(answers, **vars(plan), labels=labels, fields=fields)
    files = write_sheets(sheets, to or prefix_of(answers), name=title_of(answers))
    print(*sheets.notes, sep="\n")
    for path in files:
        print(f"written: {path}")
    if labels is not None:
        print(
            "earlier labels stand in the sheet and the tasks; beside the page's export: cat …-earlier.jsonl EXPORT"
        )
    print(f"label them in one of these, then: truerate rate {answers} --labels FILE")


def compared(old: str, new: str, *, reports: Reports, as_json: bool, **how: Any) -> int:
    """Print whether new answers are worse than old ones (`compare`), write reports, return the exit code."""
    comparison = compare(old, new, **how)
    decision = comparison.decision
    write_reports(decision, reports)
    if as_json:
        difference = None if comparison.difference is None else vars(comparison.difference)
        fields = {**vars(decision), "margin": comparison.margin, "difference": difference}
        print(json.dumps(fields, ensure_ascii=False))
    else:
        lines = (decision.sentence, *(f"  {note}" for note in decision.notes))
        print(*(line.translate(UNSEEN) for line in lines), sep="\n")
    return decision.code
