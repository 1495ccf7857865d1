"""What mFAVA's pages compute beside the tables of its page.yaml: the figures in the head."""

from truerate.site.layout import Figure, Rows
from truerate.site.mfava.heatmap import ALL, HEADLINE, NATURAL, RATE
from truerate.site.mfava.rows import GRID, leader
from truerate.site.tables import Board

LOST = "n_gold_not-inferable_"  # rows whose annotator cannot be told from the order of a published file
RANKED = {"estimator": HEADLINE, "calibration": NATURAL, "replies": ALL}


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many replies and languages the rates are made of, whose marks are counted, and what a token is."""
    replies = [
        row["n"]
        for row in rows
        if row["metric"] == RATE
        and row["kind"] == "model"
        and RANKED.items() <= row["slice"].items()
        and row["slice"].get("lang") != ALL
    ]
    languages = {row["slice"]["lang"] for row in rows if "lang" in row["slice"]} - {ALL}
    detector = leader(rows, board)
    how = ", ".join(detector[key] for key in GRID if key in detector)
    shown = [
        ("Replies in the wild", sum(replies), ""),
        ("Languages", len(languages), ""),
        ("Marks by", detector.get("member", ""), how),
    ]
    alone = "CJK: a character each" if board.tokenizer == "words" else ""
    counts = board.source_card.get("counts", {})
    lost = sorted(name.removeprefix(LOST) for name in counts if name.startswith(LOST))
    shown += [
        ("Annotators", "not told apart", f"{', '.join(lost)}: few texts have several rows, so no κ")
    ] * bool(lost)
    return shown + [("Tokens by", board.tokenizer, alone)] * bool(board.tokenizer)
