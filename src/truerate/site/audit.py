"""The shortcut audit of a board: its table, and what it finds in plain words."""

from truerate.core.schemas import unpaired
from truerate.site.tables import NO_RANK, Board, Tables
from truerate.site.views import View
from truerate.site.vocabulary import Vocabulary

VIEW = View(
    "audit",
    ("shortcut_balanced_accuracy", "shortcut_pairwise"),
    ("shortcut_accuracy", "shortcut_auroc"),
    across=("task", "scheme"),
    n_whiskers=2,
    head="Shortcut",
)
DECIDING = ("shortcut_pairwise", "shortcut_balanced_accuracy")  # what the audit flags on
LENGTH = "words"  # the shortcut that is always named: readers ask for length first
MAJORITY = "majority"
EVEN = 0.55  # share of the more frequent label from which an accuracy must not be held against one half


def audit_rows(board: Board, rows: list[dict]) -> list[dict]:
    """Return the audit's rows: the leaderboard's, else the board's own scores, pooled over schemes."""
    blank = {"table": "audit", "kind": "baseline"} | NO_RANK
    audited = [row for row in rows if row["table"] == "audit"] or [
        blank | row | {"slice": unpaired(row["slice"]), "provenance": row["inputs"]}
        for row in board.audit.to_dicts()
    ]
    apart = {row["slice"].get("task") for row in audited if "scheme" in row["slice"]}
    return [
        row
        for row in audited
        if row["n"] and ("scheme" in row["slice"] or row["slice"].get("task") not in apart)
    ]


def findings(tables: Tables, checked: list[dict], vocabulary: Vocabulary) -> list[dict]:
    """Return per task and scheme the accuracy of length and of the strongest shortcut, flagged or not."""
    places: dict[tuple[str, str], list[dict]] = {}
    for row in checked:
        if row["value"] is not None:
            places.setdefault((row["slice"].get("task", ""), row["slice"].get("scheme", "")), []).append(row)
    ordered = sorted(places.items(), key=lambda entry: [vocabulary.sort_key(part) for part in entry[0]])
    entries = [
        {
            "where": _where(task, scheme, vocabulary),
            "task": task,
            "scheme": scheme,
            **_finding(rows, tables.audit_threshold, vocabulary),
        }
        for (task, scheme), rows in ordered
    ]
    return [entry for entry in entries if entry["pairs"] or entry["texts"]]


def _where(task: str, scheme: str, vocabulary: Vocabulary) -> str:
    """Return what was audited, in words."""
    words = [vocabulary.label(task) if task else "All texts", vocabulary.label(scheme).lower()]
    return ", ".join(filter(None, words))


def _finding(rows: list[dict], threshold: float, vocabulary: Vocabulary) -> dict:
    """Return the finding of `pairs` and `texts`; `base`: accuracy of the more frequent label if uneven."""
    deciding = [metric for metric in DECIDING if any(row["metric"] == metric for row in rows)] or [
        "shortcut_accuracy"
    ]
    ruled = [row for row in rows if row["metric"] in deciding and row["subject"] != MAJORITY]
    pairs = _to_name([row for row in ruled if row["metric"] == "shortcut_pairwise"], with_length=True)
    texts = _to_name([row for row in ruled if row["metric"] != "shortcut_pairwise"], with_length=not pairs)
    base = next(
        (row["value"] for row in rows if row["subject"] == MAJORITY and row["metric"] == "shortcut_accuracy"),
        None,
    )
    return {
        "pairs": [row | {"name": vocabulary.label(row["subject"])} for row in pairs],
        "texts": [row | {"name": vocabulary.label(row["subject"])} for row in texts],
        "base": base if base and base >= EVEN else None,
        "is_flagged": any(row["value"] >= threshold for row in ruled),
    }


def _to_name(rows: list[dict], *, with_length: bool) -> list[dict]:
    """Length if it is wanted, then the strongest if it is another; none of nothing."""
    strongest = max(rows, key=lambda row: (row["value"], row["subject"]), default=None)
    length = [row for row in rows if row["subject"] == LENGTH and with_length and row is not strongest]
    return length + ([strongest] if strongest else [])
