"""The heat map of a multilingual board: languages × models, one estimate at a time to switch between."""

import json
import math
from operator import itemgetter
from pathlib import Path

from markupsafe import Markup

from truerate.core.data_files import read_data
from truerate.site.charts.recovery import CellEstimate, against_planted, pictured
from truerate.site.measures import ABSENT
from truerate.site.tables import Board
from truerate.site.vocabulary import language, native_name

RATE, ALL, PLANTED = "hallucination_rate", "all", "planted"
BAND = ("sensitivity_low", "sensitivity_high")
HEADLINE, NATURAL = "prediction-powered", "natural"
# Estimators, calibrations and replies by name: what a switch is called, and the sentence that explains it.
ESTIMATORS, CALIBRATIONS, REPLIES = read_data(Path(__file__).with_name("modes.yaml"), dict.values)
OWN_LABELS = tuple(ESTIMATORS)[:4]  # what they are calibrated on is always the same and is not said
# What may open the heat map, the best founded first: what rests on labels of replies.
PREFERRED = tuple((name, NATURAL) for name in (HEADLINE, "predicted", "rogan-gladen-between", "rogan-gladen"))
# The mode of the paper's own map, Figure 4: on silver labels, or on gold ones where no silver tags can be read.
AS_PRINTED = tuple(("hr_est", calibration, "all") for calibration in ("silver", "gold"))
WIDE = 0.5  # an interval over more of the colours' scale than this says too little for a colour
Mode = tuple[str, str, str]  # estimator, what it was calibrated on, replies
Grid = dict[Mode, dict[tuple[str, str], CellEstimate]]


def heat_map(rows: list[dict], board: Board) -> dict | None:
    """Return what heatmap.html.j2 shows: languages as lines, models as columns, means; None without a rate."""
    grid = grids(rows)
    models = sorted({subject for cells in grid.values() for _, subject in cells})
    languages = sorted({lang for cells in grid.values() for lang, _ in cells} - {ALL}, key=language)
    if not models or not languages:
        return None
    modes = sorted(grid, key=mode_order)
    means = {mode: _means(grid[mode], languages, models) for mode in modes}
    now, high = modes.index(opening(grid)), axis(grid)
    words = [_mode_words(mode) for mode in modes]
    estimates = [estimate for cells in grid.values() for estimate in cells.values()]
    return {
        "measure": board.measures[RATE],
        "why": why(rows, grid),
        "modes": words,
        "modes_json": json.dumps(words, ensure_ascii=False),
        "now": now,
        "high": high,
        "wide": WIDE,
        "models": models,
        "lines": [_line(lang, means, models, modes[now], high) for lang in languages],
        "foot": _line(ALL, means, models, modes[now], high),
        "printed": as_printed(means, languages, models),
        "provenance": next(row["provenance"] for row in rows if row["metric"] == RATE),
        "has_planted": any(estimate.planted is not None for estimate in estimates),
        "has_wide": any(is_wide(estimate, high) for estimate in estimates),
        "has_gaps": any(estimate.value is None for estimate in estimates),
    }


def as_printed(means: dict[Mode, dict], languages: list[str], models: list[str]) -> dict | None:
    """Return the map of HR_est as mFAVA's Figure 4 draws it, `calibration`, `models` and `lines`: languages and models
    from the lowest mean to the highest, each cell with its standard deviation over detector seeds and reply seeds;
    None where HR_est is nowhere identified.
    """
    mode = next((mode for mode in AS_PRINTED if _has_value(means.get(mode, {}))), None)
    if mode is None:
        return None
    cells, high = means[mode], axis({mode: means[mode]})

    def mean(lang: str, model: str) -> tuple[bool, float]:
        estimate = cells.get((lang, model))
        value = estimate.value if estimate else None
        return value is None, value or 0.0

    models = sorted(models, key=lambda model: mean(ALL, model))
    lines = []
    for lang in (*sorted(languages, key=lambda lang: mean(lang, "")), ALL):
        row: list[dict] = []
        for model in ("", *models):
            estimate = cells.get((lang, model))
            is_mean, value = not model or lang == ALL, estimate.value if estimate else None
            tint = None if value is None or is_mean else min(9, int(10 * value / high))
            std = estimate.std if estimate and not is_mean else None
            row.append({"value": value, "std": std, "tint": tint, "is_mean": is_mean})
        lines.append({"code": lang, "name": language(lang), "own": native_name(lang), "cells": row})
    return {"calibration": CALIBRATIONS[mode[1]][0], "models": models, "lines": lines}


def _has_value(cells: dict[tuple[str, str], CellEstimate]) -> bool:
    return any(estimate.value is not None for estimate in cells.values())


def grids(rows: list[dict]) -> Grid:
    """Return every estimate by mode, then by (language, model); planted values stand in all cells."""
    measured = [row for row in rows if row["kind"] != PLANTED]
    values_by_address = {
        (row["metric"], row["subject"], *sorted(row["slice"].items())): row["value"] for row in measured
    }
    truth = {
        (row["slice"].get("lang", ALL), row["subject"], row["slice"].get("replies", ALL)): row["value"]
        for row in rows
        if _is_truth(row)
    }
    grid: Grid = {}
    for row in rows:
        if row["table"] == "rates" and row["metric"] == RATE and (row["kind"] == "model" or _is_truth(row)):
            slice_ = row["slice"]
            lang, replies = slice_.get("lang", ALL), slice_.get("replies", ALL)
            mode = (slice_.get("estimator", "raw"), slice_.get("calibration", ""), replies)
            std = values_by_address.get((f"{RATE}_std", row["subject"], *sorted(slice_.items())))
            bare = sorted((key, value) for key, value in slice_.items() if key != "estimator")
            low, high = (values_by_address.get((metric, row["subject"], *bare)) for metric in BAND)
            band = (low, high) if mode[0] == "rogan-gladen" else (None, None)
            planted = None if _is_truth(row) else truth.get((lang, row["subject"], replies))
            estimate = CellEstimate(row["value"], row["low"], row["high"], std, planted, band, row["n"])
            grid.setdefault(mode, {})[lang, row["subject"]] = estimate
    return grid


def _is_truth(row: dict) -> bool:
    """Return whether a row is a planted rate under its own name."""
    return row["kind"] == PLANTED and row["metric"] == RATE and row["slice"].get("estimator") == PLANTED


def opening(grid: Grid) -> Mode:
    """Return the mode shown first: the best founded one known in half of its cells, over all replies."""
    for estimator, calibration in PREFERRED:
        cells = grid.get((estimator, calibration, ALL), {})
        if cells and 2 * sum(estimate.value is not None for estimate in cells.values()) >= len(cells):
            return (estimator, calibration, ALL)
    return min(grid, key=mode_order)


def why(rows: list[dict], grid: Grid) -> str:
    """Return which estimate models are ranked by, and why; or why none is ranked."""
    headline = grid.get((HEADLINE, NATURAL, ALL), {})
    cells = {key: estimate for key, estimate in headline.items() if key[0] != ALL}
    lost = {lang for (lang, _), estimate in cells.items() if estimate.value is None and estimate.n}
    if not cells or all(cell.value is None for cell in cells.values()):
        return (
            "Nobody labelled these replies, so no rate is identified and no model is ranked: raw shares are "
            "not comparable between models, and the other estimates rest on labels of other texts."
        )
    labelled = [row for row in rows if row["metric"] == "n_labelled" and row["slice"].get("lang") == ALL]
    n_labelled, n = (int(sum(row[name] or 0 for row in labelled)) for name in ("value", "n"))
    counted = f"{n_labelled:,} of {n:,} replies" if labelled else "some of the very replies"
    sentence = f"Models are ranked by the prediction-powered rate, because annotators labelled {counted}."
    if lost:
        named = ", ".join(map(language, sorted(lost, key=language)))
        sentence += f" Not identified where they labelled too few or none: {named};"
        sentence += " Predicted says what to expect there."
    return sentence


def is_wide(estimate: CellEstimate, high: float) -> bool:
    """Return whether an interval spans most of the scale of the colours, which ends at `high`."""
    if estimate.low is None or estimate.high is None:
        return False
    return min(estimate.high, high) - min(estimate.low, high) > WIDE * high


def axis(grid: Grid) -> float:
    """Return the upper end of the colours of all modes: holds 95 % of the values, at most 1."""
    estimates = (estimate for cells in grid.values() for estimate in cells.values())
    values = sorted(estimate.value for estimate in estimates if estimate.value is not None)
    if not values:
        return 1.0
    end = values[min(len(values) - 1, int(0.95 * len(values)))]
    step = 0.02 if end <= 0.2 else 0.1
    return min(1.0, max(0.02, step * math.ceil(round(end / step, 6))))


def _means(
    cells: dict[tuple[str, str], CellEstimate], languages: list[str], models: list[str]
) -> dict[tuple[str, str], CellEstimate]:
    """Return the cells with a mean per language, per model (estimated, else over languages) and of all."""
    whole = dict(cells)
    for model in models:
        whole.setdefault((ALL, model), _mean([cells.get((lang, model)) for lang in languages]))
    for lang in (*languages, ALL):
        whole[lang, ""] = _mean([whole.get((lang, model)) for model in models])
    return whole


def _mean(estimates: list[CellEstimate | None]) -> CellEstimate:
    """The plain mean of what is told; how many are behind it, how many are missing."""
    identified = [estimate for estimate in estimates if estimate and estimate.value is not None]
    planted = [estimate.planted for estimate in estimates if estimate and estimate.planted is not None]
    value = sum(estimate.value for estimate in identified) / len(identified) if identified else None
    truth = sum(planted) / len(planted) if len(planted) == len(estimates) == len(identified) else None
    return CellEstimate(value, planted=truth, n=len(identified), n_missing=len(estimates) - len(identified))


def _line(lang: str, means: dict[Mode, dict], models: list[str], mode: Mode, high: float) -> dict:
    """Return a line: a language, a cell for the mean over models and one per model, all modes packed."""
    cells = []
    for model in ("", *models):
        estimates = [cells_of_mode.get((lang, model)) for cells_of_mode in means.values()]
        packed = Markup(",").join(estimate.packed() if estimate else Markup("") for estimate in estimates)
        now, is_mean = means[mode].get((lang, model)), not model or lang == ALL
        cell = {"now": now, "packed": packed, "is_mean": is_mean, "model": model}
        cells.append(cell | (_shown(now, mode, high, is_mean=is_mean) if now else {}))
    return {"code": lang, "name": language(lang), "own": native_name(lang), "cells": cells}


def _shown(estimate: CellEstimate, mode: Mode, high: float, *, is_mean: bool) -> dict[str, object]:
    """Return classes, text and interval of a cell; `high`: the darkest tint; wide intervals have none."""
    estimator, _, replies = mode
    if estimate.value is not None:
        step, wide = min(9, int(10 * estimate.value / high)), not is_mean and is_wide(estimate, high)
        text = f"{100 * estimate.value:.1f}{'*' if estimate.n_missing else ''}"
        looks = ("tr-mean",) if is_mean else ("tr-wide",) if wide else ("tr-tint", f"tint-{step}")
        return {"looks": looks, "text": text, "range": _range(estimate), "is_wide": wide}
    if not is_mean and not estimate.n and replies == ALL:
        text = "no answers"
    else:
        text = ABSENT if is_mean or estimator in ("raw", "hr_est", PLANTED) else "not identified"
    return {"looks": ("tr-none", not is_mean and "tr-untold"), "text": text, "range": "", "is_wide": False}


def _range(estimate: CellEstimate) -> str:
    """An interval as it stands in a cell; empty where there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"


def mode_order(mode: Mode) -> tuple:
    """The place of a mode among the switches: by estimator, calibration, replies; unknown ones last."""
    estimator, calibration, replies = mode
    order = (list(ESTIMATORS), list(CALIBRATIONS), list(REPLIES))
    return tuple(
        names.index(part) if part in names else len(names)
        for names, part in zip(order, (estimator, calibration or "silver", replies), strict=True)
    )


def _mode_words(mode: Mode) -> dict:
    """A mode in words: its parts as buttons say them, and a sentence."""
    estimator, calibration, replies = mode
    titles = [
        ESTIMATORS.get(estimator, (estimator, "")),
        CALIBRATIONS.get(calibration, (calibration, "")),
        REPLIES.get(replies, (replies, "")),
    ]
    is_own = estimator in OWN_LABELS
    (name, _), (calibrated, _), (counted, _) = titles
    on = f" on {calibrated.lower()}" if calibration and not is_own else ""
    notes = [note for number, (_, note) in enumerate(titles) if note and not (is_own and number == 1)]
    return {
        **{"estimator": estimator, "calibration": calibration, "replies": replies},
        "titles": [title for title, _ in titles],
        "title": f"{name}{on}, {counted.lower()}",
        "note": " ".join(notes),
    }


def recovered(rows: list[dict], board: Board) -> dict | None:
    """Return what recovery.html.j2 shows of hallucination rates, by single language and model; None without
    any.
    """
    grid = {mode: cells for mode, cells in grids(rows).items() if mode[2] == ALL and mode[0] != PLANTED}
    estimators = []
    for mode in sorted(grid, key=mode_order):
        title, _ = ESTIMATORS.get(mode[0], (mode[0], ""))
        calibrated, _ = CALIBRATIONS.get(mode[1], (mode[1], ""))
        single = {
            key: estimate for key, estimate in sorted(grid[mode].items(), key=itemgetter(0)) if key[0] != ALL
        }
        cells = {f"{language(lang)}, {model}": estimate for (lang, model), estimate in single.items()}
        estimators.append(against_planted(title, calibrated.lower(), cells))
    return pictured(estimators, second="Calibrated on", join="on", dot="language and model")
