"""What HaluEval's pages compute beside the tables of its page.yaml."""

from truerate.site.layout import Figure, Rows
from truerate.site.tables import Board


def with_failure_rates(rows: Rows, board: Board) -> Rows:
    """The rows with planted failure rates by pattern, one minus the planted TPR: the closed world names only the latter."""
    planted = [
        row
        for row in rows
        if (row["kind"], row["table"], row["metric"]) == ("planted", "recognition", "tpr")
        and "pattern" in row["slice"]
        and row["value"] is not None
    ]
    failures = {"table": "failures", "metric": "failure_rate", "low": None, "high": None}
    return rows + [row | failures | {"value": 1 - row["value"]} for row in planted]


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many items the texts are about."""
    return [("Items", board.items.height, "")]
