"""The page of the range behind each rate of a board: in sentences, a figure and two tables, and as a file."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truerate.results import figures
from truerate.results.board import RealBoard, RealScore
from truerate.results.files import rank_range
from truerate.results.ranges.counting import BY
from truerate.results.ranges.multiverse import Combination, Multiverse, Range, effects, ranges

FEW = 3  # names that stand in a cell
SPAN = "range"  # what a bar of the figure is
STANDARD = "the board’s own rule"


def context(board: RealBoard, multiverse: Multiverse) -> dict[str, Any]:
    """The values of real/range.md.j2."""
    board, listed = _ranked_by(board, multiverse), ranges(multiverse)
    scores = [_score(board, bounds) for bounds in listed]
    ever_first = frozenset(bounds.subject for bounds in listed if bounds.n_first)
    drawn = replace(board, may_be_best={(): ever_first})
    return {
        "board": board,
        "card": board.card,
        "sentences": sentences(board, multiverse),
        "forest": _renamed(figures.forest(drawn, scores, span=SPAN)),
        "narrow": _renamed(figures.forest(drawn, scores, figures.SMALL, span=SPAN)),
        "n": len(multiverse.combinations),
        "measure": multiverse.measure,
        "rules": [(effect, _few(effect.first)) for effect in effects(multiverse)],
        "lines": [
            {
                "range": bounds,
                "score": score,
                "low_by": in_words(bounds.low_by),
                "high_by": in_words(bounds.high_by),
            }
            for bounds, score in zip(listed, scores, strict=True)
        ],
    }


def sentences(board: RealBoard, multiverse: Multiverse) -> str:
    """How far counting, and with it the choice of a judge, moves a rate of a board, and which models are ever first."""
    board = _ranked_by(board, multiverse)
    counted, whole = (ranges(part) for part in (_counted(multiverse), multiverse))
    by_counting, by_judge = (max(part, key=lambda bounds: bounds.width) for part in (counted, whole))
    whose = "a rate" if multiverse.measure is None else "the rate of a labelled system"
    moved = (
        [f"Counting alone moves {whose} by up to {_moved(board, by_counting)}"] if by_counting.width else []
    )
    if by_judge.width > by_counting.width:
        what = "counting and the choice of the judge" if moved else "The choice of the judge moves a rate"
        moved.append(f"{what} by up to {_moved(board, by_judge)}")
    n, first = len(multiverse.combinations), [bounds for bounds in whole if bounds.n_first]
    end = f"{len(first)} of {len(whole)} models are ever first, over {n} combinations of rules."
    if first and first[0].n_first == n and len(first) == 1:
        end = f"{first[0].subject} is first under each of {n} combinations of rules."
    return f"{'; '.join(moved)}. {end}"


def _ranked_by(board: RealBoard, multiverse: Multiverse) -> RealBoard:
    """The board as it would be if the multiverse's measure led it."""
    if (measure := multiverse.measure) is None:
        return board
    card = {**board.card, "headline": {**board.card["headline"], "metric": measure.name}}
    return replace(board, card=card, measures={measure.name: measure})


def _moved(board: RealBoard, bounds: Range) -> str:
    text = board.headline.text
    ends = f"{text(bounds.low)} to {text(bounds.high)} %"
    return f"{100 * bounds.width:.1f} points ({bounds.subject}: {ends})"


def _counted(multiverse: Multiverse) -> Multiverse:
    """The combinations in which the board's own judge judges."""
    kept = [i for i in range(len(multiverse.combinations)) if BY not in multiverse.departures(i)]
    return replace(
        multiverse, combinations=tuple(multiverse.combinations[i] for i in kept), rates=multiverse.rates[kept]
    )


def _score(board: RealBoard, bounds: Range) -> RealScore:
    """A range as the figures draw a score: the board's own rate between the least and the greatest."""
    return RealScore(
        metric=board.headline.name, subject=bounds.subject, kind="model", slice=(), n=0, provenance="",
        value=bounds.rate, low=bounds.low, high=bounds.high, rank_low=bounds.rank_low, rank_high=bounds.rank_high,
    )  # fmt: skip


def _renamed(drawn: dict) -> dict:
    return drawn | {"file": drawn["file"].replace("-forest", "-range")}


def in_words(choices: Combination) -> str:
    """The choices that are not the board's own, in words."""
    return "; ".join(f"{rule}: {choice}" for rule, choice in choices.items()) or STANDARD


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def table_of(board: RealBoard) -> list[dict[str, Any]]:
    """The ranges of a board as rows for a terminal and other programs; none where no rule changes a rate."""
    n = len(board.multiverse.combinations) if board.multiverse else 0
    return [
        {
            "subject": bounds.subject, "rate": bounds.rate, "least": bounds.low, "greatest": bounds.high,
            "ranks": rank_range(bounds.rank_low, bounds.rank_high), "first": f"{bounds.n_first} of {n}",
            "least by": in_words(bounds.low_by), "greatest by": in_words(bounds.high_by),
        }
        for bounds in (ranges(board.multiverse) if board.multiverse else ())
    ]  # fmt: skip


def csv_of(multiverse: Multiverse) -> tuple[tuple[str, ...], Iterator[tuple]]:
    """Every rate under every combination, to be downloaded: header and lines. A choice is empty where its rule does not
    apply.
    """
    rules: Mapping[str, None] = dict.fromkeys(rule for choices in multiverse.combinations for rule in choices)
    lines = (
        (*(choices.get(rule, "") for rule in rules), int(i == 0), subject, round(float(rate), 6), int(rank))
        for i, choices in enumerate(multiverse.combinations)
        for subject, rate, rank in zip(
            multiverse.subjects, multiverse.rates[i], multiverse.ranks[i], strict=True
        )
        if rank
    )
    return (*rules, "is_board", "subject", "value", "rank"), lines
