"""What is known of a person's own answers, as a value: for a terminal, a notebook, a table, a figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import polars as pl

from truerate.answers.figure import Figure, figure_of
from truerate.answers.grouping import Grouping
from truerate.answers.proxies import Judges
from truerate.answers.reading import STATED
from truerate.answers.repeats import Repeats
from truerate.answers.telling import as_html, headline, notes, table_of
from truerate.metrics.estimators.own_rate import Rate, Separation
from truerate.metrics.intervals import Interval

Unit = Literal["answers", "tokens"]


@dataclass(frozen=True)
class Rating:
    """What is known of a source of answers. `frame`: its table (`AnswerTable.frame`) with what the detector
    says of each answer: `verdict`, the places that it marks (`marked`, null: not stated), and the `reason`
    where there is no verdict. `rate`: of all that say something; `slices`: rates by the values of each field;
    `pairs`: systems beside one another; `not_sliced`: fields of more than MOST_VALUES values, or of mostly
    unlike ones; `uneven`: fields by whose values answers were labelled in other shares than chance explains,
    so that a rate of all of them leans to those labelled more; `grouping`: which answers have in common what
    they were asked about; `notes`: how the source was read; `judges`: the file's own, where these judge;
    `repeats`: of the same item, where there are any.
    """

    unit: Unit
    detector: str
    about: str
    frame: pl.DataFrame
    rate: Rate
    slices: Mapping[str, Sequence[Rate]]
    pairs: Sequence[Separation]
    not_sliced: Sequence[str]
    grouping: Grouping
    uneven: Sequence[str] = ()
    notes: Sequence[str] = ()
    judges: Judges | None = None
    repeats: Repeats | None = None
    has_texts: bool = True

    def n_in_state(self, state: str) -> int:
        """Answers that say something, abstain, or are none."""
        return self._n_by_state.get(state, 0)

    @cached_property
    def _n_by_state(self) -> dict[str, int]:
        return dict(self.frame["state"].value_counts().iter_rows())

    @property
    def n_stated(self) -> int:
        """Answers that say something: those of which rates are."""
        return self.n_in_state(STATED)

    @cached_property
    def unjudged(self) -> dict[str, int]:
        """How many answers that say something have no verdict, by why, the most frequent first."""
        missing = self.frame.filter(pl.col("verdict").is_null(), pl.col("state") == STATED)["reason"]
        counts = missing.fill_null("no verdict").value_counts(sort=True)
        return dict(counts.sort("count", "reason", descending=[True, False]).iter_rows())

    @cached_property
    def n_judged(self) -> int:
        """Answers with a verdict."""
        return self.frame.height - self.frame["verdict"].null_count()

    @property
    def estimate(self) -> Interval | None:
        """The hallucinated share with its interval, in [0, 1]: corrected where labels allow it, exact (low =
        value = high) where all are labelled. None where it is not identified; what is flagged is `rate.raw`.
        """
        rate = self.rate
        if rate.value is None:
            return None
        ends = (rate.value if end is None else end for end in (rate.low, rate.high))
        return Interval(rate.value, *ends)

    @cached_property
    def table(self) -> pl.DataFrame:
        """Rates, a row each: of all answers (`field` and `group` null) and of each value of each field.
        Columns field, group, n, labelled, value, low, high, flagged (shares in [0, 1], null where unknown)
        and estimator.
        """
        return table_of(self)

    def plot(self) -> Figure:
        """The rates with their intervals as SVG; in a notebook it shows itself."""
        return figure_of(self)

    def __repr__(self) -> str:
        return f"<Rating: {headline(self)}>"

    def _repr_html_(self) -> str:
        return as_html(headline(self), notes(self), self.plot().svg)
