"""Rates of turns and dialogues: what was planted beside every estimate of them, and held against it."""

from truerate.site.charts.recovery import CellEstimate, against_planted, pictured
from truerate.site.layout import Rows
from truerate.site.tables import Board

TABLE, RATE, PLANTED = "rates", "hallucination_rate", "planted"
TRANSFER, BY_JUDGE = "transfer", "rate_by_judge"
ESTIMATOR, CALIBRATION, TEMPERATURE = "estimator", "calibration", "temperature"
HISTORY, SELF = "history", "self"
ESTIMATORS = ("raw", "rogan-gladen", "prediction-powered")
CALIBRATED = {"induced": "by induced texts", "natural": "by people’s labels"}
WHERE = ("unit", HISTORY, TEMPERATURE, "turns")  # what a rate is of, beside the responder
Mode = tuple[str, str]  # an estimator, and what it was calibrated on


def mode_of(row: dict) -> Mode:
    """By what a rate was estimated."""
    return row["slice"].get(ESTIMATOR, ESTIMATORS[0]), row["slice"].get(CALIBRATION, "")


def mode_order(mode: Mode) -> tuple:
    """Raw first, then by estimator and calibration."""
    return (ESTIMATORS.index(mode[0]) if mode[0] in ESTIMATORS else len(ESTIMATORS), *mode)


def title_of(mode: Mode, board: Board) -> str:
    """An estimate in words: `Corrected by people’s labels`."""
    words = board.vocabulary.value(ESTIMATOR, mode[0])
    is_told = mode[0] == ESTIMATORS[1]  # raw has no calibration, and of the third it is always the same
    return f"{words} {CALIBRATED.get(mode[1], f'by {mode[1]}')}" if is_told else words


def is_rate(row: dict) -> bool:
    """Whether a row is a hallucination rate of a responder, or by a judge, estimated or planted."""
    return row["metric"] == BY_JUDGE or (
        row["table"] == TABLE and row["metric"] == RATE and "corpus" not in row["slice"]
    )


def with_planted(rows: Rows) -> Rows:
    """Each planted rate once per estimate, so that tables show it beside the estimated one; what was planted
    of differences beside the raw ones, which alone are estimated.
    """
    planted = [row for row in rows if row["table"] in (TABLE, TRANSFER) and row["kind"] == PLANTED]
    others = [row for row in rows if not (row["table"] in (TABLE, TRANSFER) and row["kind"] == PLANTED)]
    modes = {
        metric: sorted({mode_of(row) for row in others if is_rate(row) and row["metric"] == metric})
        for metric in (RATE, BY_JUDGE)
    }
    copies = [
        row | {"slice": _of(row) | _how(mode)}
        for row in planted
        for mode in (modes[row["metric"]] if is_rate(row) else [(ESTIMATORS[0], "")])
    ]
    return others + copies


def with_base(rows: Rows) -> Rows:
    """Rows of rates at the base temperature, that of self history (where there is none the only one), once more without it."""
    rates = [row for row in rows if row["table"] == TABLE and TEMPERATURE in row["slice"]]
    bases = {row["slice"][TEMPERATURE] for row in rates if row["slice"].get(HISTORY) == SELF}
    bases = bases or {row["slice"][TEMPERATURE] for row in rates}
    if len(bases) != 1:
        return rows
    copies = [row for row in rates if row["slice"][TEMPERATURE] in bases]
    return rows + [
        row | {"slice": {key: value for key, value in row["slice"].items() if key != TEMPERATURE}}
        for row in copies
    ]


def recovered(rows: Rows, board: Board) -> dict | None:
    """What recovery.html.j2 shows of the rates: each estimator over responders, units, histories and
    temperatures; None where nothing was planted.
    """
    rates = [
        row for row in rows if is_rate(row) and TEMPERATURE in row["slice"] and "turns" not in row["slice"]
    ]
    truth = {(row["subject"], _address(row)): row["value"] for row in rates if row["kind"] == PLANTED}
    cells: dict[Mode, dict[str, CellEstimate]] = {}
    for row in rates:
        if row["kind"] == "model":
            words = [board.vocabulary.value(key, row["slice"][key]) for key in WHERE if key in row["slice"]]
            planted = truth.get((row["subject"], _address(row)))
            estimate = CellEstimate(row["value"], row["low"], row["high"], planted=planted, n=row["n"])
            cells.setdefault(mode_of(row), {})[", ".join([row["subject"], *words])] = estimate
    estimators = [
        against_planted(
            board.vocabulary.value(ESTIMATOR, mode[0]), CALIBRATED.get(mode[1], mode[1]), cells[mode]
        )
        for mode in sorted(cells, key=mode_order)
    ]
    return pictured(estimators, second="Calibrated", join="", dot="responder, unit, history and temperature")


def _of(row: dict) -> dict[str, str]:
    """What a rate is of, without how it was estimated."""
    return {key: value for key, value in row["slice"].items() if key not in (ESTIMATOR, CALIBRATION)}


def _address(row: dict) -> tuple:
    return tuple(sorted(_of(row).items()))


def _how(mode: Mode) -> dict[str, str]:
    return {key: value for key, value in zip((ESTIMATOR, CALIBRATION), mode, strict=True) if value}
