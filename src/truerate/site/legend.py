"""What the marks of a table mean, in sentences: ranks, bold print, whiskers, arrows, planted values."""

from markupsafe import Markup

from truerate.site.views import Panel


def legend(panel: Panel, form: str, confidence: float, threshold: float | None, *, has_hint: bool) -> Markup:
    """The sentences under a panel; empty where it bears no mark.

    `form`: of its view. `confidence`: of every interval. `threshold`: drawn as a broken line, None where
    there is none. `has_hint`: whether to say that numbers open.
    """
    marks = [*_ranks(panel), *_whiskers(panel, confidence, threshold)] if form == "board" else []
    if panel.has_moves:
        marks.append("▲▼ places gained or lost against the column that the table is sorted by.")
    if panel.has_planted:
        marks.append("▴ marks the value planted in the closed world.")
    if has_hint:
        marks.append("A number opens its definition, rows and command.")
    return Markup(" ".join(marks))


def _ranks(panel: Panel) -> list[str]:
    if not any(column.is_ranked for column in panel.columns):
        return []
    n_models = sum(line.kind == "model" for line in panel.lines)
    has_rivals, has_others = n_models > 1, 0 < n_models < len(panel.lines)
    return [
        "Ranks are ranges: two rows share ranks where a paired test, corrected for all pairs, "
        "does not tell them apart.",
        *["Models are ranked among models; any other row has the place that it would take among them."]
        * has_others,
        "Tinted: a model that may be the best, by comparisons with the best.",
        *["Bold: best measured among models."] * has_rivals,
    ]


def _whiskers(panel: Panel, confidence: float, threshold: float | None) -> list[str]:
    if not any(column.has_whisker for column in panel.columns):
        return []
    if threshold is not None:
        tick = "; the broken line is the threshold"
    elif panel.chances == [0.5]:
        tick = "; the thin tick is a coin toss"
    elif panel.chances:
        levels = " or ".join(f"{100 * chance:.0f} %" for chance in panel.chances)
        tick = f"; the thin tick is what guessing gets, {levels}"
    else:
        tick = ""
    axis = f"from {100 * panel.low:.0f} to {100 * panel.high:.0f} %"
    return [f"Whiskers are {100 * confidence:.0f} % intervals on one axis {axis}{tick}."]
