"""A page on one's own answers: rates with intervals, a table, and marked answers to filter and search; all
escaped, its one script named by its hash, nothing asked of a server.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from truerate.answers.rated import Rating
from truerate.answers.telling import NOT_CORRECTED, headline, in_words, notes, pair_in_words, percent
from truerate.answers.verdicts import Span
from truerate.core.errors import SettingsError
from truerate.sources.answers.fields import SLICE
from truerate.sources.answers.label_spans import places_of
from truerate.sources.answers.reading import STATED

TEMPLATES, PAGE, SCRIPT, INDEX = (
    Path(__file__).parent / "templates",
    "page.html.j2",
    "answers.js",
    "index.html",
)
MOST_SHOWN = 10_000  # answers on the page, flagged ones first
MOST_UNREAD = 1000  # of those whose texts were not read
MOST_CHARACTERS = 4000  # of an answer


def check_place(folder: str | Path) -> Path:
    """The file of the page in a folder. Raises SettingsError if it is a file or another's index.html."""
    file = Path(folder) / INDEX
    if Path(folder).exists() and not Path(folder).is_dir():
        raise SettingsError(f"--page {str(folder)!r}: it is a file; name an empty or a new folder")
    if file.is_file() and MARK not in file.read_text("utf-8", errors="replace")[:400]:
        raise SettingsError(
            f"--page {str(folder)!r}: it holds another {INDEX}; name an empty or a new folder"
        )
    return file


def write_page(report: Rating, folder: str | Path) -> Path:
    """Write the page into a folder, which is made; returns its file. Raises as `check_place` does."""
    file = check_place(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(page(report), "utf-8")
    return file


MARK = "truerate-rate"  # in the head of its pages: what may be written anew


def page(report: Rating) -> str:
    """The HTML of the page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["told"] = in_words
    is_flagged = report.frame["verdict"].fill_null(False).to_numpy()
    n = MOST_SHOWN if report.has_texts else MOST_UNREAD
    first = np.concatenate([np.flatnonzero(part)[:n] for part in (is_flagged, ~is_flagged)])
    shown = report.frame[first[:n]]
    if not report.has_texts:  # numbers stand for questions
        shown = shown.with_columns(question=pl.lit(""))
    rate = report.rate
    value = rate.value if rate.low is not None or rate.raw is None else rate.raw.value
    script = (TEMPLATES / SCRIPT).read_text("utf-8")
    fields = ["system", "lang", *(name for name in shown.columns if name.startswith(SLICE))]
    cards = json.dumps([card(row, fields) for row in shown.iter_rows(named=True)], ensure_ascii=False)
    return environment.get_template(PAGE).render(
        mark=MARK,
        headline=headline(report),
        number=None if value is None else percent(value),
        range=f"{percent(rate.low)} to {percent(rate.high)}" if rate.low != rate.high else None,
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        notes=list(notes(report)),
        not_corrected=None if report.rate.k else NOT_CORRECTED,
        figure=Markup(report.plot().svg),
        slices={field: list(rates) for field, rates in report.slices.items()},
        rate=rate,
        pairs=[pair_in_words(pair) for pair in report.pairs],
        answers=Markup(cards.replace("<", "\\u003c")),  # no tag begins in it, whatever an answer holds
        n_left_out=report.frame.height - shown.height,
    )


def card(row: Mapping[str, Any], fields: Sequence[str]) -> Mapping[str, Any]:
    """One answer as shown: its id and fields, what is said of it, and its text in pieces."""
    state = {True: "flagged", False: "not flagged"}.get(row["verdict"])
    unjudged = f"not judged: {row['reason']}" if row["state"] == STATED else row["state"]
    people = None if row["label"] is None else ("hallucinated" if row["label"] else "sound")
    text = row["answer"][:MOST_CHARACTERS]
    return {
        "id": f"{row['id']} · {row['run']}" if row["run"] else row["id"],
        "fields": [row[name] for name in fields if row[name]],
        "question": row["question"][:MOST_CHARACTERS],
        "said": state or unjudged,
        "system": row["system"],
        "people": people,
        "pieces": pieces(text, places_of(row["marked"]), places_of(row["spans"])),
        "is_cut": len(row["answer"]) > len(text),
    }


def pieces(text: str, flagged: Sequence[Span], labelled: Sequence[Span]) -> list[tuple[str, str]]:
    """A text cut at the borders of spans: (piece, classes), `d` in a detector's and `p` in a person's."""
    if not flagged and not labelled:
        return [(text, "")] if text else []
    flagged, labelled = ([span for span in spans if span[0] < len(text)] for spans in (flagged, labelled))
    borders = sorted({0, len(text), *(min(end, len(text)) for span in (*flagged, *labelled) for end in span)})
    return [(text[a:b], _classes(a, flagged, labelled)) for a, b in zip(borders, borders[1:], strict=False)]


def _classes(index: int, flagged: Sequence[Span], labelled: Sequence[Span]) -> str:
    inside = [
        name for name, spans in (("d", flagged), ("p", labelled)) if any(a <= index < b for a, b in spans)
    ]
    return " ".join(inside)
