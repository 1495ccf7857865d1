"""From messages to entities with evidence: what is left at each stage, what was taken out before it, and what
became of the pages.
"""

import math

from truerate.site.measures import Measure
from truerate.site.tables import Board
from truerate.site.vocabulary import Vocabulary
from truerate.site.wildhallucinations.rows import PARTS, WORDS

STAGES = tuple(WORDS["stages"])
BEFORE = {
    reason: stage for stage, reasons in WORDS["stages"].items() for reason in reasons
}  # what is left of a removal
KEPT = ("ok", "kept", "fetched")
PER_ENTITY = ("pages_per_entity", "words_per_entity", "wikipedia_rate", "tokens_per_page")
SPREADS = tuple(f"{name}_sd" for name in PER_ENTITY)


def funnel(rows: list[dict], board: Board) -> dict | None:
    """Return what funnel.html.j2 shows: a line per stage, with what is left, its share of the largest stage,
    why others went. None of none.

    `precision` and `recall` of a stage and of the whole are planted rows, null where unknown.
    """
    counted = {
        row["slice"].get("stage", ""): row
        for row in rows
        if row["metric"] == "funnel_n" and row["kind"] != "planted"
    }
    if not counted:
        return None
    order = [stage for stage in STAGES if stage in counted] + sorted(set(counted) - set(STAGES))
    widest = max((row["value"] or 0 for row in counted.values()), default=0) or 1
    gone = _gone(rows, board.vocabulary)
    lines = [
        {
            "name": board.vocabulary.value("stage", stage),
            "row": counted[stage],
            "n": int(counted[stage]["value"] or 0),
            "share": (counted[stage]["value"] or 0) / widest,
            "gone": sorted(gone.get(stage, {}).items(), key=lambda entry: (-entry[1], entry[0])),
            "precision": _planted(rows, "funnel_precision", stage),
            "recall": _planted(rows, "funnel_recall", stage),
        }
        for stage in order
    ]
    whole = {name: _planted(rows, f"funnel_{name}", None) for name in ("precision", "recall")}
    eligible = _planted(rows, "funnel_n", "eligible")
    return {
        "lines": lines,
        "whole": whole,
        "eligible": eligible,
        "has_planted": any(line["precision"] or line["recall"] for line in lines),
    }


def _gone(rows: list[dict], vocabulary: Vocabulary) -> dict[str, dict[str, int]]:
    """Return how many were taken out before each stage, by reason in words."""
    by_stage: dict[str, dict[str, int]] = {}
    for row in rows:
        reason = row["slice"].get("reason")
        if row["metric"] == "n_rejected" and reason in BEFORE and row["value"]:
            why, words = by_stage.setdefault(BEFORE[reason], {}), vocabulary.value("reason", reason)
            words = words[:1].lower() + words[1:]
            why[words] = why.get(words, 0) + int(row["value"])
    return by_stage


def _planted(rows: list[dict], metric: str, stage: str | None) -> dict | None:
    """The row that holds a stage (None: the whole) against what was planted."""
    planted = (
        row
        for row in rows
        if row["metric"] == metric and row["kind"] == "planted" and row["value"] is not None
    )
    return next((row for row in planted if row["slice"].get("stage") == stage), None)


def distribution(rows: list[dict], board: Board) -> dict | None:
    """Return what distribution.html.j2 shows (WildHallucinations, Figure 2): a table per slice, with how many
    entities each of its groups has and their share; the groups of rarity in their order, others the largest
    first. None of none.
    """
    tables = []
    for part in PARTS:
        counted = [
            (row["slice"][part], int(row["value"]))
            for row in rows
            if row["metric"] == "n_entities" and part in row["slice"] and row["value"]
        ]
        if not counted:
            continue
        total, most = sum(n for _, n in counted), max(n for _, n in counted)
        counted.sort(key=lambda entry: _power(entry[0]) if part == "rarity" else (-entry[1], entry[0]))
        lines = [
            {"name": board.vocabulary.value(part, group), "n": n, "length": n / most, "share": n / total}
            for group, n in counted
        ]
        tables.append({"head": WORDS["parts"][part][0], "total": total, "lines": lines})
    return {"tables": tables} if tables else None


def _power(group: str) -> tuple[float, str]:
    """The place of a group of rarity: by its power of ten, what is not known last."""
    power = group.removeprefix("10^").rstrip("+")
    return (float(power) if power.isdigit() else math.inf, group)


def evidence(rows: list[dict], board: Board) -> dict | None:
    """Return what evidence.html.j2 shows: figures of an entity's pages, and what became of all that a search
    named; None without either.
    """
    means = {
        row["metric"]: row
        for row in rows
        if row["metric"] in (*PER_ENTITY, *SPREADS) and row["kind"] != "planted" and row["value"] is not None
    }
    figures = [
        _figure(board.measures[name], means[name], means.get(f"{name}_sd"))
        for name in PER_ENTITY
        if name in means
    ]
    counted = [
        (row["slice"].get("outcome", ""), int(row["value"]))
        for row in rows
        if row["metric"] == "n_pages" and row["value"] is not None
    ]
    total = sum(n for _, n in counted)
    counted.sort(key=lambda entry: (entry[0] not in KEPT, -entry[1], entry[0]))
    lines = [
        {"name": board.vocabulary.value("outcome", name), "is_kept": name in KEPT, "n": n, "share": n / total}
        for name, n in counted
        if total
    ]
    return {"figures": figures, "total": total, "lines": lines} if figures or lines else None


def _figure(what: Measure, row: dict, spread: dict | None) -> tuple[str, str, str]:
    """A mean as a figure: its name, itself with the standard deviation where there is one, its interval."""
    unit = " %" if what.unit == "share" else ""
    interval = (
        ""
        if row["low"] is None or row["high"] is None
        else f"{what.text(row['low'])} to {what.text(row['high'])}"
    )
    deviation = f" ± {what.text(spread['value'])}" if spread else ""
    return what.label, f"{what.text(row['value'])}{unit}{deviation}", interval
