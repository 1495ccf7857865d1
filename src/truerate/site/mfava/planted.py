"""The hallucination rates of a multilingual board held against what was planted, estimator by estimator."""

from truerate.site.charts.recovery import against_planted, pictured
from truerate.site.mfava.heatmap import ALL, CALIBRATIONS, ESTIMATORS, PLANTED, grids, mode_order
from truerate.site.tables import Board
from truerate.site.vocabulary import language


def recovered(rows: list[dict], board: Board) -> dict | None:
    """What recovery.html.j2 shows of hallucination rates: over all replies, cells are single languages and models; None without any."""
    grid = {mode: cells for mode, cells in grids(rows).items() if mode[2] == ALL and mode[0] != PLANTED}
    estimators = []
    for mode in sorted(grid, key=mode_order):
        title, calibrated = (
            ESTIMATORS.get(mode[0], (mode[0], ""))[0],
            CALIBRATIONS.get(mode[1], (mode[1], ""))[0],
        )
        cells = {
            f"{language(lang)}, {model}": grid[mode][lang, model]
            for lang, model in sorted(grid[mode])
            if lang != ALL
        }
        estimators.append(against_planted(title, calibrated.lower(), cells))
    return pictured(
        estimators,
        second="Calibrated on",
        join="on",
        dot="language and model",
    )
