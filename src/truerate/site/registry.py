"""The functions behind the pages of each track, by the names in its page.yaml; a track may have none."""

from functools import cache
from pathlib import Path
from typing import Any

from truerate.site.charts.efforts import efforts
from truerate.site.charts.recovery import TEMPLATE as RECOVERY
from truerate.site.halludial import rows as halludial
from truerate.site.halludial.points import operating_points
from truerate.site.halludial.temperatures import temperature_lines
from truerate.site.layout import Figure, Page, Part, Rows, read_page
from truerate.site.mfava import rows as mfava
from truerate.site.mfava.analyses import analyses
from truerate.site.mfava.heatmap import heat_map
from truerate.site.mfava.heatmap import recovered as mfava_recovered
from truerate.site.mfava.token_f1 import table_3
from truerate.site.samples import facts, located, marked
from truerate.site.samples.index import FORMS
from truerate.site.tables import Board
from truerate.site.wildhallucinations import rows as wildhallucinations
from truerate.site.wildhallucinations.funnel import distribution, evidence, funnel

TRACKS = Path(__file__).parents[1] / "tracks"
RATE, OWN_JUDGE_RATE = "hallucination_rate", "own_judge_rate"


def with_failure_rates(rows: Rows, board: Board) -> Rows:
    """Return the rows with planted failure rates by pattern: one minus the planted TPR."""
    planted = [
        row
        for row in rows
        if (row["kind"], row["table"], row["metric"]) == ("planted", "recognition", "tpr")
        and "pattern" in row["slice"]
        and row["value"] is not None
    ]
    failures = {"table": "failures", "metric": "failure_rate", "low": None, "high": None}
    return rows + [row | failures | {"value": 1 - row["value"]} for row in planted]


def n_items(rows: Rows, board: Board) -> list[Figure]:
    """Return how many items the texts are about."""
    return [("Items", board.items.height, "")]


def labelled_by(rows: Rows, board: Board) -> dict | None:
    """Return who labelled: `by`, in the source's words; `judge`, the model whose verdicts count, None where
    people's labels do; `is_checked`, whether a verdict of it stands beside a label of people, so that its
    error is known; `n_own`, how many systems are of its maker.
    """
    judge = board.source_card.get("judge")
    by = board.source_card.get("labelled_by") or "those who published the set"
    is_checked = any(row["table"] == "detectors" and row["subject"] == judge for row in rows)
    return {"by": by, "judge": judge, "is_checked": is_checked, "n_own": len(own_family(rows, board))}


def own_family(rows: Rows, board: Board) -> dict[str, str]:
    """Return subjects whose replies a model of their own maker judged, with a sentence each."""
    judge = board.source_card.get("judge")
    subjects = (row["subject"] for row in rows if row["metric"] == OWN_JUDGE_RATE and row["value"])
    return {subject: f"same maker as its judge ({judge})" for subject in subjects}


def n_replies(rows: Rows, board: Board) -> list[Figure]:
    """Return how many replies there are, where the texts themselves may not be shown."""
    if board.samples.height:
        return []
    whole = [row for row in rows if row["metric"] == RATE and not row["slice"]]
    n = sum(row["n"] for row in whole)
    share = sum(row["n"] * row["value"] for row in whole if row["value"] is not None) / n if n else 0.0
    return [("Replies", n, f"{100 * share:.0f} % hallucinated")]


EFFORTS = {"efforts": Part("efforts.html.j2", efforts)}
PARTS: dict[str, dict[str, Part]] = {
    "halueval": EFFORTS,
    "halludial": {
        **EFFORTS,
        "operating_points": Part("halludial/points.html.j2", operating_points),
        "temperature_lines": Part("halludial/lines.html.j2", temperature_lines),
        "recovered": Part(RECOVERY, halludial.recovered),
    },
    "mfava": {
        "heat_map": Part("mfava/heatmap.html.j2", heat_map),
        "recovered": Part(RECOVERY, mfava_recovered),
        "analyses": Part("mfava/analyses.html.j2", analyses),
        "table_3": Part("mfava/token_f1.html.j2", table_3),
    },
    "wildhallucinations": {
        "recovered": Part(RECOVERY, wildhallucinations.recovered),
        "funnel": Part("wildhallucinations/funnel.html.j2", funnel),
        "distribution": Part("wildhallucinations/distribution.html.j2", distribution),
        "evidence": Part("wildhallucinations/evidence.html.j2", evidence),
    },
    "labelled_replies": {"labelled_by": Part("labelled_replies/labelled_by.html.j2", labelled_by)},
}
FUNCTIONS: dict[str, dict[str, Any]] = {
    "halueval": {"derive": with_failure_rates, "figures": n_items},
    "halludial": {
        "records": located.records,
        "record_filters": tuple(FORMS["located"]["filters"]),
        "derive": halludial.derived,
        "figures": halludial.figures,
    },
    "mfava": {
        "records": marked.records,
        "targets": marked.targets,
        "record_filters": tuple(FORMS["marked"]["filters"]),
        "derive": mfava.derived,
        "figures": mfava.figures,
    },
    "wildhallucinations": {
        "records": facts.records,
        "targets": facts.targets,
        "record_filters": tuple(FORMS["facts"]["filters"]),
        "derive": wildhallucinations.derived,
        "figures": wildhallucinations.figures,
        "is_labelled": wildhallucinations.is_labelled,
    },
    "labelled_replies": {"flags": own_family, "figures": n_replies},
}


@cache
def page_of(track: str) -> Page:
    """Return the layout of a track's boards; an empty one without a page.yaml. Raises TruerateError."""
    path = TRACKS / track / "page.yaml"
    if not path.is_file():
        return Page()
    return read_page(path, parts=PARTS.get(track, {}), functions=FUNCTIONS.get(track, {}))
