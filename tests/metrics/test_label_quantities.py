"""What papers print of a labelled set, made of hand-made labels."""

import numpy as np
import polars as pl
import pytest

from truerate.core.schemas import PAIRS, pairs
from truerate.metrics.label_quantities import (
    ALL,
    HIGHEST,
    LOWEST,
    RECORDS,
    asked_in_words,
    bits_against,
    quantity,
    unasked,
)

SCHEMA = {"subject": pl.String, "slice": PAIRS} | dict.fromkeys(
    ("unit_id", "part", "question", "rater", "label"), pl.String
)


def table(*rows):
    """Rows of (subject, unit, part, question, rater, label), and a task where there is a seventh."""
    given = [
        {"subject": item[0], "slice": pairs(task=item[6] if len(item) > 6 else None)}
        | dict(zip(("unit_id", "part", "question", "rater", "label"), item[1:6], strict=True))
        for item in rows
    ]
    return pl.DataFrame(given, schema=SCHEMA)


REPLIES = table(
    # a's first reply: 1 of 2 claims entailed, 1 neutral; its second: 1 of 1; its third has none
    ("a", "r1", "0", "claim", "", "Entailment"),
    ("a", "r1", "1", "claim", "", "Neutral"),
    ("a", "r2", "0", "claim", "", "Entailment"),
    ("a", "r1", "", "answers", "", "yes", "qa"),
    ("a", "r2", "", "answers", "", "yes", "qa"),
    ("a", "r3", "", "answers", "", "no", "chat"),
    # b's only reply: 1 of 4
    *(("b", "r1", str(k), "claim", "", "Entailment" if k == 0 else "Contradiction") for k in range(4)),
    ("b", "r1", "", "answers", "", "yes", "qa"),
)
CLAIM, YES = {"question": "claim", "label": "Entailment"}, {"question": "q", "label": "yes"}


@pytest.mark.parametrize(
    ("name", "subject", "where", "value"),
    [
        ("mean_part_share", "a", CLAIM, (1 / 2 + 1) / 2),  # over its two replies with claims
        ("mean_part_share", ALL, CLAIM, (1 / 2 + 1 + 1 / 4) / 3),
        ("mean_part_share", "a", CLAIM | {"label": "Neutral|Contradiction"}, (1 / 2 + 0) / 2),
        ("all_part_share", "a", CLAIM, (1 / 2 + 1 + 0) / 3),  # the one without counts as none
        ("mean_part_share", LOWEST, CLAIM, 1 / 4),
        ("mean_part_share", HIGHEST, CLAIM, 3 / 4),
        ("unit_share", "a", {"question": "answers", "label": "no"}, 1 / 3),
        ("unit_share", "a", {"question": "answers", "label": "no", "task": "qa"}, 0.0),
        ("unit_share", ALL, {"question": "answers", "label": "yes"}, 3 / 4),
        ("rating_share", ALL, CLAIM, 3 / 7),  # claims themselves, replies of any length
        ("n_units", ALL, {"question": "answers"}, 4.0),
        ("n_units", "a", {"question": "answers", "label": "yes"}, 2.0),
        ("n_parts", ALL, {"question": "claim"}, 7.0),
        ("n_parts", "b", {"question": "claim", "label": "Contradiction"}, 3.0),
        ("mean_part_share", "nobody", CLAIM, None),
        ("unit_share", "a", {"question": "never asked", "label": "yes"}, None),
        ("unit_share", "a", {"question": "answers", "label": "yes", "task": "maths"}, None),
    ],
)
def test_a_quantity_counts_what_its_slice_says(name, subject, where, value):
    assert quantity(name, REPLIES, subject, where) == (value if value is None else pytest.approx(value))


def test_a_unit_of_several_raters_has_the_label_that_more_than_half_give_it():
    # u1: 2 of 3 say yes; u2: 1 of 3; u3: 1 of 2, which is no majority
    answer = {"u1": "yes yes no", "u2": "yes no no", "u3": "yes no"}
    rows = [
        ("s", unit, "", "q", f"w{k}", label)
        for unit, each in answer.items()
        for k, label in enumerate(each.split())
    ]
    assert quantity("unit_share", table(*rows), "s", YES) == pytest.approx(1 / 3)


def test_kappa_is_that_of_a_label_or_not_and_parts_are_units_of_their_own():
    # Fleiss: agreement of pairs 1, 1/3, 1 over three units of three raters, mean 7/9; of 9 ratings 4 are yes,
    # so by chance (4/9)² + (5/9)² = 41/81; κ = (63 − 41) / (81 − 41) = 22/40
    answer = {("u", "0"): "yes yes yes", ("u", "1"): "yes maybe no", ("v", "0"): "no maybe no"}
    rows = [
        ("s", *index, "q", f"w{k}", label)
        for index, each in answer.items()
        for k, label in enumerate(each.split())
    ]
    assert quantity("fleiss_kappa", table(*rows), "s", YES) == pytest.approx(22 / 40)
    alone = table(("s", "u", "", "q", "w0", "yes"))
    assert quantity("fleiss_kappa", alone, "s", YES) is None


BESIDE = table(
    # people right, right, right, wrong; a rule right, right, wrong, right; of u5 the rule says nothing
    *(("s", f"u{k}", "", "people", "", label) for k, label in enumerate(("yes", "yes", "yes", "no", "yes"))),
    *(("s", f"u{k}", "", "rule", "", label) for k, label in enumerate(("yes", "yes", "no", "yes"))),
)
BOTH = {"question": "people", "beside": "rule", "label": "yes"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("same_share", 2 / 4),
        ("f1", 2 * 2 / (3 + 3)),
        ("balanced_accuracy", (2 / 3 + 0) / 2),  # finds two of three, and passes none of one
    ],
)
def test_two_questions_are_held_against_one_another_where_both_were_answered(name, value):
    assert quantity(name, BESIDE, "s", BOTH) == pytest.approx(value)
    assert quantity(name, BESIDE, "s", BOTH | {"beside": "nothing of the kind"}) is None


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (CLAIM | {"task": "qa"}, "claim: Entailment"),
        ({"question": "fact", "label": "a|b"}, "fact: a or b"),
        ({"question": "answers"}, "answers: any label"),
        (BOTH, "people against rule"),
        ({"task": "qa"}, ""),
    ],
)
def test_what_is_counted_is_told_in_words(where, words):
    assert asked_in_words(where) == words


def test_every_quantity_has_a_record_that_says_what_it_is():
    assert {record.name for record in RECORDS.values()} == set(RECORDS)
    assert all(record.definition.endswith(".") and record.label for record in RECORDS.values())


@pytest.mark.parametrize(
    ("name", "keys", "answer"),
    [
        ("unit_share", ["question", "task"], ""),
        ("unit_share", ["task"], "has no 'question'"),
        ("f1", ["question"], "has no 'beside'"),
        ("f1", ["question", "beside"], ""),
        ("unit_share", ["question", "question"], "says 'question' twice"),
    ],
)
def test_a_slice_says_once_what_is_asked(name, keys, answer):
    assert unasked(name, keys) == answer


# ---- label evidence ----------------------------------------------------------------------------------------
NONE = np.nan


def bits(labels, *judges):
    return bits_against(np.array(labels), np.array(judges, dtype=float).T)


def test_one_judge_by_hand():
    # says 1 of one of the two hallucinated: (1 + .5) / 3 = 1/2; of none of the two others: .5 / 3 = 1/6
    expected = np.log2([(1 / 6) / (1 / 2), (5 / 6) / (1 / 2), (1 / 2) / (5 / 6), (1 / 2) / (5 / 6)])
    assert bits([1, 1, 0, 0], [1, 0, 0, 0]) == pytest.approx(expected)


def test_judges_add_up_and_one_that_said_nothing_of_a_text_adds_nothing():
    item, twice = bits([1, 1, 0, 0], [1, 0, 0, 0]), bits([1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0])
    assert twice == pytest.approx(2 * item)
    # of the last text the second judge says nothing: its FPR is .5 / 2 = 1/4, and only the first counts there
    part = bits([1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, NONE])
    assert part[3] == pytest.approx(item[3])
    assert part[1] == pytest.approx(item[1] + np.log2((3 / 4) / (1 / 2)))


@pytest.mark.parametrize("says", [[0, 0, 1, 1], [1, 0, 1, 0], [1, 1, 1, 1], [NONE] * 4])
def test_a_judge_no_better_than_chance_counts_for_nothing(says):
    assert np.isnan(bits([1, 1, 0, 0], says)).all()


def test_the_strongest_evidence_is_against_the_labels_that_were_turned_round():
    rng = np.random.default_rng(5)
    truth = rng.random(2000) < 0.4
    says = [np.where(rng.random(2000) < 0.9, truth, ~truth) for _ in range(3)]
    turned = np.arange(40)
    labels = truth.copy()
    labels[turned] = ~labels[turned]
    order = np.argsort(-bits(labels.astype(int), *says), kind="stable")
    # all three judges are right of a text in .9^3 = .73 of cases: 29 of 40; all wrong of one in .001: 2 of
    # 1,960
    assert np.isin(order[:30], turned).sum() >= 25


def test_no_texts_no_evidence():
    assert bits_against(np.zeros(0), np.zeros((0, 2))).shape == (0,)
