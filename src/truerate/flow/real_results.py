"""results/ as the site reads it: every folder checked against the format, one line for whatever breaks it."""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from truerate.core.errors import SourceError, listed
from truerate.core.metric import Metric
from truerate.core.schemas import PAIRS
from truerate.flow.tracks import SHARED, found, load_track
from truerate.metrics.power import more_units_to_separate
from truerate.site.measures import Measure
from truerate.site.real.results import FIELDS, RealBoard, RealScore, Slice

RESULTS = "results"  # beside params.yaml
CARD, SCORES, ROWS = "card.json", "scores.csv", "rows.parquet"
CARD_FIELDS = (
    "board", "title", "track", "set", "unit", "labelled_by", "judge", "n_subjects", "n_units", "n_clusters",
    "headline", "command", "caveats", "published",
)  # fmt: skip
SET_FIELDS = ("name", "citation", "licence", "url", "redistribution")
HEADLINE_FIELDS = ("metric", "label", "unit", "direction")
ROW_FIELDS = ("metric", "subject", "slice", "unit_id", "cluster_id", "value")
KINDS = ("model", "baseline", "published", "planted")
UNITS = ("share", "number", "tenth", "count")
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
MOST_BYTES = 8_000_000  # of one file
MOST_CHARS = 2_000  # of one text


def real_boards(folder: str | Path = RESULTS) -> tuple[RealBoard, ...]:
    """Every board of a folder laid out as results/ is, in order of name; none where there is no such folder.

    Raises SourceError, one line that names the file, for a folder that breaks the format.
    """
    folders = sorted(path for path in Path(folder).glob("[!.]*") if path.is_dir())
    return tuple(read_board(path) for path in folders)


def read_board(folder: Path) -> RealBoard:
    """One folder as a board, with the units that would tell its neighbours apart. Raises SourceError."""
    if not NAME.fullmatch(folder.name):
        raise SourceError(
            f"results {str(folder)!r}: a board is named by a–z, 0–9, dot, hyphen and underscore"
        )
    card = _card(folder)
    lead = _slice(folder / CARD, 1, card["headline"].get("slice", ""))
    scores = tuple(replace(one, slice=_beside(one.slice, lead)) for one in _scores(folder))
    rows = _rows(folder, {(one.metric, one.subject) for one in scores})
    texts = {text: _text(_beside(_slice(folder / ROWS, 1, text), lead)) for text in rows["slice"].unique()}
    rows = rows.with_columns(pl.col("slice").replace_strict(texts, return_dtype=pl.String))
    board = RealBoard(card, scores, rows, _measures(card, scores))
    if not board.ranked:
        raise _fault(
            folder / SCORES, f"no line of the headline metric {board.headline.name!r} without a slice"
        )
    return RealBoard(card, scores, rows, board.measures, more_units(board))


def rows_file(board: str, folder: str | Path = RESULTS) -> Path:
    """Where the rows of a board lie."""
    return Path(folder) / board / ROWS


def _beside(where: Slice, lead: Slice) -> Slice:
    """A slice without the pairs of the one that leads, where it holds them all: what leads is "over everything" then."""
    return tuple(pair for pair in where if pair not in lead) if set(lead) <= set(where) else where


def _text(where: Slice) -> str:
    return ";".join(f"{key}={value}" for key, value in where)


def more_units(board: RealBoard) -> dict[tuple[str, str], int | None]:
    """Of each two neighbours among a board's models the units to add until a paired test tells them apart, at
    the level that Bonferroni leaves each pair of them.
    """
    whole = board.rows.filter((pl.col("metric") == board.headline.name) & (pl.col("slice") == ""))
    if whole.is_empty():
        return {}
    wide = whole.pivot(on="subject", index=["unit_id", "cluster_id"], values="value")
    names = [one.subject for one in board.models if one.value is not None and one.subject in wide.columns]
    n_pairs, clusters = len(names) * (len(names) - 1) // 2, wide["cluster_id"].to_list()
    values = {name: wide[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in names}
    return {
        (first, second): more_units_to_separate(values[first], values[second], clusters, n_pairs=n_pairs)
        for first, second in pairwise(names)
    }


def _fault(path: Path, why: str) -> SourceError:
    return SourceError(f"results: {str(path)!r}: {why}")


def _bytes(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise _fault(path, f"it is not there; a board has {listed((CARD, SCORES, ROWS))}")
    if path.stat().st_size > MOST_BYTES:
        raise _fault(path, f"it has {path.stat().st_size} bytes; allowed: {MOST_BYTES}")
    return path.read_bytes()


def _card(folder: Path) -> dict:
    path = folder / CARD
    try:
        card = json.loads(_bytes(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _fault(path, f"no JSON: {str(error)[:100]}") from None
    _refuse_lack(path, "the card", card, CARD_FIELDS)
    _refuse_lack(path, "set", card["set"], SET_FIELDS)
    _refuse_lack(path, "headline", card["headline"], HEADLINE_FIELDS)
    if card["board"] != folder.name:
        raise _fault(path, f"board {str(card['board'])[:100]!r} lies in the folder {folder.name!r}")
    texts = [card[key] for key in ("title", "track", "unit", "labelled_by", "judge", "command")]
    texts += [*card["set"].values(), *card["headline"].values(), *_listed(path, card, "caveats")]
    if bad := [
        text for text in texts if text is not None and (not isinstance(text, str) or len(text) > MOST_CHARS)
    ]:
        raise _fault(path, f"{str(bad[0])[:60]!r} is no text of at most {MOST_CHARS} characters")
    if any(not isinstance(card[key], str) for key in ("title", "track", "unit", "command")):
        raise _fault(path, "title, track, unit and command must be texts")
    counts = ("n_subjects", "n_units", "n_clusters")
    if any(type(card[key]) is not int or card[key] < 0 for key in counts):
        raise _fault(path, f"{listed(counts)} must be whole numbers, 0 or more")
    head = card["headline"]
    if head["unit"] not in UNITS or head["direction"] not in ("up", "down"):
        raise _fault(path, f"headline: unit must be one of {listed(UNITS)}, direction 'up' or 'down'")
    if url := card["set"]["url"]:
        if not re.fullmatch(r"https?://[^\s<>\"']+", url):
            raise _fault(path, f"set.url {url[:60]!r} is no http address")
    return card


def _listed(path: Path, card: Mapping, key: str) -> list:
    if not isinstance(card[key], list):
        raise _fault(path, f"{key} must be a list")
    return card[key]


def _refuse_lack(path: Path, what: str, values: object, fields: tuple[str, ...]) -> None:
    if not isinstance(values, dict):
        raise _fault(path, f"{what} must be an object with {listed(fields)}")
    if lost := [name for name in fields if name not in values]:
        raise _fault(path, f"{what} lacks {lost[0]!r}; it has {listed(fields)}")


def _scores(folder: Path) -> Iterator[RealScore]:
    path, met = folder / SCORES, set()
    try:
        lines = list(csv.DictReader(_bytes(path).decode("utf-8").splitlines()))
    except (ValueError, csv.Error) as error:
        raise _fault(path, f"no CSV in UTF-8: {str(error)[:100]}") from None
    for number, line in enumerate(lines, 2):
        if set(line) != set(FIELDS) or None in line.values():
            raise _fault(path, f"line {number}: the columns are {','.join(FIELDS)}")
        score = _score(path, number, line)
        if (key := (score.metric, score.subject, score.slice)) in met:
            raise _fault(
                path, f"line {number}: {score.subject[:60]!r} has {score.metric[:60]!r} of this slice twice"
            )
        met.add(key)
        yield score


def _score(path: Path, number: int, line: Mapping[str, str]) -> RealScore:
    value, low, high = (_number(path, number, name, line[name]) for name in ("value", "low", "high"))
    n, first, last = (_whole(path, number, name, line[name]) for name in ("n", "rank_low", "rank_high"))
    if line["kind"] not in KINDS:
        raise _fault(path, f"line {number}: kind {line['kind'][:60]!r}; allowed: {listed(KINDS)}")
    if not line["subject"] or any(len(line[name]) > MOST_CHARS for name in FIELDS):
        raise _fault(path, f"line {number}: a subject is named, and no text is above {MOST_CHARS} characters")
    if n is None or n < 0 or (first is None) != (last is None) or not 1 <= (first or 1) <= (last or 1):
        raise _fault(path, f"line {number}: n is 0 or more, rank_low from 1 to rank_high, or both empty")
    if low is not None and high is not None and low > high:
        raise _fault(path, f"line {number}: low {low} is above high {high}")
    where = _slice(path, number, line["slice"])
    return RealScore(
        line["metric"],
        line["subject"],
        line["kind"],
        where,
        value,
        low,
        high,
        n,
        first,
        last,
        line["provenance"],
    )


def _number(path: Path, number: int, name: str, text: str) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise _fault(path, f"line {number}: {name} {text[:60]!r} is no finite number")
    return value


def _whole(path: Path, number: int, name: str, text: str) -> int | None:
    if text and not re.fullmatch(r"[0-9]{1,12}", text):
        raise _fault(path, f"line {number}: {name} {text[:60]!r} is no whole number")
    return int(text) if text else None


def _slice(path: Path, number: int, text: str) -> Slice:
    pairs = [part.partition("=") for part in text.split(";")] if text else []
    if any(not key or not mark for key, mark, _ in pairs):
        raise _fault(path, f"line {number}: slice {text[:60]!r} is not key=value;key=value")
    return tuple(sorted((key, value) for key, _, value in pairs))


def _rows(folder: Path, scored: set[tuple[str, str]]) -> pl.DataFrame:
    """The outcomes, `slice` as text; each of a score that is there, each unit once, each value finite."""
    path = folder / ROWS
    try:
        rows = pl.read_parquet(_bytes(path))
    except pl.exceptions.PolarsError as error:
        raise _fault(path, f"no Parquet: {(str(error).splitlines() or [''])[0][:100]}") from None
    if lost := [name for name in ROW_FIELDS if name not in rows.columns]:
        raise _fault(path, f"it lacks the column {lost[0]!r}; it has {listed(ROW_FIELDS)}")
    rows = rows.select(ROW_FIELDS)
    if rows.schema["slice"] == PAIRS:
        pair = pl.format("{}={}", pl.element().struct.field("key"), pl.element().struct.field("value"))
        rows = rows.with_columns(pl.col("slice").list.eval(pair).list.sort().list.join(";"))
    texts = [name for name in ROW_FIELDS if name != "value"]
    if any(rows.schema[name] != pl.String for name in texts) or not rows.schema["value"].is_numeric():
        raise _fault(path, f"{listed(texts)} must be texts, value a number")
    values = rows["value"].cast(pl.Float64).drop_nulls()
    if not values.is_finite().all():
        raise _fault(path, "a value is no finite number")
    if rows.select("metric", "subject", "slice", "unit_id").is_duplicated().any():
        raise _fault(path, "a unit stands twice under one metric, subject and slice")
    met = set(rows.select("metric", "subject").unique().iter_rows())
    if strange := sorted(met - scored):
        raise _fault(
            path,
            f"rows of {strange[0][1][:60]!r} under {strange[0][0][:60]!r}, of which {SCORES} has no score",
        )
    return rows


def _measures(card: Mapping, scores: tuple[RealScore, ...]) -> dict[str, Measure]:
    """A record for every metric: the headline as the card tells it, others as their track tells them, else by
    their name alone.
    """
    told = {record.name: record for record in SHARED}
    if card["track"] in found():
        told |= {record.name: record for record in load_track(card["track"]).metrics}
    head = card["headline"]
    own = told.get(head["metric"])
    told[head["metric"]] = Metric(
        head["metric"],
        head["label"],
        own.definition if own else head["label"],
        own.table if own else "real",
        unit=head["unit"],
        direction=head["direction"],
        source=own.source if own else "",
    )
    names = dict.fromkeys([head["metric"], *(one.metric for one in scores)])
    return {name: Measure.of(told.get(name) or _unknown(name, scores)) for name in names}


def _unknown(name: str, scores: tuple[RealScore, ...]) -> Metric:
    """A metric without a record: a share where all its values are one, in the words of its name."""
    values = [one.value for one in scores if one.metric == name and one.value is not None]
    label = name.replace("_", " ").strip().capitalize() or "Value"
    return Metric(name, label, label, "real", unit="share" if all(0 <= v <= 1 for v in values) else "number")
