"""mFAVA's rows as its pages read them: spreads over runs, planted rates, the leading detector's table."""

from collections.abc import Mapping
from itertools import product

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
    """Return the rows with deviations over runs, planted rates, and the leading detector's table."""
    deviations = [row for row in rows if row["metric"].endswith("_std")]
    spread = {_key(row, row["metric"].removesuffix("_std")): row["value"] for row in deviations}
    rows = [
        row | {"std": spread.get(_key(row, row["metric"]))} if row["kind"] != PLANTED else row for row in rows
    ]
    detector = leader(rows, board)
    leading = [_bare(row) for row in rows if _is_leading(row, detector)]
    return [*rows, *_with_planted(rows), *leading, *_pages(rows, board)]


def _pages(rows: Rows, board: Board) -> Rows:
    """Return the share of Mu-SHROOM's answers with a page, per language and over all."""
    like = next((row for row in rows if row["table"] == "mushroom"), None)
    n_pages = paged(board.source_card.get("counts", {}))
    if like is None:
        return []
    blank = like | {"table": PAGES, "subject": "answers", "metric": WITH_PAGE}
    blank |= NO_RANK | dict.fromkeys(("low", "high"))
    return [
        blank | {"slice": {"lang": lang}, "value": with_page / of, "n": of}
        for lang, (with_page, of) in n_pages.items()
    ]


def paged(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return how many answers have a page, of how many, per language and over all; {} without counts."""
    with_page = {name.removeprefix(WITH): n for name, n in sorted(counts.items()) if name.startswith(WITH)}
    pages = {lang: (n, counts[f"{ANSWERS}{lang}"]) for lang, n in with_page.items()}
    totals = (sum(n for n, _ in pages.values()), sum(of for _, of in pages.values()))
    return pages | ({ALL: totals} if pages else {})


def _key(row: dict, metric: str) -> tuple:
    return (row["subject"], row["kind"], metric, *sorted(row["slice"].items()))


def _with_planted(rows: Rows) -> Rows:
    """Planted rates under the slice of each estimate, so that a table shows them beside it."""
    rates = [(row, row["slice"].get("estimator")) for row in rows if row["metric"] == RATE]
    modes = {(name, row["slice"].get("calibration")) for row, name in rates if row["kind"] == "model"}
    planted = [row for row, name in rates if row["kind"] == PLANTED and name == PLANTED]
    copies = []
    for row, mode in product(planted, sorted(modes, key=str)):
        more = zip(("estimator", "calibration"), mode, strict=True)
        slice_ = row["slice"] | {key: value for key, value in more if value is not None}
        copies.append(row | {"slice": slice_})
    return copies


def leader(rows: Rows, board: Board) -> dict[str, str]:
    """Return the detector whose counts make the rates: the board's, else the best F1 on trusted labels."""
    if board.detector:
        return dict(board.detector)
    scores = [row for row in rows if row["metric"] == "token_f1" and row["value"] is not None]
    measured = [row for row in scores if row["slice"].get("lang") == ALL]
    if not measured:
        return {}
    trust = ("held-out", "silver", "gold", "natural")
    best = max(
        measured,
        key=lambda row: (trust.index(row["slice"].get("against", trust[0])), row["value"], row["subject"]),
    )
    return {"member": best["subject"], **{key: best["slice"][key] for key in GRID if key in best["slice"]}}


def _is_leading(row: dict, detector: dict[str, str]) -> bool:
    is_counted = row["table"] == COUNTED and row["metric"] in TOKENS and "type" not in row["slice"]
    is_of_grid = all(row["slice"].get(key, detector.get(key)) == detector.get(key) for key in GRID)
    return is_counted and row["subject"] == detector.get("member") and is_of_grid


def _bare(row: dict) -> dict:
    """A row of the leading detector in the table of its own, where its scope and labels need not be said."""
    slice_ = {key: value for key, value in row["slice"].items() if key not in GRID}
    return row | {"table": LEADER, "slice": slice_}


def figures(rows: Rows, board: Board) -> list[Figure]:
    """Return how many replies and languages the rates are made of, whose marks are counted, and what a token
    is.
    """
    rates = [row for row in rows if row["metric"] == RATE and row["kind"] == "model"]
    ranked = [row for row in rates if RANKED.items() <= row["slice"].items()]
    replies = [row["n"] for row in ranked if row["slice"].get("lang") != ALL]
    languages = {row["slice"]["lang"] for row in rows if "lang" in row["slice"]} - {ALL}
    detector = leader(rows, board)
    how = ", ".join(detector[key] for key in GRID if key in detector)
    shown = [("Replies in the wild", sum(replies), ""), ("Languages", len(languages), "")]
    shown.append(("Marks by", detector.get("member", ""), how))
    alone = "CJK: a character each" if board.tokenizer == "words" else ""
    counts = board.source_card.get("counts", {})
    lost = sorted(name.removeprefix(LOST) for name in counts if name.startswith(LOST))
    if lost:
        note = f"{', '.join(lost)}: few texts have several rows, so no κ"
        shown.append(("Annotators", "not told apart", note))
    return shown + [("Tokens by", board.tokenizer, alone)] * bool(board.tokenizer)
