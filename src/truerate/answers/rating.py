"""`truerate.rate`: the hallucinated share of one's own answers, or their words, with its interval."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.answers.grouping import grouping_of
from truerate.answers.proxies import Judges, judges_of
from truerate.answers.rated import Rating, Unit
from truerate.answers.repeats import repeats_of
from truerate.answers.retests import retests_of
from truerate.answers.spread import picked_by_verdict, uneven_fields
from truerate.answers.verdicts import NO_REFERENCE, AnswerVerdict, Detector, Span
from truerate.core.errors import SettingsError, SourceError
from truerate.core.process.project import PARAMS
from truerate.core.spans.whole_words import units
from truerate.metrics.estimators.label_groups import MANY, are_by_group, grouped_rate
from truerate.metrics.estimators.own_rate import (
    LEAST_LABELS,
    Rate,
    Systems,
    by_bands,
    is_turned,
    over_systems,
    rate_of,
    wider,
    with_unjudged,
)
from truerate.metrics.estimators.sample import Cell
from truerate.sources.answers.fields import SLICE, SPAN, given_fields
from truerate.sources.answers.forms import Source, named
from truerate.sources.answers.label_spans import as_spans, places_of
from truerate.sources.answers.labels import with_labels
from truerate.sources.answers.reading import ABSTAINED, EMPTY, STATED
from truerate.sources.answers.table import AnswerTable, answers_of, is_stated, read_table

UNITS = ("answers", "tokens")
ALL_ANSWERS = "all answers"
MOST_VALUES, LONGEST_VALUE = 20, 80  # of a field: one with more, or with longer ones, is no slice
NO_VALUE = "(none)"
TURNED = (
    "flags are the wrong way round: sound answers are flagged more often than hallucinated ones, as labels say; the "
    "rate holds, a judge whose high scores mean faithful is --verdicts not:FIELD"
)
OWN = "verdicts"  # names the file's own judges beside detectors


def rate(
    answers: Source,
    *,
    labels: Source | None = None,
    detector: str | None = None,
    adapter: str | None = None,
    unit: Unit | None = None,
    fields: Iterable[str] = (),
    verdicts: Sequence[str] | str = (),
    threshold: float = 0.5,
    params: str = PARAMS,
) -> Rating:
    """The share of the answers of a source (`read_table`) that is hallucinated, corrected where some are
    labelled; of those that say something: empty ones and abstentions are counted beside it.

    `labels`: a source of labels of answers that were drawn by chance; None: those beside the answers.
    `detector`: a rule, `judge:MODEL`, a folder, a Hub id, or a trained one of the project; None: `verdicts`,
    fields with the verdicts of the file's own judges (scores flag from `threshold` on), else a model of
    `params`, else word support. `unit`: answers, or tokens (words); None: what was labelled. `fields`:
    `ROLE=FIELD` where a field is not what its name says. Raises TruerateError, one line, for what cannot be
    used, before any model is asked, and where nothing was judged and nothing is labelled.
    """
    table = table_for(
        answers,
        labels=labels,
        detector=detector,
        fields=fields,
        verdicts=verdicts,
        threshold=threshold,
        keeps_questions=False,
    )
    chosen = unit_of(table.frame, unit)
    if detector is None and table.verdicts:
        if chosen == "tokens":
            raise SettingsError(
                "counting tokens: verdicts of the file say whether, not where; give --unit answers"
            )
        judges = judges_of(table)
        about = f"of the file, flagged from {threshold:g} on"
        rated = report(
            judges.judged(table.frame),
            f"{OWN} {', '.join(judges.names)}",
            about,
            unit=chosen,
            judges=judges,
            has_repeats=table.has_repeats,
        )
    else:
        from truerate.answers.judging import detector_of  # not waited for where a file brings its verdicts

        judge = detector_of(detector, adapter=adapter, params=params)
        if chosen == "tokens" and not judge.says_where:
            raise _says_not_where(judge.name)
        rated = report(
            seen_by(judge, table.frame), judge.name, judge.why, unit=chosen, has_repeats=table.has_repeats
        )
    notes = [*table.notes, *_unused_labels(table.frame), *rated.notes]
    if not rated.n_judged and not rated.rate.k:
        raise SourceError(_nothing_known(answers, rated, notes))
    return replace(rated, notes=notes, has_texts=table.has_texts)


def table_for(
    answers: Source,
    *,
    labels: Source | None,
    detector: str | None,
    fields: Iterable[str],
    verdicts: Sequence[str] | str,
    threshold: float,
    keeps_questions: bool = True,
) -> AnswerTable:
    """The table of answers with the labels that count (`read_table`). Raises SettingsError for a detector beside verdicts."""
    names = verdicts.split(",") if isinstance(verdicts, str) else list(verdicts)
    if names and detector is not None:
        raise SettingsError(f"--verdicts stand in place of a detector; leave out --detector {detector}")
    if not np.isfinite(threshold):
        raise SettingsError(f"--threshold {threshold}: allowed: a number")
    table = read_table(
        answers,
        fields=given_fields(fields),
        verdicts=names,
        threshold=threshold,
        keeps_questions=keeps_questions,
    )
    return table if labels is None else with_labels(table, labels)


def seen_by(judge: Detector, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with what the detector says of each answer that says something; the state of the others."""
    stated = is_stated(frame)
    verdicts = iter(judge.judge(answers_of(frame.filter(stated))))
    rows = [
        next(verdicts) if states else AnswerVerdict(None, reason=state)
        for states, state in zip(stated, frame["state"], strict=True)
    ]
    marked = [None if row.spans is None else as_spans(row.spans) for row in rows]
    return frame.with_columns(
        pl.Series("verdict", [row.verdict for row in rows], pl.Boolean),
        pl.Series("marked", marked, pl.List(SPAN)),
        pl.Series("reason", [row.reason for row in rows], pl.String),
    )


def _unused_labels(frame: pl.DataFrame) -> list[str]:
    """A line on labels of answers that say nothing."""
    unused = frame.filter(pl.col("state") != STATED, pl.col("label").is_not_null())["label"]
    if unused.is_empty():
        return []
    return [
        f"labels of answers that abstain or are empty, not used: {len(unused)}, of which {unused.sum()} say "
        "hallucinated; "
        "where such an answer does say something, give it 'abstained': false"
    ]


def _nothing_known(source: Source, rated: Rating, notes: Sequence[str]) -> str:
    why = [f"{n} {reason}" for reason, n in rated.unjudged.items()]
    why += [f"{n} {state}" for state in (ABSTAINED, EMPTY) if (n := rated.n_in_state(state))]
    more = "".join(f"; {note}" for note in notes)
    what = (
        "; give what an answer is checked against as 'reference', name its field, --map reference=FIELD, or "
        "the field of a judge's verdicts, --verdicts FIELD"
        if NO_REFERENCE in rated.unjudged
        else ""
    )
    return (
        f"{named(source, 'answers')}: none of its {rated.frame.height} answers could be judged, and none is "
        f"labelled: {', '.join(why)}{what}{more}"
    )


def unit_of(frame: pl.DataFrame, wanted: str | None) -> Unit:
    """The unit counted: as wanted, else tokens if spans were labelled, else answers. Raises SettingsError."""
    if wanted is not None and wanted not in UNITS:
        raise SettingsError(f"--unit {wanted!r} is not known; allowed: {', '.join(UNITS)}")
    has_spans, has_labels = frame.select(pl.col("spans", "label").is_not_null().any()).row(0)
    if wanted == "tokens" and not has_spans and has_labels:
        raise SettingsError("--unit tokens: the labels say 'is_hallucinated' and not where; give 'spans'")
    return "tokens" if wanted == "tokens" or (wanted is None and has_spans) else "answers"


def report(
    frame: pl.DataFrame,
    detector: str,
    about: str,
    *,
    unit: Unit,
    judges: Judges | None = None,
    has_repeats: bool = True,
) -> Rating:
    """Return what follows from verdicts and labels. Raises SettingsError if tokens count and none are marked."""
    is_silent = pl.col("verdict").is_not_null() & pl.col("marked").is_null()
    if unit == "tokens" and frame.select(is_silent.any()).item():
        raise _says_not_where(detector)
    is_kept = is_stated(frame)
    stated = frame if is_kept.all() else frame.filter(is_kept)
    grouping = grouping_of(stated, has_repeats=has_repeats)
    flags = cell_of(stated, unit=unit, clusters=grouping.clusters)
    cell = (
        flags
        if judges is None
        else replace(flags, flagged=with_unjudged(flags.total, judges.proxy(stated, is_kept)))
    )
    columns = ["system", "lang", *(name for name in stated.columns if name.startswith(SLICE))]
    fields = {name.removeprefix(SLICE): stated.select(pl.col(name).unique().sort()) for name in columns}
    names = {name: values.to_series() for name, values in fields.items()}
    several = [name for name, values in names.items() if len(values) > 1 or is_long(values)]
    sliced = {
        name: Sliced(names[name], names[name].search_sorted(stated[column]).to_numpy())
        for name, column in zip(fields, columns, strict=True)
        if name in several and is_slice(names[name], stated.height)
    }
    cells = {
        name: {value: cell.only(inside) for value, inside in values.parts()}
        for name, values in sliced.items()
    }
    by_system = cells.get("system", {})
    is_judged = stated["verdict"].is_not_null().to_numpy()
    is_by_group = are_by_group(cell)
    combined = ["system"] if are_all_labelled(by_system) else []
    return Rating(
        unit,
        detector,
        about,
        frame,
        overall(cell, by_system, flags.only(is_judged)),
        {
            name: [
                rate_of(
                    value, cells[name][value], is_by_group=is_by_group, judged=flags.only(inside & is_judged)
                )
                for value, inside in values.parts()
            ]
            for name, values in sliced.items()
        },
        Systems(by_system).pairs(),
        [name for name in several if name not in sliced],
        grouping,
        uneven_fields(
            cell,
            {name: values.numbers for name, values in sliced.items() if name not in combined},
            lengths=stated.select(pl.col("answer").str.len_chars()).to_series().to_numpy(),
            within=sliced["system"].numbers if combined else np.zeros(cell.n, dtype=int),
            is_by_group=is_by_group,
        ),
        notes=[*([TURNED] if unit == "answers" and is_turned(flags) else []), *picked_by_verdict(stated)],
        judges=judges,
        repeats=repeats_of(stated, has_repeats=has_repeats),
        retests=[] if judges is None else retests_of(stated, judges.names, judges.flags[is_kept]),
    )


class Sliced(NamedTuple):
    """A field that divides answers: its sorted values, and the number of each answer's among them, (answers,)."""

    names: pl.Series
    numbers: np.ndarray

    def parts(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield each value with which answers have it, (answers,)."""
        for number, name in enumerate(self.names):
            yield name or NO_VALUE, self.numbers == number


def is_long(values: pl.Series) -> bool:
    """Return whether a field holds texts, not names of groups."""
    return bool((values.str.len_chars() > LONGEST_VALUE).any())


def is_slice(names: pl.Series, n_answers: int) -> bool:
    """Return whether the values of a field divide answers into few groups that repeat, and are no long texts."""
    return (
        1 < len(names) <= MOST_VALUES
        and (len(names) < 3 or 2 * len(names) <= n_answers)
        and not is_long(names)
    )


def are_all_labelled(by_system: Mapping[str, Cell]) -> bool:
    """Return whether each system has labels enough for a rate of its own."""
    return bool(by_system) and min(cell.k for cell in by_system.values()) >= LEAST_LABELS


def overall(cell: Cell, by_system: Mapping[str, Cell], judged: Cell) -> Rate:
    """The rate of all answers, combined over systems where each has labels enough. `judged`: as of `rate_of`."""
    whole = rate_of(ALL_ANSWERS, cell, judged=judged)
    if whole.value is None or cell.k == cell.n or not are_all_labelled(by_system):
        return whole
    if whole.groups is not None:
        combined = grouped_rate(by_system)
    elif (combined := by_bands(list(by_system.values()), confidence=0.95)) is None:
        combined = over_systems(by_system)
        combined = wider(cell, combined) if combined is not None else None
    if combined is None:
        return whole
    system = grouped_rate(by_system, target="model") if cell.n <= MANY else None
    system = system or whole.system
    return replace(whole, value=combined.value, low=combined.low, high=combined.high, system=system)


def cell_of(frame: pl.DataFrame, *, unit: Unit, clusters: np.ndarray) -> Cell:
    """Answers as sampling units: words or verdicts, detector's flags, people's labels, clusters."""
    has_weights = frame.select(pl.col("weight").is_not_null().any()).item()
    weight = frame["weight"].fill_null(1.0).to_numpy() if has_weights else None
    if unit == "tokens":
        words = [word_places(text) for text in frame["answer"]]
        totals = np.array([len(word) for word in words], dtype=float)
        flagged, gold = (_n_marked(words, frame[name]) for name in ("marked", "spans"))
    else:
        totals = np.broadcast_to(1.0, frame.height)
        flagged, gold = (
            frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("verdict", "label")
        )
    return Cell(totals, with_unjudged(totals, flagged), gold, clusters, weight=weight)


def _n_marked(words: Sequence[Sequence[Span]], spans: pl.Series) -> np.ndarray:
    """Return how many words of each answer spans touch, NaN where it has none given."""
    return np.array(
        [
            np.nan if places is None else n_inside(of_answer, places_of(places))
            for of_answer, places in zip(words, spans.to_list(), strict=True)
        ]
    )


def word_places(text: str) -> list[Span]:
    """The places of a text's words: units that hold a letter or a digit."""
    return [(start, end) for start, end in units(text) if any(map(str.isalnum, text[start:end]))]


def n_inside(words: Sequence[Span], spans: Sequence[Span]) -> float:
    """Return how many words a span touches."""
    if not words or not spans:
        return 0.0
    starts, ends = np.array(words).T
    touched = np.zeros(len(words), dtype=bool)
    for start, end in spans:
        touched |= (starts < end) & (ends > start)
    return float(touched.sum())


def _says_not_where(name: str) -> SettingsError:
    return SettingsError(
        f"counting tokens: detector {name!r} says whether, not where; give --unit answers or another "
        "--detector"
    )
