"""From logits to what is said, by hand: logits are logarithms of whole numbers, so that shares are fractions."""

from dataclasses import replace

import numpy as np
import pytest

from truerate.detectors.published.adapters import ADAPTERS
from truerate.detectors.published.readout import (
    Verdict,
    class_parts,
    token_p,
    verdict_of_score,
    verdict_of_tokens,
)


def logits(*rows):
    return np.log(np.array(rows, dtype=float))


def given(name, **more):
    return replace(ADAPTERS[name], **{"threshold": ADAPTERS[name].threshold or 0.5} | more)


def test_summacs_places_differ_by_checkpoint():
    """vitc: entailment 0, contradiction 1; mnli: 2 and 0; anli: 0 and 2."""
    row = logits([1, 2, 5])
    assert class_parts(given("summac-vitc"), row)[0] == pytest.approx([1 / 8, 2 / 8])
    assert class_parts(given("summac-mnli"), row)[0] == pytest.approx([5 / 8, 1 / 8])
    assert class_parts(given("summac-anli"), row)[0] == pytest.approx([1 / 8, 5 / 8])


def test_at_the_threshold_minicheck_says_hallucinated_and_hhem_does_not():
    mini, hhem = given("minicheck-roberta"), given("hhem-2.1-open")
    assert verdict_of_score(mini, 0.5, 1)[:2] == (True, 0.5)
    assert verdict_of_score(hhem, 0.5, 1)[:2] == (False, 0.5)
    assert verdict_of_score(hhem, 0.25, 3) == Verdict(True, 0.75, [], 3)
    summac = given("summac-vitc", threshold=0.0)
    assert verdict_of_score(summac, -0.5, 1)[:2] == (True, 0.75) and verdict_of_score(summac, 1.0, 1).p == 0.0


def test_a_token_counts_as_supported_where_every_window_supports_it():
    both = np.stack([logits([1, 1], [3, 1], [1, 3]), logits([3, 1], [1, 3], [4, 1])])
    assert token_p(given("lettucedetect"), both) == pytest.approx([1 / 2, 3 / 4, 3 / 4])


def test_a_verdict_on_tokens_is_taken_at_the_threshold_that_is_given():
    """The largest p is .7: above .5 and .6, not above .7 and .8."""
    given = ("Varn is", np.array([[0, 4], [5, 7]]), np.array([0.7, 0.2]), 1)
    verdicts = {
        at: verdict_of_tokens(*given, threshold=at)[:2] + (verdict_of_tokens(*given, threshold=at).threshold,)
        for at in (None, 0.5, 0.6, 0.7, 0.8)
    }
    assert verdicts == {
        None: (True, 0.7, None),
        0.5: (True, 0.7, None),
        0.6: (True, 0.7, 0.6),
        0.7: (False, 0.7, 0.7),
        0.8: (False, 0.7, 0.8),
    }
