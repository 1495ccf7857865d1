"""Measured counts beside planted probabilities, exact simultaneous intervals, and how far the two are apart
on the whole.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from scipy.special import betaincinv

from truerate_world.halueval.annotate import ANNOTATORS
from truerate_world.halueval.models.claim_checker import speaker

from .board import Board

CONFIDENCE = 0.99  # that all intervals of a family hold at once
SIGMAS = 4.0  # of the overall checks: a right build fails one of them once in 16,000 worlds


@dataclass(frozen=True)
class Cell:
    """`k` hits of `n` draws, each of which hits with probability `planted` (their mean where the texts differ)."""

    metric: str
    subject: str
    where: tuple[tuple[str, str], ...]
    seed: int | None
    k: int
    n: int
    planted: float

    @property
    def slice(self) -> dict[str, str]:
        return dict(self.where)

    @property
    def variance(self) -> float:
        """Of `k`, where every draw hits with the planted probability."""
        return self.n * self.planted * (1 - self.planted)

    @property
    def z(self) -> float:
        """Standard deviations between `k` and its expectation."""
        return (self.k - self.n * self.planted) / sqrt(self.variance)


# Whose rows are both orders of a pair, which one draw decides: no independent draws (`accuracy` is planted of
# sample contrast alone).
DEPENDENT = ("filter_first_position_rate", "first_position_rate", "accuracy")

# Which cells make a family, and of what the planted values speak. All targets are planted parameters,
# averaged over the texts judged.
FAMILIES: dict[str, Callable[[Cell], bool]] = {
    "tpr": lambda c: c.metric == "tpr" and "pattern" not in c.slice,
    "tpr by pattern": lambda c: c.metric == "tpr" and "pattern" in c.slice,
    "tnr": lambda c: c.metric == "tnr",
    "unparsed": lambda c: c.metric == "unparsed_rate",
    "contrast": lambda c: c.metric in ("accuracy_both_orders", "accuracy_one_side"),
    "candidate failure": lambda c: c.metric == "candidate_failure_rate" and "reason" not in c.slice,
    "reasons of failure": lambda c: c.metric == "candidate_failure_rate" and "reason" in c.slice,
    "length rule": lambda c: c.metric == "length_rule_broken_rate",
    "filtering": lambda c: c.metric == "filter_disagreement_rate",
    "choices without an answer": lambda c: c.metric == "filter_unparsed_rate",
    "labelling": lambda c: c.metric in ("yes_rate", "wrong_label_rate"),
}


def family(name: str, cells: Iterable[Cell]) -> list[Cell]:
    """The cells of a family."""
    return [cell for cell in cells if FAMILIES[name](cell)]


# ---- cells of a board --------------------------------------------------------------------------------------


def cells_of(
    board: Board, *, scores: list[dict] | None = None, planted: list[dict] | None = None
) -> list[Cell]:
    """Every score of a board that has a planted value, as counts; `scores` and `planted` are the board's own
    unless given.
    """
    truth = {_name(row): row["value"] for row in (board.planted() if planted is None else planted)}
    made = []
    for row in board.scores if scores is None else scores:
        metric, subject, where = _name(row)
        if {"reason", "scheme"} <= set(dict(where)):  # reasons are planted over both schemes
            continue
        target = truth.get(
            (metric, subject, where),
            truth.get((metric, subject, tuple(one for one in where if one[0] != "scheme"))),
        )
        if target is not None and row["value"] is not None and metric not in DEPENDENT:
            n = row["n"]
            made.append(Cell(metric, subject, where, board.seed, round(row["value"] * n), n, target))
    return made


def _name(row: dict) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    return row["metric"], row["subject"], tuple(sorted((pair["key"], pair["value"]) for pair in row["slice"]))


def label_cells(board: Board) -> list[Cell]:
    """How often each annotator says yes, and how often the vote is wrong, of general replies that are
    hallucinated and that are not.
    """
    tasks = {task["task_id"]: task for task in board.dataset.tasks}
    truth = {
        name: speaker(board.world, one["response"]).general(one["query"], one["response"])
        for name, one in tasks.items()
    }
    said = [
        (row["judge"], truth[row["target_id"]].is_hallucinated, row["verdict"])
        for row in board.labelled.iter_rows(named=True)
    ]
    made = []
    for is_hallucinated in (True, False):
        where = (("is_hallucinated", str(is_hallucinated)),)
        for one in ANNOTATORS:
            found = [
                verdict for judge, actual, verdict in said if (judge, actual) == (one.name, is_hallucinated)
            ]
            made.append(
                Cell(
                    "yes_rate",
                    one.name,
                    where,
                    board.seed,
                    sum(found),
                    len(found),
                    one.p_yes(is_hallucinated),
                )
            )
        voted = board.samples.filter(task="general").select("sample_id", "is_hallucinated").iter_rows()
        found = [label for name, label in voted if truth[name].is_hallucinated == is_hallucinated]
        n_wrong = sum(label != is_hallucinated for label in found)
        made.append(
            Cell(
                "wrong_label_rate",
                "vote",
                where,
                board.seed,
                n_wrong,
                len(found),
                wrong_vote(is_hallucinated),
            )
        )
    return made


def wrong_vote(is_hallucinated: bool) -> float:
    """That two or three of three annotators err, over the four triples of those who pass the probe set (the
    careless one does not).

    With errors a, b, c: ab(1 − c) + ac(1 − b) + bc(1 − a) + abc = ab + ac + bc − 2abc.
    """
    errors = [one.missing if is_hallucinated else one.alarm for one in ANNOTATORS if one.name != "emil"]
    triples = [[e for place, e in enumerate(errors) if place != left_out] for left_out in range(4)]
    return sum(a * b + a * c + b * c - 2 * a * b * c for a, b, c in triples) / 4


def pooled(cells: Iterable[Cell]) -> list[Cell]:
    """The cells of all seeds together; the planted value is the mean over all draws."""
    groups: dict[tuple, list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.metric, cell.subject, cell.where), []).append(cell)
    made = []
    for name, some in groups.items():
        n = sum(cell.n for cell in some)
        made.append(
            Cell(
                *name, None, sum(cell.k for cell in some), n, sum(cell.n * cell.planted for cell in some) / n
            )
        )
    return made


# ---- what is held against them -----------------------------------------------------------------------------


def clopper_pearson(k: int, n: int, *, confidence: float) -> tuple[float, float]:
    """The exact interval of a share of `n` independent draws (Clopper & Pearson 1934): never covers less than
    it says.

    Where the draws differ in their probability it covers the mean of these at least as well (Hoeffding 1956).
    """
    tail = (1 - confidence) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    return low, float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0


def family_wise(n_statements: int) -> float:
    """The confidence that each of n intervals needs so that all hold together with `CONFIDENCE`, whatever their
    dependence (Bonferroni).
    """
    return 1 - (1 - CONFIDENCE) / max(1, n_statements)


def missed(cells: Sequence[Cell]) -> list[str]:
    """The cells whose interval does not hold the planted value, as lines to read; together they hold with
    `CONFIDENCE` (Bonferroni).
    """
    each = family_wise(len(cells))
    found = [(cell, clopper_pearson(cell.k, cell.n, confidence=each)) for cell in cells]
    return [
        f"{cell.metric} of {cell.subject}, seed {cell.seed}, {cell.slice}: {cell.k}/{cell.n}, {low:.3f}–{high:.3f}, planted {cell.planted}"
        for cell, (low, high) in found
        if not low <= cell.planted <= high
    ]


def independent(cells: Iterable[Cell]) -> list[Cell]:
    """Cells that share no draw and whose draws all have the planted probability itself.

    Left out are sums of others (TPR over patterns, failures over schemes, accuracy in one order) and the TPR
    and TNR of the general task, where people's wrong labels mix texts of both kinds.
    """
    sums = ("accuracy_one_side", "wrong_label_rate")
    kept = []
    for cell in cells:
        where = cell.slice
        is_sum = cell.metric in sums or (cell.metric == "tpr" and "pattern" not in where)
        is_sum |= cell.metric == "candidate_failure_rate" and not {"scheme", "pattern"} <= set(where)
        if not is_sum and not (cell.metric in ("tpr", "tnr") and where["task"] == "general"):
            kept.append(cell)
    return kept


def spread(cells: Sequence[Cell]) -> tuple[float, float]:
    """The mean of z² over independent cells and how far it may be from 1.

    z² has mean 1. The fourth central moment of a binomial is 3v² + v(1 − 6pq) with v = npq, so z² has
    variance 2 + (1 − 6pq)/v.
    """
    whole = sum(2 + (1 - 6 * cell.planted * (1 - cell.planted)) / cell.variance for cell in cells)
    return sum(cell.z**2 for cell in cells) / len(cells), SIGMAS * sqrt(whole) / len(cells)


def leaning(cells: Iterable[Cell]) -> list[str]:
    """The subjects whose independent cells lean to one side on the whole, as lines to read."""
    groups: dict[str, list[Cell]] = {}
    for cell in independent(cells):
        groups.setdefault(cell.subject, []).append(cell)
    found = [(subject, *lean(some), len(some)) for subject, some in groups.items()]
    return [
        f"{n} cells of {subject}: mean z {mean:.2f}, at most {band:.2f}"
        for subject, mean, band, n in found
        if abs(mean) > band
    ]


def lean(cells: Sequence[Cell]) -> tuple[float, float]:
    """The mean of z over independent cells and how far it may be from 0: z has variance 1."""
    return sum(cell.z for cell in cells) / len(cells), SIGMAS / sqrt(len(cells))


def holds(interval, value: float) -> bool:
    """Whether a value lies within an interval, ends included."""
    return interval.low <= value <= interval.high
