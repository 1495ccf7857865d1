"""A board of a person's own file of labelled answers: its page with ranks, built as those of public files are."""

import re
from collections.abc import Sequence
from pathlib import Path

from truerate.config.data import AnswerFields, PublicData, Rights, Source
from truerate.config.params import LONGEST
from truerate.core.errors import SettingsError, listed
from truerate.results.build import build_boards
from truerate.sources.answers.fields import given_fields
from truerate.sources.cards import REDISTRIBUTION
from truerate.sources.reading import read_source
from truerate.sources.tables import SourceTables

READER, TRACK = "answers", "labelled_replies"
SHOWN = 10  # systems named in a line


def build_own(
    file: str,
    *,
    name: str | None,
    licence: str | None,
    citation: str | None = None,
    url: str | None = None,
    redistribution: str | None = None,
    system: str | None = None,
    fields: Sequence[str] = (),
    verdicts: str = "",
    labels: str | None = None,
    threshold: float = 0.5,
    work: str | None,
    tables: str | None = None,
    results: str | None = None,
) -> None:
    """Build the board of a file of labelled answers (`sources.answers.labelled`) called `name`, under its
    licence, in the folder `work` (None: build/ and the board's name); the rest as `build_boards`. `system`: who
    wrote them where no field says it; `fields`: `ROLE=FIELD`, `verdicts`: fields of judges with commas
    between, `threshold`: from which these flag, `labels`: a file of labels, as `truerate rate` takes them.

    Raises TruerateError, one line, before anything is built where name or licence is missing, and for a file
    that cannot be read, names no system or is not labelled.
    """
    missing = [
        option for option, value in (("--name NAME", name), ("--licence LICENCE", licence)) if not value
    ]
    if missing or not name:
        raise SettingsError(
            f"a board of the file {file!r} says what it is called and whose it is: give {listed(missing)}"
        )
    if redistribution not in (None, *REDISTRIBUTION):
        raise SettingsError(f"--redistribution {redistribution!r}: allowed: {listed(REDISTRIBUTION)}")
    rights = Rights(
        name=name, licence=licence, citation=citation, url=url, redistribution=redistribution or "no"
    )
    judges = [judge for judge in verdicts.split(",") if judge]
    answers = AnswerFields(
        labels=labels, map=given_fields(fields), system=system, verdicts=judges, threshold=threshold
    )
    path, board = Path(file), board_name(name)
    how = {"reader": READER, "rights": rights, "answers": answers}
    tables_of_file = read_source(board, Source(path=str(path), **how), path, "stop")
    public = PublicData(track=TRACK, title=name, folder=path.name, **how)
    entry = public.model_dump(mode="json") | {"errata": None}
    lines = summary(file, tables_of_file)
    work = work or f"build/{board}"
    build_boards({board: entry}, path.parent, lines, work=work, tables=tables, results=results)


def board_name(name: str) -> str:
    """The board's name in paths: letters and digits of its title, with hyphens between. Raises SettingsError
    for a title without any.
    """
    plain = re.sub(r"[\W_]+", "-", name.casefold()).strip("-")[:LONGEST].strip("-")
    if not re.search(r"[^\W\d_]", plain):
        raise SettingsError(f"--name {name!r}: allowed: a name with a letter")
    return plain


def summary(file: str, tables: SourceTables) -> list[str]:
    """What was read of a file: systems with their counts, rows that do not count, and how fields were taken."""
    counts = tables.samples["generator"].value_counts(sort=False).sort("generator").rows()
    more = f" and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
    systems = ", ".join(f"{system} {n}" for system, n in counts[:SHOWN])
    gone = tables.rejects["reason"].value_counts(sort=False).sort("reason").rows()
    lines = [
        f"read {file!r}: {tables.samples.height} labelled answers of {len(counts)} systems ({systems}{more}); "
        f"labelled by {tables.card['labelled_by']}"
    ]
    lines += [f"not counted: {', '.join(f'{n} {reason}' for reason, n in gone)}"] if gone else []
    return [*lines, *tables.card["caveats"]]
