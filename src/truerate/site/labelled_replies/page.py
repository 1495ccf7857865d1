"""Who labelled the replies of a board, and what follows from that for its reader: from its rows and its source's card,
for texts that may not be shown are not here.
"""

from truerate.site.layout import Figure, Rows
from truerate.site.tables import Board

RATE, OWN = "hallucination_rate", "own_judge_rate"


def labelled_by(rows: Rows, board: Board) -> dict | None:
    """Who labelled: `by`, in the source's words; `judge`, the model whose verdicts count, None where people's labels
    do; `is_checked`, whether a verdict of it stands beside a label of people, so that its error is known; `n_own`,
    how many systems are of its maker.
    """
    judge = board.source_card.get("judge")
    by = board.source_card.get("labelled_by") or "those who published the set"
    is_checked = any(row["table"] == "detectors" and row["subject"] == judge for row in rows)
    return {"by": by, "judge": judge, "is_checked": is_checked, "n_own": len(own_family(rows, board))}


def own_family(rows: Rows, board: Board) -> dict[str, str]:
    """The subjects whose replies were judged by a model of their own maker, each with the sentence that says so."""
    judge = board.source_card.get("judge")
    subjects = (row["subject"] for row in rows if row["metric"] == OWN and row["value"])
    return {subject: f"same maker as its judge ({judge})" for subject in subjects}


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many replies there are, where the texts themselves may not be shown."""
    if board.samples.height:
        return []
    whole = [row for row in rows if row["metric"] == RATE and not row["slice"]]
    n = sum(row["n"] for row in whole)
    share = sum(row["n"] * row["value"] for row in whole if row["value"] is not None) / n if n else 0.0
    return [("Replies", n, f"{100 * share:.0f} % hallucinated")]
