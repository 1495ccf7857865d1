"""Whether a committed board keeps its order when the slice or the rule of its labels changes."""

from collections.abc import Mapping
from itertools import combinations

from truerate.metrics.orders import kendall
from truerate.site.real.results import Order, RealBoard, RealScore

WHOLE = ""  # the headline over everything
MANY = 6  # values of a key up to which each is held against each other, beyond it against everything alone


def orders(board: RealBoard) -> tuple[Order, ...]:
    """The orders of a board's models by its headline, held against one another: over everything against
    each value of each slice key, then the values of a key against one another.

    Of subjects that both have; a pair of orders without three of them is left out, as it says nothing.
    """
    found = []
    for key, values in board.slice_keys.items():
        pairs = [(WHOLE, value) for value in values]
        if len(values) <= MANY:
            pairs += combinations(values, 2)
        found += [_order(board, key, pair) for pair in pairs]
    return tuple(one for one in found if one is not None)


def _order(board: RealBoard, key: str, pair: tuple[str, str]) -> Order | None:
    first, second = (_scores(board, key, value) for value in pair)
    return order_of(key, pair, first, second)


def order_of(
    key: str, pair: tuple[str, str], first: Mapping[str, RealScore], second: Mapping[str, RealScore]
) -> Order | None:
    """Two orders of the subjects that both have, by their scores; None of fewer than three. `key` and `pair` name them."""
    names = [name for name in first if name in second]
    if len(names) < 3:
        return None
    agreed = kendall(*([side[name].value or 0.0 for name in names] for side in (first, second)))
    turned = [(names[i], names[j]) for i, j in agreed.flips]
    apart = [(a, b) for a, b in turned if _is_apart(first[a], first[b]) and _is_apart(second[a], second[b])]
    return Order(key, *pair, len(names), agreed.tau, agreed.n_pairs, len(turned), tuple(apart))


def _scores(board: RealBoard, key: str, value: str) -> dict[str, RealScore]:
    """The headline of each model on a value of a key that was measured, in the order of the board."""
    where = () if value == WHOLE else ((key, value),)
    measured = {
        score.subject: score
        for score in board.scores
        if score.metric == board.headline.name and score.slice == where and score.value is not None
    }
    return {model.subject: measured[model.subject] for model in board.models if model.subject in measured}


def _is_apart(first: RealScore, second: RealScore) -> bool:
    """Whether two rank ranges share no rank; a score without a range is apart from none."""
    ends = (first.rank_low, first.rank_high, second.rank_low, second.rank_high)
    if None in ends:
        return False
    low, high, other_low, other_high = (end or 0 for end in ends)
    return high < other_low or other_high < low
