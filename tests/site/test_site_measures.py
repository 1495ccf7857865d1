"""How counts are printed."""

import pytest

from truerate.site.measures import roughly, thousands


def test_thousands_stand_apart():
    assert [thousands(n) for n in (0, 999, 1613, 1234567)] == [
        "0",
        "999",
        "1\u2009613",
        "1\u2009234\u2009567",
    ]


@pytest.mark.parametrize(
    ("n", "printed"),
    [
        (1, "1"),
        (99, "99"),
        (101, "110"),
        (145, "150"),
        (9_990, "10 000"),
        (147_302, "150 000"),
        (1_293_032, "1 300 000"),
    ],
)
def test_an_estimated_count_is_rounded_up_to_two_digits(n, printed):
    assert roughly(n) == printed.replace(" ", "\u2009")
