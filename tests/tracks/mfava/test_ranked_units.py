"""What models are ranked by: values of queries whose mean is the headline rate and whose differences vary as it does."""

import numpy as np
import polars as pl
import pytest

from truerate.leaderboard.rows import outcome_matrix
from truerate.tracks.mfava.analyses import headline, outcome_rows

from .made_replies import replies
from .made_scores import WRITER

# Of ten tokens each. Replies 0 and 2 are labelled: R = 3/10, Q = 4/10, q = 5/10.
A = replies(3, 4, 5, 8, gold=[2, None, 4, None])
B = replies(1, 1, 3, 3, gold=[1, None, 1, None])  # R = 1/10, Q = 2/10, q = 2/10


def outcomes(cells):
    fit = headline(cells, 0.95)
    rows = outcome_rows(cells, fit, WRITER)
    return fit, {
        lang: outcome_matrix(part)
        for lang in ("en", "de", "all")
        if not (part := rows.filter(rows["slice"].list.eval(_is(lang)).list.any())).is_empty()
    }


def _is(lang: str) -> pl.Expr:
    return (pl.element().struct.field("key") == "lang") & (pl.element().struct.field("value") == lang)


def test_the_mean_of_a_models_values_is_its_headline_rate():
    # e = ±1, d = ±1 of a mean of ten tokens: in `a` (−1)(−1) + 1 · 1 = 2 of d² 2; in `b` e = 0, d = ±1: λ = 2 / 4
    fit, found = outcomes({("a", "en"): A, ("b", "en"): B})
    assert fit.slope == pytest.approx(0.5)
    subjects, values, clusters = found["en"]
    # θ = R + λ (q − Q)
    assert subjects == ["a", "b"] and values.mean(axis=1) == pytest.approx([0.3 + 0.5 * 0.1, 0.1], abs=1e-6)
    # the first reply of `a`: n/k · (e − λ d) = 2 · (−.1 + .05), and by its flags λ (3 − 5)/10
    assert values[0, 0] == pytest.approx(0.35 + 2 * (-0.1 + 0.05) + 0.5 * (-0.2), abs=1e-6)
    assert clusters == ["en-0", "en-1", "en-2", "en-3"]
    assert np.array_equal(found["all"][1], values)


def test_languages_count_alike_whatever_their_number_of_queries():
    longer = replies(*[2] * 8, lang="de", gold=[5, None] * 4)
    fit, found = outcomes({("a", "en"): A, ("a", "de"): longer})
    rates = [fit.rates["a", lang] for lang in ("en", "de")]
    assert found["all"][1].mean() == pytest.approx(np.mean(rates), abs=1e-6)
    assert found["all"][1].shape == (1, 12) and rates[1] == pytest.approx(0.5)


def test_a_query_without_an_answer_moves_nothing():
    alone = B.only(np.array([True, False, True, True]))
    fit, found = outcomes({("a", "en"): A, ("b", "en"): alone})
    subjects, values, _ = found["en"]
    place = subjects.index("b")
    assert values[place].mean() == pytest.approx(fit.rates["b", "en"], abs=1e-6)
    assert values[place, 1] == pytest.approx(fit.rates["b", "en"], abs=1e-6)


def test_without_labels_in_each_language_there_is_no_rank_over_all():
    _, found = outcomes({("a", "en"): A, ("a", "de"): replies(1, 2, lang="de")})
    assert set(found) == {"en"}
