"""How a number is read and shown: the measure of a metric."""

from dataclasses import dataclass, fields

from markupsafe import Markup

from truerate.core import metric
from truerate.site.safety import slug

SHARED = "all-boards"  # the methods page of the measures that every board may carry
ABSENT = Markup(metric.ABSENT)
MONTHS = "January February March April May June July August September October November December".split()


def signed(value: float | None) -> Markup:
    """A coefficient in [−1, 1] as printed, with two digits; a dash where there is none."""
    if value is None:
        return ABSENT
    return Markup(f"{round(value, 2) + 0.0:.2f}".replace("-", "−"))


def thousands(n: int) -> str:
    """A count with thin spaces between its thousands."""
    return f"{n:,}".replace(",", "\u2009")


def roughly(n: int) -> str:
    """Return an estimated count rounded to two significant digits, `147302` as `150 000` with thin spaces."""
    step = 10 ** max(0, len(str(n)) - 2)
    return thousands(-(-n // step) * step)


def day_in_words(day: str) -> str:
    """Return a year, a month or a day as it is read: `2023`, `May 2023`, `27 April 2026`; empty where not known."""
    year, month, date = [*day.split("-"), "", ""][:3]
    return " ".join(part for part in (date.lstrip("0"), month and MONTHS[int(month) - 1], year) if part)


@dataclass(frozen=True)
class Measure(metric.Metric):
    """A metric as pages show it: its record, printed as HTML; `track` is empty for shared metrics."""

    track: str = ""

    @classmethod
    def of(cls, record: metric.Metric, track: str = "") -> "Measure":
        """The measure of a record."""
        return cls(**{field.name: getattr(record, field.name) for field in fields(record)}, track=track)

    @property
    def anchor(self) -> str:
        """Its anchor on the methods pages."""
        return "-".join(filter(None, ("measure", self.track, self.name)))

    @property
    def address(self) -> str:
        """The methods page and anchor of its definition."""
        return f"methods-{slug(self.track or SHARED)}.html#{slug(self.anchor)}"

    def text(self, value: float | None) -> Markup:
        """A value as printed; what Markdown would act on is no danger here."""
        return Markup(super().text(value))
