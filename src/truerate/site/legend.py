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
        marks.append("▲▼ places gained or lost relative to the sorting column.")
    if panel.has_planted:
        marks.append("▴ true value, planted in the closed world.")
    if has_hint:
        marks.append("Click a number for its definition and data.")
    return Markup(" ".join(marks))


def _ranks(panel: Panel) -> list[str]:
    if not any(column.is_ranked for column in panel.columns):
        return []
    n_models = sum(line.kind == "model" for line in panel.lines)
    has_rivals, has_others = n_models > 1, 0 < n_models < len(panel.lines)
    return [
        "Ranks are ranges: rows share ranks unless a paired test, corrected for all pairs, separates them.",
        *["Models are ranked among models; any other row has the rank it would take among them."]
        * has_others,
        "Tinted: models that may be the best (multiple comparisons with the best).",
        *["Bold: best value among models."] * has_rivals,
    ]


def _whiskers(panel: Panel, confidence: float, threshold: float | None) -> list[str]:
    if not any(column.has_whisker for column in panel.columns):
        return []
    if threshold is not None:
        tick = "; dashed line: threshold"
    elif panel.chances == [0.5]:
        tick = "; thin tick: guessing, 50 %"
    elif panel.chances:
        levels = " or ".join(f"{100 * chance:.0f} %" for chance in panel.chances)
        tick = f"; thin tick: guessing, {levels}"
    else:
        tick = ""
    axis = f"from {100 * panel.low:.0f} to {100 * panel.high:.0f} %"
    return [f"Whiskers: {100 * confidence:.0f} % confidence intervals, axis {axis}{tick}."]
