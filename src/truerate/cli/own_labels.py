"""`truerate draw`: sheets of one's own answers to be labelled."""

from collections.abc import Sequence

from truerate.answers.drawing import Plan, draw_labels, frame_of, prefix_of, title_of, write_sheets
from truerate.answers.fields import given_fields
from truerate.answers.table import read_table


def draw(answers: str, plan: Plan, *, fields: Sequence[str], to: str | None) -> None:
    """Draw answers to be labelled, write their sheets and say what was drawn and what to do with it."""
    wanted = [*plan.by, *([plan.score] if plan.score else [])]
    file = read_table(answers, fields=given_fields(fields), slices=wanted)
    sheets = draw_labels(frame_of(file), plan)
    files = write_sheets(sheets, to or prefix_of(answers), name=title_of(answers))
    print(*file.notes, *sheets.notes, sep="\n")
    for path in files:
        print(f"written: {path}")
    print(f"label them in one of these, then: truerate rate {answers} --labels FILE")
