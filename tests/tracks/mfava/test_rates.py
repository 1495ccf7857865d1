"""Replies and people's labels of them: what labels are worth, rows of rates, and what models are ranked by."""

from dataclasses import fields

import numpy as np
import polars as pl
import pytest

from truerate.core.schemas import pairs
from truerate.leaderboard.rows import outcome_matrix
from truerate.metrics.estimators.sample import EXACT
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava import marking
from truerate.tracks.mfava.marking import NATURAL, Detector, answers, board_texts
from truerate.tracks.mfava.rate_scores import count_rows, headline, outcome_rows, rate_rows
from truerate.tracks.mfava.rates import (
    cells_of,
    gold_tokens,
    in_batches,
    labellers,
    labelling_error,
    mean_marks,
    shared_marks,
)
from truerate.tracks.mfava.scores import score, scored_judgements

from .made_replies import replies
from .made_scores import TEXT, WRITER, At, item, judged, reply, sample, span, tables, words

WORDS = offsets_by("words")
LEADING = Detector("token-lr", "multi", "binary")

# ---- replies counted part after part -----------------------------------------------------------------------

ITEMS = [item(f"i{k}", task="wild", group=f"g{k // 2}") for k in range(6)]
# Two models answer six items; both say the same of item 2. Seed 42 marks the first word of every reply, seed
# 43 the second, and of items 0 to 2 alone.
REPLIES = [
    reply(f"i{k}", model, "a b" if k == 2 else f"{model} says {k} words", repeats="yes" if k == 4 else "no")
    for k in range(6)
    for model in ("small", "large")
]
SAID = [judged(row["generation_id"], span(0, 1, p=0.9)) for row in REPLIES] + [
    judged(row["generation_id"], span(2, 3, p=0.9), seed=43) for row in REPLIES if row["item_id"] < "i3"
]
OTHERS = [judged(row["generation_id"], span(0, 9), member="other") for row in REPLIES]
GOLD_REPLY = sample("i2", "a b", span(0, 1), task="wild", source="gold")


def counted(n_at_once: int):
    result = tables(ITEMS, [GOLD_REPLY], REPLIES, SAID + OTHERS)
    values = marking.judgements_of(result["judgements"], LEADING)
    assert values.height == len(SAID) and marking.seeds_of(values) == ["42", "43"]
    came = answers(result["generations"], result["items"])
    texts = board_texts(result["samples"], came, WORDS)
    gold_of = gold_tokens(texts, marking.labelled(result["samples"], texts, NATURAL))
    assert gold_of
    return cells_of(came, result["samples"], values, WORDS, gold_of, detector=LEADING, n_at_once=n_at_once)


@pytest.mark.parametrize("n_at_once", [1, 3, 5])
def test_in_parts_or_at_once(n_at_once):
    whole, parted = counted(100), counted(n_at_once)
    assert list(whole) == list(parted) == [("large", "en"), ("small", "en")]
    for key, cell in whole.items():
        for field in fields(cell):
            ours, theirs = getattr(cell, field.name), getattr(parted[key], field.name)
            assert np.array_equal(ours, theirs, equal_nan=ours.dtype == float), field.name


def test_a_seed_counts_only_what_it_judged():
    cell = counted(2)["small", "en"]
    assert cell.units.tolist() == [f"i{k}/0" for k in range(6)]
    assert cell.tokens.tolist() == [[4, 4], [4, 4], [2, 2], [4, 0], [4, 0], [4, 0]]
    assert cell.detected.tolist() == [[1, 1], [1, 1], [1, 1], [1, 0], [1, 0], [1, 0]]


def test_replies_of_an_item_stay_together():
    result = tables(ITEMS, (), REPLIES)
    parts = [
        part["item_id"].to_list() for part in in_batches(answers(result["generations"], result["items"]), 3)
    ]
    assert [sorted(set(part)) for part in parts] == [["i0", "i1"], ["i2"], ["i3", "i4"], ["i5"]]
    assert sum(map(len, parts)) == len(REPLIES)


def test_judgements_that_score_does_not_read_change_no_score():
    samples = [GOLD_REPLY, sample("p1", "a b c", span(0, 1))]
    judged_rows = [*SAID, *OTHERS, judged("silver-p1", span(0, 1), member="other")]
    given = tables([*ITEMS, item("p1")], samples, REPLIES, judged_rows)
    read = given["judgements"].filter(
        scored_judgements(At(), "board", given["samples"], given["generations"])
    )
    # of the others the passage and the two replies to item 2, which are the labelled text
    assert read.filter(judge="other").height == 3 and read.height == len(SAID) + 3
    whole, part = (
        score(At(), "board", **(given | {"judgements": judgements}), inputs="digest")
        for judgements in (given["judgements"], read)
    )
    assert whole[0].equals(part[0]) and whole[1].equals(part[1])
    assert whole[0].filter(metric="hallucination_rate").height and whole[0].filter(subject="other").height


# ---- what people's labels are worth ------------------------------------------------------------------------


def labelled(**spans: tuple[int, list[dict]]) -> tuple[marking.Labelled, marking.Texts]:
    """Labelled replies by name: how many people labelled each, and the spans that are kept of it."""
    rows = [
        sample(name, f"{TEXT} {name}", *kept, source="gold", task="wild")
        | {"attributes": pairs(n_labels=n, generation=f"answer-{name}-m-")}
        for name, (n, kept) in spans.items()
    ]
    generations = [reply(name, "m", f"{TEXT} {name}") for name in spans]
    result = tables([item(name, "wild") for name in spans], rows, generations)
    texts = board_texts(result["samples"], answers(result["generations"], result["items"]), WORDS)
    return marking.labelled(result["samples"], texts, NATURAL), texts


# Four people: of `x` all mark two words and one marks a third; of `y` three mark one word and two another (no
# majority).
X = (4, [*words(0, 1, p=1.0), *words(2, p=0.25)])
Y = (4, [*words(3, p=0.75), *words(4, p=0.5)])
ALONE = (1, words(5, 6))


def test_the_mean_person_marks_the_sum_of_the_shares():
    natural, texts = labelled(x=X, y=Y, z=ALONE)
    assert labellers(natural).tolist() == [4, 4, 1]
    assert mean_marks(natural, texts).tolist() == pytest.approx([2.25, 1.25, 2.0])


def test_what_votes_hold_beside_what_one_person_marks():
    # votes 2 and 1; a person marks 2.25 and 1.25; what one person alone labelled tells nothing of it
    error = labelling_error(shared_marks(*labelled(x=X, y=Y, z=ALONE)))
    assert error.ratio == pytest.approx(3 / 3.5)
    # 2 / (2 − 1) · Σ (v − ratio · m)² / 3.5² / ratio²
    left = [2 - error.ratio * 2.25, 1 - error.ratio * 1.25]
    assert error.relative_variance == pytest.approx(
        2 * sum(residual**2 for residual in left) / 3.5**2 / error.ratio**2
    )


@pytest.mark.parametrize(
    "spans", [{"z": ALONE}, {"x": X, "z": ALONE}, {}], ids=["alone", "one-article", "none"]
)
def test_without_shared_replies_labels_count_as_they_are(spans):
    assert labelling_error(shared_marks(*labelled(**spans))) == EXACT


# ---- rows of rates where some languages have labels and others none ----------------------------------------


def cells(*with_labels: str):
    """Replies of ten tokens in four languages, of which people labelled some of these."""
    gold = [1, None, 3, 2, None, 2]
    return {
        ("a", lang): replies(2, 3, 4, 3, 2, 4, lang=lang, gold=gold if lang in with_labels else ())
        for lang in ("de", "en", "fr", "tr")
    }


def rates(rows: list[dict], estimator: str) -> dict[str, dict]:
    sliced = [({pair["key"]: pair["value"] for pair in row["slice"]}, row) for row in rows]
    return {
        where["lang"]: row
        for where, row in sliced
        if row["metric"] == "hallucination_rate"
        and (where.get("estimator"), where.get("replies")) == (estimator, "all")
    }


def ranked(board) -> set[str]:
    rows = outcome_rows(board, headline(board, 0.95), WRITER)
    return {pair["value"] for pairs in rows["slice"].to_list() for pair in pairs if pair["key"] == "lang"}


def test_a_language_without_labels_is_predicted_wide_and_takes_no_rank():
    board = cells("de", "en", "fr")
    rows, _ = rate_rows(board, {}, EXACT, WRITER)
    values, predicted = rates(rows, "prediction-powered"), rates(rows, "predicted")
    assert values["de"]["value"] is not None and values["tr"]["value"] is values["all"]["value"] is None
    assert set(predicted) == {"tr", "all"}
    widths = [row["high"] - row["low"] for row in (values["de"], predicted["tr"])]
    assert (
        widths[0] < widths[1] and predicted["tr"]["low"] <= values["de"]["value"] <= predicted["tr"]["high"]
    )
    assert ranked(board) == {"de", "en", "fr"}


def test_labels_in_too_few_languages_predict_nothing_and_are_counted():
    board = cells("de")
    rows, _ = rate_rows(board, {}, EXACT, WRITER)
    values = rates(rows, "prediction-powered")
    assert not rates(rows, "predicted") and [
        lang for lang in values if values[lang]["value"] is not None
    ] == ["de"]
    assert rates(rows, "raw")["tr"]["value"] is not None and ranked(board) == {"de"}
    counts = count_rows(board, WRITER)
    n_labelled = {row["slice"][0]["value"]: row["value"] for row in counts if row["metric"] == "n_labelled"}
    assert n_labelled == {"de": 4, "en": 0, "fr": 0, "tr": 0, "all": 4}


# ---- what models are ranked by -----------------------------------------------------------------------------

# Of ten tokens each. Replies 0 and 2 are labelled: R = 3/10, Q = 4/10, q = 5/10.
A = replies(3, 4, 5, 8, gold=[2, None, 4, None])
B = replies(1, 1, 3, 3, gold=[1, None, 1, None])  # R = 1/10, Q = 2/10, q = 2/10


def outcomes(board):
    fit = headline(board, 0.95)
    rows = outcome_rows(board, fit, WRITER)
    matrices = {}
    for lang in ("en", "de", "all"):
        is_lang = (
            pl.element().struct.field("value") == lang
        )  # no other entry of a slice says so but `replies`
        is_own = (pl.element().struct.field("key") == "lang") & is_lang
        if not (part := rows.filter(pl.col("slice").list.eval(is_own).list.any())).is_empty():
            matrices[lang] = outcome_matrix(part)
    return fit, matrices


def test_the_mean_of_a_models_values_is_its_headline_rate():
    # e = ±1, d = ±1 of a mean of ten tokens: in `a` (−1)(−1) + 1 · 1 = 2 of d² 2; in `b` e = 0, d = ±1: λ = 2
    # / 4
    fit, matrices = outcomes({("a", "en"): A, ("b", "en"): B})
    assert fit.slope == pytest.approx(0.5)
    subjects, values, clusters = matrices["en"]
    # θ = R + λ (q − Q)
    assert subjects == ["a", "b"] and values.mean(axis=1) == pytest.approx([0.3 + 0.5 * 0.1, 0.1], abs=1e-6)
    # the first reply of `a`: n/k · (e − λ d) = 2 · (−.1 + .05), and by its flags λ (3 − 5)/10
    assert values[0, 0] == pytest.approx(0.35 + 2 * (-0.1 + 0.05) + 0.5 * (-0.2), abs=1e-6)
    assert clusters == ["en-0", "en-1", "en-2", "en-3"] and np.array_equal(matrices["all"][1], values)


def test_languages_count_alike_whatever_their_number_of_queries():
    fit, matrices = outcomes({("a", "en"): A, ("a", "de"): replies(*[2] * 8, lang="de", gold=[5, None] * 4)})
    of_langs = [fit.rates["a", lang] for lang in ("en", "de")]
    values = matrices["all"][1]
    assert values.mean() == pytest.approx(np.mean(of_langs), abs=1e-6)
    assert values.shape == (1, 12) and of_langs[1] == pytest.approx(0.5)


def test_a_query_without_an_answer_moves_nothing():
    fit, matrices = outcomes({("a", "en"): A, ("b", "en"): B.only(np.array([True, False, True, True]))})
    subjects, values, _ = matrices["en"]
    of_own, rate = values[subjects.index("b")], fit.rates["b", "en"]
    assert (of_own.mean(), of_own[1]) == (pytest.approx(rate, abs=1e-6), pytest.approx(rate, abs=1e-6))


def test_without_labels_in_each_language_there_is_no_rank_over_all():
    assert set(outcomes({("a", "en"): A, ("a", "de"): replies(1, 2, lang="de")})[1]) == {"en"}
