"""A committed result as the pages show it: what was measured, by whom, every score, and the rows behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from truerate.core.card import Words
from truerate.metrics.estimators.dawid_skene import Raters
from truerate.results.ranges.multiverse import Multiverse
from truerate.results.texts import behind
from truerate.site.measures import ABSENT, Measure
from truerate.site.vocabulary import language

SPANS = 0.9  # an interval this wide, as a share of the scale, tells nothing
JUDGE = "judge"  # the slice key of scores that another judge of the same replies gives
Slice = tuple[tuple[str, str], ...]
NO_WORDS = Words()


@dataclass(frozen=True)
class RealScore:
    """One line of scores.csv; `slice` is sorted key–value pairs, empty over everything."""

    metric: str
    subject: str
    kind: str
    slice: Slice
    value: float | None
    low: float | None
    high: float | None
    n: int
    rank_low: int | None
    rank_high: int | None
    provenance: str

    @property
    def rank(self) -> str:
        """The rank range as printed; empty where nothing is ranked."""
        if self.rank_low is None or self.rank_high is None:
            return ""
        return str(self.rank_low) if self.rank_low == self.rank_high else f"{self.rank_low}–{self.rank_high}"

    @property
    def rank_order(self) -> float | str:
        """The sort key of a rank: its low end, then its high one; empty where nothing is ranked."""
        return "" if self.rank_low is None else self.rank_low + (self.rank_high or 0) / 1000


@dataclass(frozen=True)
class Printed:
    """A figure printed elsewhere beside ours.

    `printed` is as it stands there; `ours` has the same unit and one digit more, None where it is not
    measured here. `measure`: of a score of the board, or of a quantity of its labels; `asked` then says what
    is counted (`claim: Neutral`).
    """

    measure: Measure
    subject: str
    slice: Slice
    printed: str
    ours: str | None
    verdict: str
    source: str
    note: str = ""
    asked: str = ""


@dataclass(frozen=True)
class Order:
    """Two orders of a board's models: by the headline on `first` and on `second`, values of the slice key
    `key`; `first` is empty over everything.

    `tau`: Kendall's τ-b, None where one side is all ties. `n_flips` of `n_pairs` pairs of models change
    places; the rank ranges of those in `apart` have no rank in common on both sides.
    """

    key: str
    first: str
    second: str
    n: int
    tau: float | None
    n_pairs: int
    n_flips: int
    apart: tuple[tuple[str, str], ...]

    @property
    def n_apart(self) -> int:
        """The number of firm flips."""
        return len(self.apart)


@dataclass(frozen=True)
class Swap:
    """Two judges of the same replies; `order.first` is empty for what leads the board, `order.key` for
    everything.

    `n`: replies that both judged; `agreement`: the share of equal verdicts, in [0, 1]; `kappa`: Cohen's κ,
    None where both always say the same one thing.
    """

    order: Order
    n: int
    agreement: float | None
    kappa: float | None


@dataclass(frozen=True)
class Share:
    """A share in [0, 1] with its interval; None where nothing counts."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class JudgeErrors:
    """The error rates of a judge by people's labels of the same replies, on a slice: `tpr` is the share of
    the hallucinated that it finds, `tnr` the share of the others that it passes.
    """

    judge: str
    where: Slice
    n_hallucinated: int
    n_right: int
    tpr: Share
    tnr: Share

    @property
    def youden(self) -> float | None:
        """Youden's J, TPR + TNR − 1 (Youden 1950); None where one side is empty."""
        tpr, tnr = self.tpr.value, self.tnr.value
        return None if tpr is None or tnr is None else tpr + tnr - 1

    @property
    def is_identified(self) -> bool:
        """Whether J lies above 0 at the low ends of both intervals: a rate corrected by these errors is
        divided by J (Rogan and Gladen 1978), so that where J may be 0 the rate may be anything.
        """
        return None not in (self.tpr.low, self.tnr.low) and self.tpr.low + self.tnr.low > 1

    @property
    def name(self) -> str:
        """The slice as it is spelled."""
        return ", ".join(f"{key}: {value}" for key, value in self.where) or "everything"


@dataclass(frozen=True)
class Suspect:
    """A label that judges contradict: `n_against` of the `n_judges` that read the reply; `bits` is the
    evidence (`metrics.label_evidence`).
    """

    subject: str
    unit: str
    is_hallucinated: bool
    n_against: int
    n_judges: int
    bits: float

    @property
    def id(self) -> str:
        """The reply as errata name it."""
        return f"{self.subject}/{self.unit}"


@dataclass(frozen=True)
class Reannotation:
    """What a re-annotation says of the labels before it. `errors`: of these as of a judge, by the re-annotation: their TPR
    is the gold recall. `spans`: of the spans that were marked anew the share that a first one touches, by slice.
    """

    errors: tuple[JudgeErrors, ...]
    spans: tuple[tuple[Slice, int, Share], ...] = ()


@dataclass(frozen=True)
class RaterErrors:
    """What labels that several raters gave say of each subject's rate and of each rater, by Dawid and Skene's model, on
    `n` units: `result`, in the order of `subjects` and `names`, None where the labels do not tell how often raters err.
    `pooled`: why the raters are taken to have their errors in common, empty where each has its own.
    """

    n: int
    n_raters: int
    pooled: str
    subjects: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    result: Raters | None = None


@dataclass(frozen=True)
class RealBoard:
    """A board of real models or systems, rebuilt from public files.

    `card`: results/<board>/card.json. `scores`: its lines in their order. `rows`: the outcomes behind the
    ranked scores (metric, subject, slice, unit_id, cluster_id, value), `slice` as `key=value;…`. `measures`:
    its metrics by name. `more_units`: of two neighbours of the headline, (better, worse), the units to add
    until a test tells them apart; None where none would. `may_be_best`: the models that may be the best, over
    everything and by each further judge. `published`: figures printed elsewhere, `tally` how
    many of them the rows give. `orders`, `swaps`: whether the order of its models holds from slice to slice,
    and from judge to judge. `judge_errors`: these judges by people's labels. `suspects`: labels that the
    judges contradict, strongest first. `raters`: what the labels of several raters say, None without such.
    `reannotation`: what new labels say of the first, None where there are none. `n_labels`: labels behind it beside its
    rows. `words`: those in which
    the board's track shows values of slices. `table`: published figures in place of rows, which nobody has.
    `texts`: some of the texts behind the rows (`texts.table.Text`), where the licence of the set allows it.
    """

    card: Mapping
    scores: tuple[RealScore, ...]
    rows: pl.DataFrame
    measures: Mapping[str, Measure]
    more_units: Mapping[tuple[str, str], int | None] = field(default_factory=dict)
    may_be_best: Mapping[Slice, frozenset[str]] = field(default_factory=dict)
    published: tuple[Printed, ...] = ()
    tally: str = ""
    orders: tuple[Order, ...] = ()
    swaps: tuple[Swap, ...] = ()
    judge_errors: tuple[JudgeErrors, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    raters: RaterErrors | None = None
    reannotation: Reannotation | None = None
    n_labels: int = 0
    words: Words = NO_WORDS
    table: pl.DataFrame | None = None
    multiverse: Multiverse | None = None
    texts: pl.DataFrame | None = None

    @property
    def name(self) -> str:
        """The folder's name, which is the board's."""
        return str(self.card["board"])

    @property
    def headline(self) -> Measure:
        """The measure that ranks."""
        return self.measures[self.card["headline"]["metric"]]

    @cached_property
    def ranked(self) -> list[RealScore]:
        """The headline over everything, best first; subjects without a value last."""
        sign = 1 if self.headline.is_lower_better else -1
        scores = (score for score in self.scores if score.metric == self.headline.name and not score.slice)
        return sorted(scores, key=lambda row: (row.value is None, sign * (row.value or 0.0), row.subject))

    @cached_property
    def models(self) -> list[RealScore]:
        """The ranked lines of models alone; of a board without any, all lines."""
        return [score for score in self.ranked if score.kind == "model"] or self.ranked

    @property
    def has_models(self) -> bool:
        """Whether models or systems stand on the board, and not simple rules alone."""
        return any(score.kind == "model" for score in self.ranked)

    @property
    def is_judged(self) -> bool:
        """Whether a judge made the verdicts, whose own error nobody has measured here."""
        return bool(self.card["judge"])

    @property
    def lead(self) -> str:
        """Who labelled or judged what leads the board: people, or the judge by name."""
        return "people" if self.card["labelled_by"] else str(self.card["judge"] or "the board")

    @property
    def judges_own(self) -> tuple[str, ...]:
        """The subjects whose replies were judged by a model of their own maker."""
        return tuple(self.card["judges_own"])

    def in_words(self, where: Slice) -> str:
        """A slice in words, `task: Questions, lang: English`; `everything` where there is none."""
        return ", ".join(f"{key}: {self.value_in_words(key, value)}" for key, value in where) or "everything"

    def printed_slice(self, printed: Printed) -> str:
        """Return what a published figure is of, in words: its slice, and what of the labels it counts."""
        where = self.in_words(printed.slice) if printed.slice or not printed.asked else ""
        return ", ".join(filter(None, (where, printed.asked)))

    def value_in_words(self, key: str, value: str) -> str:
        """A value of a slice in the words of the board's track; as it is spelled where that has none."""
        if self.words is NO_WORDS:
            return value
        word = self.words.by_key.get((key, value)) or self.words.values.get(value)
        return word or (language(value) if key == "lang" else value)

    def spans_scale(self, score: RealScore) -> bool:
        """Return whether the interval of a share is so wide that it tells nothing: SPANS of [0, 1] and more."""
        if self.measures[score.metric].unit != "share" or score.low is None or score.high is None:
            return False
        return score.high - score.low >= SPANS

    def is_best(self, score: RealScore) -> bool:
        """Return whether the subject of a headline, over everything or by a further judge, may be the best."""
        return score.subject in self.may_be_best.get(score.slice, ())

    def ends(self, score: RealScore, between: str = " to ") -> str:
        """The interval of a score as printed, `4.5 to 8.7`; a dash where there is none."""
        if score.low is None or score.high is None:
            return ABSENT
        text = self.measures[score.metric].text
        return f"{text(score.low)}{between}{text(score.high)}"

    def judges(self, where: Slice = ()) -> dict[str, dict[str, RealScore]]:
        """Return the scores of each further judge, by judge and subject: over everything, or on a slice."""
        by_judge: dict[str, dict[str, RealScore]] = {}
        for score in self.scores:
            rest = tuple(pair for pair in score.slice if pair[0] != JUDGE)
            if rest == where and rest != score.slice and score.kind == "model":
                by_judge.setdefault(dict(score.slice)[JUDGE], {})[score.subject] = score
        return dict(sorted(by_judge.items()))

    def overall(self, metric: str, where: Slice = ()) -> dict[str, RealScore]:
        """The scores of one metric over everything, or on a slice, by subject."""
        return {
            score.subject: score for score in self.scores if (score.metric, score.slice) == (metric, where)
        }

    @cached_property
    def readable(self) -> frozenset[tuple[str, str]]:
        """Of whose texts some can be read, and on which slice (`texts.behind.readable`)."""
        return behind.readable(self)

    @cached_property
    def writers(self) -> frozenset[str]:
        """Who wrote the texts that can be read."""
        return frozenset() if self.texts is None else frozenset(self.texts["subject"])

    @cached_property
    def facts(self) -> str:
        """Where its numbers come from, for their dialog (`behind.facts`)."""
        return behind.facts(self)

    def address(self, score: RealScore) -> str:
        """The address, from the site's root, of what stands behind a score."""
        return behind.address(self, score)

    def reading(self, score: RealScore) -> str:
        """The choices of the sample browser that show texts behind a score; empty without any."""
        return behind.reading(self, score)

    @cached_property
    def other_metrics(self) -> list[Measure]:
        """The other measures over everything, in the order in which they come."""
        names = dict.fromkeys(score.metric for score in self.scores if not score.slice)
        return [self.measures[name] for name in names if name != self.headline.name]

    @cached_property
    def slice_keys(self) -> dict[str, list[str]]:
        """The keys that alone slice the headline, with their values: in the order of the track's words where
        these list each of them, else in that in which they come.
        """
        by_key: dict[str, dict[str, None]] = {}
        for score in self.scores:
            if score.metric == self.headline.name and len(score.slice) == 1:
                key, value = score.slice[0]
                by_key.setdefault(key, {})[value] = None
        return {key: self._ordered(key, list(values)) for key, values in by_key.items()}

    def _ordered(self, key: str, values: list[str]) -> list[str]:
        order = {value: position for position, (of, value) in enumerate(self.words.by_key) if of == key}
        return sorted(values, key=order.__getitem__) if set(values) <= set(order) else values
