from collections import Counter

import numpy as np

from truerate.metrics.spans import EXACT, matched, shape


def test_shapes():
    assert shape("the Black Sea") == (3, False) and shape("the Black Sea. ") == (3, True)
    # bins of a tenth: 21 and 22 words share one, 21 and 24 do not
    assert (
        shape("w " * 21)[0] == shape("w " * 22)[0] < shape("w " * 24)[0] and shape("w " * 9)[0] == EXACT + 2
    )


def test_pairs_are_kept_in_equal_numbers_of_either_direction():
    a, b, c = (2, False), (3, False), (3, True)
    hallucinated, right = [a, b, b, b, c], [a, a, a, b, a]
    right[0] = a
    hallucinated.append(a), right.append(b)
    # rows 0 and 3 have one shape; rows 1 and 2 (b against a) meet row 5 (a against b): one of them is kept,
    # the one that comes first by the draw; row 4 (c against a) has no counterpart
    result = matched(hallucinated, right, [0.5, 0.9, 0.1, 0.5, 0.5, 0.5])
    assert result.tolist() == [True, False, True, True, False, True]


def test_every_shape_is_as_frequent_on_either_side():
    rng = np.random.default_rng(3)
    hallucinated = [
        (int(n), bool(stop)) for n, stop in zip(rng.integers(1, 9, 400), rng.random(400) < 0.8, strict=True)
    ]
    right = [
        (int(n), bool(stop)) for n, stop in zip(rng.integers(1, 5, 400), rng.random(400) < 0.2, strict=True)
    ]
    kept = matched(hallucinated, right, rng.random(400))
    counts = [
        Counter(item for item, is_kept in zip(side, kept, strict=True) if is_kept)
        for side in (hallucinated, right)
    ]
    assert counts[0] == counts[1] and 0 < kept.sum() < 400


def test_no_pair():
    assert matched([], [], []).tolist() == []
