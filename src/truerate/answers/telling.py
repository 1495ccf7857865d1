"""A report on one's own answers in words and as JSON."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from truerate.answers.gating import FAILED, PASSED, UNDECIDED, Decision, decided
from truerate.metrics.estimators.own_rate import EXACT, Rate, Separation
from truerate.metrics.intervals import Interval
from truerate.sources.answers.label_spans import places_of
from truerate.sources.answers.reading import ABSTAINED, EMPTY

if TYPE_CHECKING:
    from truerate.answers.rated import Rating

NOT_CORRECTED = "not corrected: this detector's error on your texts is unknown"
SURE = 0.05  # below it two systems are told apart
TABLE = {"field": pl.String, "group": pl.String, "n": pl.Int64, "labelled": pl.Int64}
TABLE |= dict.fromkeys(("value", "low", "high", "flagged"), pl.Float64) | {"estimator": pl.String}
LEAST_P = 0.001  # that is printed
FEW_GROUPS = 10  # labelled groups below which their variance is hardly known


def lines(report: "Rating") -> Iterator[str]:
    """The report, a line each, for a terminal."""
    yield headline(report)
    yield from (f"  {line}" for line in notes(report))
    for field, rates in report.slices.items():
        yield ""
        yield f"by {field}"
        yield from table(rates)
    if report.pairs:
        yield ""
        yield "two systems, of all that each would answer"
        yield from (f"  {pair_in_words(pair)}" for pair in report.pairs)


def headline(report: "Rating") -> str:
    """One sentence: what share is hallucinated, and how that is known."""
    n = report.n_stated
    whole = "the words of " if report.unit == "tokens" else ""
    rate = report.rate
    if rate.low is None:
        some = (
            f"the {n} answers"
            if report.n_judged == n
            else f"the {report.n_judged} answers of {n} that were judged"
        )
        if rate.raw is None:
            return f"nothing is known of {whole}the {n} answers: none was judged, none is labelled"
        return f"{percent(rate.raw.value)} of {whole}{some} are flagged; {NOT_CORRECTED}"
    if rate.estimator == EXACT:
        return f"{percent(rate.value)} of {whole}the {n} answers are hallucinated; {rate.why}"
    return f"{in_words(rate)} of {whole}the {n} answers are hallucinated"


def rate_decision(report: "Rating", limit: float) -> Decision:
    """Return whether the rate (of the systems, where all answers are labelled) is above a limit, a share, by
    its interval: never told by flags alone, or without an interval.
    """
    rate, name = report.rate, f"not above {100 * limit:g} %"
    low, high = rate.low, rate.high
    if rate.estimator == EXACT and rate.system is not None:
        low, high = rate.system.low, rate.system.high
    if low is None or high is None:
        few_dozen = "label a few dozen drawn answers (truerate draw, --labels)"
        return Decision(
            UNDECIDED, name, f"cannot tell: the rate is not corrected; {few_dozen}", [headline(report)]
        )
    code = decided(low, high, limit)
    what = {
        PASSED: name,
        FAILED: f"above {100 * limit:g} %",
        UNDECIDED: f"cannot tell whether above {100 * limit:g} %",
    }
    more = f"; {rate.halved} more labels halve the interval" if code == UNDECIDED and rate.halved else ""
    sentence = f"{what[code]}: the interval is {percent(low)} to {percent(high)}{more}"
    return Decision(code, name, sentence, [headline(report), *notes(report)])


def in_words(rate: Rate) -> str:
    """A rate in words: a point, a point with interval, an interval alone, or the raw share."""
    if rate.estimator == EXACT:
        return f"{percent(rate.value)} ({rate.why})"
    if rate.value is not None:
        return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})"
    if rate.low is not None:
        return f"{percent(rate.low)} to {percent(rate.high)} (no point: {rate.why})"
    if rate.raw is not None:
        return f"{percent(rate.raw.value)} flagged ({NOT_CORRECTED})"
    return "an unknown share"


def percent(share: float | None) -> str:
    """A share as percent with one decimal; a dash for none."""
    return "–" if share is None else f"{100 * share:.1f} %"


def notes(report: "Rating") -> Iterator[str]:
    """Yield what a reader must know beside the headline, a line each."""
    rate = report.rate
    yield f"detector: {report.detector} ({report.about})"
    yield from report.notes
    yield accounts(report)
    if report.grouping.by is not None:
        yield f"answers are grouped by {report.grouping.by}: {report.grouping.n} groups"
    if rate.raw is not None and rate.k:
        yield f"flagged by the detector, not corrected: {percent(rate.raw.value)}"
    if rate.k and rate.estimator != EXACT:
        is_drawn = report.frame.select(pl.col("weight").is_not_null().any()).item()
        how = "each weighted by its chance to be drawn" if is_drawn else "taken as drawn by chance"
        yield f"labelled: {rate.k}, {how}; estimator: {rate.estimator} ({rate.why})"
    if rate.groups is not None and 1 < rate.groups < FEW_GROUPS:
        yield f"labels are of {rate.groups} groups: too few to tell well how groups differ"
    if rate.system is not None:
        systems = "the systems" if "system" in report.slices else "the system"
        yield f"beyond these answers, of all that {systems} would give: {interval_in_words(rate.system)}"
    if rate.alone is not None:
        yield f"from the labels alone: {interval_in_words(rate.alone)}"
    if rate.halved is not None:
        yield f"to halve the interval: {rate.halved} more labels"
    if not rate.k:
        yield "labels of a few dozen answers drawn by chance (--labels) would correct it"
    if report.judges is not None:
        yield from report.judges.lines()
    if report.repeats is not None:
        yield report.repeats.line()
    yield from (retest.line() for retest in report.retests)
    for field in report.uneven:
        yield (
            f"labels are not spread over {field} as by chance: do not trust the rate of all answers; draw "
            "labels from all"
        )
    if report.not_sliced:
        yield f"not sliced, long texts or too many values: {', '.join(report.not_sliced)}"


def accounts(report: "Rating") -> str:
    """Return where each answer of the file went."""
    n_unjudged = sum(report.unjudged.values())
    why = ", ".join(f"{n} {reason}" for reason, n in report.unjudged.items())
    return (
        f"answers: {report.frame.height} = {report.n_judged} judged + {report.n_in_state(ABSTAINED)} "
        "abstained + "
        f"{report.n_in_state(EMPTY)} empty + {n_unjudged} not judged{f' ({why})' if why else ''}"
    )


def interval_in_words(interval: Interval) -> str:
    """A share with its interval."""
    return f"{percent(interval.value)} ({percent(interval.low)} to {percent(interval.high)})"


def table(rates: list[Rate] | Any) -> Iterator[str]:
    """Rates under one another."""
    width = max(len(rate.group) for rate in rates)
    for rate in rates:
        more = f"; {rate.halved} more labels halve it" if rate.halved else ""
        system = (
            f"; of all that it would give {interval_in_words(rate.system)}"
            if rate.estimator == EXACT and rate.system
            else ""
        )
        yield f"  {rate.group:<{width}}  {in_words(rate)}  {rate.n} answers, {rate.k} labelled{system}{more}"


def pair_in_words(pair: Separation) -> str:
    """Return whether two systems are told apart, and else what labels would."""
    p = f"p = {pair.p:.3f}" if pair.p >= LEAST_P else f"p < {LEAST_P}"
    gap = f"{100 * pair.difference:+.1f} points ({100 * pair.low:+.1f} to {100 * pair.high:+.1f}), {p}"
    if pair.p < SURE:
        return f"{pair.first} − {pair.second}: {gap}: told apart"
    need = f"about {pair.labels:,} labels of each would" if pair.labels else "they are alike"
    return f"{pair.first} − {pair.second}: {gap}: not told apart; {need}"


def as_dict(report: "Rating") -> dict[str, Any]:
    """The report for programs: rates in [0, 1] or null, and a row per answer."""
    return {
        "unit": report.unit,
        "detector": report.detector,
        "about": report.about,
        "is_corrected": report.rate.value is not None,
        "note": None if report.rate.k else NOT_CORRECTED,
        "n": report.frame.height,
        "n_abstained": report.n_in_state(ABSTAINED),
        "n_empty": report.n_in_state(EMPTY),
        "n_judged": report.n_judged,
        "unjudged": report.unjudged,
        "rate": rate_as_dict(report.rate),
        "slices": {field: [rate_as_dict(rate) for rate in rates] for field, rates in report.slices.items()},
        "pairs": [asdict(pair) | {"is_separated": pair.p < SURE} for pair in report.pairs],
        "not_sliced": list(report.not_sliced),
        "uneven": list(report.uneven),
        "grouped_by": report.grouping.by,
        "n_groups": report.grouping.n,
        "notes": list(report.notes),
        "judges": None if report.judges is None else report.judges.as_dict(),
        "repeats": None if report.repeats is None else asdict(report.repeats),
        "retests": [asdict(retest) | {"agreement": retest.agreement._asdict()} for retest in report.retests],
        "answers": [
            {
                "id": row["id"],
                **({"run": row["run"]} if row["run"] else {}),
                "state": row["state"],
                "verdict": row["verdict"],
                "spans": None if row["marked"] is None else [list(span) for span in places_of(row["marked"])],
                "reason": row["reason"],
                "is_hallucinated": row["label"],
            }
            for row in report.frame.iter_rows(named=True)
        ],
    }


def table_of(report: "Rating") -> pl.DataFrame:
    """The rates of a rating, a row each (`Rating.table`)."""
    rates: list[tuple[str | None, str | None, Rate]] = [(None, None, report.rate)]
    rates += [(field, rate.group, rate) for field, of_field in report.slices.items() for rate in of_field]
    rows = [
        (
            field,
            group,
            rate.n,
            rate.k,
            rate.value,
            rate.low,
            rate.high,
            rate.raw and rate.raw.value,
            rate.estimator,
        )
        for field, group, rate in rates
    ]
    return pl.DataFrame(rows, schema=TABLE, orient="row")


def as_html(sentence: str, notes: Iterable[str], svg: str = "") -> str:
    """A result as a notebook shows it: the sentence, its figure, what it rests on; texts are escaped."""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<p><b>{escape(sentence)}</b></p>{svg}<ul>{items}</ul>"


def rate_as_dict(rate: Rate) -> dict[str, Any]:
    """A rate with its intervals as named ends."""
    fields = dict(vars(rate))
    for name in ("raw", "alone", "system"):
        value = fields[name]
        fields[name] = None if value is None else value._asdict()
    return fields
