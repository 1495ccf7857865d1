"""Two models side by side in a browser: what stands there is what the project's own functions give."""

import numpy as np
import pytest
from tiny_results import VALUES

from truerate.metrics.ranking import differences

LARCH = "larch-3.1-8b-instruct"  # subject gamma of the made-up board


def expected(first: str, second: str) -> list[str]:
    """Difference, interval, p and how it was made, of the made-up board's values, as a page prints them."""
    values = [VALUES[name] for name in (first, second)]
    (pair,) = differences(
        np.array(values, dtype=float), ["c0", "c1", "c2", "c3"],
        n_resamples=1000, confidence=0.95, alpha=0.05, seed=1,
    )  # fmt: skip
    points = [
        f"{100 * value:+.1f}".replace("-", "−").replace("+0.0", "0.0")
        for value in (pair.value, pair.low, pair.high)
    ]
    return [points[0], f"{points[1]} to {points[2]}", f"{pair.p:.3f}", "paired, 4 units"]


def cells(page) -> list[str]:
    page.locator("[data-compare] tbody tr[data-ready]").first.wait_for()
    return page.locator("[data-compare] tbody tr").first.locator("td").all_inner_texts()


def test_from_a_models_page_to_its_difference_from_another(visit):
    page = visit("models/real/beta.html")
    page.get_by_role("link", name="Compare with another model").click()
    second = page.get_by_label("Second")
    assert page.get_by_label("First").input_value() == "beta"
    second.fill(LARCH)
    second.dispatch_event("change")
    beta, larch, *difference = cells(page)
    assert beta.split("\n") == ["25.0", "5.0 to 70.0 · n 4", "rank 1–3 of 4"]
    assert larch.startswith("50.0")
    assert difference == expected("beta", "gamma")
    assert page.url.endswith("compare.html?a=beta&b=larch-3-1-8b-instruct")


def test_the_other_way_round_the_difference_has_the_other_sign(visit):
    page = visit("models/real/larch-3-1-8b-instruct.html")
    page.get_by_role("link", name="Compare with another model").click()
    page.get_by_label("Second").fill("beta")
    page.get_by_label("Second").dispatch_event("change")
    assert cells(page)[2:] == expected("gamma", "beta")


def test_from_a_boards_table_the_first_two_are_chosen(visit):
    page = visit("real/judged.html")
    page.get_by_role("link", name="Compare two models").click()
    assert cells(page)[2:] == expected("alpha", "beta")


@pytest.mark.parametrize(
    ("second", "words"),
    [("nobody", "Choose two models."), ("beta", "Difference: the first less the second.")],
)
def test_it_says_what_is_missing(visit, second, words):
    page = visit("compare.html")
    for label, name in (("First", "alpha"), ("Second", second)):
        page.get_by_label(label).fill(name)
        page.get_by_label(label).dispatch_event("change")
    assert page.locator("[data-compare] .tr-count").inner_text() == words
