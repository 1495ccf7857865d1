"""HalluDial's rows as its pages read them: estimates beside planted rates, derived rows, figures."""

from collections import defaultdict
from collections.abc import Mapping

from truerate.site.charts.recovery import CellEstimate, against_planted, pictured
from truerate.site.layout import Figure, Rows
from truerate.site.tables import Board

TABLE, RATE, PLANTED = "rates", "hallucination_rate", "planted"
TRANSFER, BY_JUDGE = "transfer", "rate_by_judge"
ESTIMATOR, CALIBRATION, TEMPERATURE = "estimator", "calibration", "temperature"
HISTORY, SELF = "history", "self"
ESTIMATORS = ("raw", "rogan-gladen", "prediction-powered")
CALIBRATED = {
    "induced": "by induced texts",
    "natural": "by people’s labels",
    "spontaneous": "by published labels",
}
WHERE = ("unit", HISTORY, TEMPERATURE, "turns")  # what a rate is of, beside the responder
VARIANT, OVER, VIEW = "variant", "over", "view"
BALANCED, MIXED = "balanced", "mixed"
LONE = ("location", "reliability")  # tables in which a judge has one variant each: it need not be said
SAYS = {"positives": "says-yes", "negatives": "says-no"}  # of judgements, where elsewhere it is of texts
SIZES = ("n_dialogues", "n_turns", "turns_per_dialogue")
Mode = tuple[str, str]  # an estimator, and what it was calibrated on


def derived(rows: Rows, board: Board) -> Rows:
    """Return the rows with planted rates beside estimates, base temperature apart, and balanced scores."""
    rows = [
        row | {"slice": row["slice"] | {OVER: SAYS[row["slice"][OVER]]}}
        if row["table"] == "labels" and row["slice"].get(OVER) in SAYS
        else row
        for row in without_lone_variants(rows)
    ]
    return with_mixed(with_base(with_planted(rows)))


def figures(rows: Rows, board: Board) -> list[Figure]:
    """Return how many dialogues and turns the texts are about, and whose verdicts make the rates."""
    sizes = {
        row["metric"]: row["value"] for row in rows if row["table"] == "dataset" and row["metric"] in SIZES
    }
    n_dialogues, n_turns, mean = (sizes.get(name) for name in SIZES)
    shown: list[Figure] = []
    if n_dialogues:
        shown.append(("Dialogues", int(n_dialogues), f"{mean:.1f} turns each" if mean else ""))
    if n_turns:
        shown.append(("Turns", int(n_turns), ""))
    member = board.detector.get("member")
    estimated = [
        row for row in rows if row["metric"] == RATE and row["value"] is not None and row["kind"] != PLANTED
    ]
    return [*shown, *([("Rates by", member, "")] if member and estimated else [])]


def without(slice_: Mapping[str, str], *keys: str) -> dict[str, str]:
    """A slice without some of its keys."""
    return {key: value for key, value in slice_.items() if key not in keys}


# ---- rates -------------------------------------------------------------------------------------------------
def mode_of(row: dict) -> Mode:
    """By what a rate was estimated."""
    return row["slice"].get(ESTIMATOR, ESTIMATORS[0]), row["slice"].get(CALIBRATION, "")


def mode_order(mode: Mode) -> tuple:
    """Raw first, then by estimator and calibration."""
    return (ESTIMATORS.index(mode[0]) if mode[0] in ESTIMATORS else len(ESTIMATORS), *mode)


def title_of(mode: Mode, board: Board) -> str:
    """Return an estimate in words, `Corrected by people’s labels`; only corrected ones name a calibration."""
    words = board.vocabulary.value(ESTIMATOR, mode[0])
    return f"{words} {CALIBRATED.get(mode[1], f'by {mode[1]}')}" if mode[0] == ESTIMATORS[1] else words


def is_rate(row: dict) -> bool:
    """Return whether a row is a hallucination rate of a responder, or by a judge, estimated or planted."""
    is_of_table = row["table"] == TABLE and row["metric"] == RATE and "corpus" not in row["slice"]
    return row["metric"] == BY_JUDGE or is_of_table


def with_planted(rows: Rows) -> Rows:
    """Return each planted rate once per estimate; planted differences beside the raw ones alone."""
    planted = [row for row in rows if row["table"] in (TABLE, TRANSFER) and row["kind"] == PLANTED]
    others = [row for row in rows if row["table"] not in (TABLE, TRANSFER) or row["kind"] != PLANTED]
    modes: dict[str, set[Mode]] = defaultdict(set)
    for row in filter(is_rate, others):
        modes[row["metric"]].add(mode_of(row))
    copies = [
        row | {"slice": _of(row) | {ESTIMATOR: mode[0]} | ({CALIBRATION: mode[1]} if mode[1] else {})}
        for row in planted
        for mode in (sorted(modes[row["metric"]]) if is_rate(row) else [(ESTIMATORS[0], "")])
    ]
    return others + copies


def with_base(rows: Rows) -> Rows:
    """Return the rows, and rates at the base temperature (that of self history) once more without it."""
    rates = [row for row in rows if row["table"] == TABLE and TEMPERATURE in row["slice"]]
    bases = {row["slice"][TEMPERATURE] for row in rates if row["slice"].get(HISTORY) == SELF}
    bases = bases or {row["slice"][TEMPERATURE] for row in rates}
    if len(bases) != 1:
        return rows
    copies = [row for row in rates if row["slice"][TEMPERATURE] in bases]
    return rows + [row | {"slice": without(row["slice"], TEMPERATURE)} for row in copies]


def recovered(rows: Rows, board: Board) -> dict | None:
    """Return each estimator of the rates against planted truth; None where nothing was planted."""
    rates = [
        row for row in rows if is_rate(row) and TEMPERATURE in row["slice"] and "turns" not in row["slice"]
    ]
    truth = {_address(row, _of(row)): row["value"] for row in rates if row["kind"] == PLANTED}
    cells: dict[Mode, dict[str, CellEstimate]] = {}
    for row in rates:
        if row["kind"] == "model":
            words = [board.vocabulary.value(key, row["slice"][key]) for key in WHERE if key in row["slice"]]
            planted = truth.get(_address(row, _of(row)))
            estimate = CellEstimate(row["value"], row["low"], row["high"], planted=planted, n=row["n"])
            cells.setdefault(mode_of(row), {})[", ".join([row["subject"], *words])] = estimate
    estimators = [
        against_planted(
            board.vocabulary.value(ESTIMATOR, name), CALIBRATED.get(source, source), cells[name, source]
        )
        for name, source in sorted(cells, key=mode_order)
    ]
    return pictured(estimators, second="Calibrated", join="", dot="responder, unit, history and temperature")


def _of(row: dict) -> dict[str, str]:
    """Return what a rate is of, without how it was estimated."""
    return without(row["slice"], ESTIMATOR, CALIBRATION)


def _address(row: dict, slice_: Mapping[str, str]) -> tuple:
    return (row["subject"], row["metric"], *sorted(slice_.items()))


# ---- other rows --------------------------------------------------------------------------------------------
def without_lone_variants(rows: Rows) -> Rows:
    """Rows of LONE without the variant, of each subject that has no other one there."""
    variants: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row["table"] in LONE and VARIANT in row["slice"]:
            variants[row["table"], row["subject"]].add(row["slice"][VARIANT])
    lone = {key for key, values in variants.items() if len(values) == 1}
    return [
        row | {"slice": without(row["slice"], VARIANT)} if (row["table"], row["subject"]) in lone else row
        for row in rows
    ]


def with_mixed(rows: Rows) -> Rows:
    """Return what is scored as a balanced set would be, also as the texts are; over all kinds alone."""
    halved = [row for row in rows if row["slice"].get(VIEW) == BALANCED and "kind" not in row["slice"]]
    wanted = {(row["kind"], *_address(row, row["slice"] | {VIEW: MIXED})) for row in halved}
    copies = [row | {"slice": row["slice"] | {VIEW: MIXED}} for row in rows if VIEW not in row["slice"]]
    return rows + [row for row in copies if (row["kind"], *_address(row, row["slice"])) in wanted]
