"""`truerate.rate`: the share of one's own answers, or of their words, that is hallucinated, with its interval."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Literal

import numpy as np

from truerate.answers.judging import PARAMS, detector_of
from truerate.answers.reading import Answer, Label, read_answers, read_labels
from truerate.answers.seen import Detector, Seen, Span
from truerate.core.errors import SettingsError
from truerate.core.whole_words import units
from truerate.metrics.estimators.own_rate import (
    LEAST_LABELS,
    Rate,
    Separation,
    Systems,
    groups,
    over_systems,
    rate_of,
    raw_of,
    wider,
    with_unjudged,
)
from truerate.metrics.estimators.sample import Cell

Unit = Literal["answers", "tokens"]
UNITS = ("answers", "tokens")
ALL_ANSWERS = "all answers"
MOST_VALUES = 20  # of a field: one with more is no slice
NO_VALUE = "(none)"
BY_CHANCE = 0.001  # below it labels were not drawn alike from the values of a field


@dataclass(frozen=True)
class Report:
    """What is known of a file of answers. `seen`: the detector's word on each answer, in their order; `rate` of
    all of them; `slices`: rates by the values of each field; `pairs`: systems beside one another; `not_sliced`:
    fields of more than MOST_VALUES values, or as many as answers; `uneven`: fields by whose values answers were
    labelled in other shares than chance explains, so that a rate of all of them leans to those labelled more.
    """

    unit: Unit
    detector: str
    about: str
    answers: Sequence[Answer]
    seen: Sequence[Seen]
    labels: Mapping[str, Label]
    rate: Rate
    slices: Mapping[str, Sequence[Rate]]
    pairs: Sequence[Separation]
    not_sliced: Sequence[str]
    uneven: Sequence[str] = ()

    @property
    def unjudged(self) -> dict[str, int]:
        """How many answers have no verdict, by why, the most frequent first."""
        return dict(
            Counter(one.reason or "no verdict" for one in self.seen if one.verdict is None).most_common()
        )

    @property
    def n_judged(self) -> int:
        """Answers with a verdict."""
        return sum(one.verdict is not None for one in self.seen)


def rate(
    answers: str | PathLike[str],
    *,
    labels: str | PathLike[str] | None = None,
    detector: str | None = None,
    adapter: str | None = None,
    unit: Unit | None = None,
    params: str = PARAMS,
) -> Report:
    """The share of the answers of a JSONL file that is hallucinated, corrected where some are labelled.

    `labels`: a JSONL file of labels of answers that were drawn by chance. `detector`: a rule, `judge:MODEL`, a
    folder, a Hub id, or a trained one of the project; None: a model of `params`, else word support. `unit`:
    answers, or tokens (words); None: what was labelled. Raises TruerateError, one line, for what cannot be used,
    before any model is asked.
    """
    read = read_answers(str(answers))
    labelled = read_labels(str(labels), read) if labels is not None else {}
    chosen = unit_of(labelled, unit)
    judge = detector_of(detector, adapter=adapter, params=params)
    if chosen == "tokens" and not judge.says_where:
        raise _says_not_where(judge)
    return report(read, labelled, judge, judge.judge(read), unit=chosen)


def unit_of(labels: Mapping[str, Label], wanted: str | None) -> Unit:
    """What is counted: as wanted, else spans of tokens where these were labelled, else answers. Raises
    SettingsError where labels do not tell it.
    """
    if wanted is not None and wanted not in UNITS:
        raise SettingsError(f"--unit {wanted!r} is not known; allowed: {', '.join(UNITS)}")
    has_spans = any(one.spans is not None for one in labels.values())
    if wanted == "tokens" and labels and not has_spans:
        raise SettingsError("--unit tokens: the labels say 'is_hallucinated' and not where; give 'spans'")
    return "tokens" if wanted == "tokens" or (wanted is None and has_spans) else "answers"


def report(
    answers: Sequence[Answer],
    labels: Mapping[str, Label],
    judge: Detector,
    seen: Sequence[Seen],
    *,
    unit: Unit,
) -> Report:
    """What follows from verdicts and labels. Raises SettingsError where tokens are counted and the detector does
    not say where.
    """
    if unit == "tokens" and any(one.verdict is not None and one.spans is None for one in seen):
        raise _says_not_where(judge)
    cell = cell_of(answers, labels, seen, unit=unit)
    fields = {"system": [one.system for one in answers], "lang": [one.lang for one in answers]}
    names = dict.fromkeys(name for one in answers for name in one.slices)
    fields |= {name: [one.slices.get(name, "") for one in answers] for name in names}
    told = {name: values for name, values in fields.items() if len(set(values)) > 1}
    sliced = {name: values for name, values in told.items() if is_slice(values)}
    by_system = _cells(cell, sliced["system"]) if "system" in sliced else {}
    is_judged = np.array([one.verdict is not None for one in seen])
    return Report(
        unit,
        judge.name,
        judge.why,
        answers,
        seen,
        labels,
        replace(overall(cell, by_system), raw=raw_of(cell.only(is_judged))),
        {name: _rates(cell, values, is_judged) for name, values in sliced.items()},
        Systems(by_system).pairs(),
        [name for name in told if name not in sliced],
        [
            name
            for name, values in sliced.items()
            if is_uneven(values, [one.id in labels for one in answers])
            and not (name == "system" and are_all_labelled(by_system))
        ],
    )


def is_slice(values: Sequence[str]) -> bool:
    """Whether a field divides answers into few enough groups that repeat."""
    n = len(set(values))
    return n <= MOST_VALUES and n < max(3, len(values))


def are_all_labelled(by_system: Mapping[str, Cell]) -> bool:
    """Whether each system has labels enough for a rate of its own."""
    return bool(by_system) and min(one.k for one in by_system.values()) >= LEAST_LABELS


def is_uneven(values: Sequence[str], labelled: Sequence[bool]) -> bool:
    """Whether the labelled share differs between the values of a field by more than chance lets it in one of a thousand
    files: Pearson's chi-squared test of independence. Never where all or none is labelled.
    """
    from scipy.special import chdtrc

    _, group = np.unique(np.array(values), return_inverse=True)
    n = np.bincount(group)
    k, share = np.bincount(group, weights=np.array(labelled, dtype=float)), np.mean(labelled)
    if not 0 < share < 1:
        return False
    statistic = ((k - n * share) ** 2 / (n * share * (1 - share))).sum()
    return bool(chdtrc(len(n) - 1, statistic) < BY_CHANCE)


def overall(cell: Cell, by_system: Mapping[str, Cell]) -> Rate:
    """The rate of all answers; put together from systems where each has labels enough, so that systems which
    were labelled more weigh no more.
    """
    whole = rate_of(ALL_ANSWERS, cell)
    if whole.value is None or not are_all_labelled(by_system):
        return whole
    found = over_systems(by_system)
    if found is None:
        return whole
    found = wider(cell, found)
    return Rate(**{**vars(whole), "value": found.value, "low": found.low, "high": found.high})


def cell_of(
    answers: Sequence[Answer], labels: Mapping[str, Label], seen: Sequence[Seen], *, unit: Unit
) -> Cell:
    """Answers as sampling units: words or one verdict each, what the detector flags, what people label; those of
    one question are one cluster.
    """
    told = [labels.get(one.id) for one in answers]
    if unit == "tokens":
        words = [word_places(one.text) for one in answers]
        total = [len(one) for one in words]
        flagged = [
            np.nan if s.spans is None else n_inside(w, s.spans) for w, s in zip(words, seen, strict=True)
        ]
        gold = [
            np.nan if label is None or label.spans is None else n_inside(w, label.spans)
            for w, label in zip(words, told, strict=True)
        ]
    else:
        total = [1] * len(answers)
        flagged = [np.nan if one.verdict is None else float(one.verdict) for one in seen]
        gold = [np.nan if label is None else float(is_hallucinated(label)) for label in told]
    held = np.array(total, dtype=float)
    clusters = np.array([f"q:{one.question}" if one.question else f"id:{one.id}" for one in answers])
    return Cell(
        held, with_unjudged(held, np.array(flagged, dtype=float)), np.array(gold, dtype=float), clusters
    )


def is_hallucinated(label: Label) -> bool:
    """A person's verdict, or whether there is a span."""
    return bool(label.spans) if label.spans is not None else bool(label.is_hallucinated)


def word_places(text: str) -> list[Span]:
    """The places of a text's words: units that hold a letter or a digit."""
    return [(start, end) for start, end in units(text) if any(map(str.isalnum, text[start:end]))]


def n_inside(words: Sequence[Span], spans: Sequence[Span]) -> float:
    """How many words a span touches."""
    if not words or not spans:
        return 0.0
    starts, ends = np.array(words).T
    touched = np.zeros(len(words), dtype=bool)
    for start, end in spans:
        touched |= (starts < end) & (ends > start)
    return float(touched.sum())


def _rates(cell: Cell, values: Sequence[str], is_judged: np.ndarray) -> list[Rate]:
    """The rate of each value of a field; the flagged share is of what was judged."""
    return [
        replace(rate_of(value or NO_VALUE, cell.only(inside)), raw=raw_of(cell.only(inside & is_judged)))
        for value, inside in groups(values).items()
    ]


def _cells(cell: Cell, values: Sequence[str]) -> dict[str, Cell]:
    return {value or NO_VALUE: cell.only(inside) for value, inside in groups(values).items()}


def _says_not_where(judge: Detector) -> SettingsError:
    return SettingsError(
        f"counting tokens: detector {judge.name!r} says whether, not where; give --unit answers or another --detector"
    )
