"""mFAVA's rows as its pages read them: spreads over runs, planted rates beside every estimate, the table of the
leading detector, and how many answers have a page.
"""

from collections.abc import Mapping

from truerate.site.layout import Figure, Rows
from truerate.site.mfava.heatmap import ALL, HEADLINE, NATURAL, PLANTED, RATE
from truerate.site.tables import NO_RANK, Board

LEADER = "leader"  # the table of the detector whose counts make the rates
COUNTED = "detection"
TOKENS = ("token_precision", "token_recall", "token_f1", "token_fpr")
GRID = ("scope", "labels")
# How many answers have a page: the table, its metric, and how the counts of the source's card begin.
PAGES, WITH_PAGE = "pages", "with_page_rate"
LOST = "n_gold_not-inferable_"  # rows whose annotator cannot be told from the order of a published file
RANKED = {"estimator": HEADLINE, "calibration": NATURAL, "replies": ALL}
ANSWERS, WITH = "n_answers_", "n_answers_with_page_"


def derived(rows: Rows, board: Board) -> Rows:
    """The rows with their standard deviation over runs, planted rates beside every estimate, and the table of the leading detector."""
    spread = {
        _key(row, row["metric"].removesuffix("_std")): row["value"]
        for row in rows
        if row["metric"].endswith("_std")
    }
    rows = [
        row | {"std": spread.get(_key(row, row["metric"]))} if row["kind"] != PLANTED else row for row in rows
    ]
    detector = leader(rows, board)
    return (
        rows
        + _with_planted(rows)
        + [_bare(row) for row in rows if _is_leading(row, detector)]
        + _pages(rows, board)
    )


def _pages(rows: Rows, board: Board) -> Rows:
    """The share of Mu-SHROOM's answers that come with a page, per language and over all, as the source's card counted them."""
    like = next((row for row in rows if row["table"] == "mushroom"), None)
    n_pages = paged(board.source_card.get("counts", {}))
    if like is None:
        return []
    blank = like | {
        "table": PAGES,
        "subject": "answers",
        "metric": WITH_PAGE,
        **NO_RANK,
        **dict.fromkeys(("low", "high")),
    }
    return [
        blank | {"slice": {"lang": lang}, "value": with_page / of, "n": of}
        for lang, (with_page, of) in n_pages.items()
    ]


def paged(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """How many answers have a page, and of how many, per language and over all; nothing where a source's card does not count them."""
    with_page = {name.removeprefix(WITH): n for name, n in sorted(counts.items()) if name.startswith(WITH)}
    pages = {lang: (n, counts[f"{ANSWERS}{lang}"]) for lang, n in with_page.items()}
    return pages | (
        {ALL: (sum(n for n, _ in pages.values()), sum(of for _, of in pages.values()))} if pages else {}
    )


def _key(row: dict, metric: str) -> tuple:
    return (row["subject"], row["kind"], metric, *sorted(row["slice"].items()))


def _with_planted(rows: Rows) -> Rows:
    """Planted rates under the slice of each estimate, so that a table shows them beside it."""
    modes = {
        (row["slice"].get("estimator"), row["slice"].get("calibration"))
        for row in rows
        if row["metric"] == RATE and row["kind"] == "model"
    }
    planted = [
        row
        for row in rows
        if row["kind"] == PLANTED and row["metric"] == RATE and row["slice"].get("estimator") == PLANTED
    ]
    copies = []
    for row in planted:
        for estimator, calibration in sorted(modes, key=str):
            more = {"estimator": estimator, "calibration": calibration}
            copies.append(
                row
                | {"slice": row["slice"] | {key: value for key, value in more.items() if value is not None}}
            )
    return copies


def leader(rows: Rows, board: Board) -> dict[str, str]:
    """The detector whose counts make the rates, as the board says; else the one with the best F1 against the most trusted labels."""
    if board.detector:
        return dict(board.detector)
    measured = [
        row
        for row in rows
        if row["metric"] == "token_f1" and row["value"] is not None and row["slice"].get("lang") == ALL
    ]
    trust = ("held-out", "silver", "gold", "natural")
    best = max(
        measured,
        key=lambda row: (trust.index(row["slice"].get("against", trust[0])), row["value"], row["subject"]),
        default=None,
    )
    return (
        {"member": best["subject"], **{key: best["slice"][key] for key in GRID if key in best["slice"]}}
        if best
        else {}
    )


def _is_leading(row: dict, detector: dict[str, str]) -> bool:
    is_of_detector = (
        row["table"] == COUNTED
        and row["subject"] == detector.get("member")
        and row["metric"] in TOKENS
        and "type" not in row["slice"]
    )
    return is_of_detector and all(
        row["slice"].get(key, detector.get(key)) == detector.get(key) for key in GRID
    )


def _bare(row: dict) -> dict:
    """A row of the leading detector in the table of its own, where its scope and labels need not be said."""
    return row | {
        "table": LEADER,
        "slice": {key: value for key, value in row["slice"].items() if key not in GRID},
    }


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
