import numpy as np
import pytest

from truerate.metrics.estimators.fay_herriot import fay_herriot

ONES = np.ones((4, 1))


def test_by_hand():
    # y .1 .2 .3 .4 about .25, ψ .001 each: Σ(y − .25)²/(ψ + σ²) = 4 − 1 gives ψ + σ² = .05/3, γ = 1 − .001·60
    found = fay_herriot(np.array([0.1, 0.2, 0.3, 0.4]), np.full(4, 0.001), ONES, confidence=0.95)
    gamma = 1 - 0.001 * 60
    assert [one.value for one in found] == pytest.approx(
        [gamma * y + (1 - gamma) * 0.25 for y in (0.1, 0.2, 0.3, 0.4)]
    )
    # error γψ + (1 − γ)²(ψ + σ²)/4 + 4ψ²(ψ + σ²)⁻³ · 4/(4/(ψ + σ²))², t of 3 degrees 3.182
    total = 0.05 / 3
    error = gamma * 0.001 + (1 - gamma) ** 2 * total / 4 + 4 * 0.001**2 / total**3 * 4 / (4 / total) ** 2
    assert found[1].high - found[1].value == pytest.approx(3.182446 * error**0.5, rel=1e-6)


def test_cells_no_further_apart_than_chance_are_all_what_the_design_says():
    found = fay_herriot(np.array([0.1, 0.11, 0.1, 0.11]), np.full(4, 0.01), ONES, confidence=0.95)
    assert [one.value for one in found] == pytest.approx([0.105] * 4)


def test_a_cell_without_variance_keeps_its_value_and_few_cells_tell_nothing():
    found = fay_herriot(
        np.array([0.3, 0.1, 0.1, 0.2]), np.array([0, 0.01, 0.01, 0.01]), ONES, confidence=0.95
    )
    assert found[0] == (0.3, 0.3, 0.3)
    assert fay_herriot(np.array([0.3]), np.array([0.1]), np.ones((1, 1)), confidence=0.95) is None


def test_it_is_nearer_to_the_truth_than_the_cells_are():
    rng = np.random.default_rng(2)
    truth = 0.2 + rng.normal(0, 0.03, 200)
    seen = truth + rng.normal(0, 0.04, 200)
    found = fay_herriot(seen, np.full(200, 0.04**2), np.ones((200, 1)), confidence=0.95)
    errors = np.array([one.value for one in found]) - truth
    assert np.abs(errors).mean() < 0.7 * np.abs(seen - truth).mean()
    assert 0.9 < np.mean([one.low <= rate <= one.high for one, rate in zip(found, truth, strict=True)]) < 0.99
