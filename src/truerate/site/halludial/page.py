"""What HalluDial's pages compute beside the tables of its page.yaml: the figures in the head."""

from truerate.site.halludial.rates import PLANTED, RATE
from truerate.site.layout import Figure, Rows
from truerate.site.tables import Board

SIZES = ("n_dialogues", "n_turns", "turns_per_dialogue")


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many dialogues and turns the texts are about, and whose verdicts make the rates."""
    sizes = {
        row["metric"]: row["value"] for row in rows if row["table"] == "dataset" and row["metric"] in SIZES
    }
    shown: list[Figure] = []
    if sizes.get("n_dialogues"):
        mean = sizes.get("turns_per_dialogue")
        shown.append(("Dialogues", int(sizes["n_dialogues"]), f"{mean:.1f} turns each" if mean else ""))
    if sizes.get("n_turns"):
        shown.append(("Turns", int(sizes["n_turns"]), ""))
    member = board.detector.get("member")
    has_rates = any(
        row["metric"] == RATE and row["value"] is not None and row["kind"] != PLANTED for row in rows
    )
    return [*shown, *([("Rates by", member, "")] if member and has_rates else [])]
