import pytest

from truerate.detectors.tokens.groups import borders


@pytest.mark.parametrize(
    ("n", "size", "result"),
    [
        (0, 4, []),
        (3, 4, [(0, 3)]),
        (4, 4, [(0, 4)]),
        (5, 4, [(0, 4), (3, 5)]),  # each begins a quarter of a window before the end of the one before it
        (10, 4, [(0, 4), (3, 7), (6, 10)]),
        (11, 4, [(0, 4), (3, 7), (6, 10), (9, 11)]),
        (3, 0, [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_borders_by_hand(n, size, result):
    assert borders(n, size) == result


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 50])
def test_nothing_is_left_out_and_none_is_longer(size):
    for n in range(1, 60):
        result = borders(n, size)
        assert {k for start, end in result for k in range(start, end)} == set(range(n))
        assert all(0 < end - start <= size for start, end in result)
