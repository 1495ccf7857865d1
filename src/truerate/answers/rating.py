"""`truerate.rate`: the hallucinated share of one's own answers, or their words, with its interval."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Literal

import numpy as np

from truerate.answers.fields import given_fields
from truerate.answers.grouping import Grouping, grouping_of
from truerate.answers.judging import PARAMS, detector_of
from truerate.answers.labels import Label, read_labels
from truerate.answers.reading import ABSTAINED, EMPTY, STATED, Answer, read_answers
from truerate.answers.verdicts import NO_REFERENCE, AnswerVerdict, Detector, Span
from truerate.core.errors import SettingsError, SourceError
from truerate.core.spans.whole_words import units
from truerate.metrics.estimators.label_groups import are_by_group, grouped_rate
from truerate.metrics.estimators.own_rate import (
    LEAST_LABELS,
    Rate,
    Separation,
    Systems,
    by_bands,
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
MOST_VALUES, LONGEST_VALUE = 20, 80  # of a field: one with more, or with longer ones, is no slice
NO_VALUE = "(none)"
BY_CHANCE = 0.001  # below it labels were not drawn alike from the values of a field


@dataclass(frozen=True)
class Report:
    """What is known of a file of answers. `verdicts`: the detector's word on each answer, in their order;
    `rate`: of all that say something; `slices`: rates by the values of each field; `pairs`: systems beside
    one another; `not_sliced`: fields of long texts, of more than MOST_VALUES values, or of mostly unlike
    ones; `uneven`: fields by whose values answers were labelled in other shares than chance explains, so that
    a rate of all of them leans to those labelled more; `grouping`: which answers have in common what they
    were asked about; `notes`: how the file was read.
    """

    unit: Unit
    detector: str
    about: str
    answers: Sequence[Answer]
    verdicts: Sequence[AnswerVerdict]
    labels: Mapping[str, Label]
    rate: Rate
    slices: Mapping[str, Sequence[Rate]]
    pairs: Sequence[Separation]
    not_sliced: Sequence[str]
    grouping: Grouping
    uneven: Sequence[str] = ()
    notes: Sequence[str] = ()

    def n_in_state(self, state: str) -> int:
        """Answers that say something, abstain, or are none."""
        return sum(answer.state == state for answer in self.answers)

    @property
    def n_stated(self) -> int:
        """Answers that say something: those of which rates are."""
        return self.n_in_state(STATED)

    @property
    def unjudged(self) -> dict[str, int]:
        """How many answers that say something have no verdict, by why, the most frequent first."""
        missing = (
            verdict.reason or "no verdict"
            for answer, verdict in zip(self.answers, self.verdicts, strict=True)
            if answer.state == STATED and verdict.verdict is None
        )
        return dict(Counter(missing).most_common())

    @property
    def n_judged(self) -> int:
        """Answers with a verdict."""
        return sum(verdict.verdict is not None for verdict in self.verdicts)


def rate(
    answers: str | PathLike[str],
    *,
    labels: str | PathLike[str] | None = None,
    detector: str | None = None,
    adapter: str | None = None,
    unit: Unit | None = None,
    fields: Iterable[str] = (),
    params: str = PARAMS,
) -> Report:
    """The share of the answers of a JSONL file that is hallucinated, corrected where some are labelled; of
    those that say something: empty ones and abstentions are counted beside it.

    `labels`: a JSONL file of labels of answers that were drawn by chance. `detector`: a rule, `judge:MODEL`,
    a folder, a Hub id, or a trained one of the project; None: a model of `params`, else word support. `unit`:
    answers, or tokens (words); None: what was labelled. `fields`: `ROLE=FIELD` where a field is not what its
    name says. Raises TruerateError, one line, for what cannot be used, before any model is asked, and where
    nothing was judged and nothing is labelled.
    """
    file = read_answers(str(answers), given_fields(fields))
    of_labels: list[str] = []
    labelled = read_labels(str(labels), file, of_labels) if labels is not None else {}
    chosen = unit_of(labelled, unit)
    judge = detector_of(detector, adapter=adapter, params=params)
    if chosen == "tokens" and not judge.says_where:
        raise _says_not_where(judge)
    verdicts = seen_by(judge, file.answers)
    rated = report(file.answers, labelled, judge, verdicts, unit=chosen)
    notes = list(file.notes) + of_labels + _unused_labels(file.answers, labelled)
    if not rated.n_judged and not rated.rate.k:
        raise SourceError(_nothing_known(str(answers), rated, notes))
    return replace(rated, notes=notes)


def seen_by(judge: Detector, answers: Sequence[Answer]) -> list[AnswerVerdict]:
    """Return what the detector says of each answer that says something; the state of the others."""
    verdicts = iter(judge.judge([answer for answer in answers if answer.state == STATED]))
    return [
        next(verdicts) if answer.state == STATED else AnswerVerdict(None, reason=answer.state)
        for answer in answers
    ]


def _unused_labels(answers: Sequence[Answer], labels: Mapping[str, Label]) -> list[str]:
    """A line on labels of answers that say nothing."""
    unused = [labels[answer.id] for answer in answers if answer.state != STATED and answer.id in labels]
    if not unused:
        return []
    n = sum(map(is_hallucinated, unused))
    return [
        f"labels of answers that abstain or are empty, not used: {len(unused)}, of which {n} say "
        "hallucinated; "
        "where such an answer does say something, give it 'abstained': false"
    ]


def _nothing_known(path: str, rated: Report, notes: Sequence[str]) -> str:
    why = [f"{n} {reason}" for reason, n in rated.unjudged.items()]
    why += [f"{n} {state}" for state in (ABSTAINED, EMPTY) if (n := rated.n_in_state(state))]
    more = "".join(f"; {note}" for note in notes)
    what = (
        "; give what an answer is checked against as 'reference', or name its field, --field reference=FIELD"
        if NO_REFERENCE in rated.unjudged
        else ""
    )
    return (
        f"rating {path!r}: none of its {len(rated.answers)} answers could be judged, and none is labelled: "
        f"{', '.join(why)}{what}{more}"
    )


def unit_of(labels: Mapping[str, Label], wanted: str | None) -> Unit:
    """The unit counted: as wanted, else tokens if spans were labelled, else answers. Raises SettingsError."""
    if wanted is not None and wanted not in UNITS:
        raise SettingsError(f"--unit {wanted!r} is not known; allowed: {', '.join(UNITS)}")
    has_spans = any(label.spans is not None for label in labels.values())
    if wanted == "tokens" and labels and not has_spans:
        raise SettingsError("--unit tokens: the labels say 'is_hallucinated' and not where; give 'spans'")
    return "tokens" if wanted == "tokens" or (wanted is None and has_spans) else "answers"


def report(
    answers: Sequence[Answer],
    labels: Mapping[str, Label],
    judge: Detector,
    verdicts: Sequence[AnswerVerdict],
    *,
    unit: Unit,
) -> Report:
    """Return what follows from verdicts and labels. Raises SettingsError if tokens count and none are marked."""
    if unit == "tokens" and any(
        verdict.verdict is not None and verdict.spans is None for verdict in verdicts
    ):
        raise _says_not_where(judge)
    is_stated = [answer.state == STATED for answer in answers]
    stated = [answer for answer, states in zip(answers, is_stated, strict=True) if states]
    verdicts_of_stated = [verdict for verdict, states in zip(verdicts, is_stated, strict=True) if states]
    grouping = grouping_of(stated, [answer.id in labels for answer in stated])
    cell = cell_of(stated, labels, verdicts_of_stated, unit=unit, clusters=grouping.clusters)
    fields = {
        "system": [answer.system for answer in stated],
        "lang": [answer.lang for answer in stated],
    }
    names = dict.fromkeys(name for answer in stated for name in answer.slices)
    fields |= {name: [answer.slices.get(name, "") for answer in stated] for name in names}
    groups = {name: values for name, values in fields.items() if len(set(values)) > 1 or is_long(values)}
    sliced = {name: values for name, values in groups.items() if is_slice(values)}
    by_system = _cells(cell, sliced["system"]) if "system" in sliced else {}
    is_judged = np.array([verdict.verdict is not None for verdict in verdicts_of_stated], dtype=bool)
    is_by_group = are_by_group(cell)
    return Report(
        unit,
        judge.name,
        judge.why,
        answers,
        verdicts,
        labels,
        replace(overall(cell, by_system), raw=raw_of(cell.only(is_judged))),
        {name: _rates(cell, values, is_judged, is_by_group) for name, values in sliced.items()},
        Systems(by_system).pairs(),
        [name for name in groups if name not in sliced],
        grouping,
        [
            name
            for name, values in sliced.items()
            if cell.weight is None
            and is_uneven(*_drawn(values, cell, is_by_group=is_by_group))
            and not (name == "system" and are_all_labelled(by_system))
        ],
    )


def _drawn(values: Sequence[str], cell: Cell, *, is_by_group: bool) -> tuple[list[str], list[bool]]:
    """Return what was drawn to be labelled, by the values of a field, and whether it was: answers, or where
    labels were given group by group the answers of a group that have one value.
    """
    if not is_by_group:
        return list(values), cell.is_labelled.tolist()
    drawn: dict[tuple[str, str], bool] = {}
    for value, group, is_labelled in zip(
        values, cell.clusters.tolist(), cell.is_labelled.tolist(), strict=True
    ):
        drawn[value, group] = drawn.get((value, group), False) or is_labelled
    return [value for value, _ in drawn], list(drawn.values())


def is_long(values: Sequence[str]) -> bool:
    """Return whether a field holds texts, not names of groups."""
    return max(map(len, values), default=0) > LONGEST_VALUE


def is_slice(values: Sequence[str]) -> bool:
    """Return whether a field divides answers into few groups that repeat, by values that are no long texts."""
    n = len(set(values))
    return 1 < n <= MOST_VALUES and (n < 3 or 2 * n <= len(values)) and not is_long(values)


def are_all_labelled(by_system: Mapping[str, Cell]) -> bool:
    """Return whether each system has labels enough for a rate of its own."""
    return bool(by_system) and min(cell.k for cell in by_system.values()) >= LEAST_LABELS


def is_uneven(values: Sequence[str], labelled: Sequence[bool]) -> bool:
    """Return whether the labelled share differs between the values of a field by more than chance lets it in
    one of a thousand files: Pearson's chi-squared test of independence. Never where all or none is labelled.
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
    """The rate of all answers, combined over systems where each has labels enough."""
    whole = rate_of(ALL_ANSWERS, cell)
    if whole.value is None or cell.k == cell.n or not are_all_labelled(by_system):
        return whole
    if whole.groups is not None:
        combined = grouped_rate(by_system)
    elif (combined := by_bands(list(by_system.values()), confidence=0.95)) is None:
        combined = over_systems(by_system)
        combined = wider(cell, combined) if combined is not None else None
    if combined is None:
        return whole
    system = grouped_rate(by_system, target="model") or whole.system
    return replace(whole, value=combined.value, low=combined.low, high=combined.high, system=system)


def cell_of(
    answers: Sequence[Answer],
    labels: Mapping[str, Label],
    verdicts: Sequence[AnswerVerdict],
    *,
    unit: Unit,
    clusters: Sequence[str],
) -> Cell:
    """Answers as sampling units: words or verdicts, detector's flags, people's labels, clusters."""
    given = [labels.get(answer.id) for answer in answers]
    if unit == "tokens":
        words = [word_places(answer.text) for answer in answers]
        total = [len(word) for word in words]
        flagged = [
            np.nan if s.spans is None else n_inside(w, s.spans) for w, s in zip(words, verdicts, strict=True)
        ]
        gold = [
            np.nan if label is None or label.spans is None else n_inside(w, label.spans)
            for w, label in zip(words, given, strict=True)
        ]
    else:
        total = [1] * len(answers)
        flagged = [np.nan if verdict.verdict is None else float(verdict.verdict) for verdict in verdicts]
        gold = [np.nan if label is None else float(is_hallucinated(label)) for label in given]
    totals = np.array(total, dtype=float)
    is_weighted = any(label is not None and label.weight is not None for label in given)
    weights = [1.0 if label is None or label.weight is None else label.weight for label in given]
    return Cell(
        totals,
        with_unjudged(totals, np.array(flagged, dtype=float)),
        np.array(gold, dtype=float),
        np.array(clusters),
        weight=np.array(weights) if is_weighted else None,
    )


def is_hallucinated(label: Label) -> bool:
    """A person's verdict, or whether there is a span."""
    return bool(label.spans) if label.spans is not None else bool(label.is_hallucinated)


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


def _rates(cell: Cell, values: Sequence[str], is_judged: np.ndarray, is_by_group: bool) -> list[Rate]:
    """The rate of each value of a field; the flagged share is of what was judged."""
    return [
        replace(
            rate_of(value or NO_VALUE, cell.only(inside), is_by_group=is_by_group),
            raw=raw_of(cell.only(inside & is_judged)),
        )
        for value, inside in groups(values).items()
    ]


def _cells(cell: Cell, values: Sequence[str]) -> dict[str, Cell]:
    return {value or NO_VALUE: cell.only(inside) for value, inside in groups(values).items()}


def _says_not_where(judge: Detector) -> SettingsError:
    return SettingsError(
        f"counting tokens: detector {judge.name!r} says whether, not where; give --unit answers or another "
        "--detector"
    )
