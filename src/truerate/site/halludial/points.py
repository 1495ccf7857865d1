"""The share of hallucinations that a judge finds against the share of other responses it leaves alone."""

from truerate.site.charts import Axis, apart, frame, in_percent, numbered, percent
from truerate.site.tables import Board

TABLE, RATES = "detection", ("tnr", "tpr")
SCENARIO, VARIANT, LEADING = "scenario", "variant", "zero-shot"
SCENARIOS = ("spontaneous", "natural", "induced", "all")
WIDTH, HEIGHT, EDGE = 232.0, 232.0, 30.0  # of a picture, and of what stands left of and below its frame
ACROSS, UP = Axis(0, 1, EDGE, WIDTH - 6), Axis(0, 1, HEIGHT - EDGE, 6)
LABEL = {"width": 13.0, "height": 9.5}  # of a number beside a dot
PLANTED = "planted"


def operating_points(rows: list[dict], board: Board) -> dict | None:
    """Return a picture per scenario with a numbered dot per judge; None where no judge has both rates."""
    pairs = _pairs(rows)
    subjects = numbered((subject, kind) for _, subject, kind in pairs if kind != PLANTED)
    scenarios = sorted({scenario for scenario, _, _ in pairs}, key=_order)
    pictures = [_picture(scenario, pairs, subjects, board) for scenario in scenarios]
    pictures = [picture for picture in pictures if picture["dots"]]
    if not pictures:
        return None
    marks = in_percent((0, 0.5, 1))
    return {
        "pictures": pictures,
        "names": list(subjects),
        **frame((WIDTH, HEIGHT), ACROSS, UP, across_ticks=marks, up_ticks=marks),
        "has_planted": any(dot["planted"] for picture in pictures for dot in picture["dots"]),
        "models": sorted({subject for _, subject, kind in pairs if kind == "model"}),
    }


def _pairs(rows: list[dict]) -> dict[tuple[str, str, str], dict[str, dict]]:
    """TNR and TPR by scenario, subject and kind: zero-shot rows over every kind of text, that have both."""
    pairs: dict[tuple[str, str, str], dict[str, dict]] = {}
    for row in rows:
        slice_ = row["slice"]
        is_whole = not slice_.keys() - {SCENARIO, VARIANT} and SCENARIO in slice_
        is_leading = slice_.get(VARIANT, LEADING) == LEADING
        if (
            row["table"] == TABLE
            and row["metric"] in RATES
            and is_whole
            and is_leading
            and row["value"] is not None
        ):
            pairs.setdefault((slice_[SCENARIO], row["subject"], row["kind"]), {})[row["metric"]] = row
    return {where: pair for where, pair in pairs.items() if len(pair) == len(RATES)}


def _order(scenario: str) -> tuple[int, str]:
    return (SCENARIOS.index(scenario) if scenario in SCENARIOS else len(SCENARIOS), scenario)


def _picture(scenario: str, pairs: dict, subjects: dict[str, int], board: Board) -> dict:
    """One scenario: its dots in the order of their numbers, and the same in a sentence."""
    truth = {
        subject: pair
        for (where, subject, kind), pair in pairs.items()
        if (where, kind) == (scenario, PLANTED)
    }
    dots = [
        _dot(subject, subjects[subject], kind, pair) | {"planted": _point(truth.get(subject))}
        for (where, subject, kind), pair in pairs.items()
        if where == scenario and kind != PLANTED
    ]
    dots.sort(key=lambda dot: dot["number"])
    heights = apart([(dot["x"], dot["y"]) for dot in dots], **LABEL)
    title = board.vocabulary.value(SCENARIO, scenario)
    words = "; ".join(dot["description"] for dot in dots)
    return {
        "title": title,
        "dots": [dot | {"label_y": y} for dot, y in zip(dots, heights, strict=True)],
        "description": f"{title}: true positive rate against true negative rate. {words}.",
    }


def _dot(subject: str, number: int, kind: str, pair: dict[str, dict]) -> dict:
    tnr, tpr = (pair[metric] for metric in RATES)
    return {
        "number": number,
        "is_rule": kind != "model",
        "x": ACROSS.at(tnr["value"]),
        "y": UP.at(tpr["value"]),
        "across": ACROSS.ends(tnr["low"], tnr["high"]),
        "up": UP.ends(tpr["low"], tpr["high"]),
        "description": f"{subject}: finds {percent(tpr['value'])}, leaves alone {percent(tnr['value'])}",
    }


def _point(pair: dict[str, dict] | None) -> tuple[float, float] | None:
    return (ACROSS.at(pair["tnr"]["value"]), UP.at(pair["tpr"]["value"])) if pair else None
