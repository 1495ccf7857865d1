"""Public sets that are tables of labelled answers: answer_sets.yaml says which field is which, and the reader of a
person's own file of answers does the rest.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from truerate.config.data import AnswerFields, Rights
from truerate.core.data_files import read_data
from truerate.core.errors import SourceError
from truerate.sources.answers import labelled
from truerate.sources.cards import TOLD_FIELDS, published_card
from truerate.sources.downloads import matching, public_set
from truerate.sources.tables import SourceTables

SETS: dict[str, dict] = read_data(Path(__file__).with_name("answer_sets.yaml"), dict)
RIGHTS = ("name", "citation", "url", "licence", "redistribution")


def readers() -> dict[str, Callable[..., SourceTables]]:
    """The readers of the sets by name, each with its card."""
    by_name: dict[str, Callable[..., SourceTables]] = {}
    for name in SETS:
        by_name[name] = partial(_read, name)
        vars(by_name[name]).update(card=published_card(name), unproven={})
    return by_name


def _read(which: str, folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Read a set as `answers.labelled.read` reads a file. Raises SourceError where none of its files is there."""
    card, fields = published_card(which), AnswerFields(**SETS[which])
    if not matching(folder, *fields.files):
        looked_for = ", ".join(public_set(which).patterns)
        raise SourceError(
            f"source {name!r}: none of the files of {card['name']} in {str(folder)!r}; looked for: {looked_for}"
        )
    rights = Rights(**{field: card[field] for field in RIGHTS if card.get(field)})
    tables = labelled.read(
        folder, name=name, on_bad_row=on_bad_row, rights=rights, answers=fields, is_published=True
    )
    given = {field: card[field] for field in TOLD_FIELDS if card.get(field)}
    caveats = [*filter(None, [card.get("note")]), *(tables.card.get("caveats") or ())]
    return replace(tables, card=tables.card | given | {"caveats": caveats, "lang": card.get("lang")})
