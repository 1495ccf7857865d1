"""Dawid and Skene's model: hand-derived counts, planted truth, and what cannot be told."""

from itertools import product

import numpy as np
import pytest

from truerate.metrics.estimators.dawid_skene import are_seats, cells_of, fit, is_identified, pooled, rated

HOW = {"n_resamples": 200, "confidence": 0.95, "alpha": 0.05, "seed": 7}


def labelled(counts, group=0):
    """Units by their labels, `yyn` from the first rater on (`-`: none): groups, labels."""
    rows = [[{"y": 1, "n": 0, "-": np.nan}[c] for c in word] for word, n in counts.items() for _ in range(n)]
    return np.full(len(rows), group), np.array(rows, dtype=float)


def cells(counts):
    groups, labels = labelled(counts)
    return cells_of(groups, labels, range(len(groups)))


def fitted(made):
    return fit(made, made.sums.sum(axis=0))


# rate 1/5, each of three raters finds 9/10 and passes 8/10: of 10,000 units
# yyy .2 · .729 + .8 · .008 = .1522, yyn .2 · .081 + .8 · .032 = .0418, ynn .2 · .009 + .8 · .128 = .1042, nnn .4098
ALIKE = dict(yyy=1522, yyn=418, yny=418, nyy=418, ynn=1042, nyn=1042, nny=1042, nnn=4098)


def test_the_rate_is_found_where_the_vote_is_wrong():
    found = rated(cells(ALIKE), **HOW)
    assert found.groups[0].vote.value == pytest.approx(0.2776)  # 1,522 + 3 · 418
    assert found.groups[0].model.value == pytest.approx(0.2, abs=1e-3)
    for rater in found.raters:
        assert (rater.tpr.value, rater.tnr.value) == pytest.approx((0.9, 0.8), abs=1e-3)
    assert found.unanimous == pytest.approx(0.562)
    assert found.expected == pytest.approx(0.562, abs=1e-3)  # 1,522 + 4,098, and the model fits


def test_raters_need_not_be_alike_and_need_not_label_everything():
    # rate 1/2; TPR 1, .8, .6 and TNR .8, .8, 1: yyy ½(.48 + 0) = .24 and so on, times 1,000
    tpr, tnr = (1, 0.8, 0.6), (0.8, 0.8, 1)
    counts = {}
    for said in product((1, 0), repeat=3):
        a = np.prod([p if yes else 1 - p for p, yes in zip(tpr, said, strict=True)])
        b = np.prod([1 - p if yes else p for p, yes in zip(tnr, said, strict=True)])
        counts["".join("ny"[yes] for yes in said)] = round(1000 * (a + b) / 2)
    assert sum(counts.values()) == 1000
    # a fourth rater, never wrong, labels units of the first alone: 500 of 1,000 are wrong, and 100 of the right called so
    more = {"y--y": 500, "y--n": 100, "n--n": 400}
    found = fitted(cells({f"{word}-": n for word, n in counts.items()} | more))
    assert found.rates[0] == pytest.approx(0.5, abs=0.02)
    assert found.tpr == pytest.approx((*tpr, 1), abs=0.02)
    assert found.tnr == pytest.approx((*tnr, 1), abs=0.02)


def test_where_all_agree_the_model_is_the_vote_and_the_interval_has_width():
    found = rated(cells(dict(yyy=3, nnn=7)), **HOW)
    group = found.groups[0]
    assert group.model.value == pytest.approx(0.3, abs=1e-6) == group.vote.value
    assert group.model.low < 0.3 < group.model.high
    assert [(rater.tpr.value, rater.tnr.value) for rater in found.raters] == pytest.approx([(1, 1)] * 3)
    assert found.unanimous == 1


@pytest.mark.parametrize(
    ("counts", "is_told"),
    [
        (dict(y=5, n=5), False),  # one rater
        (dict(yy=3, yn=2, ny=2, nn=3), False),  # two: five unknowns, three counts
        (dict(yyy=3, yyn=2, nnn=3), True),
        ({"yyy-": 3, "nnn-": 3, "--yy": 2}, True),  # the fourth shares units with one that is told
        ({"yyy--": 3, "nnn--": 3, "---yy": 2}, False),  # two more share none
    ],
)
def test_errors_are_told_by_three_labels_of_a_unit_or_through_a_rater_who_is(counts, is_told):
    made = cells(counts)
    assert is_identified(made) is is_told
    assert (rated(made, **HOW) is not None) is is_told


def test_units_without_a_label_do_not_count_and_one_cluster_says_nothing_of_others():
    groups, labels = labelled({"yyy": 4, "---": 3, "nnn": 4})
    made = cells_of(groups, labels, range(11))
    assert made.sums.shape == (8, 2)
    assert rated(cells_of(groups, labels, ["one"] * 11), **HOW) is None


def test_seats_by_what_was_said_are_no_persons_and_are_pooled():
    # sorted: the first says yes only where the second does, and so on
    seats = cells(dict(yyy=50, nyy=10, nny=15, nnn=25))
    assert are_seats(seats)
    assert not are_seats(cells(ALIKE))
    assert not are_seats(cells(dict(yyy=1, nnn=1)))  # nobody disagrees
    one = pooled(seats)
    assert (one.n == 3).all()
    assert sorted(one.yes[:, 0]) == [0, 1, 2, 3]
    assert one.sums.sum() == 100


def test_pooled_raters_have_their_errors_in_common():
    # those of ALIKE, whoever said it: 1,522 all, 1,254 two, 3,126 one, 4,098 none
    one = pooled(cells(ALIKE))
    found = fitted(one)
    assert found.rates[0] == pytest.approx(0.2, abs=1e-3)
    assert (found.tpr[0], found.tnr[0]) == pytest.approx((0.9, 0.8), abs=1e-3)


def test_ranks_are_those_of_both_ways_and_order_of_units_does_not_matter():
    parts = [
        labelled(dict(yyy=10, nnn=90), 0),
        labelled(dict(yyy=12, nny=3, nnn=85), 1),
        labelled(dict(yyy=80, nnn=20), 2),
    ]
    groups, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    clusters = [*range(100)] * 3
    found = rated(cells_of(groups, labels, clusters), **HOW)
    assert [group.model_rank for group in found.groups] == [(1, 2), (1, 2), (3, 3)]
    assert [group.vote_rank for group in found.groups] == [(1, 2), (1, 2), (3, 3)]
    turned = np.arange(300)[::-1]
    again = rated(cells_of(groups[turned], labels[turned], [clusters[i] for i in turned]), **HOW)
    assert again == found


def test_a_planted_rate_lies_in_its_interval_and_the_votes_does_not_hold_it():
    rng, n = np.random.default_rng(5), 2000
    wrong = rng.random(n) < 0.15
    right = [(0.7, 0.8), (0.75, 0.85), (0.8, 0.8)]
    labels = np.column_stack([np.where(wrong, rng.random(n) < a, rng.random(n) > b) for a, b in right])
    found = rated(cells_of(np.zeros(n, int), labels.astype(float), range(n)), **HOW)
    assert found.groups[0].model.low < 0.15 < found.groups[0].model.high
    assert found.groups[0].vote.low > 0.15
