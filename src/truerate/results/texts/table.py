"""`texts.parquet` of a committed result: some of the texts that its rows are of, with what people and judges said of
them. Only of a set whose licence lets its texts be passed on; each row names the licence.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from truerate.core.rights import is_open
from truerate.core.schemas import PAIRS, SPANS, Field, Table, save
from truerate.results.files import Result, load_table, refuse, refuse_no_names

TEXTS = "texts.parquet"
MAX_BYTES = 400_000  # of one board's
LONGEST, LONGEST_REFERENCE = 3000, 1500  # characters of a text, and of what is left of a reference
CUT = "[…]"  # stands where something of a reference, or of a history, is left out
DIFFER, WORST, RANDOM = "differ", "worst", "random"
RATERS = pl.List(pl.Struct({"rater": pl.String, "is_hallucinated": pl.Boolean, "spans": SPANS}))
PARTS = pl.List(pl.Struct({"text": pl.String, "label": pl.String, "is_hallucinated": pl.Boolean}))
KEY = ("subject", "unit_id")
N_SHOWN = 3  # of what differs, named in a line
OTHERS = ("judge", "rule")  # keys of slices in which units have values of other labels


class Text(Table):
    """A text of a board, by who wrote it (`subject`) and by its unit.

    `drawn`: why it is here: those who judge it `differ`, it is among the `worst` of its writer, or it was drawn at
    `random`; `order`: its number among those of its writer and language, from 0, the worst or most disputed first.
    `is_hallucinated`, `label_source`, `labels`: the label, by whom, and as the set spells it; `raters` each of
    several, with the spans that they marked; `spans` those of the label, half-open code points into `text`; `parts`
    its facts or claims. `reference`, `history`: what it was checked against and what went before, cut where CUT
    stands. `licence` is the set's, `reference_licence` and `address` the reference's, empty without one.
    """

    board: str
    subject: str
    unit_id: str
    drawn: str = Field(isin=(DIFFER, WORST, RANDOM))
    order: int = Field(ge=0)
    lang: str
    task: str
    history: str
    question: str
    right_answer: str
    reference: str
    reference_title: str
    address: str
    text: str
    is_hallucinated: bool
    label_source: str
    labels: list[Any] = Field(kind=PAIRS)
    rationale: str
    spans: list[Any] = Field(kind=SPANS)
    raters: list[Any] = Field(kind=RATERS)
    parts: list[Any] = Field(kind=PARTS)
    licence: str
    reference_licence: str


def save_texts(texts: pl.DataFrame, folder: Path) -> None:
    """Write the texts of a result, the same texts always the same bytes; without any, no file is left there."""
    if texts.is_empty():
        (folder / TEXTS).unlink(missing_ok=True)
    else:
        save(Text, texts, folder / TEXTS)


def load_texts(folder: Path, result: Result) -> pl.DataFrame | None:
    """The texts of a result; None without the file. Raises SourceError, one line, for a file that is no such table or
    too large, is of another board, holds a text twice, a longer one, a span outside of it, or a licence that lets
    nothing be passed on.
    """
    path, where = folder / TEXTS, f"result {folder.name!r}: {TEXTS}"
    if not path.exists() and not path.is_symlink():
        return None
    texts = load_table(Text, path, where, what="texts")
    refuse(
        path.stat().st_size > MAX_BYTES, f"{where} is larger than {MAX_BYTES // 1000} kB; draw fewer texts"
    )
    refuse(texts.is_empty(), f"{where} holds no text; delete it, or write the result anew")
    strange = min(set(texts["board"].unique()) - {result.card.board}, default="")
    refuse(strange != "", f"{where} holds texts of board {strange[:80]!r}")
    is_double = texts.select(KEY).is_duplicated().any()
    refuse(is_double, f"{where} holds a text twice for one subject and unit")
    refuse_no_names(texts.select(*KEY, "lang", "task", "licence", "reference_licence", "label_source"), where)
    closed = [text for text in texts["licence"].unique().sort() if not is_open(text)]
    closed += [text for text in texts["reference_licence"].unique().sort() if text and not is_open(text)]
    for text in closed[:1]:
        refuse(True, f"{where}: the licence {text[:80]!r} does not let texts be passed on")
    for name, most in {"text": LONGEST, "reference": LONGEST_REFERENCE + 2 * len(CUT) + 2}.items():
        is_long = (texts[name].str.len_chars() > most).any()
        refuse(is_long, f"{where}: a {name} is longer than {most} characters")
    _refuse_spans(texts, where)
    return texts


def _refuse_spans(texts: pl.DataFrame, where: str) -> None:
    """Raise SourceError for a span of a label or a rater that does not lie in its text."""
    for subject, unit, text, spans, raters in texts.select(*KEY, "text", "spans", "raters").iter_rows():
        for span in [*spans, *(span for rater in raters for span in rater["spans"] or ())]:
            is_inside = 0 <= span["start"] < span["end"] <= len(text)
            what = f"span {span['start']}–{span['end']} of {subject[:80]!r} on {unit[:80]!r}"
            refuse(not is_inside, f"{where}: {what} is not in its text")


def text_differences(result: Result, labels: pl.DataFrame | None, texts: pl.DataFrame) -> Iterator[str]:
    """The differences between texts and the rows of a result, one line each: texts of units that neither rows nor
    labels hold, and texts whose label is not the value of their unit where the board's headline is a share of
    hallucinated units.
    """
    board, lead = result.card.board, result.card.headline
    units = texts.select(*KEY, "is_hallucinated")
    committed = [table.select("unit_id") for table in (result.rows, labels) if table is not None]
    lost = units.join(pl.concat(committed), on="unit_id", how="anti", maintain_order="left")
    rows = result.rows.filter(pl.col("value").is_in([0.0, 1.0]), metric=lead.metric)
    rows = rows.filter(~pl.col("slice").list.eval(pl.element().struct.field("key").is_in(OTHERS)).list.any())
    both = units.join(rows, on=KEY, how="inner", maintain_order="left")
    is_rate = lead.unit == "share" and lead.direction == "down"
    wrong = (
        both.filter(pl.col("is_hallucinated").cast(pl.Float64) != pl.col("value"))
        if is_rate
        else both.clear()
    )
    for what, bad in (("of which there is no row", lost), ("whose label is not that of their row", wrong)):
        if names := [
            f"{subject[:80]} on {unit[:80]}"
            for subject, unit in bad.select(KEY).unique(maintain_order=True).rows()
        ]:
            more = f" and {len(names) - N_SHOWN} more" if len(names) > N_SHOWN else ""
            yield f"{board}: {len(names)} texts {what}: {', '.join(names[:N_SHOWN])}{more}"
