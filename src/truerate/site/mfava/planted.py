"""The hallucination rates of a multilingual board held against what was planted, estimator by estimator."""

from truerate.site.languages import language
from truerate.site.mfava.heatmap import ALL, CALIBRATIONS, ESTIMATORS, PLANTED, grids, mode_order
from truerate.site.recovery import held_against, pictured
from truerate.site.tables import Board


def recovered(rows: list[dict], board: Board) -> dict | None:
    """What recovery.html.j2 shows of hallucination rates: over all replies, cells are single languages
    and models; None without any.
    """
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
        estimators.append(held_against(title, calibrated.lower(), cells))
    return pictured(
        [estimator for estimator in estimators if estimator],
        second="Calibrated on",
        join="on",
        dot="language and model",
    )
